//! What the page and the engine say to each other. `cargo xtask protocol` makes `web/src/protocol.ts` of it, which is the same
//! in TypeScript: it reads these types and those of the library that they are made of, their serde attributes, their
//! comments, and behind every request the word about its answer.
//!
//! A [`Message`] is a JSON head and, after it, bytes: files and long arrays of numbers (little-endian f32). Every request
//! gets one answer. Nothing here knows how messages travel.
//!
//! Lengths are in metres, angles in radians, axes x forward and z up, quaternions w x y z, as everywhere in gambol.

mod answer;
mod creature;
mod motion;
mod plant;
mod request;
mod sketch;
mod work;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use answer::*;
pub use creature::*;
pub use motion::*;
pub use plant::*;
pub use request::*;
pub use sketch::*;
pub use work::*;

/// Of the words below and of what the page saves; a page of another version is asked to reload.
pub const VERSION: u32 = 2;

/// A head and bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// JSON.
    pub head: String,
    /// What the head points into.
    pub bytes: Vec<u8>,
}

/// Why a message cannot be taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message is the length of its head as four bytes, its head as JSON, and bytes")]
pub struct BadMessage;

impl Message {
    /// As one piece: the length of the head (u32, little-endian), the head padded with spaces to a multiple of four so
    /// that numbers after it are aligned, the bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let padded = self.head.len().next_multiple_of(4);
        let mut all = Vec::with_capacity(4 + padded + self.bytes.len());
        all.extend(u32::try_from(padded).unwrap_or(u32::MAX).to_le_bytes());
        all.extend(self.head.as_bytes());
        all.resize(4 + padded, b' ');
        all.extend(&self.bytes);
        all
    }

    /// Takes one piece apart.
    pub fn from_bytes(all: &[u8]) -> Result<Self, BadMessage> {
        let (length, rest) = all.split_first_chunk::<4>().ok_or(BadMessage)?;
        let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| BadMessage)?;
        let (head, bytes) = rest.split_at_checked(length).ok_or(BadMessage)?;
        let head = std::str::from_utf8(head).map_err(|_| BadMessage)?;
        Ok(Self { head: head.trim_end().to_owned(), bytes: bytes.to_vec() })
    }
}

/// A request with its number.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Envelope {
    /// Comes back with the answer.
    pub id: u64,
    /// What is asked.
    #[serde(flatten)]
    pub request: Request,
}

/// The head of an answer.
#[derive(Clone, Debug, Serialize)]
pub struct Reply {
    /// The request's.
    pub id: u64,
    /// What was asked for, if it could be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// Else why not, in words for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

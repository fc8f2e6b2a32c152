//! Checkpoints as plain text: a line for each field, its name and then its values. Numbers are written with as many digits
//! as they need to come back bit by bit.

use std::collections::HashMap;
use std::fmt::{Debug, Write as _};
use std::str::FromStr;

/// Why a checkpoint cannot be gone on from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// It is not one, or only a part of one.
    #[error("not a checkpoint of {kind}: {reason}")]
    Broken {
        /// Of what it should be one.
        kind: &'static str,
        /// What is missing or wrong.
        reason: String,
    },
    /// It was written by a search for something else.
    #[error("the checkpoint belongs to another search: {reason}")]
    Other {
        /// What differs.
        reason: String,
    },
}

/// A checkpoint that is being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(pub(crate) String);

impl Fields {
    pub(crate) fn put<T: Debug>(&mut self, name: &str, values: &[T]) {
        self.0.push_str(name);
        for value in values {
            let _ = write!(self.0, " {value:?}"); // a String takes all
        }
        self.0.push('\n');
    }
}

/// A checkpoint that is being read.
#[derive(Clone, Debug)]
pub(crate) struct Record<'a> {
    kind: &'static str,
    lines: HashMap<&'a str, &'a str>,
}

impl<'a> Record<'a> {
    /// The fields of `text`, whose last line must be `end`: a file that was cut off is not taken for a whole one.
    pub(crate) fn parse(kind: &'static str, text: &'a str) -> Result<Self, CheckpointError> {
        let broken = |reason: &str| CheckpointError::Broken { kind, reason: reason.to_owned() };
        if text.lines().last() != Some(END) {
            return Err(broken("it has no end"));
        }
        let lines = text.lines().map(|line| line.split_once(' ').unwrap_or((line, ""))).collect();
        Ok(Self { kind, lines })
    }

    pub(crate) fn list<T: FromStr>(&self, name: &str) -> Result<Vec<T>, CheckpointError> {
        let broken = |reason: String| CheckpointError::Broken { kind: self.kind, reason };
        let line = self.lines.get(name).ok_or_else(|| broken(format!("{name} is missing")))?;
        let parse = |word: &str| word.parse().map_err(|_| broken(format!("{name}: {word:?} makes no sense")));
        line.split_ascii_whitespace().map(parse).collect()
    }

    pub(crate) fn one<T: FromStr + Copy>(&self, name: &str) -> Result<T, CheckpointError> {
        match self.list(name)?.as_slice() {
            [value] => Ok(*value),
            _ => Err(self.broken(format!("{name} is not one value"))),
        }
    }

    /// Exactly so many numbers.
    pub(crate) fn vector(&self, name: &str, length: usize) -> Result<Vec<f64>, CheckpointError> {
        let list = self.list(name)?;
        if list.len() == length {
            return Ok(list);
        }
        Err(self.broken(format!("{name} has {} numbers instead of {length}", list.len())))
    }

    pub(crate) fn broken(&self, reason: impl Into<String>) -> CheckpointError {
        CheckpointError::Broken { kind: self.kind, reason: reason.into() }
    }
}

/// The last line of every checkpoint.
pub(crate) const END: &str = "end";

//! Gaits from natural vibrations (Kry et al. 2009, sections 4.2, 4.3 and 5), with feet on the ground.
//!
//! ```text
//! Style::apply ──► analyze ──► design ──► Gait ──► perform ──► Clip, Report
//!   style           (modes)    heuristics          modal, stance, root, pin   (feet)
//!                              pattern, preset     belly                      (legless)
//! ```
//!
//! [`Style`] changes the body, [`design`] presses walk: it picks modes, amplitudes and phases for a named gait.
//! [`perform`] plays a gait: equation 4 with soft limits, then feet on the ground.

#[allow(dead_code, unused_imports)] // until `perform` and `design` call it
mod belly;
#[allow(dead_code)] // until `perform` calls it
mod close;
mod design;
mod error;
mod file;
mod gait;
mod heuristics;
mod legs;
mod modal;
mod pattern;
mod perform;
mod preset;
mod style;

pub use design::{Wish, design, gaits_for};
pub use error::GaitError;
pub use file::{FileError, from_toml, to_toml};
pub use gait::{Component, Gait, Ground, HeightField, Style, Support, Terrain};
pub use heuristics::{Category, Ranking, Rejection, rank};
pub use legs::{Leg, Legs};
pub use perform::{FootReport, Performance, Report, Sampling, perform};
pub use style::Body;

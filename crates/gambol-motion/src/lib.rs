//! Motion as poses over time.
//!
//! A [`Clip`] is what a gait, a simulation or a recording gives, and what a file takes home: poses of one creature on a
//! rising time line, how the loop closes, and which foot stands when.

mod clip;
mod in_place;
mod sample;
pub mod samples;
mod seam;

pub use clip::{Clip, ClipError, Contact, Stride, Travel};
pub use seam::Seam;

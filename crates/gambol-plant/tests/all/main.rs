//! Plants: points of files to plants, beams against closed forms, wind, motion, forests.
//!
//! One program for all tests of the crate: linking is most of what a small one costs.

mod articulated;
mod beams;
mod forests;
mod help;
mod plants;
mod sways;
mod winds;

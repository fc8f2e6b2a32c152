//! Plants: readers' points to plants, beams against closed forms, wind, motion.
//!
//! One program for all tests of the crate: linking is most of what a small one costs.
mod probe;

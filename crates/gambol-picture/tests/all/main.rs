//! What pictures show, measured in their SVG and their pixels.
//!
//! One program for all tests of the crate: linking is most of what a small one costs.

mod animations;
mod fake;
mod pictures;
mod strips;

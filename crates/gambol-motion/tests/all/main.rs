//! Clips: loops in place, and what is done to them.
//!
//! One program for all tests of the crate: linking is most of what a small one costs.

mod in_place;
mod tools;

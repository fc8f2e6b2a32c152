//! Clips: loops in place, and what is done to them. Bases: poses, projections, Jacobians.
//!
//! One program for all tests of the crate: linking is most of what a small one costs.

mod basis;
mod ends;
mod geodesics;
mod in_place;
mod packs;
mod posing;
mod tools;

//! Bodies of known shape: their feet, springs and poses, and stiffness from weight against closed forms.
//!
//! One program for all tests of the crate: linking is most of what a small one costs.

mod bodies;
mod weight;

//! Vibrations against closed forms and references and their names.
//!
//! One program for all tests of the crate: linking is most of what a small one costs.

mod chain_reference;
mod closed_forms;
mod large;
mod read;
mod swing;

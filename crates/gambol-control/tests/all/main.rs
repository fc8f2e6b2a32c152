//! Controllers, rollouts, sketches and searches on creatures of the gallery.
//!
//! One program for all tests of the crate: linking is most of what a small one costs.

mod budget;
mod cma;
mod controller_files;
mod controllers;
mod functions;
mod help;
mod legged;
mod locomotion;
mod preview;
mod pumping;
mod reduced;
mod rollouts;
mod search;
mod sketches;
mod solve;

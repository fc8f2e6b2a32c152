//! The library from its front door: the gallery, modes, physics, pictures and files of its creatures.
//!
//! One program for all tests of the crate: linking is most of what a small one costs.

mod animate;
mod examples;
mod export;
mod gallery;
mod mode_names;
mod modes_paper;
mod modes_pinned;
mod physics;
mod pictures;
mod reach;
mod roam;
mod stiffness_from_weight;

//! Gaits of the gallery and of a zoo of bodies: design, ground, styles, files.
//!
//! One program for all tests of the crate: linking is most of what a small one costs.

mod believed;
mod design;
mod edit;
mod felt;
mod file;
mod forces;
mod frogs;
mod gaits;
mod ground;
mod heuristics;
mod marks;
mod pattern;
mod people;
mod preset;
mod retarget;
mod scripts;
mod sets;
mod settings;
mod sturdy;
mod style;
mod wings;
mod zoo;

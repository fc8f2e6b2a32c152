//! The dynamics against closed forms, second algorithms, differences and what must be conserved.
//!
//! One program for all tests of the crate: linking is most of what a small one costs.

mod centroidal;
mod conservation;
mod contact;
mod course;
mod differences;
mod mass_multiply;
mod maximal_coordinates;
mod reach;
mod reduced;
mod second_algorithm;
mod sense;
mod step_conservation;
mod step_contact;
mod step_springs;
mod support;
mod threads;

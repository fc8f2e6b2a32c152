//! The program as a user meets it: what it prints, what it writes, and one case per misuse.
//!
//! One program for all tests of the crate: linking is most of what a small one costs.

mod command;
mod command_line;
mod command_line_animate;
mod command_line_balance;
mod command_line_convert;
mod command_line_export;
mod command_line_gaits;
mod command_line_modes;
mod command_line_motion;
mod command_line_optimize;
mod command_line_reduced;
mod command_line_rigs;
mod command_line_roam;
mod command_line_simulate;
mod command_line_sketch;
mod command_line_studio;
mod command_line_wind;
mod corpus;

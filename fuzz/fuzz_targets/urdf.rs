//! Any text as a URDF file, floating: an error or a creature whose dynamics can be computed, never a panic.
#![no_main]

use gambol_formats::{LoadOptions, load_str};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let options = LoadOptions { free_root: true, ..LoadOptions::default() };
    gambol_fuzz::read_and_move(load_str("fuzz.urdf", text, &options));
});

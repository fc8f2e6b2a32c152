//! Any text as an MJCF file: an error or a creature whose dynamics can be computed, never a panic.
#![no_main]

use gambol_formats::{LoadOptions, load_str};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    gambol_fuzz::read_and_move(load_str("fuzz.xml", text, &LoadOptions::default()));
});

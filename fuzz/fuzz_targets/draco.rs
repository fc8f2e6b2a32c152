//! Any bytes as a mesh that Draco has compressed, in a file that is sound but for it: an error, or a creature.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    gambol_fuzz::read_character("fuzz.glb", &gambol_fuzz::draco_file(bytes));
});

//! Any bytes as a VRM or glTF file: an error, or a creature.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    gambol_fuzz::read_character("fuzz.vrm", bytes);
});

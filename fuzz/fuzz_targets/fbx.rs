//! Any bytes as an FBX file: an error, or a creature.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    gambol_fuzz::read_character("fuzz.fbx", bytes);
});

//! Any text as a BVH file: an error, or a creature with a clip that its own writer can write and we can read again.
#![no_main]

use gambol_formats::LoadOptions;
use gambol_formats::bvh::read_bvh;
use gambol_formats::clip::to_bvh;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(recording) = read_bvh("fuzz.bvh", text, &LoadOptions::default()) else { return };
    if recording.creature.nv() > 200 {
        return;
    }
    gambol_fuzz::play(&recording.creature, &recording.clip);
    let written = to_bvh(&recording.creature, &recording.clip).expect("frames are at equal steps");
    // A clip of metres may be of any size; lengths that vanish in nine decimals leave nothing to read.
    let _ = read_bvh("again.bvh", &written, &LoadOptions { unit: Some(1.0), ..LoadOptions::default() });
});

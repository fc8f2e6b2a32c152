//! Any text as an ASF file, a line `%%`, and an AMC file: an error or a creature with a clip, never a panic.
#![no_main]

use gambol_formats::LoadOptions;
use gambol_formats::asf::{Text, read_amc};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (asf, amc) = text.split_once("\n%%\n").unwrap_or((text, "1\n"));
    let (asf, amc) = (Text { file: "fuzz.asf", text: asf }, Text { file: "fuzz.amc", text: amc });
    let Ok(recording) = read_amc(asf, amc, None, &LoadOptions::default()) else { return };
    gambol_fuzz::play(&recording.creature, &recording.clip);
});

//! Any text as a rig file of a skinned animal: an error, or a creature that moves and whose own rig file, written by us,
//! makes it again.
#![no_main]

use std::sync::LazyLock;

use gambol_formats::LoadOptions;
use gambol_formats::files::Memory;
use gambol_formats::gltf::samples::{Awkward, quadruped};
use gambol_formats::gltf::{RigSettings, read_gltf, rig_to_toml};
use gambol_model::Creature;
use libfuzzer_sys::fuzz_target;

static ANIMAL: LazyLock<Memory> = LazyLock::new(|| {
    let awkward = Awkward { helpers: true, rings: 2, ..Awkward::PLAIN };
    Memory::new().with("animal.glb", quadruped(&awkward))
});

fuzz_target!(|text: &str| {
    let Ok(settings) = RigSettings::from_toml("fuzz.toml", text) else { return };
    let load = |settings| {
        let options = LoadOptions { rig: Some(settings), ..LoadOptions::default() };
        read_gltf(&*ANIMAL, "animal.glb", &options)
    };
    let Ok((creature, rig)) = load(settings) else { return };
    let written = rig_to_toml(&creature, &rig).expect("a rig that was read can be written");
    let again = RigSettings::from_toml("again.toml", &written).expect("what we write we read");
    let (again, _) = load(again).unwrap_or_else(|error| panic!("{error}\n{written}"));
    let names = |creature: &Creature| -> Vec<String> {
        creature.bodies().iter().map(|body| body.name.clone()).collect()
    };
    assert_eq!(names(&again), names(&creature), "{written}");
});

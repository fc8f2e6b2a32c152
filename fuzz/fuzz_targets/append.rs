//! Any text as a glTF file that a clip is to go into: an error, or a file with all that was in it before.
//!
//! The text is given to the writer twice: as the file that its rig was read from, and in the place of a sound file, so that
//! the splice meets nodes that are not those it was promised.
#![no_main]

use std::sync::LazyLock;

use gambol_formats::LoadOptions;
use gambol_formats::clip::GlbOptions;
use gambol_formats::files::Memory;
use gambol_formats::gltf::samples::{Awkward, quadruped};
use gambol_formats::gltf::{GltfSource, Rig, append_clips, read_gltf};
use gambol_model::Creature;
use gambol_motion::Clip;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

static ANIMAL: LazyLock<(Creature, Rig)> = LazyLock::new(|| {
    let animal = quadruped(&Awkward { text: true, rings: 2, ..Awkward::PLAIN });
    read("animal.gltf", animal).expect("it is sound")
});

fn read(name: &str, bytes: Vec<u8>) -> Option<(Creature, Rig)> {
    read_gltf(&Memory::new().with(name, bytes), name, &LoadOptions::default()).ok()
}

/// Half a second at rest and one nod.
fn clip(creature: &Creature) -> Clip {
    let rest = creature.reference_pose().to_vec();
    let mut moved = rest.clone();
    let step: Vec<f64> = (0..creature.nv()).map(|k| 0.01 * k as f64).collect();
    creature.integrate(&mut moved, &step, 1.0);
    Clip {
        name: "nod".to_owned(),
        times: vec![0.0, 0.25, 0.5],
        poses: vec![rest.clone(), moved, rest],
        stride: None,
        contacts: Vec::new(),
        travel: None,
    }
}

fn append(text: &str, creature: &Creature, rig: &Rig) -> Option<Vec<u8>> {
    let new = append_clips(rig, creature, &[clip(creature)], &GlbOptions::default()).ok()?;
    // A byte order mark, which glTF forbids, is left out.
    let old: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).expect("the writer read it");
    let value: Value = serde_json::from_slice(&new)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&new)));
    for (key, old) in old.as_object().expect("the writer found nodes") {
        let new = &value[key];
        match key.as_str() {
            "animations" | "accessors" | "bufferViews" | "buffers" if old.is_array() => {
                let old = old.as_array().expect("it is one");
                let new = new.as_array().expect("it stays one");
                assert_eq!(old[..], new[..old.len()], "{key}");
            }
            // Lists that were none, and nodes that lose their matrix.
            "animations" | "accessors" | "bufferViews" | "buffers" | "nodes" => {}
            _ => assert_eq!(old, new, "{key}"),
        }
    }
    Some(new)
}

fuzz_target!(|text: &str| {
    let (creature, rig) = &*ANIMAL;
    let source = GltfSource::Gltf { json: text.as_bytes().to_vec() };
    append(text, creature, &Rig { source, ..rig.clone() });
    let Some((creature, rig)) = read("fuzz.gltf", text.as_bytes().to_vec()) else { return };
    if creature.nv() > 200 {
        return;
    }
    if let Some(new) = append(text, &creature, &rig) {
        let (again, _) = read("again.gltf", new).expect("it was sound before");
        assert_eq!(again.bodies().len(), creature.bodies().len());
    }
});

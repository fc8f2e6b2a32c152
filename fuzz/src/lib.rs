//! What every fuzz target does with a creature that could be read.

use gambol_anatomy::{ClassSettings, classify};
use gambol_dynamics::{Data, TreeMatrix, degrees_of_freedom, forward_dynamics, mass_matrix};
use gambol_formats::clip::GlbOptions;
use gambol_formats::files::Memory;
use gambol_formats::gltf::{append_clips, read_clips, read_gltf};
use gambol_formats::{FormatError, LoadOptions};
use gambol_model::{Creature, CreatureSpec};
use gambol_motion::Clip;

/// Builds the creature and runs the dynamics once, unless it is so large that a run of the fuzzer would crawl.
pub fn read_and_move(spec: Result<CreatureSpec, FormatError>) {
    let Ok(spec) = spec else { return };
    let Ok(creature) = spec.build() else { return };
    if creature.nv() > 200 {
        return;
    }
    let mut data = Data::new(&creature);
    let q = creature.reference_pose().to_vec();
    let zero = vec![0.0; creature.nv()];
    let Ok(mut m) = TreeMatrix::new(&creature) else { return };
    mass_matrix(&creature, &mut data, &q, &mut m);
    m.factor();
    forward_dynamics(&creature, &mut data, &q, &zero, &zero);
    degrees_of_freedom(&creature, &mut data, &q);
}

/// A clip that could be read can be sampled, cut and looped, and stays one of its creature.
pub fn play(creature: &Creature, clip: &Clip) {
    clip.check(creature).expect("a clip that was read is whole");
    if creature.nv() > 200 || clip.times.len() > 200 {
        return;
    }
    clip.pose_at(creature, 0.4 * clip.duration());
    if let Some(seam) = clip.best_loop(creature) {
        let looped = clip.looped(creature, &seam);
        looped.check(creature).expect("a loop is whole");
        looped.sample(creature, 3.3 * clip.duration());
    }
}

/// Any bytes as a character file of this name: an error, or a creature that moves, whose clips are whole and whose file takes one more.
/// Whether it is a creature.
pub fn read_character(name: &str, bytes: &[u8]) -> bool {
    let files = Memory::new().with(name, bytes.to_vec());
    let Ok((creature, rig)) = read_gltf(&files, name, &LoadOptions::default()) else { return false };
    if creature.nv() > 200 {
        return true;
    }
    let mut data = Data::new(&creature);
    classify(&creature, &mut data, &ClassSettings::default());
    let Ok(clips) = read_clips(&files, name, &rig, &creature) else { return true };
    for clip in &clips {
        play(&creature, &clip.clip);
    }
    let rest = creature.reference_pose().to_vec();
    let still = Clip {
        name: "still".to_owned(),
        times: vec![0.0, 0.5],
        poses: vec![rest.clone(), rest],
        stride: None,
        contacts: Vec::new(),
        travel: None,
    };
    let _ = append_clips(&rig, &creature, &[still], &GlbOptions::default());
    true
}

/// A file that is sound but for these bytes, which Draco is said to have compressed: three bones in a row, and a mesh whose attributes are
/// all in them.
pub fn draco_file(bytes: &[u8]) -> Vec<u8> {
    let document = serde_json::json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, 3] }],
        "extensionsRequired": ["KHR_draco_mesh_compression"], "extensionsUsed": ["KHR_draco_mesh_compression"],
        "nodes": [
            { "name": "hips", "children": [1] },
            { "name": "chest", "translation": [0, 1, 0], "children": [2] },
            { "name": "head", "translation": [0, 1, 0] },
            { "mesh": 0, "skin": 0 }
        ],
        "skins": [{ "joints": [0, 1, 2] }],
        "buffers": [{ "byteLength": bytes.len() }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "accessors": [
            { "componentType": 5126, "count": 8, "type": "VEC3", "min": [-9, -9, -9], "max": [9, 9, 9] },
            { "componentType": 5123, "count": 8, "type": "VEC4" },
            { "componentType": 5126, "count": 8, "type": "VEC4" },
            { "componentType": 5125, "count": 36, "type": "SCALAR" }
        ],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 }, "indices": 3,
            "extensions": { "KHR_draco_mesh_compression": {
                "bufferView": 0, "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 }
            } }
        }] }]
    });
    glb(document.to_string().into_bytes(), bytes)
}

/// A GLB file of a document and its buffer.
pub fn glb(mut json: Vec<u8>, buffer: &[u8]) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = buffer.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let word = |x: usize| u32::try_from(x).expect("inputs are small").to_le_bytes();
    let head = [word(2), word(28 + json.len() + binary.len()), word(json.len()), *b"JSON"].concat();
    [b"glTF".as_slice(), &head, &json, &word(binary.len()), b"BIN\0", &binary].concat()
}

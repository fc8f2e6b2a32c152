//! Any bytes as a mesh that Draco has compressed, in a file that is sound but for it: an error, or a creature.
#![no_main]

use libfuzzer_sys::fuzz_target;

/// Three bones in a row, and a mesh whose attributes are all in the compressed bytes.
fn file(bytes: &[u8]) -> Vec<u8> {
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
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = bytes.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let word = |x: usize| u32::try_from(x).expect("inputs are small").to_le_bytes();
    let head = [word(2), word(28 + json.len() + binary.len()), word(json.len()), *b"JSON"].concat();
    [b"glTF".as_slice(), &head, &json, &word(binary.len()), b"BIN\0", &binary].concat()
}

fuzz_target!(|bytes: &[u8]| gambol_fuzz::read_character("fuzz.glb", &file(bytes)));

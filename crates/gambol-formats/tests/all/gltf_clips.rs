//! Animations of a glTF file as clips of the creature that was made of it: what was written comes back, however awkward the file,
//! and a file that lies about its animations is an error that says so.

use gambol_formats::LoadOptions;
use gambol_formats::clip::{GlbOptions, RootMotion};
use gambol_formats::files::{Files, Memory};
use gambol_formats::gltf::samples::{Awkward, awkward, quadruped};
use gambol_formats::gltf::{append_clips, read_clips, read_gltf};
use gambol_model::Vec3;
use gambol_motion::{Stride, samples::wander};

fn bundle(bytes: Vec<u8>) -> Memory {
    Memory::new().with("beast.glb", bytes)
}

#[test]
fn clips_come_back_from_files_of_all_kinds() {
    let stride = Stride { yaw: 0.4, shift: Vec3::new(0.8, 0.1, 0.02) };
    for (name, trouble) in awkward() {
        let files = bundle(quadruped(&trouble));
        let (creature, rig) = read_gltf(&files, "beast.glb", &LoadOptions::default()).unwrap();
        let before = read_clips(&files, "beast.glb", &rig, &creature).unwrap().len();
        let clip = wander(&creature, 3, 31, 0.3, stride);
        let options = GlbOptions { root_motion: RootMotion::Travel };
        let written = bundle(append_clips(&rig, &creature, std::slice::from_ref(&clip), &options).unwrap());
        let (creature, rig) = read_gltf(&written, "beast.glb", &LoadOptions::default()).unwrap();
        let clips = read_clips(&written, "beast.glb", &rig, &creature).unwrap();
        assert_eq!(clips.len(), before + 1, "{name}");
        let back = &clips[before].clip;
        assert!(clips[before].miss < 2e-5, "{name}: {}", clips[before].miss);
        assert_eq!((back.times.len(), back.name.as_str()), (clip.times.len(), "wander"), "{name}");
        // 32-bit numbers, and a dozen bones above each other.
        let mut way = vec![0.0; creature.nv()];
        for (own, found) in clip.poses.iter().zip(&back.poses) {
            creature.difference(own, found, &mut way);
            let off = way.iter().map(|x| x.abs()).fold(0.0, f64::max);
            assert!(off < 2e-5, "{name}: {off}");
        }
        let feet = |clip: &gambol_motion::Clip| -> Vec<String> {
            clip.contacts.iter().map(|contact| contact.name.clone()).collect()
        };
        assert_eq!(feet(back), feet(&clip), "{name}");
    }
}

/// The sample's own clips move bones; both are there, and other paths than those of bones do no harm.
#[test]
fn the_files_own_clips_move_the_creature() {
    let files = bundle(quadruped(&Awkward { clips: true, ..Awkward::default() }));
    let (creature, rig) = read_gltf(&files, "beast.glb", &LoadOptions::default()).unwrap();
    let clips = read_clips(&files, "beast.glb", &rig, &creature).unwrap();
    assert!(!clips.is_empty());
    let moves = |clip: &gambol_motion::Clip| clip.poses.iter().any(|pose| pose != &clip.poses[0]);
    assert!(clips.iter().any(|found| moves(&found.clip)));
}

#[test]
fn a_file_that_lies_about_its_animations_is_told() {
    let plain = quadruped(&Awkward { clips: true, text: true, ..Awkward::default() });
    let text = String::from_utf8(plain).unwrap();
    let good = bundle(text.clone().into_bytes());
    let (creature, rig) = read_gltf(&good, "beast.glb", &LoadOptions::default()).unwrap();
    let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let fails = |change: &dyn Fn(&mut serde_json::Value), words: &str| {
        let mut bad = document.clone();
        change(&mut bad["animations"][0]);
        let files = bundle(bad.to_string().into_bytes());
        let error = read_clips(&files, "beast.glb", &rig, &creature).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("beast.glb"), "{error}");
    };
    fails(&|clip| clip["channels"][0]["sampler"] = 99.into(), "uses a sampler that there is not");
    fails(&|clip| clip["channels"][0]["target"]["node"] = 999.into(), "moves a node that there is not");
    fails(&|clip| clip["samplers"][0]["interpolation"] = "WAVY".into(), "interpolation");
    fails(&|clip| clip["samplers"][0]["output"] = 999.into(), "does not exist");
    fails(&|clip| clip["samplers"] = "none".into(), "cannot be read");
    let input = document["animations"][0]["samplers"][0]["input"].clone();
    fails(&|clip| clip["samplers"][0]["output"] = input.clone(), "type");
    document["animations"] = serde_json::json!([]);
    let files = bundle(document.to_string().into_bytes());
    assert!(files.read("beast.glb").is_ok());
    assert!(read_clips(&files, "beast.glb", &rig, &creature).unwrap().is_empty());
}

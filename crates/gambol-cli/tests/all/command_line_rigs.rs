//! `gambol animate FILE.glb` and `gambol rig` as an animator meets them: the file comes back with gaits in it, what it
//! named beside it is still found, and the file that was given is never touched, by whatever name.

use std::path::Path;

use crate::command::gambol;
use gambol::formats::gltf::samples::{Awkward, quadruped};
use serde_json::Value;

fn succeed(arguments: &[&str]) -> String {
    let output = gambol(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn assert_fails(arguments: &[&str], message: &str) {
    let output = gambol(arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
    assert!(said.contains(message), "{arguments:?}: {said}");
}

/// A folder with the animal `beast.glb` in it.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        std::fs::write(place.path("beast.glb"), beast()).unwrap();
        place
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }
}

fn beast() -> Vec<u8> {
    quadruped(&Awkward { clips: true, helpers: true, ..Awkward::default() })
}

/// JSON and binary chunk.
fn glb(path: &str) -> (Value, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    (json, bytes.get(28 + length..).unwrap_or_default().to_vec())
}

fn names(json: &Value) -> Vec<&str> {
    json["animations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|animation| animation["name"].as_str().unwrap())
        .collect()
}

#[test]
fn a_file_comes_back_with_gaits_in_it() {
    let place = Place::new();
    let (input, output) = (place.path("beast.glb"), place.path("alive.glb"));
    succeed(&["animate", &input, "walk", "trot", "-o", &output]);
    assert_eq!(std::fs::read(&input).unwrap(), beast(), "the input is as it was");
    let ((before, old), (after, new)) = (glb(&input), glb(&output));
    assert_eq!(names(&after), ["walk", "blink", "walk.001", "trot"]);
    assert_eq!((&before["nodes"], &before["skins"]), (&after["nodes"], &after["skins"]));
    assert_eq!(new[..old.len()], old);
    let extras = &after["animations"][2]["extras"]["gambol"];
    assert_eq!((&extras["root_motion"], &extras["loop"]), (&"travel".into(), &true.into()));
    assert_eq!(extras["contacts"].as_array().unwrap().len(), 4);
    assert!(extras["speed"].as_f64().unwrap() > 0.0);

    let still = place.path("still.glb");
    succeed(&["animate", &input, "walk", "--root-motion", "in-place", "-o", &still]);
    assert_eq!(glb(&still).0["animations"][2]["extras"]["gambol"]["root_motion"], "in-place");
    assert_fails(&["animate", &input, "walk", "-o", &still], "exists; --force replaces it");
}

#[test]
fn the_input_is_never_written_over() {
    let place = Place::new();
    let input = place.path("beast.glb");
    let refuse = |output: &str| {
        assert_fails(
            &["animate", &input, "walk", "--force", "-o", output],
            "is read here and never written over",
        );
        assert_fails(&["rig", &input, "--force", "-o", output], "is read here and never written over");
        assert_eq!(std::fs::read(&input).unwrap(), beast());
    };
    refuse(&input);
    refuse(&format!(
        "{}/../{}/beast.glb",
        place.path(""),
        place.0.path().file_name().unwrap().to_str().unwrap()
    ));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&input, place.path("link.glb")).unwrap();
        std::fs::hard_link(&input, place.path("twin.glb")).unwrap();
        refuse(&place.path("link.glb"));
        refuse(&place.path("twin.glb"));
    }
}

#[test]
fn one_gait_per_file_that_is_no_gltf() {
    let place = Place::new();
    let input = place.path("beast.glb");
    let several = "only glTF takes several clips; write .glb";
    assert_fails(&["animate", &input, "walk", "trot", "-o", &place.path("a.png")], several);
    assert_fails(&["animate", "dog", "walk", "trot", "-o", &place.path("a.bvh")], several);
    assert_fails(&["animate", "dog", "--set", "locomotion", "-o", &place.path("a.gif")], several);
    assert_fails(&["animate", "dog", "walk", "trot", "--save-gait", &place.path("a.toml")], "takes one gait");
    assert_fails(
        &["animate", "dog", "walk", "-o", &place.path("a.gltf")],
        ".gltf is for creatures that came from glTF",
    );
    assert_eq!(std::fs::read_dir(place.0.path()).unwrap().count(), 1);
}

/// A text file with its buffer and a picture beside it: beside it again, elsewhere, and as one binary file.
#[test]
fn files_beside_the_file_are_found() {
    let place = Place::new();
    let (mut json, binary) = glb(&place.path("beast.glb"));
    json["buffers"][0]["uri"] = "my%20beast.bin".into();
    json["images"] = serde_json::json!([{ "uri": "fur.png", "extras": { "kept": true } }]);
    std::fs::write(place.path("my beast.bin"), &binary).unwrap();
    std::fs::write(place.path("fur.png"), b"fur").unwrap();
    std::fs::write(place.path("beast.gltf"), serde_json::to_string_pretty(&json).unwrap()).unwrap();
    std::fs::create_dir(place.path("far")).unwrap();
    let animate = |output: &str| succeed(&["animate", &place.path("beast.gltf"), "walk", "-o", output]);
    let read = |path: &str| -> Value { serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap() };

    animate(&place.path("near.gltf"));
    let near = read(&place.path("near.gltf"));
    assert_eq!((&near["buffers"][0], &near["images"]), (&json["buffers"][0], &json["images"]));
    assert_eq!(near["buffers"].as_array().unwrap().len(), 2);

    animate(&place.path("far/beast.gltf"));
    let far = read(&place.path("far/beast.gltf"));
    let uri = |value: &Value| value["uri"].as_str().unwrap().to_owned();
    assert!(uri(&far["buffers"][0]).starts_with("data:application/octet-stream;base64,"));
    assert_eq!(uri(&far["images"][0]), "data:image/png;base64,ZnVy");
    assert_eq!(far["images"][0]["extras"]["kept"], true);

    animate(&place.path("beast-alive.glb"));
    let (one, all) = glb(&place.path("beast-alive.glb"));
    assert!(one["buffers"].as_array().unwrap().len() == 1 && one["buffers"][0]["uri"].is_null());
    assert_eq!(all[..binary.len()], binary);
    assert_eq!(uri(&one["images"][0]), "data:image/png;base64,ZnVy");

    // And from a binary file to a text.
    succeed(&["animate", &place.path("beast.glb"), "walk", "-o", &place.path("text.gltf")]);
    let text = read(&place.path("text.gltf"));
    assert!(uri(&text["buffers"][0]).starts_with("data:") && text["buffers"].as_array().unwrap().len() == 2);
    // Each of them can be given again.
    for file in ["near.gltf", "far/beast.gltf", "beast-alive.glb", "text.gltf"] {
        succeed(&["inspect", &place.path(file)]);
    }
}

#[test]
fn guesses_are_shown_and_written() {
    let place = Place::new();
    let (input, rig) = (place.path("beast.glb"), place.path("beast.toml"));
    let shown = succeed(&["inspect", &input]);
    assert!(shown.contains("guessed from the skin") && shown.contains("it faces +z of the file"), "{shown}");
    let json: Value = serde_json::from_str(&succeed(&["inspect", &input, "--json"])).unwrap();
    assert!(!json["guesses"].as_array().unwrap().is_empty());
    let dog: Value = serde_json::from_str(&succeed(&["inspect", "dog", "--json"])).unwrap();
    assert!(dog["guesses"].is_null());

    succeed(&["rig", &input, "-o", &rig]);
    let text = std::fs::read_to_string(&rig).unwrap();
    assert_eq!(succeed(&["rig", &input]), text, "printed without -o");
    assert!(text.contains("forward = \"+z\"") && text.contains("\"Shin.L\" = { joint = \"hinge\""), "{text}");
    assert_fails(&["rig", &input, "-o", &rig], "exists; --force replaces it");
    assert_fails(&["rig", "dog"], "only glTF models are guessed at");
    for verb in [&["inspect", &input][..], &["modes", &input], &["stiffness", &input], &["animate", &input]] {
        succeed(&[verb, &["--rig", &rig]].concat());
    }

    std::fs::write(&rig, text.replace("mass = ", "mas = ")).unwrap();
    assert_fails(&["inspect", &input, "--rig", &rig], "did you mean mass?");
    assert_fails(&["inspect", &input, "--rig", &place.path("none.toml")], "none.toml: cannot be read");
    assert!(Path::new(&input).exists());
}

/// The file's own clips have a line each, and all about one of them is told by its name: with its forces, and a warning where
/// gravity would not believe it.
#[test]
fn inspect_measures_the_files_own_clips() {
    let place = Place::new();
    let beast = place.path("beast.glb");
    let alive = place.path("alive.glb");
    succeed(&["animate", &beast, "trot", "-o", &alive]);
    let shown = succeed(&["inspect", &alive]);
    assert!(shown.contains("its own clips") && shown.contains("force from nowhere"), "{shown}");
    let line = shown.lines().find(|line| line.trim_start().starts_with("trot ")).expect("the trot is there");
    assert!(line.contains("loops"), "{line}");
    let one = succeed(&["inspect", &alive, "--clip", "trot"]);
    assert!(
        one.starts_with("clip: ") && one.contains("moment from nowhere") && one.contains("carries"),
        "{one}"
    );
    let json: Value =
        serde_json::from_str(&succeed(&["inspect", &alive, "--clip", "trot", "--json"])).unwrap();
    for key in ["residual_force", "residual_moment", "com_swing", "worst_force", "cost_of_transport"] {
        assert!(!json["clip"][key].is_null(), "{key}: {}", json["clip"]);
    }
    assert!(json["clip"].as_object().unwrap().contains_key("com_phase"));
    assert!(json.get("clips").is_none());
    // What animate measured on its own poses is what is found in the file.
    let own: Value = serde_json::from_str(&succeed(&["animate", &beast, "trot", "--json"])).unwrap();
    for key in ["residual_force", "residual_moment", "com_swing"] {
        let [own, read] = [&own[key], &json["clip"][key]].map(|value| value.as_f64().unwrap());
        assert!((own - read).abs() < 0.02 + 0.05 * own, "{key}: {own} {read}");
    }
    let all: Value = serde_json::from_str(&succeed(&["inspect", &alive, "--json"])).unwrap();
    assert_eq!(all["clips"].as_array().unwrap().len(), names(&glb(&alive).0).len());
    assert_fails(&["inspect", &alive, "--clip", "fly"], "there is no clip \"fly\"; the file has ");
    assert_fails(&["inspect", "dog", "--clip", "fly"], "the file has none");
}

/// Clips inside of a character are motions as recordings are: converted, packed, compared, and a basis comes from them. Which one is told by
/// its name after a `#`; the oracle is the clip itself, which comes back through every way.
#[test]
fn clips_of_a_character_are_motions() {
    let place = Place::new();
    let (beast, alive) = (place.path("beast.glb"), place.path("alive.glb"));
    succeed(&["animate", &beast, "walk", "trot", "-o", &alive]);
    let trot = format!("{alive}#trot");
    let [json, bvh, pack, again] =
        ["trot.json", "trot.bvh", "trot.pack", "again.glb"].map(|name| place.path(name));
    succeed(&["convert", &trot, &json, "--creature", &alive]);
    succeed(&["convert", &trot, &bvh]);
    assert!(std::fs::read_to_string(&bvh).unwrap().starts_with("HIERARCHY"));
    // The character's own file, with the clip beside those that it has.
    succeed(&["convert", &trot, &again]);
    assert_eq!(names(&glb(&again).0).len(), names(&glb(&alive).0).len() + 1);
    let far = |a: &str, b: &str| {
        let told = succeed(&["compare", a, b, "--creature", &alive, "--json"]);
        serde_json::from_str::<Value>(&told).unwrap()["max"].as_f64().unwrap()
    };
    assert!(far(&trot, &json) < 1e-9, "{}", far(&trot, &json));
    // 32-bit numbers between.
    assert!(far(&trot, &format!("{again}#trot.001")) < 1e-4);
    succeed(&["compress", &trot, "-o", &pack, "--max-error", "2"]);
    assert!(far(&trot, &pack) < 2e-3 + 1e-9);
    let one = succeed(&["basis", &trot, "--count", "3"]);
    let all = succeed(&["basis", &alive, "--count", "3"]);
    let poses = |text: &str| -> usize {
        let line = text.lines().find(|line| line.contains(" poses; ")).unwrap();
        line.split(' ').next().unwrap().parse().unwrap()
    };
    assert!(poses(&all) > poses(&one), "{all}\n{one}");
    assert_fails(&["convert", &alive, &place.path("no.bvh")], "name one, as ");
    assert_fails(
        &["convert", &format!("{alive}#fly"), &place.path("no.bvh")],
        "there is no clip \"fly\"; it has ",
    );
    assert_fails(&["convert", &trot, &alive, "--force"], "is the file to read; it is never replaced");
}

/// A file's own gaits say how fast all goes, and what was taken is told; what has none says so.
#[test]
fn the_tempo_of_its_own_clips() {
    let place = Place::new();
    let (input, quick) = (place.path("beast.glb"), place.path("quick.glb"));
    let json = |arguments: &[&str]| -> Value { serde_json::from_str(&succeed(arguments)).unwrap() };
    let usual = json(&["animate", &input, "walk", "--json"]);
    assert!(usual.get("tempo").is_none());
    assert!((usual["gravity"].as_f64().unwrap() - 9.81).abs() < 1e-9);
    // As an artist would have it who drew a small animal with large units: the same strides, three times as often.
    let number = |value: &Value, key: &str| value[key].as_f64().unwrap();
    let (frequency, stride) = (3.0 * number(&usual, "stride_frequency"), number(&usual, "stride_length"));
    let [often, long] = [frequency.to_string(), stride.to_string()];
    let in_place = ["--root-motion", "in-place", "-o", &quick];
    succeed(
        &[&["animate", &input, "walk", "--frequency", &often, "--stride", &long][..], &in_place].concat(),
    );
    let own = json(&["animate", &quick, "walk", "--tempo", "own", "--json"]);
    let clip = &own["tempo"]["clips"][0];
    assert!((number(clip, "frequency") / frequency - 1.0).abs() < 0.02, "{clip}");
    assert!((number(&own["tempo"], "faster") / 3.0 - 1.0).abs() < 0.3, "{}", own["tempo"]);
    assert!((number(&own, "gravity") / number(&own["tempo"], "gravity") - 1.0).abs() < 1e-9);
    let faster = number(&own, "stride_frequency") / number(&usual, "stride_frequency");
    assert!((faster / number(&own["tempo"], "faster") - 1.0).abs() < 0.01, "{faster}");
    assert!((number(&own, "stride_length") / stride - 1.0).abs() < 0.01, "the file keeps its size");
    let report = succeed(&["animate", &quick, "walk", "--tempo", "own", "--report"]);
    assert!(report.contains("in step with its own clips") && report.contains("m/s²"), "{report}");
    // It is offered where it makes a difference, and only there.
    let offered = |file: &str| String::from_utf8(gambol(&["animate", file, "walk"]).stderr).unwrap();
    assert!(offered(&quick).contains("--tempo own"));
    assert!(!offered(&input).contains("--tempo own"));
    assert_fails(&["animate", &input, "walk", "--tempo", "own"], "none of its clips is a gait");
    assert_fails(&["animate", "dog", "walk", "--tempo", "own"], "dog is no glTF file");
}

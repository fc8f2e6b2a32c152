//! `gambol convert` and `gambol inspect` of clips as a user or a script meets them: every misuse is told by a message that
//! names it and leaves no file behind, the input is never changed, and what goes through several formats is the same
//! motion. The recording is a walk of the gallery's human as BVH, whose footfalls and stride are known from its JSON.

use std::process::Output;
use std::sync::LazyLock;

use crate::command::gambol;
use serde_json::Value;

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn assert_fails(arguments: &[&str], status: i32, message: &str) {
    let output = gambol(arguments);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", said(&output));
    assert!(said(&output).contains(message), "{arguments:?}: {}", said(&output));
    assert!(output.stdout.is_empty(), "{arguments:?}");
}

/// Runs well and prints only talk; returns that.
fn convert(arguments: &[&str]) -> String {
    let output = gambol(&[&["convert"], arguments].concat());
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    assert!(output.stdout.is_empty(), "{arguments:?}");
    said(&output)
}

fn inspect(file: &str) -> Value {
    let output = gambol(&["inspect", file, "--json"]);
    assert!(output.status.success(), "{}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A folder to write into.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn with(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    fn count(&self) -> usize {
        std::fs::read_dir(self.0.path()).unwrap().count()
    }
}

/// The walk as BVH and as JSON: about three seconds of it, and one stride.
static WALK: LazyLock<[String; 2]> = LazyLock::new(|| {
    let place = Place::new();
    let (bvh, json) = (place.path("walk.bvh"), place.path("walk.json"));
    let output =
        gambol(&["animate", "human", "walk", "--seconds", "3", "--fps", "60", "-o", &bvh, "-o", &json]);
    assert!(output.status.success(), "{}", said(&output));
    [bvh, json].map(|file| std::fs::read_to_string(file).unwrap())
});

const ASF: &str = include_str!("../../../gambol-formats/tests/files/pendulum.asf");
const AMC: &str = include_str!("../../../gambol-formats/tests/files/pendulum.amc");

#[test]
fn misuse_is_named_and_leaves_nothing() {
    let place = Place::new();
    let walk = place.with("walk.bvh", &WALK[0]);
    let out = place.path("out.glb");
    let fails = |rest: &[&str], status: i32, message: &str| {
        assert_fails(&[&["convert", walk.as_str(), out.as_str()], rest].concat(), status, message);
    };
    fails(&["--fps", "0"], 2, "0 is not a rate from 1 to 1000 per second");
    fails(&["--fps", "fast"], 2, "\"fast\" is not a number");
    fails(&["--trim", "1"], 2, "expected T0,T1 in seconds");
    fails(&["--trim", "-1,2"], 2, "-1 is not a time of at least 0 s");
    fails(&["--trim", "2,1"], 1, "there are no two keys from 2 s to 1 s; the clip ends at");
    fails(&["--trim", "100,200"], 1, "there are no two keys from 100 s to 200 s");
    fails(&["--trim", "0.5,0.6", "--loop"], 1, "the clip is too short for a loop");
    fails(&["--unit", "ell"], 2, "\"ell\" is not a unit: m, cm, mm, in, ft, cmu or a length in metres");
    fails(&["--height", "0"], 2, "0 is not a finite number above 0");
    fails(&["--height", "1.8", "--unit", "cm"], 2, "cannot be used with");
    fails(&["--root-motion", "sideways"], 2, "possible values: travel, in-place");
    assert_fails(
        &["convert", &walk, &place.path("out.fbx")],
        1,
        "a clip's file ends in one of .glb, .bvh, .json",
    );
    assert_fails(&["convert", &walk, &place.path("no/out.glb")], 1, "cannot be written");
    assert_fails(&["convert", "no.bvh", &out], 1, "no.bvh: there is no such file");
    let xml = place.with("dog.xml", "<mujoco/>");
    assert_fails(
        &["convert", &xml, &out],
        1,
        "dog.xml: motion is read from .bvh, .amc, .json, .npz and .pack files",
    );
    let broken = place.with("broken.bvh", &WALK[0][..WALK[0].len() - 200]);
    assert_fails(&["convert", &broken, &out], 1, "broken.bvh:");
    let swing = place.with("swing.amc", AMC);
    assert_fails(&["convert", &swing, &out], 1, "its skeleton is not beside it (swing.asf); --asf names it");
    let number = place.with("number.json", "3");
    assert_fails(&["convert", &number, &out], 1, "number.json: this is no clip");
    let stranger =
        place.with("stranger.json", &WALK[1].replace("\"creature\":\"human\"", "\"creature\":\"yeti\""));
    assert_fails(
        &["convert", &stranger, &out],
        1,
        "the clip is of \"yeti\", which is neither in the gallery nor beside the file; --creature",
    );
    assert_fails(&["convert", &stranger, &out, "--creature", "dog"], 1, "the clip is of another creature");
    assert_eq!(place.count(), 6, "only the inputs are there");
}

#[test]
fn the_input_is_never_replaced_and_others_are_kept() {
    let place = Place::new();
    let walk = place.with("walk.bvh", &WALK[0]);
    assert_fails(&["convert", &walk, &walk], 1, "walk.bvh is the file to read; it is never replaced");
    assert_fails(&["convert", &walk, &walk, "--force"], 1, "is the file to read; it is never replaced");
    let old = place.with("old.json", "old");
    assert_fails(&["convert", &walk, &old], 1, "old.json exists; --force replaces it");
    assert_eq!(std::fs::read_to_string(&old).unwrap(), "old");
    convert(&[&walk, &old, "--force"]);
    assert!(std::fs::read_to_string(&old).unwrap().contains("gambol-clip"));
    assert_eq!(std::fs::read_to_string(&walk).unwrap(), WALK[0]);
}

/// Everything that can be written is, by its ending.
#[test]
fn all_formats_are_written() {
    let place = Place::new();
    let walk = place.with("walk.bvh", &WALK[0]);
    for (ending, magic) in [
        ("glb", b"glTF".as_slice()),
        ("bvh", b"HIERARCHY"),
        ("json", b"{"),
        ("npz", b"PK"),
        ("png", b"\x89PNG"),
        ("svg", b"<svg"),
        ("gif", b"GIF89a"),
        ("apng", b"\x89PNG"),
    ] {
        let file = place.path(&format!("out.{ending}"));
        let talk = convert(&[&walk, &file, "--trim", ",0.52", "--fps", "10"]);
        assert!(talk.contains("6 keys, 0.50 s"), "{ending}: {talk}");
        assert!(std::fs::read(&file).unwrap().starts_with(magic), "{ending}");
    }
}

/// By way of NumPy's arrays nothing is lost either; a clip that does not say who moves is told so.
#[test]
fn npz_in_is_json_out() {
    let place = Place::new();
    let (one, npz, two) = (place.with("one.json", &WALK[1]), place.path("walk.npz"), place.path("two.json"));
    convert(&[&one, &npz]);
    convert(&[&npz, &two]);
    let [one, two] =
        [one, two].map(|file| -> Value { serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap() });
    assert_eq!(one, two);
    assert_eq!(inspect(&npz)["clip"]["loops"], true);
    let scripted = concat!(env!("CARGO_MANIFEST_DIR"), "/../gambol-formats/tests/files/numpy_clip.npz");
    assert_fails(
        &["convert", scripted, &place.path("x.glb")],
        1,
        "the clip does not say who moves; --creature NAME or FILE says who moves",
    );
    let creature = ["convert", scripted, &place.path("x.glb"), "--creature", "dog"];
    assert_fails(&creature, 1, "its joints are not those of dog");
}

/// A clip as JSON comes from a gallery creature; through JSON again it is the same to the last digit.
#[test]
fn json_in_is_json_out() {
    let place = Place::new();
    let (one, two) = (place.with("one.json", &WALK[1]), place.path("two.json"));
    convert(&[&one, &two]);
    let [one, two] =
        [one, two].map(|file| -> Value { serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap() });
    assert_eq!(one, two);
}

/// The human's BVH is in metres and has its joints; the stride that the loop search cuts out is the gait's own.
#[test]
fn a_loop_is_found_again() {
    let place = Place::new();
    let (walk, cycle) = (place.with("walk.bvh", &WALK[0]), place.path("cycle.json"));
    let talk = convert(&[&walk, &cycle, "--loop", "--fps", "30"]);
    assert!(talk.contains("taken for m (1.000000 m)"), "{talk}");
    assert!(talk.contains("loop from"), "{talk}");
    let [gait, cycle]: [Value; 2] = [WALK[1].clone(), std::fs::read_to_string(&cycle).unwrap()]
        .map(|text| serde_json::from_str(&text).unwrap());
    let number = |value: &Value| value.as_f64().unwrap();
    let [old, new] = [&gait, &cycle].map(|clip| &clip["travel"]);
    // A whole number of strides, with keys at 60 Hz: the loop is off by half a key at most, which is 1 % of a stride.
    let strides = number(&old["stride_frequency"]) / number(&new["stride_frequency"]);
    assert!((strides - strides.round()).abs() < 0.02 && strides > 0.9, "{strides}");
    assert!((number(&new["speed"]) / number(&old["speed"]) - 1.0).abs() < 0.03, "{old} {new}");
    // In place, the last pose is the first.
    let still = place.path("still.json");
    convert(&[&walk, &still, "--loop", "--root-motion", "in-place"]);
    let still: Value = serde_json::from_str(&std::fs::read_to_string(&still).unwrap()).unwrap();
    let poses = still["qpos"].as_array().unwrap();
    assert_eq!(poses.first(), poses.last());
}

/// The stances that are guessed from height and speed are about those that the gait was made with.
#[test]
fn inspect_tells_of_the_motion() {
    let place = Place::new();
    let [bvh, json] = [place.with("walk.bvh", &WALK[0]), place.with("walk.json", &WALK[1])];
    let (report, truth) = (inspect(&bvh), inspect(&json));
    let (clip, real) = (&report["clip"], &truth["clip"]);
    assert_eq!(clip["frames"], real["frames"]);
    assert!((clip["fps"].as_f64().unwrap() - 60.0).abs() < 1.0, "{}", clip["fps"]);
    assert_eq!((clip["unit"].as_f64(), real["unit"].as_f64()), (Some(1.0), None));
    assert!((1.5..1.9).contains(&clip["height"].as_f64().unwrap()), "{}", clip["height"]);
    assert_eq!((&clip["loops"], &real["loops"]), (&false.into(), &true.into()));
    assert!(clip["best"]["share"].as_f64().unwrap() < 0.1, "{}", clip["best"]);
    for side in ["foot.left", "foot.right"] {
        let of = |clip: &Value| {
            let contacts = clip["contacts"].as_array().unwrap().clone();
            contacts.into_iter().find(|contact| contact["landmark"] == side).unwrap()
        };
        let (guess, real) = (of(clip), of(real));
        assert_eq!((&guess["guessed"], &real["guessed"]), (&true.into(), &false.into()));
        let off = guess["duty"].as_f64().unwrap() - real["duty"].as_f64().unwrap();
        // Heel and toe roll while the gait counts the foot as standing: a tenth of the time either way.
        assert!(off.abs() < 0.15, "{side}: {guess} {real}");
    }
    for clip in [clip, real] {
        for key in ["residual_force", "residual_moment", "com_swing", "trunk_swing", "positive_work"] {
            assert!(clip[key].as_f64().unwrap() > 0.0, "{key}: {clip}");
        }
    }
    let strip = place.path("walk.svg");
    convert(&[&bvh, &strip, "--forces"]);
    assert!(std::fs::read_to_string(&strip).unwrap().contains("from nowhere"));
    let text = gambol(&["inspect", &bvh]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    for words in [
        "frames at",
        "the file's unit is taken for m",
        "m over the ground",
        "at best: loop from",
        "foot.left stands",
        "force from nowhere",
        "moment from nowhere",
        "work of the joints",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

/// Other verbs take a recording as a creature; its springs are there.
#[test]
fn a_recording_is_a_creature() {
    let place = Place::new();
    let walk = place.with("walk.bvh", &WALK[0]);
    place.with("pendulum.asf", ASF);
    let swing = place.with("pendulum.amc", AMC);
    for (file, vibrations) in [(&walk, 3), (&swing, 3)] {
        let output = gambol(&["modes", file, "--count", "9", "--json"]);
        assert!(output.status.success(), "{}", said(&output));
        let modes: Value = serde_json::from_slice(&output.stdout).unwrap();
        let frequencies: Vec<f64> = modes["modes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|mode| mode["frequency"].as_f64().unwrap())
            .collect();
        let moving = frequencies.iter().filter(|frequency| (0.05..20.0).contains(*frequency)).count();
        assert_eq!(moving, vibrations, "{frequencies:?}");
    }
    let report = inspect(&swing);
    assert_eq!((&report["clip"]["frames"], &report["nv"]), (&3.into(), &12.into()));
    let tall = gambol(&["inspect", &walk, "--unit", "cm", "--json"]);
    let tall: Value = serde_json::from_slice(&tall.stdout).unwrap();
    assert!(tall["clip"]["height"].as_f64().unwrap() < 0.02);
}

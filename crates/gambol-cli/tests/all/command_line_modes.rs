//! `gambol modes` as a user or a script meets it.

use crate::command::{assert_fails, gambol};
use serde_json::Value;

fn json(arguments: &[&str]) -> Value {
    let output = gambol(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("stdout is one JSON value")
}

#[test]
fn json_has_what_scripts_need() {
    let dog = json(&["modes", "dog", "--count", "12", "--json"]);
    assert_eq!((dog["dof"].as_u64(), dog["rigid"].as_u64()), (Some(80), Some(6)));
    assert_eq!(dog["frequencies"].as_array().unwrap().len(), 12);
    assert_eq!(dog["frequencies"][5], 0.0);
    assert_eq!(dog["joint_names"].as_array().unwrap().len(), 29);
    // Kry et al. 2009, figure 1: bounding, back twisting, stretching, alternating legs.
    let names: Vec<&str> = (6..10).map(|k| dog["modes"][k]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["bounding", "back twists", "stretching", "front legs alternate"]);
    assert_eq!(dog["modes"][6]["index"], 6);
    assert_eq!(dog["modes"][6]["shape"].as_array().unwrap().len(), 80);
}

#[test]
fn all_modes_come_without_a_count() {
    assert_eq!(json(&["modes", "human", "--json"])["modes"].as_array().unwrap().len(), 47);
}

#[test]
fn a_uniform_factor_on_the_stiffness_is_its_root_on_every_frequency() {
    let soft = json(&["modes", "human", "--stiffness", "25", "--json"]);
    let stiff = json(&["modes", "human", "--stiffness", "100", "--json"]);
    for k in 6..47 {
        let ratio = stiff["frequencies"][k].as_f64().unwrap() / soft["frequencies"][k].as_f64().unwrap();
        assert!((ratio - 2.0).abs() < 1e-9, "u{k}: {ratio}");
    }
    // The loop's closing joint is a tendon; a pattern reaches it too, so all sixteen joints scale alike.
    let (ring, stiff_ring) =
        (json(&["modes", "loop", "--json"]), json(&["modes", "loop", "--scale", "joint.*=4", "--json"]));
    for k in 6..19 {
        let ratio = stiff_ring["frequencies"][k].as_f64().unwrap() / ring["frequencies"][k].as_f64().unwrap();
        assert!((ratio - 2.0).abs() < 1e-9, "loop u{k}: {ratio}");
    }
    // The paper's human: 100 N·m/rad, spine ten times that; the gallery's own.
    let scaled = json(&["modes", "human", "--stiffness", "100", "--scale", "spine.*=10", "--json"]);
    let own = json(&["modes", "human", "--json"]);
    for k in 6..47 {
        let ratio = scaled["frequencies"][k].as_f64().unwrap() / own["frequencies"][k].as_f64().unwrap();
        assert!((ratio - 1.0).abs() < 1e-9, "u{k}: {ratio}");
    }
}

#[test]
fn constraints_take_degrees_of_freedom() {
    // Kry et al. 2009, figure 3: 44 with the head's orientation fixed, 42 with the hands on a cart.
    for (constraint, dof, rigid) in
        [("orientation:head", 44, 3), ("hands:cart", 42, 2), ("ground:foot.left", 44, 3)]
    {
        let human = json(&["modes", "human", "--constrain", constraint, "--count", "8", "--json"]);
        assert_eq!(
            (human["dof"].as_u64(), human["rigid"].as_u64()),
            (Some(dof), Some(rigid)),
            "{constraint}"
        );
    }
}

#[test]
fn damping_adds_damped_frequencies_and_decay() {
    let human = json(&["modes", "human", "--damping", "0.1,0.001", "--count", "8", "--json"]);
    let mode = &human["modes"][6];
    let (f, damped) = (mode["frequency"].as_f64().unwrap(), mode["damped_frequency"].as_f64().unwrap());
    assert!(damped < f && damped > 0.99 * f);
    assert!(mode["decay_time"].as_f64().unwrap() > 1.0);
}

#[test]
fn sheet_has_a_tile_for_every_vibration() {
    let folder = tempfile::tempdir().unwrap();
    let (svg, png) = (folder.path().join("dog.svg"), folder.path().join("dog.png"));
    assert!(gambol(&["modes", "dog", "--count", "12", "--sheet", svg.to_str().unwrap()]).status.success());
    let text = std::fs::read_to_string(&svg).unwrap();
    for name in ["bounding", "back twists", "stretching", "front legs alternate", "front legs splay"] {
        assert!(text.contains(name), "{name}");
    }
    assert!(gambol(&["modes", "dog", "--count", "8", "--sheet", png.to_str().unwrap()]).status.success());
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    assert_fails(&["modes", "dog", "--sheet", png.to_str().unwrap()], 1, "--force replaces it");
    assert_fails(&["modes", "dog", "--sheet", "dog.bmp"], 1, "dog.bmp");
}

#[test]
fn npz_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("modes.npz");
    let arguments = ["modes", "loop", "--npz", file.to_str().unwrap()];
    assert!(gambol(&arguments).status.success());
    let first = std::fs::read(&file).unwrap();
    assert!(first.starts_with(b"PK") && first.windows(6).any(|bytes| bytes == b"\x93NUMPY"));
    let again = gambol(&arguments);
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("exists; --force replaces it"));
    assert!(gambol(&[&arguments[..], &["--force"]].concat()).status.success());
    assert_eq!(std::fs::read(&file).unwrap(), first, "the same creature gives the same bytes");
}

#[test]
fn misuse_is_told() {
    assert_fails(
        &["modes", "dog", "--stiffness", "-3"],
        1,
        "a stiffness of -3 is not a finite number above 0",
    );
    assert_fails(
        &["modes", "dog", "--stiffness", "NaN"],
        1,
        "a stiffness of NaN is not a finite number above 0",
    );
    assert_fails(&["modes", "dog", "--scale", "spine"], 2, "expected PATTERN=FACTOR");
    assert_fails(&["modes", "dog", "--scale", "wing.*=2"], 1, "\"wing.*=2\" matches no joint of dog");
    assert_fails(&["modes", "dog", "--scale", "spine.*=0"], 2, "the factor is not a finite number above 0");
    assert_fails(&["modes", "dog", "--constrain", "glue:head"], 1, "a constraint is ground:POINT");
    assert_fails(
        &["modes", "dog", "--constrain", "ground:wing"],
        1,
        "dog has no landmark, site, body or joint \"wing\"",
    );
    assert_fails(&["modes", "dog", "--constrain", "hands:cart"], 1, "dog has no hands");
    assert_fails(&["modes", "dog", "--constrain", "weld:head,head"], 1, "both names are on one body");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limp.xml");
    let mjcf = r#"<mujoco><worldbody><body><freejoint/><geom size="0.1"/>
        <body pos="0 0 0.3"><joint name="knee" axis="0 1 0"/><geom size="0.1"/></body></body></worldbody></mujoco>"#;
    std::fs::write(&file, mjcf).unwrap();
    let file = file.to_str().unwrap();
    assert_fails(
        &["modes", file],
        1,
        "joint \"knee\" has no stiffness; give it one, for example with --give-springs or --stiffness 20",
    );
    assert_eq!(json(&["modes", file, "--stiffness", "20", "--json"])["rigid"], 6);
    let given = gambol(&["modes", file, "--give-springs"]);
    let said = String::from_utf8_lossy(&given.stderr);
    assert!(given.status.success() && said.contains("1 joint came without springs and got "), "{said}");
    assert!(gambol(&["modes", "dog", "--give-springs"]).stderr.is_empty(), "who has springs keeps them");
}

#[test]
fn stiffness_carries_the_weight() {
    let dog = json(&["stiffness", "dog", "--json"]);
    assert_eq!(dog["status"], "found");
    let (scale, sag) = (dog["scale"].as_f64().unwrap(), dog["sag"].as_f64().unwrap());
    assert!(scale > 1.0 && dog["suffices"] == false, "the paper's dog is limp: {scale}");
    assert!(sag > 0.0 && sag <= 0.05, "{sag}");
    let carried: f64 =
        dog["reactions"].as_array().unwrap().iter().map(|r| r["force"][2].as_f64().unwrap()).sum();
    let weight = dog["weight"].as_f64().unwrap();
    assert!((carried / weight - 1.0).abs() < 1e-6, "the feet carry {carried} N of {weight} N");

    // Twice as stiff, half the scale.
    let stiff = json(&["stiffness", "dog", "--scale", ".*=2", "--json"]);
    assert!((2.0 * stiff["scale"].as_f64().unwrap() / scale - 1.0).abs() < 0.03);
    let text = gambol(&["stiffness", "dog"]);
    assert!(String::from_utf8_lossy(&text.stdout).contains("times its stiffness"));
}

#[test]
fn stiffness_misuse_is_told() {
    assert_fails(&["stiffness", "dog", "--sag", "0"], 1, "sag = 0 is out of range");
    assert_fails(&["stiffness", "dog", "--pose", "handstand"], 1, "dog has no pose \"handstand\"");
    assert_fails(&["stiffness"], 2, "<CREATURE>");
}

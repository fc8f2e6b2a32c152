//! The command line as a user or a script meets it: what it prints where, the exit status, and one case per misuse.

use std::path::Path;
use std::process::{Command, Output};

use crate::command::gambol;
use serde_json::Value;

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("stdout is UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("stderr is UTF-8")
}

fn json(arguments: &[&str]) -> Value {
    let output = gambol(arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(stdout(&output)).expect("stdout is one JSON value")
}

/// Fails with `status`, says `message` on stderr and nothing on stdout.
fn assert_fails(arguments: &[&str], status: i32, message: &str) {
    let output = gambol(arguments);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", stderr(&output));
    assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    assert_eq!(stdout(&output), "", "{arguments:?}");
}

#[test]
fn gallery_lists_its_creatures_and_their_sketches() {
    let list = json(&["gallery", "--json"]);
    let of = |name: &str| list.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone();
    assert_eq!(list.as_array().unwrap().len(), 13);
    // The paper's counts (Kry et al. 2009, figure 3; Nunes et al. 2012, section 8: 30, 36 and 42 internal plus 6).
    for (name, dof) in [
        ("loop", 19),
        ("linear", 21),
        ("dog", 80),
        ("human", 47),
        ("biped", 36),
        ("kangaroo", 42),
        ("monster", 48),
    ] {
        assert_eq!(of(name)["dof"], dof, "{name}");
    }
    assert_eq!(
        of("biped")["sketches"],
        serde_json::json!(["runner", "hopper", "lateral", "twist", "flap", "squat"])
    );
    assert_eq!(of("dog")["sketches"], serde_json::json!([]));
    let table = gambol(&["gallery"]);
    assert!(stdout(&table).contains("dog") && stdout(&table).contains("80"));
    assert!(stdout(&table).contains("runner, hopper"));
    let sketch = gambol(&["gallery", "--sketch", "kangaroo"]);
    assert!(stdout(&sketch).contains("name = \"kangaroo\""));
    assert_fails(&["gallery", "--sketch", "dog"], 1, "the gallery has no sketch \"dog\"; it has runner,");
}

#[test]
fn gallery_prints_a_file_that_can_be_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my-dog.xml");
    std::fs::write(&file, gambol(&["gallery", "dog"]).stdout).unwrap();
    assert_eq!(json(&["inspect", file.to_str().unwrap(), "--json"])["nv"], 80);
}

#[test]
fn inspect_tells_everything_as_json() {
    let dog = json(&["inspect", "dog", "--json"]);
    for key in ["name", "bodies", "joints", "dof", "nq", "nv", "mass", "com", "landmarks", "warnings"] {
        assert!(!dog[key].is_null(), "{key} is missing");
    }
    assert!(dog.get("mass_matrix").is_none());
    assert_eq!(
        (dog["dof"].as_u64(), dog["nv"].as_u64(), dog["nq"].as_u64()),
        (Some(80), Some(80), Some(104))
    );
    let mass = dog["mass"].as_f64().unwrap();
    assert!((33.0..35.0).contains(&mass), "about 34 kg, as in the paper: {mass}");
    assert_eq!(dog["warnings"].as_array().unwrap().len(), 0);
}

#[test]
fn inspect_gives_the_matrix_at_a_pose_and_velocity() {
    let folder = tempfile::tempdir().unwrap();
    let (q, v) = (folder.path().join("q.json"), folder.path().join("v.json"));
    let rest = json(&["inspect", "human", "--json", "--matrix", "--pose", "rest"]);
    std::fs::write(&q, rest["qpos"].to_string()).unwrap();
    std::fs::write(&v, serde_json::to_string(&vec![0.5; 47]).unwrap()).unwrap();
    let (q, v) = (q.to_str().unwrap(), v.to_str().unwrap());
    let moving = json(&["inspect", "human", "--json", "--matrix", "--qpos", q, "--qvel", v]);

    let rows = moving["mass_matrix"].as_array().unwrap();
    assert_eq!((rows.len(), rows[46].as_array().unwrap().len()), (47, 47));
    // The first coordinate is a translation of the whole body.
    assert_eq!(rows[0][0], moving["mass"]);
    assert_eq!(moving["mass_matrix"], rest["mass_matrix"]);
    // At rest the bias of the vertical translation is the weight; a velocity changes the others.
    let weight = moving["mass"].as_f64().unwrap() * 9.81;
    assert!((rest["bias"][2].as_f64().unwrap() - weight).abs() < 1e-9 * weight);
    assert_ne!(moving["bias"], rest["bias"]);
}

#[test]
fn inspect_draws_a_picture_and_keeps_an_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dog.svg");
    let arguments = ["inspect", "dog", "--picture", file.to_str().unwrap()];
    assert!(gambol(&arguments).status.success());
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(
        svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && svg.matches("<path").count() > 90
    );
    assert_fails(&arguments, 1, "exists; --force replaces it");
    assert!(gambol(&[&arguments[..], &["--force"]].concat()).status.success());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    let png = folder.path().join("dog.png");
    assert!(gambol(&["inspect", "dog", "--picture", png.to_str().unwrap()]).status.success());
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    assert_fails(
        &["inspect", "dog", "--picture", "dog.gif"],
        1,
        "dog.gif: a picture's file ends in .svg or .png",
    );
}

#[test]
fn landmarks_can_be_set_right() {
    let dog = json(&["inspect", "dog", "--json", "--landmark", "tail=head"]);
    let tail = dog["landmarks"].as_array().unwrap().iter().find(|l| l["name"] == "tail").unwrap().clone();
    assert_eq!((tail["body"].as_str(), tail["source"].as_str()), (Some("head"), Some("user")));
    let without = json(&["inspect", "dog", "--json", "--landmark", "tail="]);
    assert!(without["landmarks"].as_array().unwrap().iter().all(|l| l["name"] != "tail"));
}

#[test]
fn a_fixed_creature_can_be_set_free() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("arm.xml");
    let mjcf = r#"<mujoco><worldbody><body name="base"><geom size="0.1"/>
        <body name="arm" pos="0 0 0.2"><joint name="elbow" axis="0 1 0"/><geom size="0.1"/></body></body></worldbody></mujoco>"#;
    std::fs::write(&file, mjcf).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(json(&["inspect", file, "--json"])["nv"], 1);
    assert_eq!(json(&["inspect", file, "--json", "--root", "free"])["nv"], 7);
}

#[test]
fn what_is_not_supported_warns_with_its_place_and_strict_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("string.xml");
    let mjcf = "<mujoco>\n<worldbody><body><joint/><geom size='1'/>\n<site name='a'/></body><site name='b'/></worldbody>\n\
                <tendon>\n<spatial stiffness='3'><site site='a'/><site site='b'/></spatial></tendon></mujoco>";
    std::fs::write(&file, mjcf).unwrap();
    let file = file.to_str().unwrap();
    let output = gambol(&["inspect", file]);
    assert!(output.status.success());
    assert!(stderr(&output).contains("string.xml:5: <spatial>"), "{}", stderr(&output));
    assert_fails(&["inspect", file, "--strict"], 1, "string.xml:5: <spatial>");
}

#[test]
fn misuse_is_told_with_exit_status_2() {
    assert_fails(&[], 2, "Usage: gambol");
    assert_fails(&["dance", "dog"], 2, "unrecognized subcommand 'dance'");
    assert_fails(&["inspect"], 2, "<CREATURE>");
    assert_fails(&["inspect", "dog", "--matrix"], 2, "--json");
    assert_fails(&["inspect", "dog", "--pose", "rest", "--qpos", "q.json"], 2, "cannot be used with");
    assert_fails(&["inspect", "dog", "--landmark", "tail"], 2, "expected NAME=TARGET");
}

#[test]
fn failures_are_told_with_exit_status_1() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    assert_fails(
        &["inspect", "unicorn"],
        1,
        "there is no creature or file \"unicorn\"; the gallery has loop, linear",
    );
    assert_fails(&["gallery", "unicorn"], 1, "the gallery has no \"unicorn\"");
    assert_fails(
        &["inspect", "dog", "--pose", "handstand"],
        1,
        "dog has no pose \"handstand\"; it has reference, rest",
    );
    assert_fails(&["inspect", "dog", "--qpos", "nowhere.json"], 1, "nowhere.json: cannot be read");
    let words = write("words.json", "[\"one\", \"two\"]");
    assert_fails(&["inspect", "dog", "--qpos", &words], 1, "words.json: not a JSON array of numbers");
    let short = write("short.json", "[1, 2, 3]");
    assert_fails(&["inspect", "dog", "--qpos", &short], 1, "short.json: 3 numbers given, the pose has 104");
    assert_fails(
        &["inspect", "dog", "--qvel", &short],
        1,
        "short.json: 3 numbers given, the velocity has 80",
    );
    let zero = write("zero.json", &serde_json::to_string(&vec![0.0; 104]).unwrap());
    assert_fails(
        &["inspect", "dog", "--qpos", &zero],
        1,
        "zero.json: the quaternion of joint \"root\" is zero",
    );
    let page = write("page.xml", "<html></html>");
    assert_fails(&["inspect", &page], 1, "page.xml: the root element is <html>");
    let empty = write("empty.xml", "");
    assert_fails(&["inspect", &empty], 1, "empty.xml");
    assert_fails(&["inspect", folder.path().to_str().unwrap()], 1, "");
    let nobody = Path::new("/").join("no-such-folder").join("x.xml");
    assert_fails(&["inspect", nobody.to_str().unwrap()], 1, "there is no creature or file");
}

#[test]
fn help_has_examples() {
    for arguments in [&["--help"][..], &["inspect", "--help"], &["gallery", "--help"]] {
        let output = gambol(arguments);
        assert!(output.status.success() && stdout(&output).contains("Examples:"), "{arguments:?}");
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let script = format!("{} inspect dog --json --matrix | head -c 10", env!("CARGO_BIN_EXE_gambol"));
    let output = Command::new("sh").args(["-c", &script]).output().expect("sh runs");
    assert_eq!(stderr(&output), "");
}

/// A robot whose trunk hangs fixed from the world and has a picture that is not there.
const HUNG: &str = r#"<robot name="arm">
  <link name="trunk">
    <inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="none.stl"/></geometry></visual>
  </link>
  <link name="hand">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="wrist" type="revolute">
    <parent link="trunk"/><child link="hand"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"/>
  </joint>
</robot>"#;

/// The library names its settings; here they are options.
#[test]
fn what_would_help_is_told_as_an_option() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("arm.urdf");
    std::fs::write(&file, HUNG).unwrap();
    let file = file.to_str().unwrap();
    let output = gambol(&["inspect", file]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("its 2 kg do not count; --root free sets it free"), "{said}");
    assert!(said.contains("\"none.stl\" was not found; --assets DIR opens another folder"), "{said}");
    let output = gambol(&["inspect", file, "--json"]);
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(told["warnings"].to_string().contains("--root free sets it free"), "{told}");
}

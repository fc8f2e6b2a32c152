//! `gambol export` as a user meets it: a file that reads back, springs as asked for, and one case per misuse.

use std::path::Path;
use std::process::{Command, Output};

fn gambol(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gambol"));
    command.args(arguments).current_dir(folder).output().expect("gambol runs")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("stderr is UTF-8")
}

#[track_caller]
fn assert_fails(folder: &Path, arguments: &[&str], status: i32, message: &str) {
    let output = gambol(folder, arguments);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", stderr(&output));
    assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
}

#[test]
fn a_creature_goes_out_and_comes_in() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        gambol(folder.path(), &["export", "dog", "--stiffness", "7", "-o", "dog.xml", "--integrator", "rk4"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
    assert_eq!(stderr(&output), "gambol: dog.xml: 1 creature, 29 bodies, nv = 80\n");
    let text = std::fs::read_to_string(folder.path().join("dog.xml")).unwrap();
    assert!(text.contains(r#"integrator="RK4""#) && text.contains(r#"stiffness="7""#), "{text}");
    assert!(text.contains(r#"type="plane""#) && text.contains("<light"));
    let output = gambol(folder.path(), &["inspect", "dog.xml", "--json"]);
    let dog: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(dog["nv"], 80);

    let options = ["export", "dog.xml", "--ground", "none", "--actuators", "position", "-o", "bare.xml"];
    assert!(gambol(folder.path(), &options).status.success());
    let text = std::fs::read_to_string(folder.path().join("bare.xml")).unwrap();
    assert!(!text.contains("plane") && text.contains("<general"), "{text}");
}

#[test]
fn misuse() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(gambol(folder, &["export", "loop", "-o", "loop.xml"]).status.success());
    assert_fails(folder, &["export", "loop", "-o", "loop.xml"], 1, "loop.xml exists; --force replaces it");
    assert!(gambol(folder, &["export", "loop", "-o", "loop.xml", "--force"]).status.success());
    let same = ["export", "loop.xml", "-o", "./loop.xml", "--force"];
    assert_fails(folder, &same, 1, "is read here and never written over");
    assert_fails(folder, &["export", "loop"], 2, "--output");
    assert_fails(folder, &["export", "loop", "-o", "loop.glb"], 1, "ends in .xml");
    assert_fails(folder, &["export", "loop", "-o", "no/such/loop.xml"], 1, "cannot be written");
    for step in ["0", "-0.1", "nan", "inf", "soon"] {
        assert_fails(folder, &["export", "loop", "-o", "x.xml", "--timestep", step], 2, "--timestep");
    }
    assert_fails(folder, &["export", "loop", "-o", "x.xml", "--stiffness", "-1"], 1, "stiffness");
    assert_fails(folder, &["export", "loop", "-o", "x.xml", "--integrator", "guess"], 2, "implicitfast");
    assert!(!folder.join("x.xml").exists());
}

/// Stiff springs need small steps in MuJoCo: a default follows, what the user asks for is told.
#[test]
fn stiff_creatures_get_small_steps() {
    let folder = tempfile::tempdir().unwrap();
    let step = |options: &[&str]| {
        let mut arguments = vec!["export", "linear", "-o", "out.xml", "--force"];
        arguments.extend(options);
        let output = gambol(folder.path(), &arguments);
        let text = std::fs::read_to_string(folder.path().join("out.xml")).unwrap();
        let start = text.find("timestep=\"").unwrap() + 10;
        let number = text[start..].split('"').next().unwrap().parse::<f64>().unwrap();
        (number, stderr(&output).contains("blow up beyond a step of"))
    };
    assert_eq!(step(&[]), (0.002, false));
    let (stiff, told) = step(&["--stiffness", "10000"]);
    assert!(stiff < 0.001 && !told, "{stiff}");
    assert_eq!(step(&["--stiffness", "10000", "--timestep", "0.002"]), (0.002, true));
    assert_eq!(step(&["--timestep", "0.01"]), (0.01, false));
}

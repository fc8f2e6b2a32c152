//! Every program in `examples/` runs, in a folder of its own, and says what its reader expects.

use std::path::PathBuf;
use std::process::Command;

/// Example, and what it says.
const SAID: &[(&str, &str)] = &[
    ("animate", "trot.glb: "),
    ("clip", "walk.glb: 73 keys, 2.40 s"),
    ("controller", "Finished after 0.50 s"),
    ("load", "dog: "),
    ("modes", "Hz"),
    ("own_rig", "Hz"),
    ("picture", "spider.png: "),
    ("search", "Converged: 15.8 N·m/rad"),
    ("simulate", "Finished after 1.00 s"),
];

/// Cargo builds examples before it runs tests, and puts them beside these.
fn program(name: &str) -> PathBuf {
    let tests = std::env::current_exe().expect("this test has a program");
    let built = tests.parent().and_then(|folder| folder.parent()).expect("it lies in target/debug/deps");
    built.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

#[test]
fn every_example_runs() {
    for (name, words) in SAID {
        let folder = tempfile::tempdir().unwrap();
        let program = program(name);
        assert!(program.exists(), "{name} is not built: `cargo build -p gambol --examples` builds it");
        let output = Command::new(program).current_dir(folder.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains(words), "{name} says {said:?}");
    }
}

#[test]
fn every_example_is_in_the_list() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let listed: Vec<&str> = SAID.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, listed);
}

//! `gambol simulate CREATURE reduced` and `balance` as a user meets them: what is told, and that misuse is told by a message that names
//! it.

use crate::command::{assert_fails, gambol};
use serde_json::Value;

#[test]
fn a_dog_stands_in_its_vibrations_and_misuse_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let basis = folder.path().join("dog.basis");
    let basis = basis.to_str().unwrap();
    assert!(gambol(&["basis", "dog", "--modes", "15", "-o", basis]).status.success());

    let output = gambol(&["simulate", "dog", "balance", "--basis", basis, "--seconds", "0.5", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["fell_at"], Value::Null);
    assert_eq!(report["actuation"], "internal");
    assert_eq!(report["ghost_force_most"], 0.0);
    assert!((report["ground_force_mean"].as_f64().unwrap() - 1.0).abs() < 0.1);

    let floats = ["simulate", "dog", "reduced", "--basis", basis, "--no-gravity", "--no-ground"];
    let output =
        gambol(&[&floats[..], &["--integrator", "variational", "--seconds", "0.2", "--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["integrator"], "variational");
    // Nothing pushed it, so nothing moves.
    assert!(report["spin_most"].as_f64().unwrap() < 1e-9);

    assert_fails(&["simulate", "dog", "balance"], 1, "give --basis FILE");
    assert_fails(&["simulate", "dog", "passive", "--basis", basis], 1, "--basis is for reduced and balance");
    assert_fails(&["simulate", "human", "balance", "--basis", basis], 1, "joint");
    let dog = ["simulate", "dog", "balance", "--basis", basis];
    assert_fails(&[&dog[..], &["--directions", "900"]].concat(), 1, "--directions 900");
    assert_fails(&[&dog[..], &["--lift", "foot.left@1"]].concat(), 1, "it stands on foot.front.left");
    assert_fails(&[&dog[..], &["--realism", "2"]].concat(), 2, "from 0 to 1");
    assert_fails(&[&dog[..], &["--pull", "head:0,0,1@0+1"]].concat(), 1, "--pull");
}

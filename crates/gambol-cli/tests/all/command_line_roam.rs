//! `gambol roam` as a user or a script meets it: what is told of who went where it was told, and misuse by a message that names it.

use crate::command::{assert_fails, gambol};
use serde_json::Value;

#[test]
fn who_goes_tells_its_gaits() {
    let folder = tempfile::tempdir().unwrap();
    let errand = folder.path().join("errand.toml");
    std::fs::write(&errand, "version = 1\n[[step]]\ntime = 0.2\nspeed = 0.2\n").unwrap();
    let errand = errand.to_str().unwrap();
    let output = gambol(&["roam", "insect", errand, "--turn", "20@0.5", "--seconds", "1", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "up");
    let gaits: Vec<&str> =
        report["gaits"].as_array().unwrap().iter().map(|gait| gait["gait"].as_str().unwrap()).collect();
    assert_eq!(gaits, ["stand", "walk"]);
    assert_eq!(report["caught"], 0);
    assert_eq!(report["outside_force"], 0.0);
    assert!((report["speed"]["wanted"].as_f64().unwrap() - 0.16).abs() < 0.01);
    assert!(report["heading_error"].as_f64().unwrap() < 0.1);
}

#[test]
fn misuse_is_told() {
    assert_fails(&["roam", "dog", "--speed", "-1"], 2, "at least 0");
    assert_fails(&["roam", "dog", "--speed", "1@-2"], 2, "at least 0");
    assert_fails(&["roam", "dog", "--target", "1"], 2, "X,Y");
    assert_fails(&["roam", "dog", "--target", "nan,1"], 2, "finite");
    assert_fails(&["roam", "dog", "--torque-limit", "-5"], 2, "above 0");
    assert_fails(&["roam", "dog", "--gait", "flap"], 1, "flap");
    assert_fails(&["roam", "snake", "--speed", "1"], 1, "leg");
    assert_fails(&["roam", "dog", "nowhere.toml"], 1, "cannot be read");
    assert_fails(&["roam", "dog", "--push", "wing:1,0,0@0+1", "--seconds", "0.1"], 1, "front and hind");
}

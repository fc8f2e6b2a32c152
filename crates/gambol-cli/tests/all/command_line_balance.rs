//! `gambol simulate GAIT --balance` as a user or a script meets it: what it tells of who stays up, that a fall is an exit status of its own,
//! and that misuse is told by a message that names it.

use crate::command::{assert_fails, gambol};
use serde_json::Value;

#[test]
fn who_stays_up_tells_how() {
    let output = gambol(&["simulate", "insect", "walk", "--balance", "--seconds", "0.5", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "up");
    assert_eq!(report["controller"], "whole");
    assert_eq!(report["fall"], Value::Null);
    assert_eq!(report["outside_force"], 0.0);
    let number = |value: &Value| value.as_f64().unwrap();
    let (wanted, mean) = (number(&report["speed"]["wanted"]), number(&report["speed"]["mean"]));
    assert!(wanted > 0.1 && (mean - wanted).abs() < 0.1 * wanted, "{mean} of {wanted} m/s");
    assert_eq!(report["legs"].as_array().unwrap().len(), 6);
    let peaks = report["torque"]["peak"].as_array().unwrap();
    assert!(peaks.iter().any(|joint| number(&joint["peak"]) > 0.0));
    assert_eq!(report["solver"]["failures"], 0);
}

#[test]
fn a_fall_is_told_by_the_exit_status() {
    // Five newton metres do not carry a person.
    let weak =
        ["simulate", "human", "walk", "--balance", "--torque-limit", "5", "--seconds", "1.5", "--json"];
    let output = gambol(&weak);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("human fell at "), "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "fell");
    assert!(report["fall"]["time"].as_f64().unwrap() < 1.5);
    assert!(report["torque"]["share_at_limit"].as_f64().unwrap() > 0.01);
}

#[test]
fn misuse_is_told() {
    assert_fails(&["simulate", "dog", "walk", "--torque-limit", "5"], 2, "--balance");
    assert_fails(&["simulate", "dog", "walk", "--balance", "--torque-limit", "-1"], 2, "above 0");
    assert_fails(&["simulate", "dog", "walk", "--balance", "--hold"], 2, "cannot be used with");
    assert_fails(&["simulate", "loop", "passive", "--balance"], 1, "--balance is for controllers");
    assert_fails(&["simulate", "loop", "roll", "--balance"], 1, "closed loops");
    let found = ["simulate", "biped", "squat", "--balance", "--speed", "1"];
    assert_fails(&found, 1, "--torque-limit and --speed are for gaits");
}

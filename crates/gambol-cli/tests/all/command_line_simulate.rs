//! `gambol simulate` as a user or a script meets it: what it prints for programs, what it writes, that the paper's loop
//! creature rolls with nothing but the phase given, and that every misuse is told by a message that names it, with the
//! right exit status, and leaves no file behind.

use crate::command::{assert_fails, gambol};
use gambol_model::math;
use serde_json::Value;

fn json(arguments: &[&str]) -> Value {
    let output = gambol(arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_loop_rolls_and_programs_can_read_it() {
    let way = |phase: &str| {
        let report = json(&["simulate", "loop", "pump", "--phase", phase, "--seconds", "8", "--json"]);
        assert_eq!(report["status"], "finished");
        assert_eq!(report["displacement"].as_array().unwrap().len(), 3);
        let x = report["displacement"][0].as_f64().unwrap();
        let speed = report["mean_speed"].as_f64().unwrap();
        // It rolls in the plane x–z, so that the speed is that along x.
        assert!((speed - x.abs() / 8.0).abs() < 0.01, "{speed} m/s, {x} m");
        let energy = &report["energy"];
        let part = |name: &str| energy[name].as_f64().unwrap();
        let totals = energy["start"]["total"].as_f64().unwrap() - energy["end"]["total"].as_f64().unwrap();
        let open = totals + part("drive") + part("pushes") - part("damping") - part("contact");
        assert!(open.abs() < 1e-9, "the budget must close: {open} J");
        (x, report["cost_of_transport"].as_f64())
    };
    let ((ahead, cost), (behind, _), (standing, _)) = (way("90"), way("-90"), way("0"));
    assert!(ahead * behind < 0.0 && ahead.abs().min(behind.abs()) > 4.0, "{ahead} m and {behind} m");
    assert!(standing.abs() < 0.2 * ahead.abs().min(behind.abs()), "{standing} m");
    assert!((0.05..5.0).contains(&cost.unwrap()), "of a creature that rolls: {cost:?}");
}

#[test]
fn a_creature_without_a_controller_comes_to_lie() {
    let report = json(&["simulate", "dog", "--seconds", "1", "--json"]);
    assert_eq!(report["control"], "passive");
    let energy = &report["energy"];
    assert_eq!(energy["drive"], 0.0);
    assert_eq!(energy["positive_drive"], 0.0);
    assert!(energy["damping"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_push_pushes_and_a_seed_shakes() {
    let arguments = ["simulate", "human", "passive", "--seconds", "0.5", "--json"];
    let sideways = |more: &[&str]| {
        let report = json(&[&arguments, more].concat());
        report["displacement"][1].as_f64().unwrap()
    };
    let still = sideways(&[]);
    let pushed = sideways(&["--push", "pelvis:0,400,0@0.1+0.1"]);
    assert!(pushed > still + 0.05, "{still} m, pushed {pushed} m");
    assert_eq!(still, sideways(&[]), "the same bits again");
    assert_eq!(still, sideways(&["--seed", "0"]));
    assert_eq!(sideways(&["--seed", "7"]), sideways(&["--seed", "7"]));
    assert_ne!(still, sideways(&["--seed", "7"]));
}

#[test]
fn a_hand_lifts_who_would_fall() {
    let arguments = ["simulate", "human", "passive", "--seconds", "1.5", "--json"];
    let way = |more: &[&str]| json(&[&arguments, more].concat())["displacement"].clone();
    let (falls, lifted) = (way(&[]), way(&["--pull", "head:0,0.3,2.5@0+1.5"]));
    let [up, aside] = [2, 1].map(|k| lifted[k].as_f64().unwrap() - falls[k].as_f64().unwrap());
    assert!(up > 0.5 && aside > 0.1, "{falls} and {lifted}");
    assert_eq!(way(&["--pull", "head:0,0.3,2.5@2+1"]), falls, "not before its time");
}

#[test]
fn a_slope_leads_down() {
    // Without friction a creature slides as on ice: ½ g sin cos t² along x, to the foot of the slope.
    let arguments = ["--terrain", "slope:10", "--friction", "0", "--seconds", "3", "--json"];
    let report = json(&[&["simulate", "linear"], arguments.as_slice()].concat());
    let x = report["displacement"][0].as_f64().unwrap();
    let angle = 10f64.to_radians();
    let expected = -0.5 * 9.81 * math::sin(angle) * math::cos(angle) * 9.0;
    // It starts level, so that it first tips onto the slope: that takes a tenth of a second of sliding.
    assert!((x - expected).abs() < 0.1 * expected.abs(), "{x} m, not {expected} m");
}

#[test]
fn a_course_has_steps_and_ice() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let file = |name: &str, text: &str| {
        std::fs::write(path(name), text).unwrap();
        path(name)
    };
    // The loop on a platform of a metre, and beside it.
    let platform = "version = 1\n[[block]]\ncenter = [0, 0]\nsize = [1, 1]\ntop = 1\n";
    let (under, beside) =
        (file("under.toml", platform), file("beside.toml", &platform.replace("[0, 0]", "[2, 0]")));
    let clip = path("clip.json");
    let height_at_the_end = |course: &str| {
        let output = gambol(&[
            "simulate",
            "loop",
            "passive",
            "--seconds",
            "0.2",
            "--course",
            course,
            "--force",
            "-o",
            &clip,
        ]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let clip: Value = serde_json::from_slice(&std::fs::read(&clip).unwrap()).unwrap();
        clip["qpos"].as_array().unwrap().last().unwrap()[2].as_f64().unwrap()
    };
    let rise = height_at_the_end(&under) - height_at_the_end(&beside);
    assert!((rise - 1.0).abs() < 1e-3, "{rise} m");
    let picture = path("strip.png");
    let output =
        gambol(&["simulate", "loop", "passive", "--seconds", "0.2", "--terrain", &under, "-o", &picture]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let bad = file("bad.toml", &platform.replace("size = [1, 1]", "size = [1, -1]"));
    assert_fails(
        &["simulate", "loop", "--course", &bad],
        1,
        "bad.toml:4: size: a side of -1 m is not above 0",
    );
    assert_fails(&["simulate", "loop", "--course", "no.toml"], 1, "no.toml: cannot be read");
    assert_fails(&["simulate", "loop", "--course", &under, "--terrain", "flat"], 2, "cannot be used with");
    assert_fails(&["animate", "dog", "walk", "--terrain", &under, "-o", "a.glb"], 1, "a course has edges");
}

#[test]
fn a_gait_is_followed() {
    let report = json(&["simulate", "dog", "trot", "--seconds", "0.3", "--json"]);
    assert_eq!(report["control"], "trot");
    assert!(report["energy"]["positive_drive"].as_f64().unwrap() > 0.0);
    let feet: Vec<&str> =
        report["contacts"].as_array().unwrap().iter().map(|foot| foot["name"].as_str().unwrap()).collect();
    assert!(feet.iter().any(|name| name.starts_with("foot.")), "{feet:?}");
}

#[test]
fn the_motion_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (json, glb, png) = (path("a.json"), path("a.glb"), path("a.png"));
    let arguments =
        ["simulate", "loop", "pump", "--seconds", "0.5", "--fps", "30", "-o", &json, "-o", &glb, "-o", &png];
    let output = gambol(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.is_empty(), "a file was asked for, and no report");
    let clip: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    // From 0 s to 0.5 s, both ends included.
    assert_eq!(clip["times"].as_array().unwrap().len(), 16);
    assert_eq!(&std::fs::read(&glb).unwrap()[..4], b"glTF");
    assert_eq!(&std::fs::read(&png).unwrap()[1..4], b"PNG");
    assert_fails(&arguments, 1, "exists; --force replaces it");
}

#[test]
fn a_run_that_diverges_says_where() {
    let output =
        gambol(&["simulate", "loop", "--push", "segment.3:1e30,0,0@0.01+1", "--seconds", "1", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "diverged");
    assert!(report["divergence"]["body"].as_str().unwrap().starts_with("segment."), "{report}");
    assert!(report["divergence"]["time"].as_f64().unwrap() < 0.05);
    assert!(String::from_utf8_lossy(&output.stderr).contains("diverged"));
}

#[test]
fn energy_from_nowhere_ends_a_run() {
    // Joints that are asked to whip about by 3 rad, five times a second, at ten steps a cycle: no step follows that.
    let absurd = ["--amplitude", "3", "--step", "0.02", "--no-ground", "--seconds", "4", "--json"];
    let output = gambol(&[&["simulate", "linear", "pump"], absurd.as_slice()].concat());
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "diverged");
    assert!(report["divergence"]["reason"].as_str().unwrap().contains("came from nowhere"), "{report}");
    assert!(report["energy"]["contact"].as_f64().unwrap() < 0.0);
}

#[test]
fn misuse_is_told() {
    for (option, value, message) in [
        ("--step", "0", "0 is not a time from 1e-7 to 0.1 s"),
        ("--step", "-0.002", "-0.002 is not a time from 1e-7 to 0.1 s"),
        ("--step", "nan", "NaN is not a time from 1e-7 to 0.1 s"),
        ("--seconds", "inf", "is not a time above 0 and at most an hour"),
        ("--friction", "-1", "-1 is not a finite number of at least 0"),
        ("--terrain", "slope:90", "90 is not a slope between -90 and 90 degrees"),
        ("--push", "segment.1:1,2@0+1", "expected BODY:FX,FY,FZ@START+DURATION"),
        ("--push", "segment.1:1,2,nan@0+1", "NaN is not a finite number"),
        ("--push", "segment.1:1,2,3@-1+1", "-1 is not a finite number of at least 0"),
        ("--pull", "segment.1:1,2@0+1", "expected NAME:X,Y,Z@START+DURATION"),
        ("--contact", "rubber", "invalid value 'rubber'"),
        ("--modes", "six", "\"six\" is not the number of a mode"),
    ] {
        assert_fails(&["simulate", "loop", "pump", option, value], 2, message);
    }
    for (arguments, message) in [
        (vec!["loop", "pump", "--modes", "6,99"], "there is no mode 99; loop has modes 0 to 18"),
        (vec!["loop", "pump", "--modes", "2"], "mode 2 moves the creature without bending it"),
        (vec!["loop", "pump", "--amplitude", "100"], "amplitude of mode 6: 100 is not a number of radians"),
        (vec!["loop", "pump", "--frequency", "0"], "frequency of mode 6: 0 is not a number of hertz above 0"),
        (vec!["loop", "pump", "--phase", "1,2,3"], "--phase has 3 numbers for 2 modes"),
        (vec!["loop", "--pull", "nose:1,0,0@0+1"], "--pull: loop has no landmark or body \"nose\""),
        (vec!["loop", "--push", "nose:1,0,0@0+1"], "loop has no body \"nose\"; it has segment.1,"),
        (
            vec!["loop", "passive", "--phase", "90"],
            "--modes, --amplitude, --phase and --frequency are for pump",
        ),
        (vec!["dog", "trot", "--pose", "reference"], "--pose and --qpos are for passive and pump"),
        (vec!["dog", "fly"], "fly"),
        (vec!["loop", "no-such-gait.toml"], "no-such-gait.toml: cannot be read"),
        (vec!["loop", "--terrain", "no-such.png"], "no-such.png: cannot be read"),
        (vec!["loop", "-o", "a.mp4"], "a clip's file ends in one of"),
    ] {
        assert_fails(&[&["simulate"], arguments.as_slice()].concat(), 1, message);
    }
}

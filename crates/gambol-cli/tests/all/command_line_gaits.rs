//! `gambol animate` from end to end: what it prints and writes when a gait is designed and played.

use std::path::Path;
use std::process::Output;

use crate::command::{gambol, names};
use serde_json::Value;

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(arguments: &[&str]) -> Value {
    let output = gambol(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    serde_json::from_slice(&output.stdout).expect("stdout is one JSON value")
}

fn text(arguments: &[&str]) -> String {
    let output = gambol(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn assert_fails(arguments: &[&str], message: &str) {
    let output = gambol(arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", said(&output));
    assert!(said(&output).contains(message), "{arguments:?}: {}", said(&output));
    assert!(output.stdout.is_empty(), "{arguments:?}");
}

#[test]
fn json_has_exactly_these_keys() {
    let trot = json(&["animate", "dog", "trot", "--report", "--json"]);
    let mut keys: Vec<&str> = trot.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let mut expected = [
        "name",
        "creature",
        "modes",
        "speed",
        "stride_length",
        "stride_frequency",
        "feet",
        "slip_mm",
        "mean_slip_mm",
        "slip_percent_leg",
        "foot_miss_mm",
        "penetration_mm",
        "loop_gap",
        "limit_overshoot_rad",
        "gravity",
        "ground_correction_energy",
        "modal_share",
        "froude",
        "residual_force",
        "residual_moment",
        "worst_force",
        "worst_moment",
        "com_swing",
        "com_phase",
        "trunk_swing",
        "positive_work",
        "negative_work",
        "cost_of_transport",
        "seconds",
        "frames",
        "warnings",
    ];
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!((trot["name"].as_str(), trot["creature"].as_str()), (Some("trot"), Some("dog")));
    for key in ["index", "name", "frequency", "amplitude", "phase", "harmonic", "offset"] {
        assert!(!trot["modes"][0][key].is_null(), "{key}");
    }
    let feet = trot["feet"].as_array().unwrap();
    assert_eq!(feet.len(), 4);
    for foot in feet {
        for key in ["name", "duty", "stance", "slip_mm", "peak_force", "load"] {
            assert!(!foot[key].is_null(), "{key}");
        }
    }
    let number = |key: &str| trot[key].as_f64().unwrap();
    let stride = number("stride_length") * number("stride_frequency");
    assert!((stride - number("speed")).abs() < 1e-3 * number("speed"), "a stride is speed over frequency");
}

#[test]
fn the_table_has_a_line_per_foot() {
    let table = text(&["animate", "dog", "walk"]);
    assert!(table.starts_with("dog walk: "), "{table}");
    for foot in ["foot.front.left", "foot.front.right", "foot.hind.left", "foot.hind.right"] {
        let line = table.lines().find(|line| line.trim_start().starts_with(foot)).expect(foot);
        let bar: Vec<char> = line.chars().filter(|letter| "█·".contains(*letter)).collect();
        assert_eq!(bar.len(), 40, "{line}");
        // A walk stands for more than half of the cycle.
        assert!(bar.iter().filter(|letter| **letter == '█').count() > 20, "{line}");
    }
    assert!(table.contains("slip of a standing foot") && table.contains("loop gap"));
}

#[test]
fn every_ending_is_written_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let endings = ["glb", "bvh", "json", "npz", "png", "svg", "gif", "apng"];
    let files: Vec<String> = endings
        .iter()
        .map(|ending| folder.path().join(format!("trot.{ending}")).to_str().unwrap().to_owned())
        .collect();
    let mut arguments = vec!["animate", "dog", "trot", "--fps", "30"];
    arguments.extend(files.iter().flat_map(|file| ["-o", file.as_str()]));
    let output = gambol(&arguments);
    assert!(output.status.success(), "{}", said(&output));
    assert!(output.stdout.is_empty(), "with -o it prints nothing unless asked");
    let mut expected: Vec<String> = endings.iter().map(|ending| format!("trot.{ending}")).collect();
    expected.sort();
    assert_eq!(names(folder.path()), expected);
    let starts: [(&str, &[u8]); 7] = [
        ("glb", b"glTF"),
        ("bvh", b"HIERARCHY"),
        ("npz", b"PK"),
        ("png", b"\x89PNG"),
        ("svg", b"<svg"),
        ("gif", b"GIF89a"),
        ("apng", b"\x89PNG"),
    ];
    for (ending, start) in starts {
        let bytes = std::fs::read(folder.path().join(format!("trot.{ending}"))).unwrap();
        assert!(bytes.starts_with(start), "{ending}");
    }
    assert_eq!(gambol(&arguments).status.code(), Some(1), "they exist");
    arguments.push("--force");
    assert!(gambol(&arguments).status.success());
}

#[test]
fn a_saved_gait_moves_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trot.toml");
    let file = file.to_str().unwrap();
    let options = ["--weight", "1.2", "--injured", "hind.left", "--turn", "5"];
    let made = json(&[&["animate", "dog", "trot", "--save-gait", file, "--json"], &options[..]].concat());
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains("injured = [\"foot.hind.left\"]") && text.contains("weight = 1.2"), "{text}");
    assert!(text.contains("[[component]] # "), "components are named: {text}");
    assert_eq!(json(&["animate", "dog", file, "--json"]), made);
    // The command line has the last word.
    let light = json(&["animate", "dog", file, "--json", "--weight", "0.8"]);
    assert_ne!(light["modes"][0]["frequency"], made["modes"][0]["frequency"]);
    // Saved once more, it is the same file.
    let again = folder.path().join("again.toml");
    let again = again.to_str().unwrap();
    assert!(gambol(&["animate", "dog", file, "--save-gait", again]).status.success());
    assert_eq!(std::fs::read_to_string(again).unwrap(), text);
}

#[test]
fn modes_can_be_changed_one_by_one() {
    let of = |value: &Value, index: u64| -> Value {
        let modes = value["modes"].as_array().unwrap();
        modes.iter().find(|mode| mode["index"] == index).cloned().unwrap_or_default()
    };
    let own = json(&["animate", "dog", "trot", "--json"]);
    let used = own["modes"][0]["index"].as_u64().unwrap();
    let unused = (6..40).find(|index| of(&own, *index).is_null()).unwrap();
    let changed = json(&[
        "animate",
        "dog",
        "trot",
        "--json",
        "--amplitude",
        &format!("{used}=0.123"),
        "--phase",
        &format!("u{used}=45"),
        "--offset",
        &format!("{unused}=-0.05"),
    ]);
    assert_eq!(of(&changed, used)["amplitude"].as_f64(), Some(0.123));
    assert_eq!(of(&changed, used)["phase"].as_f64(), Some(45_f64.to_radians()));
    assert_eq!(of(&changed, unused)["offset"].as_f64(), Some(-0.05));
    assert_eq!(of(&changed, unused)["amplitude"].as_f64(), Some(0.0));
}

#[test]
fn modes_can_be_preferred_and_avoided() {
    let indices = |arguments: &[&str]| -> Vec<u64> {
        let all = [&["animate", "dog", "walk", "--json"], arguments].concat();
        json(&all)["modes"].as_array().unwrap().iter().map(|mode| mode["index"].as_u64().unwrap()).collect()
    };
    let own = indices(&[]);
    let (used, unused) = (own[0], (6..80).find(|mode| !own.contains(mode)).unwrap());
    let marked = indices(&["--prefer", &format!("u{unused}"), "--avoid", &format!("{used},79")]);
    assert!(marked.contains(&unused) && !marked.contains(&used), "{marked:?}");
}

/// Degrees on the command line, radians in the file; and the file brings the same bend back.
#[test]
fn joints_can_be_bent() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bent.toml").to_str().unwrap().to_owned();
    let bend = ["--bend", "knee.left=45", "--bend", "hip.left=0,-30,0"];
    let bent = json(&[&["animate", "human", "walk", "--json", "--save-gait", &file], &bend[..]].concat());
    let saved = std::fs::read_to_string(&file).unwrap();
    let numbers = format!("\"knee.left\" = {}", std::f64::consts::FRAC_PI_4);
    assert!(saved.contains("[style.bend]") && saved.contains(&numbers), "{saved}");
    assert!(saved.contains("\"hip.left\" = [0.0, -0.52359877559829"), "{saved}");
    let again = json(&["animate", "human", &file, "--json"]);
    assert_eq!(again["stride_length"], bent["stride_length"]);
    assert!(bent["slip_mm"].as_f64().unwrap() < 1.0, "{bent}");
}

#[test]
fn speed_stride_and_frequency_are_kept() {
    let walk = json(&["animate", "dog", "walk", "--json", "--speed", "0.7"]);
    assert!((walk["speed"].as_f64().unwrap() - 0.7).abs() < 1e-3);
    let walk = json(&["animate", "dog", "walk", "--json", "--speed", "0.8", "--stride", "0.5"]);
    assert!((walk["stride_frequency"].as_f64().unwrap() - 1.6).abs() < 1e-6);
    let long = json(&["animate", "dog", "walk", "--json", "--seconds", "3", "--fps", "30"]);
    let (seconds, frames) = (long["seconds"].as_f64().unwrap(), long["frames"].as_f64().unwrap());
    let cycles = seconds * long["stride_frequency"].as_f64().unwrap();
    assert!((cycles - cycles.round()).abs() < 1e-6, "a whole number of strides: {cycles}");
    assert!((frames / seconds - 30.0).abs() < 3.0, "{frames} keys in {seconds} s");
}

/// A picture of 3 × 3 pixels that rises to the right, as x does.
fn hill(file: &Path) {
    let mut encoder = png::Encoder::new(std::fs::File::create(file).unwrap(), 3, 3);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&[0, 128, 255, 0, 128, 255, 0, 128, 255]).unwrap();
}

#[test]
fn the_ground_can_be_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    hill(&folder.path().join("hill.png"));
    let (picture, saved, strip) =
        (format!("{}:8,0.2", path("hill.png")), path("hill.toml"), path("hill.svg"));
    let climbed = json(&[
        "animate",
        "dog",
        "walk",
        "--terrain",
        &picture,
        "--save-gait",
        &saved,
        "-o",
        &strip,
        "--json",
    ]);
    // 8 m wide in the middle of the world, rows of three heights along x, from 0 to 0.2 m.
    let text = std::fs::read_to_string(&saved).unwrap();
    assert!(text.contains("origin = [-4.0, -4.0]") && text.contains("spacing = 4.0"), "{text}");
    let row = format!("  0.0, {:?}, 0.2,", 0.2 * 128.0 / 255.0);
    assert_eq!(text.matches(&row).count(), 3, "{text}");
    assert_eq!(json(&["animate", "dog", &saved, "--json"]), climbed);
    // The same ground, named by a file beside the picture.
    let named = text.split("\n[ground.terrain]").next().unwrap().to_owned()
        + "\n[ground.terrain]\nfile = \"hill.png\"\nsize = 8\nheight = 0.2\n";
    std::fs::write(path("named.toml"), named).unwrap();
    assert_eq!(json(&["animate", "dog", &path("named.toml"), "--json"]), climbed);
    std::fs::write(path("hill.png"), b"no picture").unwrap();
    assert_fails(&["animate", "dog", &path("named.toml")], "hill.png: cannot be read as PNG");
}

/// Nonsense that can be drawn is drawn with a warning, and what cannot is an error: never a panic, which is status 101.
#[test]
fn wild_numbers_end_well() {
    for options in [
        ["--speed", "50"],
        ["--speed", "1e300"],
        ["--speed", "0"],
        ["--frequency", "1e9"],
        ["--frequency", "1e-9"],
        ["--duty", "1"],
        ["--duty", "0.01"],
        ["--turn", "1e5"],
        ["--terrain", "slope:89"],
        ["--weight", "1e6"],
        ["--weight", "1e-6"],
        ["--tension", "1e9"],
        ["--tension", "1e-9"],
        ["--amplitude", "13=5"],
        ["--amplitude", "13=1e300"],
        ["--offset", "6=1e10"],
        ["--phase", "13=1e300"],
        ["--stiffness", "1e-300"],
        ["--stiffness", "1e300"],
    ] {
        let output = gambol(&["animate", "dog", "trot", options[0], options[1]]);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{options:?}: {}", said(&output));
        let is_told = output.status.success() != said(&output).contains("gambol: ")
            || said(&output).contains("gambol: warning: ");
        assert!(is_told, "{options:?}: {}", said(&output));
    }
    for (options, message) in [
        (["--speed", "50"], "50 m/s is not to be believed of its trot"),
        (["--amplitude", "13=5"], "warning: "),
        (["--seconds", "3600"], "keys are too many"),
    ] {
        let output = gambol(&["animate", "dog", "trot", "--fps", "1000", options[0], options[1]]);
        assert!(said(&output).contains(message), "{options:?}: {}", said(&output));
    }
}

#[test]
fn presets_of_the_paper_can_be_paced() {
    let run = json(&["animate", "human", "steady-run", "--json"]);
    let fast = json(&["animate", "human", "steady-run", "--json", "--frequency", "2.5"]);
    assert_eq!(run["name"], "steady-run");
    assert!((fast["stride_frequency"].as_f64().unwrap() - 2.5).abs() < 1e-9);
    let indices = |value: &Value| -> Vec<u64> {
        value["modes"].as_array().unwrap().iter().map(|mode| mode["index"].as_u64().unwrap()).collect()
    };
    assert_eq!(indices(&run), indices(&fast));
}

/// What a file is called says nothing about what is in it. A person of the gallery that went out as `human.glb` or
/// `human.xml` once failed to run: it was taken for that of the gallery, and asked for its pose `run`.
#[test]
fn a_creature_is_not_its_files_name() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (glb, xml) = (place("human.glb"), place("human.xml"));
    assert!(gambol(&["animate", "human", "walk", "-o", &glb]).status.success());
    assert!(gambol(&["export", "human", "-o", &xml]).status.success());
    for (file, others) in [(&glb, ["dog.glb", "someone.glb"]), (&xml, ["dog.xml", "someone.xml"])] {
        let nameless = |value: Value| {
            let Value::Object(mut object) = value else { panic!("{value}") };
            object.remove("creature");
            object
        };
        let run = nameless(json(&["animate", file, "run", "--json"]));
        assert!(run["speed"].as_f64().unwrap() > 1.0 && run["slip_mm"].as_f64().unwrap() < 1.0, "{run:?}");
        for other in others.map(place) {
            std::fs::copy(file, &other).unwrap();
            assert_eq!(nameless(json(&["animate", &other, "run", "--json"])), run);
            assert_fails(&["animate", &other, "trot"], "that takes two pairs of legs, and it has one pair");
            // Presets of the gallery's creatures are not among its gaits, whatever it is called.
            assert_fails(&["animate", &other, "steady-run"], "there is no gait \"steady-run\"");
        }
    }
}

#[test]
fn gaits_are_listed_with_reasons() {
    let list = text(&["animate", "human"]);
    assert!(list.starts_with("human can ") && list.contains("walk") && list.contains("it cannot"), "{list}");
    let rows = json(&["animate", "snake", "--json"]);
    let trot = rows.as_array().unwrap().iter().find(|row| row["name"] == "trot").unwrap().clone();
    assert!(trot["suits"] == false && trot["reason"].as_str().unwrap().contains("leg"), "{trot}");
    assert_fails(&["animate", "dog", "moonwalk"], "there is no gait \"moonwalk\"; there are ");
    assert_fails(&["animate", "snake", "trot"], "snake cannot trot: ");
}

#[test]
fn a_gait_for_another_creature_is_warned_about_and_played() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trot.toml");
    let file = file.to_str().unwrap();
    assert!(gambol(&["animate", "dog", "trot", "--save-gait", file]).status.success());
    let output = gambol(&["animate", "insect", file, "--no-ground", "--json"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("trot.toml was made for dog"), "{}", said(&output));
}

#[test]
fn gallery_tells_the_gaits() {
    let list = json(&["gallery", "--json"]);
    let of = |name: &str| list.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone();
    assert!(of("dog")["gaits"].as_array().unwrap().iter().any(|gait| gait == "trot"));
    assert!(of("snake")["gaits"].as_array().unwrap().iter().all(|gait| gait != "trot"));
    assert!(text(&["gallery"]).contains("gaits"));
}

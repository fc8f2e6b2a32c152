//! Plants on the command line: modes, wind, a forest, inspection, export, and one case per misuse.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const TREE: &str = "id,parent,x,y,z,radius\n1,,0,0,0,0.04\n2,1,0,0,1,0.035\n3,2,0,0,2,0.03\n4,3,0.1,0,3,0.02\n\
                    5,2,0.8,0.1,1.6,0.015\n6,5,1.4,0.2,2.0,0.01\n7,3,-0.5,0.5,2.8,0.012\n";

fn gambol(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gambol"));
    command.args(arguments).current_dir(folder).output().expect("gambol runs")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("stderr is UTF-8")
}

#[track_caller]
fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = gambol(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[track_caller]
fn assert_fails(folder: &Path, arguments: &[&str], status: i32, message: &str) {
    let output = gambol(folder, arguments);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", stderr(&output));
    assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
}

fn with_tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tree.csv"), TREE).unwrap();
    folder
}

/// Both outputs at once; arrays have the shapes that are promised, and agree with the JSON.
#[test]
fn modes_of_a_plant() {
    let folder = with_tree();
    let folder = folder.path();
    let told = json(
        folder,
        &["modes", "tree.csv", "--count", "4", "--json", "--npz", "tree.npz", "--sheet", "tree.png"],
    );
    assert_eq!((told["nodes"].as_u64(), told["loose_pieces"].as_u64()), (Some(7), Some(0)));
    assert!(told["mass"].as_f64().unwrap() > 5.0 && told["modes"][0]["name"].is_string());
    let bytes = std::fs::read(folder.join("tree.npz")).unwrap();
    let arrays = gambol_formats::npz::Arrays::from_bytes("tree.npz", &bytes).unwrap();
    for (name, shape) in [
        ("nodes", &[7, 3][..]),
        ("parents", &[7]),
        ("element_radii", &[7]),
        ("frequencies", &[4]),
        ("shapes", &[4, 7, 3]),
        ("projection", &[4, 3]),
        ("residual", &[3, 7, 3]),
    ] {
        assert_eq!(arrays.numbers(name, shape.len()).unwrap().0, shape, "{name}");
    }
    let (_, frequencies) = arrays.numbers("frequencies", 1).unwrap();
    assert_eq!(told["frequencies"][0].as_f64(), Some(frequencies[0]));
    assert_eq!(arrays.numbers("parents", 1).unwrap().1[0], -1.0);
    assert!(std::fs::read(folder.join("tree.png")).unwrap().starts_with(b"\x89PNG"));
    // Twice as stiff is √2 as fast, and the paper's constants are slower.
    let stiff = json(folder, &["modes", "tree.csv", "--count", "1", "--young", "2e10", "--json"]);
    assert!((stiff["frequencies"][0].as_f64().unwrap() / frequencies[0] - 2.0_f64.sqrt()).abs() < 1e-9);
    let printed = json(folder, &["modes", "tree.csv", "--count", "1", "--printed-constants", "--json"]);
    assert!(printed["frequencies"][0].as_f64().unwrap() < 0.8 * frequencies[0]);
    let drag = json(folder, &["modes", "tree.csv", "--count", "1", "--drag", "2", "--air", "1.0", "--json"]);
    assert_eq!(drag["drag_constant"].as_f64(), Some(1.0));
    let table = gambol(folder, &["modes", "tree.csv", "--damping", "0.1,0.01"]);
    assert!(String::from_utf8_lossy(&table.stdout).contains("energy by order"));
}

#[test]
fn wind_on_a_plant_writes_every_kind_of_file() {
    let folder = with_tree();
    let folder = folder.path();
    let mut arguments = vec![
        "wind",
        "tree.csv",
        "--speed",
        "9",
        "--gusts",
        "0.3",
        "--seconds",
        "0.4",
        "--fps",
        "10",
        "--count",
        "8",
        "--json",
    ];
    let files = ["a.glb", "a.gif", "a.png", "a.svg", "a.npz", "a.json"];
    for file in files {
        arguments.extend(["-o", file]);
    }
    let told = json(folder, &arguments);
    assert!(told["top_steady"][0].as_f64().unwrap() > 0.0 && told["top_farthest"].as_f64().unwrap() > 0.0);
    assert!(told["length_errors"][0].as_f64().unwrap() < 1e-2);
    assert_eq!(told["files"].as_array().unwrap().len(), files.len());
    let glb = std::fs::read(folder.join("a.glb")).unwrap();
    assert!(glb.starts_with(b"glTF"));
    let length = u32::from_le_bytes([glb[12], glb[13], glb[14], glb[15]]) as usize;
    let document: Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    assert_eq!(document["skins"][0]["joints"].as_array().unwrap().len(), 7);
    assert_eq!(document["animations"][0]["channels"].as_array().unwrap().len(), 6, "the root stands");
    assert_eq!(document["asset"]["extras"]["gambol"]["frequencies"].as_array().unwrap().len(), 8);
    assert!(std::fs::read(folder.join("a.gif")).unwrap().starts_with(b"GIF89a"));
    let series: Value = serde_json::from_slice(&std::fs::read(folder.join("a.json")).unwrap()).unwrap();
    assert_eq!(series["times"].as_array().unwrap().len(), 5);
    // The same again, bit for bit, and another for another seed.
    let again = |seed: &str| {
        json(
            folder,
            &[
                "wind",
                "tree.csv",
                "--gusts",
                "0.3",
                "--seconds",
                "0.5",
                "--count",
                "4",
                "--json",
                "--seed",
                seed,
            ],
        )
    };
    assert_eq!(again("1"), again("1"));
    assert_ne!(again("1"), again("2"));
}

#[test]
fn a_forest_is_timed_and_drawn() {
    let folder = with_tree();
    let folder = folder.path();
    let told = json(
        folder,
        &[
            "wind",
            "tree.csv",
            "--count",
            "5",
            "--forest",
            "30",
            "--json",
            "--seconds",
            "1",
            "-o",
            "forest.png",
        ],
    );
    assert_eq!(
        (told["trees"].as_u64(), told["nodes"].as_u64(), told["modes"].as_u64()),
        (Some(30), Some(7), Some(5))
    );
    assert_eq!(told["bytes"][4].as_u64(), Some(4 * 3 * 30 * 7));
    assert!(std::fs::read(folder.join("forest.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn a_plant_is_a_creature() {
    let folder = with_tree();
    let folder = folder.path();
    let told = json(folder, &["inspect", "tree.csv", "--json", "--picture", "tree.svg"]);
    assert_eq!((told["kind"].as_str(), told["nodes"].as_u64()), (Some("plant"), Some(7)));
    assert!(String::from_utf8_lossy(&gambol(folder, &["inspect", "palm"]).stdout).contains("palm: a plant"));
    let output = gambol(folder, &["export", "tree.csv", "-o", "tree.xml"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let articulated = json(folder, &["modes", "tree.xml", "--count", "1", "--json"]);
    let beams = json(folder, &["modes", "tree.csv", "--count", "1", "--json"]);
    let [links, beams] = [articulated, beams].map(|told| told["frequencies"][0].as_f64().unwrap());
    assert!((links / beams - 1.0).abs() < 0.1, "{links} {beams}");
    assert!(String::from_utf8_lossy(&gambol(folder, &["gallery"]).stdout).contains("a conifer"));
}

#[test]
fn misuse_of_plants() {
    let folder = with_tree();
    let folder = folder.path();
    std::fs::write(folder.join("bad.csv"), "id,parent,x,y,z,radius\n1,2,0,0,0,0.1\n2,1,0,0,1,0.1\n").unwrap();
    std::fs::write(folder.join("thin.csv"), "id,parent,x,y,z\n1,,0,0,0\n2,1,0,0,1\n").unwrap();
    std::fs::write(folder.join("tall.csv"), TREE.replace("0.1,0,3,", "0.1,0,700,")).unwrap();
    assert_fails(folder, &["wind", "bad.csv"], 1, "bad.csv:2: 2 points hang on each other in a circle");
    assert_fails(folder, &["modes", "thin.csv"], 1, "has no diameters; --pipe TIP_RADIUS gives them");
    assert!(gambol(folder, &["modes", "thin.csv", "--pipe", "0.01", "--count", "2"]).status.success());
    assert_fails(folder, &["inspect", "tall.csv"], 1, "tall.csv:5: the plant is 700 m high");
    assert!(gambol(folder, &["inspect", "tall.csv", "--unit", "cm"]).status.success());
    assert_fails(folder, &["wind", "dog"], 1, "only plants move in the wind");
    assert_fails(folder, &["animate", "oak", "walk"], 1, "`gambol wind oak` moves it");
    assert_fails(folder, &["simulate", "oak"], 1, "`gambol wind oak` moves it");
    assert_fails(folder, &["wind", "unicorn"], 1, "there is no creature or file \"unicorn\"");
    assert_fails(folder, &["wind", "unicorn"], 1, "and the plants sapling, oak");
    assert_fails(folder, &["wind", "tree.csv", "-o", "a.bvh"], 1, "a plant's file ends in one of .glb");
    assert_fails(folder, &["wind", "tree.csv", "--forest", "3", "-o", "a.glb"], 1, "a forest's file ends in");
    assert_fails(folder, &["wind", "tree.csv", "--report"], 2, "--forest");
    assert_fails(folder, &["wind", "tree.csv", "--speed", "-1"], 1, "--speed: -1 is not");
    assert_fails(folder, &["wind", "tree.csv", "--seconds", "1e9"], 1, "frames are more than");
    assert_fails(folder, &["wind", "tree.csv", "--count", "999"], 1, "999 modes of 36 that there are");
    assert_fails(folder, &["wind", "tree.csv", "--wind", "none.csv"], 1, "none.csv: cannot be read");
    assert_fails(folder, &["wind", "tree.csv", "--young", "0"], 1, "young: 0 is not");
    assert_fails(folder, &["modes", "tree.csv", "--stiffness", "3"], 1, "wood instead of springs");
    assert_fails(folder, &["modes", "dog", "--young", "1e9"], 1, "only a plant has wood");
    assert_fails(folder, &["modes", "tree.csv", "--up", "w"], 2, "is not an axis");
    std::fs::write(folder.join("a.glb"), "").unwrap();
    assert_fails(folder, &["wind", "tree.csv", "-o", "a.glb"], 1, "a.glb exists; --force replaces it");
    assert_fails(
        folder,
        &[
            "wind",
            "tree.csv",
            "--step",
            "explicit",
            "--fps",
            "1",
            "--count",
            "30",
            "--damping",
            "0,0",
            "--seconds",
            "300",
        ],
        1,
        "exploded",
    );
    assert_eq!(std::fs::read(folder.join("a.glb")).unwrap(), b"");
}

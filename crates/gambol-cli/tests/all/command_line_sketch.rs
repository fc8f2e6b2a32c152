//! `gambol sketch` and `gambol reach` as a user or a script meets them: what the studio does when it makes a first sketch, shows
//! what its bursts do, or pulls a limb, without a page.

use crate::command::{assert_fails, gambol, names};
use serde_json::Value;

/// What a command that must succeed prints.
fn said(arguments: &[&str]) -> String {
    let output = gambol(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A sketch that `optimize` takes: its preview alone is made, which reads and prepares all of it.
#[test]
fn a_first_sketch_can_be_previewed_and_names_its_creature_from_where_it_is() {
    let desk = tempfile::tempdir().unwrap();
    let path = |name: &str| desk.path().join(name).to_str().unwrap().to_owned();
    let dog = said(&["sketch", "dog"]);
    assert!(dog.contains("creature = \"dog\"") && dog.contains("legs = \"alternate\""), "{dog}");
    // A left and a right foot in turn, from front to back: a trot.
    assert!(dog.contains("stance = [\"foot.front.left\", \"foot.hind.right\"]"), "{dog}");

    std::fs::create_dir(desk.path().join("in")).unwrap();
    std::fs::write(path("hound.xml"), said(&["gallery", "dog"])).unwrap();
    said(&["sketch", &path("hound.xml"), "-o", &path("in/run.toml")]);
    let text = std::fs::read_to_string(path("in/run.toml")).unwrap();
    assert!(text.contains("creature = \"../hound.xml\""), "{text}");
    said(&["optimize", &path("in/run.toml"), "--preview", "-o", &path("bursts.json")]);
    let clip: Value = serde_json::from_str(&std::fs::read_to_string(path("bursts.json")).unwrap()).unwrap();
    assert!(clip["times"].as_array().unwrap().len() > 60, "four cycles at 60 a second");
    // Nothing was searched for, and nothing of a search is left.
    assert_eq!(names(desk.path()), ["bursts.json", "hound.xml", "in"]);

    assert_fails(&["sketch", "dog", "-o", &path("in/run.toml")], 1, "--force replaces it");
    assert_fails(&["sketch", "snake"], 1, "snake: snake has no feet to run on");
    assert_fails(&["optimize", "runner", "--preview"], 2, "--output");
}

/// Turns, pace and modes are those of the gait; thresholds are those of the paper in parts of the creature's size.
#[test]
fn a_sketch_is_made_after_a_gait() {
    let desk = tempfile::tempdir().unwrap();
    let bursts = desk.path().join("bursts.json").to_str().unwrap().to_owned();
    let pace = said(&["sketch", "dog", "pace"]);
    assert!(pace.contains("name = \"pace\"") && pace.contains("legs = \"alternate\""), "{pace}");
    assert!(pace.contains("stance = [\"foot.front.left\", \"foot.hind.left\"]"), "{pace}");
    assert!(pace.contains("[[ground.priority]]") && pace.contains("size = 0."), "{pace}");
    let hop = said(&["sketch", "kangaroo", "hop"]);
    assert!(hop.contains("legs = \"together\""), "{hop}");
    said(&["optimize", "dog", "pace", "--preview", "-o", &bursts]);
    assert_eq!(names(desk.path()), ["bursts.json"]);
    assert_fails(&["sketch", "dog", "gallop"], 1, "a sketch knows nothing else");
    assert_fails(&["optimize", "runner", "hop", "--preview", "-o", &bursts], 1, "runner");
}

#[test]
fn a_limb_is_pulled_and_what_cannot_be_reached_is_told() {
    let desk = tempfile::tempdir().unwrap();
    let file = desk.path().join("pose.json").to_str().unwrap().to_owned();
    let inspected: Value = serde_json::from_str(&said(&["inspect", "dog", "--json"])).unwrap();
    let near = said(&["reach", "dog", "--pull", "foot.front.left:0.35,0.15,0.15", "--json", "-o", &file]);
    let near: Value = serde_json::from_str(&near).unwrap();
    assert!(near["miss"].as_f64().unwrap() < 1e-3, "{near}");
    assert!(!near["bend"].as_array().unwrap().is_empty(), "{near}");
    let pose: Vec<f64> = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(pose.len() as u64, inspected["nq"].as_u64().unwrap());
    said(&["modes", "dog", "--qpos", &file, "--count", "2"]);

    let far = said(&["reach", "dog", "--pull", "foot.front.left:9,0,0", "--json"]);
    let far: Value = serde_json::from_str(&far).unwrap();
    assert!(far["miss"].as_f64().unwrap() > 7.0, "{far}"); // m: its leg is shorter than one
    // One vibration takes a foot nowhere in particular; forty bend more than the springs would, but get there.
    let miss = |count: &str| {
        let pull = ["reach", "dog", "--pull", "foot.front.left:0.35,0.15,0.15", "--modes", count, "--json"];
        let told: Value = serde_json::from_str(&said(&pull)).unwrap();
        told["miss"].as_f64().unwrap()
    };
    let (one, forty) = (miss("1"), miss("40"));
    assert!(forty < 1e-3 && one > 10.0 * forty, "{one} and {forty}");
    assert_fails(&["reach", "dog", "--pull", "wing:0,0,0"], 1, "dog has no landmark or body \"wing\"");
    assert_fails(&["reach", "dog", "--pull", "head:0,0"], 2, "NAME:X,Y,Z");
    assert_fails(&["reach", "dog"], 2, "--pull");
}

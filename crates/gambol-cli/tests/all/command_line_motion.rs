//! `gambol basis`, `learn`, `compress`, `compare` and `pose` as a user meets them: a trot of the gallery's dog goes through all of them, and every
//! misuse is told by a message that names it and leaves no file behind.

use std::sync::LazyLock;

use crate::command::{assert_fails, gambol, names};
use serde_json::Value;

struct Place(tempfile::TempDir);

impl Place {
    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }
}

/// A folder with `trot.json`, `trot.pack` and `trot.basis`.
static TROT: LazyLock<Place> = LazyLock::new(|| {
    let place = Place(tempfile::tempdir().unwrap());
    let [clip, packed, basis] = ["trot.json", "trot.pack", "trot.basis"].map(|name| place.path(name));
    for arguments in [
        vec!["animate", "dog", "trot", "-o", &clip],
        vec!["compress", &clip, "-o", &packed, "--max-error", "2"],
        vec!["basis", &clip, "-o", &basis, "--count", "3"],
    ] {
        let output = gambol(&arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    place
});

fn json(arguments: &[&str]) -> Value {
    let output = gambol(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_packed_trot_is_the_trot() {
    let [clip, packed, back] = ["trot.json", "trot.pack", "back.npz"].map(|name| TROT.path(name));
    let found = json(&["compare", &clip, &packed, "--json"]);
    assert!(found["shell_error"].as_f64().unwrap() <= 2e-3, "{found}");
    // Soles roll from heel to toe: their points go 24 mm in a stance, and errors of up to 2 mm add a little to that.
    let skate = |k: usize| found["skate"][k].as_f64().unwrap();
    assert!(skate(1) < 1.2 * skate(0), "{found}");
    let convert = gambol(&["convert", &packed, &back, "--force"]);
    assert!(convert.status.success(), "{}", String::from_utf8_lossy(&convert.stderr));
    let clips = json(&["inspect", &packed, "--json"]);
    assert_eq!(clips["clip"]["name"], "trot");
    let same = json(&["compare", &packed, &back, "--json"]);
    assert!(same["max"].as_f64().unwrap() < 1e-5, "{same}");
}

#[test]
fn a_basis_tells_how_it_was_found() {
    let clip = TROT.path("trot.json");
    let found = json(&["basis", &clip, "--variance", "0.9", "--metric", "joint", "--json"]);
    let geodesics = &found["geodesics"];
    assert!(geodesics["residual"].as_f64().unwrap() < 1e-11, "{geodesics}");
    assert!(geodesics["explained"].as_f64().unwrap() >= 0.9);
    let count = found["directions"].as_array().unwrap().len() as u64;
    assert!(count <= geodesics["for_95"].as_u64().unwrap());
    assert!(geodesics["for_95"].as_u64() <= geodesics["for_99"].as_u64());
    let exact = json(&["basis", &clip, "--count", "2", "--exact", "--json"]);
    assert!(exact["exact"]["after"].as_f64() <= exact["exact"]["before"].as_f64());
    let modes = json(&["basis", "dog", "--modes", "4", "--json"]);
    assert_eq!(modes["directions"].as_array().unwrap().len(), 10, "six rigid motions and four vibrations");
}

#[test]
fn a_dog_gives_its_paw() {
    let (basis, pose) = (TROT.path("trot.basis"), TROT.path("paw.json"));
    let goal = "foot.front.left=0.35,0.1,0.1";
    let elastic = json(&["pose", "dog", "--elastic", "--goal", goal, "--json", "-o", &pose, "--force"]);
    assert!(elastic["miss"].as_f64().unwrap() < 0.01, "{elastic}");
    // The pose is one of the dog.
    let inspected = gambol(&["modes", "dog", "--qpos", &pose, "--count", "7", "--json"]);
    assert!(inspected.status.success(), "{}", String::from_utf8_lossy(&inspected.stderr));
    // A trot has three directions and no paw; it goes as near as it can.
    let learnt = json(&["pose", "dog", "--basis", &basis, "--goal", goal, "--root", "free", "--json"]);
    assert!(learnt["miss"].as_f64().unwrap() < 0.5, "{learnt}");
    let clip = TROT.path("trot.json");
    let again = json(&[
        "pose",
        "--reconstruct",
        &clip,
        "--basis",
        &basis,
        "--handles",
        "head",
        "--frames",
        "5",
        "--json",
    ]);
    assert_eq!(again["frames"], 5);
    assert!(again["mean_distance"].as_f64().unwrap() < 0.2, "{again}");
}

/// A prior of a trot reconstructs the trot, and draws and writes what it found.
#[test]
fn a_dog_learns_from_its_trot() {
    let (clip, prior) = (TROT.path("trot.json"), TROT.path("trot.prior"));
    let learnt = json(&["learn", &clip, "-o", &prior, "--frames", "20", "--force", "--json"]);
    assert_eq!(learnt["kept"], 20, "{learnt}");
    let handles = "head,foot.front.left,foot.front.right,foot.hind.left,foot.hind.right";
    let arguments = [
        "pose",
        "--reconstruct",
        &clip,
        "--prior",
        &prior,
        "--handles",
        handles,
        "--frames",
        "6",
        "--force",
        "--json",
    ];
    for (file, ending) in [("again.npz", ".npz"), ("again.png", ".png")] {
        let file = TROT.path(file);
        let again = json(&[&arguments[..], &["-o", &file]].concat());
        assert_eq!(again["frames"], 6);
        // The dog is 0.7 m long, and a frame of twenty is never far.
        assert!(again["mean_distance"].as_f64().unwrap() < 0.01, "{ending}: {again}");
        assert!(std::fs::metadata(&file).unwrap().len() > 500);
    }
    let goal = "foot.front.left=0.35,0.1,0.1";
    let paw = json(&["pose", "dog", "--prior", &prior, "--goal", goal, "--json"]);
    assert!(paw["miss"].as_f64().unwrap() < 0.01, "{paw}");
}

#[test]
fn misuse_is_told_and_leaves_nothing() {
    let place = Place(tempfile::tempdir().unwrap());
    let (clip, basis, packed) = (TROT.path("trot.json"), TROT.path("trot.basis"), TROT.path("trot.pack"));
    let [out, basis_out] = ["new.pack", "new.basis"].map(|name| place.path(name));
    for (arguments, status, message) in [
        (vec!["compress", &clip, "-o", "x.zip"], 1, "ends in .pack"),
        (vec!["compress", "none.bvh", "-o", &out], 1, "there is no such file"),
        (vec!["compress", &clip, "-o", &out, "--bytes", "20"], 1, "too few"),
        (vec!["compress", &clip, "-o", &out, "--count", "9999"], 1, "9999 directions are asked for"),
        (vec!["compress", &clip, "-o", &out, "--max-error", "0"], 2, "above 0"),
        (vec!["compress", &clip, "-o", &out, "--max-error", "1", "--rms", "1"], 2, "cannot be used with"),
        (vec!["compress", &packed, "-o", &packed, "--force"], 1, "never written over"),
        (
            vec!["basis", &clip, "-o", &basis_out, "--count", "9999"],
            1,
            "9999 directions are asked for; the poses go in",
        ),
        (vec!["basis", "dog", "-o", &basis_out], 1, "--modes takes a creature"),
        (vec!["basis", "dog", "--modes", "9999"], 1, "vibrations, not 9999"),
        (vec!["basis", &clip, "-o", &clip, "--force"], 1, "never written over"),
        (vec!["pose", "dog", "--goal", "head=0,0,1"], 2, "--basis"),
        (vec!["pose", "dog", "--elastic"], 1, "--goal"),
        (vec!["pose", "dog", "--elastic", "--goal", "wing=0,0,1"], 1, "has no landmark or body \"wing\""),
        (vec!["pose", "dog", "--elastic", "--goal", "head=0,0"], 2, "expected"),
        (
            vec!["pose", "human", "--basis", &basis, "--goal", "head=0,0,1"],
            1,
            "its joints are not those of human",
        ),
        (vec!["pose", "dog", "--prior", &basis, "--goal", "head=0,0,1"], 1, "this is no prior"),
        (
            vec!["pose", "dog", "--prior", &basis, "--elastic", "--goal", "head=0,0,1"],
            2,
            "cannot be used with",
        ),
        (
            vec!["pose", "--reconstruct", &clip, "--elastic", "--handles", "head", "-o", "x.json"],
            1,
            "written as .npz, .png or .svg",
        ),
        (vec!["learn", "dog", "-o", &basis_out], 1, "motion is read from"),
        (vec!["learn", &clip, "-o", &clip, "--force"], 1, "never written over"),
        (vec!["learn", &clip, "-o", &basis_out, "--frames", "0"], 2, "0"),
        (vec!["compare", &clip, "dog.xml"], 1, "there is no such file"),
        (
            vec!["convert", &packed, &place.path("x.npz"), "--creature", "human"],
            1,
            "joints or bones are not those of",
        ),
    ] {
        assert_fails(&arguments, status, message);
    }
    assert!(names(place.0.path()).is_empty());
}

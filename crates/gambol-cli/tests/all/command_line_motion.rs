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

/// Packed by its ends, with a basis of its own and with a shared one; a foot is moved in it, and put back.
#[test]
fn ends_are_packed_and_moved() {
    let place = Place(tempfile::tempdir().unwrap());
    let clip = TROT.path("trot.json");
    let [packed, shared, basis] = ["ends.pack", "shared.pack", "three.basis"].map(|name| place.path(name));
    let arguments = ["compress", &clip, "--method", "ik", "--count", "3", "--json", "-o"];
    let own = json(&[&arguments[..], &[&packed, "--levels", "5,6", "--metric", "joint"]].concat());
    assert!(
        own["ratio"].as_f64().unwrap() > 1.0 && own["samples_ends"].as_u64() > own["samples_root"].as_u64()
    );
    std::fs::copy(TROT.path("trot.basis"), &basis).unwrap();
    let less = json(&[&arguments[..], &[&shared, "--basis", &basis, "--levels", "5,6"]].concat());
    assert!(less["bytes"].as_u64() < own["bytes"].as_u64(), "{less} {own}");
    let direct = json(&["compress", &clip, "--basis", &basis, "-o", &place.path("direct.pack"), "--json"]);
    assert!(direct["comparison"]["shell_error"].as_f64().unwrap() <= 1e-3);
    for file in ["shared.pack", "direct.pack"] {
        assert!(json(&["compare", &clip, &place.path(file), "--json"])["rms"].as_f64().unwrap() < 0.1);
    }
    for file in [&packed, &shared] {
        let before = std::fs::read(file).unwrap();
        let moved = json(&["edit", file, "--move", "foot.front.left:0.01,0,0.02@0.1+0.2", "--json"]);
        assert!(moved["moved"][0]["miss"].as_f64().unwrap() < 1e-3 && moved["edits"] == 1, "{moved}");
        assert_ne!(std::fs::read(file).unwrap(), before);
        assert!(gambol(&["edit", file, "--clear"]).status.success());
        assert_eq!(std::fs::read(file).unwrap(), before);
    }
    let whole = std::fs::read(&shared).unwrap();
    std::fs::rename(&basis, place.path("elsewhere.basis")).unwrap();
    for (arguments, message) in [
        (vec!["inspect", &shared], "put that file beside it"),
        (vec!["edit", &shared, "--move", "head:0,0,0.1@0+0.2"], "put that file beside it"),
        (vec!["edit", &packed, "--move", "wing:0,0,0.1@0+0.2"], "has no landmark or body \"wing\""),
        (vec!["edit", &packed, "--move", "head:0,0,0.1@90+0.2"], "no key is between 90 s"),
        (vec!["edit", &packed], "nothing is edited"),
        (vec!["edit", &clip, "--clear"], "only .pack files are edited"),
        (vec!["compress", &clip, "-o", "x.pack", "--levels", "4,4"], "go with --method ik"),
        (
            vec!["compress", &clip, "-o", "x.pack", "--method", "ik", "--rms", "3"],
            "set by --count and --levels",
        ),
        (
            vec!["compress", &clip, "-o", "x.pack", "--method", "ik", "--count", "999"],
            "999 directions are asked for",
        ),
    ] {
        assert_fails(&arguments, 1, message);
    }
    assert_fails(&["edit", &packed, "--move", "head:0,0@1+1"], 2, "expected END:X,Y,Z@T+S");
    std::fs::rename(place.path("elsewhere.basis"), &basis).unwrap();
    std::fs::copy(TROT.path("trot.basis"), place.path("spare.basis")).unwrap();
    let other = json(&["basis", &clip, "-o", &basis, "--count", "2", "--force", "--json"]);
    assert_eq!(other["directions"].as_array().unwrap().len(), 2);
    assert_fails(&["inspect", &shared], 1, "is another than the one that it was packed with");
    assert_eq!(std::fs::read(&shared).unwrap(), whole);
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
    // A process of the same frames, stopped early and taken up again.
    let [process, further] = ["fitc.prior", "further.prior"].map(|name| TROT.path(name));
    let process_of = ["learn", &clip, "--force", "--json", "-o"];
    let few = ["--method", "fitc", "--frames", "20", "--latent", "3", "--inducing", "10", "--rounds", "5"];
    let begun = json(&[&process_of[..], &[&process], &few].concat());
    assert_eq!((&begun["method"], &begun["kept"]), (&Value::from("fitc"), &Value::from(20)), "{begun}");
    let gone_on = json(&[&process_of[..], &[&further, "--resume", &process, "--rounds", "20"]].concat());
    assert!(gone_on["cost"].as_f64() < begun["cost"].as_f64(), "{gone_on} {begun}");
    let goal = "foot.front.left=0.35,0.1,0.1";
    let looks =
        json(&["pose", "dog", "--prior", &further, "--goal", goal, "--look", "head=1,0.4,0.2", "--json"]);
    assert!(looks["looks_past"].as_f64().unwrap() < 1.0, "{looks}");
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

#[test]
fn a_trot_becomes_anothers() {
    let [clip, gif] = ["trot.json", "human.npz"].map(|name| TROT.path(name));
    let made = json(&["retarget", &clip, "human", "-o", &gif, "--json"]);
    assert_eq!(made["alone"], Value::Array(Vec::new()));
    assert!(made["lost"].as_array().unwrap().contains(&Value::from("tail")), "{made}");
    let pairs = made["pairs"].as_array().unwrap();
    let of = |to: &str| pairs.iter().find(|pair| pair["to"] == to).map(|pair| pair["from"].as_str().unwrap());
    assert_eq!((of("arm.left"), of("leg.right")), (Some("leg.front.left"), Some("leg.hind.right")));
    // Of a leg's length: a person's foot has no paw to stand on, and no hip that goes as far back as a dog's.
    assert!(made["miss"].as_f64().unwrap() < 0.05, "{made}");
    // What was written is a clip of the other.
    let seen = json(&["inspect", &gif, "--json"]);
    assert_eq!(seen["name"], "human", "{seen}");
}

#[test]
fn what_cannot_be_anothers_is_told() {
    let [clip, out] = ["trot.json", "not.glb"].map(|name| TROT.path(name));
    assert_fails(&["retarget", &clip, "nobody", "-o", &out], 1, "there is no creature or file \"nobody\"");
    assert_fails(&["retarget", "no.bvh", "dog", "-o", &out], 1, "no.bvh: there is no such file");
    assert_fails(&["retarget", &clip, "dog", "-o", &TROT.path("a.txt")], 1, "a clip's file ends in one of");
    assert_fails(&["retarget", &clip, "dog", "-o", &clip], 1, "is read here and never written over");
    assert_fails(&["retarget", &clip, "oak", "-o", &out], 1, "a plant stays where it is");
    assert!(!std::path::Path::new(&out).exists());
}

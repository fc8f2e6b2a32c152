//! `gambol animate` as a user or a script meets it, up to the point where the gait is played: every misuse is told by a
//! message that names it, with the right exit status, and leaves no file behind.

use crate::command::{assert_fails, gambol, names};

/// A folder to write into, as the start of paths.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn with(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }
}

/// A gait file of one component.
fn gait_file(rest: &str) -> String {
    format!(
        "version = 1\nname = \"nod\"\ncreature = \"dog\"\nfrequency = 1.5\n{rest}\n[[component]]\nmode = 6\namplitude = 0.2\n"
    )
}

#[test]
fn numbers_are_checked_as_they_are_read() {
    for (option, value, message) in [
        ("--speed", "-1", "-1 is not a finite number of at least 0"),
        ("--speed", "fast", "\"fast\" is not a number"),
        ("--speed", "nan", "NaN is not a finite number of at least 0"),
        ("--stride", "0", "0 is not a finite number above 0"),
        ("--frequency", "-2", "-2 is not a finite number above 0"),
        ("--duty", "0", "0 is not a share above 0 and at most 1"),
        ("--duty", "1.5", "1.5 is not a share above 0 and at most 1"),
        ("--turn", "inf", "inf is not a finite number"),
        ("--seconds", "0", "0 is not a time above 0"),
        ("--seconds", "1e9", "1000000000 is not a time above 0 and at most an hour"),
        ("--fps", "0", "0 is not a rate from 1 to 1000"),
        ("--weight", "0", "0 is not a finite number above 0"),
        ("--tension", "-3", "-3 is not a finite number above 0"),
        ("--stiffness", "0", "0 is not a finite number above 0"),
        ("--scale", "spine", "expected PATTERN=FACTOR"),
        ("--scale", "spine=x", "\"x\" is not a number"),
        ("--amplitude", "9", "expected MODE=NUMBER, for example 9=0.3"),
        ("--amplitude", "nine=1", "\"nine\" is not the number of a mode"),
        ("--amplitude", "-1=1", "\"-1\" is not the number of a mode"),
        ("--offset", "9=nan", "NaN is not a finite number"),
        ("--phase", "9=", "\"\" is not a number"),
        ("--bend", "knee", "expected JOINT=DEGREES, or three of them for a ball joint"),
        ("--bend", "knee=1,x", "\"x\" is not a number"),
        ("--prefer", "7,nine", "\"nine\" is not the number of a mode"),
        ("--avoid", "-1", "\"-1\" is not the number of a mode"),
        ("--terrain", "moon", "expected flat, slope:DEGREES or FILE.png:SIZE,HEIGHT"),
        ("--terrain", "slope:steep", "\"steep\" is not a number"),
        ("--terrain", "slope:95", "95 is not a slope between -90 and 90 degrees"),
        ("--terrain", "hills.png:0,1", "0 is not a finite number above 0"),
        ("--root-motion", "sideways", "possible values: travel, in-place"),
    ] {
        assert_fails(&["animate", "dog", "trot", &format!("{option}={value}")], 2, message);
    }
    assert_fails(&["animate"], 2, "<CREATURE>");
    assert_fails(&["animate", "dog", "trot", "--no-ground", "--speed", "1"], 2, "cannot be used with");
    let three = ["animate", "dog", "trot", "--speed", "2", "--stride", "1", "--frequency", "3"];
    assert_fails(&three, 1, "a stride of 1 m at 3 Hz makes 3 m/s, not 2; leave one of them out");
}

#[test]
fn outputs_are_checked_before_the_work() {
    let place = Place::new();
    let old = place.with("old.glb", "mine");
    let new = place.path("new.bvh");
    // The creature does not exist: a message about the file says that files come first.
    for (outputs, message) in [
        (
            vec!["trot.mp4"],
            "trot.mp4: a clip's file ends in one of .glb, .gltf, .bvh, .json, .npz, .png, .svg, .gif, .apng",
        ),
        (vec!["trot"], "trot: a clip's file ends in one of"),
        (vec!["nowhere/trot.glb"], "nowhere/trot.glb: there is no folder nowhere"),
        (vec![new.as_str(), old.as_str()], "old.glb exists; --force replaces it"),
        (vec![new.as_str(), new.as_str()], "new.bvh is given twice"),
    ] {
        let mut arguments = vec!["animate", "unicorn", "trot"];
        arguments.extend(outputs.iter().flat_map(|output| ["-o", *output]));
        assert_fails(&arguments, 1, message);
    }
    let folder = place.path("folder.glb");
    std::fs::create_dir(&folder).unwrap();
    assert_fails(&["animate", "dog", "trot", "-o", &folder, "--force"], 1, "folder.glb is a folder");
    assert_fails(&["animate", "dog", "trot", "--save-gait", &old], 1, "old.glb exists; --force replaces it");
    assert_fails(&["animate", "dog", "trot", "-o", &new, "--save-gait", &new], 1, "new.bvh is given twice");
    assert_eq!(names(place.0.path()), ["folder.glb", "old.glb"]);
    assert_eq!(std::fs::read_to_string(&old).unwrap(), "mine");
}

#[test]
fn gait_files_are_told_by_file_and_line() {
    let place = Place::new();
    let missing = place.path("missing.toml");
    assert_fails(&["animate", "dog", &missing], 1, "missing.toml: cannot be read: No such file");
    let future = place.with("future.toml", "version = 2\nwings = 4\n");
    assert_fails(
        &["animate", "dog", &future],
        1,
        "future.toml:1: version: version 2 is newer than this gambol (reads up to 1)",
    );
    let binary = place.path("binary.toml");
    std::fs::write(&binary, [0xff, 0xfe, 0x00]).unwrap();
    assert_fails(
        &["animate", "dog", &binary],
        1,
        "binary.toml: cannot be read: stream did not contain valid UTF-8",
    );
    let broken = place.with("broken.toml", "version = 1\nname = \"x\nfrequency = 1\n");
    assert_fails(&["animate", "dog", &broken], 1, "broken.toml:2: ");
    let typo = place.with("typo.toml", &gait_file("[style]\nweigth = 2"));
    assert_fails(
        &["animate", "dog", &typo],
        1,
        "typo.toml:6: [style] has no key \"weigth\"; did you mean weight?",
    );
    // A file without the ending is a file all the same.
    let bare = place.with("bare", "version = 3\n");
    assert_fails(&["animate", "dog", &bare], 1, "bare:1: version: version 3 is newer");
    let folder = place.path("");
    assert_fails(&["animate", "dog", &format!("{folder}x.toml/")], 1, "cannot be read");
    let high = place.with("high.toml", &gait_file("").replace("mode = 6", "mode = 99"));
    assert_fails(&["animate", "dog", &high], 1, "component 1: there is no mode 99; dog has modes 0 to 79");
    let outside = place.with(
        "outside.toml",
        "version = 1\nfrequency = 1\n[ground.terrain]\nfile = \"/etc/passwd\"\nsize = 1\nheight = 1\n",
    );
    assert_fails(&["animate", "dog", &outside], 1, "outside.toml:4: file: /etc/passwd: it lies outside of");
}

#[test]
fn styles_that_do_not_fit_the_creature_are_told() {
    let place = Place::new();
    let nod = place.with("nod.toml", &gait_file(""));
    let output = place.path("nod.glb");
    for (options, message) in [
        (["--pose", "handstand"], "dog has no pose \"handstand\"; it has reference, rest"),
        (["--injured", "wing"], "dog has no foot \"wing\"; it has foot.front.left, foot.front.right"),
        (["--scale", "wing.*=2"], "\"wing.*=2.0\" matches no joint of dog"),
        (["--scale", "(=2"], "\"(=2.0\""),
        (["--constrain", "glue:tail"], "constraint \"glue:tail\""),
        (["--amplitude", "99=0.1"], "there is no mode 99; dog has modes 0 to 79"),
        (["--offset", "u80=0.1"], "there is no mode 80; dog has modes 0 to 79"),
        (["--phase", "123456789=0.1"], "there is no mode 123456789; dog has modes 0 to 79"),
        (["--bend", "wing=20"], "bend of joint \"wing\": dog has no such joint"),
        (["--prefer", "99"], "there is no mode 99; dog has modes 0 to 79"),
        (["--avoid", "2"], "avoid: mode 2 moves the whole body"),
        (["--avoid", "6"], "without the modes to avoid, none of its modes is left"),
        (["--terrain", "nowhere.png"], "nowhere.png: cannot be read: No such file"),
    ] {
        let save = place.path("saved.toml");
        let all = [&["animate", "dog", &nod, "-o", &output, "--save-gait", &save], &options[..]].concat();
        assert_fails(&all, 1, message);
    }
    assert_fails(&["animate", "unicorn", "trot"], 1, "there is no creature or file \"unicorn\"");
    assert_fails(&["animate", "dog", "-o", &output], 1, "which gait?");
    assert_eq!(names(place.0.path()), ["nod.toml"]);
}

#[test]
fn help_has_examples() {
    let output = gambol(&["animate", "--help"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("Examples:") && said.contains("--save-gait"));
}

#[test]
fn scripts_are_played_into_any_file() {
    let place = Place::new();
    let (glb, npz) = (place.path("go.glb"), place.path("go.npz"));
    let script = "idle 0.4, walk 1, stop 0.6";
    let json =
        gambol(&["animate", "spider", "--script", script, "--fps", "30", "--json", "-o", &glb, "-o", &npz]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["name"], "script");
    assert!((json["seconds"].as_f64().unwrap() - 2.0).abs() < 1e-6);
    assert!(json["residual_force"].as_f64().unwrap() < 0.15, "{json}");
    assert!(std::fs::metadata(&glb).unwrap().len() > 1000 && std::fs::metadata(&npz).unwrap().len() > 1000);
}

#[test]
fn scripts_and_sets_that_make_no_sense_are_told() {
    let place = Place::new();
    let out = place.path("a.glb");
    for (arguments, message) in [
        (vec!["dog", "--script", "walk"], "act 1 of the script: walk needs a time in seconds"),
        (vec!["dog", "--script", "walk 2, run 2 in 0"], "cannot come about in 0 s"),
        (vec!["human", "--script", "trot 2"], "two pairs of legs"),
        (vec!["dog", "--script", "fly 2"], "fly"),
        (vec!["snake", "--set", "locomotion"], "no legs"),
    ] {
        let arguments = [vec!["animate"], arguments, vec!["-o", &out]].concat();
        assert_fails(&arguments, 1, message);
    }
    assert_eq!(std::fs::read_dir(place.0.path()).unwrap().count(), 0);
}

#[test]
fn several_clips_go_into_one_glb() {
    let place = Place::new();
    let path = place.path("a.glb");
    gambol(&["animate", "spider", "walk", "run", "walk", "--fps", "30", "-o", &path]);
    let bytes = std::fs::read(&path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let names: Vec<&str> =
        json["animations"].as_array().unwrap().iter().map(|clip| clip["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["walk", "run", "walk.001"]);
}

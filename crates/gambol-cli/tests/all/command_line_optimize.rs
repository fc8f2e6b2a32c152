//! `gambol optimize` as a user or a script meets it. A search takes minutes, so nothing may be lost of it: the best is written
//! however it ends, a search that was stopped, killed or out of budget goes on to the same bytes as one that never was, and
//! every misuse is told before it begins, by a message that names it, and leaves no file behind. What was found is then
//! simulated.

use std::path::PathBuf;

use crate::command::{assert_fails, gambol, names};
use serde_json::Value;

/// Exit status of a search that did not converge.
const STALLED: i32 = 3;

/// Coarse steps, as no test lasts long enough to find anything.
const COARSE: [&str; 4] = ["--step", "0.004", "--seed", "3"];

/// A folder to search in.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn files(&self) -> Vec<String> {
        names(self.0.path())
    }

    fn files_of(&self, folder: &str) -> Vec<String> {
        names(&self.path(folder))
    }

    /// A sketch of the gallery with one text in place of another.
    fn sketch(&self, name: &str, from: &str, to: &str) -> String {
        let text = String::from_utf8(gambol(&["gallery", "--sketch", "runner"]).stdout).unwrap();
        assert!(text.contains(from), "{from}");
        std::fs::write(self.path(name), text.replacen(from, to, 1)).unwrap();
        self.text(name)
    }
}

/// Runs a short search to the end of its budget; what it printed.
fn search(arguments: &[&str]) -> String {
    let output = gambol(&[&["optimize"], arguments, &COARSE].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(STALLED), "{arguments:?}: {said}");
    assert!(said.contains("runner stalled: "), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_search_that_goes_on_finds_what_one_without_a_break_finds() {
    let desk = Desk::new();
    for folder in ["a", "b"] {
        std::fs::create_dir(desk.path(folder)).unwrap();
    }
    let (a, b) = (desk.text("a/runner.toml"), desk.text("b/runner.toml"));
    let said = search(&["runner", "--budget", "240", "--controller", &a, "--threads", "1"]);
    assert!(said.contains("runner stalled: ") && said.contains("to go on: --resume"), "{said}");
    assert_eq!(names(&desk.path("a")), ["runner.checkpoint", "runner.toml"]);

    let on = ["runner", "--controller", &b, "--threads", "2", "--budget"];
    search(&[&on[..], &["100"]].concat());
    let short = std::fs::read(&b).unwrap();
    assert_fails(&[&["optimize"], &on[..], &["240"]].concat(), 1, "runner.toml exists; --force replaces it");
    search(&[&on[..], &["240", "--resume", "--force"]].concat());
    assert_ne!(std::fs::read(&b).unwrap(), short);
    let (a, b) = (std::fs::read_to_string(&a).unwrap(), std::fs::read_to_string(&b).unwrap());
    assert_eq!(a, b, "bit for bit, on one thread or two");
    assert!(a.contains("status = \"stalled: ") && a.contains("seed = 3"), "{a}");
    let checkpoint = |folder: &str| std::fs::read(desk.path(&format!("{folder}/runner.checkpoint"))).unwrap();
    assert_eq!(checkpoint("a"), checkpoint("b"));
}

#[test]
fn all_that_was_found_is_written_and_simulated() {
    let desk = Desk::new();
    let [controller, clip, strip, kept] = ["c.toml", "c.json", "c.png", "kept"].map(|name| desk.text(name));
    let files = ["--controller", &controller, "-o", &clip, "-o", &strip, "--checkpoint", &kept];
    let arguments = [&["runner", "--budget", "60", "--json"], &files[..]].concat();
    let report: Value = serde_json::from_str(&search(&arguments)).unwrap();
    assert_eq!(desk.files(), ["c.json", "c.png", "c.toml", "kept"]);
    assert_eq!((report["status"].as_str(), report["creature"].as_str()), (Some("stalled"), Some("biped")));
    assert!(report["stalled"]["by"].as_f64().unwrap() > 0.0);
    assert!(report["evaluations"].as_u64().unwrap() >= 60);
    let best = &report["best"];
    assert_eq!(best["constraints"].as_array().unwrap().len(), 9);
    assert_eq!(best["stride"]["flight"][0]["mode"], 11);
    let period = best["stride"]["period"].as_f64().unwrap();
    let number = |text: &str| -> Value { serde_json::from_slice(&std::fs::read(text).unwrap()).unwrap() };
    let times = number(&clip)["times"].as_array().unwrap().clone();
    let last = times.last().unwrap().as_f64().unwrap();
    // One cycle, or up to where the best of sixty fell.
    assert!(last <= period + 1e-9 && times.len() > 1, "{last} s of {period} s");

    let simulated = |arguments: &[&str]| -> Value {
        let output = gambol(&[&["simulate", "biped", &controller, "--json"], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let run = simulated(&[]);
    assert_eq!((run["control"].as_str(), run["step"].as_f64()), (Some("runner"), Some(0.004)));
    let of_cycles = |name: &str| run["cycles"][name].as_f64().unwrap();
    assert_eq!(of_cycles("period"), period);
    // Twenty cycles, but for a part of a step.
    assert!((of_cycles("simulated") - 20.0).abs() < 0.01, "{run}");
    assert!(of_cycles("upright") <= of_cycles("simulated"));
    assert_eq!(run["cycles"]["fall"].is_null(), of_cycles("upright") == of_cycles("simulated"));
    let brief = simulated(&["--seconds", "0.1", "--step", "0.001"]);
    assert_eq!((brief["seconds"].as_f64(), brief["step"].as_f64()), (Some(0.1), Some(0.001)));
    assert!(brief["cycles"]["fall"].is_null(), "{brief}");
    let balanced = simulated(&["--seconds", "0.1", "--balance"]);
    assert_eq!(balanced["cycles"]["balance"], true);
    assert_fails(&["simulate", "loop", "pump", "--balance"], 1, "--balance is for controllers");

    let sketch = desk.sketch("sketch.toml", "", "");
    for (arguments, message) in [
        (vec!["human", &controller], "creature: the controller is for biped with 1"),
        (vec!["biped", &sketch], "[stride] is missing; gambol optimize makes a controller of a sketch"),
        (vec!["biped", &controller, "--pose", "run"], "--pose and --qpos are for passive and pump"),
        (
            vec!["biped", &controller, "--stiffness", "9"],
            "--stiffness and --scale do not go with a controller",
        ),
    ] {
        assert_fails(&[&["simulate"], arguments.as_slice()].concat(), 1, message);
    }
    let text = std::fs::read_to_string(&controller).unwrap();
    std::fs::write(&controller, text.replacen("velocity = [", "velocity = [1.0,", 1)).unwrap();
    assert_fails(&["simulate", "biped", &controller], 1, "velocity: 37 numbers for 36 velocities of biped");
}

#[test]
fn a_search_that_begins_at_a_controller_converges() {
    let desk = Desk::new();
    let given = ::gambol::gallery::controller("runner").unwrap();
    std::fs::write(desk.path("given.toml"), given).unwrap();
    let (from, to) = (desk.text("given.toml"), desk.text("found.toml"));
    let output = gambol(&["optimize", &from, "--controller", &to, "--budget", "8000"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(desk.files(), ["found.toml", "given.toml"], "the checkpoint is gone");
    assert!(std::fs::read_to_string(&to).unwrap().contains("status = \"converged\""));

    // Both run, by name and as a file, and corrections keep them up.
    for controller in ["runner", to.as_str()] {
        let output = gambol(&["simulate", "biped", controller, "--balance", "--json"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(report["cycles"]["upright"].as_f64().unwrap() > 2.0, "{}", report["cycles"]);
    }
}

#[test]
fn a_creature_is_found_beside_its_sketch() {
    let desk = Desk::new();
    std::fs::write(desk.path("mine.xml"), gambol(&["gallery", "biped"]).stdout).unwrap();
    let sketch = desk.sketch("sketch.toml", "creature = \"biped\"", "creature = \"mine.xml\"");
    std::fs::create_dir(desk.path("found")).unwrap();
    let controller = desk.text("found/c.toml");
    search(&[&sketch, "--budget", "17", "--controller", &controller]);
    assert_eq!(names(&desk.path("found")), ["c.toml", "sketch.checkpoint"]);
    let text = std::fs::read_to_string(&controller).unwrap();
    assert!(text.contains("creature = \"../mine.xml\""), "{text}");
    let mine = desk.text("mine.xml");
    let output = gambol(&["simulate", &mine, &controller, "--seconds", "0.1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // It is told apart from others, so it was found from where the controller is.
    assert_fails(&["simulate", "dog", &controller], 1, "mine.xml with ");
}

#[test]
fn without_files_the_controller_goes_to_stdout() {
    let desk = Desk::new();
    let kept = desk.text("kept");
    let text = search(&["runner", "--budget", "17", "--checkpoint", &kept]);
    assert!(text.starts_with("# A controller") && text.contains("\n[stride]\n"), "{text}");
}

/// How a search takes it to be interrupted and killed.
#[cfg(unix)]
mod signals {
    use std::io::{BufRead, BufReader};
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    use super::{COARSE, Desk, search};
    use serde_json::Value;

    /// A search that goes on until it is stopped, and that has found something.
    fn endless(desk: &Desk) -> Child {
        let controller = desk.text("runner.toml");
        let mut child = Command::new(env!("CARGO_BIN_EXE_gambol"))
            .args(["optimize", "runner", "--json", "--threads", "1", "--controller", &controller])
            .args(COARSE)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        stderr.read_line(&mut first).unwrap();
        assert!(first.contains("round 0, sampling") && first.contains("/s, at most"), "{first}");
        // It must not be closed while something is said.
        std::thread::spawn(move || stderr.lines().for_each(drop));
        child
    }

    #[test]
    fn ctrl_c_keeps_the_best() {
        let desk = Desk::new();
        let child = endless(&desk);
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["status"], "stopped");
        assert_eq!(desk.files(), ["runner.checkpoint", "runner.toml"]);
        let text = std::fs::read_to_string(desk.path("runner.toml")).unwrap();
        assert!(text.contains("status = \"stopped\""), "{text}");
    }

    #[test]
    fn a_search_that_was_killed_goes_on() {
        let desk = Desk::new();
        let mut child = endless(&desk);
        let kept = |path: &Path| -> usize {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let count = text.lines().find_map(|line| line.strip_prefix("evaluations "));
            count.map_or(0, |count| count.parse().unwrap())
        };
        let checkpoint = desk.path("runner.checkpoint");
        while kept(&checkpoint) == 0 {
            std::thread::sleep(Duration::from_millis(50));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!desk.path("runner.toml").exists());
        let done = kept(&checkpoint);
        let budget = (done + 20).to_string();
        let controller = desk.text("runner.toml");
        let report =
            search(&["runner", "--json", "--resume", "--budget", &budget, "--controller", &controller]);
        let report: Value = serde_json::from_str(&report).unwrap();
        assert!(report["evaluations"].as_u64().unwrap() >= done as u64 + 20);
        assert!(desk.path("runner.toml").exists());
    }
}

#[test]
fn sketches_that_cannot_be_searched_for_are_told_with_their_lines() {
    let desk = Desk::new();
    for (from, to, message) in [
        ("mode = 11", "mode = 99", "there is no flight mode 99; there are 6 to 35"),
        ("mode = 11", "mode = 3", "mode 3 bends nothing; the first vibration is mode 6"),
        ("[flight]\n", "[flight]\nexcluded = [11]\n", "flight mode 11 has priority and is excluded"),
        (
            "permissible = [10",
            "excluded = [10]\npermissible = [10",
            "flight mode 10 is permissible and excluded",
        ),
        ("creature = \"biped\"", "creature = \"yeti.xml\"", "there is no creature or file"),
        ("period = 0.7 ", "period = 0 ", "period: 0 is not a finite number above 0"),
        ("legs =", "leg =", "a sketch has no key \"leg\"; did you mean legs?"),
    ] {
        let sketch = desk.sketch("sketch.toml", from, to);
        let wrong = std::fs::read_to_string(&sketch).unwrap();
        let mark = to.lines().last().unwrap();
        let line = 1 + wrong.lines().position(|line| line.starts_with(mark)).unwrap();
        let (out, place) = (desk.text("c.toml"), format!("sketch.toml:{line}: "));
        assert_fails(&["optimize", &sketch, "--controller", &out], 1, message);
        assert_fails(&["optimize", &sketch, "--controller", &out], 1, &place);
        assert_eq!(desk.files(), ["sketch.toml"]);
    }
    let nothing = "version = 1\ncreature = \"biped\"\nperiod = 0.7\nspeed = 2\n[flight]\npermissible = []\n";
    std::fs::write(desk.path("sketch.toml"), nothing).unwrap();
    assert_fails(&["optimize", &desk.text("sketch.toml")], 1, "no permissible mode is left");
    assert_eq!(desk.files(), ["sketch.toml"]);
}

#[test]
fn misuse_is_told_before_the_search() {
    let desk = Desk::new();
    let kept = desk.text("kept");
    let kept = ["--checkpoint", &kept];
    for (option, value, message) in [
        ("--budget", "0", "0 is not a whole number above 0"),
        ("--budget", "-5", "-5 is not a whole number above 0"),
        ("--threads", "0", "0 is not a whole number above 0"),
        ("--step", "1", "1 is not a time from 1e-7 to 0.1 s"),
        ("--seed", "x", "invalid value 'x'"),
        ("--method", "luck", "invalid value 'luck'"),
    ] {
        assert_fails(&[&["optimize", "runner", option, value], &kept[..]].concat(), 2, message);
    }
    std::fs::write(desk.path("there.glb"), "x").unwrap();
    let (there, ending, nowhere) = (desk.text("there.glb"), desk.text("a.mp4"), desk.text("no/a.glb"));
    for (arguments, message) in [
        (vec!["sprinter"], "there is no sketch or file \"sprinter\"; the gallery has runner, hopper"),
        (vec!["runner", "-o", &there], "there.glb exists; --force replaces it"),
        (vec!["runner", "-o", &ending], "a clip's file ends in one of"),
        (vec!["runner", "-o", &nowhere], "there is no folder"),
        (vec!["runner", "--resume"], "--resume: there is no checkpoint"),
        (vec!["runner", "--controller", kept[1]], "cannot be the checkpoint as well"),
    ] {
        assert_fails(&[&["optimize"], arguments.as_slice(), &kept].concat(), 1, message);
    }
    assert_eq!(desk.files(), ["there.glb"]);
}

#[test]
fn only_the_same_search_goes_on() {
    let desk = Desk::new();
    let kept = desk.text("kept");
    let arguments = ["runner", "--budget", "17", "--checkpoint", &kept];
    search(&arguments);
    let before = std::fs::read_to_string(&kept).unwrap();
    let fails = |arguments: &[&str], message: &str| {
        let coarse = [&["optimize"], arguments, &["--checkpoint", &kept, "--step", "0.004"]].concat();
        assert_fails(&coarse, 1, message);
        assert_eq!(desk.files(), ["kept"]);
    };
    fails(&["runner", "--seed", "3"], "kept exists; --resume goes on from it, --force begins anew");
    fails(&["kangaroo", "--seed", "3", "--resume"], "it was made from another sketch");
    fails(&["runner", "--seed", "4", "--resume"], "it was made with other settings");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), before, "it is still there");
    std::fs::write(&kept, &before[..before.len() / 2]).unwrap();
    fails(&["runner", "--seed", "3", "--resume"], "not a checkpoint of");
    search(&[&arguments[..], &["--force"]].concat());
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), before, "begun anew with the same seed");
}

/// What `found.json` of a folder says.
fn found(folder: &std::path::Path) -> Vec<Value> {
    serde_json::from_slice(&std::fs::read(folder.join("found.json")).unwrap()).unwrap()
}

#[test]
fn many_searches_find_what_each_finds_alone() {
    let desk = Desk::new();
    let (folder, alone) = (desk.text("found"), desk.text("alone.toml"));
    let many =
        ["optimize", "runner", "hopper", "--seeds", "3-4", "--step", "0.004", "-o", &folder, "--keep", "all"];
    let output = gambol(&[&many[..], &["--budget", "100", "--threads", "2"]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(STALLED), "{said}");
    assert!(
        said.contains("no search for runner converged") && said.contains("hopper, seed 4: stalled"),
        "{said}"
    );
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("runner") && told.contains("0 of 2"), "{told}");
    let of_each =
        |name: &str| [3, 4].map(|seed| ["checkpoint", "toml"].map(|end| format!("{name}-{seed}.{end}")));
    let all = of_each("hopper").into_iter().chain(of_each("runner")).flatten();
    let mut wanted: Vec<String> = all.chain(["found.json".to_owned()]).collect();
    wanted.sort();
    assert_eq!(names(&desk.path("found")), wanted);

    search(&["runner", "--budget", "100", "--controller", &alone]);
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap();
    assert_eq!(
        read(desk.path("alone.toml")),
        read(desk.path("found/runner-3.toml")),
        "the same seed, byte for byte"
    );

    // It is not begun anew by mistake; with a larger budget each goes on, and is what one without a break would be.
    assert_fails(&many, 1, "exists; --resume goes on from it, --force begins anew");
    gambol(&[&many[..], &["--budget", "240", "--resume"]].concat());
    search(&["runner", "--budget", "240", "--controller", &alone, "--force"]);
    assert_eq!(read(desk.path("alone.toml")), read(desk.path("found/runner-3.toml")));
    let rows = found(&desk.path("found"));
    assert!(rows.len() == 4 && rows.iter().all(|row| row["evaluations"].as_u64() >= Some(240)), "{rows:?}");
}

#[test]
fn of_many_searches_the_best_controller_is_kept() {
    let desk = Desk::new();
    let folder = desk.text("found");
    let arguments =
        ["optimize", "hopper", "--seeds", "5,1-2", "--budget", "120", "--step", "0.004", "-o", &folder];
    let output = gambol(&[&arguments[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(STALLED));
    let told: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told, found(&desk.path("found")));
    assert_eq!(told.iter().map(|row| row["seed"].as_u64().unwrap()).collect::<Vec<_>>(), [5, 1, 2]);
    // None converged: the best is the one that is nearest to repeating itself.
    let gap = |row: &Value| row["best"]["gap"].as_f64().unwrap();
    let best = told.iter().min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap();
    let kept: Vec<String> = desk
        .files_of("found")
        .into_iter()
        .filter(|name| !name.ends_with("json") && !name.ends_with("checkpoint"))
        .collect();
    assert_eq!(kept, [best["controller"].as_str().unwrap()]);
    assert_eq!(told.iter().filter(|row| row["controller"].is_null()).count(), 2);
}

#[test]
fn what_is_wrong_with_many_searches_is_told_before_they_begin() {
    let desk = Desk::new();
    let (folder, file) = (desk.text("found"), desk.text("a.toml"));
    std::fs::write(&file, "no sketch").unwrap();
    let wrong =
        |arguments: &[&str], status, words| assert_fails(&[&["optimize"], arguments].concat(), status, words);
    wrong(&["runner", "--seeds", "1-2"], 1, "-o DIR");
    wrong(&["runner", "--seeds", "2-1", "-o", &folder], 2, "expected the smaller one first");
    wrong(&["runner", "--seeds", "1,1-2", "-o", &folder], 2, "seed 1 is given twice");
    wrong(&["runner", "--seeds", "one", "-o", &folder], 2, "is not a whole number");
    wrong(&["runner", "--seeds", "1-1000000000", "-o", &folder], 2, "more than");
    wrong(&["runner", "--seeds", "1", "--seed", "2", "-o", &folder], 2, "cannot be used with");
    wrong(&["runner", "--keep", "all"], 2, "--seeds");
    wrong(&["runner", "hopper", "squat"], 2, "--seeds");
    wrong(
        &["runner", "sprinter", "--seeds", "1", "-o", &folder],
        1,
        "there is no sketch or file \"sprinter\"",
    );
    wrong(&["runner", "runner", "--seeds", "1", "-o", &folder], 1, "two sketches are called runner");
    wrong(&["runner", "--seeds", "1", "-o", &file], 1, "is no folder");
    assert_eq!(desk.files(), ["a.toml"], "nothing was begun");
}

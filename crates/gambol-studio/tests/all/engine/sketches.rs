//! From a sketch to a controller, by messages. Everything is held against the library: palettes against the modes of a stage, a
//! search by requests against the library's own with the same seed and as many steps, a preview against the conservation of
//! momentum, and what goes home against the reader that takes it back.

use gambol::LoadOptions;
use gambol::control::locomotion::{Found, StrideSearch, StrideSettings, controller_to_toml, read_controller};
use gambol::control::search::{OneThread, Outcome, SearchSettings};
use gambol::control::sketch::{Phase, Sketch, Stage, read};
use gambol::dynamics::{Data, center_of_mass};
use gambol::gallery;
use gambol::model::Creature;
use gambol_studio::Engine;
use serde_json::{Value, json};

use super::support::{Answer, Page, as_f32, floats, gallery as from_gallery, index};

fn creature(name: &str) -> Creature {
    gambol::load(name, &LoadOptions::default()).unwrap()
}

fn stage(name: &str) -> (Sketch, Stage) {
    read(gallery::sketch(name).unwrap(), |creature| Ok(self::creature(creature))).unwrap()
}

/// A sketch of the gallery as the page has it, and its creature.
fn opened(page: &mut Page, name: &str) -> (Value, Value) {
    let answer = page.ask(json!({ "ask": "read-gait", "text": gallery::sketch(name).unwrap() })).head;
    (answer["creature"].clone(), answer["sketch"].clone())
}

fn keys(answer: &Answer, nq: usize) -> Vec<Vec<f64>> {
    let poses = answer.numbers(&answer.head["clip"]["poses"]);
    poses.chunks_exact(nq).map(|pose| pose.iter().map(|x| f64::from(*x)).collect()).collect()
}

#[test]
fn palettes_are_the_modes_of_the_stage() {
    let mut page = Page::new();
    for name in gallery::sketches() {
        let (whose, sketch) = opened(&mut page, name);
        let (_, stage) = stage(name);
        let answer = page.ask(json!({ "ask": "sketch", "creature": whose, "sketch": sketch }));
        assert_eq!(answer.head["sketch"], sketch, "nothing was to be counted anew");
        for (k, phase) in Phase::BOTH.into_iter().enumerate() {
            let basis = &answer.head[phase.name()];
            let modes = stage.basis(phase);
            let frequencies: Vec<f64> =
                modes.directions().iter().filter_map(gambol::motion::Direction::frequency).collect();
            let told: Vec<f64> = basis["modes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|mode| mode["frequency"].as_f64().unwrap())
                .collect();
            assert_eq!(told, frequencies);
            let shapes = modes.directions().iter().flat_map(|mode| mode.shape.iter().copied());
            assert_eq!(answer.numbers(&basis["shapes"]), as_f32(shapes));
            let active: Vec<usize> = stage.active[k].iter().map(|active| active.mode).collect();
            let told: Vec<usize> = basis["active"].as_array().unwrap().iter().map(index).collect();
            assert_eq!(told, active);
            assert_eq!(floats(&basis["pose"]), modes.mean());
        }
    }
}

/// A creature without a sketch gets one that works: left and right in turn where it has both.
#[test]
fn every_legged_creature_has_a_sketch_to_begin_with() {
    let mut page = Page::new();
    for (name, stance) in [("dog", 2), ("biped", 1), ("spider", 4), ("kangaroo", 1), ("monster", 1)] {
        let whose = from_gallery(name);
        let answer = page.ask(json!({ "ask": "sketch", "creature": whose, "sketch": null })).head;
        let sketch = &answer["sketch"];
        assert_eq!(sketch["legs"], "alternate", "{name}");
        assert_eq!(sketch["stance"].as_array().unwrap().len(), stance, "{name}: {}", sketch["stance"]);
        assert_eq!(answer["flight"]["active"].as_array().unwrap().len(), 12, "{name}");
        let again = page.ask(json!({ "ask": "sketch", "creature": whose, "sketch": sketch })).head;
        assert_eq!(again["sketch"], *sketch);
        let begun = page.ask(json!({ "ask": "search", "creature": whose, "sketch": sketch, "seed": 1 })).head;
        assert_eq!(begun["evaluations"], 0);
        let stepped = page.ask(json!({ "ask": "improve", "steps": 1 })).head;
        assert!(index(&stepped["evaluations"]) > 0, "{name}");
    }
    let dog = page.ask(json!({ "ask": "sketch", "creature": from_gallery("dog"), "sketch": null })).head;
    assert_eq!(dog["sketch"]["stance"], json!(["foot.front.left", "foot.hind.right"]), "a trot");
    let refused =
        page.trouble(json!({ "ask": "sketch", "creature": from_gallery("loop"), "sketch": null }), &[]);
    assert!(refused.contains("feet"), "{refused}");
}

/// Nothing acts from outside: the centre of mass stays where it is, while the priority modes move the limbs.
#[test]
fn a_preview_floats_and_moves() {
    let mut page = Page::new();
    let (whose, sketch) = opened(&mut page, "runner");
    let answer = page.ask(json!({ "ask": "preview", "creature": whose, "sketch": sketch }));
    let (_, stage) = stage("runner");
    let mut data = Data::new(&stage.creature);
    let poses = keys(&answer, stage.creature.nq());
    assert!(poses.len() > 100, "{}", poses.len());
    let start = center_of_mass(&stage.creature, &mut data, &poses[0]);
    for pose in &poses {
        let drift = (center_of_mass(&stage.creature, &mut data, pose) - start).norm();
        // Steps of the first order, and poses of f32: a fall would be metres.
        assert!(drift < 0.01, "{drift} m");
    }
    let bends = |pose: &Vec<f64>| {
        pose[7..].iter().zip(&poses[0][7..]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let most = poses.iter().map(bends).fold(0.0, f64::max);
    assert!(most > 0.1, "{most} rad");

    let mut still = sketch.clone();
    for phase in ["flight", "ground"] {
        still[phase]["priority"] = json!([]);
    }
    let answer = page.ask(json!({ "ask": "preview", "creature": whose, "sketch": still }));
    let poses = keys(&answer, stage.creature.nq());
    // Without green modes nothing moves it: it stays as it is but for rounding.
    assert!(poses.iter().flatten().zip(poses[0].iter().cycle()).all(|(a, b)| (a - b).abs() < 1e-4));
}

const STEPS: usize = 6;

/// The library's search with the same seed, after as many steps.
fn library(name: &str, seed: u64, steps: usize) -> String {
    let (sketch, stage) = stage(name);
    let settings = SearchSettings { seed, ..SearchSettings::default() };
    let (owned, step) = (std::sync::Arc::new(stage.clone()), StrideSettings::default().step);
    let mut search = StrideSearch::of_sketch(&sketch, &owned, step, settings).unwrap();
    for _ in 0..steps {
        search.step(&mut OneThread);
    }
    let (stride, _) = search.nearest_stride().unwrap();
    let found = Found::of(&search, &Outcome::Stopped);
    controller_to_toml(&sketch, &stage, &stride, step, found.as_ref())
}

/// Step by step or several at once, on one thread or more, in one engine or in the one after it was killed: what is found is
/// what the library finds, bit for bit.
#[test]
fn a_search_by_requests_is_the_library_s_search() {
    let mut page = Page::new();
    let (whose, sketch) = opened(&mut page, "kangaroo");
    let begin = json!({ "ask": "search", "creature": whose, "sketch": sketch, "seed": 5 });
    page.ask(begin.clone());
    let mut last = Value::Null;
    for _ in 0..STEPS {
        last = page.ask(json!({ "ask": "improve", "steps": 1 })).head;
    }
    assert!(last["best"]["gap"].as_f64().unwrap() > 0.0);
    assert_eq!(last["best"]["constraints"].as_array().unwrap().len(), 9);
    assert_eq!(last["outcome"], Value::Null);
    let kept = page.ask(json!({ "ask": "improve", "steps": 0, "keep": true })).head["kept"].clone();
    assert_eq!(kept["controller"].as_str().unwrap(), library("kangaroo", 5, STEPS));

    let start = serde_json::from_value(from_gallery("dog")).unwrap();
    let mut next = Page::new();
    next.engine = Engine::new(Box::new(gambol_studio::MemoryShelf::default()), start).with_threads(2);
    assert!(next.trouble(json!({ "ask": "improve", "steps": 1 }), &[]).contains("no search"));
    let mut resume = begin.clone();
    resume["checkpoint"] = kept["checkpoint"].clone();
    let resumed = next.ask(resume).head;
    assert_eq!(resumed["evaluations"], last["evaluations"]);
    let after = next.ask(json!({ "ask": "improve", "steps": STEPS, "keep": true })).head;
    assert_eq!(after["kept"]["controller"].as_str().unwrap(), library("kangaroo", 5, 2 * STEPS));

    next.ask(json!({ "ask": "stop" }));
    assert!(next.trouble(json!({ "ask": "improve", "steps": 1 }), &[]).contains("no search"));
}

/// The best candidate is told when it is new, and only then; it plays as a cycle.
#[test]
fn the_best_candidate_moves() {
    let mut page = Page::new();
    let (whose, sketch) = opened(&mut page, "kangaroo");
    page.ask(json!({ "ask": "search", "creature": whose, "sketch": sketch, "seed": 1 }));
    let first = page.ask(json!({ "ask": "improve", "steps": 1 }));
    let creature = creature("kangaroo");
    let poses = keys(&first, creature.nq());
    assert!(poses.len() > 10);
    assert!(poses.iter().flatten().all(|x| x.is_finite()));
    let again = page.ask(json!({ "ask": "improve", "steps": 0 })).head;
    assert_eq!(again["clip"], Value::Null);
    let trouble = page.trouble(json!({ "ask": "improve", "steps": 1_000_000 }), &[]);
    assert!(trouble.contains("at most"), "{trouble}");
}

#[test]
fn what_was_found_goes_home_and_comes_back() {
    let mut page = Page::new();
    let (whose, mut sketch) = opened(&mut page, "runner");
    let export = |sketch: &Value, format: &str| json!({ "ask": "export", "creature": whose, "style": {}, "what": { "of": "controller", "sketch": sketch }, "format": format, "seconds": null });
    let early = page.trouble(export(&sketch, "controller"), &[]);
    assert!(early.contains("optimise"), "{early}");
    page.ask(json!({ "ask": "search", "creature": whose, "sketch": sketch, "seed": 2 }));
    let kept = page.ask(json!({ "ask": "improve", "steps": 3, "keep": true })).head["kept"].clone();
    sketch["found"] = json!({ "seed": 2, "controller": kept["controller"], "status": "stopped", "evaluations": 1, "speed": 1.0, "gap": 3.0 });

    let text = page.ask(export(&sketch, "controller"));
    assert_eq!(text.head["name"], "biped-runner.toml");
    let text = String::from_utf8(text.bytes).unwrap();
    assert_eq!(text, kept["controller"].as_str().unwrap());
    let (_, _, stride, step) = read_controller(&text, |name| Ok(creature(name))).unwrap();
    assert!(stride.period > 0.0 && step > 0.0);
    let back = page.ask(json!({ "ask": "read-gait", "text": text })).head;
    assert_eq!(back["creature"], whose);
    assert_eq!(back["sketch"]["found"]["controller"].as_str().unwrap(), text);
    for key in ["flight", "ground", "stance", "period", "pose"] {
        assert_eq!(back["sketch"][key], sketch[key], "{key}");
    }

    let plain = String::from_utf8(page.ask(export(&sketch, "sketch")).bytes).unwrap();
    let again = page.ask(json!({ "ask": "read-gait", "text": plain })).head;
    assert_eq!(again["sketch"]["found"], Value::Null);
    assert_eq!(again["sketch"]["ground"], sketch["ground"]);

    let glb = page.ask(export(&sketch, "glb"));
    assert_eq!(&glb.bytes[..4], b"glTF");
    assert_eq!(glb.head["name"], "biped-runner.glb");

    let drive = json!({ "by": "controller", "sketch": sketch });
    let begun = page.ask(json!({ "ask": "simulate", "creature": whose, "style": {}, "drive": drive, "ground": true, "help": true })).head;
    assert_eq!(floats(&begun["pose"]), stride.q, "a simulation starts where the stride does");
    let later = page.ask(json!({ "ask": "advance", "seconds": 0.1 })).head;
    assert!(floats(&later["pose"])[0] > stride.q[0] + 0.05, "it gets on");
}

/// Modes are counted anew where the pose or the standing feet change: marks stay on the motion that they were made on.
#[test]
fn marks_follow_their_modes() {
    let mut page = Page::new();
    let (whose, sketch) = opened(&mut page, "runner");
    let mut other = sketch.clone();
    other["pose"] = Value::Null;
    let there = page.ask(json!({ "ask": "sketch", "creature": whose, "sketch": other, "from": sketch })).head
        ["sketch"]
        .clone();
    let marks = |sketch: &Value| sketch["flight"]["priority"].as_array().unwrap().len();
    assert_eq!(marks(&there), marks(&sketch), "{there}");
    let mut home = there.clone();
    home["pose"] = sketch["pose"].clone();
    let back =
        page.ask(json!({ "ask": "sketch", "creature": whose, "sketch": home, "from": there })).head["sketch"]
            .clone();
    let modes = |sketch: &Value, phase: &str| -> Vec<usize> {
        let list = sketch[phase]["priority"].as_array().unwrap();
        list.iter().map(|priority| index(&priority["mode"])).collect()
    };
    assert_eq!(modes(&back, "flight"), modes(&sketch, "flight"), "there and back again");
    let same = page.ask(json!({ "ask": "sketch", "creature": whose, "sketch": sketch, "from": sketch })).head
        ["sketch"]
        .clone();
    assert_eq!(same, sketch, "the same body counts the same");
}

#[test]
fn a_bad_sketch_is_told_what_is_wrong() {
    let mut page = Page::new();
    let (whose, sketch) = opened(&mut page, "runner");
    let with = |key: &str, value: Value| {
        let mut bad = sketch.clone();
        bad[key] = value;
        bad
    };
    let palette = |priority: &[usize], permissible: Value, excluded: &[usize]| {
        let priority: Vec<Value> =
            priority.iter().map(|mode| json!({ "mode": mode, "amplitude": 0.1 })).collect();
        json!({ "priority": priority, "permissible": permissible, "excluded": excluded })
    };
    for (bad, word) in [
        (with("flight", palette(&[1000], Value::Null, &[])), "there is no flight mode 1000"),
        (with("flight", palette(&[2], Value::Null, &[])), "bends nothing"),
        (with("ground", palette(&[5], Value::Null, &[5])), "excluded"),
        (with("ground", palette(&[], json!([]), &[])), "no permissible mode"),
        (with("ground", palette(&[5, 5], Value::Null, &[])), "already"),
        (with("pose", json!("upside down")), "no pose"),
        (with("stance", json!(["wing"])), "no foot"),
        (with("period", json!(0.0)), "period"),
        (with("period", json!(1e9)), "period"),
        (with("bursts", json!([0.1, -1.0])), "bursts"),
        (with("flight_share", json!(1.5)), "share"),
        (with("stiffness", json!(0.0)), "stiffness"),
        (with("speed", json!(1e300)), "number"),
    ] {
        for ask in ["sketch", "preview"] {
            let trouble = page.trouble(json!({ "ask": ask, "creature": whose, "sketch": bad }), &[]);
            assert!(trouble.contains(word), "{ask}: {trouble}");
        }
        let trouble =
            page.trouble(json!({ "ask": "search", "creature": whose, "sketch": bad, "seed": 1 }), &[]);
        assert!(trouble.contains(word), "{trouble}");
    }
    for checkpoint in ["", "nonsense", "search 1\n"] {
        let ask = json!({ "ask": "search", "creature": whose, "sketch": sketch, "seed": 1, "checkpoint": checkpoint });
        assert!(!page.trouble(ask, &[]).is_empty());
    }
    assert!(page.trouble(json!({ "ask": "improve", "steps": 1 }), &[]).contains("no search"));
    for text in
        ["period = 1\n", "period = \"x\"", "version = 1\nperiod = 1\nspeed = 1\ncreature = \"nobody\""]
    {
        let trouble = page.trouble(json!({ "ask": "read-gait", "text": text }), &[]);
        assert!(trouble.contains("sketch"), "{trouble}");
    }
}

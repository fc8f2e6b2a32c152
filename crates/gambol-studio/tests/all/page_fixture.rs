//! The page moves bodies, clips and modes by its own TypeScript, so that nothing waits for the engine while it plays.
//! `web/tests/fixture.json` holds what the library computes, and the page's tests compare with it. This test keeps that
//! file true: if the library changes what a pose or a clip means, it fails here first. With `GAMBOL_WRITE_FIXTURE=1` it
//! writes the file anew.
//!
//! `web/tests/answers.ts` is kept true in the same way: a request and an answer of every kind as the engine takes and gives
//! them, so that the page's compiler can say whether `web/src/protocol.ts` is right about them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gambol::dynamics::{Data, forward_kinematics};
use gambol::gait::{Body, Style};
use gambol::model::samples::Random;
use gambol::model::{Creature, Vec3};
use gambol::motion::Stride;
use gambol::motion::samples::wander;
use gambol::motion::swing;
use gambol::plant::{
    AirSettings, Constants, Forest, Instance, Mechanics, OscillatorStep, Stepping, SwaySettings, Wind,
    WindBasis, WoodSettings, find_plant, plant_modes,
};
use gambol_studio::protocol::{Message, SWINGS};
use gambol_studio::{Engine, MemoryShelf};
use serde_json::{Value, json};

/// Every kind of joint, several on one body, anchors and frames off their origins, angles that count from elsewhere.
const ODD: &str = r#"<mujoco model="odd"><worldbody>
  <body name="trunk" pos="0.1 -0.2 0.9" quat="0.9 0.1 0.3 -0.2"><freejoint name="root"/>
    <geom type="capsule" size="0.1 0.2"/>
    <body name="neck" pos="0.3 0.1 0.2" euler="20 -35 50">
      <joint name="nod" type="hinge" axis="0.2 1 -0.4" pos="-0.05 0.02 0.1" ref="25" stiffness="30"/>
      <joint name="stretch" type="slide" axis="1 0.3 0.1" ref="0.07" stiffness="900"/>
      <geom type="sphere" size="0.08"/>
      <body name="head" pos="0.1 0 0.15" euler="-15 5 70">
        <joint name="look" type="ball" pos="0.01 -0.03 -0.06" stiffness="12"/>
        <geom type="box" size="0.08 0.05 0.06"/>
      </body>
    </body>
    <body name="leg" pos="-0.2 0 -0.15" euler="0 60 0">
      <joint name="hip.x" type="hinge" axis="1 0 0" stiffness="40"/>
      <joint name="hip.y" type="hinge" axis="0 1 0" pos="0 0.02 0.03" ref="-40" stiffness="40"/>
      <geom type="capsule" size="0.04 0.15" pos="0 0 -0.2"/>
    </body>
  </body>
</worldbody></mujoco>"#;

/// Times outside, between and on the keys of a clip of one second.
const TIMES: [f64; 6] = [-0.7, 0.0, 0.31, 0.999, 1.6, 4.25];
/// Shares of a swing at which the engine tells no root.
const SHARES: [f64; 4] = [-0.83, -0.2, 0.4, 0.93];

#[test]
fn the_page_is_tested_against_what_the_library_computes() {
    let told = json!({ "odd": fixture(&odd(), &odd_answer()), "dog": fixture(&dog(), &dog_answer()) });
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("web/tests/fixture.json");
    if std::env::var_os("GAMBOL_WRITE_FIXTURE").is_some() {
        std::fs::write(&path, told.to_string() + "\n").unwrap();
    }
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_alike(&kept, &told, "fixture");
}

/// The page steps the oscillators of a forest itself: a few steps of all kinds, and a forest of three trees in a wind that changes.
#[test]
fn the_page_steps_forests_as_the_library_does() {
    let told = json!({ "steps": steps(), "forest": forest() });
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("web/tests/forest.json");
    if std::env::var_os("GAMBOL_WRITE_FIXTURE").is_some() {
        std::fs::write(&path, told.to_string() + "\n").unwrap();
    }
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_alike(&kept, &told, "forest");
}

/// Free, damped, critically damped and beyond: ω², γ, step, and the six numbers.
fn steps() -> Value {
    let step = |[omega_squared, gamma, step]: [f64; 3]| {
        let numbers = OscillatorStep::new(omega_squared, gamma, step, Stepping::Exact);
        json!([omega_squared, gamma, step, numbers.place, numbers.speed])
    };
    [[9.0, 0.0, 0.02], [66.0, 0.5, 1.0 / 60.0], [25.0, 10.0, 0.1], [25.0, 40.0, 0.05], [2e4, 60.0, 0.1]]
        .map(step)
        .into()
}

/// P, T, a mean wind, and all coordinates after half a second of other winds.
fn forest() -> Value {
    const WINDS: [[f64; 3]; 3] = [[9.0, -3.0, 0.5], [2.0, 7.0, -1.0], [-4.0, 1.0, 0.0]];
    let plant = find_plant("grass").unwrap().plant();
    let mechanics = Mechanics::new(&plant, &WoodSettings::default(), Constants::Disc).unwrap();
    let modes = plant_modes(&plant, &mechanics, 6).unwrap();
    let basis = WindBasis::new(&mechanics, &modes, &AirSettings::default());
    // As single numbers: so the page has them.
    let tree = |x: f64, turn: f32, size: f32| Instance {
        place: Vec3::new(x, 0.0, 0.0),
        turn: f64::from(turn),
        size: f64::from(size),
    };
    let stand = vec![tree(0.0, 0.0, 1.0), tree(1.0, 1.25, 0.75), tree(2.0, -2.5, 1.125)];
    let (sway, mean) = (SwaySettings::default(), Wind::constant(Vec3::new(6.0, 2.0, 0.0)));
    let mut forest = Forest::new(&plant, (&modes, &basis), stand, 4, &sway, &mean).unwrap();
    for wind in WINDS {
        for _ in 0..10 {
            forest.step(&Wind::constant(wind.into()), 0.0);
        }
    }
    let part = |(index, mode): (usize, &gambol::plant::PlantMode)| {
        let drag = [0, 1, 2].map(|row| [0, 1, 2].map(|column| basis.drag[index][(row, column)]));
        json!({
            "omega_squared": mode.omega_squared,
            "projection": <[f64; 3]>::from(basis.projection[index]),
            "drag": drag,
        })
    };
    json!({
        "modes": modes.iter().enumerate().map(part).collect::<Vec<_>>(),
        "damping": [sway.mass_damping, sway.stiffness_damping],
        "step": sway.step,
        "trees": forest.matrix_t(),
        "mean": [6.0, 2.0],
        "winds": WINDS,
        "steps_each": 10,
        "states": forest.matrix_q(),
    })
}

/// What `answers.ts` begins with.
const ANSWERS: &str = "\
// One request and one answer of every kind, as the engine takes and gives them, with long lists and texts cut and all
// numbers 0: written by crates/gambol-studio/tests/all/page_fixture.rs. That it can be compiled is the test.
import type { Requests } from '../src/protocol'

type All<Part extends 'ask' | 'answer'> = { [Kind in keyof Requests]: Requests[Kind][Part][] }
";

#[test]
fn the_page_has_the_types_of_all_that_is_asked_and_answered() {
    let (mut asked, mut answered) = (BTreeMap::new(), BTreeMap::new());
    for (message, answer, _) in crate::session::session().unwrap() {
        let mut ask: Value = serde_json::from_str(&message.head).unwrap();
        let answer: Value = serde_json::from_str(&answer.head).unwrap();
        let kind = ask["ask"].as_str().unwrap().to_owned();
        let fields = ask.as_object_mut().unwrap();
        fields.retain(|name, _| name != "ask" && name != "id");
        // Creatures of all sources, and no more than a few of the rest.
        let few: &mut Vec<Value> = asked.entry(kind.clone()).or_default();
        if few.len() < 3 {
            few.push(cut(&ask));
            answered.entry(kind).or_insert_with(Vec::new).push(cut(&answer["answer"]));
        }
    }
    let lines = |all: &BTreeMap<String, Vec<Value>>| -> String {
        let line =
            |(kind, few): (&String, &Vec<Value>)| format!("  '{kind}': {},\n", Value::from(few.clone()));
        all.iter().map(line).collect::<Vec<_>>().concat()
    };
    let told = format!(
        "{ANSWERS}\nexport const asks: All<'ask'> = {{\n{}}}\n\nexport const answers: All<'answer'> = {{\n{}}}\n",
        lines(&asked),
        lines(&answered)
    );
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("web/tests/answers.ts");
    if std::env::var_os("GAMBOL_WRITE_FIXTURE").is_some() {
        std::fs::write(&path, &told).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert_eq!(kept.lines().count(), told.lines().count(), "the top of this file says how to write it anew");
    for (kept, told) in kept.lines().zip(told.lines()) {
        match (row(kept), row(told)) {
            (Some((kind, kept)), Some((same, told))) => {
                assert_eq!(kind, same);
                assert_alike(&kept, &told, kind);
            }
            _ => assert_eq!(kept, told),
        }
    }
}

/// Kind and values of a line.
fn row(line: &str) -> Option<(&str, Value)> {
    let (kind, values) = line.strip_prefix("  '")?.split_once("': ")?;
    Some((kind, serde_json::from_str(values.strip_suffix(',')?).unwrap()))
}

/// Lists of unknown length are as good with a few entries, and texts with their first words. Numbers are left out, in
/// texts too: how fast a dog trots or what the fingerprint of a search is has no type of its own, and changes with the
/// library.
fn cut(value: &Value) -> Value {
    const LONGEST_LIST: usize = 5; // what has a fixed length is no longer
    const LONGEST_TEXT: usize = 40; // no name of a kind is longer
    match value {
        Value::Array(list) => {
            let few = if list.len() > LONGEST_LIST { 3 } else { list.len() };
            list[..few].iter().map(cut).collect()
        }
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), cut(value))).collect(),
        Value::String(text) => without_numbers(&text.chars().take(LONGEST_TEXT).collect::<String>()).into(),
        Value::Number(_) => 0.into(),
        other => other.clone(),
    }
}

/// Each run of digits as one zero.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }) {
        if letter != '0' || !out.ends_with('0') {
            out.push(letter);
        }
    }
    out
}

fn dog() -> Creature {
    gambol::load("dog", &gambol::LoadOptions::default()).unwrap()
}

fn odd() -> Creature {
    gambol::formats::load_str("odd.xml", ODD, &gambol::LoadOptions::default()).unwrap().build().unwrap()
}

fn dog_answer() -> Value {
    answer(&mut engine(), &json!({ "from": "gallery", "name": "dog" }))
}

fn odd_answer() -> Value {
    let mut engine = engine();
    let head = json!({ "id": 1, "ask": "keep", "files": [{ "name": "odd.xml", "size": ODD.len() }] });
    let kept = ask(&mut engine, &head, ODD.as_bytes());
    answer(&mut engine, &json!({ "from": "file", "bundle": kept["bundle"], "name": kept["name"] }))
}

fn engine() -> Engine {
    let start = serde_json::from_value(json!({ "source": { "from": "gallery", "name": "dog" } })).unwrap();
    Engine::new(Box::new(MemoryShelf::default()), start)
}

/// What the page is told of a creature, as far as its tests need it.
fn answer(engine: &mut Engine, source: &Value) -> Value {
    let mut answer =
        ask(engine, &json!({ "id": 2, "ask": "creature", "creature": { "source": source } }), &[]);
    for needless in ["landmarks", "limbs", "poses", "notes", "warnings"] {
        answer[needless] = json!([]);
    }
    answer
}

fn ask(engine: &mut Engine, head: &Value, bytes: &[u8]) -> Value {
    let reply = engine.answer(&Message { head: head.to_string(), bytes: bytes.to_vec() });
    let reply: Value = serde_json::from_str(&reply.head).unwrap();
    assert!(reply["error"].is_null(), "{}", reply["error"]);
    reply["answer"].clone()
}

fn fixture(creature: &Creature, answer: &Value) -> Value {
    let mut data = Data::new(creature);
    json!({
        "creature": answer,
        "poses": [pose(creature, &mut data, 1), pose(creature, &mut data, 2)],
        "clip": clip(creature),
        "modes": modes(creature, &mut data),
    })
}

/// A velocity, where it leads from the reference pose, and where all bodies are then.
fn pose(creature: &Creature, data: &mut Data, seed: u64) -> Value {
    const TIME: f64 = 1.3;
    let velocity = Random::new(seed).numbers(creature.nv(), 1.0);
    let mut pose = creature.reference_pose().to_vec();
    creature.integrate(&mut pose, &velocity, TIME);
    let frames: Vec<f64> = forward_kinematics(creature, data, &pose)
        .iter()
        .flat_map(|frame| {
            let (p, q) = (frame.position, frame.orientation);
            [p.x, p.y, p.z, q.w, q.i, q.j, q.k]
        })
        .collect();
    json!({ "velocity": velocity, "time": TIME, "pose": pose, "frames": frames })
}

/// A clip that travels and turns, its poses at [`TIMES`], and its keys in place.
fn clip(creature: &Creature) -> Value {
    let stride = Stride { yaw: 0.7, shift: Vec3::new(1.1, -0.3, 0.05) };
    let clip = wander(creature, 5, 5, 0.6, stride);
    json!({
        "times": clip.times,
        "poses": clip.poses,
        "stride": { "yaw": stride.yaw, "shift": stride.shift.as_slice() },
        "at": TIMES,
        "sampled": TIMES.map(|time| clip.sample(creature, time)),
        "keysInPlace": clip.in_place(creature).poses,
    })
}

/// The slowest vibration: its shape, its root where the engine tells it, and its pose where it does not.
fn modes(creature: &Creature, data: &mut Data) -> Value {
    const SWING: f64 = 0.5;
    let body = Body::new(creature.clone(), data, &Style::default()).unwrap();
    let mode = &body.basis.flexible()[0];
    let mut at = |share: f64| swing(&body.creature, data, &body.basis, mode, share * SWING).unwrap();
    let roots: Vec<f64> = SWINGS.iter().flat_map(|&share| at(share)[..7].to_vec()).collect();
    let poses = SHARES.map(&mut at);
    json!({
        "shape": mode.shape,
        "roots": roots,
        "swing": SWING,
        "pose": body.basis.mean(),
        "shares": SHARES,
        "poses": poses,
    })
}

/// The same up to rounding, which other processors may do otherwise.
fn assert_alike(kept: &Value, told: &Value, place: &str) {
    const ROUNDING: f64 = 1e-9;
    match (kept, told) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            let alike = (a - b).abs() <= ROUNDING * (1.0 + b.abs());
            assert!(
                alike,
                "{place}: {a} is kept, {b} is true; the top of this file says how to write it anew"
            );
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{place}");
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                assert_alike(a, b, &format!("{place}.{index}"));
            }
        }
        (Value::Object(a), Value::Object(b)) => {
            assert!(a.keys().eq(b.keys()), "{place}");
            for (key, a) in a {
                assert_alike(a, &b[key], &format!("{place}.{key}"));
            }
        }
        _ => assert_eq!(kept, told, "{place}"),
    }
}

//! A page, or whoever pretends to be one, can say anything. Every message has an answer, and what cannot be done is said
//! in words; nothing panics, and the engine goes on.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gambol::formats::gltf::samples::{Awkward, quadruped};
use gambol::model::Random;
use gambol_studio::protocol::Message;
use serde_json::{Value, json};

use super::support::{Page, gallery, keep};

#[test]
fn messages_that_are_none() {
    let mut page = Page::new();
    for head in [
        "",
        "null",
        "[]",
        "{}",
        "{\"id\":3}",
        "{\"id\":3,\"ask\":\"dance\"}",
        "{\"ask\":\"hello\"}",
        "{\"id\":-1,\"ask\":\"hello\"}",
    ] {
        let reply = page.engine.answer(&Message { head: head.to_owned(), bytes: vec![1, 2, 3] });
        let reply: Value = serde_json::from_str(&reply.head).unwrap();
        assert!(reply["error"].as_str().is_some_and(|error| !error.is_empty()), "{head}: {reply}");
        assert_eq!(reply["id"], json!(if head.contains("\"id\":3") { 3 } else { 0 }));
    }
    let whole = Message { head: "{\"id\":1}".to_owned(), bytes: vec![0; 9] }.to_bytes();
    for length in 0..12 {
        assert!(Message::from_bytes(&whole[..length]).is_err());
    }
    assert!(Message::from_bytes(&[0xff, 0xff, 0xff, 0xff, 1, 2]).is_err());
    assert!(Message::from_bytes(&[2, 0, 0, 0, 0xff, 0xff]).is_err());
    page.ask(json!({ "ask": "hello" }));
}

#[test]
fn absurd_numbers_are_refused_in_words() {
    let mut page = Page::new();
    let body = |style: Value| json!({ "ask": "body", "creature": gallery("dog"), "style": style });
    for style in [
        json!({ "weight": 0.0 }),
        json!({ "weight": -1.0 }),
        json!({ "weight": 1e300 }),
        json!({ "tension": 0.0 }),
        json!({ "tension": 1e300 }),
        json!({ "stiffness": -1.0 }),
        json!({ "stiffness": 1e300 }),
        json!({ "scale": [[".*", 0.0]] }),
        json!({ "scale": [[".*", 1e300]] }),
        json!({ "scale": [["(", 2.0]] }),
        json!({ "scale": [["no such joint", 2.0]] }),
        json!({ "scale": vec![json!([".*", 1e5]); 100] }),
        json!({ "pose": "upside down" }),
        json!({ "bend": [["no such joint", [1.0]]] }),
        json!({ "bend": [["root", [1.0]]] }),
        json!({ "constraints": ["nonsense"] }),
        json!({ "injured": ["foot.of.a.table"] }),
    ] {
        let trouble = page.trouble(body(style.clone()), &[]);
        assert!(trouble.len() > 10, "{style}: {trouble}");
    }
    let motion =
        |gait: Value| json!({ "ask": "motion", "creature": gallery("dog"), "style": {}, "gait": gait });
    for gait in [
        json!({ "name": "fly" }),
        json!({ "name": "walk", "speed": 1e300 }),
        json!({ "name": "walk", "speed": -1.0 }),
        json!({ "name": "walk", "frequency": 0.0 }),
        json!({ "name": "walk", "frequency": 1e300 }),
        json!({ "name": "walk", "duty": 2.0 }),
        json!({ "name": "walk", "slope": 1.6 }),
        json!({ "name": "walk", "turn": 1e300 }),
        json!({ "name": "walk", "prefer": [80] }),
        json!({ "name": "walk", "avoid": [1_000_000_000] }),
        json!({ "name": "walk", "edits": [{ "mode": 80, "amplitude": 0.1 }] }),
        json!({ "name": "walk", "edits": [{ "mode": 80 }] }),
        json!({ "name": "walk", "edits": [{ "mode": 7, "amplitude": 1e300 }] }),
        json!({ "name": "walk", "edits": [{ "mode": 7, "harmonic": 0 }] }),
        json!({ "edits": [{ "mode": 80, "amplitude": 0.1 }] }),
        json!({ "file": "" }),
        json!({ "file": "version = 1\nname = 3" }),
    ] {
        let trouble = page.trouble(motion(gait.clone()), &[]);
        assert!(trouble.len() > 10, "{gait}: {trouble}");
    }
    for creature in [
        gallery("unicorn"),
        json!({ "source": { "from": "file", "bundle": "00", "name": "../../etc/passwd" } }),
        json!({ "source": { "from": "file", "bundle": "00", "name": "a.glb" } }),
        json!({ "source": gallery("dog")["source"], "height": -1.0 }),
        json!({ "source": gallery("dog")["source"], "mass": 1e300 }),
        json!({ "source": gallery("dog")["source"], "forward": [0.0, 1.0, 0.0] }),
        json!({ "source": gallery("dog")["source"], "landmarks": [["foot.left", "no such body"]] }),
        json!({ "source": gallery("dog")["source"], "landmarks": [["wheel", "head"]] }),
    ] {
        let trouble = page.trouble(json!({ "ask": "creature", "creature": creature }), &[]);
        assert!(trouble.len() > 10, "{creature}: {trouble}");
    }
    // Afterwards all is as before.
    page.ask(body(json!({})));
}

#[test]
fn bad_files_are_refused_in_words() {
    let mut page = Page::new();
    let glb = quadruped(&Awkward::PLAIN);
    let mut torn = glb.clone();
    torn.truncate(glb.len() / 2);
    let files: [(&str, &[u8]); 8] = [
        ("a.glb", b""),
        ("a.glb", b"glTF but not really"),
        ("a.glb", &torn),
        ("a.gltf", b"{}"),
        ("a.xml", b"<mujoco><worldbody><body></mujoco>"),
        ("a.xml", b"<html/>"),
        ("a.urdf", b"\xff\xfe\x00"),
        ("a.bvh", b"HIERARCHY\nROOT"),
    ];
    for (name, bytes) in files {
        let source = page.drop_files(&[(name, bytes)]);
        let trouble = page.trouble(json!({ "ask": "creature", "creature": source }), &[]);
        assert!(trouble.contains(name), "{trouble}");
    }
    for (name, bytes) in [("cat.jpg", &b"x"[..]), ("../a.glb", b"x"), ("/a.glb", b"x"), ("a\\b.glb", b"x")] {
        page.trouble(keep(&[(name, bytes)]), bytes);
    }
    // Sizes that do not add up, or overflow.
    for size in [json!(0), json!(2), json!(u64::MAX)] {
        page.trouble(json!({ "ask": "keep", "files": [{ "name": "a.glb", "size": size }, { "name": "b", "size": size }] }), b"x");
    }
    for tab in ["", "../a", "a/b", "ü"] {
        page.trouble(json!({ "ask": "save", "tab": tab, "work": 1 }), &[]);
        page.trouble(json!({ "ask": "load", "tab": tab }), &[]);
        page.trouble(json!({ "ask": "open-shared", "name": tab }), &[]);
        page.trouble(json!({ "ask": "file", "bundle": "0", "name": tab }), &[]);
    }
}

/// Something that a program in error could say in place of what it should.
fn nonsense(dice: &mut Random) -> Value {
    let all = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(1),
        json!(7),
        json!(0.3),
        json!(-0.3),
        json!(1e300),
        json!(-1e300),
        json!(1e-300),
        json!(u64::MAX),
        json!(""),
        json!(".*"),
        json!("foot.left"),
        json!("walk"),
        json!("é\u{0}"),
        json!([]),
        json!({}),
        json!([0.1, 0.2, 0.3]),
        json!([["spine1", 2.0]]),
        json!([["head", "hinge"]]),
        json!([6]),
        json!([1_000_000]),
    ];
    all[dice.below(all.len())].clone()
}

/// Puts nonsense at one place of a request.
fn spoil(value: &mut Value, dice: &mut Random) {
    let stop = dice.below(4) == 0;
    match value {
        Value::Object(map) if !map.is_empty() && !stop => {
            let key = map.keys().nth(dice.below(map.len())).unwrap().clone();
            if dice.below(12) == 0 {
                map.remove(&key);
            } else {
                spoil(&mut map[&key], dice);
            }
        }
        Value::Array(list) if !list.is_empty() && !stop => {
            let index = dice.below(list.len());
            spoil(&mut list[index], dice);
        }
        // A page that reads a slider wrongly still sends a number.
        Value::Number(_) if !stop => {
            let numbers = [-1.0, 0.0, 0.05, 1.0, 2.0, 40.0, 1e3, 1e6, 1e300, -1e300, 1e-9, 1e-300];
            *value = json!(numbers[dice.below(numbers.len())]);
        }
        _ => *value = nonsense(dice),
    }
}

#[test]
fn nothing_panics() {
    let style = json!({ "pose": null, "bend": [], "stiffness": null, "scale": [[".*", 1.1]], "constraints": [],
        "weight": 1.1, "tension": 0.9, "injured": [] });
    let gait = json!({ "name": "walk", "file": null, "speed": 0.8, "stride_length": null, "frequency": null, "duty": null,
        "turn": 0.1, "slope": 0.05, "ground": true, "prefer": [7], "avoid": [8],
        "edits": [{ "mode": 6, "amplitude": 0.1, "phase": 1.0, "offset": 0.0, "harmonic": 1 }] });
    let mut page = Page::new();
    let mut dice = Random::new(1);
    for turn in 0..240 {
        let name = ["kangaroo", "linear", "loop", "snake"][turn / 60];
        let creature = json!({ "source": gallery(name)["source"], "landmarks": [["head", ""]], "height": null, "mass": null,
            "forward": null, "joints": [], "free_root": false });
        let mut request = match dice.below(6) {
            0 => json!({ "ask": "creature", "creature": creature }),
            1 => json!({ "ask": "body", "creature": creature, "style": style, "from": {}, "marks": [6, 7] }),
            2 => json!({ "ask": "gaits", "creature": creature, "style": style }),
            3 => json!({ "ask": "stand", "creature": creature, "style": style }),
            _ => json!({ "ask": "motion", "creature": creature, "style": style, "gait": gait }),
        };
        for _ in 0..=dice.below(3) {
            let key = ["creature", "style", "gait"][dice.below(3)];
            if let Some(part) = request.get_mut(key) {
                spoil(part, &mut dice);
            }
        }
        let text = request.to_string();
        let outcome = catch_unwind(AssertUnwindSafe(|| page.send(request, &[])));
        let (reply, _) = outcome.unwrap_or_else(|_| panic!("this made the engine panic: {text}"));
        assert!(
            reply["answer"].is_object() || reply["error"].as_str().is_some_and(|error| error.len() > 5),
            "{text}: {reply}"
        );
    }
}

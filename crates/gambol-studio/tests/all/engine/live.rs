//! What moves and what goes home: the live simulation, the pull at a limb, files. Each answer is held against the library
//! or against what it must do: a helped dog stays up, a pushed one gives way, a file is what its name says.

use gambol::LoadOptions;
use gambol::dynamics::{Data, forward_kinematics};
use gambol::formats::gltf::samples::{Awkward, quadruped};
use gambol::gait::{Body, Style, from_toml};
use gambol::model::Vec3;
use gambol::model::math;
use serde_json::{Value, json};

use super::support::{Answer, Page, floats, gallery};

fn trot() -> Value {
    json!({ "name": "trot" })
}

fn simulate(page: &mut Page, creature: &Value, drive: &Value, help: bool) -> Answer {
    let request = json!({ "ask": "simulate", "creature": creature, "style": {}, "drive": drive, "ground": true, "help": help });
    page.ask(request)
}

/// Goes on in steps of a frame; the last answer.
fn advance(page: &mut Page, seconds: u32, pull: &Value) -> Value {
    let mut last = Value::Null;
    for _ in 0..60 * seconds {
        last = page.ask(json!({ "ask": "advance", "seconds": 1.0 / 60.0, "pull": pull })).head;
        assert_eq!(last["diverged"], Value::Null);
    }
    last
}

#[test]
fn a_helped_dog_trots_on_and_one_left_alone_falls() {
    let mut page = Page::new();
    let dog = gallery("dog");
    let drive = json!({ "by": "gait", "gait": trot() });
    let standing = floats(&simulate(&mut page, &dog, &drive, true).head["pose"])[2];
    let helped = advance(&mut page, 4, &Value::Null);
    let pose = floats(&helped["pose"]);
    // Its trunk stays within a third of its height, and it gets on by more than its own length.
    assert!(pose[2] > 0.67 * standing, "{} of {standing} m", pose[2]);
    assert!(math::hypot(pose[0], pose[1]) > 1.0, "{pose:?}");
    assert!((helped["time"].as_f64().unwrap() - 4.0).abs() < 0.01);
    simulate(&mut page, &dog, &drive, false);
    let alone = floats(&advance(&mut page, 4, &Value::Null)["pose"]);
    assert!(alone[2] < 0.5 * standing, "without help and balance it lies down: {} m", alone[2]);
}

#[test]
fn a_pull_of_the_mouse_moves_what_is_pulled() {
    let mut page = Page::new();
    let creature = gambol::load("dog", &LoadOptions::default()).unwrap();
    let head = creature.landmark("head").unwrap().body;
    let dog = gallery("dog");
    let start = floats(&simulate(&mut page, &dog, &json!({ "by": "passive" }), true).head["pose"]);
    let mut data = Data::new(&creature);
    let place = |data: &mut Data, pose: &[f64]| forward_kinematics(&creature, data, pose)[head].position;
    let before = place(&mut data, &start);
    let target = before + Vec3::new(0.0, 0.4, 0.1);
    let pull = json!({ "body": head, "point": [0, 0, 0], "target": target.as_slice() });
    let pulled = floats(&advance(&mut page, 1, &pull)["pose"]);
    let after = place(&mut data, &pulled);
    assert!(after.y - before.y > 0.2, "{after} of {target}");
    assert!(pulled.iter().all(|x| x.is_finite()));
}

#[test]
fn the_loop_rolls_by_pumping() {
    let mut page = Page::new();
    let drive = json!({ "by": "pump", "modes": [{ "mode": 6 }, { "mode": 7 }] });
    let start = floats(&simulate(&mut page, &gallery("loop"), &drive, true).head["pose"]);
    let end = floats(&advance(&mut page, 4, &Value::Null)["pose"]);
    // docs/physics.md: about a metre a second.
    assert!(math::hypot(end[0] - start[0], end[1] - start[1]) > 1.0, "{start:?} to {end:?}");
}

#[test]
fn a_simulation_asks_for_sense() {
    let mut page = Page::new();
    assert!(page.trouble(json!({ "ask": "advance", "seconds": 0.1 }), &[]).contains("no simulation"));
    simulate(&mut page, &gallery("dog"), &json!({ "by": "passive" }), false);
    for seconds in [-0.1, 1e9] {
        assert!(page.trouble(json!({ "ask": "advance", "seconds": seconds }), &[]).contains("goes on"));
    }
    for body in [0, 1_000_000] {
        let pull = json!({ "body": body, "point": [0, 0, 0], "target": [0, 0, 0] });
        page.trouble(json!({ "ask": "advance", "seconds": 0.1, "pull": pull }), &[]);
    }
    let steep = json!({ "ask": "simulate", "creature": gallery("dog"), "style": {}, "drive": { "by": "passive" }, "ground": true, "slope": 1.5 });
    assert!(page.trouble(steep, &[]).contains("steep"));
}

/// A hand goes where it is pulled, and the bends that the page keeps are the pose that it was shown.
#[test]
fn a_pulled_limb_stays_bent_in_the_style() {
    // Also of a heavy one, whose knees give: what it sags by is no bend.
    for weight in [1.0, 1.5] {
        pull_the_hand(weight);
    }
}

fn pull_the_hand(weight: f64) {
    let mut page = Page::new();
    let creature = gambol::load("human", &LoadOptions::default()).unwrap();
    let hand = creature.landmark("hand.left").unwrap();
    let mut data = Data::new(&creature);
    let rest = creature.reference_pose().to_vec();
    let at = forward_kinematics(&creature, &mut data, &rest)[hand.body].point_in_world(hand.point);
    let target = at + Vec3::new(0.25, 0.0, 0.2);
    let pull = json!({ "body": hand.body, "point": hand.point.as_slice(), "target": target.as_slice() });
    let answer =
        page.ask(json!({ "ask": "reach", "creature": gallery("human"), "style": { "weight": weight }, "pulls": [pull] })).head;
    assert!(answer["miss"].as_f64().unwrap() < 1e-3, "{}", answer["miss"]);
    let bend: Vec<(String, Vec<f64>)> = serde_json::from_value(answer["bend"].clone()).unwrap();
    assert!(!bend.is_empty() && bend.iter().all(|(joint, _)| creature.joint_index(joint).is_some()));
    let style = Style { bend, weight, ..Style::default() };
    let body = Body::new(creature, &mut data, &style).unwrap();
    for (kept, shown) in body.basis.mean().iter().zip(floats(&answer["pose"])) {
        assert!((kept - shown).abs() < 1e-5, "{kept} {shown}"); // bends below a millionth are left out
    }
}

fn export(page: &mut Page, creature: &Value, what: &Value, format: &str) -> Answer {
    page.ask(json!({ "ask": "export", "creature": creature, "style": {}, "what": what, "format": format }))
}

#[test]
fn every_file_is_what_it_says() {
    let mut page = Page::new();
    let what = json!({ "of": "gait", "gait": trot() });
    let begins: [(&str, &[u8]); 9] = [
        ("glb", b"glTF"),
        ("bvh", b"HIERARCHY"),
        ("json", b"{"),
        ("npz", b"PK"),
        ("png", b"\x89PNG"),
        ("svg", b"<svg"),
        ("gif", b"GIF89a"),
        ("apng", b"\x89PNG"),
        ("gait", b"#"),
    ];
    for (format, magic) in begins {
        let Answer { head, bytes } = export(&mut page, &gallery("dog"), &what, format);
        assert!(bytes.starts_with(magic), "{format}: {:?}", &bytes[..8]);
        let ending = if format == "gait" { "toml" } else { format };
        assert_eq!(head["name"], json!(format!("dog-trot.{ending}")));
    }
    let request = |format: &str| json!({ "ask": "export", "creature": gallery("dog"), "style": {}, "what": what, "format": format });
    assert!(page.trouble(request("exe"), &[]).contains("glb"));
    assert!(page.trouble(request("gltf"), &[]).contains("GLB"));
    assert!(page.trouble(request("rig"), &[]).contains("glTF"));
}

/// Two gaits and a name of one's own, with the keys that were asked for, in one file; and what cannot be asked is told.
#[test]
fn several_gaits_go_home_in_one_file() {
    let mut page = Page::new();
    let request = |what: Value, more: Value| {
        let mut request = json!({ "ask": "export", "creature": gallery("dog"), "style": {}, "what": what, "format": "glb" });
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    };
    let gaits = json!({ "of": "gaits", "gaits": [{ "name": "walk" }, { "name": "trot" }] });
    let clips = |bytes: &[u8]| -> Vec<(String, u64)> {
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let document: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        let keys = |clip: &Value| {
            let input = usize::try_from(clip["samplers"][0]["input"].as_u64().unwrap()).unwrap();
            document["accessors"][input]["count"].as_u64().unwrap()
        };
        let clips = document["animations"].as_array().unwrap();
        clips.iter().map(|clip| (clip["name"].as_str().unwrap().to_owned(), keys(clip))).collect()
    };
    let Answer { head, bytes } = page.ask(request(gaits.clone(), json!({ "keys": 30.0 })));
    assert_eq!(head["name"], "dog-gaits.glb");
    let made = clips(&bytes);
    let [(walk, few), (trot, _)] = &made[..] else { panic!("two clips") };
    assert_eq!([walk.as_str(), trot.as_str()], ["walk", "trot"]);
    let Answer { bytes, .. } = page.ask(request(gaits.clone(), json!({ "keys": 120.0 })));
    let many = clips(&bytes)[0].1;
    assert!((many - 1).abs_diff(4 * (few - 1)) <= 4, "{few} keys at 30 per second, {many} at 120");

    let one = json!({ "of": "gait", "gait": { "name": "walk" } });
    let Answer { head, bytes } = page.ask(request(one.clone(), json!({ "name": "Stroll 1" })));
    assert_eq!((head["name"].as_str(), clips(&bytes)[0].0.as_str()), (Some("dog-Stroll-1.glb"), "Stroll 1"));

    assert!(page.trouble(request(one, json!({ "keys": 1e9 })), &[]).contains("keys per second"));
    assert!(page.trouble(request(gaits, json!({ "format": "bvh" })), &[]).contains("GLB"));
    assert!(page.trouble(request(json!({ "of": "gaits", "gaits": [] }), json!({})), &[]).contains("one to"));
}

/// A rig stood on bones for inverse kinematics, which hang on its trunk: no springs carry it through the legs, and once it was told
/// that its springs are 317861.6 times as stiff.
#[test]
fn feet_that_hang_on_the_trunk_are_a_finding_and_no_setting() {
    let leg = |name: &str, y: f64| {
        format!(
            "<body name=\"thigh.{name}\" pos=\"0 {y} -0.1\"><joint name=\"hip.{name}\" axis=\"0 1 0\" stiffness=\"20\"/>\
             <geom type=\"capsule\" fromto=\"0 0 0 0 0 -0.35\" size=\"0.05\"/></body>\
             <body name=\"ik.{name}\" pos=\"0 {y} -0.9\"><joint name=\"ik.{name}\" type=\"slide\" axis=\"0 0 1\" stiffness=\"0.01\"/>\
             <geom type=\"box\" size=\"0.1 0.04 0.03\"/><site name=\"foot.{name}\" pos=\"0 0 -0.03\"/></body>"
        )
    };
    let text = format!(
        "<mujoco model=\"stilts\"><worldbody><body name=\"trunk\" pos=\"0 0 1\"><freejoint/><geom type=\"box\" size=\"0.1 0.2 0.15\"/>{}{}</body></worldbody></mujoco>",
        leg("left", 0.12),
        leg("right", -0.12)
    );
    let mut page = Page::new();
    let creature = page.drop_files(&[("stilts.xml", text.as_bytes())]);
    let request = json!({ "ask": "simulate", "creature": creature, "style": {}, "drive": { "by": "passive" }, "ground": true, "help": true });
    let warnings = page.ask(request).head["warnings"].to_string();
    assert!(
        warnings.contains("No springs of this world") && warnings.contains("ik.left, ik.right"),
        "{warnings}"
    );
    assert!(!warnings.contains("times as stiff"), "{warnings}");
}

#[test]
fn a_dropped_model_goes_home_with_the_gait_in_it() {
    let mut page = Page::new();
    let file = quadruped(&Awkward::default());
    let creature = page.drop_files(&[("fox.glb", &file)]);
    let what = json!({ "of": "gait", "gait": { "name": "walk" } });
    let glb = export(&mut page, &creature, &what, "glb").bytes;
    let json_of = |glb: &[u8]| -> Value {
        let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
        serde_json::from_slice(&glb[20..20 + length]).unwrap()
    };
    let (before, after) = (json_of(&file), json_of(&glb));
    for part in ["nodes", "meshes", "skins", "materials", "scenes"] {
        assert_eq!(before[part], after[part], "{part}");
    }
    let animations = after["animations"].as_array().unwrap();
    assert!(animations.iter().any(|animation| animation["name"] == "walk"), "{animations:?}");
    let rig = export(&mut page, &creature, &what, "rig").bytes;
    assert!(String::from_utf8(rig).unwrap().contains("version = 1"));
}

#[test]
fn a_simulation_goes_home() {
    let mut page = Page::new();
    let what = json!({ "of": "simulation" });
    let request =
        json!({ "ask": "export", "creature": gallery("dog"), "style": {}, "what": what, "format": "json" });
    assert!(page.trouble(request, &[]).contains("no simulation"));
    simulate(&mut page, &gallery("dog"), &json!({ "by": "passive" }), true);
    let end = advance(&mut page, 1, &Value::Null);
    let clip: Value =
        serde_json::from_slice(&export(&mut page, &gallery("dog"), &what, "json").bytes).unwrap();
    let times = floats(&clip["times"]);
    // A second at 60 poses a second, give or take steps of 2 ms.
    assert!((55..=62).contains(&times.len()) && times[0] == 0.0, "{} keys", times.len());
    assert!((times.last().unwrap() - end["time"].as_f64().unwrap()).abs() < 0.03);
}

#[test]
fn a_gait_file_comes_back_as_it_went() {
    let mut page = Page::new();
    let style = json!({ "weight": 1.2 });
    let gait = json!({ "name": "walk", "turn": 0.1, "edits": [{ "mode": 9, "amplitude": 0.2 }] });
    let shared = page.ask(
        json!({ "ask": "share", "name": "my walk", "creature": gallery("dog"), "style": style, "gait": gait }),
    );
    let name = shared.head["name"].as_str().unwrap().to_owned();
    let opened = page.ask(json!({ "ask": "open-shared", "name": name })).head;
    assert_eq!(opened["creature"]["source"], json!({ "from": "gallery", "name": "dog" }));
    assert_eq!(opened["style"]["weight"], json!(1.2));
    assert_eq!(opened["gait"]["turn"].as_f64().unwrap(), 0.1);
    let text = opened["gait"]["file"].as_str().unwrap();
    let file = from_toml(text).unwrap();
    assert!(file.components.iter().any(|component| component.mode == 9));
    // What the file plays is what was on the stage.
    let motion = |page: &mut Page, gait: &Value| {
        let request = json!({ "ask": "motion", "creature": gallery("dog"), "style": style, "gait": gait });
        let answer = page.ask(request);
        answer.numbers(&answer.head["clip"]["poses"])
    };
    let (before, after) = (motion(&mut page, &gait), motion(&mut page, &opened["gait"]));
    let apart = before.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    // Numbers of the file come back bit by bit; the feet's iteration ends within 1e-7 of a leg.
    assert!(before.len() == after.len() && apart < 1e-5, "{apart}");
    assert!(
        page.trouble(json!({ "ask": "read-gait", "text": "version = 99" }), &[]).contains("not a gait file")
    );
    page.trouble(json!({ "ask": "open-shared", "name": "../../etc/passwd" }), &[]);
}

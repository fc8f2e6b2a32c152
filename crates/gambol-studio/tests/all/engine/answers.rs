//! Answers are what the library computes, no more and no less.

use gambol::LoadOptions;
use gambol::dynamics::Data;
use gambol::gait::{Body, Sampling, Style, Wish, design, perform, to_toml};
use gambol::model::Random;
use gambol::modes::{Settings, analyze};
use gambol::motion::swing;
use serde_json::{Value, json};

use super::support::{Answer, Page, as_f32, floats, gallery, index};

fn dog() -> gambol::model::Creature {
    gambol::load("dog", &LoadOptions::default()).unwrap()
}

fn body(page: &mut Page, creature: &Value, style: &Value) -> Answer {
    page.ask(json!({ "ask": "body", "creature": creature, "style": style }))
}

#[test]
fn hello_shows_the_gallery() {
    let hello = Page::new().ask(json!({ "ask": "hello" })).head;
    assert_eq!(hello["version"], json!(gambol_studio::protocol::VERSION));
    assert_eq!(hello["start"]["source"]["name"], "dog");
    let entries = hello["gallery"].as_array().unwrap();
    // Creatures, and plants behind them.
    let plants = entries.iter().filter(|entry| entry["plant"] == true).count();
    assert_eq!(plants, gambol::plant::PLANTS.len());
    assert_eq!(entries.len() - plants, gambol::gallery::ENTRIES.len());
    for entry in entries {
        let picture = entry["picture"].as_str().unwrap();
        assert!(picture.starts_with("<svg") && picture.matches("<path").count() > 5, "{}", entry["name"]);
    }
}

#[test]
fn the_dog_has_the_modes_that_analysis_finds() {
    let creature = dog();
    let mut data = Data::new(&creature);
    let modes = analyze(&creature, &mut data, creature.reference_pose(), &Settings::default()).unwrap();
    let answer = body(&mut Page::new(), &gallery("dog"), &json!({}));
    let told = answer.head["modes"].as_array().unwrap();
    assert_eq!(told.len(), 80);
    assert_eq!(told.iter().filter(|mode| mode["rigid"] == false).count(), 74);
    for (told, mode) in told.iter().zip(modes.directions()) {
        assert_eq!(told["frequency"].as_f64().unwrap(), mode.frequency().unwrap());
        assert!(!told["name"].as_str().unwrap().is_empty());
    }
    let shapes = answer.numbers(&answer.head["shapes"]);
    assert_eq!(shapes, as_f32(modes.directions().iter().flat_map(|mode| mode.shape.clone())));
    assert_eq!(floats(&answer.head["pose"]), creature.reference_pose());
    assert_eq!(answer.head["mass"].as_f64().unwrap(), creature.mass());

    // The root of a swinging mode is where a swing that keeps momentum takes it.
    let roots = answer.numbers(&answer.head["roots"]);
    let amplitude = answer.head["swing"].as_f64().unwrap();
    assert_eq!(roots.len(), 80 * 5 * 7);
    for index in [3, 6, 20, 79] {
        for (k, share) in [-1.0, -0.5, 0.0, 0.5, 1.0].into_iter().enumerate() {
            let pose =
                swing(&creature, &mut data, &modes, &modes.directions()[index], share * amplitude).unwrap();
            let told = &roots[(index * 5 + k) * 7..][..7];
            for (told, expected) in told.iter().zip(&pose[..7]) {
                // Ways to the same place differ in their steps by less than a picture shows.
                assert!(
                    (f64::from(*told) - expected).abs() < 1e-3,
                    "mode {index} at {share}: {told} {expected}"
                );
            }
        }
    }
}

#[test]
fn marks_follow_modes_through_a_change_of_body() {
    let mut page = Page::new();
    let request = |style: Value| json!({ "ask": "body", "creature": gallery("dog"), "style": style, "from": {}, "marks": [2, 6, 9, 14, 999] });
    let same = page.ask(request(json!({}))).head;
    for follow in same["follows"].as_array().unwrap() {
        assert_eq!(follow["old"], follow["new"]);
        assert!((follow["factor"].as_f64().unwrap() - 1.0).abs() < 1e-9);
        assert!((follow["likeness"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    }
    // Twice the stiffness everywhere: the same shapes at √2 times the frequency.
    let stiff = page.ask(request(json!({ "scale": [[".*", 2.0]] }))).head;
    assert_eq!(stiff["follows"].as_array().unwrap().len(), 4);
    for follow in stiff["follows"].as_array().unwrap() {
        assert_eq!(follow["old"], follow["new"]);
        assert!((follow["likeness"].as_f64().unwrap() - 1.0).abs() < 1e-6);
    }
    let ratio =
        stiff["modes"][9]["frequency"].as_f64().unwrap() / same["modes"][9]["frequency"].as_f64().unwrap();
    assert!((ratio - 2_f64.sqrt()).abs() < 1e-9, "{ratio}");
}

#[test]
fn limbs_are_sliders_that_touch_their_joints_only() {
    let mut page = Page::new();
    for name in ["dog", "human", "spider", "snake"] {
        let creature = page.ask(json!({ "ask": "creature", "creature": gallery(name) })).head;
        let joints = creature["joints"].as_array().unwrap();
        let before = floats(&body(&mut page, &gallery(name), &json!({})).head["stiffness"]);
        let mut covered = 0;
        for limb in creature["limbs"].as_array().unwrap() {
            let after = body(&mut page, &gallery(name), &json!({ "scale": [[limb["pattern"], 4.0]] }));
            let after = floats(&after.head["stiffness"]);
            let members = limb["joints"].as_array().unwrap();
            covered += members.len();
            for (k, joint) in joints.iter().enumerate() {
                let factor = if members.contains(&joint["name"]) { 4.0 } else { 1.0 };
                assert_eq!(after[k], before[k] * factor, "{name} {} {}", limb["name"], joint["name"]);
            }
        }
        assert_eq!(covered, joints.iter().filter(|joint| joint["kind"] != "free").count(), "{name}");
    }
}

#[test]
fn a_motion_is_what_perform_plays() {
    let mut page = Page::new();
    let mut data = Data::new(&dog());
    let body = Body::new(dog(), &mut data, &Style::default()).unwrap();
    let wish = Wish { speed: Some(0.8), ..Wish::default() };
    let gait = design(&body, &mut data, "walk", &wish).unwrap().gait;
    let played = perform(&body, &mut data, &gait, &Sampling { seconds: None, fps: 60.0 }).unwrap();
    let request =
        |gait: Value| json!({ "ask": "motion", "creature": gallery("dog"), "style": {}, "gait": gait });
    let answer = page.ask(request(json!({ "name": "walk", "speed": 0.8 })));
    let clip = &answer.head["clip"];
    assert_eq!(answer.numbers(&clip["poses"]), as_f32(played.clip.poses.concat()));
    assert_eq!(answer.numbers(&clip["times"]), as_f32(played.clip.times.clone()));
    assert_eq!(clip["keys"], json!(played.clip.poses.len()));
    assert_eq!(clip["contacts"].as_array().unwrap().len(), 4);
    assert_eq!(answer.head["report"]["speed"].as_f64().unwrap(), played.report.speed);
    assert_eq!(answer.head["report"]["slip_mm"].as_f64(), played.report.slip_mm);
    assert_eq!(answer.head["components"].as_array().unwrap().len(), gait.components.len());

    // A gait file of the same gait is the same motion.
    let text = to_toml(&gait, &[]);
    let from_file = page.ask(request(json!({ "name": "walk", "file": text })));
    for (a, b) in
        answer.numbers(&clip["poses"]).iter().zip(from_file.numbers(&from_file.head["clip"]["poses"]))
    {
        assert!((a - b).abs() < 1e-4, "{a} {b}"); // files carry six digits or so
    }

    // An edit changes its mode and no other; a mode that is not in the gait comes in.
    let edited = page.ask(request(json!({ "name": "walk", "speed": 0.8, "edits": [
        { "mode": 40, "amplitude": 0.05, "phase": 1.0, "harmonic": 2, "offset": 0.02 }] })));
    let components = edited.head["components"].as_array().unwrap();
    assert_eq!(components.len(), gait.components.len() + 1);
    let added = components.iter().find(|component| component["mode"] == 40).unwrap();
    assert_eq!(*added, json!({ "mode": 40, "amplitude": 0.05, "phase": 1.0, "harmonic": 2, "offset": 0.02 }));

    // Without ground nothing travels.
    let air = page.ask(request(json!({ "name": "walk", "ground": false }))).head;
    assert_eq!(air["report"]["speed"], json!(0.0));
    assert_eq!(air["clip"]["contacts"], json!([]));
    // Up a slope it rises.
    let slope = page.ask(request(json!({ "name": "walk", "slope": 0.1 })));
    let poses = slope.numbers(&slope.head["clip"]["poses"]);
    let (first, last) = (&poses[..3], &poses[poses.len() - body.creature.nq()..]);
    assert!(((last[2] - first[2]) / (last[0] - first[0]) - 0.1).abs() < 0.02);
}

#[test]
fn without_a_gait_the_modes_that_are_moved_by_hand_play() {
    let mut page = Page::new();
    let request =
        |gait: Value| json!({ "ask": "motion", "creature": gallery("dog"), "style": {}, "gait": gait });
    let still = page.ask(request(json!({})));
    let poses = still.numbers(&still.head["clip"]["poses"]);
    let rest = as_f32(dog().reference_pose().to_vec());
    assert!(poses.chunks(rest.len()).all(|pose| pose == rest));
    let edits = json!([{ "mode": 8, "amplitude": 0.3 }, { "mode": 12, "amplitude": 0.1 }]);
    let moved = page.ask(request(json!({ "edits": edits, "ground": false }))).head;
    let modes = body(&mut page, &gallery("dog"), &json!({})).head;
    assert_eq!(moved["frequency"], modes["modes"][8]["frequency"]);
    assert_eq!(moved["components"].as_array().unwrap().len(), 2);
}

#[test]
fn gaits_that_do_not_suit_say_why() {
    let mut page = Page::new();
    let gaits = page.ask(json!({ "ask": "gaits", "creature": gallery("human"), "style": {} })).head;
    let find =
        |name: &str| gaits["gaits"].as_array().unwrap().iter().find(|gait| gait["name"] == name).unwrap();
    assert_eq!(find("walk")["suits"], true);
    assert_eq!(find("trot")["suits"], false);
    assert!(find("trot")["reason"].as_str().unwrap().len() > 5);
    assert!(find("push-cart")["style"]["constraints"].as_array().unwrap().len() == 1);
    // A preset plays in its own style.
    let style = &find("push-cart")["style"];
    page.ask(json!({ "ask": "motion", "creature": gallery("human"), "style": style, "gait": { "name": "push-cart" } }));
}

#[test]
fn green_modes_are_in_a_gait_and_red_ones_are_not() {
    let mut page = Page::new();
    let mut modes = |gait: Value| -> Vec<u64> {
        let motion =
            page.ask(json!({ "ask": "motion", "creature": gallery("dog"), "style": {}, "gait": gait })).head;
        motion["components"].as_array().unwrap().iter().map(|part| part["mode"].as_u64().unwrap()).collect()
    };
    let plain = modes(json!({ "name": "walk", "speed": 0.8 }));
    let red = *plain.iter().find(|mode| **mode >= 6).unwrap();
    assert!(!modes(json!({ "name": "walk", "speed": 0.8, "avoid": [red] })).contains(&red));
    let green = (6..80).find(|mode| !plain.contains(mode)).unwrap();
    assert!(modes(json!({ "name": "walk", "speed": 0.8, "prefer": [green] })).contains(&green));
}

#[test]
fn a_creature_stands_up_and_stays_up() {
    let mut page = Page::new();
    for style in [json!({}), json!({ "stiffness": 20.0, "weight": 1.5 }), json!({ "scale": [[".*", 0.5]] })] {
        let stand = page.ask(json!({ "ask": "stand", "creature": gallery("dog"), "style": style })).head;
        assert!(stand["text"].as_str().unwrap().contains("carries its weight"), "{}", stand["text"]);
        // Asked again, nothing is left to do, but for the precision of the search.
        let again =
            page.ask(json!({ "ask": "stand", "creature": gallery("dog"), "style": stand["style"] })).head;
        assert!((again["factor"].as_f64().unwrap() - 1.0).abs() < 0.02, "{}", again["factor"]);
        assert!(stand["style"]["scale"].as_array().unwrap().len() <= 1);
    }
}

#[test]
fn what_was_guessed_can_be_set_right() {
    let mut page = Page::new();
    let bytes = gambol::formats::gltf::samples::quadruped(&gambol::formats::gltf::samples::Awkward::PLAIN);
    let plain = page.drop_files(&[("animal.glb", &bytes)]);
    let told = page.ask(json!({ "ask": "creature", "creature": plain })).head;
    let ball =
        told["joints"].as_array().unwrap().iter().find(|joint| joint["kind"] == "ball").unwrap().clone();
    let name_of = |joint: &Value| told["bodies"][index(&joint["body"])]["name"].clone();
    let mut work = plain.clone();
    work["joints"] = json!([[name_of(&ball), "hinge"]]);
    work["mass"] = json!(30.0);
    work["landmarks"] = json!([["tail", ""]]);
    let right = page.ask(json!({ "ask": "creature", "creature": work })).head;
    let joint =
        right["joints"].as_array().unwrap().iter().find(|joint| joint["name"] == ball["name"]).unwrap();
    assert_eq!(joint["kind"], "hinge");
    assert!((right["mass"].as_f64().unwrap() - 30.0).abs() < 1e-9);
    assert!(right["landmarks"].as_array().unwrap().iter().all(|mark| mark["name"] != "tail"));
    work["joints"] = json!([[name_of(&ball), "fixed"]]);
    let fixed = page.ask(json!({ "ask": "creature", "creature": work })).head;
    assert_eq!(fixed["nv"].as_u64().unwrap() + 3, told["nv"].as_u64().unwrap());

    // Where it looks, in the axes of the file: backwards now.
    let ahead = |skin: &Value| floats(&skin["orientation"]);
    let mut turned = plain.clone();
    turned["forward"] = json!([0.0, 0.0, -1.0]);
    let back = page.ask(json!({ "ask": "creature", "creature": turned })).head;
    assert_ne!(ahead(&told["skin"]), ahead(&back["skin"]));
}

#[test]
fn a_mesh_is_told_once() {
    let mjcf = r#"<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody><body name="a">
        <freejoint/><geom type="mesh" mesh="m"/><geom type="mesh" mesh="m" pos="1 0 0"/><geom type="box" size="1 2 3"/>
        </body></worldbody></mujoco>"#;
    let mut page = Page::new();
    let source = page.drop_files(&[("m.xml", mjcf.as_bytes())]);
    let answer = page.ask(json!({ "ask": "creature", "creature": source }));
    let shapes = answer.head["shapes"].as_array().unwrap();
    assert_eq!(shapes[0]["vertices"], shapes[1]["vertices"]);
    assert_eq!(answer.numbers(&shapes[0]["vertices"]).len(), 12);
    let triangles = answer.numbers(&shapes[0]["triangles"]);
    assert_eq!(triangles.len(), 12);
    assert!(triangles.iter().all(|corner| corner.fract() == 0.0 && *corner < 4.0));
    assert_eq!(answer.bytes.len(), 4 * 24);
    assert_eq!((&shapes[2]["kind"], &shapes[2]["size"]), (&json!("box"), &json!([1.0, 2.0, 3.0])));
}

#[test]
fn a_recording_is_a_creature_and_a_motion_of_its_own() {
    let creature = gambol::load("human", &LoadOptions::default()).unwrap();
    let mut data = Data::new(&creature);
    let body = Body::new(creature, &mut data, &Style::default()).unwrap();
    let gait = design(&body, &mut data, "walk", &Wish::default()).unwrap().gait;
    let clip = perform(&body, &mut data, &gait, &Sampling { seconds: Some(2.0), fps: 30.0 }).unwrap().clip;
    let text = gambol::formats::clip::to_bvh(&body.creature, &clip).unwrap();
    let mut page = Page::new();
    let source = page.drop_files(&[("walk.bvh", text.as_bytes())]);
    let answer = page.ask(json!({ "ask": "creature", "creature": source }));
    assert_eq!(answer.head["kind"], "recording");
    let recording = &answer.head["recording"];
    let keys = recording["clip"]["keys"].as_u64().unwrap();
    assert_eq!(keys, clip.poses.len() as u64);
    let poses = answer.numbers(&recording["clip"]["poses"]);
    assert_eq!(poses.len() as u64, keys * recording["creature"]["nq"].as_u64().unwrap());
    assert!(!recording["clip"]["contacts"].as_array().unwrap().is_empty());
    page.ask(json!({ "ask": "motion", "creature": source, "style": {}, "gait": { "name": "walk" } }));
}

#[test]
fn a_robot_without_springs_gets_some() {
    let urdf = r#"<robot name="arm"><link name="base"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
        ixz="0" iyz="0"/></inertial></link><link name="tip"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
        ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous"><parent link="base"/>
        <child link="tip"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/></joint></robot>"#;
    let mut page = Page::new();
    let mut source = page.drop_files(&[("arm.urdf", urdf.as_bytes())]);
    // Hung from the world, with what would help as it is called on the page.
    let told = page.ask(json!({ "ask": "creature", "creature": source })).head["warnings"].to_string();
    assert!(told.contains("\u{201c}Floats freely\u{201d} under Root sets it free"), "{told}");
    source["free_root"] = json!(true);
    let told = page.ask(json!({ "ask": "creature", "creature": source })).head;
    assert_eq!(told["kind"], "urdf");
    assert!(told["notes"][0].as_str().unwrap().contains("springs"));
    let modes = body(&mut page, &source, &json!({})).head["modes"].as_array().unwrap().len();
    assert_eq!(modes, 7);
}

#[test]
fn files_that_lost_their_folders_are_found() {
    let mjcf = r#"<mujoco><compiler meshdir="assets"/><asset><mesh name="m" file="parts/m.obj"/></asset><worldbody>
        <body name="a"><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"#;
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    let mut page = Page::new();
    for (main, mesh) in
        [("a.xml", "assets/parts/m.obj"), ("a.xml", "m.obj"), ("x/a.xml", "x/assets/parts/m.obj")]
    {
        let source = page.drop_files(&[(main, mjcf.as_bytes()), (mesh, obj.as_bytes())]);
        page.ask(json!({ "ask": "creature", "creature": source }));
    }
    let source = page.drop_files(&[("a.xml", mjcf.as_bytes())]);
    let trouble = page.trouble(json!({ "ask": "creature", "creature": source }), &[]);
    assert!(trouble.contains("m.obj"), "{trouble}");
}

#[test]
fn work_and_gaits_are_kept() {
    let mut page = Page::new();
    assert_eq!(page.ask(json!({ "ask": "load", "tab": "a1" })).head["work"], Value::Null);
    page.ask(json!({ "ask": "save", "tab": "a1", "work": { "past": [1, 2], "x": "ü" } }));
    page.ask(json!({ "ask": "save", "tab": "b2", "work": 5 }));
    assert_eq!(
        page.ask(json!({ "ask": "load", "tab": "a1" })).head["work"],
        json!({ "past": [1, 2], "x": "ü" })
    );
}

#[test]
fn the_same_question_has_the_same_answer_whatever_was_asked_before() {
    let style = json!({ "weight": 1.3, "injured": ["foot.hind.left"] });
    let motion = json!({ "ask": "motion", "creature": gallery("dog"), "style": style,
        "gait": { "name": "trot", "edits": [{ "mode": 7, "amplitude": 0.1 }] } });
    let (mut one, mut other) = (Page::new(), Page::new());
    let first = one.ask(motion.clone());
    // Another page asks this and that, of bodies remembered and forgotten, before it comes to the same.
    let mut dice = Random::new(3);
    for _ in 0..8 {
        let weight = 1.0 + 0.5 * dice.symmetric();
        other.ask(json!({ "ask": "body", "creature": gallery("dog"), "style": { "weight": weight } }));
    }
    other.ask(json!({ "ask": "motion", "creature": gallery("dog"), "style": style, "gait": { "name": "trot", "turn": 0.2 } }));
    other.ask(json!({ "ask": "creature", "creature": gallery("loop") }));
    for page in [&mut other, &mut one] {
        let again = page.ask(motion.clone());
        assert_eq!(again.head, first.head);
        assert!(again.bytes == first.bytes);
    }
}

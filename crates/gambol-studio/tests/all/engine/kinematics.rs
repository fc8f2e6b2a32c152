//! What a page must do to pose a creature, from the answer about it alone: bodies in order, each from its parent by its
//! joints in order. `web/` does the same in TypeScript. It must give the frames of `forward_kinematics` in any pose, of
//! any creature.

use gambol::dynamics::{Data, forward_kinematics};
use gambol::formats::files::Memory;
use gambol::formats::gltf::read_gltf;
use gambol::formats::gltf::samples::{awkward, quadruped};
use gambol::model::{Creature, Random};
use gambol::{LoadOptions, gallery};
use nalgebra::{Isometry3, Quaternion, Translation3, Unit, UnitQuaternion, Vector3};
use serde_json::{Value, json};

use super::support::{Page, floats, index};

fn vector(list: &Value) -> Vector3<f64> {
    Vector3::from_column_slice(&floats(list))
}

fn rotation(wxyz: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(wxyz[0], wxyz[1], wxyz[2], wxyz[3]))
}

fn about(anchor: Vector3<f64>, turn: UnitQuaternion<f64>) -> Isometry3<f64> {
    Translation3::from(anchor) * turn * Translation3::from(-anchor)
}

/// World from each body.
fn frames(head: &Value, q: &[f64]) -> Vec<Isometry3<f64>> {
    let mut frames: Vec<Isometry3<f64>> = Vec::new();
    for (number, body) in head["bodies"].as_array().unwrap().iter().enumerate() {
        if number == 0 {
            frames.push(Isometry3::identity());
            continue;
        }
        let parent = frames[index(&body["parent"])];
        let place = Translation3::from(vector(&body["position"])) * rotation(&floats(&body["orientation"]));
        let mut frame = parent * place;
        let [first, end] = [0, 1].map(|k| index(&body["joints"][k]));
        for joint in &head["joints"].as_array().unwrap()[first..end] {
            let at = index(&joint["q"]);
            let (anchor, axis) = (vector(&joint["anchor"]), Unit::new_normalize(vector(&joint["axis"])));
            let away = q[at] - joint["reference"].as_f64().unwrap();
            frame = match joint["kind"].as_str().unwrap() {
                "free" => Translation3::new(q[at], q[at + 1], q[at + 2]) * rotation(&q[at + 3..at + 7]),
                "ball" => frame * about(anchor, rotation(&q[at..at + 4])),
                "hinge" => frame * about(anchor, UnitQuaternion::from_axis_angle(&axis, away)),
                "slide" => frame * Translation3::from(axis.into_inner() * away),
                other => panic!("{other}"),
            };
        }
        frames.push(frame);
    }
    frames
}

fn compare(creature: &Creature, head: &Value, seed: u64) {
    let mut data = Data::new(creature);
    let mut dice = Random::new(seed);
    assert_eq!(head["nq"], json!(creature.nq()));
    assert_eq!(head["nv"], json!(creature.nv()));
    assert_eq!(floats(&head["reference"]), creature.reference_pose());
    for _ in 0..20 {
        let mut pose = creature.reference_pose().to_vec();
        let motion: Vec<f64> = (0..creature.nv()).map(|_| dice.symmetric()).collect();
        creature.integrate(&mut pose, &motion, 1.5);
        let expected = forward_kinematics(creature, &mut data, &pose);
        for (body, (found, expected)) in frames(head, &pose).iter().zip(expected).enumerate() {
            let name = &creature.bodies()[body].name;
            // A few roundings per body, some twenty bodies deep.
            let moved = (found.translation.vector - expected.position).norm();
            assert!(moved < 1e-12, "{} {name}: {moved}", creature.name());
            let turned = found.rotation.angle_to(&expected.orientation);
            assert!(turned < 1e-7, "{} {name}: {turned}", creature.name()); // acos near 1 loses half the digits
            let matrix = (found.rotation.to_rotation_matrix().into_inner() - expected.rotation).amax();
            assert!(matrix < 1e-12, "{} {name}: {matrix}", creature.name());
        }
    }
}

#[test]
fn the_page_can_pose_every_creature_of_the_gallery() {
    let mut page = Page::new();
    for entry in &gallery::ENTRIES {
        let creature = gambol::load(entry.name, &LoadOptions::default()).unwrap();
        let source = super::support::gallery(entry.name);
        let answer = page.ask(json!({ "ask": "creature", "creature": source }));
        compare(&creature, &answer.head, 7);
    }
}

#[test]
fn the_page_can_pose_joints_that_begin_elsewhere() {
    // Several joints on a body, anchors beside its origin, slides, balls, and angles that count from a reference.
    let mjcf = r#"<mujoco><compiler angle="radian"/><worldbody><body name="a" pos="1 2 3" quat="0.5 0.5 -0.5 0.5">
        <joint name="s" type="slide" axis="1 1 0" ref="0.3"/><joint name="h" axis="0 1 2" pos="0.1 0.2 0.3" ref="-0.7"/>
        <geom size="0.1"/><body name="b" pos="0 0 1"><joint name="d" axis="1 0 0" pos="0 0.5 0" ref="2"/>
        <joint name="c" type="ball" pos="0.4 0 -0.1"/><geom size="0.1"/></body></body></worldbody></mujoco>"#;
    let mut page = Page::new();
    let source = page.drop_files(&[("odd.xml", mjcf.as_bytes())]);
    let answer = page.ask(json!({ "ask": "creature", "creature": source }));
    let creature =
        gambol::formats::load_str("odd.xml", mjcf, &LoadOptions::default()).unwrap().build().unwrap();
    compare(&creature, &answer.head, 11);
    assert_eq!(answer.head["kind"], "mjcf");
}

#[test]
fn the_page_can_pose_and_skin_rigs() {
    let mut page = Page::new();
    for (name, trouble) in awkward() {
        let bytes = quadruped(&trouble);
        let file = format!("{name}.glb").replace(' ', "-");
        let source = page.drop_files(&[(&file, &bytes)]);
        let answer = page.ask(json!({ "ask": "creature", "creature": source }));
        let files = Memory::new().with(file.as_str(), bytes.as_slice());
        let (creature, rig) = read_gltf(&files, &file, &LoadOptions::default()).unwrap();
        compare(&creature, &answer.head, 5);

        assert_eq!(answer.head["kind"], "gltf");
        let skin = &answer.head["skin"];
        assert_eq!(skin["bundle"], source["source"]["bundle"]);
        assert_eq!(skin["file"], json!(file));
        assert_eq!(skin["clips"].as_array().unwrap().is_empty(), !trouble.clips, "{name}");
        let place = Translation3::from(vector(&skin["position"])) * rotation(&floats(&skin["orientation"]));
        let world_from_scene = nalgebra::Similarity3::from_isometry(place, skin["scale"].as_f64().unwrap());
        let point = nalgebra::Point3::new(0.1, -0.2, 0.3);
        assert!((world_from_scene * point - rig.world_from_scene * point).norm() < 1e-12);
        let bones = skin["bones"].as_array().unwrap();
        assert_eq!(bones.len(), rig.bones.len());
        for (told, bone) in bones.iter().zip(&rig.bones) {
            assert_eq!(
                (told["node"].as_u64(), told["body"].as_u64()),
                (Some(bone.node as u64), Some(bone.body as u64))
            );
            assert_eq!(vector(&told["position"]), bone.body_from_node.translation.vector);
            let turn = bone.body_from_node.rotation;
            assert_eq!(floats(&told["orientation"]), [turn.w, turn.i, turn.j, turn.k]);
        }
        // The file itself comes back as it went in, for the page to draw.
        let file = page.ask(json!({ "ask": "file", "bundle": skin["bundle"], "name": skin["file"] }));
        assert!(file.bytes == bytes);
    }
}

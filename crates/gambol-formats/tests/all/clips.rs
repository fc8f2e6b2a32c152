//! What another program makes of our files is where our own kinematics put the creature. The files are read back here by
//! a reader that shares no code with the writer: nodes, tracks and channels are composed as the formats define it, and
//! every body must be where forward kinematics puts it, at every key. This catches wrong axes, wrong parents, joints with
//! an anchor, several joints on a body, lost tracks, and angles in the wrong order.

use std::collections::HashMap;

use gambol_dynamics::{Data, forward_kinematics};
use gambol_formats::clip::{ClipFileError, GlbOptions, RootMotion, to_bvh, to_glb, to_json, to_npz};
use gambol_formats::{LoadOptions, load_str};
use gambol_model::samples::{TreeKind, chain, random_tree};
use gambol_model::{Creature, Quat, Transform, Vec3};
use gambol_motion::{Clip, Contact, Stride, samples::wander};
use nalgebra::{Point3, Quaternion, UnitQuaternion};
use serde_json::Value;

const TRAVEL: GlbOptions = GlbOptions { root_motion: RootMotion::Travel };
const IN_PLACE: GlbOptions = GlbOptions { root_motion: RootMotion::InPlace };
const KEYS: usize = 13;
const STRIDE: Stride = Stride { yaw: 0.4, shift: Vec3::new(0.8, 0.1, 0.02) };
/// Largest distance, in parts of the creature's size: 32-bit numbers have 6e-8, a dozen joints add theirs up.
const NEAR: f64 = 3e-6;

/// Shapes of every kind, several joints on a body, anchors, a slide; two floating trees and one fixed to the world.
const ZOO: &str = r#"<mujoco model="zoo">
  <asset><mesh name="tent" vertex="0 0 0  .2 0 0  0 .2 0  0 0 .3" face="0 2 1  0 1 3  1 2 3  2 0 3"/></asset>
  <worldbody>
    <geom type="box" size="2 2 .1" pos="0 0 -1"/>
    <body name="post" pos="1 1 0" euler="0 0 30"><geom type="cylinder" size=".05 .4" rgba="1 0 0 1"/>
      <body name="flag" pos="0 0 .4"><joint axis="0 1 1" pos=".1 0 0"/><geom type="box" size=".2 .01 .1" rgba="0 0 1 .5"/></body></body>
    <body name="left beast" pos="0 .5 .6" quat="1 .2 .1 -.3"><freejoint/>
      <geom type="ellipsoid" size=".2 .1 .12" rgba=".2 .7 .3 1"/>
      <geom type="sphere" size=".03" pos=".2 .05 .05" contype="0" conaffinity="0" rgba="0 0 0 1"/>
      <body name="leg" pos=".1 0 -.1" euler="10 20 30">
        <joint axis="1 0 0" pos="0 .02 0"/><joint axis="0 1 .3" pos=".03 0 .05"/><joint type="slide" axis="0 .2 1"/>
        <geom type="capsule" size=".03" fromto="0 0 0 0 .1 -.3"/>
        <body name="paw {1}" pos="0 .1 -.3"><joint type="ball" pos="0 0 .02"/><geom type="mesh" mesh="tent" rgba="1 0 0 1"/></body></body></body>
    <body name="right beast" pos="0 -.5 .6"><freejoint/><geom size=".1"/>
      <body name="tail" pos="-.1 0 0"><joint axis="0 0 1" ref="20"/><geom type="capsule" size=".02 .1" pos="-.1 0 0" euler="0 90 0"/></body></body>
  </worldbody></mujoco>"#;

fn mjcf(text: &str) -> Creature {
    load_str("test.xml", text, &LoadOptions::default()).unwrap().build().unwrap()
}

fn creatures() -> Vec<Creature> {
    let kind = TreeKind { bodies: 12, free_root: true, armature: false };
    let mut creatures = vec![mjcf(ZOO), chain(6)];
    creatures.extend((1..5).map(|seed| random_tree(seed, kind)));
    creatures.extend((5..8).map(|seed| random_tree(seed, TreeKind { free_root: false, ..kind })));
    creatures
}

fn clip(creature: &Creature) -> Clip {
    wander(creature, 11, KEYS, 0.9, STRIDE)
}

/// Where glTF and BVH have the point.
fn y_up(v: Vec3) -> Vec3 {
    Vec3::new(v.y, v.z, v.x)
}

/// Positions of all bodies at a pose, y up.
fn positions(creature: &Creature, pose: &[f64]) -> Vec<Vec3> {
    let mut data = Data::new(creature);
    forward_kinematics(creature, &mut data, pose).iter().map(|frame| y_up(frame.position)).collect()
}

fn size(creature: &Creature) -> f64 {
    let places = positions(creature, creature.reference_pose());
    let span = |k: usize| {
        let numbers = || places[1..].iter().map(|place| place[k]);
        numbers().fold(f64::MIN, f64::max) - numbers().fold(f64::MAX, f64::min)
    };
    (0..3).map(span).fold(0.1, f64::max)
}

/// A GLB as the specification reads it.
struct Gltf {
    json: Value,
    binary: Vec<u8>,
}

impl Gltf {
    fn new(bytes: &[u8]) -> Self {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], word(4), word(8)), (b"glTF".as_slice(), 2, bytes.len()));
        let json = &bytes[20..20 + word(12)];
        assert_eq!(&bytes[16..20], b"JSON");
        let at = 20 + json.len();
        assert_eq!((&bytes[at + 4..at + 8], word(at) + at + 8), (b"BIN\0".as_slice(), bytes.len()));
        Self { json: serde_json::from_slice(json).unwrap(), binary: bytes[at + 8..].to_vec() }
    }

    fn index(value: &Value) -> usize {
        usize::try_from(value.as_u64().unwrap()).unwrap()
    }

    /// The vectors of an accessor; normalised integers as fractions.
    fn accessor(&self, index: &Value) -> Vec<Vec<f64>> {
        let accessor = &self.json["accessors"][Self::index(index)];
        let view = &self.json["bufferViews"][Self::index(&accessor["bufferView"])];
        let components = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            other => panic!("{other}"),
        };
        let width = match accessor["componentType"].as_u64().unwrap() {
            5121 => 1,
            5123 => 2,
            _ => 4,
        };
        let start = Self::index(&view["byteOffset"]);
        let bytes = &self.binary[start..start + Self::index(&view["byteLength"])];
        assert_eq!(start % 4, 0);
        assert_eq!(bytes.len(), width * components * Self::index(&accessor["count"]));
        let number = |b: &[u8]| match (width, accessor["componentType"].as_u64().unwrap()) {
            (1, _) if accessor["normalized"] == true => f64::from(b[0]) / 255.0,
            (1, _) => f64::from(b[0]),
            (2, _) => f64::from(u16::from_le_bytes([b[0], b[1]])),
            (_, 5125) => f64::from(u32::from_le_bytes(b.try_into().unwrap())),
            _ => f64::from(f32::from_le_bytes(b.try_into().unwrap())),
        };
        let numbers: Vec<f64> = bytes.chunks(width).map(number).collect();
        numbers.chunks(components).map(<[f64]>::to_vec).collect()
    }

    fn nodes(&self) -> &[Value] {
        self.json["nodes"].as_array().unwrap()
    }

    /// Poses of all nodes in the world at a key of the animation, or as the nodes stand.
    fn world(&self, key: Option<usize>) -> Vec<Transform> {
        let numbers = |value: &Value| -> Option<Vec<f64>> {
            Some(value.as_array()?.iter().map(|x| x.as_f64().unwrap()).collect())
        };
        let mut parts: Vec<(Vec<f64>, Vec<f64>)> = self
            .nodes()
            .iter()
            .map(|node| {
                assert!(node["matrix"].is_null() && node["scale"].is_null());
                let translation = numbers(&node["translation"]).unwrap_or(vec![0.0; 3]);
                (translation, numbers(&node["rotation"]).unwrap_or(vec![0.0, 0.0, 0.0, 1.0]))
            })
            .collect();
        if let Some(key) = key {
            let animation = &self.json["animations"][0];
            for channel in animation["channels"].as_array().unwrap() {
                let sampler = &animation["samplers"][Self::index(&channel["sampler"])];
                let value = self.accessor(&sampler["output"])[key].clone();
                let node = &mut parts[Self::index(&channel["target"]["node"])];
                match channel["target"]["path"].as_str().unwrap() {
                    "translation" => node.0 = value,
                    "rotation" => node.1 = value,
                    other => panic!("{other}"),
                }
            }
        }
        let local: Vec<Transform> = parts
            .iter()
            .map(|(t, r)| {
                let rotation = UnitQuaternion::new_normalize(Quaternion::new(r[3], r[0], r[1], r[2]));
                Transform::from_parts(Vec3::from_column_slice(t).into(), rotation)
            })
            .collect();
        let mut world = vec![Transform::identity(); local.len()];
        let mut waiting: Vec<(usize, Transform)> = self.json["scenes"][0]["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| (Self::index(node), Transform::identity()))
            .collect();
        while let Some((node, parent)) = waiting.pop() {
            world[node] = parent * local[node];
            for child in self.nodes()[node]["children"].as_array().into_iter().flatten() {
                waiting.push((Self::index(child), world[node]));
            }
        }
        world
    }

    fn node(&self, name: &str) -> usize {
        self.nodes().iter().position(|node| node["name"] == name).unwrap_or_else(|| panic!("no node {name}"))
    }

    /// Path and node name of every channel.
    fn channels(&self) -> Vec<(String, String)> {
        let channel = |channel: &Value| {
            let node = &self.nodes()[Self::index(&channel["target"]["node"])];
            let path = channel["target"]["path"].as_str().unwrap();
            (path.to_owned(), node["name"].as_str().unwrap().to_owned())
        };
        self.json["animations"][0]["channels"].as_array().unwrap().iter().map(channel).collect()
    }
}

#[test]
fn gltf_puts_every_body_where_kinematics_does() {
    for creature in creatures() {
        let clip = clip(&creature);
        for (options, shown) in [(TRAVEL, clip.clone()), (IN_PLACE, clip.in_place(&creature))] {
            let gltf = Gltf::new(&to_glb(&creature, &clip, &options).unwrap());
            let mut poses: Vec<(Option<usize>, &[f64])> = vec![(None, creature.reference_pose())];
            poses.extend(shown.poses.iter().enumerate().map(|(key, pose)| (Some(key), pose.as_slice())));
            for (key, pose) in poses {
                let world = gltf.world(key);
                for (body, place) in creature.bodies().iter().zip(positions(&creature, pose)).skip(1) {
                    let found = world[gltf.node(&body.name)].translation.vector;
                    let off = (found - place).norm();
                    assert!(off < NEAR * size(&creature), "{} {} {key:?}: {off}", creature.name(), body.name);
                }
            }
        }
    }
}

/// A skinned vertex is on the surface of a shape of its body: farthest along its normal, as the shape's own support says.
/// The mesh must be there in full: as many bodies have vertices as have shapes to show.
#[test]
fn the_skin_is_the_surface_of_the_shapes() {
    let creature = mjcf(ZOO);
    let gltf = Gltf::new(&to_glb(&creature, &clip(&creature), &TRAVEL).unwrap());
    let skin = &gltf.json["skins"][0];
    let inverse_bind = gltf.accessor(&skin["inverseBindMatrices"]);
    let primitives = gltf.json["meshes"][0]["primitives"].as_array().unwrap();
    // Red, blue, green, black, grey; the tent is closed, so it shares red with the post.
    assert_eq!((gltf.json["meshes"].as_array().unwrap().len(), primitives.len()), (1, 5));
    let mut seen = vec![0; creature.bodies().len()];
    for primitive in primitives {
        let of = |name: &str| gltf.accessor(&primitive["attributes"][name]);
        let (joints, weights) = (of("JOINTS_0"), of("WEIGHTS_0"));
        for (vertex, (place, normal)) in of("POSITION").iter().zip(of("NORMAL")).enumerate() {
            assert_eq!(weights[vertex], [1.0, 0.0, 0.0, 0.0]);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let joint = joints[vertex][0] as usize;
            let node = Gltf::index(&skin["joints"][joint]);
            let body = creature.body_index(gltf.nodes()[node]["name"].as_str().unwrap()).unwrap();
            seen[body] += 1;
            let matrix = nalgebra::Matrix4::from_column_slice(&inverse_bind[joint]);
            let back = |v: Vec3| Vec3::new(v.z, v.x, v.y);
            let place = back(matrix.transform_point(&Point3::from_slice(place)).coords);
            let normal = back(matrix.transform_vector(&Vec3::from_column_slice(&normal)));
            let shapes = &creature.shapes()[creature.bodies()[body].shapes.clone()];
            let off = shapes.iter().map(|shape| {
                let turn = shape.body_from_shape.rotation.inverse();
                let inside = shape.body_from_shape.inverse_transform_point(&place.into()).coords;
                let along = turn * normal;
                // A corner of the tent has the normals of its faces, of which it is not the only farthest point.
                (shape.shape.support(along) - inside).dot(&along).abs()
            });
            let off = off.fold(f64::MAX, f64::min);
            assert!(off < 1e-6, "{}: {off}", creature.bodies()[body].name);
        }
    }
    let with_shapes = creature.bodies().iter().skip(1).map(|body| !body.shapes.is_empty());
    assert!(seen.iter().skip(1).map(|&count| count > 0).eq(with_shapes), "{seen:?}");
    assert_eq!(seen[0], 0, "scenery is left out of a creature that floats");
}

/// What is for the eye hides what is for contact where it covers it, and no more.
#[test]
fn visual_shapes_stand_for_the_collision_shapes_they_cover() {
    let eye = r#"contype="0" conaffinity="0" rgba="1 0 0 1""#;
    let ball = r#"<geom size=".1" rgba="0 1 0 1"/>"#;
    let colours = |visual: &str| {
        let mesh = r#"<asset><mesh name="m" vertex="0 0 0  .02 0 0  0 .02 0  0 0 .02" face="0 2 1  0 1 3  1 2 3  2 0 3"/></asset>"#;
        let body = format!("<worldbody><body><freejoint/>{ball}{visual}</body></worldbody>");
        let text = format!("<mujoco>{mesh}{body}</mujoco>");
        let creature = mjcf(&text);
        let glb = Gltf::new(&to_glb(&creature, &clip(&creature), &TRAVEL).unwrap());
        let factor = |material: &Value| {
            let colour = &material["pbrMetallicRoughness"]["baseColorFactor"];
            if colour[0] == 1.0 { "red" } else { "green" }
        };
        glb.json["materials"].as_array().unwrap().iter().map(factor).collect::<Vec<_>>()
    };
    assert_eq!(colours(""), ["green"]);
    assert_eq!(colours(&format!(r#"<geom size=".11" {eye}/>"#)), ["red"]);
    assert_eq!(colours(&format!(r#"<geom size=".02" pos=".1 0 0" {eye}/>"#)), ["green", "red"]);
    assert_eq!(
        colours(&format!(r#"<geom type="mesh" mesh="m" {eye}/>"#)),
        ["red"],
        "a mesh is the body itself"
    );
    assert_eq!(colours(&format!(r#"<geom size=".11" {}/>"#, eye.replace("0 1\"", "0 0\""))), ["green"]);
}

/// The rules for animations that engines rely on.
#[test]
fn tracks_are_continuous_and_close() {
    for creature in creatures() {
        let gltf = Gltf::new(&to_glb(&creature, &clip(&creature), &TRAVEL).unwrap());
        let animation = &gltf.json["animations"][0];
        assert_eq!(animation["name"], "wander");
        let samplers = animation["samplers"].as_array().unwrap();
        let root = animation["extras"]["gambol"]["node"].as_str().unwrap();
        for (sampler, (path, node)) in samplers.iter().zip(gltf.channels()) {
            assert_eq!(
                (&sampler["interpolation"], &sampler["input"]),
                (&"LINEAR".into(), &samplers[0]["input"])
            );
            let keys = gltf.accessor(&sampler["output"]);
            if node != root {
                let sign = keys[0].iter().zip(&keys[KEYS - 1]).map(|(a, b)| a * b).sum::<f64>().signum();
                let sign = if path == "rotation" { sign } else { 1.0 };
                assert!(keys[0].iter().zip(&keys[KEYS - 1]).all(|(a, b)| *a == sign * b), "{node} {path}");
            }
            if path == "rotation" {
                for pair in keys.windows(2) {
                    let dot: f64 = pair[0].iter().zip(&pair[1]).map(|(a, b)| a * b).sum();
                    let norm: f64 = pair[0].iter().map(|x| x * x).sum();
                    assert!(dot > 0.0 && (norm - 1.0).abs() < 1e-6, "{node}");
                }
            }
        }
        let times = &gltf.json["accessors"][Gltf::index(&samplers[0]["input"])];
        assert_eq!((&times["min"][0], &times["max"][0]), (&0.0.into(), &1.0.into()));
    }
}

/// The way over the ground is on one node: with it in place nothing else changes, and a body on a mere hinge needs no
/// translations.
#[test]
fn root_motion_is_on_one_node() {
    let creature = chain(3);
    let clip = clip(&creature);
    let [travel, still] =
        [TRAVEL, IN_PLACE].map(|options| Gltf::new(&to_glb(&creature, &clip, &options).unwrap()));
    let (mut own, extras) = (travel.channels(), &travel.json["animations"][0]["extras"]["gambol"]);
    own.retain(|(_, node)| node != "root");
    let mut in_place = still.channels();
    in_place.retain(|(_, node)| node != "root");
    assert_eq!(own, in_place);
    let end = travel.world(Some(KEYS - 1))[travel.node("root")];
    assert!((end.translation.vector - y_up(STRIDE.shift)).norm() < 1e-7);
    assert!(end.rotation.angle_to(&Quat::from_axis_angle(&Vec3::y_axis(), STRIDE.yaw)) < 1e-7);
    assert_eq!(still.world(Some(KEYS - 1))[still.node("root")], Transform::identity());
    assert_eq!(
        [&extras["node"], &extras["root_motion"], &extras["loop"], &extras["stride"]["yaw"]],
        [&Value::from("root"), &"travel".into(), &true.into(), &STRIDE.yaw.into()]
    );
    assert_eq!(extras["stride"]["shift"], Value::from(y_up(STRIDE.shift).as_slice()));
    assert_eq!(still.json["animations"][0]["extras"]["gambol"]["root_motion"], "in-place");

    let hinges = mjcf(
        r#"<mujoco><worldbody><body name="a"><freejoint/><geom size=".1"/><body name="b" pos=".3 0 0"><joint/>
           <geom size=".1"/><body name="root" pos=".3 0 0"><joint pos=".1 0 0"/><geom size=".1"/></body></body></body>
           </worldbody></mujoco>"#,
    );
    let gltf = Gltf::new(&to_glb(&hinges, &self::clip(&hinges), &TRAVEL).unwrap());
    let shifted: Vec<String> =
        gltf.channels().into_iter().filter(|(path, _)| path == "translation").map(|(_, node)| node).collect();
    assert_eq!(
        shifted,
        ["root_", "a", "root"],
        "only what floats and what turns about a point off its origin"
    );
}

/// Odd clips: one key, no motion at all, no shapes, no bodies, no free body, a loop that is none.
#[test]
fn odd_clips_are_written() {
    let still = |creature: &Creature, keys: usize| Clip {
        name: "still".into(),
        times: (0..keys).map(|key| key as f64).collect(),
        poses: vec![creature.reference_pose().to_vec(); keys],
        stride: None,
        contacts: Vec::new(),
        travel: None,
    };
    let bare = mjcf("<mujoco><worldbody/></mujoco>");
    let fixed = mjcf(
        r#"<mujoco><worldbody><geom size=".1"/><body><joint/><geom size=".1"/></body></worldbody></mujoco>"#,
    );
    for creature in [&bare, &fixed, &chain(2)] {
        for keys in [1, 2] {
            let clip = still(creature, keys);
            let gltf = Gltf::new(&to_glb(creature, &clip, &TRAVEL).unwrap());
            assert_eq!(gltf.channels().len(), 1, "the root's place alone");
            assert_eq!(gltf.json["animations"][0]["extras"]["gambol"]["loop"], false);
            to_bvh(creature, &clip).unwrap();
            to_json(creature, &clip).unwrap();
            to_npz(creature, &clip).unwrap();
        }
    }
    let gltf = Gltf::new(&to_glb(&fixed, &still(&fixed, 1), &TRAVEL).unwrap());
    assert_eq!(gltf.json["animations"][0]["extras"]["gambol"]["root_motion"], "none");
    let low = &gltf.accessor(&gltf.json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"])[0];
    assert_eq!(low[0], 0.0, "the stand of a fixed creature is shown");
}

#[test]
fn bad_clips_are_told() {
    let creature = chain(2);
    let good = clip(&creature);
    let told = |clip: &Clip| to_glb(&creature, clip, &TRAVEL).unwrap_err().to_string();
    assert!(told(&Clip { times: vec![], poses: vec![], ..good.clone() }).contains("at least one pose"));
    let mut bad = good.clone();
    bad.poses[3].pop();
    assert!(told(&bad).contains("key 3: 7 numbers given, the pose has 8"), "{}", told(&bad));
    let mut bad = good.clone();
    bad.times.iter_mut().for_each(|time| *time += 1e9);
    assert!(told(&bad).contains("keys 0 and 1 are too close in time"));
    let contact = Contact { name: "foot".into(), body: 9, point: Vec3::zeros(), intervals: vec![] };
    assert!(
        told(&Clip { contacts: vec![contact], ..good.clone() })
            .contains("\"foot\": the creature has no body 9")
    );
    let long = chain(65_537);
    let one = Clip { poses: vec![long.reference_pose().to_vec()], times: vec![0.0], ..good.clone() };
    let error = to_glb(&long, &one, &TRAVEL).unwrap_err().to_string();
    assert!(error.contains("65536 bodies are more than glTF can hold, which is 65535"), "{error}");
    let mut bad = good;
    bad.times[5] += 0.01;
    assert!(matches!(to_bvh(&creature, &bad), Err(ClipFileError::UnevenTimes { key: 5 })));
}

struct BvhJoint {
    name: String,
    parent: Option<usize>,
    offset: Vec3,
    first_channel: usize,
    channels: Vec<String>,
}

/// A BVH as its readers read it: offsets, channels in the order they are listed.
struct Bvh {
    joints: Vec<BvhJoint>,
    ends: usize,
    frames: Vec<Vec<f64>>,
    step: f64,
}

impl Bvh {
    fn new(text: &str) -> Self {
        let mut words = text.split_whitespace();
        let mut next = move || words.next().unwrap();
        let (mut joints, mut open, mut ends, mut first) = (Vec::new(), Vec::new(), 0, 0);
        assert_eq!(next(), "HIERARCHY");
        loop {
            match next() {
                "ROOT" | "JOINT" => {
                    let (name, brace, word) = (next().to_owned(), next(), next());
                    assert_eq!((brace, word), ("{", "OFFSET"));
                    let offset = Vec3::from_fn(|_, _| next().parse().unwrap());
                    assert_eq!(next(), "CHANNELS");
                    let channels: Vec<String> =
                        (0..next().parse().unwrap()).map(|_| next().to_owned()).collect();
                    let parent = open.last().copied().flatten();
                    let first_channel = first;
                    first += channels.len();
                    joints.push(BvhJoint { name, parent, offset, first_channel, channels });
                    open.push(Some(joints.len() - 1));
                }
                "End" => {
                    assert_eq!([next(), next(), next()], ["Site", "{", "OFFSET"]);
                    (0..3).for_each(|_| assert!(next().parse::<f64>().is_ok()));
                    ends += 1;
                    open.push(None);
                }
                "}" => drop(open.pop().unwrap()),
                "MOTION" => break,
                other => panic!("{other}"),
            }
        }
        assert!(open.is_empty() && next() == "Frames:");
        let count: usize = next().parse().unwrap();
        assert_eq!([next(), next()], ["Frame", "Time:"]);
        let step = next().parse().unwrap();
        let frames = (0..count).map(|_| (0..first).map(|_| next().parse().unwrap()).collect()).collect();
        Self { joints, ends, frames, step }
    }

    fn positions(&self, key: usize) -> HashMap<&str, Vec3> {
        let mut world: Vec<Transform> = Vec::new();
        for BvhJoint { parent, offset, first_channel, channels, .. } in &self.joints {
            let mut local = Transform::translation(offset.x, offset.y, offset.z);
            for (channel, value) in channels.iter().zip(&self.frames[key][*first_channel..]) {
                let axis = match channel.as_bytes()[0] {
                    b'X' => Vec3::x_axis(),
                    b'Y' => Vec3::y_axis(),
                    _ => Vec3::z_axis(),
                };
                local *= match &channel[1..] {
                    "position" => Transform::from_parts((*axis * *value).into(), Quat::identity()),
                    _ => Transform::from_parts(
                        Vec3::zeros().into(),
                        Quat::from_axis_angle(&axis, value.to_radians()),
                    ),
                };
            }
            world.push(parent.map_or(local, |parent| world[parent] * local));
        }
        self.joints
            .iter()
            .zip(&world)
            .map(|(joint, world)| (joint.name.as_str(), world.translation.vector))
            .collect()
    }
}

#[test]
fn bvh_puts_every_body_where_kinematics_does() {
    for creature in creatures() {
        let clip = clip(&creature);
        let text = to_bvh(&creature, &clip).unwrap();
        assert!(text.contains("Frame Time: 0.0833333\n") && !text.contains("-0.000000 "));
        let bvh = Bvh::new(&text);
        assert_eq!((bvh.frames.len(), bvh.step), (KEYS, 0.083_333_3));
        assert!(bvh.ends > 0 && bvh.joints[0].channels.len() == 6);
        for (key, pose) in clip.poses.iter().enumerate() {
            let found = bvh.positions(key);
            for (body, place) in creature.bodies().iter().zip(positions(&creature, pose)).skip(1) {
                let name = body.name.replace([' ', '{', '}'], "_");
                let off = (found[name.as_str()] - place).norm();
                // Angles have 6 decimals of a degree: 1e-8 rad each.
                assert!(off < 1e-6 * size(&creature), "{} {} {key}: {off}", creature.name(), body.name);
            }
        }
    }
}

/// A leg that turns on and on, past every limit of Euler angles, has no jump from frame to frame; straight up, where two
/// of the angles become one, included.
#[test]
fn angles_are_unwrapped() {
    let creature = mjcf(
        r#"<mujoco><worldbody><body name="a"><freejoint/><geom size=".1"/><body name="b" pos="0 0 .2"><joint axis="0 1 0"/>
           <geom size=".1" pos=".2 0 0"/></body></body></worldbody></mujoco>"#,
    );
    let mut clip = wander(&creature, 1, 73, 0.0, Stride::NONE);
    for (key, pose) in clip.poses.iter_mut().enumerate() {
        pose[7] = 10f64.to_radians() * key as f64;
    }
    clip.stride = None;
    let bvh = Bvh::new(&to_bvh(&creature, &clip).unwrap());
    let first = bvh.joints[1].first_channel;
    for pair in bvh.frames.windows(2) {
        for channel in 0..3 {
            let step = pair[1][first + channel] - pair[0][first + channel];
            assert!(step.abs() < 10.001, "channel {channel}: {step}");
        }
    }
}

#[test]
fn json_says_all_of_the_clip() {
    let creature = mjcf(ZOO);
    let mut clip = clip(&creature);
    clip.contacts = vec![Contact {
        name: "foot.left".into(),
        body: creature.body_index("leg").unwrap(),
        point: Vec3::new(1.0, 2.0, 3.0),
        intervals: vec![[0.0, 0.25], [0.5, 1.0]],
    }];
    let text = to_json(&creature, &clip).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["format"], &json["version"]), (&"gambol-clip".into(), &1.into()));
    assert_eq!((&json["name"], &json["creature"]), (&"wander".into(), &"zoo".into()));
    assert_eq!(json["nq"], creature.nq());
    // By their digits: serde_json reads numbers only to the last bit but one.
    let written = text.split_once("\"qpos\":[[").unwrap().1.split_once("]]").unwrap().0.replace("],[", ",");
    let numbers: Vec<f64> = written.split(',').map(|number| number.parse().unwrap()).collect();
    assert_eq!(numbers, clip.poses.concat());
    assert_eq!(json["times"], serde_json::json!(clip.times));
    assert_eq!(json["joint_names"].as_array().unwrap().len(), creature.joints().len());
    assert_eq!(json["stride"], serde_json::json!({ "yaw": 0.4, "shift": [0.8, 0.1, 0.02] }));
    assert_eq!(
        json["contacts"],
        serde_json::json!([{ "node": "leg", "landmark": "foot.left", "point": [1.0, 2.0, 3.0], "intervals": [[0.0, 0.25], [0.5, 1.0]] }])
    );
    // The same in glTF, in its axes.
    let gltf = Gltf::new(&to_glb(&creature, &clip, &TRAVEL).unwrap());
    assert_eq!(
        gltf.json["animations"][0]["extras"]["gambol"]["contacts"][0]["point"],
        serde_json::json!([2.0, 3.0, 1.0])
    );
}

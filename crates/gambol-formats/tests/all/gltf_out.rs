//! The user's file comes back with a clip in it and nothing else changed. The files are skinned animals as awkward as
//! those of artists; the rig is made here by a second, naive reading of the nodes, with body frames turned and shifted at
//! random, so that no mistake of the importer can hide one of the exporter. The result is played back by composing
//! matrices as glTF defines them, and every bone must be where forward kinematics puts its body, at every key. This
//! catches lost scales and armatures, wrong frames, helper bones that are left behind, and bytes that changed.

use base64::prelude::{BASE64_STANDARD, Engine};
use gambol_anatomy::skin::RigBone;
use gambol_dynamics::{Data, forward_kinematics};
use gambol_formats::clip::{ClipFileError, GlbOptions, RootMotion};
use gambol_formats::gltf::samples::{Awkward, awkward, quadruped};
use gambol_formats::gltf::{GltfSource, Rig, append_clips};
use gambol_model::{
    BodySpec, Creature, CreatureSpec, InertiaSpec, JointSpec, MassProperties, Transform, Vec3, math,
};
use gambol_motion::{Clip, Contact, Stride, Travel, samples::wander};
use nalgebra::{Isometry3, Matrix3, Matrix4, Point3, Quaternion, Rotation3, Similarity3, UnitQuaternion};
use serde_json::{Value, json};

const TRAVEL: GlbOptions = GlbOptions { root_motion: RootMotion::Travel };
const IN_PLACE: GlbOptions = GlbOptions { root_motion: RootMotion::InPlace };
const KEYS: usize = 11;
const STRIDE: Stride = Stride { yaw: 0.4, shift: Vec3::new(0.8, 0.1, 0.02) };
/// Distances in parts of the animal's height: 32-bit numbers have 6e-8, and a dozen bones add theirs up.
const NEAR: f64 = 3e-6;
/// Height of the animal in its file, whatever the armature's scale.
const HEIGHT: f64 = 0.84;

/// A file in parts.
#[derive(Debug)]
struct File {
    text: String,
    json: Value,
    binary: Vec<u8>,
}

impl File {
    fn new(bytes: &[u8]) -> Self {
        if bytes.first() != Some(&b'g') {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            return Self { json: serde_json::from_str(&text).unwrap(), text, binary: Vec::new() };
        }
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], word(4), word(8)), (b"glTF".as_slice(), 2, bytes.len()));
        let end = 20 + word(12);
        assert_eq!((&bytes[16..20], &bytes[end + 4..end + 8]), (b"JSON".as_slice(), b"BIN\0".as_slice()));
        assert_eq!((end % 4, end + 8 + word(end)), (0, bytes.len()));
        let text = String::from_utf8(bytes[20..end].to_vec()).unwrap();
        Self { json: serde_json::from_str(&text).unwrap(), text, binary: bytes[end + 8..].to_vec() }
    }

    fn source(&self) -> GltfSource {
        let json = self.text.clone().into_bytes();
        if self.binary.is_empty() {
            GltfSource::Gltf { json }
        } else {
            GltfSource::Glb { json, bin: Some(self.binary.clone()) }
        }
    }

    fn list(&self, key: &str) -> &[Value] {
        self.json[key].as_array().map_or(&[], Vec::as_slice)
    }

    /// The vectors of an accessor of 32-bit numbers.
    fn accessor(&self, index: usize) -> Vec<Vec<f64>> {
        let accessor = &self.list("accessors")[index];
        let view = &self.list("bufferViews")[number(&accessor["bufferView"])];
        let buffer = match &self.list("buffers")[number(&view["buffer"])]["uri"] {
            Value::Null => self.binary.clone(),
            uri => decode(uri.as_str().unwrap()),
        };
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            other => panic!("{other}"),
        };
        assert_eq!(accessor["componentType"], 5126);
        let start = number(&view["byteOffset"]);
        assert_eq!(start % 4, 0);
        let bytes = &buffer[start..start + number(&view["byteLength"])];
        let numbers: Vec<f64> =
            bytes.chunks(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))).collect();
        assert_eq!(numbers.len(), width * number(&accessor["count"]));
        numbers.chunks(width).map(<[f64]>::to_vec).collect()
    }

    /// Scene from node, of all nodes: at a key of animation `clip`, or at rest.
    fn world(&self, clip: Option<(usize, usize)>) -> Vec<Matrix4<f64>> {
        let mut nodes = self.list("nodes").to_vec();
        if let Some((clip, key)) = clip {
            let animation = &self.list("animations")[clip];
            for channel in animation["channels"].as_array().unwrap() {
                let sampler = &animation["samplers"][number(&channel["sampler"])];
                let keys = self.accessor(number(&sampler["output"]));
                let node = &mut nodes[number(&channel["target"]["node"])];
                assert!(node["matrix"].is_null(), "glTF forbids to animate a matrix");
                node[channel["target"]["path"].as_str().unwrap()] = json!(keys[key.min(keys.len() - 1)]);
            }
        }
        let parents = parents(&nodes);
        let local: Vec<Matrix4<f64>> = nodes.iter().map(local).collect();
        let global = |mut node: usize| {
            let mut matrix = local[node];
            while let Some(parent) = parents[node] {
                (matrix, node) = (local[parent] * matrix, parent);
            }
            matrix
        };
        (0..nodes.len()).map(global).collect()
    }
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn numbers(value: &Value, default: &[f64]) -> Vec<f64> {
    let list = value.as_array().map(|list| list.iter().map(|x| x.as_f64().unwrap()).collect());
    list.unwrap_or_else(|| default.to_vec())
}

fn parents(nodes: &[Value]) -> Vec<Option<usize>> {
    let mut parents = vec![None; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        node["children"]
            .as_array()
            .into_iter()
            .flatten()
            .for_each(|child| parents[number(child)] = Some(index));
    }
    parents
}

fn local(node: &Value) -> Matrix4<f64> {
    if !node["matrix"].is_null() {
        return Matrix4::from_column_slice(&numbers(&node["matrix"], &[]));
    }
    let r = numbers(&node["rotation"], &[0.0, 0.0, 0.0, 1.0]);
    let rotation = UnitQuaternion::new_normalize(Quaternion::new(r[3], r[0], r[1], r[2]));
    Matrix4::new_translation(&Vec3::from_column_slice(&numbers(&node["translation"], &[0.0; 3])))
        * rotation.to_homogeneous()
        * Matrix4::new_nonuniform_scaling(&Vec3::from_column_slice(&numbers(&node["scale"], &[1.0; 3])))
}

fn decode(uri: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(uri.split_once(";base64,").unwrap().1).unwrap()
}

/// Orientation without scale.
fn turn(matrix: &Matrix4<f64>) -> UnitQuaternion<f64> {
    let axes: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    let columns = [0, 1, 2].map(|k| axes.column(k).normalize());
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(Matrix3::from_columns(&columns)))
}

/// A creature of balls with a body for every bone but end bones and the control bone, in odd frames and a world of other
/// axes and size than the file's.
fn rig(bytes: &[u8]) -> (Creature, Rig) {
    let file = File::new(bytes);
    let world = file.world(None);
    let parents = parents(file.list("nodes"));
    let axes = Rotation3::from_matrix_unchecked(Matrix3::new(0., 0., 1., 1., 0., 0., 0., 1., 0.));
    let world_from_scene = Similarity3::from_parts(
        Vec3::new(0.3, -0.2, 0.1).into(),
        UnitQuaternion::from_rotation_matrix(&axes),
        0.5,
    );
    let mut joints: Vec<usize> =
        file.list("skins").iter().flat_map(|skin| skin["joints"].as_array().unwrap()).map(number).collect();
    joints.sort_unstable();
    joints.dedup();
    let name = |node: usize| file.list("nodes")[node]["name"].as_str().unwrap_or_default().to_owned();
    joints.retain(|&joint| !name(joint).ends_with("_end") && name(joint) != "Root");

    let mut spec = CreatureSpec::new("beast");
    let mut bones: Vec<RigBone> = Vec::new();
    let mut bodies = vec![Transform::identity()];
    for &node in &joints {
        let at = world_from_scene * Point3::from(world[node].fixed_view::<3, 1>(0, 3).into_owned());
        let world_from_node =
            Isometry3::from_parts(at.coords.into(), world_from_scene.isometry.rotation * turn(&world[node]));
        let odd = node as f64;
        let body_from_node =
            Transform::new(Vec3::new(0.01 * math::sin(odd), 0.02, -0.01), Vec3::new(odd, 0.3 * odd, 1.0));
        let world_from_body = world_from_node * body_from_node.inverse();
        let above = std::iter::successors(parents[node], |&parent| parents[parent]);
        let parent = above.into_iter().find_map(|above| bones.iter().find(|bone| bone.node == above));
        let parent = parent.map_or(0, |bone| bone.body);
        let mut body = BodySpec::new(format!("body of {node}"));
        body.parent_from_body = bodies[parent].inv_mul(&world_from_body);
        body.inertia = InertiaSpec::Given(MassProperties {
            mass: 1.0,
            inertia: Matrix3::identity(),
            ..MassProperties::default()
        });
        let joint = format!("joint {node}");
        body.joints = vec![match parent {
            0 => JointSpec::free(joint),
            _ => JointSpec::ball(joint).with_anchor(body_from_node.translation.vector),
        }];
        let index = spec.add_body(parent, body).unwrap();
        bodies.push(world_from_body);
        bones.push(RigBone { node, body: index, body_from_node });
    }
    let rig = Rig {
        world_from_scene,
        bones,
        joints,
        root: 1,
        lies: false,
        source: file.source(),
        notes: Vec::new(),
    };
    (spec.build().unwrap(), rig)
}

fn clip(creature: &Creature) -> Clip {
    let mut clip = wander(creature, 7, KEYS, 0.6, STRIDE);
    clip.name = "walk".into();
    clip
}

/// Every bone is where kinematics puts it, and turned as it says, for every trouble and both kinds of root.
#[test]
fn bones_are_where_kinematics_puts_them() {
    for (trouble, awkward) in awkward() {
        let bytes = quadruped(&awkward);
        let (creature, mut rig) = rig(&bytes);
        let clip = clip(&creature);
        for root in [1, rig.bones[0].node] {
            rig.root = root;
            for (options, shown) in [(TRAVEL, clip.clone()), (IN_PLACE, clip.in_place(&creature))] {
                let file =
                    File::new(&append_clips(&rig, &creature, std::slice::from_ref(&clip), &options).unwrap());
                let animation = file.list("animations").len() - 1;
                for (key, pose) in shown.poses.iter().enumerate() {
                    let world = file.world(Some((animation, key)));
                    let mut data = Data::new(&creature);
                    let frames = forward_kinematics(&creature, &mut data, pose);
                    for bone in &rig.bones {
                        let frame = &frames[bone.body];
                        let body = Transform::from_parts(frame.position.into(), frame.orientation);
                        let node = body * bone.body_from_node;
                        let place = rig.world_from_scene.inverse() * Point3::from(node.translation.vector);
                        let found = &world[bone.node];
                        let off = (found.fixed_view::<3, 1>(0, 3) - place.coords).norm() / HEIGHT;
                        assert!(off < NEAR, "{trouble}, root {root}, key {key}, node {}: {off}", bone.node);
                        let wanted = rig.world_from_scene.isometry.rotation.inverse() * node.rotation;
                        let angle = wanted.angle_to(&turn(found));
                        assert!(angle < 1e-5, "{trouble}, key {key}, node {}: turned by {angle}", bone.node);
                    }
                }
            }
        }
    }
}

/// All that was in the file is there, in its order and with its letters: the old text is found in the new one letter by
/// letter, every old entry is equal, and the old bytes come first in the binary chunk.
#[test]
fn what_was_there_is_unchanged() {
    for (trouble, awkward) in awkward() {
        let bytes = quadruped(&awkward);
        let (creature, rig) = rig(&bytes);
        let old = File::new(&bytes);
        let new =
            File::new(&append_clips(&rig, &creature, &[clip(&creature), clip(&creature)], &TRAVEL).unwrap());
        assert_eq!(new.binary[..old.binary.len()], old.binary, "{trouble}");
        let (old_keys, new_keys) = (old.json.as_object().unwrap(), new.json.as_object().unwrap());
        for (key, value) in old_keys {
            let (mut found, mut value) = (new_keys[key].clone(), value.clone());
            if ["animations", "accessors", "bufferViews", "buffers"].contains(&key.as_str()) {
                let count = value.as_array().unwrap().len();
                assert!(found.as_array().unwrap().len() >= count);
                found.as_array_mut().unwrap().truncate(count);
            }
            if key == "buffers" && !awkward.text {
                (found[0]["byteLength"], value[0]["byteLength"]) = (Value::Null, Value::Null);
            }
            if key == "nodes" && awkward.matrices {
                continue; // see below
            }
            assert_eq!(found, value, "{trouble}: {key}");
        }
        let added: Vec<&String> = new_keys.keys().filter(|key| !old_keys.contains_key(*key)).collect();
        assert!(added.iter().all(|key| *key == "animations"), "{trouble}: {added:?}");
        if !awkward.matrices {
            // Of the old text only the digits of the chunk's length may be missing.
            let length = old.json["buffers"][0]["byteLength"].to_string();
            let at = old
                .text
                .find(&format!("\"byteLength\":{length}"))
                .or_else(|| old.text.find(&format!("\"byteLength\" :\t{length}")));
            let (start, end) = old.text.split_at(at.unwrap());
            let kept = format!("{start}{}", end.replacen(&length, "", 1));
            let mut letters = new.text.chars();
            let missing = kept.trim_end().chars().find(|&letter| !letters.any(|other| other == letter));
            assert_eq!(missing, None, "{trouble}");
        }
        // Nodes stand where they stood.
        for (old, new) in old.world(None).iter().zip(new.world(None)) {
            assert!((old - new).norm() <= 1e-6 * old.norm(), "{trouble}");
        }
    }
}

/// What engines rely on: unique names, one line of time, signs that do not jump, loops that close to the bit.
#[test]
fn tracks_are_continuous_and_close() {
    for (trouble, awkward) in awkward() {
        let bytes = quadruped(&awkward);
        let (creature, rig) = rig(&bytes);
        let clip = clip(&creature);
        let clips = [clip.clone(), clip.clone()];
        let [travel, still] = [TRAVEL, IN_PLACE]
            .map(|options| File::new(&append_clips(&rig, &creature, &clips, &options).unwrap()));
        let names: Vec<&str> =
            travel.list("animations").iter().map(|a| a["name"].as_str().unwrap()).collect();
        let wanted: &[&str] =
            if awkward.clips { &["walk", "blink", "walk.001", "walk.002"] } else { &["walk", "walk.001"] };
        assert_eq!(names, wanted);
        let (moving, standing) =
            (&travel.list("animations")[names.len() - 1], &still.list("animations")[names.len() - 1]);
        let root = &moving["extras"]["gambol"]["node"];
        assert_eq!(root, "Armature");
        let output = |file: &File, animation: &Value, channel: usize| {
            let sampler = &animation["samplers"][number(&animation["channels"][channel]["sampler"])];
            assert_eq!(sampler["interpolation"], "LINEAR");
            (number(&sampler["input"]), file.accessor(number(&sampler["output"])))
        };
        let mut inputs = Vec::new();
        for (k, channel) in moving["channels"].as_array().unwrap().iter().enumerate() {
            let target = &channel["target"];
            let (input, keys) = output(&travel, moving, k);
            inputs.push(input);
            let on_root = number(&target["node"]) == rig.root;
            if !on_root {
                let same = standing["channels"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .position(|other| other["target"] == *target);
                assert_eq!(
                    output(&still, standing, same.unwrap()).1,
                    keys,
                    "{trouble}: travel is on one node"
                );
                let last = &keys[keys.len() - 1];
                let opposite = keys[0].iter().zip(last).all(|(a, b)| *a == -b);
                assert!(
                    keys[0] == *last || (opposite && target["path"] == "rotation"),
                    "{trouble}: {target} is open"
                );
            }
            if target["path"] == "rotation" {
                for pair in keys.windows(2) {
                    let dot: f64 = pair[0].iter().zip(&pair[1]).map(|(a, b)| a * b).sum();
                    let norm: f64 = pair[0].iter().map(|x| x * x).sum();
                    assert!(dot > 0.0 && (norm - 1.0).abs() < 1e-6, "{trouble}: {target}");
                }
            }
        }
        inputs.sort_unstable();
        inputs.dedup();
        assert!(inputs.len() <= 2, "one time line, and one instant for what must stay: {inputs:?}");
        let times = &travel.list("accessors")[inputs[0]];
        assert_eq!(
            (&times["min"][0], &times["max"][0], number(&times["count"])),
            (&json!(0.0), &json!(1.0), KEYS)
        );
    }
}

/// A player that changes from an old clip to ours must not keep the old one's scale of the head.
#[test]
fn what_old_clips_move_is_put_back() {
    let bytes = quadruped(&Awkward { clips: true, helpers: true, ..Awkward::default() });
    let (creature, rig) = rig(&bytes);
    let file = File::new(&append_clips(&rig, &creature, &[clip(&creature)], &TRAVEL).unwrap());
    let node = |name: &str| file.list("nodes").iter().position(|node| node["name"] == name).unwrap();
    let ours = &file.list("animations")[2];
    let value = |name: &str, path: &str| {
        let target = json!({ "node": node(name), "path": path });
        let channel =
            ours["channels"].as_array().unwrap().iter().find(|channel| channel["target"] == target).unwrap();
        file.accessor(number(&ours["samplers"][number(&channel["sampler"])]["output"]))
    };
    assert_eq!(value("Head", "scale"), [[1.0; 3]]);
    let rest = numbers(&file.list("nodes")[node("IK_target.0")]["translation"], &[]);
    assert!(value("IK_target.0", "translation")[0].iter().zip(rest).all(|(a, b)| (a - b).abs() < 1e-6));
}

/// The figures of the gait are in the units and axes of the file: a foot's point, seen through its node's matrix, is where
/// kinematics has it, and the stride leads from the first place of the hips to the last.
#[test]
fn extras_speak_of_the_file() {
    let bytes = quadruped(&Awkward { scale: 0.01, turned: true, ..Awkward::default() });
    let (creature, rig) = rig(&bytes);
    let mut clip = clip(&creature);
    let body = rig.bones[9].body;
    let point = Vec3::new(0.02, -0.01, 0.03);
    clip.contacts =
        vec![Contact { name: "foot.front.left".into(), body, point, intervals: vec![[0.1, 0.6]] }];
    clip.travel = Some(Travel { speed: 2.0, stride_length: 1.0, stride_frequency: 2.0 });
    let file = File::new(&append_clips(&rig, &creature, &[clip.clone()], &TRAVEL).unwrap());
    let extras = &file.list("animations")[0]["extras"]["gambol"];
    assert_eq!(
        (&extras["version"], &extras["loop"], &extras["root_motion"]),
        (&json!(1), &json!(true), &json!("travel"))
    );
    assert_eq!(
        (&extras["metres_per_unit"], &extras["speed"], &extras["stride_length"]),
        (&json!(0.5), &json!(4.0), &json!(2.0))
    );

    let contact = &extras["contacts"][0];
    let node = number(&contact["index"]);
    assert_eq!((node, &contact["node"]), (rig.bones[9].node, &file.list("nodes")[node]["name"]));
    assert_eq!(
        (&contact["landmark"], &contact["intervals"]),
        (&json!("foot.front.left"), &json!([[0.1, 0.6]]))
    );
    let inside = Point3::from_slice(&numbers(&contact["point"], &[]));
    let (first, last) = (file.world(Some((0, 0))), file.world(Some((0, KEYS - 1))));
    let mut data = Data::new(&creature);
    let wanted = forward_kinematics(&creature, &mut data, &clip.poses[0])[body].point_in_world(point);
    let wanted = rig.world_from_scene.inverse() * Point3::from(wanted);
    assert!((first[node].transform_point(&inside) - wanted).norm() < 10.0 * NEAR);

    let yaw = UnitQuaternion::from_axis_angle(&Vec3::y_axis(), extras["stride"]["yaw"].as_f64().unwrap());
    let shift = Vec3::from_column_slice(&numbers(&extras["stride"]["shift"], &[]));
    let hips = rig.bones[0].node;
    let led = yaw * first[hips].transform_point(&Point3::origin()) + shift;
    assert!((led - last[hips].transform_point(&Point3::origin())).norm() < 10.0 * NEAR);
}

/// Scales that are uneven: harmless on a last bone and where nothing turns, an error with the node's name elsewhere.
#[test]
fn uneven_scales_are_written_or_refused() {
    let plain = quadruped(&Awkward { text: true, ..Awkward::default() });
    let scaled = |name: &str| {
        let mut json = File::new(&plain).json;
        let node =
            json["nodes"].as_array_mut().unwrap().iter_mut().find(|node| node["name"] == name).unwrap();
        node["scale"] = json!([1.0, 2.0, 1.5]);
        json.to_string().into_bytes()
    };
    let append = |bytes: &[u8]| {
        let (creature, rig) = rig(bytes);
        append_clips(&rig, &creature, &[clip(&creature)], &TRAVEL).map(|bytes| File::new(&bytes))
    };
    let file = append(&scaled("Head")).unwrap();
    assert_eq!(file.list("nodes").iter().filter(|node| node["scale"] == json!([1.0, 2.0, 1.5])).count(), 1);
    let error = append(&scaled("Thigh.L")).unwrap_err();
    assert!(matches!(&error, ClipFileError::Node { node, .. } if node == "Shin.L"), "{error}");
    assert!(error.to_string().contains("uneven"), "{error}");

    let mut sheared =
        File::new(&quadruped(&Awkward { text: true, matrices: true, ..Awkward::default() })).json;
    let hips =
        sheared["nodes"].as_array_mut().unwrap().iter_mut().find(|node| node["name"] == "Hips").unwrap();
    hips["matrix"][4] = json!(hips["matrix"][4].as_f64().unwrap() + 0.3);
    let error = append(sheared.to_string().as_bytes()).unwrap_err();
    assert!(matches!(&error, ClipFileError::Node { node, .. } if node == "Hips"), "{error}");
}

/// Artists hide parts by a scale of zero: the rest moves, and what is hidden has no tracks.
#[test]
fn what_is_scaled_to_nothing_has_no_tracks() {
    let bytes = quadruped(&Awkward { text: true, ..Awkward::default() });
    let (creature, mut rig) = rig(&bytes);
    let mut json = File::new(&bytes).json;
    let nodes = json["nodes"].as_array_mut().unwrap();
    let hidden = nodes.iter().position(|node| node["name"] == "Hand.L").unwrap();
    nodes[hidden]["scale"] = json!([0.0, 0.0, 0.0]);
    rig.source = GltfSource::Gltf { json: json.to_string().into_bytes() };
    let file = File::new(&append_clips(&rig, &creature, &[clip(&creature)], &TRAVEL).unwrap());
    let moved: Vec<usize> = file.list("animations")[0]["channels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|channel| number(&channel["target"]["node"]))
        .collect();
    assert!(!moved.contains(&hidden) && moved.len() > 10, "{moved:?}");
}

/// Rigs that are not of this file, and files that are none.
#[test]
fn wrong_rigs_are_errors() {
    let (creature, rig) = rig(&quadruped(&Awkward::default()));
    let clips = [clip(&creature)];
    let fails = |rig: &Rig| append_clips(rig, &creature, &clips, &TRAVEL).unwrap_err().to_string();
    let with =
        |json: &str| Rig { source: GltfSource::Gltf { json: json.as_bytes().to_vec() }, ..rig.clone() };
    assert!(fails(&with("{")).contains("not JSON"));
    assert!(fails(&with("{}")).contains("no nodes"));
    assert!(fails(&with(r#"{"nodes":[{"children":[1]},{"children":[0]}]}"#)).contains("circle"));
    // Once these went through and came out as `nul,{…}l`.
    let sound = File::new(&quadruped(&Awkward { text: true, ..Awkward::default() })).text;
    for key in ["animations", "accessors", "bufferViews"] {
        for value in ["null", "{}", "\"x\"", "7"] {
            let odd = format!("{},{key:?}:{value}}}", sound.trim_end().strip_suffix('}').unwrap());
            let told = fails(&with(&odd));
            assert!(told.contains(&format!("its {key:?} are not a list")), "{value}: {told}");
        }
    }
    assert!(fails(&Rig { root: 999, ..rig.clone() }).contains("no node 999"));
}

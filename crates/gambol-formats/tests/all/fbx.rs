//! FBX: the same character as FBX and as glTF is the same creature, whatever the unit, the axis that is up, and the rotations
//! that its bones have before and after their own. The test writes the FBX itself, as text, from the boxes that it also writes as
//! glTF. Bad files end as errors.

use std::fmt::Write;

use crate::skinned::{Character, person, quadruped};
use gambol_dynamics::{Data, forward_kinematics};
use gambol_formats::files::Memory;
use gambol_formats::gltf::{read_clips, read_gltf};
use gambol_formats::{LoadOptions, load_from};
use gambol_model::Creature;
use nalgebra::{UnitQuaternion, Vector3};

/// How the file is written.
#[derive(Clone, Copy)]
struct Written {
    /// Units of the file per metre.
    per_metre: f64,
    /// z is up in the file.
    z_up: bool,
    /// Bones are turned before their own rotation, degrees about x, y, z.
    pre: [f64; 3],
}

const PLAIN: Written = Written { per_metre: 1.0, z_up: false, pre: [0.0; 3] };

fn join(numbers: impl Iterator<Item = f64>) -> String {
    numbers.map(|x| format!("{x:.9}")).collect::<Vec<_>>().join(",")
}

fn list(out: &mut String, name: &str, numbers: &[f64]) {
    let _ = writeln!(out, "{name}: *{} {{ a: {} }}", numbers.len(), join(numbers.iter().copied()));
}

fn whole(out: &mut String, name: &str, numbers: &[usize]) {
    let text: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    let _ = writeln!(out, "{name}: *{} {{ a: {} }}", numbers.len(), text.join(","));
}

/// A matrix of FBX: columns one after the other.
fn placed(turn: &UnitQuaternion<f64>, at: Vector3<f64>) -> Vec<f64> {
    let mut matrix = turn.to_homogeneous();
    matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&at);
    matrix.as_slice().to_vec()
}

/// Of a box with corners counted by their signs.
const FACES: [[usize; 4]; 6] =
    [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];

/// The character as FBX 7.4 in text, with a clip that nods its second bone.
fn fbx(character: &Character, how: Written) -> Vec<u8> {
    // y up becomes z up by a quarter turn about x.
    let axes = |v: Vector3<f64>| {
        let v = v * how.per_metre;
        if how.z_up { Vector3::new(v.x, -v.z, v.y) } else { v }
    };
    let [rx, ry, rz] = how.pre.map(f64::to_radians);
    let pre = UnitQuaternion::from_euler_angles(rx, ry, rz);
    let (up, front) = if how.z_up { (2, 1) } else { (1, 2) };
    let front_sign = if how.z_up { -1 } else { 1 };
    let mut out = String::from(
        "; FBX 7.4.0 project file\nFBXHeaderExtension: {\n FBXHeaderVersion: 1003\n FBXVersion: 7400\n}\n",
    );
    let _ = writeln!(
        out,
        "GlobalSettings: {{\n Version: 1000\n Properties70: {{\n P: \"UpAxis\", \"int\", \"Integer\", \"\",{up}\n P: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n \
         P: \"FrontAxis\", \"int\", \"Integer\", \"\",{front}\n P: \"FrontAxisSign\", \"int\", \"Integer\", \"\",{front_sign}\n P: \"CoordAxis\", \"int\", \"Integer\", \"\",0\n \
         P: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",{}\n }}\n}}\nObjects: {{",
        100.0 / how.per_metre
    );
    let (mut points, mut corners, mut owner) = (Vec::new(), Vec::new(), Vec::new());
    for (bone, flesh) in character.bones.iter().enumerate().filter_map(|(k, bone)| Some((k, bone.flesh?))) {
        let first = points.len() / 3;
        for corner in 0..8usize {
            let sign = |bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let point = axes(flesh.0 + flesh.1.component_mul(&Vector3::new(sign(0), sign(1), sign(2))));
            points.extend(point.iter().copied());
            owner.push(bone);
        }
        for face in FACES {
            corners.extend(face[..3].iter().map(|&k| (first + k).to_string()));
            corners.push(format!("-{}", first + face[3] + 1)); // the last corner of a face is told by its sign
        }
    }
    let _ = writeln!(out, "Geometry: 10, \"Geometry::skin\", \"Mesh\" {{");
    list(&mut out, "Vertices", &points);
    let _ = writeln!(out, "PolygonVertexIndex: *{} {{ a: {} }}\n}}", corners.len(), corners.join(","));
    let _ = writeln!(out, "Model: 11, \"Model::body\", \"Mesh\" {{ Version: 232 }}");
    let mut links = String::from("C: \"OO\",11,0\nC: \"OO\",10,11\nC: \"OO\",12,10\n");
    let _ = writeln!(out, "Deformer: 12, \"Deformer::skin\", \"Skin\" {{ Version: 101 }}");
    for (k, bone) in character.bones.iter().enumerate() {
        let (node, cluster) = (1000 + k, 3000 + k);
        let head = axes(bone.head);
        let above = bone.parent.map_or_else(Vector3::zeros, |parent| axes(character.bones[parent].head));
        // Every bone has the turn of its pre-rotations above it undone.
        let depth = std::iter::successors(bone.parent, |&parent| character.bones[parent].parent).count();
        let turn_above = (0..depth).fold(UnitQuaternion::identity(), |turn, _| turn * pre);
        let local = turn_above.inverse() * (head - above);
        let [px, py, pz] = how.pre;
        let _ = writeln!(
            out,
            "Model: {node}, \"Model::{}\", \"LimbNode\" {{\n Version: 232\n Properties70: {{\n P: \"RotationActive\", \"bool\", \"\", \"\",1\n \
             P: \"PreRotation\", \"Vector3D\", \"Vector\", \"\",{px},{py},{pz}\n P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",{:.9},{:.9},{:.9}\n }}\n}}",
            bone.name, local.x, local.y, local.z
        );
        let _ = writeln!(links, "C: \"OO\",{node},{}", bone.parent.map_or(0, |parent| 1000 + parent));
        let own: Vec<usize> = (0..owner.len()).filter(|&vertex| owner[vertex] == k).collect();
        if own.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "Deformer: {cluster}, \"SubDeformer::{}\", \"Cluster\" {{\n Version: 100",
            bone.name
        );
        whole(&mut out, "Indexes", &own);
        list(&mut out, "Weights", &vec![1.0; own.len()]);
        let turn = turn_above * pre;
        list(&mut out, "Transform", &placed(&turn.inverse(), -(turn.inverse() * head)));
        list(&mut out, "TransformLink", &placed(&turn, head));
        out.push_str("}\n");
        let _ = writeln!(links, "C: \"OO\",{cluster},12\nC: \"OO\",{node},{cluster}");
    }
    // One second of a nod about x; FBX counts 46186158000 ticks a second.
    out.push_str(
        "AnimationStack: 20, \"AnimStack::nod\", \"\" {\n Properties70: {\n P: \"LocalStop\", \"KTime\", \"Time\", \"\",46186158000\n }\n}\n\
         AnimationLayer: 21, \"AnimLayer::base\", \"\" {}\nAnimationCurveNode: 22, \"AnimCurveNode::R\", \"\" {\n Properties70: {\n \
         P: \"d|X\", \"Number\", \"\", \"A\",0\n }\n}\nAnimationCurve: 23, \"AnimCurve::\", \"\" {\n Default: 0\n KeyVer: 4009\n \
         KeyTime: *3 { a: 0,23093079000,46186158000 }\n KeyValueFloat: *3 { a: 0,20,0 }\n KeyAttrFlags: *1 { a: 4 }\n \
         KeyAttrDataFloat: *4 { a: 0,0,0,0 }\n KeyAttrRefCount: *1 { a: 3 }\n}\n",
    );
    links.push_str(
        "C: \"OO\",21,20\nC: \"OO\",22,21\nC: \"OP\",22,1001, \"Lcl Rotation\"\nC: \"OP\",23,22, \"d|X\"\n",
    );
    let _ = writeln!(out, "}}\nConnections: {{\n{links}}}");
    out.into_bytes()
}

fn places(creature: &Creature) -> Vec<(String, Vector3<f64>)> {
    let mut data = Data::new(creature);
    let frames = forward_kinematics(creature, &mut data, creature.reference_pose()).to_vec();
    let named = |(body, frame): (&gambol_model::Body, gambol_dynamics::BodyFrame)| {
        (body.name.clone(), frame.position)
    };
    creature.bodies().iter().zip(frames).skip(1).map(named).collect()
}

#[test]
fn the_same_character_as_fbx_and_as_gltf_is_the_same_creature() {
    let ways = [
        ("plain", PLAIN),
        ("centimetres", Written { per_metre: 100.0, ..PLAIN }),
        ("z up", Written { z_up: true, ..PLAIN }),
        ("turned before", Written { pre: [20.0, -35.0, 50.0], per_metre: 100.0, z_up: true }),
    ];
    for character in [person(), quadruped(false)] {
        let files = Memory::new().with("it.glb", character.glb());
        let (wanted, _) = read_gltf(&files, "it.glb", &LoadOptions::default()).unwrap();
        for (what, how) in ways {
            let files = Memory::new().with("it.fbx", fbx(&character, how));
            let (creature, rig) = read_gltf(&files, "it.fbx", &LoadOptions::default()).unwrap();
            let (ours, theirs) = (places(&creature), places(&wanted));
            assert_eq!(ours.len(), theirs.len(), "{what}");
            for ((name, at), (other, wanted)) in ours.iter().zip(&theirs) {
                assert_eq!(name, other, "{what}");
                // f32 in the file between, about 1e-7 of a metre through a few turns.
                assert!((at - wanted).norm() < 1e-4, "{what}: {name} at {at} and {wanted}");
            }
            assert!((creature.mass() / wanted.mass() - 1.0).abs() < 1e-3, "{what}: {} kg", creature.mass());
            let clips = read_clips(&files, "it.fbx", &rig, &creature).unwrap();
            assert_eq!(clips.len(), 1, "{what}");
            assert!((clips[0].clip.times.last().unwrap() - 1.0).abs() < 1e-6, "{what}");
            // Halfway it has nodded by 20°: somebody has moved, and comes back.
            let poses = &clips[0].clip.poses;
            let middle = &poses[poses.len() / 2];
            let far = poses[0].iter().zip(middle).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(far > 0.05, "{what}: {far}");
        }
    }
}

/// A bone that holds still through a clip, elsewhere than its node stands: files of several clips stand in a pose of one of them, and the
/// others must not inherit it. Clips of public characters were off by a tenth of their height for this.
#[test]
fn a_bone_that_holds_still_in_another_pose_keeps_it() {
    let text = String::from_utf8(fbx(&quadruped(false), PLAIN)).unwrap();
    let held = text.replace("KeyValueFloat: *3 { a: 0,20,0 }", "KeyValueFloat: *3 { a: 20,20,20 }");
    assert_ne!(held, text);
    let files = Memory::new().with("it.fbx", held.into_bytes());
    let (creature, rig) = read_gltf(&files, "it.fbx", &LoadOptions::default()).unwrap();
    let clips = read_clips(&files, "it.fbx", &rig, &creature).unwrap();
    assert_eq!(clips.len(), 1);
    for pose in &clips[0].clip.poses {
        let mut way = vec![0.0; creature.nv()];
        creature.difference(creature.reference_pose(), pose, &mut way);
        // The second bone is the root of the creature: what turns it turns all.
        let turned = way[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((turned - 20f64.to_radians()).abs() < 1e-3, "{turned} rad");
    }
}

#[test]
fn broken_fbx_files_are_errors() {
    let whole = fbx(&quadruped(false), PLAIN);
    for cut in [30, 200, whole.len() / 3] {
        let files = Memory::new().with("it.fbx", &whole[..cut]);
        let error = load_from(&files, "it.fbx", &LoadOptions::default()).unwrap_err().to_string();
        assert!(error.starts_with("it.fbx: "), "{error}");
    }
    let files = Memory::new().with("it.fbx", &b"Kaydara FBX Binary  \0\x1a\0nonsense"[..]);
    let error = load_from(&files, "it.fbx", &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("FBX"), "{error}");
}

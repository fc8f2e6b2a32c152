//! Skinned models become the creatures that they show, however the file is written: units, scaled and turned armatures,
//! several skins, weights that do not sum to one, sparse accessors, data URIs. The oracle is the character that the test
//! itself builds from boxes: its volume is a sum of products, its joints are where it put them. Bad files end as errors
//! that say what is wrong.

use crate::skinned::{Character, Skeleton, Vec3, glb, person, quadruped};
use base64::prelude::{BASE64_STANDARD, Engine};
use gambol_dynamics::{Data, forward_kinematics};
use gambol_formats::files::Memory;
use gambol_formats::gltf::{GltfSource, Rig, read_gltf};
use gambol_formats::{FormatError, LoadOptions, load_from};
use gambol_model::{Creature, Hint, JointKind};
use nalgebra::{Point3, Similarity3, UnitQuaternion};
use serde_json::{Value, json};

fn read_with(character: &Character, options: &LoadOptions) -> Result<(Creature, Rig), FormatError> {
    read_gltf(&Memory::new().with("it.glb", character.glb()), "it.glb", options)
}

fn read(character: &Character) -> (Creature, Rig) {
    read_with(character, &LoadOptions::default()).expect("the character is sound")
}

fn landmark_bodies(creature: &Creature) -> Vec<(String, String)> {
    let named = |mark: &gambol_model::Landmark| (mark.name(), creature.bodies()[mark.body].name.clone());
    creature.landmarks().iter().map(named).collect()
}

/// Where each body is in a pose.
fn places(creature: &Creature, pose: &[f64]) -> Vec<(String, Vec3)> {
    let mut data = Data::new(creature);
    let frames = forward_kinematics(creature, &mut data, pose);
    creature
        .bodies()
        .iter()
        .zip(frames)
        .skip(1)
        .map(|(body, frame)| (body.name.clone(), frame.position))
        .collect()
}

/// Two creatures with the same bodies in the same places, of the same mass.
fn assert_same(a: &Creature, b: &Creature, what: &str) {
    // Positions are written in f32, about 1e-7 of a metre, and pass through inverse binds of the same precision.
    const PLACE: f64 = 1e-5;
    let (pa, pb) = (places(a, a.reference_pose()), places(b, b.reference_pose()));
    assert_eq!(pa.len(), pb.len(), "{what}");
    for ((name, x), (other, y)) in pa.iter().zip(&pb) {
        assert_eq!(name, other, "{what}");
        assert!((x - y).norm() < PLACE, "{what}: {name} at {x} and {y}");
    }
    assert_eq!(landmark_bodies(a), landmark_bodies(b), "{what}");
    assert!((a.mass() / b.mass() - 1.0).abs() < 1e-4, "{what}: f32 positions, {} and {}", a.mass(), b.mass());
}

#[test]
fn a_quadruped_of_boxes_is_found_under_a_scaled_armature() {
    let character = quadruped(false);
    let (creature, rig) = read(&character);
    // Closed boxes: the mass is their volume at the density of water; 1e-4 for positions in f32.
    assert!((creature.mass() / (1000.0 * character.volume()) - 1.0).abs() < 1e-4, "{} kg", creature.mass());
    for (landmark, bone) in [
        ("foot.front.left", "FrontFoot.L"),
        ("foot.front.right", "FrontFoot.R"),
        ("foot.hind.left", "HindFoot.L"),
        ("foot.hind.right", "HindFoot.R"),
        ("knee.left", "Shin.L"),
        ("elbow.right", "ForeArm.R"),
        ("head", "Head"),
        ("tail", "Tail.001"),
    ] {
        let mark = creature.landmark(landmark).unwrap_or_else(|| panic!("{landmark} was not found"));
        assert_eq!(creature.bodies()[mark.body].name, bone, "{landmark}");
    }
    // Root, ends, poles and twists are nobody.
    let names: Vec<&str> = creature.bodies().iter().map(|body| body.name.as_str()).collect();
    for helper in ["Root", "Head_end", "PoleTarget.L", "ThighTwist.L", "Shin_end.R"] {
        assert!(!names.contains(&helper), "{helper} is a helper: {names:?}");
    }
    assert_eq!(creature.bodies().len() - 1, 19);
    // Knees and elbows are hinges across the body; the skin of the test bends in the x-z plane.
    for joint in creature.joints() {
        let middle = joint.name.starts_with("Shin") || joint.name.starts_with("ForeArm");
        assert_eq!(joint.kind == JointKind::Hinge, middle, "{}", joint.name);
        if middle {
            assert!(joint.axis.y.abs() > 1.0 - 1e-6, "{}: {}", joint.name, joint.axis);
            let [low, high] = joint.limit.expect("it has limits");
            assert!(low < 0.0 && high > 0.5, "{}", joint.name);
        }
        assert!(joint.kind == JointKind::Free || joint.stiffness > 0.0, "{}", joint.name);
    }
    assert_eq!(rig.root, character.bone("Root"), "the rig's own root bone travels");
    assert!(matches!(rig.source, GltfSource::Glb { .. }));
}

/// The way back: a body's frame and the bone's offset give the node's place in the file.
fn assert_maps_back(character: &Character, creature: &Creature, rig: &Rig, pose: &[f64], what: &str) {
    let mut data = Data::new(creature);
    let frames = forward_kinematics(creature, &mut data, pose).to_vec();
    for bone in &rig.bones {
        let frame = &frames[bone.body];
        let at = frame.point_in_world(bone.body_from_node.translation.vector);
        let global = character.global(bone.node);
        let node =
            rig.world_from_scene.transform_point(&Point3::from(global.isometry.translation.vector)).coords;
        // f32 in the file, over 2 m.
        assert!(
            (at - node).norm() < 2e-5,
            "{what}: {} is at {at}, its node at {node}",
            character.bones[bone.node].name
        );
        let turn = frame.rotation * bone.body_from_node.rotation.to_rotation_matrix().into_inner();
        let expected = rig.world_from_scene.isometry.rotation * global.isometry.rotation;
        let off = (turn - expected.to_rotation_matrix().into_inner()).norm();
        assert!(off < 1e-5, "{what}: {} is turned by {off}", character.bones[bone.node].name);
    }
    for pair in rig.bones.windows(2) {
        let depth = |node: usize| std::iter::successors(Some(node), |&n| character.bones[n].parent).count();
        assert!(depth(pair[0].node) <= depth(pair[1].node), "{what}: parents first");
    }
}

/// Half turns about every axis and diagonal, exactly as exporters write them, and one of all.
fn half_turn(bone: usize) -> UnitQuaternion<f64> {
    let k = bone % 7 + 1; // every way to choose some of three axes
    let axis = Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
    UnitQuaternion::from_axis_angle(&nalgebra::Unit::new_normalize(axis), std::f64::consts::PI)
}

/// A common soldier whose bones are turned by half never loaded: the iteration towards the nearest rotation stood still
/// where it began, and took that for progress.
#[test]
fn bones_that_are_turned_by_half_are_read() {
    for mut character in [quadruped(false), person()] {
        character.turn = half_turn;
        let (creature, rig) = read(&character);
        let pose = creature.pose("file").unwrap_or(creature.reference_pose()).to_vec();
        assert_maps_back(&character, &creature, &rig, &pose, "half turns");
    }
}

/// A bone whose axes are mirrored or stretched shows the same skin, and makes the same creature.
#[test]
fn bones_with_mirrored_and_stretched_axes_are_the_same_creature() {
    type Stretch = fn(usize) -> Vec3;
    let stretches: [(&str, Stretch); 4] = [
        ("mirrored", |_| Vec3::new(-1.0, 1.0, 1.0)),
        (
            "every other mirrored",
            |bone| if bone % 2 == 0 { Vec3::new(1.0, 1.0, -1.0) } else { Vec3::repeat(1.0) },
        ),
        ("inside out", |_| Vec3::repeat(-0.01)),
        ("stretched", |bone| Vec3::new(2.0, 0.5 + bone as f64, 0.01)),
    ];
    let (plain, _) = read(&quadruped(false));
    for (what, stretch) in stretches {
        for turn in [half_turn as fn(usize) -> UnitQuaternion<f64>, quadruped(false).turn] {
            let character = Character { turn, stretch, ..quadruped(false) };
            let (creature, rig) = read(&character);
            assert_same(&plain, &creature, what);
            assert!(
                rig.bones.iter().all(|bone| bone.body_from_node.rotation.coords.norm() > 0.999),
                "{what}"
            );
        }
    }
}

#[test]
fn bodies_lead_back_to_their_nodes() {
    for (what, character) in [("quadruped", quadruped(false)), ("feet elsewhere", quadruped(true))] {
        let (creature, rig) = read(&character);
        assert_maps_back(&character, &creature, &rig, creature.reference_pose(), what);
    }
    let person = person();
    let (creature, rig) = read(&person);
    let file = creature.pose("file").expect("its arms were lowered").to_vec();
    assert_maps_back(&person, &creature, &rig, &file, "person");
}

#[test]
fn how_a_file_is_written_does_not_matter() {
    let (plain, _) = read(&quadruped(false));
    let feet = Character { armature: Similarity3::identity(), ..quadruped(false) };
    assert_same(&plain, &read(&feet).0, "no armature transform");
    assert_same(&plain, &read(&Character { weight: 1.7, ..quadruped(false) }).0, "weights of 1.7");
    assert_same(&plain, &read(&Character { second_skin: Some(9), ..quadruped(false) }).0, "two skins");
    let turn = |angle: f64| {
        Similarity3::from_parts(
            Vec3::new(0.4, 0.0, -0.3).into(),
            UnitQuaternion::from_axis_angle(&Vec3::y_axis(), angle),
            1.0,
        )
    };
    for degrees in [90.0, 180.0, -90.0] {
        let character = Character { placed: turn(f64::to_radians(degrees)), ..quadruped(false) };
        let (turned, rig) = read(&character);
        let forward = rig.world_from_scene.inverse_transform_vector(&Vec3::x());
        let expected = turn(f64::to_radians(degrees)) * Vec3::z();
        assert!((forward.normalize() - expected).norm() < 1e-6, "{degrees}: it faces {forward}");
        assert_eq!(landmark_bodies(&plain), landmark_bodies(&turned), "{degrees}");
    }
}

#[test]
fn units_are_guessed_from_the_height_and_can_be_given() {
    let (metres, rig) = read(&quadruped(false));
    assert!(rig.notes.iter().any(|note| note.text.contains("0.650 m high")), "{:?}", rig.notes);
    let centimetres = Character { placed: Similarity3::from_scaling(100.0), ..quadruped(false) };
    let (guessed, rig) = read(&centimetres);
    assert_same(&metres, &guessed, "centimetres");
    assert!((rig.world_from_scene.scaling() - 0.01).abs() < 1e-12);
    assert!(rig.notes.iter().any(|note| note.text.contains("centimetre")), "{:?}", rig.notes);
    let toy = Character { placed: Similarity3::from_scaling(0.02), ..quadruped(false) };
    let (_, rig) = read(&toy);
    assert!(rig.notes.iter().any(|note| note.hint == Some(Hint::Size)), "{:?}", rig.notes);

    let unit = LoadOptions { unit: Some(0.02), ..LoadOptions::default() };
    let (doubled, _) = read_with(&centimetres, &unit).expect("units may be given");
    assert!((doubled.mass() / metres.mass() / 8.0 - 1.0).abs() < 1e-4, "twice as long, eight times as heavy");
    let height = LoadOptions { height: Some(1.3), mass: Some(50.0), ..LoadOptions::default() };
    let (given, rig) = read_with(&quadruped(false), &height).expect("heights may be given");
    // From the soles at 0.01 m to the top of the head at 0.66 m.
    assert!((rig.world_from_scene.scaling() - 2.0).abs() < 1e-5, "{}", rig.world_from_scene.scaling());
    assert!((given.mass() - 50.0).abs() < 1e-9);
    for bad in [0.0, -1.0, f64::NAN] {
        let options = LoadOptions { height: Some(bad), ..LoadOptions::default() };
        assert!(read_with(&quadruped(false), &options).is_err(), "a height of {bad}");
    }
}

#[test]
fn feet_that_hang_elsewhere_are_joined_to_their_legs() {
    let (creature, rig) = read(&quadruped(true));
    for side in ["L", "R"] {
        let foot = creature.body_index(&format!("HindFoot.{side}")).expect("the foot is a body");
        let shin = &creature.bodies()[creature.bodies()[foot].parent].name;
        assert_eq!(*shin, format!("Shin.{side}"));
    }
    assert!(rig.notes.iter().any(|note| note.text.contains("elsewhere")), "{:?}", rig.notes);
}

#[test]
fn a_pose_of_a_clip_is_undone() {
    let mut posed = quadruped(false);
    posed.posed = vec![(posed.bone("Thigh.L"), 0.6), (posed.bone("UpperArm.R"), -0.5)];
    let (creature, rig) = read(&posed);
    assert_same(&read(&quadruped(false)).0, &creature, "posed");
    assert!(rig.notes.iter().any(|note| note.text.contains("bound")), "{:?}", rig.notes);
}

/// Somebody with all bones of its fingers, whose arms hang in the pose of a clip and are stretched out where the skin was bound: most of its
/// joints are elsewhere by most of its size. Such files were taken as they stand, askew.
#[test]
fn a_pose_of_a_clip_is_undone_though_most_joints_are_fingers() {
    // It faces x, so that turns about x lower its arms; these are held a little ahead, or all of it would be its own image front to back.
    let mut rig = Skeleton::default();
    rig.add("Hips", None, [0.0, 0.95, 0.0], [0.0, 1.05, 0.0], 0.1);
    rig.add("Spine", Some("Hips"), [0.0, 1.1, 0.0], [0.0, 1.4, 0.0], 0.1);
    rig.add("Head", Some("Spine"), [0.0, 1.53, 0.0], [0.0, 1.72, 0.0], 0.08);
    for (side, s) in [("L", -1.0), ("R", 1.0)] {
        let name = |part: &str| format!("{part}.{side}");
        rig.add(&name("Arm"), Some("Spine"), [0.0, 1.4, s * 0.16], [0.1, 1.4, s * 0.42], 0.04);
        rig.add(&name("ForeArm"), Some(&name("Arm")), [0.1, 1.4, s * 0.44], [0.2, 1.4, s * 0.66], 0.035);
        rig.add(&name("Hand"), Some(&name("ForeArm")), [0.2, 1.4, s * 0.68], [0.2, 1.4, s * 0.76], 0.03);
        for (finger, x) in [("V", 0.16), ("W", 0.18), ("X", 0.2), ("Y", 0.22), ("Z", 0.24)] {
            let mut above = name("Hand");
            for (piece, from) in ["A", "B", "C"].into_iter().zip([0.77, 0.80, 0.83]) {
                let own = name(&format!("Finger{piece}{finger}"));
                rig.add(&own, Some(&above), [x, 1.4, s * from], [x, 1.4, s * (from + 0.02)], 0.008);
                above = own;
            }
        }
        rig.add(&name("Thigh"), Some("Hips"), [0.0, 0.83, s * 0.1], [0.0, 0.5, s * 0.1], 0.06);
        rig.add(&name("Shin"), Some(&name("Thigh")), [0.0, 0.48, s * 0.1], [0.0, 0.12, s * 0.1], 0.05);
        rig.add(&name("Foot"), Some(&name("Shin")), [0.0, 0.08, s * 0.1], [0.16, 0.04, s * 0.1], 0.04);
    }
    let straight = Character::new(rig.0);
    let mut posed = straight.clone();
    posed.posed = vec![(posed.bone("Arm.L"), -1.3), (posed.bone("Arm.R"), 1.0), (posed.bone("Thigh.L"), 0.2)];
    let (creature, rig) = read(&posed);
    assert!(rig.notes.iter().any(|note| note.text.contains("bound")), "{:?}", rig.notes);
    assert_same(&read(&straight).0, &creature, "posed");
}

#[test]
fn arms_that_are_stretched_out_hang_down() {
    let (creature, rig) = read(&person());
    assert!(rig.notes.iter().any(|note| note.text.contains("arms")), "{:?}", rig.notes);
    let at = places(&creature, creature.reference_pose());
    let of = |name: &str| at.iter().find(|(body, _)| body == name).expect("it is there").1;
    for side in ["Left", "Right"] {
        let (shoulder, hand) = (of(&format!("mixamorig:{side}Arm")), of(&format!("mixamorig:{side}Hand")));
        assert!(shoulder.z - hand.z > 0.5, "the hand of a hanging arm of 0.52 m is at {hand}");
    }
    // Elbows fold the hand forward: the axis points to the right when the arm hangs.
    let joint =
        &creature.joints()[creature.landmark("elbow.left").and_then(|mark| mark.joint).expect("an elbow")];
    let mut data = Data::new(&creature);
    let frames = forward_kinematics(&creature, &mut data, creature.reference_pose());
    assert!(
        (frames[joint.body].rotation * joint.axis).y < -0.9,
        "{}",
        frames[joint.body].rotation * joint.axis
    );
}

#[test]
fn sparse_accessors_data_uris_and_files_beside_are_read() {
    let (plain, _) = read(&quadruped(false));
    let (document, bytes) = quadruped(false).gltf();

    // The same numbers, with the first ten positions kept apart and replaced by zeros where they were.
    let (mut sparse, mut apart) = (document.clone(), bytes.clone());
    let view = &document["bufferViews"][0];
    let start = usize::try_from(view["byteOffset"].as_u64().expect("written")).expect("small");
    let values: Vec<u8> = apart.splice(start..start + 120, [0; 120]).collect();
    let places: Vec<u8> = (0..10u8).collect();
    let at = apart.len().next_multiple_of(4);
    apart.resize(at, 0);
    apart.extend(&values);
    apart.extend(&places);
    let views = sparse["bufferViews"].as_array_mut().expect("views");
    let first = views.len();
    views.push(json!({"buffer": 0, "byteOffset": at, "byteLength": 120}));
    views.push(json!({"buffer": 0, "byteOffset": at + 120, "byteLength": 10}));
    sparse["accessors"][0]["sparse"] = json!({
        "count": 10, "values": {"bufferView": first}, "indices": {"bufferView": first + 1, "componentType": 5121},
    });
    sparse["buffers"][0]["byteLength"] = json!(apart.len());
    let (read_sparse, _) =
        read_gltf(&Memory::new().with("a.glb", glb(&sparse, &apart)), "a.glb", &LoadOptions::default())
            .expect("sparse accessors are read");
    assert_same(&plain, &read_sparse, "sparse");

    let mut inline = document.clone();
    inline["buffers"][0]["uri"] =
        json!(format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&bytes)));
    let files = Memory::new().with("a.gltf", inline.to_string());
    assert_same(
        &plain,
        &read_gltf(&files, "a.gltf", &LoadOptions::default()).expect("data URIs are read").0,
        "data URI",
    );

    let mut beside = document;
    beside["buffers"][0]["uri"] = json!("my%20dog.bin");
    let files = Memory::new().with("a.gltf", beside.to_string()).with("my dog.bin", bytes);
    let (creature, rig) =
        read_gltf(&files, "a.gltf", &LoadOptions::default()).expect("files beside are read");
    assert_same(&plain, &creature, "external buffer");
    assert!(matches!(rig.source, GltfSource::Gltf { .. }));
}

#[test]
fn a_rotation_of_length_zero_turns_nothing() {
    let read = |rotation: Value| {
        let (mut document, bytes) = quadruped(false).gltf();
        document["nodes"][1]["rotation"] = rotation;
        read_gltf(&Memory::new().with("a.glb", glb(&document, &bytes)), "a.glb", &LoadOptions::default())
            .expect("it is read")
            .0
    };
    assert_same(&read(json!([0, 0, 0, 1])), &read(json!([0, 0, 0, 0])), "as other programs show it");
}

/// A way to spoil a document.
type Change<'a> = &'a dyn Fn(&mut Value);

/// What a change to a sound file says.
fn error_of(change: impl Fn(&mut Value)) -> String {
    let (mut document, bytes) = quadruped(false).gltf();
    change(&mut document);
    let files = Memory::new().with("bad.glb", glb(&document, &bytes));
    load_from(&files, "bad.glb", &LoadOptions::default()).expect_err("the file is bad").to_string()
}

#[test]
fn bad_files_are_errors_that_say_why() {
    let cases: [(&str, Change, &str); 16] = [
        (
            "draco",
            &|d| {
                d["meshes"][0]["primitives"][0]["extensions"] =
                    json!({"KHR_draco_mesh_compression": {"bufferView": 0}});
            },
            "mesh 0 is compressed by Draco",
        ),
        (
            "meshopt",
            &|d| d["bufferViews"][0]["extensions"] = json!({"EXT_meshopt_compression": {}}),
            "buffer view 0 is compressed: it does not say its byteStride",
        ),
        ("no skin", &|d| drop(d.as_object_mut().map(|d| d.remove("skins"))), "no skin"),
        ("cycle", &|d| d["nodes"][5]["children"] = json!([1]), "child of both"),
        ("self", &|d| d["nodes"].as_array_mut().expect("nodes").push(json!({"children": [99]})), "99"),
        ("accessor", &|d| d["accessors"][0]["count"] = json!(2_000_000_000u64), "reaches beyond its bytes"),
        ("overflow", &|d| d["accessors"][0]["count"] = json!(u64::MAX), "reaches beyond its bytes"),
        ("view", &|d| d["bufferViews"][0]["byteLength"] = json!(u64::MAX), "reaches beyond its bytes"),
        (
            "zeros",
            &|d| {
                d["accessors"][0] =
                    json!({"componentType": 5126, "type": "VEC3", "count": 10_000_000_000u64});
            },
            "without any bytes",
        ),
        ("component", &|d| d["accessors"][0]["componentType"] = json!(5130), "component type 5130"),
        ("joints as floats", &|d| d["accessors"][1]["componentType"] = json!(5126), "unsigned"),
        ("type", &|d| d["accessors"][0]["type"] = json!("VEC2"), "VEC2"),
        ("joint", &|d| d["skins"][0]["joints"][0] = json!(4000), "not a node"),
        (
            "missing accessor",
            &|d| d["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(77),
            "does not exist",
        ),
        ("version", &|d| d["asset"]["version"] = json!("1.0"), "version"),
        ("no triangles", &|d| d["meshes"][0]["primitives"][0]["mode"] = json!(0), "no triangles"),
    ];
    for (what, change, says) in cases {
        let error = error_of(change);
        assert!(error.contains(says), "{what}: {error}");
        assert!(error.starts_with("bad.glb"), "{what}: {error}");
    }
}

#[test]
fn cycles_and_numbers_that_are_none_are_refused() {
    let error = error_of(|d| {
        let nodes = d["nodes"].as_array_mut().expect("nodes");
        let count = nodes.len();
        nodes.push(json!({"children": [count + 1]}));
        nodes.push(json!({"children": [count]}));
    });
    assert!(error.contains("ancestor of itself"), "{error}");
    assert!(error_of(|d| d["nodes"][1]["translation"] = json!([1e300, 0, 0])).contains("too large"));
    // Positions and inverse bind matrices; weights that are not numbers count as none (odd_files.rs).
    for accessor in [0, 4] {
        let (document, mut bytes) = quadruped(false).gltf();
        let offset = document["bufferViews"][accessor]["byteOffset"].as_u64().expect("written");
        let offset = usize::try_from(offset).expect("small");
        bytes[offset..offset + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        let files = Memory::new().with("nan.glb", glb(&document, &bytes));
        let error =
            load_from(&files, "nan.glb", &LoadOptions::default()).expect_err("not a number").to_string();
        assert!(error.contains("not finite"), "{error}");
    }
    // All weights zero.
    let weightless = Character { weight: 0.0, ..quadruped(false) };
    let error = read_with(&weightless, &LoadOptions::default()).expect_err("nothing moves").to_string();
    assert!(error.contains("weight"), "{error}");
}

#[test]
fn buffers_stay_in_the_folder_and_hold_what_they_claim() {
    let with_uri = |uri: &str| {
        let (mut document, _) = quadruped(false).gltf();
        document["buffers"][0]["uri"] = json!(uri);
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("in")).expect("a folder");
        std::fs::write(folder.path().join("secret.bin"), [0; 9]).expect("written");
        std::fs::write(folder.path().join("in/a.gltf"), document.to_string()).expect("written");
        gambol_formats::load(folder.path().join("in/a.gltf"), &LoadOptions::default())
            .expect_err("refused")
            .to_string()
    };
    assert!(with_uri("../secret.bin").contains("outside"), "{}", with_uri("../secret.bin"));
    for uri in ["/etc/passwd", "file:///etc/passwd", "https://example.com/a.bin", "C:\\a.bin"] {
        assert!(with_uri(uri).contains("not a file in the folder"), "{}", with_uri(uri));
    }
    assert!(with_uri("data:;base64,####").contains("base64"));
    assert!(with_uri("data:application/octet-stream;base64,AAAA").contains("says it has"));
    assert!(error_of(|d| d["buffers"][0]["byteLength"] = json!(10_000_000_000u64)).contains("says it has"));
}

#[test]
fn broken_containers_never_panic() {
    let whole = quadruped(false).glb();
    for length in (0..whole.len()).step_by(97) {
        let files = Memory::new().with("cut.glb", &whole[..length]);
        assert!(load_from(&files, "cut.glb", &LoadOptions::default()).is_err(), "cut after {length} bytes");
    }
    // Every byte of the header and some of the JSON, changed: an error or a creature, but no panic.
    for at in (0..40).chain((40..whole.len()).step_by(211)) {
        for value in [0, 0xFF, b'9'] {
            let mut changed = whole.clone();
            changed[at] = value;
            let _ = load_from(&Memory::new().with("a.glb", changed), "a.glb", &LoadOptions::default());
        }
    }
}

#[test]
fn twins_weigh_the_same() {
    // One arm carries more than the other, as painted weights have it: the joints are symmetric all the same.
    let mut lopsided = quadruped(false);
    let arm = lopsided.bone("UpperArm.L");
    lopsided.bones[arm].flesh = lopsided.bones[arm].flesh.map(|(middle, half)| (middle, half * 1.3));
    let (creature, _) = read(&lopsided);
    assert!(
        (creature.mass() / (1000.0 * lopsided.volume()) - 1.0).abs() < 1e-4,
        "the total stays, within f32"
    );
    let of = |name: &str| creature.bodies()[creature.body_index(name).expect("it is a body")].mass;
    let (left, right) = (of("UpperArm.L"), of("UpperArm.R"));
    assert!((left.mass - right.mass).abs() < 1e-9 * left.mass);
    assert!(
        (left.com - right.com.component_mul(&Vec3::new(1.0, -1.0, 1.0))).norm() < 1e-6,
        "mirrored, within f32"
    );
    assert_eq!(landmark_bodies(&creature), landmark_bodies(&read(&quadruped(false)).0));
}

/// A dinosaur whose arms are called front legs and dangle from its chest, on a hub that carries nothing.
fn dinosaur() -> Character {
    let mut rig = Skeleton::default();
    rig.add("Body", None, [0.0, 2.4, 0.3], [0.0; 3], 0.0);
    rig.add("Back", Some("Body"), [0.0, 1.9, 0.0], [0.0, 1.9, -0.5], 0.3);
    rig.add("Tail1", Some("Back"), [0.0, 1.9, -0.81], [0.0, 1.8, -1.5], 0.15);
    rig.add("Tail2", Some("Tail1"), [0.0, 1.8, -1.66], [0.0, 1.7, -2.4], 0.08);
    rig.add("Torso", Some("Body"), [0.0, 2.0, 0.31], [0.0, 2.2, 0.9], 0.25);
    rig.add("Head", Some("Torso"), [0.0, 2.5, 1.2], [0.0, 2.5, 1.8], 0.2);
    for (side, x) in [("L", 0.45), ("R", -0.45)] {
        let name = |part: &str| format!("{part}.{side}");
        let (upper, lower) = (name("BackUpLeg"), name("BackLowLeg"));
        rig.add(&upper, Some("Body"), [x, 1.7, -0.1], [x, 1.0, 0.05], 0.14);
        rig.add(&lower, Some(&upper), [x, 0.85, 0.05], [x, 0.3, -0.2], 0.08);
        rig.add(&name("BackFoot"), Some(&lower), [x, 0.2, -0.2], [x, 0.06, 0.2], 0.06);
        let (arm, forearm) = (name("FrontUpLeg"), name("FrontLowLeg"));
        rig.add(&arm, Some("Torso"), [0.8 * x, 1.9, 0.8], [0.8 * x, 1.6, 0.75], 0.05);
        rig.add(&forearm, Some(&arm), [0.8 * x, 1.54, 0.75], [0.8 * x, 1.35, 0.95], 0.04);
        rig.add(&name("FrontFoot"), Some(&forearm), [0.8 * x, 1.3, 1.0], [0.8 * x, 1.1, 1.3], 0.07);
    }
    Character::new(rig.0)
}

#[test]
fn front_legs_that_dangle_are_arms_and_a_hub_is_no_body() {
    let (creature, _) = read(&dinosaur());
    let on =
        |landmark: &str| creature.landmark(landmark).map(|mark| creature.bodies()[mark.body].name.as_str());
    assert_eq!(on("foot.left"), Some("BackFoot.L"));
    assert_eq!(on("knee.right"), Some("BackLowLeg.R"));
    assert_eq!(on("hand.left"), Some("FrontFoot.L"));
    assert_eq!(on("elbow.left"), Some("FrontLowLeg.L"));
    assert_eq!((on("head"), on("tail")), (Some("Head"), Some("Tail2")));
    assert_eq!(creature.body_index("Body"), None, "it carries no skin");
    let root = &creature.bodies()[1].name;
    assert!(root == "Back" || root == "Torso", "the trunk is in the middle, not {root}");
}

#[test]
fn a_fish_has_a_head_and_a_tail_and_no_legs() {
    let mut rig = Skeleton::default();
    let mut above: Option<String> = None;
    for (k, thick) in [0.3, 0.28, 0.2, 0.12, 0.06].into_iter().enumerate() {
        let (name, z) = (format!("Main{k}"), 1.0 - 0.5 * k as f64);
        rig.add(&name, above.as_deref(), [0.0, 1.0, z], [0.0, 1.0, z - 0.4], thick);
        above = Some(name);
    }
    // A tail fin that hangs lower than all the rest.
    rig.add("Fin", above.as_deref(), [0.0, 1.0, -1.6], [0.0, 0.5, -1.8], 0.02);
    let (creature, _) = read(&Character::new(rig.0));
    let on =
        |landmark: &str| creature.landmark(landmark).map(|mark| creature.bodies()[mark.body].name.as_str());
    assert_eq!(on("head"), Some("Main0"));
    assert!(on("tail").is_some_and(|tail| tail == "Fin" || tail == "Main4"), "{:?}", on("tail"));
    assert!(!landmark_bodies(&creature).iter().any(|(name, _)| name.starts_with("foot")));
}

/// A cobra: its tail lies on the ground, its neck stands, and what is called its head is the end of the neck.
fn cobra() -> Character {
    let mut rig = Skeleton::default();
    rig.add("Chest", None, [0.0, 0.25, 0.1], [0.0, 0.6, 0.3], 0.1);
    rig.add("Neck", Some("Chest"), [0.0, 0.7, 0.3], [0.0, 1.1, 0.1], 0.1);
    rig.add("Head", Some("Neck"), [0.0, 1.2, 0.1], [0.0, 1.5, 0.1], 0.1);
    rig.add("Skull", Some("Head"), [0.0, 1.62, 0.15], [0.0, 1.62, 0.45], 0.11);
    rig.add("Jaw", Some("Skull"), [0.0, 1.5, 0.2], [0.0, 1.48, 0.44], 0.03);
    let mut above = "Chest".to_owned();
    for k in 0..4 {
        let (name, z) = (format!("Tail{k}"), -0.1 - 0.35 * f64::from(k));
        rig.add(&name, Some(&above), [0.0, 0.1, z], [0.0, 0.08, z - 0.3], 0.08);
        above = name;
    }
    Character::new(rig.0)
}

/// A snake slithers on its belly: one that rears up is laid along the ground, its head level, and led back to the file's
/// nodes in the file's pose.
#[test]
fn a_snake_that_rears_up_lies_down() {
    let character = cobra();
    let (creature, rig) = read(&character);
    assert!(rig.notes.iter().any(|note| note.text.contains("rears up")), "{:?}", rig.notes);
    let at = places(&creature, creature.reference_pose());
    // The chest lies with its ends on the line; its own joint is the root, a little beside it.
    let line = at.iter().filter(|(name, _)| name != "Jaw" && name != "Chest");
    let heights = line.map(|(_, place)| place.z);
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
    assert!(high - low < 1e-5, "all joints are level to the digits of the file, not {}", high - low);
    // The way along the bones is what it was.
    let ahead = |name: &str| at.iter().find(|(body, _)| body == name).expect("it is there").1.x;
    assert!(ahead("Skull") - ahead("Tail3") > 2.5, "{at:?}");
    let mut data = Data::new(&creature);
    let skull = creature.body_index("Skull").expect("it is there");
    let turned = forward_kinematics(&creature, &mut data, creature.reference_pose())[skull].rotation;
    assert!((turned - nalgebra::Matrix3::identity()).norm() < 1e-9, "the skull looks ahead as drawn");
    let file = creature.pose("file").expect("it was laid down").to_vec();
    assert_maps_back(&character, &creature, &rig, &file, "cobra");
}

/// Two dogs side by side are not one with eight legs: the larger one becomes the creature.
#[test]
fn of_several_characters_the_largest_is_taken() {
    let alone = quadruped(false);
    let mut both = alone.clone();
    let (small, first) = (0.8, alone.bones.len());
    for bone in &alone.bones {
        let place = |at: Vec3| at * small + Vec3::new(1.5, 0.0, 0.3);
        both.bones.push(crate::skinned::Bone {
            name: format!("small {}", bone.name),
            parent: bone.parent.map(|parent| parent + first),
            head: place(bone.head),
            flesh: bone.flesh.map(|(middle, half)| (place(middle), half * small)),
        });
    }
    let (creature, rig) = read(&both);
    assert!(rig.notes.iter().any(|note| note.text.contains("2 characters")), "{:?}", rig.notes);
    assert_same(&read(&alone).0, &creature, "the large one");
    assert!(rig.bones.iter().all(|bone| bone.node < first), "the small one stays where it is");
    // A rig file says the same.
    let text = gambol_formats::gltf::rig_to_toml(&creature, &rig).expect("it can be written");
    let told = gambol_formats::gltf::RigSettings::from_toml("it.toml", &text).expect("it can be read");
    let options = LoadOptions { rig: Some(told), ..LoadOptions::default() };
    let (again, _) = read_with(&both, &options).expect("the file fits");
    assert_eq!(landmark_bodies(&again), landmark_bodies(&creature));
}

/// Where the pose of the file is that of some clip, bones that are folded into others are led back to the pose that was
/// taken as well: an ear would stay bent for ever.
#[test]
fn folded_bones_leave_the_pose_of_a_clip_too() {
    let mut posed = quadruped(false);
    let (ear, head) = (posed.bones.len(), posed.bone("Head"));
    let at = Vec3::new(0.03, 0.68, 0.46);
    let flesh = Some((at + Vec3::new(0.0, 0.01, 0.0), Vec3::repeat(0.008)));
    posed.bones.push(crate::skinned::Bone { name: "Ear".into(), parent: Some(head), head: at, flesh });
    let straight = posed.clone();
    posed.posed = vec![(posed.bone("Thigh.L"), 0.6), (posed.bone("UpperArm.R"), -0.5), (ear, 0.9)];
    let (creature, rig) = read(&posed);
    assert_eq!(creature.body_index("Ear"), None, "it is part of the head");
    assert!(rig.bones.iter().any(|bone| bone.node == ear), "it is told where to be");
    assert_maps_back(&straight, &creature, &rig, creature.reference_pose(), "ear");
    let (_, rig) = read(&straight);
    assert!(
        rig.bones.iter().all(|bone| bone.node != ear),
        "nothing is told of it where it stands as it should"
    );
}

//! Files that people have and that a strict reader would refuse: keyframes with quaternions of zeros, weights that are not
//! numbers, skeletons without a skin, bodies that were bound lying down. Each is read as other programs show it, and what was
//! guessed is told once. The oracle is the same character without the oddity.

use crate::skinned::{Bone, Character, glb, person, quadruped};
use gambol_dynamics::{Data, forward_kinematics};
use gambol_formats::clip::GlbOptions;
use gambol_formats::files::Memory;
use gambol_formats::gltf::{Rig, append_clips, read_clips, read_gltf};
use gambol_formats::{LoadOptions, load_str};
use gambol_model::{Creature, Role};
use gambol_motion::Clip;
use nalgebra::{Similarity3, UnitQuaternion, Vector3};
use serde_json::{Value, json};

fn read(file: Vec<u8>) -> (Creature, Rig, Memory) {
    let files = Memory::new().with("it.glb", file);
    let (creature, rig) = read_gltf(&files, "it.glb", &LoadOptions::default()).expect("it is read");
    (creature, rig, files)
}

fn told(rig: &Rig, what: &str) -> usize {
    rig.notes.iter().filter(|note| note.text.contains(what)).count()
}

fn foot_names(creature: &Creature) -> Vec<String> {
    creature
        .landmarks()
        .iter()
        .filter(|mark| mark.role == Role::Foot)
        .map(gambol_model::Landmark::name)
        .collect()
}

#[test]
fn a_zero_quaternion_of_a_key_is_no_turn() {
    let file = r#"<mujoco><worldbody><body><freejoint/><geom size="0.1"/><body><joint type="ball"/><geom size="0.1"/></body>
        </body></worldbody><keyframe><key name="home" qpos="1 2 3 0 0 0 0 0 0 0 0"/><key name="b" qpos="1 2 3 0 0 0 0 0 1 0 0"/>
        </keyframe></mujoco>"#;
    let creature = load_str("it.xml", file, &LoadOptions::default()).unwrap().build().unwrap();
    // As MuJoCo 3 and 4 normalise it (`mju_normalize4`).
    assert_eq!(creature.pose("home").unwrap(), [1., 2., 3., 1., 0., 0., 0., 1., 0., 0., 0.]);
    assert_eq!(creature.pose("b").unwrap(), [1., 2., 3., 1., 0., 0., 0., 0., 1., 0., 0.]);
    let notes = creature.warnings().iter().filter(|warning| warning.text.contains("quaternion")).count();
    assert_eq!(notes, 1, "told once: {:?}", creature.warnings());
}

/// A node that mirrors all below it turns the triangles of a skin over; it holds as much flesh as before.
#[test]
fn a_mirrored_skin_weighs_as_much() {
    for character in [person(), quadruped(false)] {
        let (sound, ..) = read(character.glb());
        let (mut document, bytes) = character.gltf();
        let top = document["scenes"][0]["nodes"].take();
        let nodes = document["nodes"].as_array_mut().unwrap();
        nodes.push(json!({ "name": "mirror", "scale": [-1, 1, 1], "children": top }));
        let mirror = nodes.len() - 1;
        document["scenes"][0]["nodes"] = json!([mirror]);
        let (creature, ..) = read(glb(&document, &bytes));
        assert_eq!(foot_names(&creature), foot_names(&sound));
        // Cubes lie on the other side of their grid's lines.
        assert!(
            (creature.mass() / sound.mass() - 1.0).abs() < 0.01,
            "{} and {} kg",
            creature.mass(),
            sound.mass()
        );
    }
}

/// Replaces a weight by what is not a number: its four bytes are found by what the file says about them.
fn with_bad_weights(character: &Character, bad: f32) -> Vec<u8> {
    let (document, mut bytes) = character.gltf();
    let accessor = document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"].as_u64().unwrap();
    let view = document["accessors"][usize::try_from(accessor).unwrap()]["bufferView"].as_u64().unwrap();
    let start = document["bufferViews"][usize::try_from(view).unwrap()]["byteOffset"].as_u64().unwrap_or(0);
    let start = usize::try_from(start).unwrap();
    for vertex in [0, 3] {
        // The second weight of a vertex, which is 0 in a sound file.
        let at = start + vertex * 16 + 4;
        bytes[at..at + 4].copy_from_slice(&bad.to_le_bytes());
    }
    glb(&document, &bytes)
}

#[test]
fn weights_that_are_not_numbers_count_as_none_and_are_told_once() {
    let character = quadruped(false);
    let (sound, ..) = read(character.glb());
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let (creature, rig, _) = read(with_bad_weights(&character, bad));
        assert_eq!(creature.bodies().len(), sound.bodies().len());
        assert_eq!(creature.mass(), sound.mass(), "the same skin to the last bit");
        assert_eq!(told(&rig, "2 weights of its skin are not numbers"), 1, "{:?}", rig.notes);
    }
}

/// The file with its meshes taken out, and without its skin too if `skinless`; a clip turns two bones.
fn bare(character: &Character, skinless: bool) -> Vec<u8> {
    let (mut document, mut bytes) = character.gltf();
    let start = bytes.len();
    for x in [0.0f32, 0.5, 1.0].into_iter().chain([0., 0., 0., 1.].repeat(3)) {
        bytes.extend(x.to_le_bytes());
    }
    let length = bytes.len() - start;
    document["buffers"][0]["byteLength"] = json!(bytes.len());
    let views = document["bufferViews"].as_array_mut().unwrap();
    views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": length }));
    let view = views.len() - 1;
    let accessors = document["accessors"].as_array_mut().unwrap();
    accessors.push(json!({ "bufferView": view, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0], "max": [1] }));
    accessors.push(
        json!({ "bufferView": view, "byteOffset": 12, "componentType": 5126, "count": 3, "type": "VEC4" }),
    );
    let (input, output) = (accessors.len() - 2, accessors.len() - 1);
    let channel = |bone: usize| json!({ "sampler": 0, "target": { "node": bone, "path": "rotation" } });
    // All but the root turn: what Mixamo writes.
    let channels: Vec<Value> = (0..character.bones.len()).map(channel).collect();
    document["animations"] =
        json!([{ "name": "nod", "samplers": [{ "input": input, "output": output }], "channels": channels }]);
    document.as_object_mut().unwrap().remove("meshes");
    for node in document["nodes"].as_array_mut().unwrap() {
        let node = node.as_object_mut().unwrap();
        node.remove("mesh");
        node.remove("skin");
    }
    if skinless {
        document.as_object_mut().unwrap().remove("skins");
    }
    glb(&document, &bytes)
}

#[test]
fn a_skeleton_without_a_skin_is_a_creature_and_its_clip_a_recording() {
    for (character, skinless, legs) in
        [(person(), false, 2), (person(), true, 2), (quadruped(false), false, 4), (quadruped(true), false, 4)]
    {
        let (sound, ..) = read(character.glb());
        let (creature, rig, files) = read(bare(&character, skinless));
        // Without flesh the front legs of this one, which are called arms, end too high to be told from arms.
        let found = foot_names(&creature).len();
        assert!(found == legs || legs == 4 && found == 2, "{skinless}: {:?}", foot_names(&creature));
        assert_eq!(told(&rig, "skeleton without a skin"), 1, "{:?}", rig.notes);
        // Flesh guessed around bones is a body's, not a stick figure's and not a blimp's; roots, poles and targets have none.
        let ratio = creature.mass() / sound.mass();
        println!("{skinless} {legs}: {ratio}");
        assert!(ratio > 0.3 && ratio < 3.0, "{ratio}");
        let clips = read_clips(&files, "it.glb", &rig, &creature).unwrap();
        assert_eq!(clips.len(), 1);
        assert_eq!((clips[0].clip.name.as_str(), clips[0].clip.times[0]), ("nod", 0.0));
        // The way back: a clip of ours goes into the user's file, which stays a skeleton.
        let still = Clip { name: "still".to_owned(), ..clips[0].clip.clone() };
        append_clips(&rig, &creature, &[still], &GlbOptions::default()).expect("it is written");
    }
}

/// Handles for the whole, one under another and beside places for feet, weighed fifteen times the animal once.
#[test]
fn handles_above_a_bare_skeleton_weigh_nothing() {
    let sound = quadruped(false);
    let (alone, ..) = read(bare(&sound, false));
    let mut handled = sound;
    let low = handled.bones.iter().map(|bone| bone.head.y).fold(f64::INFINITY, f64::min);
    let handles = [
        ("Root", None, [0.0, low, 0.0]),
        ("Main", Some(0), [0.0, low, 0.0]),
        ("FootPlaceLeft", Some(0), [0.1, low, 0.1]),
        ("FootPlaceRight", Some(0), [-0.1, low, 0.1]),
        ("Middle", Some(1), [0.0, low + 0.5, 0.0]),
    ];
    let handles = handles.map(|(name, parent, head)| Bone {
        name: name.to_owned(),
        parent,
        head: head.into(),
        flesh: None,
    });
    let count = handles.len();
    for bone in &mut handled.bones {
        bone.parent = Some(bone.parent.map_or(count - 1, |parent| parent + count));
    }
    handled.bones.splice(0..0, handles);
    let (creature, ..) = read(bare(&handled, false));
    let ratio = creature.mass() / alone.mass();
    // The last handle may be the end of a back.
    assert!(ratio > 0.8 && ratio < 1.5, "{ratio}");
}

#[test]
fn a_mesh_that_nothing_moves_is_refused_with_the_way_out() {
    let (mut document, bytes) = quadruped(false).gltf();
    document.as_object_mut().unwrap().remove("skins");
    for node in document["nodes"].as_array_mut().unwrap() {
        node.as_object_mut().unwrap().remove("skin");
    }
    let files = Memory::new().with("it.glb", glb(&document, &bytes));
    let error = read_gltf(&files, "it.glb", &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("no skin, no clip") && error.contains("Armature Deform"), "{error}");
}

/// Where a node's body stands, as the scene shows the reference pose: y is up.
fn height_in_scene(creature: &Creature, rig: &Rig, role: Role) -> f64 {
    let mut data = Data::new(creature);
    let frames = forward_kinematics(creature, &mut data, creature.reference_pose());
    let mark = creature.landmarks().iter().find(|mark| mark.role == role).expect("it has one");
    let place = frames[mark.body].point_in_world(mark.point);
    rig.world_from_scene.inverse_transform_point(&place.into()).y
}

#[test]
fn who_was_bound_lying_down_stands_up() {
    let turns = [-1.0, 1.0].map(|sign| (Vector3::x_axis(), sign * std::f64::consts::FRAC_PI_2));
    let (sound, sound_rig, _) = read(person().glb());
    assert!(!sound_rig.lies);
    for (axis, angle) in turns {
        let mut character = person();
        let turn = UnitQuaternion::from_axis_angle(&axis, angle);
        character.placed = Similarity3::from_parts(Vector3::zeros().into(), turn, 1.0);
        let (creature, rig, _) = read(character.glb());
        assert!(rig.lies && told(&rig, "it stands here") == 1, "{angle}: {:?}", rig.notes);
        assert_eq!(foot_names(&creature), foot_names(&sound), "{angle}");
        // Standing, in the creature's world and in the scene that the clip is written into.
        let com = |creature: &Creature| {
            let mut data = Data::new(creature);
            gambol_dynamics::center_of_mass(creature, &mut data, creature.reference_pose())
        };
        let rise = |creature: &Creature| {
            let mut data = Data::new(creature);
            let frames = forward_kinematics(creature, &mut data, creature.reference_pose());
            let mark = creature.landmarks().iter().find(|mark| mark.role == Role::Foot).unwrap();
            com(creature).z - frames[mark.body].point_in_world(mark.point).z
        };
        // Positions are written in f32.
        assert!((rise(&creature) - rise(&sound)).abs() < 1e-4, "{angle}: {}", rise(&creature));
        let [head, foot] = [Role::Head, Role::Foot].map(|role| height_in_scene(&creature, &rig, role));
        assert!(head - foot > 1.0, "{angle}: head {head} foot {foot}");
    }
    // Four legs that stand, and a person told which way is up, stay as they are.
    assert!(!read(quadruped(false).glb()).1.lies);
}

/// Draco by its own encoder, in place of the plain attributes: the same creature within the steps of its quantisation.
#[test]
fn meshes_that_are_compressed_by_draco_are_read_and_stay_so() {
    use draco_core::{
        DataType, EncoderBuffer, EncoderOptions, GeometryAttributeType, Mesh, MeshEncoder, PointAttribute,
    };
    let character = quadruped(false);
    let (sound, ..) = read(character.glb());
    let (mut document, mut bytes) = character.gltf();
    let primitive = document["meshes"][0]["primitives"][0].clone();
    let range = |accessor: &Value| {
        let accessor = &document["accessors"][usize::try_from(accessor.as_u64().unwrap()).unwrap()];
        let view =
            &document["bufferViews"][usize::try_from(accessor["bufferView"].as_u64().unwrap()).unwrap()];
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap_or(0)).unwrap();
        (number(&view["byteOffset"]), number(&view["byteLength"]), number(&accessor["count"]))
    };
    let part = |accessor: &Value| {
        let (at, length, count) = range(accessor);
        (bytes[at..at + length].to_vec(), count)
    };
    let (corners, count) = part(&primitive["indices"]);
    let (_, points) = part(&primitive["attributes"]["POSITION"]);
    let mut mesh = Mesh::new();
    mesh.set_num_faces(count / 3);
    mesh.set_num_points(points);
    mesh.set_faces_from_le_u16_indices(&corners);
    let mut ids = serde_json::Map::new();
    for (name, kind, data, width) in [
        ("POSITION", GeometryAttributeType::Position, DataType::Float32, 3),
        ("JOINTS_0", GeometryAttributeType::Generic, DataType::Uint16, 4),
        ("WEIGHTS_0", GeometryAttributeType::Generic, DataType::Float32, 4),
    ] {
        let mut attribute = PointAttribute::new();
        attribute.init(kind, width, data, false, points);
        attribute.buffer_mut().write(0, &part(&primitive["attributes"][name]).0);
        let id = mesh.add_attribute(attribute);
        ids.insert(name.to_owned(), json!(mesh.attribute(id).unique_id()));
    }
    let mut options = EncoderOptions::default();
    options.set_global_int("quantization_bits", 16);
    let mut encoder = MeshEncoder::new();
    encoder.set_mesh(mesh);
    let mut packed = EncoderBuffer::new();
    encoder.encode(&options, &mut packed).unwrap();
    let start = bytes.len();
    bytes.extend_from_slice(packed.data());
    let view = document["bufferViews"].as_array().unwrap().len();
    let added = json!({ "buffer": 0, "byteOffset": start, "byteLength": bytes.len() - start });
    document["bufferViews"].as_array_mut().unwrap().push(added);
    document["buffers"][0]["byteLength"] = json!(bytes.len());
    document["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    document["meshes"][0]["primitives"][0]["extensions"] =
        json!({ "KHR_draco_mesh_compression": { "bufferView": view, "attributes": ids } });
    // Accessors of a compressed mesh have no bytes of their own.
    for accessor in primitive["attributes"].as_object().unwrap().values().chain([&primitive["indices"]]) {
        let index = usize::try_from(accessor.as_u64().unwrap()).unwrap();
        document["accessors"][index].as_object_mut().unwrap().remove("bufferView");
    }
    let (creature, rig, _) = read(glb(&document, &bytes));
    assert_eq!(foot_names(&creature), foot_names(&sound));
    // Sixteen bits over a metre: positions to 2e-5.
    assert!((creature.mass() / sound.mass() - 1.0).abs() < 1e-2, "{} {}", creature.mass(), sound.mass());
    // On the way out the mesh is as it was.
    let clips = [Clip { name: "still".to_owned(), ..still(&creature) }];
    let out = append_clips(&rig, &creature, &clips, &GlbOptions::default()).unwrap();
    let found = out.windows(packed.data().len()).any(|window| window == packed.data());
    assert!(found, "the compressed bytes are still there");
}

/// A second in the reference pose.
fn still(creature: &Creature) -> Clip {
    let pose = creature.reference_pose().to_vec();
    let (times, poses) = (vec![0.0, 0.5, 1.0], vec![pose; 3]);
    Clip { name: String::new(), times, poses, stride: None, contacts: Vec::new(), travel: None }
}

/// What a VRM says of its bones is taken for what they are.
#[test]
fn bones_of_a_vrm_are_landmarks_that_the_file_gives() {
    let character = person();
    let foot = |bone: &str| character.bones.iter().position(|found| found.name == bone).unwrap();
    let (sound, ..) = read(character.glb());
    let name_of = |landmark: &str| sound.bodies()[sound.landmark(landmark).unwrap().body].name.clone();
    let [left, right, head] = ["foot.left", "foot.right", "head"].map(|mark| foot(&name_of(mark)));
    let old = json!({ "VRM": { "humanoid": { "humanBones": [
        { "bone": "leftFoot", "node": left }, { "bone": "rightFoot", "node": right }, { "bone": "head", "node": head },
    ] } } });
    let new = json!({ "VRMC_vrm": { "humanoid": { "humanBones": {
        "leftFoot": { "node": left }, "rightFoot": { "node": right }, "head": { "node": head },
    } } } });
    for extensions in [old, new] {
        let (mut document, bytes) = character.gltf();
        document["extensions"] = extensions;
        let (creature, ..) = read(glb(&document, &bytes));
        let mark = creature.landmark("foot.left").unwrap();
        assert_eq!(mark.source, gambol_model::Source::User, "{mark:?}");
        assert_eq!(foot_names(&creature), foot_names(&sound));
    }
    // Nonsense in it is passed over.
    let (mut document, bytes) = character.gltf();
    document["extensions"] =
        json!({ "VRM": { "humanoid": { "humanBones": [{ "bone": "leftFoot", "node": 999 }, 7] } } });
    assert_eq!(foot_names(&read(glb(&document, &bytes)).0), foot_names(&sound));
}

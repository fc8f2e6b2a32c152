//! Recordings are read as their formats define it: every joint is where the product of the file's own offsets and turns
//! puts it, in the order that each joint lists. The places are computed here a second time by 3 × 3 matrices in the file's
//! axes, or by hand. This catches a fixed order of turns (the classic bug of BVH readers), swapped axes, lost end sites,
//! joints without size, and bone axes of ASF on the wrong side.

use gambol_anatomy::recording::ScaleSource;
use gambol_dynamics::{Data, forward_kinematics};
use gambol_formats::asf::{Text, read_amc};
use gambol_formats::bvh::read_bvh;
use gambol_formats::clip::{creature_of_json, creature_of_npz, from_json, from_npz, to_bvh, to_json, to_npz};
use gambol_formats::files::Memory;
use gambol_formats::mocap::{Recording, RecordingOptions, load_recording};
use gambol_formats::{LoadOptions, load, load_from};
use gambol_model::math;
use gambol_model::samples::chain;
use gambol_model::{Creature, Hint, JointKind, Mat3, Shape, Vec3};
use gambol_motion::{Clip, Contact, Stride, Travel, samples::wander};

const TWO_JOINTS: &str = include_str!("../files/two_joints.bvh");
const AWKWARD: &str = include_str!("../files/awkward.bvh");
const ASF: &str = include_str!("../files/pendulum.asf");
const AMC: &str = include_str!("../files/pendulum.amc");
/// Chains of ten turns in double precision, of a creature of 2 m: rounding is 1e-15.
const EXACT: f64 = 1e-12;

fn metres() -> LoadOptions {
    LoadOptions { unit: Some(1.0), ..LoadOptions::default() }
}

fn bvh(text: &str) -> Recording {
    read_bvh("test.bvh", text, &metres()).unwrap()
}

fn amc(options: &LoadOptions) -> Recording {
    let [asf, amc] = [("pendulum.asf", ASF), ("pendulum.amc", AMC)].map(|(file, text)| Text { file, text });
    read_amc(asf, amc, None, options).unwrap()
}

/// Where a point of a body is at a key, in the axes of the file: y up, z forward.
fn place(creature: &Creature, clip: &Clip, key: usize, body: &str, point: Vec3) -> Vec3 {
    let mut data = Data::new(creature);
    let frames = forward_kinematics(creature, &mut data, &clip.poses[key]);
    let p = frames[creature.body_index(body).unwrap()].point_in_world(point);
    Vec3::new(p.y, p.z, p.x)
}

fn assert_near(found: Vec3, expected: [f64; 3], tolerance: f64, what: &str) {
    let off = (found - Vec3::from(expected)).norm();
    assert!(off < tolerance, "{what}: {found:?}, expected {expected:?}");
}

/// Rz(90) Ry(90) leads −y to x and, after the knee's Rx(90), −y to −z to −x to −y. With the root's order reversed, the
/// knee would be at (1, 2, 2).
#[test]
fn two_joints_by_hand() {
    let Recording { creature, clip, .. } = bvh(TWO_JOINTS);
    assert_eq!(clip.times, [0.0, 0.5, 1.0]);
    let end = Vec3::new(0.0, 0.0, -1.0); // 1 m down, in gambol's axes
    for (key, knee, foot) in [(0, [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]), (1, [2.0, 2.0, 3.0], [2.0, 1.0, 3.0])] {
        assert_near(place(&creature, &clip, key, "knee", Vec3::zeros()), knee, EXACT, "knee");
        assert_near(place(&creature, &clip, key, "knee", end), foot, EXACT, "foot");
    }
    // Rz(30) of the knee comes after its Rx(90), which has led the bone to −z: Rz does nothing.
    assert_near(place(&creature, &clip, 2, "knee", end), [2.0, 1.0, 3.0], EXACT, "foot");
    assert_eq!(
        creature.joints().iter().map(|j| j.kind).collect::<Vec<_>>(),
        [JointKind::Free, JointKind::Ball]
    );
    assert!(clip.stride.is_none() && clip.travel.is_none());
}

/// A joint of the reader in this file.
struct Plain {
    name: String,
    parent: Option<usize>,
    offset: Vec3,
    channels: Vec<String>,
}

fn plain_joints(text: &str) -> Vec<Plain> {
    let (mut joints, mut open): (Vec<Plain>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    let mut words = text.split_whitespace();
    let numbers = |words: &mut std::str::SplitWhitespace| {
        let mut next = || words.next().unwrap().parse::<f64>().unwrap();
        Vec3::new(next(), next(), next())
    };
    while let Some(word) = words.next() {
        let innermost = open.last().copied().flatten();
        match word {
            "ROOT" | "JOINT" => {
                let name = words.next().unwrap().to_owned();
                joints.push(Plain { name, parent: innermost, offset: Vec3::zeros(), channels: Vec::new() });
                open.push(Some(joints.len() - 1));
            }
            "End" => open.push(None),
            "OFFSET" => {
                let offset = numbers(&mut words);
                if let Some(joint) = innermost {
                    joints[joint].offset = offset;
                }
            }
            "CHANNELS" => {
                let count = words.next().unwrap().parse().unwrap();
                joints[innermost.unwrap()].channels = words.by_ref().take(count).map(str::to_owned).collect();
            }
            "}" => drop(open.pop()),
            "MOTION" => break,
            _ => {}
        }
    }
    joints
}

/// Places of all joints at a frame, by matrices.
fn plain_places(joints: &[Plain], frame: &[f64]) -> Vec<Vec3> {
    let mut values = frame.iter();
    let mut world: Vec<(Mat3, Vec3)> = Vec::new();
    for joint in joints {
        let (mut turn, mut place) = (Mat3::identity(), joint.offset);
        for channel in &joint.channels {
            let value = values.next().unwrap();
            let axis = "XYZ".find(&channel[..1]).unwrap();
            if channel.ends_with("position") {
                place[axis] += value;
            } else {
                let (sine, cosine) = math::sin_cos(value.to_radians());
                let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut r = Mat3::identity();
                (r[(j, j)], r[(j, k)], r[(k, j)], r[(k, k)]) = (cosine, -sine, sine, cosine);
                turn *= r;
            }
        }
        let (up, at) = joint.parent.map_or((Mat3::identity(), Vec3::zeros()), |parent| world[parent]);
        world.push((up * turn, at + up * place));
    }
    world.into_iter().map(|(_, place)| place).collect()
}

fn plain_frames(text: &str) -> Vec<Vec<f64>> {
    let motion =
        text.split("Frame Time").nth(1).unwrap().lines().skip(1).filter(|line| !line.trim().is_empty());
    motion.map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect()).collect()
}

#[test]
fn every_joint_has_its_own_order() {
    let Recording { creature, clip, .. } = bvh(AWKWARD);
    let joints = plain_joints(AWKWARD);
    assert_eq!(joints.len(), 22);
    for (key, frame) in plain_frames(AWKWARD).iter().enumerate() {
        for (joint, expected) in joints.iter().zip(plain_places(&joints, frame)) {
            let found = place(&creature, &clip, key, &joint.name, Vec3::zeros());
            // In centimetres that are read as metres: a hundred times the size.
            assert_near(found, expected.into(), 100.0 * EXACT, &joint.name);
        }
    }
}

#[test]
fn joints_are_what_their_channels_let_move() {
    let creature = bvh(AWKWARD).creature;
    let kinds = |body: &str| -> Vec<JointKind> {
        let body = &creature.bodies()[creature.body_index(body).unwrap()];
        creature.joints()[body.joints.clone()].iter().map(|joint| joint.kind).collect()
    };
    assert_eq!(kinds("Pelvis"), [JointKind::Free]);
    assert_eq!(kinds("LThigh"), [JointKind::Ball]);
    assert_eq!(kinds("LShank"), [JointKind::Hinge]);
    assert_eq!(kinds("LFoot"), [JointKind::Hinge; 2]);
    assert_eq!(kinds("LHand"), [JointKind::Slide, JointKind::Slide, JointKind::Slide, JointKind::Ball]);
    // No channels, and a joint in its parent's place that never turns.
    assert_eq!(kinds("Twist"), []);
    assert_eq!(kinds("LHip"), []);
    // A knee bends about the axis from side to side, which is y in gambol.
    let knee = &creature.joints()[creature.joint_index("LShank").unwrap()];
    assert_eq!(knee.axis, Vec3::y());
}

#[test]
fn a_body_for_every_bone() {
    let Recording { creature, scale, .. } = read_bvh("test.bvh", AWKWARD, &LoadOptions::default()).unwrap();
    assert_eq!((scale.metres, &scale.source), (0.01, &ScaleSource::Guess { unit: "cm", sure: true }));
    // From the lowest end site, 6 cm below the ankle, to the highest: 9.5 + 42 + 40.5 + 6 + 10 + 14 + 22 + 9 + 17.
    assert!((scale.height - 1.70).abs() < 1e-9, "{}", scale.height);
    assert_eq!(scale.remark().hint, Some(Hint::Size));
    let told = creature.warnings().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(told.iter().any(|text| text.contains("taken for cm")), "{told:?}");
    let shapes = |body: &str| {
        let body = &creature.bodies()[creature.body_index(body).unwrap()];
        &creature.shapes()[body.shapes.clone()]
    };
    // A thigh of 42 cm is a capsule of that length and 0.12 of it thick.
    let [thigh] = shapes("LThigh") else { panic!("one bone") };
    let Shape::Capsule { radius, half_length } = thigh.shape else { panic!("{:?}", thigh.shape) };
    assert!((half_length - 0.21).abs() < 1e-9 && (radius - 0.0504).abs() < 1e-9, "{radius} {half_length}");
    assert_eq!(shapes("LFoot").len(), 2, "two end sites");
    assert!(creature.bodies()[1..].iter().all(|body| body.mass.mass > 0.0));
    // A person of 1.7 m of water; real ones have 50 to 90 kg.
    assert!((50.0..90.0).contains(&creature.mass()), "{} kg", creature.mass());
    for landmark in ["foot.left", "foot.right", "knee.left", "hand.right", "elbow.left", "head"] {
        assert!(creature.landmark(landmark).is_some(), "{landmark}");
    }
    let left = creature.landmark("foot.left").unwrap();
    assert_eq!(creature.bodies()[left.body].name, "LFoot");
    // It stands on the ground as it is drawn, and every joint has a spring.
    let mut data = Data::new(&creature);
    let frames = forward_kinematics(&creature, &mut data, creature.reference_pose());
    let sole = frames[left.body].point_in_world(left.point);
    assert!(sole.z.abs() < 0.01, "{sole:?}");
    assert!(creature.joints().iter().skip(1).all(|joint| joint.stiffness > 0.0));
    // A mass that is given is met.
    let heavy = LoadOptions { mass: Some(120.0), height: Some(2.0), ..LoadOptions::default() };
    let Recording { creature, scale, .. } = read_bvh("test.bvh", AWKWARD, &heavy).unwrap();
    assert!((creature.mass() - 120.0).abs() < 1e-9 && (scale.height - 2.0).abs() < 1e-12);
}

/// From a file to a clip, to another file and back: all joints are where they were. Ours have 6 decimals of a degree and 9
/// of a metre, which along a limb of 10 joints and a metre each is 2e-7.
#[test]
fn a_round_trip_keeps_the_motion() {
    for text in [TWO_JOINTS, AWKWARD] {
        let first = read_bvh("test.bvh", text, &LoadOptions::default()).unwrap();
        let second = bvh(&to_bvh(&first.creature, &first.clip).unwrap());
        assert_eq!(second.clip.times.len(), first.clip.times.len());
        for (a, b) in first.clip.times.iter().zip(&second.clip.times) {
            assert!((a - b).abs() < 1e-6);
        }
        for body in first.creature.bodies().iter().skip(1) {
            for key in 0..first.clip.times.len() {
                let [a, b] = [&first, &second].map(|recording| {
                    place(&recording.creature, &recording.clip, key, &body.name, Vec3::zeros())
                });
                assert!((a - b).norm() < 3e-7, "{} at {key}: {a:?} {b:?}", body.name);
            }
        }
    }
}

/// Of our own creatures: joints about points beside their bodies become shifts, which must be read back as such.
#[test]
fn what_we_write_we_read() {
    let creature = chain(5);
    let clip = wander(&creature, 3, 9, 0.7, Stride { yaw: 0.3, shift: Vec3::new(0.5, 0.1, 0.0) });
    let back = bvh(&to_bvh(&creature, &clip).unwrap());
    for body in creature.bodies().iter().skip(1) {
        for key in 0..clip.times.len() {
            let ours = place(&creature, &clip, key, &body.name, Vec3::zeros());
            let name = body.name.replace(' ', "_");
            let theirs = place(&back.creature, &back.clip, key, &name, Vec3::zeros());
            assert!((ours - theirs).norm() < 3e-7, "{} at {key}", body.name);
        }
    }
}

/// Some programs write where a joint is, some how far it is off its OFFSET.
#[test]
fn shifts_are_read_both_ways() {
    let with = |numbers: &str| {
        let text = TWO_JOINTS.replace("ROOT hip\n{\n\tOFFSET 0 0 0", "ROOT hip\n{\n\tOFFSET 0 2 0");
        let (head, _) = text.split_once("0 2 0 0 0 0").unwrap();
        bvh(&format!("{head}{numbers}\n").replace("Frames: 3", "Frames: 2"))
    };
    let root = |recording: &Recording| recording.clip.poses.iter().map(|pose| pose[2]).collect::<Vec<_>>();
    let whole = with("0 2.1 0 0 0 0 0 0 0\n0 1.9 5 0 0 0 0 0 0");
    let off = with("0 0.1 0 0 0 0 0 0 0\n0 -0.1 5 0 0 0 0 0 0");
    for (a, b) in root(&whole).iter().zip(root(&off)) {
        assert!((a - b).abs() < EXACT, "{a} {b}");
    }
    assert!((root(&whole)[0] - 2.1).abs() < EXACT);
}

/// Angles that pass 180° give quaternions of the other sign; players that blend numbers would turn the long way.
#[test]
fn signs_do_not_jump() {
    let frames: Vec<String> = (0..40).map(|k| format!("0 2 0 0 0 {} 0 {} 0", 17 * k, -23 * k)).collect();
    let frames = frames.join("\n");
    let (head, _) = TWO_JOINTS.split_once("0 2 0 0 0 0").unwrap();
    let clip = bvh(&format!("{head}{frames}").replace("Frames: 3", "Frames: 40")).clip;
    for pair in clip.poses.windows(2) {
        for quaternion in [3..7, 7..11] {
            let dot: f64 = quaternion.map(|k| pair[0][k] * pair[1][k]).sum();
            assert!(dot > 0.9, "{dot}"); // cos(23°/2) is 0.98
        }
    }
}

#[test]
fn names_and_spelling_are_read_with_patience() {
    let text = TWO_JOINTS
        .replace("ROOT hip\n{", "root  Left  Hip {")
        .replace("JOINT knee", "Joint mixamorig:knée.L")
        .replace("Zrotation", "zRotation")
        .replace("End Site", "End site")
        .replace("Frame Time: 0.5", "frame time 5e-1")
        .replace('\n', "\r\n");
    let Recording { creature, clip, .. } = bvh(&format!("\u{feff}{text}"));
    assert_eq!(creature.bodies()[1].name, "Left Hip");
    assert_eq!(creature.bodies()[2].name, "mixamorig:knée.L");
    assert_eq!(clip.times[1], 0.5);
    assert_near(
        place(&creature, &clip, 1, "mixamorig:knée.L", Vec3::zeros()),
        [2.0, 2.0, 3.0],
        EXACT,
        "knee",
    );
}

/// CMU's conversions start with a T-pose: it is noticed, kept in the clip, and a pose to find the feet in.
#[test]
fn a_first_frame_that_is_apart() {
    let frames: Vec<String> = (0..12).map(|k| format!("0 2 0 0 0 0 0 0 {}", 40 + k)).collect();
    let frames = frames.join("\n");
    let (head, _) = TWO_JOINTS.split_once("0 2 0 0 0 0").unwrap();
    let text =
        |first: &str| format!("{head}0 2 0 0 0 0 0 0 {first}\n{frames}").replace("Frames: 3", "Frames: 13");
    let apart = bvh(&text("0"));
    assert!(apart.first_apart);
    assert_eq!(apart.clip.times.len(), 13);
    assert_eq!(apart.creature.pose("stand"), Some(apart.clip.poses[0].as_slice()));
    assert_eq!(apart.creature.pose("first"), Some(apart.clip.poses[1].as_slice()));
    assert!(!bvh(&text("39")).first_apart);
    assert!(!bvh(AWKWARD).first_apart);
}

/// A zero pose that is folded (all bones along x, as some studios export) is not the one that stands.
#[test]
fn a_folded_zero_pose_is_not_stood_in() {
    let text = "HIERARCHY ROOT hip { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
        JOINT knee { OFFSET 50 0 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 45 0 0 } }
        JOINT chest { OFFSET 30 0 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 50 0 0 } } }
        MOTION\nFrames: 2\nFrame Time: 0.04
        0 95 0 0 0 0 -90 0 0 90 0 0\n0 95 1 -90 0 0 0 0 0 180 0 0";
    let Recording { creature, clip, scale, .. } = read_bvh("x.bvh", text, &LoadOptions::default()).unwrap();
    // In the second frame the root's turn hangs the legs down to 0; the chest, 30 below the hip, points up to 115.
    assert!((scale.metres, (scale.height - 1.15).abs() < 1e-9) == (0.01, true), "{scale:?}");
    assert_eq!(creature.pose("stand"), Some(clip.poses[1].as_slice()));
}

/// C = Rz(90) makes the thigh's rx a turn about y, which leaves a bone along y where it is but turns what follows; the
/// shank's Rx(90) leads −y to −z, and the turn about y leads that to −x.
#[test]
fn asf_by_hand() {
    let Recording { creature, clip, scale, .. } =
        amc(&LoadOptions { unit: Some(1.0), ..LoadOptions::default() });
    assert_eq!(scale.source, ScaleSource::Unit);
    assert!((clip.times[1] - 1.0 / 120.0).abs() < EXACT);
    let joint = |key, body| place(&creature, &clip, key, body, Vec3::zeros());
    let end = |key| place(&creature, &clip, key, "foot", Vec3::new(0.0, 0.0, -5.0));
    assert_near(joint(0, "shank"), [0.0, 15.0, 0.0], 20.0 * EXACT, "shank");
    assert_near(end(0), [0.0, 0.0, 0.0], 20.0 * EXACT, "end");
    assert_near(joint(1, "shank"), [1.0, 15.0, 2.0], 20.0 * EXACT, "shank");
    assert_near(joint(1, "foot"), [-9.0, 15.0, 2.0], 20.0 * EXACT, "foot");
    assert_near(end(1), [-14.0, 15.0, 2.0], 20.0 * EXACT, "end");
    // The root's Rz(90) Ry(90) leads −y to x. Of the shank, rz acts after rx: −y to −z, which Rz leaves; then the root
    // leads −z to −x to −y.
    assert_near(joint(2, "shank"), [16.0, 30.0, 2.0], 20.0 * EXACT, "shank");
    assert_near(joint(2, "foot"), [16.0, 20.0, 2.0], 20.0 * EXACT, "foot");
}

#[test]
fn asf_joints_have_axes_and_limits() {
    let Recording { creature, scale, .. } = amc(&LoadOptions::default());
    assert_eq!(scale.source, ScaleSource::File);
    assert!((scale.height - 30.0 / 0.45 * 0.0254).abs() < 1e-12);
    let joint = |name: &str| &creature.joints()[creature.joint_index(name).unwrap()];
    // About the file's y, which is up.
    assert!((joint("thigh").axis - Vec3::z()).norm() < EXACT);
    assert_eq!(joint("thigh").limit, Some([-160_f64, 20.0].map(f64::to_radians)));
    assert_eq!(joint("shank.rx").limit, Some([-10_f64, 170.0].map(f64::to_radians)));
    assert_eq!(joint("shank.rz").limit, None, "endless");
    // The last of the list acts last: it is next to the parent.
    assert!(creature.joint_index("shank.rz") < creature.joint_index("shank.rx"));
    assert_eq!(joint("foot").kind, JointKind::Ball);
    assert_eq!(joint("foot").limit, Some([0.0, 160_f64.to_radians()]));
}

#[test]
fn files_find_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let swing = write("07_01.amc", AMC);
    let options = RecordingOptions::default();
    let error = load_recording(&swing, &options).unwrap_err().to_string();
    assert!(error.contains("its skeleton is not beside it (07_01.asf, 07.asf); `asf` names it"), "{error}");
    let only = write("any.asf", ASF);
    assert_eq!(load_recording(&swing, &options).unwrap().clip.times.len(), 3);
    write("other.asf", "");
    assert!(load_recording(&swing, &options).is_err(), "two of them");
    let named = RecordingOptions { asf: Some(only.clone()), rate: Some(60.0), ..RecordingOptions::default() };
    let recording = load_recording(&swing, &named).unwrap();
    assert_eq!((recording.clip.name.as_str(), recording.clip.times[1]), ("07_01", 1.0 / 60.0));
    write("07.asf", ASF);
    assert!(load_recording(&swing, &options).is_ok(), "by the part of its name");
    // All verbs that take a creature take these.
    for (path, moves) in [(&swing, true), (&only, false), (&write("walk.BVH", AWKWARD), true)] {
        let creature = load(path, &LoadOptions::default()).unwrap().build().unwrap();
        assert_eq!(creature.pose("first").is_some(), moves, "{}", path.display());
    }
    let error = load_recording(&only, &options).unwrap_err().to_string();
    assert!(error.contains("a skeleton without a motion"), "{error}");
    assert!(load_recording(&folder.path().join("no.bvh"), &options).is_err());
}

/// Our own JSON says all digits: what comes back is the same clip.
#[test]
fn json_comes_back() {
    let creature = chain(4);
    let clip = wander(&creature, 8, 5, 0.4, Stride { yaw: 0.2, shift: Vec3::new(0.3, 0.0, 0.1) });
    let text = to_json(&creature, &clip).unwrap();
    assert_eq!(creature_of_json("x.json", &text).unwrap(), creature.name());
    assert_eq!(from_json("x.json", &text, &creature).unwrap(), clip);
}

/// NumPy's arrays say all bits; what comes back is the same clip, with its feet, way and name.
#[test]
fn npz_comes_back() {
    let creature = chain(4);
    let stride = Stride { yaw: 0.2, shift: Vec3::new(0.3, 0.0, 0.1) };
    let still = wander(&creature, 8, 5, 0.4, stride);
    let foot = |name: &str, body: usize, intervals: Vec<[f64; 2]>| Contact {
        name: name.to_owned(),
        body,
        point: Vec3::new(0.1, 0.2, 1.0 / 3.0),
        intervals,
    };
    let walk = Clip {
        contacts: vec![
            foot("foot.left", 3, vec![[0.0, 0.2], [0.3, 1.0 / 3.0]]),
            foot("fuß", 1, vec![]),
            foot("foot.right", 2, vec![[0.1, 0.4]]),
        ],
        travel: Some(Travel { speed: 0.7, stride_length: 0.28, stride_frequency: 2.5 }),
        ..still.clone()
    };
    let open = Clip { stride: None, contacts: Vec::new(), ..still.clone() };
    for clip in [still, walk, open] {
        let bytes = to_npz(&creature, &clip).unwrap();
        assert_eq!(creature_of_npz("x.npz", &bytes).unwrap().as_deref(), Some(creature.name()));
        assert_eq!(from_npz("x.npz", &bytes, &creature).unwrap(), clip);
        let error = from_npz("x.npz", &bytes, &chain(3)).unwrap_err().to_string();
        assert!(error.contains("x.npz: the clip is of another creature"), "{error}");
    }
}

/// Files that NumPy 2 wrote, by `savez` with times of `f4` and `joint_qpos` of `i4`, by `savez_compressed`, and with `qpos`
/// from `asfortranarray`.
#[test]
fn npz_of_numpy() {
    let creature = chain(2);
    let mini: &[u8] = include_bytes!("../files/numpy_clip.npz");
    let clip = from_npz("some/nod.npz", mini, &creature).unwrap();
    assert_eq!(creature_of_npz("nod.npz", mini).unwrap(), None);
    assert_eq!((clip.name.as_str(), clip.times.as_slice()), ("nod", [0.0, 0.5].as_slice()));
    assert_eq!(clip.poses[1], [1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.25]);
    let told = |bytes: &[u8]| from_npz("x.npz", bytes, &creature).unwrap_err().to_string();
    assert!(told(include_bytes!("../files/numpy_packed.npz")).contains("numpy.savez_compressed does not"));
    assert!(
        told(include_bytes!("../files/numpy_fortran.npz")).contains("\"qpos\": it is in Fortran's order")
    );
    assert!(told(b"PK no zip").contains("this is no .npz file"));
    // Any damage to a byte or an end that comes early is an error or another clip, never a crash.
    for cut in 0..mini.len() {
        let _ = from_npz("x.npz", &mini[..cut], &creature);
        for flip in [1, 0x80, 0xff] {
            let mut damaged = mini.to_vec();
            damaged[cut] ^= flip;
            let _ = from_npz("x.npz", &damaged, &creature);
        }
    }
}

/// Name, parent, and offset in metres, y up and z forward.
type Bones = [(&'static str, Option<usize>, [f64; 3])];

/// In a T, 1.72 m tall.
const PERSON: &Bones = &[
    ("Hips", None, [0.0, 0.0, 0.0]),
    ("Chest", Some(0), [0.0, 0.3, 0.0]),
    ("Head", Some(1), [0.0, 0.3, 0.0]),
    ("LeftArm", Some(1), [0.18, 0.2, 0.0]),
    ("LeftForeArm", Some(3), [0.28, 0.0, 0.0]),
    ("LeftHand", Some(4), [0.26, 0.0, 0.0]),
    ("RightArm", Some(1), [-0.18, 0.2, 0.0]),
    ("RightForeArm", Some(6), [-0.28, 0.0, 0.0]),
    ("RightHand", Some(7), [-0.26, 0.0, 0.0]),
    ("LeftUpLeg", Some(0), [0.1, -0.05, 0.0]),
    ("LeftLeg", Some(9), [0.0, -0.42, 0.01]),
    ("LeftFoot", Some(10), [0.0, -0.42, -0.01]),
    ("RightUpLeg", Some(0), [-0.1, -0.05, 0.0]),
    ("RightLeg", Some(12), [0.0, -0.42, 0.01]),
    ("RightFoot", Some(13), [0.0, -0.42, -0.01]),
];

/// 0.62 m tall, without the names that rigs of people have.
const DOG: &Bones = &[
    ("pelvis", None, [0.0, 0.0, 0.0]),
    ("thigh_l", Some(0), [0.08, 0.0, 0.0]),
    ("shin_l", Some(1), [0.0, -0.22, 0.05]),
    ("paw_hl", Some(2), [0.0, -0.2, -0.05]),
    ("thigh_r", Some(0), [-0.08, 0.0, 0.0]),
    ("shin_r", Some(4), [0.0, -0.22, 0.05]),
    ("paw_hr", Some(5), [0.0, -0.2, -0.05]),
    ("thorax", Some(0), [0.0, 0.0, 0.5]),
    ("skull", Some(7), [0.0, 0.15, 0.25]),
    ("arm_l", Some(7), [0.08, 0.0, 0.0]),
    ("fore_l", Some(9), [0.0, -0.22, -0.05]),
    ("paw_fl", Some(10), [0.0, -0.2, 0.05]),
    ("arm_r", Some(7), [-0.08, 0.0, 0.0]),
    ("fore_r", Some(12), [0.0, -0.22, -0.05]),
    ("paw_fr", Some(13), [0.0, -0.2, 0.05]),
];

/// A BVH file of some frames in which all joints turn a little and the root walks. In a file that is z up, y becomes z
/// and z becomes −y, in offsets, places and the axes of turns.
fn bvh_of(bones: &Bones, unit: f64, z_up: bool) -> String {
    let turned = |[x, y, z]: [f64; 3]| if z_up { [x, -z, y] } else { [x, y, z] };
    let mut lines = vec!["HIERARCHY".to_owned()];
    let mut open: Vec<usize> = Vec::new();
    let turns = if z_up { "Yrotation Xrotation Zrotation" } else { "Zrotation Xrotation Yrotation" };
    for (index, (name, parent, offset)) in bones.iter().enumerate() {
        while open.last().copied() != *parent {
            open.pop().expect("bones are listed depth first");
            lines.push("}".to_owned());
        }
        open.push(index);
        let [x, y, z] = turned(offset.map(|x| x / unit));
        lines.push(format!("{} {name}\n{{ OFFSET {x} {y} {z}", if index == 0 { "ROOT" } else { "JOINT" }));
        let channels = if index == 0 { "CHANNELS 6 Xposition Yposition Zposition" } else { "CHANNELS 3" };
        lines.push(format!("{channels} {turns}"));
        if !bones.iter().any(|(_, parent, _)| *parent == Some(index)) {
            let [x, y, z] = turned([0.0, 0.02 / unit, 0.1 / unit]);
            lines.push(format!("End Site\n{{ OFFSET {x} {y} {z} }}"));
        }
    }
    lines.push("}".repeat(open.len()).replace('}', "}\n"));
    lines.push("MOTION\nFrames: 5\nFrame Time: 0.1".to_owned());
    for frame in 0..5_u32 {
        let mut numbers = turned([0.0, 0.9 / unit, 0.1 / unit * f64::from(frame)]).to_vec();
        for joint in 0..bones.len() {
            let angle = |k: f64| 12.0 * math::sin(k * (joint as f64 + 1.0) + 0.6 * f64::from(frame));
            // The turn about z comes first; where z has become −y it turns the other way.
            let first = if z_up { -angle(1.1) } else { angle(1.1) };
            numbers.extend([first, angle(2.3), angle(3.7)]);
        }
        lines.push(numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(" "));
    }
    lines.join("\n") + "\n"
}

/// Where all bodies are at every key.
fn places(creature: &Creature, poses: &[Vec<f64>]) -> Vec<Vec3> {
    let mut data = Data::new(creature);
    poses
        .iter()
        .flat_map(|pose| forward_kinematics(creature, &mut data, pose).to_vec())
        .map(|f| f.position)
        .collect()
}

/// The same motion written y up and z up is the same motion.
#[test]
fn files_that_are_z_up_stand_up() {
    for bones in [PERSON, DOG] {
        let [y_up, z_up] = [false, true].map(|z_up| bvh(&bvh_of(bones, 1.0, z_up)));
        let told = |recording: &Recording| {
            recording.creature.warnings().iter().any(|w| w.to_string().contains("taken as z up"))
        };
        assert!(!told(&y_up) && told(&z_up));
        let [a, b] = [&y_up, &z_up].map(|r| places(&r.creature, &r.clip.poses));
        // Twelve digits of the file, and their rounding.
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).norm() < 1e-9), "{:?}", a[3] - b[3]);
        assert_eq!(a.len(), 5 * (bones.len() + 1));
        assert!((y_up.scale.height / z_up.scale.height - 1.0).abs() < 1e-9);
    }
}

/// Nothing tells how large an animal is; as a person of 1.7 m this dog would be in units of three metres.
#[test]
fn an_animal_is_no_person() {
    for (unit, name) in [(1.0, "m"), (0.01, "cm")] {
        let dog = read_bvh("dog.bvh", &bvh_of(DOG, unit, false), &LoadOptions::default()).unwrap();
        assert!(matches!(dog.scale.source, ScaleSource::Animal { unit } if unit == name), "{:?}", dog.scale);
        assert!((dog.scale.height - 0.62).abs() < 0.1, "{:?}", dog.scale);
        let person = read_bvh("p.bvh", &bvh_of(PERSON, unit, false), &LoadOptions::default()).unwrap();
        assert!(matches!(person.scale.source, ScaleSource::Guess { unit, sure: true } if unit == name));
    }
}

/// A skeleton that is to walk lets its arms hang; what was recorded stays where it was.
#[test]
fn arms_of_a_skeleton_hang_down() {
    let text = bvh_of(PERSON, 1.0, false);
    let recording = bvh(&text);
    let files = Memory::new().with("test.bvh", text);
    let walker = load_from(&files, "test.bvh", &metres()).unwrap().build().unwrap();
    let at = |creature: &Creature, pose: &[f64], body: &str| {
        places(creature, &[pose.to_vec()])[creature.body_index(body).unwrap()]
    };
    for side in ["Left", "Right"] {
        let arm = |creature: &Creature, pose: &[f64]| {
            at(creature, pose, &format!("{side}Hand")) - at(creature, pose, &format!("{side}Arm"))
        };
        let hangs = arm(&walker, walker.reference_pose());
        assert!((hangs.norm() - 0.54).abs() < EXACT && hangs.z < -0.95 * 0.54, "{side}: {hangs:?}");
        let stretched = arm(&walker, walker.pose("file").unwrap());
        let zero = arm(&recording.creature, recording.creature.reference_pose());
        assert!((stretched - zero).norm() < EXACT && zero.z.abs() < EXACT, "{side}: {stretched:?}");
    }
    let first = walker.pose("first").unwrap().to_vec();
    let [a, b] = [places(&walker, &[first]), places(&recording.creature, &recording.clip.poses[..1])];
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).norm() < EXACT));
}

/// Parts of a recorded person weigh what anatomists found (de Leva 1996: thigh 14.2 % of the body, shank 4.3, foot 1.4, upper
/// arm 2.7, forearm 1.6), whatever the flesh around its bones would. Capsules made a shank heavier than its thigh. The whole
/// weighs what it did, a dog's parts what their flesh does, and one who has lost an arm still has heavy thighs.
#[test]
fn people_weigh_what_people_do() {
    let shares = |recording: &Recording, names: [&str; 3]| {
        let creature = &recording.creature;
        let mass =
            |name: &str| creature.bodies()[creature.body_index(name).unwrap()].mass.mass / creature.mass();
        names.map(mass)
    };
    let person = bvh(&bvh_of(PERSON, 1.0, false));
    for side in ["Left", "Right"] {
        let leg = ["UpLeg", "Leg", "Foot"].map(|part| format!("{side}{part}"));
        let arm = ["Arm", "ForeArm", "Hand"].map(|part| format!("{side}{part}"));
        for (limb, expected) in [(leg, [0.1416, 0.0433, 0.0137]), (arm, [0.0271, 0.0162, 0.0061])] {
            let found = shares(&person, [&limb[0], &limb[1], &limb[2]]);
            // The shares of all parts add up to 1.0000 in the table.
            assert!(
                found.iter().zip(expected).all(|(a, b)| (a / b - 1.0).abs() < 1e-3),
                "{limb:?}: {found:?}"
            );
        }
    }
    // Centre and radii of gyration of a thigh of 0.42 m that hangs along z.
    let thigh = &person.creature.bodies()[person.creature.body_index("LeftUpLeg").unwrap()].mass;
    let length = (0.42_f64 * 0.42 + 0.01 * 0.01).sqrt();
    assert!((thigh.com.norm() / length - 0.4095).abs() < 1e-6 && thigh.com.z < 0.0, "{:?}", thigh.com);
    let radius = |moment: f64| (moment / thigh.mass).sqrt() / length;
    assert!((radius(thigh.inertia[(1, 1)]) - 0.329).abs() < 1e-3, "{}", thigh.inertia);
    assert!((radius(thigh.inertia[(2, 2)]) - 0.149).abs() < 1e-3, "{}", thigh.inertia);

    let heavy = LoadOptions { mass: Some(120.0), ..LoadOptions::default() };
    let heavy = read_bvh("p.bvh", &bvh_of(PERSON, 1.0, false), &heavy).unwrap();
    assert!((heavy.creature.mass() - 120.0).abs() < 1e-9, "{}", heavy.creature.mass());

    let one_arm: Vec<_> = PERSON
        .iter()
        .filter(|bone| !bone.0.starts_with("Right") || bone.0.ends_with("Leg") || bone.0.ends_with("Foot"))
        .copied()
        .collect();
    let moved = |(name, parent, offset): (&'static str, Option<usize>, [f64; 3])| {
        let parent = parent.map(|parent| one_arm.iter().position(|bone| bone.0 == PERSON[parent].0).unwrap());
        (name, parent, offset)
    };
    let one_arm: Vec<_> = one_arm.iter().copied().map(moved).collect();
    let [thigh, shank, _] = shares(&bvh(&bvh_of(&one_arm, 1.0, false)), ["RightUpLeg", "RightLeg", "Head"]);
    assert!(thigh > 0.14 && (0.043..0.048).contains(&shank), "{thigh} {shank}");

    // A capsule along the bone has its centre in the middle.
    let dog = bvh(&bvh_of(DOG, 1.0, false)).creature;
    let thigh = &dog.bodies()[dog.body_index("thigh_l").unwrap()].mass;
    let length = (0.22_f64 * 0.22 + 0.05 * 0.05).sqrt();
    assert!((thigh.com.norm() / length - 0.5).abs() < 1e-9, "{:?}", thigh.com);
    assert!(thigh.mass < 0.1 * dog.mass(), "{} of {}", thigh.mass, dog.mass());
}

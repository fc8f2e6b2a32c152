//! Packed clips: what is promised is what a reader gets, for any body; feet that stand, stand; a pose at any time is that of the
//! clip; and bytes that nobody wrote are errors, not panics and not gigabytes.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::samples::{Random, TreeKind, chain, random_tree};
use gambol_model::{BodySpec, Creature, CreatureSpec, JointSpec, Shape, ShapeSpec, Vec3};
use gambol_motion::samples::wander;
use gambol_motion::{Clip, Contact, Pack, PackError, PackSettings, PackTarget, Stride, compare, pack};

fn stride() -> Stride {
    Stride { yaw: 0.4, shift: Vec3::new(0.7, 0.1, 0.0) }
}

fn made(seed: u64, keys: usize) -> (Creature, Clip) {
    let creature =
        random_tree(seed, TreeKind { bodies: 6, free_root: seed.is_multiple_of(2), armature: true });
    let clip = wander(&creature, seed, keys, 0.8, stride());
    (creature, Clip { contacts: Vec::new(), ..clip })
}

fn to(target: PackTarget) -> PackSettings {
    PackSettings { target, count: None }
}

#[test]
fn the_error_that_is_promised_is_kept() {
    for (seed, keys) in [(0, 1), (1, 2), (2, 33), (3, 97), (4, 130)] {
        let (creature, clip) = if keys == 1 {
            let (creature, clip) = made(seed, 5);
            let clip = clip.part(2, 2);
            (creature, clip)
        } else {
            made(seed, keys)
        };
        let mut sizes = Vec::new();
        for error in [1e-4, 1e-3, 1e-2] {
            let report = pack(&creature, &clip, &to(PackTarget::MaxError(error))).unwrap();
            let read = Pack::open(&creature, &report.bytes).unwrap().clip();
            let again = compare(&creature, &clip, &read).unwrap();
            assert!(again.shell_error <= error, "{seed}: {} of {error}", again.shell_error);
            assert_eq!(again, report.comparison);
            assert_eq!(
                (read.times.len(), &read.name, read.stride),
                (clip.times.len(), &clip.name, clip.stride)
            );
            assert!(read.times.iter().zip(&clip.times).all(|(a, b)| (a - b).abs() < 1e-6));
            sizes.push(report.bytes.len());
        }
        assert!(sizes.windows(2).all(|pair| pair[0] >= pair[1]), "{sizes:?}");
    }
}

#[test]
fn other_targets_are_kept_too() {
    let (creature, clip) = made(2, 100);
    let report = pack(&creature, &clip, &to(PackTarget::Rms(2e-3))).unwrap();
    assert!(report.comparison.rms <= 2e-3 && report.comparison.rms > 1e-3, "{}", report.comparison.rms);
    let size = report.bytes.len() + 200;
    let sized = pack(&creature, &clip, &to(PackTarget::Bytes(size))).unwrap();
    assert!(
        sized.bytes.len() <= size && 10 * sized.bytes.len() > 9 * size,
        "{} of {size}",
        sized.bytes.len()
    );
    let told = pack(&creature, &clip, &to(PackTarget::Bytes(10))).unwrap_err();
    assert!(matches!(told, PackError::Bytes { bytes: 10, least } if least > 10), "{told}");
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(pack(&creature, &clip, &to(PackTarget::MaxError(bad))), Err(PackError::Target(_))));
    }
    let many = PackSettings { count: Some(10_000), ..PackSettings::default() };
    assert!(matches!(pack(&creature, &clip, &many), Err(PackError::Count { .. })));
}

/// Long enough for several chunks, at steps that are not even.
#[test]
fn long_and_uneven_clips_go_through() {
    let creature = chain(2);
    let mut clip = wander(&creature, 3, 2300, 0.5, stride());
    clip.contacts.clear();
    clip.times.iter_mut().enumerate().for_each(|(k, time)| *time += if k % 2 == 1 { 1e-5 } else { 0.0 });
    let settings = PackSettings { count: Some(0), ..PackSettings::default() };
    let report = pack(&creature, &clip, &settings).unwrap();
    let read = Pack::open(&creature, &report.bytes).unwrap().clip();
    assert_eq!(read.times, clip.times);
    assert!(report.comparison.shell_error <= 1e-3);
}

#[test]
fn a_pose_at_any_time_is_that_of_the_clip() {
    let (creature, clip) = made(4, 60);
    let report = pack(&creature, &clip, &PackSettings::default()).unwrap();
    let packed = Pack::open(&creature, &report.bytes).unwrap();
    let whole = packed.clip();
    let mut random = Random::new(1);
    let mut pose = vec![0.0; packed.nq()];
    for _ in 0..200 {
        let time = 1.2 * random.unit() - 0.1;
        packed.sample(time, &mut pose);
        let expected = whole.pose_at(&creature, time);
        let mut gap = vec![0.0; creature.nv()];
        creature.difference(&expected, &pose, &mut gap);
        // A blend of two turns that are 0.1 rad apart is off the shortest way by 0.1³/30.
        assert!(gap.iter().all(|x| x.abs() < 1e-4), "{time}: {gap:?}");
    }
    packed.sample(f64::NAN, &mut pose);
    assert!(pose.iter().all(|x| !x.is_infinite()));
}

/// A trunk with a leg of a ball and a hinge, and a tail, so that the leg has an end.
fn legged() -> Creature {
    let mut spec = CreatureSpec::new("legged");
    let trunk = spec.add_body(0, BodySpec::new("trunk")).unwrap();
    spec.bodies[trunk].joints.push(JointSpec::free("root"));
    let mut add = |name: &str, parent: usize, place: Vec3, joint: JointSpec| {
        let body = spec.add_body(parent, BodySpec::new(name)).unwrap();
        spec.bodies[body].parent_from_body.translation.vector = place;
        spec.bodies[body].joints.push(joint);
        body
    };
    let thigh = add("thigh", trunk, Vec3::new(0.0, 0.0, -0.1), JointSpec::ball("hip"));
    let shin = add("shin", thigh, Vec3::new(0.1, 0.0, -0.4), JointSpec::hinge("knee", Vec3::y()));
    add("foot", shin, Vec3::new(-0.1, 0.0, -0.4), JointSpec::hinge("ankle", Vec3::y()));
    add("tail", trunk, Vec3::new(-0.2, 0.0, 0.0), JointSpec::ball("tail"));
    for body in 1..=5 {
        spec.bodies[body].shapes.push(ShapeSpec::new(Shape::Sphere { radius: 0.1 }));
    }
    spec.build().unwrap()
}

/// Packed coarsely, a foot that rests while the creature sways still rests where it did.
#[test]
fn feet_that_stand_are_kept_there() {
    let creature = legged();
    let foot = creature.body_index("foot").unwrap();
    let mut clip = wander(&creature, 8, 80, 0.3, stride());
    // From key 20 to 40 the creature is frozen: its foot stands.
    let frozen = clip.poses[20].clone();
    for pose in &mut clip.poses[20..=40] {
        pose.clone_from(&frozen);
    }
    let point = Vec3::new(0.05, 0.0, -0.1);
    let interval = [clip.times[20], clip.times[40]];
    clip.contacts = vec![Contact { name: "foot".into(), body: foot, point, intervals: vec![interval] }];
    let report = pack(&creature, &clip, &to(PackTarget::MaxError(2e-2))).unwrap();
    assert_eq!(report.held, 1);
    assert!(report.comparison.shell_error <= 2e-2 && report.comparison.shell_error > 5e-3);
    let read = Pack::open(&creature, &report.bytes).unwrap().clip();
    let mut data = Data::new(&creature);
    let place = forward_kinematics(&creature, &mut data, &frozen)[foot].point_in_world(point);
    for pose in &read.poses[20..=40] {
        let at = forward_kinematics(&creature, &mut data, pose)[foot].point_in_world(point);
        // Seven digits of a pose that is a metre away, and of the place.
        assert!((at - place).norm() < 1e-6, "{}", (at - place).norm());
    }
    assert_eq!(read.contacts, clip.contacts);
}

#[test]
fn other_creatures_and_bad_bytes_are_told() {
    let (creature, clip) = made(2, 50);
    let bytes = pack(&creature, &clip, &PackSettings::default()).unwrap().bytes;
    assert_eq!(Pack::creature_of(&bytes).unwrap(), creature.name());
    let other = chain(3);
    assert!(matches!(Pack::open(&other, &bytes), Err(PackError::Creature { .. })));
    assert!(matches!(Pack::open(&creature, &[9]), Err(PackError::Version(9))));
    assert!(Pack::open(&creature, &[]).is_err());
    for length in 0..bytes.len().min(400) {
        assert!(Pack::open(&creature, &bytes[..length]).is_err(), "{length}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(Pack::open(&creature, &longer).is_err());
    // Any byte may be any other: an error or a clip, but nothing else. Checksums are the file's business.
    let mut random = Random::new(5);
    for _ in 0..300 {
        let mut bad = bytes.clone();
        let place = random.below(bad.len().min(600));
        bad[place] ^= 1 << random.below(8);
        if let Ok(read) = Pack::open(&creature, &bad) {
            read.clip().check(&creature).unwrap();
        }
    }
}

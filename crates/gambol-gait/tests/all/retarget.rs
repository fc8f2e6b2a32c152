//! A motion of one creature as that of another: a copy of another size does just the same, other bodies keep their feet on the ground, their
//! joints within their limits and their loops closed, and who has nothing in common is told so.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_gait::{RetargetError, RetargetSettings, Retargeted, retarget};
use gambol_model::{
    BodySpec, Creature, CreatureSpec, Hint, Hinted, JointKind, JointSpec, Shape, ShapeSpec, Vec3, math,
};
use gambol_motion::{Clip, Stride};

use crate::zoo::{Foot, Plan};

fn load(name: &str) -> Creature {
    gambol::load(name, &gambol::LoadOptions::default()).unwrap()
}

fn motion(creature: &Creature, gait: &str) -> Clip {
    gambol::animate(creature, gait).unwrap().clip
}

fn as_another(from: &Creature, clip: &Clip, to: &Creature) -> Retargeted {
    retarget((from, clip), to, &RetargetSettings::default(), &mut |_, _| ()).unwrap()
}

/// Largest distance of a foot from where it stood at the first key of the same stance, m.
fn slip(creature: &Creature, clip: &Clip) -> f64 {
    let mut data = Data::new(creature);
    let mut worst: f64 = 0.0;
    for contact in &clip.contacts {
        for [start, end] in &contact.intervals {
            let keys = (0..clip.times.len()).filter(|k| (*start..=*end).contains(&clip.times[*k]));
            let places: Vec<Vec3> = keys
                .map(|k| {
                    forward_kinematics(creature, &mut data, &clip.poses[k])[contact.body]
                        .point_in_world(contact.point)
                })
                .collect();
            worst = places.iter().map(|place| (place - places[0]).norm()).fold(worst, f64::max);
        }
    }
    worst
}

/// How far the last pose is from the first one a stride further.
fn gap(creature: &Creature, clip: &Clip, stride: &Stride) -> f64 {
    let (first, last) = (clip.poses.first().unwrap(), clip.poses.last().unwrap());
    let mut led = first.clone();
    stride.apply(creature, &mut led);
    let mut difference = vec![0.0; creature.nv()];
    creature.difference(&led, last, &mut difference);
    difference.iter().fold(0.0, |most, x| most.max(x.abs()))
}

#[test]
fn a_copy_of_another_size_that_faces_elsewhere_does_the_same() {
    // A box rolls least: the landmark of a foot that rolls in the original stands still in the copy.
    let plan = Plan { foot: Foot::Box, ..Plan::default() };
    let (small, large) = (plan.build(), Plan { scale: 2.0, yaw: 1.0, ..plan }.build());
    let trot = motion(&small, "trot");
    let made = as_another(&small, &trot, &large);
    assert!((made.scale - 2.0).abs() < 1e-9, "{}", made.scale);
    assert!(made.alone.is_empty() && made.lost.is_empty(), "{:?} {:?}", made.alone, made.lost);
    // A foot of the original rolls over its stance by a few per cent of the leg's length; joints make up for what the copy does not.
    let mut worst: (f64, usize) = (0.0, 0);
    for (own, theirs) in made.clip.poses.iter().zip(&trot.poses) {
        let mut difference = vec![0.0; small.nv()];
        small.difference(own, theirs, &mut difference);
        for (dof, x) in difference.iter().enumerate().skip(6) {
            worst = if x.abs() > worst.0 { (x.abs(), dof) } else { worst };
        }
    }
    let joint = &small.joints()[small.dofs()[worst.1].joint].name;
    assert!(worst.0 < 0.1, "{joint} differs by {} rad", worst.0);
    let (stride, theirs) = (made.clip.stride.unwrap(), trot.stride.unwrap());
    let turned = 2.0
        * Vec3::new(
            math::cos(1.0) * theirs.shift.x - math::sin(1.0) * theirs.shift.y,
            math::sin(1.0) * theirs.shift.x + math::cos(1.0) * theirs.shift.y,
            theirs.shift.z,
        );
    assert!((stride.shift - turned).norm() < 1e-9, "{:?}", stride.shift);
    assert_eq!(made.clip.times, trot.times);
    // Twice as long takes √2 as much time.
    let settings = RetargetSettings { tempo: 0.5, ..RetargetSettings::default() };
    let slow = retarget((&small, &trot), &large, &settings, &mut |_, _| ()).unwrap();
    assert!((slow.clip.duration() / trot.duration() - 2.0_f64.sqrt()).abs() < 1e-9);
}

#[test]
fn other_bodies_keep_feet_limits_and_loops() {
    let cases = [
        ("human", "walk", "biped"),
        ("human", "run", "bird"),
        ("insect", "walk", "spider"),
        ("human", "walk", "dog"),
    ];
    for (from, gait, to) in cases {
        let (from, other) = (load(from), load(to));
        let clip = motion(&from, gait);
        let made = as_another(&from, &clip, &other);
        let what = format!("{gait} of {} by {to}", from.name());
        made.clip.check(&other).unwrap();
        // Feet are put to their places to 1e-7 m where legs reach.
        assert!(made.miss < 1e-6, "{what}: misses by {} m", made.miss);
        assert!(slip(&other, &made.clip) < 2.0 * made.miss + 1e-6, "{what}: slips");
        assert!(gap(&other, &made.clip, &made.clip.stride.unwrap()) < 1e-9, "{what}: open");
        let stops = other.joints().iter().filter(|joint| joint.kind == JointKind::Hinge);
        for (joint, [low, high]) in stops.filter_map(|joint| Some((joint, joint.limit?))) {
            let beyond = |pose: &Vec<f64>| (pose[joint.q] - pose[joint.q].clamp(low, high)).abs();
            let worst = made.clip.poses.iter().map(beyond).fold(0.0, f64::max);
            assert!(worst < 1e-9, "{what}: {} is {worst} rad past its limit", joint.name);
        }
        // No joint flips from key to key.
        let mut difference = vec![0.0; other.nv()];
        for pair in made.clip.poses.windows(2) {
            other.difference(&pair[0], &pair[1], &mut difference);
            for (dof, x) in difference.iter().enumerate().skip(6) {
                // A joint that flips turns by half a turn.
                let joint = &other.joints()[other.dofs()[dof].joint].name;
                assert!(x.abs() < 1.5, "{what}: {joint} turns by {x} rad in a key");
            }
        }
        let legs = made.clip.contacts.iter().filter(|contact| !contact.intervals.is_empty()).count();
        assert!(legs >= 2, "{what}: {legs} feet stand");
    }
}

#[test]
fn arms_of_people_are_the_front_legs_of_animals() {
    let (human, dog) = (load("human"), load("dog"));
    let made = as_another(&human, &motion(&human, "walk"), &dog);
    let of = |name: &str| made.pairs.iter().find(|pair| pair.to == name).map(|pair| pair.from.as_str());
    assert_eq!(of("leg.hind.left"), Some("leg.left"));
    assert_eq!(of("leg.front.right"), Some("arm.right"));
    assert_eq!(of("head"), Some("head"));
    assert!(made.alone.contains(&"tail".to_owned()), "{:?}", made.alone);
}

#[test]
fn what_cannot_be_is_told() {
    let (dog, human) = (load("dog"), load("human"));
    let trot = motion(&dog, "trot");
    let go = |to: &Creature, settings: &RetargetSettings| {
        retarget((&dog, &trot), to, settings, &mut |_, _| ()).unwrap_err()
    };
    let bad = RetargetSettings { turns: 0.0, ..RetargetSettings::default() };
    assert!(matches!(go(&human, &bad), RetargetError::Setting(_)));
    let mut short = trot.clone();
    short.times.pop();
    let error = retarget((&dog, &short), &human, &RetargetSettings::default(), &mut |_, _| ()).unwrap_err();
    assert!(matches!(error, RetargetError::Clip(_)), "{error}");
    let mut held = CreatureSpec::new("post");
    let mut post = BodySpec::new("post");
    post.shapes.push(ShapeSpec::new(Shape::Capsule { radius: 0.1, half_length: 0.5 }));
    post.joints.push(JointSpec::ball("socket"));
    held.add_body(0, post).unwrap();
    let error = go(&held.build().unwrap(), &RetargetSettings::default());
    assert_eq!(error, RetargetError::Held("post".to_owned()));
    assert_eq!(error.hint(), Some(Hint::FreeRoot));
}

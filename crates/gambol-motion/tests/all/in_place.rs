//! In place, a clip keeps all that the creature does and loses only its way over the ground. Steady motion has a
//! defining property that needs no formula: the way of one step, done k times over, is the way of k steps. So the path
//! is checked by repeating its first step, and the clip by putting the way back.

use std::f64::consts::{PI, TAU};

use gambol_model::samples::{TreeKind, chain, random_tree};
use gambol_model::{Creature, Vec3};
use gambol_motion::{Clip, Stride, samples::wander};

const KEYS: usize = 25;

fn creatures() -> Vec<Creature> {
    let kind = TreeKind { bodies: 7, free_root: true, armature: false };
    vec![chain(4), random_tree(3, kind), random_tree(4, TreeKind { free_root: false, ..kind })]
}

fn strides() -> Vec<Stride> {
    let ways = [
        (0.0, Vec3::new(0.7, 0.1, 0.0)),
        (0.5, Vec3::new(0.7, -0.2, 0.0)),
        (-2.5, Vec3::new(0.3, 0.4, 0.05)),
        (1e-12, Vec3::new(2.0, 0.0, 0.0)),
        (PI, Vec3::new(0.1, 0.4, 0.0)),
        (TAU, Vec3::zeros()),
        (2.0 * TAU - 0.01, Vec3::new(0.001, 0.0, 0.0)),
    ];
    ways.map(|(yaw, shift)| Stride { yaw, shift }).to_vec()
}

/// Of the pose's numbers, with quaternions up to their sign.
fn distance(creature: &Creature, a: &[f64], b: &[f64]) -> f64 {
    let mut way = vec![0.0; creature.nv()];
    creature.difference(a, b, &mut way);
    way.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

#[test]
fn the_path_is_steady_and_ends_with_the_stride() {
    let creature = chain(3);
    for stride in strides() {
        let clip = wander(&creature, 1, KEYS, 0.4, stride);
        let path = clip.path(&creature);
        assert_eq!(path[0], Stride::NONE);
        let mut pose = creature.reference_pose().to_vec();
        for way in &path[1..] {
            path[1].apply(&creature, &mut pose);
            let mut there = creature.reference_pose().to_vec();
            way.apply(&creature, &mut there);
            // 24 steps of rounding; beyond π the centre may be 0.2 m / 0.01 rad away, which costs two digits.
            assert!(distance(&creature, &pose, &there) < 1e-12, "{stride:?}");
        }
        let mut end = creature.reference_pose().to_vec();
        stride.apply(&creature, &mut end);
        assert!(distance(&creature, &pose, &end) < 1e-12, "{stride:?}");
    }
}

#[test]
fn a_loop_closes_exactly_and_nothing_else_changes() {
    for creature in creatures() {
        for stride in strides() {
            let clip = wander(&creature, 2, KEYS, 0.4, stride);
            let still = clip.in_place(&creature);
            assert_eq!(still.stride, Some(Stride::NONE));
            assert_eq!(
                (&still.times, &still.contacts, still.travel),
                (&clip.times, &clip.contacts, clip.travel)
            );
            assert_eq!(still.poses[0], still.poses[KEYS - 1]);
            for (key, way) in clip.path(&creature).iter().enumerate() {
                let mut back = still.poses[key].clone();
                way.apply(&creature, &mut back);
                assert!(distance(&creature, &back, &clip.poses[key]) < 1e-12, "{stride:?} key {key}");
            }
        }
    }
}

/// A creature that walks once around a circle ends where it began, and the stride does not tell the centre. In place it
/// must stand still all the same: its way is known, so its root must stay within its own sway.
#[test]
fn a_whole_circle_is_taken_out() {
    let creature = chain(2);
    let mut clip = wander(&creature, 5, KEYS, 0.0, Stride { yaw: TAU, shift: Vec3::zeros() });
    for (pose, time) in clip.poses.iter_mut().zip(&clip.times) {
        // 2 m away from the origin, then to a centre of its own.
        pose.copy_from_slice(creature.reference_pose());
        pose[1] -= 2.0;
        Stride { yaw: TAU * time, shift: Vec3::new(0.3, 2.0, 0.0) }.apply(&creature, pose);
    }
    for pose in &clip.in_place(&creature).poses {
        assert!(distance(&creature, pose, &clip.poses[0]) < 1e-12);
    }
}

/// A jump that does not loop keeps its height and its turn; its way along the ground goes.
#[test]
fn a_clip_that_does_not_loop_loses_its_way() {
    let creature = chain(2);
    let clip = Clip { stride: None, ..wander(&creature, 6, KEYS, 0.3, strides()[1]) };
    let still = clip.in_place(&creature);
    assert_eq!(still.stride, None);
    let [first, last] = [0, KEYS - 1].map(|key| &still.poses[key]);
    assert!((first[0] - last[0]).abs() < 1e-12 && (first[1] - last[1]).abs() < 1e-12);
    for (key, (before, after)) in clip.poses.iter().zip(&still.poses).enumerate() {
        assert_eq!(before[2..], after[2..], "key {key}");
    }
}

/// Who stands, starts, goes on and stops does all that at one place, but for its steps: a game that leads it has its speed from the way. An
/// even line would leave it half a metre behind at the start, and ahead at the end.
#[test]
fn who_starts_and_stops_stays_in_place() {
    const RATE: f64 = 60.0;
    let creature = chain(2);
    let rest = creature.reference_pose();
    let (times, poses): (Vec<f64>, Vec<Vec<f64>>) = (0..=300)
        .map(|key| {
            let time = f64::from(key) / RATE;
            let moving = (time - 1.0).clamp(0.0, 3.0);
            let mut pose = rest.to_vec();
            // A smooth start and stop, each within a second, and steps of 2 cm at 4 a second.
            let eased = |s: f64| {
                if s <= 0.0 {
                    0.0
                } else if s >= 1.0 {
                    s - 0.5
                } else {
                    s * s * s * (1.0 - 0.5 * s)
                }
            };
            pose[0] += 1.4 * (eased(moving) - eased(moving - 2.0))
                + 0.02 * (4.0 * std::f64::consts::TAU * time).sin();
            pose[2] = 0.9;
            (time, pose)
        })
        .unzip();
    let clip = Clip { times, poses, stride: None, ..wander(&creature, 6, KEYS, 0.3, strides()[1]) };
    let still = clip.in_place(&creature);
    let mut speeds = Vec::new();
    let path = clip.path(&creature);
    for (pose, pair) in still.poses.iter().zip(path.windows(2)) {
        // The bell rounds the corners of the speed: 1.5 times 1.4 m/s in 0.24 s, twice.
        let off = (pose[0] - still.poses[0][0]).abs();
        assert!(off < 0.1, "{off}");
        speeds.push((pair[1].shift.x - pair[0].shift.x) * RATE);
    }
    assert!(speeds[10].abs() < 0.05 && speeds[290].abs() < 0.05, "it stands: {} {}", speeds[10], speeds[290]);
    assert!((speeds[150] - 1.4).abs() < 0.01, "it goes evenly: {}", speeds[150]);
    let end = path[300].shift.x - (clip.poses[300][0] - clip.poses[0][0]);
    assert!(end.abs() < 1e-12, "it ends where it ends: {end}");
}

#[test]
fn short_clips_are_left_alone() {
    let creature = chain(2);
    let clip = wander(&creature, 7, 2, 0.3, strides()[1]);
    let one = Clip { times: vec![0.0], poses: vec![clip.poses[0].clone()], ..clip };
    assert_eq!(one.in_place(&creature).poses, one.poses);
}

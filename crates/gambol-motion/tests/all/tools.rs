//! A clip between its keys, cut, resampled and looped is the same motion: on keys the tools give the keys, between them the
//! shortest way, over the end of a loop a stride further. The motion is one that is known at all times: a creature that
//! sways as sines do, or turns steadily.

use std::f64::consts::TAU;

use gambol_model::samples::{TreeKind, random_tree};
use gambol_model::{Creature, JointKind, Quat, Vec3};
use gambol_motion::{Clip, ClipError, Contact, Stride, samples::wander};
use nalgebra::Quaternion;

const STRIDE: Stride = Stride { yaw: 0.4, shift: Vec3::new(0.8, 0.1, 0.02) };

const LEVEL: Stride = Stride { yaw: 0.4, shift: Vec3::new(0.8, 0.1, 0.0) };

fn creature() -> Creature {
    random_tree(4, TreeKind { bodies: 8, free_root: true, armature: false })
}

/// The largest coordinate of the way between two poses.
fn distance(creature: &Creature, a: &[f64], b: &[f64]) -> f64 {
    let mut way = vec![0.0; creature.nv()];
    creature.difference(a, b, &mut way);
    way.iter().map(|x| x.abs()).fold(0.0, f64::max)
}

#[test]
fn keys_are_met_and_the_way_between_is_even() {
    let creature = creature();
    let clip = wander(&creature, 3, 11, 0.6, STRIDE);
    for (time, pose) in clip.times.iter().zip(&clip.poses) {
        assert!(distance(&creature, pose, &clip.pose_at(&creature, *time)) < 1e-14);
    }
    // A quarter of the way: what is left is three times as far.
    let quarter = clip.pose_at(&creature, 0.425);
    let whole = distance(&creature, &clip.poses[4], &clip.poses[5]);
    assert!((distance(&creature, &clip.poses[4], &quarter) - 0.25 * whole).abs() < 1e-12);
    for (time, key) in [(-5.0, 0), (7.0, 10)] {
        assert!(distance(&creature, &clip.poses[key], &clip.pose_at(&creature, time)) < 1e-14);
    }
    let mut still = clip.part(3, 3);
    assert_eq!(still.sample(&creature, 0.3), clip.poses[3]);
    still.stride = Some(STRIDE);
    assert_eq!(still.sample(&creature, 0.3), clip.poses[3], "a loop that takes no time");
}

/// A turn of a free body at a steady rate is met exactly between keys, also where the quaternion's sign jumps.
#[test]
fn turns_are_slerped() {
    let creature = creature();
    let root = &creature.joints()[0];
    assert_eq!(root.kind, JointKind::Free);
    let turned = |angle: f64| {
        let mut pose = creature.reference_pose().to_vec();
        let q = Quat::from_axis_angle(&Vec3::y_axis(), angle);
        pose[root.q + 3..root.q + 7].copy_from_slice(&[q.w, q.i, q.j, q.k]);
        pose
    };
    let times: Vec<f64> = (0..8).map(f64::from).collect();
    let mut poses: Vec<Vec<f64>> = times.iter().map(|time| turned(0.8 * time)).collect();
    poses[3][root.q + 3..root.q + 7].iter_mut().for_each(|x| *x = -*x);
    let clip = Clip { name: String::new(), times, poses, stride: None, contacts: vec![], travel: None };
    for time in [0.3, 2.5, 2.9, 3.1, 6.99] {
        assert!(distance(&creature, &turned(0.8 * time), &clip.pose_at(&creature, time)) < 1e-12, "{time}");
    }
}

/// Strides one after the other, against doing them one by one.
#[test]
fn loops_go_on() {
    let creature = creature();
    for stride in
        [STRIDE, Stride { yaw: 0.0, ..STRIDE }, Stride { yaw: -TAU, ..STRIDE }, Stride { yaw: 3.0, ..STRIDE }]
    {
        let clip = wander(&creature, 5, 9, 0.5, stride);
        let mut pose = clip.pose_at(&creature, 0.3);
        let mut back = pose.clone();
        for turn in 1..=5 {
            stride.apply(&creature, &mut pose);
            stride.inverse().apply(&creature, &mut back);
            let turns = f64::from(turn);
            // Five turns and shifts of a metre; the time itself is rounded to 1e-15.
            assert!(
                distance(&creature, &pose, &clip.sample(&creature, turns + 0.3)) < 1e-11,
                "{stride:?} {turn}"
            );
            assert!(
                distance(&creature, &back, &clip.sample(&creature, 0.3 - turns)) < 1e-11,
                "{stride:?} -{turn}"
            );
        }
        // Seamless: a moment before the end and after it.
        let [before, after] = [1.0 - 1e-9, 1.0 + 1e-9].map(|time| clip.sample(&creature, time));
        assert!(distance(&creature, &before, &after) < 1e-6);
    }
}

#[test]
fn resampling_keeps_loops_closed_and_steps_even() {
    let creature = creature();
    let clip = wander(&creature, 6, 31, 0.3, STRIDE);
    for rate in [7.3, 24.0, 30.0, 120.0, 0.2] {
        let new = clip.resampled(&creature, rate).unwrap();
        assert!((new.duration() - clip.duration()).abs() < 1e-12);
        assert_eq!(new.poses.last(), clip.poses.last());
        assert_eq!((new.poses.len() - 1) as f64, rate.round().max(1.0));
        new.check(&creature).unwrap();
        for (time, pose) in new.times.iter().zip(&new.poses) {
            assert!(distance(&creature, pose, &clip.pose_at(&creature, *time)) < 1e-12);
        }
    }
    // Back at its own rate it is the same again.
    let same = clip.resampled(&creature, 30.0).unwrap();
    assert!(same.poses.iter().zip(&clip.poses).all(|(a, b)| distance(&creature, a, b) < 1e-12));
    // One that does not loop has steps of just the rate, and ends within one of its end.
    let open = Clip { stride: None, ..clip };
    let new = open.resampled(&creature, 7.0).unwrap();
    assert_eq!(new.times.len(), 8);
    assert!(new.times.iter().enumerate().all(|(key, time)| (time - key as f64 / 7.0).abs() < 1e-12));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e12] {
        assert!(matches!(open.resampled(&creature, bad), Err(ClipError::Rate { .. })), "{bad}");
    }
}

#[test]
fn parts_start_at_0_and_keep_their_stances() {
    let creature = creature();
    let mut clip = wander(&creature, 6, 11, 0.3, STRIDE);
    clip.contacts = vec![Contact {
        name: "foot".into(),
        body: 1,
        point: Vec3::zeros(),
        intervals: vec![[0.0, 0.15], [0.25, 0.45], [0.65, 1.0]],
    }];
    let part = clip.trimmed(0.32, 0.71).unwrap();
    assert_eq!(part.poses, clip.poses[3..=7]);
    assert!(part.times.iter().zip([0.0, 0.1, 0.2, 0.3, 0.4]).all(|(a, b)| (a - b).abs() < 1e-12));
    let expected = [[0.0, 0.15], [0.35, 0.4]];
    let found = &part.contacts[0].intervals;
    assert!(
        found.len() == 2
            && found.as_flattened().iter().zip(expected.as_flattened()).all(|(a, b)| (a - b).abs() < 1e-12)
    );
    assert!(part.stride.is_none() && part.travel.is_none());
    assert_eq!(clip.trimmed(0.0, 1.0).unwrap(), clip, "all of it loops as before");
    assert_eq!(clip.trimmed(-3.0, 9.0).unwrap(), clip);
    for (start, end) in [(0.5, 0.5), (0.7, 0.3), (0.52, 0.53), (f64::NAN, 1.0), (2.0, 3.0)] {
        let error = clip.trimmed(start, end).unwrap_err();
        assert!(error.to_string().contains("the clip ends at 1 s"), "{error}");
    }
}

/// Two and a half turns of a loop that is known: the search finds a whole turn, and closing it gives the stride.
#[test]
fn the_best_loop_is_a_whole_turn() {
    let creature = creature();
    let cycle = wander(&creature, 9, 61, 0.5, LEVEL);
    let times: Vec<f64> = (0..=150).map(|key| f64::from(key) / 60.0).collect();
    let poses = times.iter().map(|&time| cycle.sample(&creature, time)).collect();
    let mut clip = Clip { name: String::new(), times, poses, stride: None, contacts: vec![], travel: None };
    clip.align_signs(&creature);
    let seam = clip.best_loop(&creature).unwrap();
    let length = clip.times[seam.keys[1]] - clip.times[seam.keys[0]];
    assert!((length - length.round()).abs() < 1e-9 && length > 0.5, "{seam:?}");
    assert!(seam.pose < 1e-9 && seam.largest < 1e-9, "{seam:?}");
    assert!(seam.velocity < 1e-6 && seam.share < 1e-6, "{seam:?}");
    let whole = clip.seam(&creature).unwrap();
    assert!(whole.share > 0.3, "{whole:?}");

    let found = clip.looped(&creature, &seam);
    let stride = found.stride.unwrap();
    assert!((stride.yaw - STRIDE.yaw * length).abs() < 1e-9);
    let mut end = found.poses[0].clone();
    stride.apply(&creature, &mut end);
    assert!(distance(&creature, &end, found.poses.last().unwrap()) < 1e-12);
    let travel = found.travel.unwrap();
    assert!((travel.stride_frequency * length - 1.0).abs() < 1e-9);
    found.check(&creature).unwrap();
}

/// What is open is spread over the loop: no key jumps, and the last is the first up to the stride.
#[test]
fn an_open_loop_is_closed_evenly() {
    let creature = creature();
    let mut clip = wander(&creature, 2, 41, 0.5, LEVEL);
    clip.stride = None;
    // A drift of a tenth of a radian in all joints but the root.
    let drift: Vec<f64> = creature.dofs().iter().map(|dof| if dof.joint == 0 { 0.0 } else { 0.1 }).collect();
    let before = clip.clone();
    for (pose, time) in clip.poses.iter_mut().zip(&clip.times) {
        creature.integrate(pose, &drift, *time);
    }
    let seam = clip.seam(&creature).unwrap();
    assert!(seam.keys == [0, 40] && (0.05..0.11).contains(&seam.largest), "{seam:?}");
    let closed = clip.looped(&creature, &seam);
    for (a, b) in closed.poses.iter().zip(&before.poses) {
        assert!(distance(&creature, a, b) < 0.02, "{}", distance(&creature, a, b));
    }
    assert!((closed.stride.unwrap().yaw - STRIDE.yaw).abs() < 1e-9);
}

#[test]
fn short_clips_have_no_loop() {
    let creature = creature();
    let clip = wander(&creature, 2, 41, 0.5, STRIDE);
    assert!(clip.part(4, 4).seam(&creature).is_none());
    assert!(clip.part(4, 4).best_loop(&creature).is_none());
    assert!(clip.part(4, 6).best_loop(&creature).is_none(), "0.05 s");
    let still = Clip { poses: vec![clip.poses[0].clone(); 41], ..clip };
    assert_eq!(still.best_loop(&creature).unwrap().share, 0.0);
}

#[test]
fn signs_of_a_resampled_clip_do_not_jump() {
    let creature = creature();
    let clip = wander(&creature, 7, 13, 2.5, Stride { yaw: 3.0, ..STRIDE });
    let new = clip.resampled(&creature, 200.0).unwrap();
    for joint in creature.joints() {
        let start = match joint.kind {
            JointKind::Free => joint.q + 3,
            JointKind::Ball => joint.q,
            _ => continue,
        };
        let quat =
            |pose: &[f64]| Quaternion::new(pose[start], pose[start + 1], pose[start + 2], pose[start + 3]);
        // The last key is the old clip's own, whose sign may be the other.
        assert!(new.poses.windows(2).all(|pair| quat(&pair[0]).dot(&quat(&pair[1])) > 0.0), "{}", joint.name);
    }
}

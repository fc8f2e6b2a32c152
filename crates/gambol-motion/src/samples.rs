//! Clips written once, for tests and for the comparison with other programs.

use std::f64::consts::TAU;

use gambol_model::math;
use gambol_model::samples::Random;
use gambol_model::{Creature, Landmark, Role};

use crate::{Clip, Contact, Stride, Travel};

/// A creature that sways and travels: every joint swings by up to `size` (rad or m) at once and at twice the pace, its
/// free bodies too, while they do `stride` at a steady pace. It takes a second and has `keys` keys, at least two. The
/// same seed gives the same clip.
pub fn wander(creature: &Creature, seed: u64, keys: usize, size: f64, stride: Stride) -> Clip {
    let mut random = Random::new(seed);
    let swings = [(); 4].map(|()| random.numbers(creature.nv(), 0.25 * size));
    let times: Vec<f64> = (0..keys).map(|key| key as f64 / (keys - 1) as f64).collect();
    let pose = |time: f64| {
        let [once, twice] = [1.0, 2.0].map(|pace| math::sin_cos(TAU * pace * time));
        let mut way = vec![0.0; creature.nv()];
        for (swing, factor) in swings.iter().zip([once.0, once.1, twice.0, twice.1]) {
            way.iter_mut().zip(swing).for_each(|(way, swing)| *way += factor * swing);
        }
        let mut pose = creature.reference_pose().to_vec();
        creature.integrate(&mut pose, &way, 1.0);
        pose
    };
    let mut clip = Clip {
        name: String::from("wander"),
        poses: times.iter().map(|&time| pose(time)).collect(),
        times,
        stride: Some(stride),
        contacts: contacts(creature),
        travel: Some(Travel {
            speed: stride.shift.norm(),
            stride_length: stride.shift.norm(),
            stride_frequency: 1.0,
        }),
    };
    let first = clip.poses[0].clone();
    clip.poses[keys - 1] = first;
    let path = clip.path(creature);
    clip.poses.iter_mut().zip(path).for_each(|(pose, way)| way.apply(creature, pose));
    clip.align_signs(creature);
    clip
}

/// Feet that stand by turns: their times are made up, their names and points are the creature's.
fn contacts(creature: &Creature) -> Vec<Contact> {
    let feet = creature.landmarks().iter().filter(|landmark| landmark.role == Role::Foot);
    let contact = |(number, foot): (usize, &Landmark)| Contact {
        name: foot.name(),
        body: foot.body,
        point: foot.point,
        intervals: if number % 2 == 0 { vec![[0.0, 0.5]] } else { vec![[0.0, 0.125], [0.625, 1.0]] },
    };
    feet.enumerate().map(contact).collect()
}

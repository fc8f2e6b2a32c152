//! The bending body over one period, seen from a frame that floats with it.
//!
//! The frame has its origin at the centre of mass and turns with the bodies on the mean. On the mean over the period it
//! lies along the world axes. Which body is the root, and how the modal motion moves it, makes no difference.

use gambol_anatomy::Heading;
use gambol_dynamics::{BodyFrame, Data, center_of_mass};
use gambol_model::{Creature, JointKind, Mat3, Quat, Transform, Vec3, math, mean_rotation};
use nalgebra::{Point3, Quaternion, Translation3};

use super::segment::{Segment, segments};
use crate::{GaitError, GaitSettings};

/// What is the same on the ground and in water.
pub(super) struct BellyScene<'c> {
    pub(super) creature: &'c Creature,
    pub(super) settings: &'c GaitSettings,
    /// Per sample and body: `float_from_body`.
    pub(super) frames: Vec<Vec<Transform>>,
    /// Per sample: `world_from_float` as it was given.
    pub(super) given: Vec<Transform>,
    /// Per body.
    pub(super) segments: Vec<Segment>,
    /// Time between samples, s.
    pub(super) step: f64,
    /// Diagonal of the box around the body in its first pose, m.
    pub(super) size: f64,
    /// Normal of the sagittal plane in the floating frame.
    pub(super) left: Vec3,
    /// Whether all of it moves in its sagittal plane only.
    pub(super) planar: bool,
}

/// Rounds of finding the mean shape: each leaves a small part of the error.
const MEAN_ROUNDS: usize = 30;

/// Fewest samples of a period that say anything about velocities.
const FEWEST_SAMPLES: usize = 8;

/// Turns and ways out of the plane below this, rad and share of the size, are rounding.
const OUT_OF_PLANE: f64 = 1e-6;

impl<'c> BellyScene<'c> {
    pub(super) fn new(
        creature: &'c Creature,
        data: &mut Data,
        heading: &Heading,
        poses: &[Vec<f64>],
        period: f64,
        settings: &'c GaitSettings,
    ) -> Result<Self, GaitError> {
        let floats = creature.joints().iter().any(|joint| joint.kind == JointKind::Free);
        if !floats {
            let fixed = format!("{} is fixed to the world: nothing can carry it along", creature.name());
            return Err(GaitError::Body(fixed));
        }
        if poses.len() < FEWEST_SAMPLES || !(period > 0.0 && period.is_finite()) {
            let reason = format!("{} poses in {period} s are no period of a motion", poses.len());
            return Err(GaitError::Number { place: "poses".into(), reason });
        }
        let (frames, given) = floating(creature, data, poses);
        let segments = segments(creature);
        let mut corners = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
        for (segment, frame) in segments.iter().zip(&frames[0]).skip(1) {
            for end in segment.ends {
                let end = (frame * Point3::from(end)).coords;
                corners = [corners[0].inf(&end), corners[1].sup(&end)];
            }
        }
        let size = (corners[1] - corners[0]).norm();
        if size == 0.0 {
            return Err(GaitError::Body(format!("{} has no joints to move it along", creature.name())));
        }
        let mut scene = Self {
            creature,
            settings,
            frames,
            given,
            segments,
            step: period / poses.len() as f64,
            size,
            left: heading.left,
            planar: false,
        };
        scene.planar = scene.moves_in_plane();
        Ok(scene)
    }

    pub(super) fn samples(&self) -> usize {
        self.frames.len()
    }

    /// A series over whole periods, as the mean over a short time around each sample.
    pub(super) fn rounded<T>(&self, series: &[T]) -> Vec<T>
    where
        T: Copy + std::iter::Sum + std::ops::Mul<f64, Output = T>,
    {
        let width = self.settings.lie.rounding * self.samples() as f64;
        let reach = self.short_time();
        let weight = |j: usize| math::exp(-0.5 * math::square((j as f64 - reach as f64) / width));
        let weights: Vec<f64> = (0..=2 * reach).map(weight).collect();
        let all: f64 = weights.iter().sum();
        let mean = |k: usize| {
            let around = around(k, reach, series.len()).zip(&weights);
            around.map(|(k, weight)| series[k] * (weight / all)).sum()
        };
        (0..series.len()).map(mean).collect()
    }

    /// The highest of a series within that time around each sample, rounded: at no sample below the series itself.
    pub(super) fn rounded_above(&self, series: &[f64]) -> Vec<f64> {
        let near = |k: usize| around(k, self.short_time(), series.len()).map(|k| series[k]);
        let highest = |k: usize| near(k).fold(f64::NEG_INFINITY, f64::max);
        self.rounded(&(0..series.len()).map(highest).collect::<Vec<_>>())
    }

    /// Samples on either side of one that count to its short time: four widths of the bell curve.
    fn short_time(&self) -> usize {
        let last = 4.0 * self.settings.lie.rounding * self.samples() as f64;
        (1..self.samples()).take_while(|k| (*k as f64) < last).count()
    }

    /// Whether no body leaves its place across the sagittal plane or turns out of it.
    fn moves_in_plane(&self) -> bool {
        let normal = self.left;
        let stays = |(first, now): (&Transform, &Transform)| {
            let turned = now.rotation * first.rotation.inverse() * normal - normal;
            let moved = (now.translation.vector - first.translation.vector).dot(&normal);
            turned.norm() < OUT_OF_PLANE && moved.abs() < OUT_OF_PLANE * self.size
        };
        let same = |frames: &Vec<Transform>| self.frames[0].iter().zip(frames).skip(1).all(stays);
        self.frames.iter().all(same)
    }

    /// Moves sample `k` of the given poses to `world_from_float`.
    pub(super) fn place(&self, pose: &mut [f64], k: usize, world_from_float: &Transform) {
        let moved = world_from_float * self.given[k].inverse();
        for joint in self.creature.joints().iter().filter(|joint| joint.kind == JointKind::Free) {
            let q = joint.q;
            let orientation = Quaternion::new(pose[q + 3], pose[q + 4], pose[q + 5], pose[q + 6]);
            let before = Transform::from_parts(
                Translation3::new(pose[q], pose[q + 1], pose[q + 2]),
                Quat::from_quaternion(orientation),
            );
            let after = moved * before;
            pose[q..q + 3].copy_from_slice(after.translation.vector.as_slice());
            let turned = after.rotation.into_inner();
            pose[q + 3..q + 7].copy_from_slice(&[turned.w, turned.i, turned.j, turned.k]);
        }
    }
}

/// The samples from `reach` before `k` to `reach` after it in a series that repeats itself after `n`.
fn around(k: usize, reach: usize, n: usize) -> impl Iterator<Item = usize> {
    let first = k + n - reach % n;
    (first..=first + 2 * reach).map(move |k| k % n)
}

/// A turn about the vertical.
pub(super) fn yaw(angle: f64) -> Quat {
    Quat::from_axis_angle(&Vec3::z_axis(), angle)
}

/// Per sample, `float_from_body` of all bodies and `world_from_float`.
fn floating(
    creature: &Creature,
    data: &mut Data,
    poses: &[Vec<f64>],
) -> (Vec<Vec<Transform>>, Vec<Transform>) {
    let (mut frames, mut given): (Vec<Vec<Transform>>, Vec<Transform>) = (Vec::new(), Vec::new());
    for pose in poses {
        let com = center_of_mass(creature, data, pose);
        let from_com = |frame: &BodyFrame| {
            Transform::from_parts(Translation3::from(frame.position - com), frame.orientation)
        };
        frames.push(data.frames.iter().map(from_com).collect());
        given.push(Transform::from_parts(Translation3::from(com), Quat::identity()));
    }
    // Turn each sample to where its bodies are nearest to their means over time, and these again, until nothing turns:
    // the mean shape takes no side, as a first pose or a reference pose might.
    let mut means = frames[0].clone();
    for _ in 0..MEAN_ROUNDS {
        let mut turned: f64 = 0.0;
        for (frames, given) in frames.iter_mut().zip(&mut given) {
            let pairs = creature.bodies().iter().zip(frames.iter().zip(&means)).skip(1);
            let apart =
                pairs.map(|(body, (now, mean))| matrix(now) * matrix(mean).transpose() * body.mass.mass);
            let turn = mean_rotation(&apart.sum::<Mat3>());
            turned = turned.max(turn.angle());
            given.rotation *= turn;
            for frame in frames {
                *frame = turn.inverse() * *frame;
            }
        }
        if turned < 1e-13 {
            break;
        }
        for (body, mean) in means.iter_mut().enumerate() {
            mean.rotation = mean_rotation(&frames.iter().map(|frames| matrix(&frames[body])).sum::<Mat3>());
        }
    }
    let mean = mean_rotation(&given.iter().map(matrix).sum::<Mat3>());
    for (frames, given) in frames.iter_mut().zip(&mut given) {
        given.rotation *= mean.inverse();
        for frame in frames {
            *frame = mean * *frame;
        }
    }
    (frames, given)
}

fn matrix(frame: &Transform) -> Mat3 {
    frame.rotation.to_rotation_matrix().into_inner()
}

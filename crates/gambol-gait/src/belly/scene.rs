//! The bending body over one period, seen from its root.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, JointKind, Quat, Transform, Vec3};
use gambol_modes::Heading;
use nalgebra::{Quaternion, Translation3};

use super::segment::{Segment, segments};
use crate::GaitError;

/// What is the same on the ground and in water.
pub(super) struct Scene<'c> {
    pub(super) creature: &'c Creature,
    /// Per sample and body: `root_from_body`.
    pub(super) frames: Vec<Vec<Transform>>,
    /// Per sample: centre of mass, root frame, m.
    pub(super) com: Vec<Vec3>,
    /// Per sample: `world_from_root` as it was given.
    pub(super) given: Vec<Transform>,
    /// Per body.
    pub(super) segments: Vec<Segment>,
    /// Time between samples, s.
    pub(super) step: f64,
    /// Longest extent of the body in its first pose, m.
    pub(super) size: f64,
    /// Normal of the sagittal plane, root frame.
    pub(super) left: Vec3,
    /// Whether all of it moves in its sagittal plane only.
    pub(super) planar: bool,
}

/// Turns and ways out of the plane below this, rad and share of the size, are rounding.
const IN_PLANE: f64 = 1e-6;

/// Time over which motion on the ground is rounded, in periods (the width of a bell curve). What falls onto the ground
/// stops at once; over a fiftieth of a period it looks like weight, not like a fault. A wave loses half a percent.
const ROUNDING: f64 = 0.015;

impl<'c> Scene<'c> {
    pub(super) fn new(
        creature: &'c Creature,
        data: &mut Data,
        heading: &Heading,
        poses: &[Vec<f64>],
        period: f64,
    ) -> Result<Self, GaitError> {
        let free = |joint: &&gambol_model::Joint| joint.kind == JointKind::Free;
        let root = creature.joints().iter().find(free).map(|joint| joint.body);
        let fixed = || format!("{} is fixed to the world: nothing can carry it along", creature.name());
        let root = root.ok_or_else(|| GaitError::Body(fixed()))?;
        if poses.len() < 8 || !(period > 0.0 && period.is_finite()) {
            let reason = format!("{} poses in {period} s are no period of a motion", poses.len());
            return Err(GaitError::Number { place: "poses".into(), reason });
        }
        forward_kinematics(creature, data, creature.reference_pose());
        let left = data.frames[root].rotation.tr_mul(&heading.left);
        let (mut frames, mut com, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for pose in poses {
            let found = forward_kinematics(creature, data, pose);
            let world_from_body = |frame: &gambol_dynamics::BodyFrame| {
                Transform::from_parts(Translation3::from(frame.position), frame.orientation)
            };
            let world_from_root = world_from_body(&found[root]);
            let root_from_body: Vec<Transform> =
                found.iter().map(|frame| world_from_root.inverse() * world_from_body(frame)).collect();
            let weigh = |(body, frame): (&gambol_model::Body, &Transform)| {
                frame.transform_point(&body.mass.com.into()).coords * body.mass.mass
            };
            let first: Vec3 = creature.bodies().iter().zip(&root_from_body).skip(1).map(weigh).sum();
            com.push(first / (creature.mass() - creature.bodies()[0].mass.mass));
            frames.push(root_from_body);
            given.push(world_from_root);
        }
        let segments = segments(creature);
        let ends = |(segment, frame): (&Segment, &Transform)| segment.ends.map(|end| frame * nalgebra::Point3::from(end));
        let ends: Vec<_> = segments.iter().zip(&frames[0]).skip(1).flat_map(ends).collect();
        let size = ends.iter().flat_map(|a| ends.iter().map(move |b| (a - b).norm())).fold(0.0, f64::max);
        let mut scene = Self {
            creature,
            frames,
            com,
            given,
            segments,
            step: period / poses.len() as f64,
            size,
            left,
            planar: false,
        };
        scene.planar = scene.moves_in_plane();
        Ok(scene)
    }

    pub(super) fn samples(&self) -> usize {
        self.frames.len()
    }

    /// What a series over whole periods is on the mean over a short time around each sample.
    pub(super) fn rounded<T>(&self, series: &[T]) -> Vec<T>
    where
        T: Copy + std::iter::Sum + std::ops::Mul<f64, Output = T>,
    {
        let width = ROUNDING * self.samples() as f64;
        let reach = (4.0 * width).ceil() as usize;
        let weights: Vec<f64> =
            (0..=2 * reach).map(|k| (-0.5 * ((k as f64 - reach as f64) / width).powi(2)).exp()).collect();
        let all: f64 = weights.iter().sum();
        let n = series.len();
        let mean = |k: usize| {
            let around = weights.iter().enumerate();
            around.map(|(j, weight)| series[(k + n * (1 + reach / n) + j - reach) % n] * (weight / all)).sum()
        };
        (0..n).map(mean).collect()
    }

    /// Whether no body leaves its place across the sagittal plane or turns out of it.
    fn moves_in_plane(&self) -> bool {
        let normal = self.left;
        let stays = |(first, now): (&Transform, &Transform)| {
            let turned = now.rotation * first.rotation.inverse() * normal - normal;
            let moved = (now.translation.vector - first.translation.vector).dot(&normal);
            turned.norm() < IN_PLANE && moved.abs() < IN_PLANE * self.size
        };
        let same = |frames: &Vec<Transform>| self.frames[0].iter().zip(frames).skip(1).all(stays);
        // A root that leans has no upright plane to keep.
        self.frames.iter().all(same) && (self.given[0].rotation * normal).z.abs() < IN_PLANE
    }

    /// Puts the root of sample `k` of the given poses to `world_from_root`; trees beside it go along.
    pub(super) fn place(&self, pose: &mut [f64], k: usize, world_from_root: &Transform) {
        let moved = world_from_root * self.given[k].inverse();
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

/// A turn about the vertical.
pub(super) fn yaw(angle: f64) -> Quat {
    Quat::from_axis_angle(&Vec3::z_axis(), angle)
}

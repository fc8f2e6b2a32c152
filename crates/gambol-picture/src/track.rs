//! The camera of a moving creature. It follows the mean travel and nothing else, so that bob, sway and pitch show.

use std::f64::consts::FRAC_PI_2;

use gambol_dynamics::{BodyFrame, Data, center_of_mass, forward_kinematics};
use gambol_model::{Creature, JointKind, Mat3, Quat, Transform, Vec3, math};
use gambol_motion::{Clip, Stride};
use nalgebra::Quaternion;

use crate::Height;

/// A clip and the way of its camera. The camera frame is the world's at the first key and moves on evenly.
pub(crate) struct Track<'c> {
    pub(crate) creature: &'c Creature,
    pub(crate) clip: &'c Clip,
    /// How far the camera moves while the clip lasts.
    travel: Stride,
    /// Where the creature is on average, camera frame, m.
    pub(crate) middle: Vec3,
}

impl<'c> Track<'c> {
    /// `clip` has been checked.
    pub(crate) fn new(creature: &'c Creature, clip: &'c Clip, ground: Option<Height>) -> Self {
        let mut data = Data::new(creature);
        let centres: Vec<Vec3> =
            clip.poses.iter().map(|pose| center_of_mass(creature, &mut data, pose)).collect();
        let travel = clip.stride.unwrap_or_else(|| mean_travel(clip, &centres, ground));
        let mut track = Self { creature, clip, travel, middle: Vec3::zeros() };
        let seen = clip.times.iter().zip(&centres).map(|(time, centre)| {
            track.world_from_camera(time - clip.times[0]).inverse_transform_point(&(*centre).into()).coords
        });
        track.middle = seen.sum::<Vec3>() / centres.len() as f64;
        track
    }

    /// s from the first key to the last
    pub(crate) fn duration(&self) -> f64 {
        self.clip.duration() - self.clip.times[0]
    }

    /// `time` from 0 for the first key to 1 for the last.
    fn share(&self, time: f64) -> f64 {
        if self.duration() > 0.0 { time / self.duration() } else { 0.0 }
    }

    /// Of the camera, `time` seconds after the first key: the share of the travel that a steady motion has made.
    /// A steady motion with a turn ψ goes along a circle: its shift is (e^{iψs} − 1)/(e^{iψ} − 1) of the whole one, in
    /// the plane of complex numbers, which is s without a turn.
    pub(crate) fn world_from_camera(&self, time: f64) -> Transform {
        let (share, Stride { yaw, shift }) = (self.share(time), self.travel);
        let whole = math::sin(0.5 * yaw);
        let (factor, turn) = if whole.abs() < 1e-9 {
            (share, 0.0)
        } else {
            (math::sin(0.5 * yaw * share) / whole, 0.5 * yaw * (share - 1.0))
        };
        let along = about_z(turn) * Vec3::new(shift.x, shift.y, 0.0) * factor;
        Transform::from_parts((along + Vec3::z() * shift.z * share).into(), about_z(yaw * share))
    }

    /// Velocity of the camera where the creature is, camera frame, m/s.
    pub(crate) fn velocity(&self) -> Vec3 {
        let duration = self.duration();
        if duration <= 0.0 {
            return Vec3::zeros();
        }
        // A steady motion looks the same at any time. The step is small for a turn, and large for rounding.
        let step = 1e-4 * duration;
        let [before, after] =
            [-step, step].map(|time| self.world_from_camera(time) * nalgebra::Point3::from(self.middle));
        (after - before) / (2.0 * step)
    }

    /// The pose `time` seconds after the first key.
    pub(crate) fn pose(&self, time: f64) -> Vec<f64> {
        self.clip.pose_at(self.creature, self.clip.times[0] + time)
    }

    /// The same with the frames of all bodies in the world.
    pub(crate) fn frames<'d>(&self, data: &'d mut Data, time: f64) -> &'d [BodyFrame] {
        forward_kinematics(self.creature, data, &self.pose(time))
    }

    /// Where the creature looks, as a turn about the vertical from its reference pose, camera frame, rad. A body that
    /// winds looks only about where it goes; then it is taken to look there (or away from there, or across).
    pub(crate) fn heading(&self) -> f64 {
        const ABOUT: f64 = 0.35; // rad
        let heading = self.mean_turn();
        let velocity = self.velocity();
        if velocity.xy().norm() < 1e-9 {
            return heading;
        }
        let way = math::atan2(velocity.y, velocity.x);
        let straight = way + FRAC_PI_2 * ((heading - way) / FRAC_PI_2).round();
        if (heading - straight).abs() < ABOUT { straight } else { heading }
    }

    /// A turn counts as much as it is defined: one half over, a creature faces nowhere (w = z = 0).
    fn mean_turn(&self) -> f64 {
        let Some(root) = self.creature.joints().iter().find(|joint| joint.kind == JointKind::Free) else {
            return 0.0;
        };
        let orientation = |pose: &[f64]| {
            let [w, i, j, k] = [3, 4, 5, 6].map(|at| pose[root.q + at]);
            Quat::from_quaternion(Quaternion::new(w, i, j, k))
        };
        let reference = orientation(self.creature.reference_pose());
        let (mut sine, mut cosine) = (0.0, 0.0);
        for (pose, time) in self.clip.poses.iter().zip(&self.clip.times) {
            let camera = self.world_from_camera(time - self.clip.times[0]).rotation;
            let turn = camera.inverse() * orientation(pose) * reference.inverse();
            sine += 2.0 * turn.w * turn.k;
            cosine += turn.w * turn.w - turn.k * turn.k;
        }
        math::atan2(sine, cosine)
    }
}

/// Of a clip that does not loop: along the straight line nearest to the centres of mass, from the ground under its
/// start to the ground under its end.
fn mean_travel(clip: &Clip, centres: &[Vec3], ground: Option<Height>) -> Stride {
    let count = centres.len() as f64;
    let mean_time = clip.times.iter().sum::<f64>() / count;
    let mean = centres.iter().sum::<Vec3>() / count;
    let (mut covariance, mut variance) = (Vec3::zeros(), 0.0);
    for (time, centre) in clip.times.iter().zip(centres) {
        covariance += (centre - mean) * (time - mean_time);
        variance += math::square(time - mean_time);
    }
    let velocity = if variance > 0.0 { covariance / variance } else { Vec3::zeros() };
    let mut shift = velocity * (clip.duration() - clip.times[0]);
    let start = mean + velocity * (clip.times[0] - mean_time);
    shift.z =
        ground.map_or(0.0, |height| height(start.x + shift.x, start.y + shift.y) - height(start.x, start.y));
    Stride { yaw: 0.0, shift }
}

pub(crate) fn about_z(angle: f64) -> Quat {
    let (sine, cosine) = math::sin_cos(0.5 * angle);
    Quat::new_unchecked(Quaternion::new(cosine, 0.0, 0.0, sine))
}

/// Rows right, up, towards the eye, for a camera that is turned about the vertical.
pub(crate) fn turned(eye: &Mat3, turn: &Quat) -> Mat3 {
    eye * turn.inverse().to_rotation_matrix().matrix()
}

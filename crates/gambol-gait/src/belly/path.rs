//! Where the body goes, and how it comes back after a stride.

use gambol_anatomy::Heading;
use gambol_model::{Quat, Transform, Vec3, math};
use gambol_motion::Stride;
use nalgebra::Translation3;

use super::scene::{BellyScene, yaw};

/// The floating frame over all periods until it comes back.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// Per sample.
    pub(super) world_from_float: Vec<Transform>,
    /// From the first to the one after the last.
    pub(super) stride: Stride,
    pub(super) slip: Slip,
}

/// How what touches moves along what it touches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slip {
    /// m per period, weighted by load
    pub(super) way: f64,
    /// Part of it across the segments.
    pub(super) sideways: f64,
    /// m/s, the largest over time
    pub(super) fastest: f64,
    /// m
    pub(super) penetration: f64,
    /// m
    pub(super) hover: f64,
    /// Of wings: mean force that is missing, in weights.
    pub(super) missing: f64,
}

impl Path {
    /// s
    pub(super) fn duration(&self, scene: &BellyScene) -> f64 {
        self.world_from_float.len() as f64 * scene.step
    }

    /// Way of the centre of mass from start to end, m.
    pub(super) fn travel(&self) -> Vec3 {
        let start = self.world_from_float[0].translation.vector;
        yaw(self.stride.yaw) * start + self.stride.shift - start
    }

    /// Turned about the vertical such that it travels along the creature's heading, or straight back, whichever is
    /// nearer; and moved to where the centre of mass was at first.
    pub(super) fn aligned(self, scene: &BellyScene, heading: &Heading) -> Self {
        let travel = self.travel();
        let (ahead, aside) = (travel.dot(&heading.forward), travel.dot(&heading.left));
        let angle = if math::hypot(ahead, aside) < scene.settings.lie.stays * scene.size {
            0.0
        } else {
            -math::atan2(aside * ahead.signum(), ahead.abs())
        };
        let com = |world_from_float: &Transform| world_from_float.translation.vector;
        let mut to = com(&scene.given[0]) - yaw(angle) * com(&self.world_from_float[0]);
        to.z = 0.0;
        let moved = Transform::from_parts(Translation3::from(to), yaw(angle));
        // The stride, seen from the new place: m s m⁻¹.
        let Stride { yaw: about, shift } = self.stride;
        let shift = yaw(angle) * shift + to - yaw(about) * to;
        Self {
            world_from_float: self.world_from_float.iter().map(|frame| moved * frame).collect(),
            stride: Stride { yaw: about, shift },
            slip: self.slip,
        }
    }
}

/// Integral over each interval of samples `step` apart with one more before and two more after: exact for cubics. The
/// sum over a period is that of the trapezoid rule, which is the best there is for what is periodic.
pub(super) fn integrals(before: Vec3, values: &[Vec3], after: [Vec3; 2], step: f64) -> Vec<Vec3> {
    let all = [&[before], values, &after].concat();
    all.windows(4).map(|at| ((at[1] + at[2]) * 13.0 - at[0] - at[3]) * (step / 24.0)).collect()
}

/// The turn about the vertical from `from` to `to`, which have the same up.
pub(super) fn yaw_between(from: &Quat, to: &Quat) -> f64 {
    let turn = to * from.inverse();
    // Of the two quaternions of one rotation, the one that turns less than half around.
    2.0 * math::atan2(turn.k * turn.w.signum(), turn.w.abs())
}

//! A slope, as level ground under gravity that is askew.
//!
//! On a plane nothing but the direction of the weight tells a slope from the level: cones stand on the plane, feet are lifted
//! from it, and a stride along it recurs. So who goes straight over a slope is played in a frame that lies on it, and its
//! poses are turned to the world at the end.

use gambol_model::{Creature, JointKind, Quat, Vec3, math};
use gambol_motion::Stride;

use crate::{Gait, Terrain};

/// The frame of a slope: x up along it, z its normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slope {
    /// rad
    angle: f64,
    /// From the frame of the slope to the world.
    world_from_slope: Quat,
}

impl Slope {
    /// Of level ground.
    pub(crate) fn none() -> Self {
        Self { angle: 0.0, world_from_slope: Quat::identity() }
    }

    /// Of the ground of `gait`, where it is level or a slope that is gone over straight: who turns on a slope has another weight at
    /// every heading, and no stride of it is like the next.
    pub(crate) fn of(gait: &Gait) -> Option<Self> {
        match gait.ground.terrain {
            Terrain::Flat => Some(Self::none()),
            Terrain::Slope(angle) if gait.ground.turn == 0.0 => {
                // It rises along x: a turn about −y.
                Some(Self { angle, world_from_slope: Quat::from_axis_angle(&-Vec3::y_axis(), angle) })
            }
            _ => None,
        }
    }

    /// Whether it is no slope at all.
    pub(crate) fn is_level(&self) -> bool {
        self.angle == 0.0
    }

    /// Whether feet of this `friction` hold on it.
    pub(crate) fn holds(&self, friction: f64) -> bool {
        math::tan(self.angle).abs() < friction
    }

    /// Against the weight: a unit vector in the frame of the slope.
    pub(super) fn up(&self) -> Vec3 {
        self.world_from_slope.inverse() * Vec3::z()
    }

    /// Of the slope, in the world.
    pub(crate) fn normal(&self) -> Vec3 {
        self.world_from_slope * Vec3::z()
    }

    /// How high the slope is over a level place that is `x` ahead of where it begins, m.
    pub(super) fn height(&self, x: f64) -> f64 {
        math::tan(self.angle) * x
    }

    /// An orientation of the world, as seen from the slope.
    pub(super) fn seen(&self, orientation: Quat) -> Quat {
        self.world_from_slope.inverse() * orientation
    }

    /// A pose of the world, as seen from the slope.
    pub(super) fn lay(&self, creature: &Creature, pose: &mut [f64]) {
        turn(creature, &self.world_from_slope.inverse(), pose);
    }

    /// A pose seen from the slope, in the world.
    pub(super) fn raise(&self, creature: &Creature, pose: &mut [f64]) {
        turn(creature, &self.world_from_slope, pose);
    }

    /// A stride along the slope, in the world.
    pub(crate) fn stride(&self, stride: Stride) -> Stride {
        Stride { shift: self.world_from_slope * stride.shift, ..stride }
    }
}

/// Turns all that floats freely about the origin.
fn turn(creature: &Creature, by: &Quat, pose: &mut [f64]) {
    for joint in creature.joints().iter().filter(|joint| joint.kind == JointKind::Free) {
        let free = &mut pose[joint.q..joint.q + 7];
        let place = by * Vec3::new(free[0], free[1], free[2]);
        let turned = by.into_inner() * nalgebra::Quaternion::new(free[3], free[4], free[5], free[6]);
        free.copy_from_slice(&[place.x, place.y, place.z, turned.w, turned.i, turned.j, turned.k]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_rises_along_x_and_feet_hold_up_to_its_friction() {
        let slope = Slope { angle: 0.3, world_from_slope: Quat::from_axis_angle(&-Vec3::y_axis(), 0.3) };
        let up = slope.world_from_slope * Vec3::x();
        assert!((up.z - math::sin(0.3)).abs() < 1e-15 && (up.x - math::cos(0.3)).abs() < 1e-15, "{up}");
        // The normal of the terrain that it stands for, and what the world's up looks like from it.
        let normal = Terrain::Slope(0.3).normal(1.0, 2.0);
        assert!((slope.normal() - normal).norm() < 1e-15);
        assert!((slope.up().z - normal.z).abs() < 1e-15 && slope.up().x > 0.0);
        assert!(slope.holds(0.31) && !slope.holds(0.30), "tan 0.3 is 0.309");
        assert!((slope.height(2.0) - Terrain::Slope(0.3).height(2.0, 0.0)).abs() < 1e-15);
    }
}

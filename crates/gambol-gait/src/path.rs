//! The way over the ground: straight ahead, or an arc.

use gambol_model::{Quat, Vec3, math};
use gambol_motion::Stride;

/// Constant speed and constant turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    /// Horizontal unit vector, the creature's heading at time 0.
    pub(crate) forward: Vec3,
    /// m/s
    pub(crate) speed: f64,
    /// rad/s to the left
    pub(crate) turn: f64,
}

impl Path {
    /// Where the creature's ground frame is `seconds` later, as seen from where it is now.
    pub(crate) fn after(&self, seconds: f64) -> Stride {
        let yaw = self.turn * seconds;
        Stride { yaw, shift: self.per_speed(seconds) * self.speed }
    }

    /// The shift after `seconds` at a speed of 1 m/s.
    pub(crate) fn per_speed(&self, seconds: f64) -> Vec3 {
        let left = Vec3::z().cross(&self.forward);
        let yaw = self.turn * seconds;
        // ∫ (cos, sin)(turn·t) dt, by series where the turn is slight.
        let (ahead, aside) = if yaw.abs() < 1e-5 {
            (1.0 - yaw * yaw / 6.0, 0.5 * yaw)
        } else {
            (math::sin(yaw) / yaw, (1.0 - math::cos(yaw)) / yaw)
        };
        (self.forward * ahead + left * aside) * seconds
    }
}

/// A point moved by a stride.
pub(crate) fn moved(stride: &Stride, point: Vec3) -> Vec3 {
    Quat::from_axis_angle(&Vec3::z_axis(), stride.yaw) * point + stride.shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_halves_make_a_whole() {
        for turn in [0.0, 1e-7, 0.8] {
            let path = Path { forward: Vec3::x(), speed: 1.5, turn };
            let (half, whole) = (path.after(0.6), path.after(1.2));
            let twice = moved(&half, moved(&half, Vec3::new(0.1, 0.2, 0.3)));
            assert!((twice - moved(&whole, Vec3::new(0.1, 0.2, 0.3))).norm() < 1e-12);
        }
    }

    #[test]
    fn a_full_turn_comes_back() {
        let path = Path { forward: Vec3::x(), speed: 2.0, turn: std::f64::consts::TAU };
        assert!(path.after(1.0).shift.norm() < 1e-12);
    }
}

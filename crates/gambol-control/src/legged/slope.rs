//! The slope of the ground that a creature goes on, as its feet find it: a plane through the places where each of them stood last.
//!
//! ```text
//! z − z̄ = s · (p − p̄)          s = (Σ d dᵀ + n r² 1)⁻¹ Σ d (z − z̄)          d = p − p̄, along the ground
//! ```
//!
//! Across the line that feet stand in, nothing is known of the slope: there r, a small part of the legs' length, holds it level. On a slope a
//! stride is *sheared*: all goes up by s for every metre along, what was above a foot stays above it, and weight rests as on the level.

use gambol_model::{Quat, Vec3, math};
use nalgebra::{Matrix2, Vector2};

/// r, in leg lengths: feet that are further apart than that tell a slope. A dog's stand by twenty times that behind each other, and by five beside.
const APART: f64 = 0.02;

/// Rise of a plane through the places where feet stood, in metres per metre along x and y.
pub(super) fn slope_under(places: impl Iterator<Item = Vec3> + Clone, length: f64) -> Vec3 {
    let count = places.clone().count() as f64;
    if count == 0.0 {
        return Vec3::zeros();
    }
    let mean = places.clone().sum::<Vec3>() / count;
    let apart = APART * length;
    let mut spread = Matrix2::identity() * (count * apart * apart);
    let mut rise = Vector2::zeros();
    for place in places {
        let off = place - mean;
        spread += off.xy() * off.xy().transpose();
        rise += off.xy() * off.z;
    }
    spread.cholesky().map_or(Vec3::zeros(), |factor| {
        let slope = factor.solve(&rise);
        Vec3::new(slope.x, slope.y, 0.0)
    })
}

/// The turn, by the shortest way, of what is upright on the level into what is upright on a slope, with normal n ∝ (−s, 1).
pub(super) fn tilt(slope: Vec3) -> Quat {
    let axis = Vec3::new(slope.y, -slope.x, 0.0); // z × n
    let steep = axis.norm();
    if steep > 0.0 { Quat::from_scaled_axis(axis * (math::atan(steep) / steep)) } else { Quat::identity() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feet_of_four_legs_tell_a_slope_in_any_direction() {
        let slope = Vec3::new(0.14, -0.07, 0.0);
        let on = |x: f64, y: f64| Vec3::new(x, y, 3.0 + slope.x * x + slope.y * y);
        let feet = [on(1.0, 0.1), on(1.1, -0.1), on(0.4, 0.1), on(0.5, -0.1)];
        let found = slope_under(feet.into_iter(), 0.5);
        // Along the feet nearly all of it is believed; across, where they are near to each other, most.
        assert!((found.x - slope.x).abs() < 0.02 * slope.x, "{found}");
        assert!((found.y - slope.y).abs() < 0.1 * -slope.y, "{found}");
        let upright = tilt(slope) * Vec3::z();
        assert!(upright.dot(&Vec3::new(1.0, 0.0, slope.x)).abs() < 1e-12, "{upright}");
        assert!(upright.dot(&Vec3::new(0.0, 1.0, slope.y)).abs() < 1e-12, "{upright}");
    }

    #[test]
    fn who_stands_on_one_foot_takes_the_ground_for_level() {
        assert_eq!(slope_under([Vec3::new(1.0, 2.0, 3.0)].into_iter(), 0.5), Vec3::zeros());
        assert_eq!(slope_under([].into_iter(), 0.5), Vec3::zeros());
        assert_eq!(tilt(Vec3::zeros()), Quat::identity());
    }
}

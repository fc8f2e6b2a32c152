//! Soft joint limits (Kry et al. 2009, section 4.2).
//!
//! A joint that a motion takes past its limit by d is drawn back by d²/(d + Δ): what remains, d Δ/(d + Δ), grows with
//! slope 1 from the limit on, so that nothing pops, and never reaches Δ.

use gambol_model::{Creature, Joint, JointKind, Vec3, math};
use nalgebra::{Matrix3, Quaternion, UnitQuaternion};

/// What is left of the overshoot `d` ≥ 0; `soft` is Δ ([`crate::LimitSettings::soft`]).
pub(crate) fn soften(d: f64, soft: f64) -> f64 {
    d - d * d / (d + soft)
}

/// Its derivative: Δ²/(d + Δ)².
fn slope(d: f64, soft: f64) -> f64 {
    let share = soft / (d + soft);
    share * share
}

/// How softening maps a small motion of a joint: the derivative of the limited by the free coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Give {
    /// Within its limits.
    Free,
    /// Hinge or slide.
    Scalar(f64),
    /// Ball, in the body's axes.
    Ball(Matrix3<f64>),
}

/// Draws the pose back within limits that give by less than `soft`, in place. `give` gets one entry per joint.
pub(crate) fn limit(creature: &Creature, soft: f64, pose: &mut [f64], give: &mut Vec<Give>) {
    give.clear();
    for joint in creature.joints() {
        let Some([low, high]) = joint.limit else {
            give.push(Give::Free);
            continue;
        };
        give.push(match joint.kind {
            JointKind::Hinge | JointKind::Slide => limit_scalar(&mut pose[joint.q], low, high, soft),
            JointKind::Ball => limit_ball(&mut pose[joint.q..joint.q + 4], high, soft),
            JointKind::Free => Give::Free,
        });
    }
}

fn limit_scalar(x: &mut f64, low: f64, high: f64, soft: f64) -> Give {
    if *x > high {
        let d = *x - high;
        *x = high + soften(d, soft);
        Give::Scalar(slope(d, soft))
    } else if *x < low {
        let d = low - *x;
        *x = low - soften(d, soft);
        Give::Scalar(slope(d, soft))
    } else {
        Give::Free
    }
}

/// The limit of a ball joint bounds its angle from the reference; its axis stays.
fn limit_ball(wxyz: &mut [f64], most: f64, soft: f64) -> Give {
    let q = UnitQuaternion::from_quaternion(Quaternion::new(wxyz[0], wxyz[1], wxyz[2], wxyz[3]));
    let Some((axis, angle)) = q.axis_angle() else { return Give::Free };
    if angle <= most {
        return Give::Free;
    }
    let d = angle - most;
    let limited = most + soften(d, soft);
    let q = UnitQuaternion::from_axis_angle(&axis, limited);
    wxyz.copy_from_slice(&[q.w, q.i, q.j, q.k]);
    // Along the axis the slope of the softening; across it, directions turn with the axis, on a smaller circle.
    let across = math::sin(0.5 * limited) / math::sin(0.5 * angle);
    let n: Vec3 = axis.into_inner();
    let along = n * n.transpose();
    Give::Ball(along * slope(d, soft) + (Matrix3::identity() - along) * across)
}

/// How far the joint that is furthest past its limit is past it, rad (or m); 0 if all are within.
pub(crate) fn overshoot(creature: &Creature, pose: &[f64]) -> f64 {
    past(creature, pose).map(|(_, past)| past).fold(0.0, f64::max)
}

/// How far each joint with a limit is past it, rad (or m); negative within.
pub(crate) fn past<'a>(creature: &'a Creature, pose: &'a [f64]) -> impl Iterator<Item = (&'a Joint, f64)> {
    creature.joints().iter().filter_map(|joint| {
        let [low, high] = joint.limit?;
        let past = match joint.kind {
            JointKind::Hinge | JointKind::Slide => (pose[joint.q] - high).max(low - pose[joint.q]),
            JointKind::Ball => {
                let w = pose[joint.q].abs();
                let sine = pose[joint.q + 1..joint.q + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
                2.0 * math::atan2(sine, w) - high
            }
            JointKind::Free => 0.0,
        };
        Some((joint, past))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// rad
    const SOFT: f64 = 0.1;

    #[test]
    fn what_remains_is_smooth_and_never_reaches_the_bound() {
        // Closed form of section 4.2, and slope 1 where the limit begins.
        assert_eq!(soften(0.0, SOFT), 0.0);
        assert!((soften(SOFT, SOFT) - 0.5 * SOFT).abs() < 1e-15);
        assert!(soften(100.0, SOFT) < SOFT && soften(100.0, SOFT) > 0.99 * SOFT);
        for d in [0.0, 0.03, 0.4] {
            let h = 1e-6;
            let difference = (soften(d + h, SOFT) - soften(d, SOFT)) / h;
            assert!(
                (difference - slope(d, SOFT)).abs() < 1e-4,
                "the difference quotient errs by h·|f''| < 2e-5"
            );
        }
    }

    #[test]
    fn a_ball_keeps_its_axis() {
        let axis = nalgebra::Unit::new_normalize(Vec3::new(1.0, 2.0, -0.5));
        let q = UnitQuaternion::from_axis_angle(&axis, 0.9);
        let mut wxyz = [q.w, q.i, q.j, q.k];
        let Give::Ball(give) = limit_ball(&mut wxyz, 0.5, SOFT) else { panic!("0.9 rad is past 0.5") };
        let limited = UnitQuaternion::from_quaternion(Quaternion::new(wxyz[0], wxyz[1], wxyz[2], wxyz[3]));
        assert!((limited.angle() - 0.5 - soften(0.4, SOFT)).abs() < 1e-12);
        assert!((limited.axis().unwrap().into_inner() - axis.into_inner()).norm() < 1e-12);
        assert!((give * axis.into_inner() - axis.into_inner() * slope(0.4, SOFT)).norm() < 1e-12);
    }
}

//! Where each foot shall be at every moment.
//!
//! A standing foot is where it was planted. What lies between that and the modal motion is its gap. While the foot
//! swings, the gap of lift-off fades out and that of touchdown fades in, each continued in value, slope and curvature: the
//! foot follows the modal motion, warped just enough to leave and to arrive at rest.

use gambol_model::{Quat, Vec3, math};

use super::sole::Local;
use crate::path::{Path, moved};

/// A foot on the ground.
#[derive(Clone, Debug)]
pub(super) struct Plant {
    /// Touchdown and lift-off, in cycles from the start of the clip.
    pub(super) start: f64,
    pub(super) end: f64,
    /// Where it stands, in the creature's ground frame at the middle of the stance, m; z is the ground's height.
    pub(super) place: Vec3,
    /// The ground's normal there, in the same frame.
    pub(super) normal: Vec3,
    /// How its sole and toes lie there: one for each flat body of the leg.
    pub(super) orientations: Vec<Quat>,
}

impl Plant {
    pub(super) fn middle(&self) -> f64 {
        0.5 * (self.start + self.end)
    }

    /// Where it stands, as seen from the ground frame at `cycle`: x and y, with height 0 above the ground.
    pub(super) fn seen(&self, path: &Path, frequency: f64, cycle: f64) -> Vec3 {
        let place = moved(&path.after((self.middle() - cycle) / frequency), self.place);
        Vec3::new(place.x, place.y, 0.0)
    }

    /// The ground there, as seen from the ground frame at `cycle`.
    pub(super) fn local(&self, path: &Path, frequency: f64, cycle: f64) -> Local {
        let yaw = path.after((self.middle() - cycle) / frequency).yaw;
        let normal = Quat::from_axis_angle(&Vec3::z_axis(), yaw) * self.normal;
        Local { height: self.place.z, normal, ..Local::level() }
    }

    /// How sole and toes lie, as seen from the ground frame at `cycle`.
    pub(super) fn lying(&self, path: &Path, frequency: f64, cycle: f64) -> impl Iterator<Item = Quat> + '_ {
        let yaw = path.after((self.middle() - cycle) / frequency).yaw;
        let turn = Quat::from_axis_angle(&Vec3::z_axis(), yaw);
        self.orientations.iter().map(move |orientation| turn * orientation)
    }
}

/// A gap and its first two derivatives by the cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Jet {
    pub(super) value: Vec3,
    pub(super) slope: Vec3,
    pub(super) curvature: Vec3,
}

/// The way of a gap over a swing from `start` to `end`, in cycles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swing {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) from: Jet,
    pub(super) to: Jet,
    /// Least height of the foot above the ground in the middle of the swing, m.
    pub(super) clearance: f64,
    /// Slope and curvature of a gap take the foot no further than about this, m.
    pub(super) reach: f64,
    /// Share of the swing over which a gap fades.
    pub(super) fade: f64,
}

impl Swing {
    /// 0 at lift-off, 1 at touchdown.
    pub(super) fn progress(&self, cycle: f64) -> f64 {
        ((cycle - self.start) / (self.end - self.start)).clamp(0.0, 1.0)
    }

    /// The gap at `cycle`: that of lift-off, continued and faded out, and that of touchdown, faded in. In the middle of the
    /// swing the foot is left to the modal motion.
    pub(super) fn gap(&self, cycle: f64) -> Vec3 {
        let (s, fade) = (self.progress(cycle), self.fade);
        self.continued(&self.from, cycle - self.start) * (1.0 - ease(s / fade))
            + self.continued(&self.to, cycle - self.end) * ease((s - 1.0 + fade) / fade)
    }

    /// A gap `since` cycles after its jet: v + a τ₁ + ½ b τ₂² with τ = T tanh(since/T), which is `since` to second order.
    /// T stops each term at the reach: a knee that meets its limit has a curvature that holds for a moment only.
    fn continued(&self, jet: &Jet, since: f64) -> Vec3 {
        let until = |limit: f64| if limit > 0.0 { limit * math::tanh(since / limit) } else { since };
        let slope = until(self.reach / jet.slope.norm().max(f64::MIN_POSITIVE));
        let curvature = until((2.0 * self.reach / jet.curvature.norm().max(f64::MIN_POSITIVE)).sqrt());
        jet.value + jet.slope * slope + jet.curvature * (0.5 * curvature * curvature)
    }

    /// 1 in the middle of the swing, 0 and flat to second order at both ends.
    pub(super) fn bump(&self, cycle: f64) -> f64 {
        let s = self.progress(cycle);
        64.0 * math::powi(s * (1.0 - s), 3)
    }

    /// The height of a swinging foot above the ground: `height` where that is well above it, else smoothly the
    /// clearance.
    pub(super) fn clear(&self, cycle: f64, height: f64) -> f64 {
        let bump = self.bump(cycle);
        let (least, soft) = (self.clearance * bump, 0.5 * self.clearance * bump);
        0.5 * (height + least + (math::square(height - least) + soft * soft).sqrt())
    }
}

/// From 0 to 1, flat to second order at both ends.
pub(super) fn ease(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    s * s * s * (10.0 + s * (6.0 * s - 15.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swing_meets_both_ends_smoothly() {
        let jet = |a: f64| Jet {
            value: Vec3::new(a, 0.1, -a),
            slope: Vec3::new(2.0 * a, -1.0, 0.3),
            curvature: Vec3::new(-a, 4.0, 1.0),
        };
        let swing = Swing {
            start: 0.3,
            end: 0.8,
            from: jet(0.2),
            to: jet(-0.5),
            clearance: 0.05,
            reach: 0.3,
            fade: 0.6,
        };
        for (cycle, jet, side) in [(0.3, jet(0.2), 1.0), (0.8, jet(-0.5), -1.0)] {
            let h = 1e-4 * side;
            let (a, b, c) = (swing.gap(cycle), swing.gap(cycle + h), swing.gap(cycle + 2.0 * h));
            assert!((a - jet.value).norm() < 1e-12);
            // One-sided differences err by h times the next derivative, here below 300 and 3000.
            assert!(((b * 4.0 - a * 3.0 - c) / (2.0 * h) - jet.slope).norm() < 1e-4);
            assert!(((a + c - b * 2.0) / (h * h) - jet.curvature).norm() < 0.3);
        }
        // The foot stands on the ground at both ends and is well above it in between.
        assert_eq!(swing.clear(0.3, 0.0), 0.0);
        assert!(swing.clear(0.8, 0.0).abs() < 1e-15);
        assert!(swing.clear(0.55, -0.2) > 0.05);
        assert!((swing.clear(0.55, 0.5) - 0.5).abs() < 2e-3, "far above, it is left alone");
    }

    /// A knee that meets its limit as the foot comes down has a gap with a large curvature, for a moment. A person's run
    /// became a split by it, with the foot three steps ahead.
    #[test]
    fn a_swing_is_not_thrown_ahead() {
        let hard = Jet {
            value: Vec3::new(-0.16, 0.0, -0.1),
            slope: Vec3::new(0.3, 2.7, 1.8),
            curvature: Vec3::new(118.0, -8.0, 28.0),
        };
        let swing = Swing {
            start: 0.2,
            end: 0.84,
            from: Jet::default(),
            to: hard,
            clearance: 0.05,
            reach: 0.2,
            fade: 0.6,
        };
        for k in 0..=64 {
            let gap = swing.gap(0.2 + 0.01 * f64::from(k));
            // The value, and no more than the reach for the slope and again for the curvature.
            assert!((gap - hard.value).norm() < hard.value.norm() + 0.4, "{gap}");
        }
    }
}

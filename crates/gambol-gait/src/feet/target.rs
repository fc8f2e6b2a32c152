//! Where each foot shall be at every moment.
//!
//! A standing foot is where it was planted. A swinging one goes over from there to the modal motion, and from that to where it
//! lands, each by a share that is flat to second order at both ends: it leaves and arrives at rest, and is never further
//! from the modal motion than the ground that it leaves or comes to.

use gambol_model::{Quat, Vec3, math};

use super::road::Road;
use super::sole::Local;
use crate::ease::ease;
use crate::path::moved;

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
    /// Share of a stride that it stands.
    pub(super) duty: f64,
    /// What animals push with in the mean over such a stance, weights.
    pub(super) load: f64,
    /// How its sole and toes lie there: one for each flat body of the leg.
    pub(super) orientations: Vec<Quat>,
}

impl Plant {
    pub(super) fn middle(&self) -> f64 {
        0.5 * (self.start + self.end)
    }

    /// Where it stands, as seen from the ground frame at `cycle`: x and y, with height 0 above the ground.
    pub(super) fn seen(&self, road: &Road, cycle: f64) -> Vec3 {
        let place = moved(&road.between(cycle, self.middle()), self.place);
        Vec3::new(place.x, place.y, 0.0)
    }

    /// The ground there, as seen from the ground frame at `cycle`.
    pub(super) fn local(&self, road: &Road, cycle: f64) -> Local {
        let yaw = road.between(cycle, self.middle()).yaw;
        let normal = Quat::from_axis_angle(&Vec3::z_axis(), yaw) * self.normal;
        Local { height: self.place.z, normal, ..Local::level() }
    }

    /// How sole and toes lie, as seen from the ground frame at `cycle`.
    pub(super) fn lying(&self, road: &Road, cycle: f64) -> impl Iterator<Item = Quat> + '_ {
        let yaw = road.between(cycle, self.middle()).yaw;
        let turn = Quat::from_axis_angle(&Vec3::z_axis(), yaw);
        self.orientations.iter().map(move |orientation| turn * orientation)
    }
}

/// A swing from `start` to `end`, in cycles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swing {
    pub(super) start: f64,
    pub(super) end: f64,
    /// Least height of the foot above the ground in the middle of the swing, m.
    pub(super) clearance: f64,
    /// How much higher than the modal foot it is there, m.
    pub(super) fold: f64,
    /// Share of the swing over which it goes over to the modal motion, and from it.
    pub(super) fade: f64,
    /// Share of the swing over which the ground drags it.
    pub(super) drag: f64,
}

impl Swing {
    /// 0 at lift-off, 1 at touchdown.
    pub(super) fn progress(&self, cycle: f64) -> f64 {
        ((cycle - self.start) / (self.end - self.start)).clamp(0.0, 1.0)
    }

    /// When the places that it left and that it comes to are seen where they matter to the foot at `cycle`. The ground moves on below
    /// the body; a foot that went along until it is off would stretch its leg. It goes along at first, and soon stays.
    pub(super) fn dragged(&self, cycle: f64) -> [f64; 2] {
        let most = self.drag * (self.end - self.start);
        let soon = |time: f64| most * math::tanh(time / most);
        [self.start + soon(cycle - self.start), self.end - soon(self.end - cycle)]
    }

    /// Where the foot is at `cycle`, between the place that it `left`, the `modal` one and that where it `lands`
    /// ([`Swing::dragged`]).
    pub(super) fn place(&self, cycle: f64, left: Vec3, modal: Vec3, lands: Vec3) -> Vec3 {
        let s = self.progress(cycle);
        let (leaves, comes) = (1.0 - ease(s / self.fade), ease((s - 1.0 + self.fade) / self.fade));
        modal + (left - modal) * leaves + (lands - modal) * comes + Vec3::z() * (self.fold * self.bump(cycle))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swing_leaves_and_arrives_at_rest() {
        let swing = Swing { start: 0.3, end: 0.8, clearance: 0.05, fold: 0.0, fade: 0.6, drag: 0.1 };
        let (left, lands) = (Vec3::new(-0.3, 0.1, 0.0), Vec3::new(0.4, 0.1, 0.0));
        // A foot thrown about by its leg, as by a knee that meets its limit.
        let modal = |cycle: f64| Vec3::new(40.0 * (cycle - 0.5), -1.0, 30.0 * math::square(cycle - 0.3));
        // The ground goes by at 1 m per cycle.
        let place = |cycle: f64| {
            let [leaving, landing] = swing.dragged(cycle);
            let ground = |time: f64| Vec3::x() * -time;
            swing.place(cycle, left + ground(leaving), modal(cycle), lands + ground(landing))
        };
        for (cycle, rests, side) in [(0.3, left, 1.0), (0.8, lands, -1.0)] {
            let h = 1e-4 * side;
            let on_ground = |n: f64| place(cycle + n * h) + Vec3::x() * (cycle + n * h);
            let [a, b, c] = [0.0, 1.0, 2.0].map(on_ground);
            assert!((a - rests).norm() < 1e-12);
            // The share that is not at rest grows with the cube of time: 10 (h/0.3)³ of at most 10 m, and h³/3 over 0.05².
            assert!(((b - a) / h).norm() < 1e-4);
            assert!(((a + c - b * 2.0) / (h * h)).norm() < 5.0);
            // The ground takes the foot along by the drag and no further.
            let far = (swing.dragged(0.55)[usize::from(side < 0.0)] - cycle).abs();
            assert!((far - 0.05).abs() < 1e-4, "{far}");
        }
        // ease(5/6) leaves 3.5 % of either end in the middle.
        let modal_middle = modal(0.55) - place(0.55);
        assert!(
            modal_middle.norm() < 0.075 * (left - lands).norm().max(10.0),
            "in the middle it is left to the vibrations"
        );
        // The foot stands on the ground at both ends and is well above it in between.
        assert_eq!(swing.clear(0.3, 0.0), 0.0);
        assert!(swing.clear(0.8, 0.0).abs() < 1e-15);
        assert!(swing.clear(0.55, -0.2) > 0.05);
        assert!((swing.clear(0.55, 0.5) - 0.5).abs() < 2e-3, "far above, it is left alone");
    }
}

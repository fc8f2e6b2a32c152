//! Where a foot is, and how it moves with the joints.
//!
//! A foot stands by three numbers: the horizontal place of its planted point, and the height of its lowest point above
//! the plane of the ground there. A paw may roll and a heel may rise: the planted point does not slide, and nothing sinks
//! into the ground.

use gambol_dynamics::{BodyFrame, Data, each_axis_above};
use gambol_model::{Creature, Vec3, math};

use crate::{FootholdSettings, Leg, ObeySettings};

/// The ground at a foot: the plane through the point below its planted point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    /// m
    pub(super) height: f64,
    /// Unit vector.
    pub(super) normal: Vec3,
    /// How much the height of a foot is that of its planted point, 0 to 1, rather than of its lowest. A foot stands by its
    /// lowest point; one that swings could hang by its heel as well as by its toes, and would flip between the two.
    pub(super) aloft: f64,
    /// How far from both ends of its swing a foot is, 0 to 1: the further, the more softly it goes over from one corner to
    /// the next.
    pub(super) loose: f64,
    /// How far the planted point is above the lowest in the modal motion, m: what is taken off its height aloft.
    pub(super) sole: f64,
}

impl Local {
    /// z = 0
    pub(super) fn level() -> Self {
        Self { height: 0.0, normal: Vec3::z(), aloft: 0.0, loose: 0.0, sole: 0.0 }
    }

    /// The same plane, through the point above or below `other` instead of `place`.
    pub(super) fn plane_at(&self, place: Vec3, other: Vec3) -> Self {
        let rise =
            -(self.normal.x * (other.x - place.x) + self.normal.y * (other.y - place.y)) / self.normal.z;
        Self { height: self.height + rise, ..*self }
    }
}

/// Where a sole lies about its planted point, m: along the way and across it. Nothing for the tip of a paw.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sole {
    /// From heel to toe.
    pub(super) along: [f64; 2],
    /// From right to left.
    pub(super) across: [f64; 2],
    /// The ankle over the planted point where the foot lies flat: ahead, left, up.
    pub(super) ankle: Vec3,
}

impl Sole {
    /// Where it is pressed when the share `s` of the stance is over: the middle, and how far the push may wander, as levers of
    /// its moments about the axes of the ground frame. It rolls from heel to toe; when the heel is up, the toes are left.
    pub(super) fn pressed(&self, s: f64, forward: &Vec3, settings: &ObeySettings) -> (Vec3, Vec3) {
        let [heel, toe] = self.along;
        let [right, left] = self.across;
        let [first, last] = settings.rolls;
        let at = heel + (toe - heel) * (first + (last - first) * s);
        // What is left on the nearer side.
        let length = (at - heel).min(toe - at);
        let width = 0.5 * (left - right);
        let aside = Vec3::z().cross(forward);
        let middle = forward * at + aside * (0.5 * (left + right));
        // A push ahead of the middle turns about the axis to the left, one to the left about that ahead.
        let about = |axis: Vec3| (axis.dot(forward) * width).abs() + (axis.dot(&aside) * length).abs();
        // A ring of friction of the mean radius.
        let twist = settings.friction * 0.5 * (length + width);
        (middle, Vec3::new(about(Vec3::x()), about(Vec3::y()), twist))
    }
}

/// exp(−37) is less than the rounding of 1.
const NOTHING: f64 = 37.0;

/// A foot in the world.
pub(super) struct Stand {
    /// The planted point, m; its z is the height of the foot above the ground.
    pub(super) place: Vec3,
    ground: Local,
    /// Per touch of the sole: where its lowest point is, and its share in the lowest height.
    shares: Vec<(Vec3, f64)>,
}

impl Stand {
    pub(super) fn new(leg: &Leg, frames: &[BodyFrame], ground: &Local, settings: &FootholdSettings) -> Self {
        let planted = frames[leg.foot].point_in_world(leg.point);
        let below = Vec3::new(planted.x, planted.y, ground.height);
        let lowest: Vec<Vec3> =
            leg.sole.iter().map(|touch| touch.lowest_point(&frames[touch.body], ground.normal)).collect();
        let heights: Vec<f64> = lowest.iter().map(|low| (low - below).dot(&ground.normal)).collect();
        // Soft minimum: −τ ln Σ exp(−z/τ), never above the true one; a flat sole of N corners floats by τ ln N.
        let blend = settings.blend + (settings.blend_aloft - settings.blend) * ground.loose;
        let tau = blend * leg.length.max(1e-9);
        let least = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let weight = |height: &f64| {
            let above = (height - least) / tau;
            if above < NOTHING { math::exp(-above) } else { 0.0 }
        };
        let weights: Vec<f64> = heights.iter().map(weight).collect();
        let sum: f64 = weights.iter().sum();
        let planted_height = (planted - below).dot(&ground.normal) - ground.sole;
        let height = (1.0 - ground.aloft) * (least - tau * math::ln(sum)) + ground.aloft * planted_height;
        let place = Vec3::new(planted.x, planted.y, height);
        let shares =
            lowest.into_iter().zip(weights).map(|(low, w)| (low, (1.0 - ground.aloft) * w / sum)).collect();
        Self { place, ground: *ground, shares }
    }

    /// Jacobian of `place` by velocity coordinates: three rows of `nv` each, written into `rows`.
    pub(super) fn rows(&self, creature: &Creature, data: &Data, leg: &Leg, rows: &mut [f64]) {
        let nv = creature.nv();
        rows.fill(0.0);
        let planted = data.frames[leg.foot].point_in_world(leg.point);
        each_axis_above(creature, data, leg.foot, |dof, angular, linear, origin| {
            let moves = linear + angular.cross(&(planted - origin));
            rows[dof] = moves.x;
            rows[nv + dof] = moves.y;
            // The plane goes with the planted point.
            let Local { normal, aloft, .. } = self.ground;
            rows[2 * nv + dof] = aloft * moves.dot(&normal) - (normal.x * moves.x + normal.y * moves.y);
        });
        // The lowest point of a round piece wanders, but its height moves as if it were fixed to the body.
        // Touches of one body stand together: with S = Σ share they move by S v + ω × Σ share (low − origin).
        let mut touches = leg.sole.iter().zip(&self.shares).peekable();
        while let Some((touch, (low, share))) = touches.next() {
            let (mut shares, mut lows) = (*share, low * *share);
            while let Some((_, (low, share))) = touches.next_if(|(next, _)| next.body == touch.body) {
                shares += share;
                lows += low * *share;
            }
            if shares < 1e-6 {
                continue;
            }
            each_axis_above(creature, data, touch.body, |dof, angular, linear, origin| {
                let moves = linear * shares + angular.cross(&(lows - origin * shares));
                rows[2 * nv + dof] += moves.dot(&self.ground.normal);
            });
        }
    }
}

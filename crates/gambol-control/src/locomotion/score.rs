//! What a cycle is worth: objective, easy constraints and how far it is from repeating itself (Nunes et al. 2012, section 6
//! and appendix A).

use crate::sketch::{PAPER_SIZE, Stage};
use gambol_model::math;

/// Names of the easy constraints, E1 to E9.
pub const CONSTRAINTS: [&str; 9] = [
    "forward speed at all times",
    "mean velocity",
    "joint velocities",
    "effort",
    "priority modes",
    "upright",
    "stance",
    "toe height",
    "toe stub",
];

/// w₀ of the objective, where the effort may be the paper's, and w_s of the easy constraints: any w_s that is large enough
/// does, as these end at zero.
pub const WEIGHT_OBJECTIVE: f64 = 1e-5;
/// See [`WEIGHT_OBJECTIVE`].
pub const WEIGHT_EASY: f64 = 1e10 * WEIGHT_OBJECTIVE;

/// How a cycle is judged. Where no other origin is given, a number was found by trying, on the sketches of the gallery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgeSettings {
    /// h, the height of the barrier at a threshold. Default: 1, as in the paper.
    pub barrier: f64,
    /// What one would notice of each easy constraint, E1 to E9: m/s, m/s, rad/s, parts of the most effort, rad, m, m, m, m.
    /// Default: 0.1, 0.1, 1, 0.05, 0.02, 0.02, 0.002 (a foot that touches is 1 mm from the threshold), 0.005, 0.01.
    pub units: [f64; 9],
    /// Margins before the thresholds from which on a constraint is followed, in such units. Default: ½.
    pub margin: f64,
    /// How much faster than the body rises the toe may, m/s. Default: 0.1; E8 is about taking off, not about drawing up the
    /// leg.
    pub most_drawn: f64,
    /// Widths over which conditions of E8 fade: sinking and rising, m/s; the toe behind the body, m/s; the heel above the
    /// toe, m. Default: 0.1, 0.2, 0.2, 0.02.
    pub fades: [f64; 4],
    /// A foot that is this far above the ground, m, is no longer about to touch it. Default: 0.01.
    pub low: f64,
    /// Steps that a constraint has to be violated for to count as much as another one that is not added up over a cycle.
    /// Default: 8.
    pub moment: usize,
    /// Besides what it costs not to be upright, each step that was not simulated costs this. Default: 4.
    pub lost: f64,
}

impl Default for JudgeSettings {
    fn default() -> Self {
        Self {
            barrier: 1.0,
            units: [0.1, 0.1, 1.0, 0.05, 0.02, 0.02, 0.002, 0.005, 0.01],
            margin: 0.5,
            most_drawn: 0.1,
            fades: [0.1, 0.2, 0.2, 0.02],
            low: 0.01,
            moment: 8,
            lost: 4.0,
        }
    }
}

/// Thresholds of the easy constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// E1: forward speed of the centre of mass at any time, m/s.
    pub least_speed_ever: f64,
    /// E2: its mean forward, m/s.
    pub least_speed: f64,
    /// E2: its mean sideways and upwards, m/s.
    pub most_drift: f64,
    /// E3: of any joint, rad/s.
    pub most_rate: f64,
    /// E4: mean of the sum of squared active torques, N²m².
    pub most_effort: f64,
    /// E7: gap under the foot that thrusts, m.
    pub most_gap: f64,
    /// E8: way of the toe upwards as it leaves the ground, m.
    pub least_lift: f64,
}

impl Limits {
    /// Those of the paper, with the speed and the effort of the sketch, and by its size.
    pub fn new(stage: &Stage) -> Self {
        let size = stage.size / PAPER_SIZE;
        let pace = size.sqrt();
        Self {
            least_speed_ever: 0.25 * stage.least_speed,
            least_speed: stage.least_speed,
            most_drift: 0.25 * pace,
            most_rate: 20.0 / pace,
            most_effort: stage.most_effort,
            most_gap: 0.001 * size,
            least_lift: 0.02 * size,
        }
    }
}

/// One easy constraint, as it is added up over a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    /// E, with its barriers.
    pub(super) value: f64,
    /// Sum of the squares of what is missing, in units, from a margin before the threshold on.
    short: f64,
    /// What one would notice.
    unit: f64,
    /// In units.
    margin: f64,
    barrier: f64,
}

impl Term {
    pub(super) fn new(unit: f64, margin: f64, barrier: f64) -> Self {
        Self { value: 0.0, short: 0.0, unit, margin, barrier }
    }

    /// Adds Q_u: 0 from the threshold on, a parabola on a barrier below it.
    pub(super) fn at_least(&mut self, x: f64, threshold: f64) {
        self.at_least_if(true, 1.0, x, threshold);
    }

    /// The same under a condition, and what is short with a share that fades where that begins to hold.
    pub(super) fn at_least_if(&mut self, holds: bool, share: f64, x: f64, threshold: f64) {
        if holds && x < threshold {
            self.value += math::square(threshold - x) + self.barrier;
        }
        self.short += share.max(0.0) * math::square(((threshold - x) / self.unit + self.margin).max(0.0));
    }

    /// What is short is that of another number.
    pub(super) fn followed_by(&mut self, x: f64, threshold: f64) {
        self.short = 0.0;
        self.at_least_if(false, 1.0, x, threshold);
    }

    /// Adds Q_u(−d, −ε): the same from above.
    pub(super) fn at_most(&mut self, x: f64, threshold: f64) {
        self.at_least(-x, -threshold);
    }

    /// Adds Q_b: within ±threshold.
    pub(super) fn within(&mut self, x: f64, threshold: f64) {
        self.at_most(x, threshold);
        self.at_most(-x, threshold);
    }

    /// What is short, in units: the root of the mean square over so many steps.
    pub(super) fn shortage(&self, steps: usize) -> f64 {
        (self.short / steps as f64).sqrt()
    }
}

/// What a cycle is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Mean forward speed, m/s.
    pub speed: f64,
    /// E_e, mean of the sum of squared active torques, N²m².
    pub effort: f64,
    /// w₀: in proportion to the paper's where more effort is allowed.
    pub weight: f64,
    /// E1 to E9, unweighted; 0 where one is met.
    pub easy: [f64; 9],
    /// How far each easy constraint is from a margin before its threshold, in units of what one would notice; 0 beyond the
    /// margin. It has no jumps, so that it can be followed where constraints are nearly met.
    pub short: [f64; 9],
    /// φ: end of the cycle (mirrored, of half of one) less its start. Poses first, without x and y, then velocities.
    pub gap: Vec<f64>,
}

impl Score {
    /// E_v E_e, with E_v = 1/v².
    pub fn product(&self) -> f64 {
        self.effort / (self.speed * self.speed).max(1e-6)
    }

    /// w₀ E_v E_e.
    pub fn price(&self) -> f64 {
        self.weight * self.product()
    }

    /// f = w₀ E_v E_e + w_s Σ E_s.
    pub fn value(&self) -> f64 {
        self.price() + WEIGHT_EASY * self.easy.iter().sum::<f64>()
    }

    /// Whether all easy constraints are met.
    pub fn is_easy(&self) -> bool {
        self.easy.iter().all(|easy| *easy == 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equation 7, from both sides.
    #[test]
    fn thresholds_are_barriers() {
        let of = |add: &dyn Fn(&mut Term)| {
            let mut term = Term::new(0.1, 1.0, 1.0);
            add(&mut term);
            (term.value, term.shortage(1))
        };
        assert_eq!(of(&|term| term.at_least(2.1, 2.0)).0, 0.0);
        assert!(of(&|term| term.at_least(2.1, 2.0)).1 < 1e-12);
        assert_eq!(of(&|term| term.at_least(1.5, 2.0)).0, 1.25);
        assert!((of(&|term| term.at_least(1.5, 2.0)).1 - 6.0).abs() < 1e-12);
        assert_eq!(of(&|term| term.at_most(0.3, 0.25)).0, 1.0 + math::square(0.3 - 0.25));
        assert_eq!(of(&|term| term.at_most(0.2, 0.25)).0, 0.0);
        assert_eq!(of(&|term| term.within(-21.0, 20.0)).0, 2.0);
        assert_eq!(of(&|term| term.within(21.0, 20.0)).0, 2.0);
        assert_eq!(of(&|term| term.within(19.0, 20.0)).0, 0.0);
    }
}

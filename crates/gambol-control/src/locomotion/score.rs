//! What a cycle is worth: objective, easy constraints and how far it is from repeating itself (Nunes et al. 2012, section 6
//! and appendix A).

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

/// w₀ of the objective and w_s of the easy constraints: any w_s that is large enough does, as these end at zero.
pub const WEIGHT_OBJECTIVE: f64 = 1e-5;
/// See [`WEIGHT_OBJECTIVE`].
pub const WEIGHT_EASY: f64 = 1e10 * WEIGHT_OBJECTIVE;

/// h, the height of the barrier at a threshold.
const BARRIER: f64 = 1.0;

/// Thresholds of the easy constraints; the defaults are the paper's.
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

impl Default for Limits {
    fn default() -> Self {
        Self {
            least_speed_ever: 0.5,
            least_speed: 2.0,
            most_drift: 0.25,
            most_rate: 20.0,
            most_effort: 500_000.0,
            most_gap: 0.001,
            least_lift: 0.02,
        }
    }
}

/// Q_u: 0 from the threshold on, a parabola on a barrier below it.
pub(super) fn at_least(x: f64, threshold: f64) -> f64 {
    if x < threshold { (threshold - x).powi(2) + BARRIER } else { 0.0 }
}

/// Q_u(−d, −ε): the same from above.
pub(super) fn at_most(x: f64, threshold: f64) -> f64 {
    at_least(-x, -threshold)
}

/// Q_b: within ±threshold.
pub(super) fn within(x: f64, threshold: f64) -> f64 {
    at_most(x, threshold) + at_most(-x, threshold)
}

/// What a cycle is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Mean forward speed, m/s.
    pub speed: f64,
    /// E_e, mean of the sum of squared active torques, N²m².
    pub effort: f64,
    /// E1 to E9, unweighted; 0 where one is met.
    pub easy: [f64; 9],
    /// φ: end of the cycle (mirrored, of half of one) less its start. Poses first, without x and y, then velocities.
    pub gap: Vec<f64>,
}

impl Score {
    /// E_v E_e, with E_v = 1/v².
    pub fn product(&self) -> f64 {
        self.effort / (self.speed * self.speed).max(1e-6)
    }

    /// f = w₀ E_v E_e + w_s Σ E_s.
    pub fn value(&self) -> f64 {
        WEIGHT_OBJECTIVE * self.product() + WEIGHT_EASY * self.easy.iter().sum::<f64>()
    }

    /// W = f + λᵀφ + k φᵀφ.
    pub fn augmented(&self, multipliers: &[f64], penalty: f64) -> f64 {
        let linear: f64 = self.gap.iter().zip(multipliers).map(|(gap, multiplier)| gap * multiplier).sum();
        let square: f64 = self.gap.iter().map(|gap| gap * gap).sum();
        self.value() + linear + penalty * square
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
        assert_eq!(at_least(2.0, 2.0), 0.0);
        assert_eq!(at_least(1.5, 2.0), 1.25);
        assert_eq!(at_most(0.3, 0.25), 1.0 + 0.05_f64.powi(2));
        assert_eq!(at_most(0.2, 0.25), 0.0);
        assert_eq!(within(-21.0, 20.0), 2.0);
        assert_eq!(within(21.0, 20.0), 2.0);
        assert_eq!(within(19.0, 20.0), 0.0);
    }
}

//! How modes are computed, and how they are damped.

use gambol_model::Constraint;
use gambol_motion::Direction;

/// How modes are computed.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How many modes, the rigid ones included; all if not given.
    pub count: Option<usize>,
    /// Constraints for this analysis, besides the creature's own.
    pub constraints: Vec<Constraint>,
}

/// Rayleigh damping C = a M + b K: every mode i has the damping ratio ζ = (a/ω + b ω)/2.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// a, 1/s
    pub mass: f64,
    /// b, s
    pub stiffness: f64,
}

impl Damping {
    /// Damping ratio ζ of a vibration; 1 is critical. `None` for a motion that meets no spring.
    pub fn ratio(self, mode: &Direction) -> Option<f64> {
        let omega = mode.omega_squared?.sqrt();
        (omega > 0.0).then(|| 0.5 * (self.mass / omega + self.stiffness * omega))
    }

    /// Frequency at which it rings, Hz: ω √(1 − ζ²) / 2π; 0 if it is overdamped or meets no spring.
    pub fn frequency(self, mode: &Direction) -> f64 {
        let ratio = self.ratio(mode).unwrap_or(0.0);
        mode.frequency().unwrap_or(0.0) * (1.0 - ratio * ratio).max(0.0).sqrt()
    }

    /// Time in which its amplitude falls to 1/e, s: 1 / (ζ ω); infinite without damping.
    pub fn decay_time(self, mode: &Direction) -> f64 {
        1.0 / (self.ratio(mode).unwrap_or(0.0) * mode.omega_squared.unwrap_or(0.0).sqrt())
    }
}

//! Modes and settings.

use gambol_model::Constraint;

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

/// One natural motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Position in the list; the first vibration of a free creature is 6.
    pub index: usize,
    /// λ = ω², rad²/s²; exactly 0 for a rigid motion.
    pub eigenvalue: f64,
    /// Tangent vector, nv numbers; its largest joint angle (or slide, in m) is 1. A rigid motion has no joint angles
    /// and is scaled to 1 m or 1 rad.
    pub shape: Vec<f64>,
}

impl Mode {
    /// Frequency in Hz; exactly 0 for a rigid motion.
    pub fn frequency(&self) -> f64 {
        self.eigenvalue.sqrt() / std::f64::consts::TAU
    }

    /// Whether it moves the creature without bending it.
    pub fn is_rigid(&self) -> bool {
        self.eigenvalue == 0.0
    }

    /// Damping ratio ζ under Rayleigh damping; 1 is critical. `None` for a rigid motion.
    pub fn damping_ratio(&self, damping: Damping) -> Option<f64> {
        let omega = self.eigenvalue.sqrt();
        (omega > 0.0).then(|| 0.5 * (damping.mass / omega + damping.stiffness * omega))
    }

    /// Frequency at which it rings under Rayleigh damping, Hz: ω √(1 − ζ²) / 2π; 0 if it is overdamped.
    pub fn damped_frequency(&self, damping: Damping) -> f64 {
        let ratio = self.damping_ratio(damping).unwrap_or(0.0);
        self.frequency() * (1.0 - ratio * ratio).max(0.0).sqrt()
    }

    /// Time in which its amplitude falls to 1/e, s: 1 / (ζ ω); infinite without damping.
    pub fn decay_time(&self, damping: Damping) -> f64 {
        1.0 / (self.damping_ratio(damping).unwrap_or(0.0) * self.eigenvalue.sqrt())
    }
}

/// The natural motions of a creature about a pose.
#[derive(Clone, Debug)]
pub struct Modes {
    /// Degrees of freedom: coordinates less independent constraint rows.
    pub dof: usize,
    /// How many of the modes are rigid; they come first.
    pub rigid: usize,
    /// Ascending by frequency; all `dof` of them, or as many as were asked for.
    pub modes: Vec<Mode>,
    /// The pose they belong to.
    pub pose: Vec<f64>,
}

impl Modes {
    /// The vibrations, without the rigid motions.
    pub fn vibrations(&self) -> &[Mode] {
        &self.modes[self.rigid.min(self.modes.len())..]
    }
}

//! One mode as an oscillator: q̈ + γ q̇ + ω² q = f (Diener et al. 2009, equation 8, with a modal mass of 1).

use gambol_model::math;

/// How an oscillator goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stepping {
    /// Exactly, for a force that stays the same during the step; whatever the step.
    #[default]
    Exact,
    /// By the paper's explicit step (section 3.3), which explodes once ω·dt > 2.
    Explicit,
}

/// One step of an oscillator as six numbers: q′ = a q + b q̇ + c f, q̇′ = d q + e q̇ + g f.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OscillatorStep {
    /// What becomes of the displacement: of q, q̇ and f.
    pub place: [f64; 3],
    /// What becomes of the velocity: of q, q̇ and f.
    pub speed: [f64; 3],
}

impl OscillatorStep {
    /// With ω² (rad²/s²), γ (1/s) and the step in s.
    pub fn new(omega_squared: f64, gamma: f64, step: f64, stepping: Stepping) -> Self {
        match stepping {
            Stepping::Exact => Self::exact(omega_squared, gamma, step),
            Stepping::Explicit => Self::explicit(omega_squared, gamma, step),
        }
    }

    /// With x = q − f/ω² the motion is free: x = e^(−γt/2) (c + …), c and s being cosine and sine, or their hyperbolic
    /// brothers where γ is more than critical.
    fn exact(omega_squared: f64, gamma: f64, step: f64) -> Self {
        let half = 0.5 * gamma;
        let difference = omega_squared - half * half;
        // e^(−σh) cos and e^(−σh) sin/ω_d
        let (c, s) = if difference > 0.0 {
            let damped = difference.sqrt();
            let (sin, cos) = math::sin_cos(damped * step);
            let decay = math::exp(-half * step);
            (decay * cos, decay * sin / damped)
        } else if difference < 0.0 {
            let k = (-difference).sqrt();
            let (slow, fast) = (math::exp((k - half) * step), math::exp(-(k + half) * step));
            (0.5 * (slow + fast), 0.5 * (slow - fast) / k)
        } else {
            let decay = math::exp(-half * step);
            (decay, decay * step)
        };
        let (qq, vq) = (c + half * s, -omega_squared * s);
        Self { place: [qq, s, (1.0 - qq) / omega_squared], speed: [vq, c - half * s, -vq / omega_squared] }
    }

    fn explicit(omega_squared: f64, gamma: f64, step: f64) -> Self {
        let speed = [-step * omega_squared, 1.0 - step * gamma, step];
        Self { place: [1.0 + step * speed[0], step * speed[1], step * speed[2]], speed }
    }

    /// The next state of `[q, q̇]` under the force f.
    pub fn apply(&self, [q, v]: [f64; 2], f: f64) -> [f64; 2] {
        let row = |[a, b, c]: [f64; 3]| a * q + b * v + c * f;
        [row(self.place), row(self.speed)]
    }
}

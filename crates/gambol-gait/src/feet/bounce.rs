//! The rise and fall of the centre of mass that the feet's pushes imply.
//!
//! Each stance pushes with F(s) ∝ sin πs + q sin 3πs, s from 0 to 1 over the stance: two humps for a walk (q > 0), one
//! for a run (Alexander and Jayes 1978). Over a cycle all pushes together carry the weight, so the centre of mass
//! accelerates by g (F/mg − 1): double integration in Fourier space gives its height up to a constant. In flight that
//! is a parabola, in a walk the body is highest over the standing leg, in a run lowest.

use std::f64::consts::{PI, TAU};

use gambol_model::math;

use crate::stance::Stance;

/// Harmonics kept; the n-th shrinks with n⁻² by integration and n⁻² by the smoothness of F.
const BOUNCE_HARMONICS: usize = 8;

/// Height over the cycle, m, as cosine and sine coefficients from the first harmonic on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounce {
    waves: Vec<[f64; 2]>,
}

impl Bounce {
    /// For `stances` of a gait of `frequency` cycles per second under gravity `g`; `humps` is q of a slow walk
    /// ([`crate::FeetSettings::push_humps`]).
    pub(crate) fn new(stances: &[Stance], frequency: f64, g: f64, humps: f64) -> Self {
        /// Of the pushes over a cycle: thirty-two times the highest harmonic.
        const PUSH_SAMPLES: usize = 256;
        let push = |cycle: f64| stances.iter().map(|stance| push(stance, cycle, humps)).sum::<f64>();
        let pushes: Vec<f64> = (0..PUSH_SAMPLES).map(|k| push(k as f64 / PUSH_SAMPLES as f64)).collect();
        let mean = pushes.iter().sum::<f64>() / PUSH_SAMPLES as f64;
        if mean <= 0.0 {
            return Self::default();
        }
        let wave = |n: usize| {
            let (mut cosine, mut sine) = (0.0, 0.0);
            for (k, f) in pushes.iter().enumerate() {
                let angle = TAU * (n * k) as f64 / PUSH_SAMPLES as f64;
                cosine += f / mean * math::cos(angle);
                sine += f / mean * math::sin(angle);
            }
            let omega = TAU * frequency * n as f64;
            let scale = -g / (omega * omega) * 2.0 / PUSH_SAMPLES as f64;
            [cosine * scale, sine * scale]
        };
        Self { waves: (1..=BOUNCE_HARMONICS).map(wave).collect() }
    }

    /// Height at `cycle`, m, with mean 0.
    pub(crate) fn height(&self, cycle: f64) -> f64 {
        let wave = |(n, [c, s]): (usize, &[f64; 2])| {
            let angle = TAU * (n + 1) as f64 * cycle;
            c * math::cos(angle) + s * math::sin(angle)
        };
        self.waves.iter().enumerate().map(wave).sum()
    }

    /// Highest less lowest, m.
    pub(crate) fn range(&self) -> f64 {
        let heights = (0..64).map(|k| self.height(f64::from(k) / 64.0));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
        (high - low).max(0.0)
    }

    /// The same, less high: for a body whose legs cannot follow.
    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        for wave in &mut self.waves {
            *wave = wave.map(|x| x * factor);
        }
        self
    }
}

/// Push of one stance at `cycle`; every stance gives the same impulse.
fn push(stance: &Stance, cycle: f64, humps: f64) -> f64 {
    let duration = stance.end - stance.start;
    let since = cycle - stance.start;
    let s = (since - since.floor()) / duration;
    if s >= 1.0 {
        return 0.0;
    }
    // From one hump at half the cycle to two at two thirds.
    let q = humps * ((duration - 0.5) / 0.15).clamp(0.0, 1.0);
    // ∫ F ds = (2 + 2q/3)/π
    (math::sin(PI * s) + q * math::sin(3.0 * PI * s)) / (duration * (1.0 + q / 3.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hop(duty: f64) -> Vec<Stance> {
        vec![Stance { leg: 0, start: 0.2, end: 0.2 + duty }]
    }

    #[test]
    fn flight_is_a_parabola() {
        // Between lift-off and touchdown the second difference of height is that of free fall.
        let (frequency, duty) = (2.0, 0.4);
        let bounce = Bounce::new(&hop(duty), frequency, 9.81, 0.4);
        let h = 0.05;
        let middle = 0.2 + duty + 0.5 * (1.0 - duty);
        let second =
            (bounce.height(middle + h) - 2.0 * bounce.height(middle) + bounce.height(middle - h)) / (h * h);
        let fall = -9.81 / (frequency * frequency);
        assert!(
            (second / fall - 1.0).abs() < 0.05,
            "the harmonics left out are a few percent: {second} {fall}"
        );
    }

    #[test]
    fn a_runner_is_low_over_its_foot_and_a_walker_high() {
        let two = |duty: f64| {
            vec![Stance { leg: 0, start: 0.0, end: duty }, Stance { leg: 1, start: 0.5, end: 0.5 + duty }]
        };
        let run = Bounce::new(&two(0.35), 1.5, 9.81, 0.4);
        assert!(run.height(0.175) < run.height(0.175 + 0.25));
        let walk = Bounce::new(&two(0.65), 1.0, 9.81, 0.4);
        assert!(walk.height(0.325) > walk.height(0.325 + 0.25));
    }
}

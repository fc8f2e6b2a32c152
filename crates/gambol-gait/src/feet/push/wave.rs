//! One shape of one push, and what it does to the centre of mass.

use std::f64::consts::PI;

use gambol_model::math;

/// One shape of one push: sin(bπs) over a stance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wave {
    /// Index of its foot.
    pub(super) pusher: usize,
    pub(super) start: f64,
    /// In cycles.
    pub(super) duration: f64,
    /// b
    pub(super) halves: f64,
}

impl Wave {
    pub(super) fn value(&self, cycle: f64) -> f64 {
        let s = (cycle - self.start).rem_euclid(1.0) / self.duration;
        if s < 1.0 { math::sin(self.halves * PI * s) } else { 0.0 }
    }

    /// Over the cycle.
    pub(super) fn mean(&self) -> f64 {
        self.duration * (1.0 - math::cos(self.halves * PI)) / (self.halves * PI)
    }

    /// The periodic function of mean zero whose second derivative by the cycle is the wave less its mean.
    pub(super) fn twice_integrated(&self, cycle: f64) -> f64 {
        // With u = cycle − start in 0..1, d the duration and k = bπ/d, integrated from u = 0 on:
        //   once (1 − cos ku)/k, constant after d;   twice u/k − sin(ku)/k², linear after d.
        let u = (cycle - self.start).rem_euclid(1.0);
        let (d, k) = (self.duration, self.halves * PI / self.duration);
        let mean = (1.0 - math::cos(k * d)) / k;
        let second = |u: f64| {
            let inside = u.min(d);
            inside / k - math::sin(k * inside) / (k * k) + mean * (u - inside)
        };
        // Less the parabola of the mean, and with the slope that closes the cycle.
        let slope = 0.5 * mean - second(1.0);
        let value = second(u) - 0.5 * mean * u * u + slope * u;
        // ∫ of `second` over the stance and after it, of the parabola and of the slope.
        let rest = 1.0 - d;
        let inside = d * d / (2.0 * k) - (1.0 - math::cos(k * d)) / (k * k * k);
        let outside = second(d) * rest + 0.5 * mean * rest * rest;
        value - (inside + outside - mean / 6.0 + 0.5 * slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_integrates_twice_to_itself() {
        for halves in [1.0, 2.0, 3.0, 4.0] {
            let wave = Wave { pusher: 0, start: 0.7, duration: 0.4, halves };
            let h = 1e-4;
            let mut mean = 0.0;
            for k in 0..1000 {
                let at = (f64::from(k) + 0.5) / 1000.0;
                let [before, now, after] = [at - h, at, at + h].map(|at| wave.twice_integrated(at));
                mean += now / 1000.0;
                // Differences lose 1e-16/h², and err by h² times the fourth derivative, or by h times the kink at the ends.
                let second = (before + after - 2.0 * now) / (h * h);
                let expected = wave.value(at) - wave.mean();
                assert!(
                    (second - expected).abs() < 2e-3 * (1.0 + halves),
                    "{halves} {at}: {second} {expected}"
                );
            }
            assert!(mean.abs() < 1e-6, "{mean}");
        }
    }
}

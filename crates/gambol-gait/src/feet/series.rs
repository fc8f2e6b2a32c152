//! What recurs every cycle, known at even moments of it: its Fourier series, integrated and looked up between them.

use std::f64::consts::{PI, TAU};

use gambol_model::{Vec3, math};
use nalgebra::{Complex, DMatrix};

/// The circular kernel that integrates what has mean zero and is sampled `n` times over a cycle of `period` s: `times` is 1
/// or 2. The result has mean zero.
pub(super) fn integrator(n: usize, times: usize, period: f64) -> Vec<f64> {
    let at = |k: usize| {
        let wave = |h: usize| {
            let (angle, omega) = (TAU * (h * k % n) as f64 / n as f64, TAU * h as f64 / period);
            // Twice the real part of e^{iωt}/(iω)^times.
            match times {
                1 => 2.0 * math::sin(angle) / omega,
                _ => -2.0 * math::cos(angle) / (omega * omega),
            }
        };
        (1..n.div_ceil(2)).map(wave).sum::<f64>() / n as f64
    };
    (0..n).map(at).collect()
}

/// Σ_j kernel(k − j) values(j).
pub(super) fn convolved(kernel: &[f64], values: &[Vec3]) -> Vec<Vec3> {
    let n = kernel.len();
    (0..n).map(|k| (0..n).map(|j| values[j] * kernel[(k + n - j) % n]).sum()).collect()
}

/// Every `step`-th row of the matrix that convolves columns.
pub(super) fn convolution(kernel: &[f64], step: usize) -> DMatrix<f64> {
    let n = kernel.len();
    DMatrix::from_fn(n.div_ceil(step), n, |row, j| kernel[(row * step + n - j) % n])
}

/// Weight of each of `n` samples for the value at `cycle`, by the Fourier series without its highest harmonics: from
/// `kept` of the `n/2` on they fade, so that nothing rings.
///
/// (1 + 2 Σ share(h) cos hθ)/n with shares 1 up to the h-th harmonic that is kept in full, and ½ + ½ cos(αh − β) from there on: sums of
/// cosines in closed form, since a script has many harmonics.
pub(super) fn look_up(n: usize, kept: f64, cycle: f64) -> Vec<f64> {
    let last = n.div_ceil(2) as f64; // the first harmonic that is left out
    let full = (kept * last).floor();
    let (alpha, beta) = (PI / (last * (1.0 - kept)), PI * kept / (1.0 - kept));
    let (theta, step) = (TAU * (cycle - cycle.floor()), TAU / n as f64);
    let mut sums = [
        Cosines::new([1.0, full], 0.0, theta, -step),
        Cosines::new([1.0, last - 1.0], 0.0, theta, -step),
        Cosines::new([full + 1.0, last - 1.0], beta, alpha + theta, -step),
        Cosines::new([full + 1.0, last - 1.0], beta, alpha - theta, step),
    ];
    let mut weight = || {
        let [full, all, up, down] = sums.each_mut().map(Cosines::next);
        (1.0 + full + all + 0.5 * (up + down)) / n as f64
    };
    (0..n).map(|_| weight()).collect()
}

/// Σ cos(hφ − β) over harmonics h at even steps of φ, where all angles of the closed form turn by the same from one to the next.
struct Cosines {
    /// The first and the last harmonic.
    harmonics: [f64; 2],
    beta: f64,
    phi: f64,
    step: f64,
    /// At half of φ, half of φ times the number of harmonics, and the mean harmonic times φ, less β; …
    turned: [Complex<f64>; 3],
    /// … and what they turn by.
    turns: [Complex<f64>; 3],
}

impl Cosines {
    fn new(harmonics: [f64; 2], beta: f64, phi: f64, step: f64) -> Self {
        let [first, last] = harmonics;
        let angles = |of: f64, beta: f64| {
            [0.5 * of, 0.5 * (last - first + 1.0) * of, 0.5 * (first + last) * of - beta]
        };
        let turn = |angle: f64| Complex::new(math::cos(angle), math::sin(angle));
        let (turned, turns) = (angles(phi, beta).map(turn), angles(step, 0.0).map(turn));
        Self { harmonics, beta, phi, step, turned, turns }
    }

    /// The sum, and on to the next φ.
    fn next(&mut self) -> f64 {
        let [half, count, mean] = self.turned;
        let [first, last] = self.harmonics;
        // Rounding has added up, and there is divided by something small.
        let sum = if half.im.abs() < 1e-3 {
            cosines(first, last, self.phi, self.beta)
        } else {
            count.im / half.im * mean.re
        };
        self.phi += self.step;
        for (turned, turn) in self.turned.iter_mut().zip(self.turns) {
            *turned *= turn;
        }
        sum
    }
}

/// Σ cos(hφ − β) over h from `first` to `last`.
fn cosines(first: f64, last: f64, phi: f64, beta: f64) -> f64 {
    let count = last - first + 1.0;
    if count <= 0.0 {
        return 0.0;
    }
    let phi = phi - TAU * (phi / TAU).round();
    let half = math::sin(0.5 * phi);
    // Where they do not turn all are alike; what is left out there is below the square of this times count².
    let amount = if half.abs() < 1e-9 { count } else { math::sin(0.5 * count * phi) / half };
    amount * math::cos(0.5 * (first + last) * phi - beta)
}

/// Σ weights · rows.
pub(super) fn mixed(weights: &[f64], rows: &[Vec<f64>]) -> Vec<f64> {
    let mut sum = vec![0.0; rows[0].len()];
    for (weight, row) in weights.iter().zip(rows) {
        for (s, x) in sum.iter_mut().zip(row) {
            *s += weight * x;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrals_of_waves_are_waves() {
        let (n, period) = (48, 0.8);
        let omega = TAU * 3.0 / period;
        let at = |k: usize| period * k as f64 / n as f64;
        let wave: Vec<Vec3> = (0..n).map(|k| Vec3::x() * math::sin(omega * at(k))).collect();
        let once = convolved(&integrator(n, 1, period), &wave);
        let twice = convolved(&integrator(n, 2, period), &wave);
        for k in 0..n {
            assert!((once[k].x + math::cos(omega * at(k)) / omega).abs() < 1e-14);
            assert!((twice[k].x + math::sin(omega * at(k)) / (omega * omega)).abs() < 1e-14);
        }
    }

    #[test]
    fn sums_of_cosines_in_closed_form() {
        for (first, last, phi, beta) in [
            (1.0, 20.0, 0.3, 0.0),
            (7.0, 23.0, -2.1, 0.4),
            (3.0, 9.0, 0.0, 0.7),
            (3.0, 8.0, TAU, 0.7),
            (5.0, 4.0, 1.0, 0.0),
        ] {
            let mut sum = 0.0;
            let mut h = first;
            while h <= last {
                sum += math::cos(h * phi - beta);
                h += 1.0;
            }
            assert!((cosines(first, last, phi, beta) - sum).abs() < 1e-13, "{first} {last} {phi}");
        }
    }

    #[test]
    fn low_harmonics_are_looked_up_exactly() {
        let (n, f) = (48, |t: f64| 0.3 + math::cos(TAU * 5.0 * t) - 0.2 * math::sin(TAU * 9.0 * t));
        let rows: Vec<Vec<f64>> = (0..n).map(|k| vec![f(k as f64 / n as f64)]).collect();
        for t in [0.0, 0.013, 0.51, 1.7] {
            assert!((mixed(&look_up(n, 0.5, t), &rows)[0] - f(t)).abs() < 1e-13);
        }
    }
}

//! The kernel of the process, and how it goes with its numbers and points.

use gambol_model::math;
use nalgebra::{DMatrix, DVector};

/// Added to the diagonal between inducing points, as a share of α: two of them may be one.
const JITTER: f64 = 1e-6;

/// k(x, x') = α exp(−½ γ |x − x'|²) + ν, and the variance of noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kernel {
    pub(super) alpha: f64,
    pub(super) gamma: f64,
    pub(super) nu: f64,
    pub(super) noise: f64,
}

impl Kernel {
    /// From ln α, ln γ, ln ν and ln of the noise. Their range keeps numbers finite.
    pub(super) fn of(logs: &[f64]) -> Self {
        let exp = |k: usize| math::exp(logs[k].clamp(-30.0, 30.0));
        Self { alpha: exp(0), gamma: exp(1), nu: exp(2), noise: exp(3) }
    }

    pub(super) fn at(&self, squared: f64) -> f64 {
        self.alpha * math::exp(-0.5 * self.gamma * squared) + self.nu
    }

    /// k(x, x)
    pub(super) fn own(&self) -> f64 {
        self.alpha + self.nu
    }

    /// Between all columns of two sets of points.
    pub(super) fn between(&self, a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
        let squared = |i: usize, j: usize| {
            a.column(i).iter().zip(b.column(j).iter()).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
        };
        DMatrix::from_fn(a.ncols(), b.ncols(), |i, j| self.at(squared(i, j)))
    }

    /// Between one set and itself, with some jitter.
    pub(super) fn among(&self, points: &DMatrix<f64>) -> DMatrix<f64> {
        let mut k = self.between(points, points);
        (0..k.nrows()).for_each(|i| k[(i, i)] += JITTER * self.alpha);
        k
    }

    /// From one point to all columns.
    pub(super) fn from(&self, x: &DVector<f64>, points: &DMatrix<f64>) -> DVector<f64> {
        let squared =
            |j: usize| x.iter().zip(points.column(j).iter()).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        DVector::from_fn(points.ncols(), |j, _| self.at(squared(j)))
    }
}

/// What a value gains with the points and with the logarithms of the kernel's numbers.
pub(super) struct Slopes {
    pub(super) logs: [f64; 4],
}

impl Slopes {
    /// Through the entries `k` between columns of `a` and of `b`, given what the value gains with each: adds to the slopes of both.
    pub(super) fn through(
        &mut self,
        kernel: &Kernel,
        [a, b]: [&DMatrix<f64>; 2],
        k: &DMatrix<f64>,
        gain: &DMatrix<f64>,
        [of_a, of_b]: [&mut DMatrix<f64>; 2],
    ) {
        for j in 0..b.ncols() {
            for i in 0..a.ncols() {
                let (gain, bell) = (gain[(i, j)], k[(i, j)] - kernel.nu);
                self.pair(
                    kernel,
                    a.column(i).as_slice(),
                    b.column(j).as_slice(),
                    gain,
                    bell,
                    |axis, slope| {
                        of_a[(axis, i)] += slope;
                        of_b[(axis, j)] -= slope;
                    },
                );
            }
        }
    }

    /// The same among the columns of one set, of which `members` are meant.
    pub(super) fn among(
        &mut self,
        kernel: &Kernel,
        points: &DMatrix<f64>,
        members: std::ops::Range<usize>,
        gain: &DMatrix<f64>,
        of_points: &mut DMatrix<f64>,
    ) {
        for (column, j) in members.clone().enumerate() {
            for (row, i) in members.clone().enumerate() {
                let (a, b) = (points.column(i), points.column(j));
                let squared: f64 = a.iter().zip(b.iter()).map(|(a, b)| (a - b) * (a - b)).sum();
                let bell = kernel.at(squared) - kernel.nu;
                self.pair(kernel, a.as_slice(), b.as_slice(), gain[(row, column)], bell, |axis, slope| {
                    of_points[(axis, i)] += slope;
                    of_points[(axis, j)] -= slope;
                });
            }
        }
    }

    fn pair(
        &mut self,
        kernel: &Kernel,
        a: &[f64],
        b: &[f64],
        gain: f64,
        bell: f64,
        mut slope: impl FnMut(usize, f64),
    ) {
        let pull = -gain * kernel.gamma * bell;
        let mut squared = 0.0;
        for (axis, (a, b)) in a.iter().zip(b).enumerate() {
            let way = a - b;
            squared += way * way;
            slope(axis, pull * way);
        }
        self.logs[0] += gain * bell;
        self.logs[1] -= 0.5 * gain * kernel.gamma * squared * bell;
        self.logs[2] += gain * kernel.nu;
    }

    /// Jitter grows with α.
    pub(super) fn jitter(&mut self, kernel: &Kernel, gain: &DMatrix<f64>) {
        self.logs[0] += JITTER * kernel.alpha * gain.trace();
    }
}

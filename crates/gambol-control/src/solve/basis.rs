//! The inverse of the matrix of basic columns, by rows: what the revised simplex method keeps up to date.

use super::dot;
use crate::cma::factor::add;

/// A pivot below this share of the largest number of its column is no pivot: the columns depend on each other.
const SINGULAR: f64 = 1e-13;

/// B⁻¹, m × m, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BasisInverse {
    m: usize,
    inverse: Vec<f64>,
    /// B itself while it is inverted afresh.
    scratch: Vec<f64>,
}

impl BasisInverse {
    pub(super) fn with_capacity(m: usize) -> Self {
        Self { m: 0, inverse: Vec::with_capacity(m * m), scratch: Vec::with_capacity(m * m) }
    }

    /// Of a diagonal of signs, which is its own inverse; to be filled by [`set_sign`](Self::set_sign).
    pub(super) fn reset(&mut self, m: usize) {
        self.m = m;
        self.inverse.clear();
        self.inverse.resize(m * m, 0.0);
    }

    pub(super) fn set_sign(&mut self, row: usize, sign: f64) {
        self.inverse[row * self.m + row] = sign;
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.inverse[i * self.m..(i + 1) * self.m]
    }

    /// out = B⁻¹ a
    pub(super) fn times(&self, a: &[f64], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = dot(self.row(i), a);
        }
    }

    /// out = B⁻ᵀ c
    pub(super) fn transposed_times(&self, c: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (i, c) in c.iter().enumerate().filter(|(_, c)| **c != 0.0) {
            add(out, *c, self.row(i));
        }
    }

    /// Column `leaves` of B becomes the one of which `direction` is B⁻¹ times.
    pub(super) fn exchange(&mut self, leaves: usize, direction: &[f64]) {
        let m = self.m;
        for x in &mut self.inverse[leaves * m..(leaves + 1) * m] {
            *x /= direction[leaves];
        }
        for i in (0..m).filter(|i| *i != leaves && direction[*i] != 0.0) {
            let (low, high) = self.inverse.split_at_mut(i.max(leaves) * m);
            let (row, pivot) = if i < leaves {
                (&mut low[i * m..(i + 1) * m], &high[..m])
            } else {
                (&mut high[..m], &low[leaves * m..(leaves + 1) * m])
            };
            add(row, -direction[i], pivot);
        }
    }

    /// Inverts B afresh, without what many exchanges have added up: `entry(i, k)` is row i of basic column k. Gauss and Jordan,
    /// with the largest pivot of each column; `false`, and nothing to go on with, if the columns depend on each other.
    pub(super) fn refresh(&mut self, entry: impl Fn(usize, usize) -> f64) -> bool {
        let m = self.m;
        self.scratch.clear();
        self.scratch.extend((0..m * m).map(|at| entry(at / m, at % m)));
        self.inverse.fill(0.0);
        (0..m).for_each(|i| self.set_sign(i, 1.0));
        for k in 0..m {
            let size = |i: usize| self.scratch[i * m + k].abs();
            let largest = (k..m).fold(k, |best, i| if size(i) > size(best) { i } else { best });
            let scale = (0..m).map(|i| entry(i, k).abs()).fold(0.0, f64::max);
            let pivot = size(largest);
            if pivot.is_nan() || pivot <= SINGULAR * scale {
                return false;
            }
            for matrix in [&mut self.scratch, &mut self.inverse] {
                (0..m).for_each(|j| matrix.swap(k * m + j, largest * m + j));
            }
            self.eliminate(k);
        }
        true
    }

    /// Makes column k of what is left of B that of the identity.
    fn eliminate(&mut self, k: usize) {
        let m = self.m;
        let pivot = self.scratch[k * m + k];
        for i in (0..m).filter(|i| *i != k) {
            let factor = self.scratch[i * m + k] / pivot;
            if factor != 0.0 {
                for matrix in [&mut self.scratch, &mut self.inverse] {
                    for j in 0..m {
                        matrix[i * m + j] -= factor * matrix[k * m + j];
                    }
                }
            }
        }
        for matrix in [&mut self.scratch, &mut self.inverse] {
            matrix[k * m..(k + 1) * m].iter_mut().for_each(|x| *x /= pivot);
        }
    }
}

//! How a motion between two knots becomes numbers that are small and independent.
//!
//! ```text
//! line(s) = q₀ ⊕ s (q₁ ⊖ q₀)                     the straight way from knot to knot
//! δₙ = qₙ ⊖ line(n/L),   y = Tᵀ W δ               what is left, in coordinates of length 1 in the metric
//! cₖ = √(2/L) Σ yₙ sin(π k n / L)                 over time: 0 at both knots, as δ is
//! ```
//!
//! A smooth motion that is 0 at both ends has sine coefficients that fall with k³, one that is only cut into blocks has cosine
//! coefficients that fall with k²; and where two segments meet, they meet.

use gambol_model::{Creature, JointKind, math};
use nalgebra::{DMatrix, DVector};

use super::PackError;
use crate::basis::metric::metric_block;
use crate::{Metric, shell};

/// Added to each weight, as a share of it, so that motions that the metric does not see have coordinates too.
const FLOOR: f64 = 1e-6;

/// Coordinates of length 1 in the metric: δ = T y and y = Tᵀ W δ.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// T, nv × nv.
    pub(crate) motions: DMatrix<f64>,
    /// (W T)ᵀ
    inverse: DMatrix<f64>,
}

/// W at a pose, of the positions of joints and their shells. A root's shifts are apart: how a turn carries the body along
/// depends on where it looks.
pub(crate) fn weight(creature: &Creature, pose: &[f64]) -> DMatrix<f64> {
    let all: Vec<usize> = (0..creature.nv()).collect();
    let metric = Metric::Position { shell: shell(creature) };
    let mut w = metric_block(creature, &metric, pose, &all);
    for joint in creature.joints().iter().filter(|joint| joint.kind == JointKind::Free) {
        for shift in joint.v..joint.v + 3 {
            for other in (0..creature.nv()).filter(|other| !(joint.v..joint.v + 3).contains(other)) {
                w[(shift, other)] = 0.0;
                w[(other, shift)] = 0.0;
            }
        }
    }
    for dof in 0..creature.nv() {
        let own = w[(dof, dof)];
        w[(dof, dof)] = if own > 0.0 { own * (1.0 + FLOOR) } else { 1.0 };
    }
    w
}

impl Frame {
    /// The directions first, as they come, then what is missing to all motions: the coordinates of the creature from the last
    /// to the first, each made square to those before it (Gram and Schmidt, twice).
    pub(crate) fn new(weight: &DMatrix<f64>, directions: &DMatrix<f64>) -> Result<Self, PackError> {
        let n = weight.nrows();
        let units = (0..n).rev().map(|dof| DVector::from_fn(n, |row, _| f64::from(u8::from(row == dof))));
        let candidates = directions.column_iter().map(nalgebra::Matrix::into_owned).chain(units);
        let mut motions = DMatrix::zeros(n, n);
        let mut weighted = DMatrix::zeros(n, n);
        let mut count = 0;
        for (index, candidate) in candidates.enumerate() {
            if count == n {
                break;
            }
            let mut motion = candidate;
            let whole = motion.dot(&(weight * &motion)).sqrt();
            for _ in 0..2 {
                for known in 0..count {
                    let along = weighted.column(known).dot(&motion);
                    motion.axpy(-along, &motions.column(known), 1.0);
                }
            }
            let covector = weight * &motion;
            let length = motion.dot(&covector).sqrt();
            // What the directions before it can do as well is no direction of its own.
            if length.is_nan() || length <= 1e-6 * whole {
                if index < directions.ncols() {
                    return Err(PackError::Damaged("its directions depend on each other"));
                }
                continue;
            }
            motions.set_column(count, &(motion / length));
            weighted.set_column(count, &(covector / length));
            count += 1;
        }
        if count < n {
            return Err(PackError::Damaged("its metric has no coordinates"));
        }
        Ok(Self { motions, inverse: weighted.transpose() })
    }

    /// y of a motion.
    pub(crate) fn coordinates(&self, motion: &DVector<f64>) -> DVector<f64> {
        &self.inverse * motion
    }

    /// The motion of coordinates.
    pub(crate) fn motion(&self, coordinates: &DVector<f64>) -> DVector<f64> {
        &self.motions * coordinates
    }
}

/// √(2/L) sin(π k n / L) for k and n from 1 to L − 1: it is its own inverse.
#[derive(Clone, Debug)]
pub(crate) struct Sines {
    pub(crate) length: usize,
    table: DMatrix<f64>,
}

impl Sines {
    pub(crate) fn new(length: usize) -> Self {
        let inner = length.saturating_sub(1);
        let scale = (2.0 / length.max(1) as f64).sqrt();
        let wave = |k: usize, n: usize| {
            let turn = ((k + 1) * (n + 1)) % (2 * length);
            scale * math::sin(std::f64::consts::PI * turn as f64 / length as f64)
        };
        Self { length, table: DMatrix::from_fn(inner, inner, wave) }
    }

    /// Coefficients of rows over time, or back: `rows` has a column for each moment between the knots.
    pub(crate) fn transform(&self, rows: &DMatrix<f64>) -> DMatrix<f64> {
        rows * &self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sine transform keeps lengths and is its own inverse; a parabola between knots has coefficients that fall with k³.
    #[test]
    fn sines_are_their_own_inverse() {
        for length in [1, 2, 3, 8, 31, 64] {
            let sines = Sines::new(length);
            let rows = DMatrix::from_fn(3, length - 1, |i, n| ((i + 1) * (n + 2) % 7) as f64 - 3.0);
            let back = sines.transform(&sines.transform(&rows));
            assert!((&back - &rows).amax() < 1e-12 || length == 1);
        }
        let sines = Sines::new(64);
        let parabola = DMatrix::from_fn(1, 63, |_, n| ((n + 1) * (63 - n)) as f64 / 1024.0);
        let c = sines.transform(&parabola);
        // Odd ones fall as 1/k³ as long as k is far from L, even ones vanish.
        assert!((c[0] / c[2] - 27.0).abs() < 0.5 && (c[0] / c[4] - 125.0).abs() < 5.0 && c[1].abs() < 1e-12);
    }
}

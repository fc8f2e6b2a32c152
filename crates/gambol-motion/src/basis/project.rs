//! From poses to coordinates: least squares in the metric.
//!
//! The x with the least ‖δ − Φ x‖² = (δ − Φ x)ᵀ W (δ − Φ x) solves G x = (W Φ)ᵀ δ with the Gram matrix G = Φᵀ W Φ. The
//! directions of most bases are orthogonal in their metric, up to a few rigid motions, so that G is nearly diagonal and
//! nothing is lost by it. Each direction is scaled to length 1 first: lengths of vibrations differ by many powers of ten.

use gambol_model::Creature;
use nalgebra::{DMatrix, DVector};

use super::{Basis, BasisError};

/// What is left of the square of a direction beside the ones before it, in parts of it, for it to be one of its own. A
/// hundred thousandth of its length: less would be lost among ten digits of a file.
const INDEPENDENT: f64 = 1e-10;

/// Projects poses of a creature onto a basis; made by [`Basis::projector`].
#[derive(Clone, Debug)]
pub struct Projector {
    mean: Vec<f64>,
    /// W Φ with columns of unit directions, so that `covectorsᵀ δ` is what a motion has along each.
    covectors: DMatrix<f64>,
    /// Lengths of the directions in the metric.
    lengths: DVector<f64>,
    /// L with L Lᵀ = G of the unit directions.
    factor: DMatrix<f64>,
}

impl Projector {
    pub(super) fn new(creature: &Creature, basis: &Basis) -> Result<Self, BasisError> {
        let count = basis.directions().len();
        let shape = |row: usize, column: usize| basis.directions()[column].shape[row];
        let mut shapes = DMatrix::from_fn(creature.nv(), count, shape);
        let mut covectors = basis.metric().apply(creature, basis.mean(), &shapes);
        let mut lengths = DVector::zeros(count);
        for k in 0..count {
            lengths[k] = shapes.column(k).dot(&covectors.column(k)).sqrt();
            // The root of a negative number is none.
            if lengths[k].is_nan() || lengths[k] <= 0.0 {
                return Err(BasisError::Dependent { direction: k });
            }
            shapes.column_mut(k).unscale_mut(lengths[k]);
            covectors.column_mut(k).unscale_mut(lengths[k]);
        }
        let factor = factor(shapes.tr_mul(&covectors))?;
        Ok(Self { mean: basis.mean().to_vec(), covectors, lengths, factor })
    }

    /// The coordinates of the pose of the basis that is nearest to `q`.
    pub fn project(&self, creature: &Creature, q: &[f64]) -> Result<Vec<f64>, BasisError> {
        let q = creature.checked_pose("pose", q).map_err(|error| BasisError::Pose(error.to_string()))?;
        if q.len() != self.mean.len() || creature.nv() != self.covectors.nrows() {
            return Err(BasisError::Creature {
                creature: creature.name().to_owned(),
                found: [creature.nq(), creature.nv()],
                expected: [self.mean.len(), self.covectors.nrows()],
            });
        }
        let mut delta = DVector::zeros(creature.nv());
        creature.difference(&self.mean, &q, delta.as_mut_slice());
        let mut x = self.covectors.tr_mul(&delta);
        self.factor.solve_lower_triangular_unchecked_mut(&mut x);
        self.factor.tr_solve_lower_triangular_unchecked_mut(&mut x);
        x.component_div_assign(&self.lengths);
        Ok(x.as_slice().to_vec())
    }
}

/// The Cholesky factor of a matrix with ones on its diagonal, row by row. What is left on the diagonal is the part of a
/// direction that the ones before it do not have.
fn factor(mut gram: DMatrix<f64>) -> Result<DMatrix<f64>, BasisError> {
    let n = gram.nrows();
    for i in 0..n {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| gram[(i, k)] * gram[(j, k)]).sum();
            let rest = gram[(i, j)] - known;
            if j < i {
                gram[(i, j)] = rest / gram[(j, j)];
            } else if rest > INDEPENDENT {
                gram[(i, i)] = rest.sqrt();
            } else {
                return Err(BasisError::Dependent { direction: i });
            }
        }
    }
    gram.fill_upper_triangle(0.0, 1);
    Ok(gram)
}

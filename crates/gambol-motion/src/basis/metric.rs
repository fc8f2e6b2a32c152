//! How far a small motion is.

use gambol_dynamics::{Data, multiply_mass, prepare_mass};
use gambol_model::Creature;
use nalgebra::{DMatrix, DVector};

use super::BasisError;

/// A metric on the tangent space at a pose: ‖δ‖² = δᵀ W δ.
///
/// It is a rule rather than a matrix wherever it can be: the mass matrix of a hundred thousand joints would not fit into
/// memory, and its product with a motion takes as long as the motion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Metric {
    /// Every coordinate counts the same: W = 1, rad² and m².
    Joint,
    /// Twice the kinetic energy of the motion as a velocity: W = M at the mean, kg m².
    Mass,
    /// Any other: W itself, symmetric and without negative lengths.
    Matrix(DMatrix<f64>),
}

/// Entries of a symmetric matrix differ by no more than this share of the largest one: rounding of a sum of products.
const SYMMETRIC: f64 = 1e-12;

impl Metric {
    /// `joint`, `mass` or `matrix`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Joint => "joint",
            Self::Mass => "mass",
            Self::Matrix(_) => "matrix",
        }
    }

    pub(super) fn check(&self, nv: usize) -> Result<(), BasisError> {
        let Self::Matrix(w) = self else { return Ok(()) };
        if w.shape() != (nv, nv) {
            return Err(BasisError::Metric(
                "its matrix has not one row and column for each velocity coordinate",
            ));
        }
        if w.iter().any(|x| !x.is_finite()) {
            return Err(BasisError::Metric("a number is not finite"));
        }
        let largest = w.amax();
        let differs = |i: usize, j: usize| (w[(i, j)] - w[(j, i)]).abs() > SYMMETRIC * largest;
        if (0..nv).any(|i| (0..i).any(|j| differs(i, j))) {
            return Err(BasisError::Metric("its matrix is not symmetric"));
        }
        if (0..nv).any(|i| w[(i, i)] < 0.0) {
            return Err(BasisError::Metric("a motion has a negative length"));
        }
        Ok(())
    }

    /// W times each column of `motions`, at the pose `q`.
    pub(super) fn apply(&self, creature: &Creature, q: &[f64], motions: &DMatrix<f64>) -> DMatrix<f64> {
        match self {
            Self::Joint => motions.clone(),
            Self::Matrix(w) => w * motions,
            Self::Mass => {
                let mut data = Data::new(creature);
                prepare_mass(creature, &mut data, q);
                let mut weighted = motions.clone();
                let mut product = DVector::zeros(creature.nv());
                for (motion, mut to) in motions.column_iter().zip(weighted.column_iter_mut()) {
                    let motion = motion.into_owned();
                    multiply_mass(creature, &mut data, motion.as_slice(), product.as_mut_slice());
                    to.copy_from(&product);
                }
                weighted
            }
        }
    }
}

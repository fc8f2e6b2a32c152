//! Largest eigenvalues of a symmetric positive operator by block Lanczos with full reorthogonalisation, thick restarts
//! (Wu and Simon 2000) and probes for what symmetry hides.
//!
//! ```text
//! Q = one random block
//! repeat:
//!     W = A Q_last;  H_last = Qᵀ W;  W ← W − Q H_last, once more;  Q_next R = W          (expand)
//!     H Y = Y Θ;  pair i is off by ‖R Y_last,i‖                                           (Rayleigh–Ritz)
//!     if the wanted pairs have converged: Q ← the wanted Q Y, and a new random block      (probe)
//!     if the basis is full:               Q ← the best half of Q Y, and Q_next            (restart)
//! until a probe has found nothing larger
//! ```
//!
//! A Krylov space of a block of four holds at most four vectors of an eigenspace, and a symmetric creature may have
//! more modes of one frequency. A probe searches, from a new random block, the space across all that was found; it
//! ends when the largest eigenvalue left there is known well enough to be the smaller one.

use gambol_model::samples::Random;
use nalgebra::{DMatrix, SymmetricEigen};

use super::block::{Block, LANES, Row, Square, gram, orthonormalize, rotate, subtract};

/// A symmetric positive semidefinite operator on a space of long vectors.
pub(super) trait Operator {
    /// Coordinates of a vector.
    fn rows(&self) -> usize;
    /// Dimension of the space, at most `rows`.
    fn dimension(&self) -> usize;
    /// `out` = A x, in the space if x is.
    fn apply(&mut self, x: &[Row], out: &mut [Row]);
    /// Takes from `x` what lies outside the space.
    fn restrict(&self, x: &mut [Row]);
}

/// Eigenpairs, largest first.
#[derive(Debug)]
pub(super) struct Largest {
    pub values: Vec<f64>,
    /// Orthonormal eigenvectors, [`LANES`] to a block; the last block may be padded with others.
    pub vectors: Vec<Block>,
}

/// The iteration limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

/// A wanted pair has converged when ‖A x − θ x‖ is below this share of θ. The eigenvalue is then right to its square;
/// the shape to this number times the distance to the next one.
const TOLERANCE: f64 = 1e-11;

/// No residual falls below the rounding of A, a few ulps of its largest eigenvalue.
const FLOOR: f64 = 8.0 * f64::EPSILON;

/// How well a probe must know the largest eigenvalue it has found. A hidden pair could be overlooked only if it lies
/// closer than this to the next one, and by a random block that happens to be almost perpendicular to it.
const PROBE_TOLERANCE: f64 = 1e-6;

/// Basis vectors beyond twice the wanted ones. Long bodies converge within this, without a restart.
const SPARE: usize = 72;

/// Blocks between two looks at the Ritz values, which cost as much as a few products for small creatures.
const STRIDE: usize = 3;

/// Products with a block before giving up: the hardest trees known take about a hundred.
const MOST_PRODUCTS: usize = 3000;

/// The `wanted` largest eigenpairs of `a`; all if it has fewer.
pub(super) fn largest(a: &mut impl Operator, wanted: usize) -> Result<Largest, Stopped> {
    let wanted = wanted.min(a.dimension());
    if wanted == 0 {
        return Ok(Largest { values: Vec::new(), vectors: Vec::new() });
    }
    // One more than wanted, so that a pair that is cut in two shows.
    let locked = (wanted + 1).div_ceil(LANES);
    let capacity = 2 * locked + SPARE / LANES;
    if a.dimension() <= capacity * LANES {
        return by_matrix(a, wanted);
    }
    let mut krylov = Krylov::new(a, capacity);
    let mut probing = false;
    for product in 1..=MOST_PRODUCTS {
        krylov.expand(a);
        let grown = krylov.size() - krylov.fresh;
        if krylov.size() < capacity && !(krylov.size() > locked && grown.is_multiple_of(STRIDE)) {
            continue;
        }
        let ritz = krylov.rayleigh_ritz()?;
        let done = (0..locked * LANES).all(|i| ritz.converged(i));
        let resolved = ritz.residual(locked * LANES) < PROBE_TOLERANCE * ritz.values[locked * LANES];
        if done && probing && resolved {
            if product > 1 && !krylov.found_more(&ritz, locked) {
                krylov.compress(&ritz, locked);
                return Ok(krylov.into_largest(wanted, &ritz));
            }
        }
        if done && (!probing || resolved) {
            krylov.compress(&ritz, locked);
            krylov.add_random(a);
            probing = true;
        } else if krylov.size() >= capacity {
            krylov.restart(&ritz, capacity / 2 + locked / 2);
        }
    }
    Err(Stopped)
}

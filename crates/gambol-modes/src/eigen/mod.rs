//! Eigenvalues and eigenvectors of a dense symmetric matrix.
//!
//! ```text
//! A = Q T Qᵀ          Householder reflections to a tridiagonal matrix        `tridiagonal`
//! T = Z Λ Zᵀ          divide and conquer, small parts by implicit QL         `divide`, `secular`, `ql`
//! A = (Q Z) Λ (Q Z)ᵀ  the reflections on the eigenvectors that are wanted    `tridiagonal`
//! ```
//!
//! Written for this job, because it has to give the same bits on every machine. Libraries choose their instructions when
//! the program runs: vectors of two, four or eight numbers, products fused with sums or not, and another order of a sum
//! is another last digit. Here every sum has a fixed number of partial sums in a fixed order (`kernels`), which a
//! compiler turns into vector instructions of any width without a change in what is computed.

mod divide;
mod kernels;
mod ql;
mod secular;
#[cfg(test)]
mod tests;
mod tridiagonal;

use nalgebra::DMatrix;

/// Distance from 1 to the next number, halved: the largest relative error of one rounding.
const ROUNDING: f64 = 0.5 * f64::EPSILON;

/// Squares of lengths below this, of a matrix with numbers near 1, are nothing: 1e-140 is far below rounding, and less would
/// lose digits among numbers that are no longer normal.
const NOTHING: f64 = 1e-280;

/// A matrix with a number that is not finite, or an iteration that did not end; the latter has never been seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotConverged;

/// The `wanted` largest eigenvalues of a symmetric matrix, descending, with unit eigenvectors as columns. Of `a`, the lower
/// triangle is read.
pub(crate) fn largest_eigenpairs(
    mut a: DMatrix<f64>,
    wanted: usize,
) -> Result<(Vec<f64>, DMatrix<f64>), NotConverged> {
    let n = a.nrows();
    let wanted = wanted.min(n);
    if n == 0 {
        return Ok((Vec::new(), a));
    }
    if a.iter().any(|x| !x.is_finite()) {
        return Err(NotConverged);
    }
    // By a power of two, so that squares stay within range and no digit is lost.
    let scale = power_of_two_above(a.amax());
    a.as_mut_slice().iter_mut().for_each(|x| *x /= scale);
    let mut t = tridiagonal::reduce(a);
    let mut vectors = vec![0.0; n * n];
    divide::eigen(&mut t.diagonal, &mut t.beside, &mut vectors)?;
    let mut largest = DMatrix::zeros(n, wanted);
    for (k, to) in largest.as_mut_slice().chunks_exact_mut(n).enumerate() {
        let from = n * (n - 1 - k);
        to.copy_from_slice(&vectors[from..from + n]);
    }
    t.reflections.apply(largest.as_mut_slice());
    let values = t.diagonal.iter().rev().take(wanted).map(|value| value * scale).collect();
    Ok((values, largest))
}

/// The least power of two above `x`, within the range of normal numbers; 1 for 0.
fn power_of_two_above(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    let exponent = (x.to_bits() >> 52).clamp(1, 2045);
    f64::from_bits((exponent + 1) << 52)
}

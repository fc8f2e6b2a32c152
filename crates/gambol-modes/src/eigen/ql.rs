//! A small tridiagonal matrix by the QL algorithm with implicit shifts (Bowdler, Martin, Reinsch, Wilkinson 1968).

use super::kernels::rotate;
use super::{NOTHING, NotConverged, ROUNDING};

/// Iterations for one eigenvalue: two are usual, and thirty have never been needed.
const MOST: usize = 60;

/// Turns the diagonal into eigenvalues, ascending, and the columns of `vectors`, `stride` numbers from one to the next,
/// along with it: the identity becomes the matrix of eigenvectors. Overwrites `beside`, the numbers beside the diagonal,
/// which are as many as those on it; the last one is of no use. The matrix is scaled to numbers of at most about 1.
pub(super) fn eigen(
    diagonal: &mut [f64],
    beside: &mut [f64],
    vectors: &mut [f64],
    stride: usize,
) -> Result<(), NotConverged> {
    let n = diagonal.len();
    for first in 0..n {
        for iteration in 0.. {
            let last = (first..n - 1).find(|&k| is_small(beside[k], diagonal[k], diagonal[k + 1]));
            let last = last.unwrap_or(n - 1);
            if last == first {
                break;
            }
            if iteration == MOST {
                return Err(NotConverged);
            }
            sweep(
                &mut diagonal[first..=last],
                &mut beside[first..=last],
                &mut vectors[first * stride..],
                stride,
            );
        }
    }
    sort(diagonal, vectors, stride);
    Ok(())
}

/// Whether a number beside the diagonal is rounding of its neighbours on it, or of the whole matrix squared.
fn is_small(beside: f64, above: f64, below: f64) -> bool {
    beside.abs() <= ROUNDING * (above.abs() + below.abs()) + ROUNDING * ROUNDING
}

/// One step: chases the bulge of a shifted rotation from the last row up to the first.
fn sweep(d: &mut [f64], e: &mut [f64], vectors: &mut [f64], stride: usize) {
    let n = d.len();
    // The eigenvalue of the first two rows that is nearer to the first (Wilkinson's shift).
    let half = 0.5 * (d[1] - d[0]) / e[0];
    let shift = d[0] - e[0] / (half + (half * half + 1.0).sqrt().copysign(half));
    let (mut sine, mut cosine, mut shifted) = (1.0, 1.0, 0.0);
    let mut g = d[n - 1] - shift;
    for i in (0..n - 1).rev() {
        let (f, b) = (sine * e[i], cosine * e[i]);
        let square = f * f + g * g;
        if square < NOTHING {
            // The matrix falls apart here.
            e[i + 1] = 0.0;
            d[i + 1] -= shifted;
            e[n - 1] = 0.0;
            return;
        }
        let length = square.sqrt();
        e[i + 1] = length;
        (sine, cosine) = (f / length, g / length);
        let rest = d[i + 1] - shifted;
        let turned = (d[i] - rest) * sine + 2.0 * cosine * b;
        shifted = sine * turned;
        d[i + 1] = rest + shifted;
        g = cosine * turned - b;
        let (low, high) = vectors[i * stride..].split_at_mut(stride);
        let len = high.len().min(stride);
        rotate(low, &mut high[..len], cosine, -sine);
    }
    d[0] -= shifted;
    e[0] = g;
    e[n - 1] = 0.0;
}

/// Ascending, by moving whole columns.
fn sort(d: &mut [f64], vectors: &mut [f64], stride: usize) {
    let n = d.len();
    for k in 0..n {
        let least = (k..n).min_by(|&a, &b| d[a].total_cmp(&d[b])).unwrap_or(k);
        if least != k {
            d.swap(k, least);
            let (low, high) = vectors.split_at_mut(least * stride);
            let len = high.len().min(stride);
            low[k * stride..k * stride + len].swap_with_slice(&mut high[..len]);
        }
    }
}

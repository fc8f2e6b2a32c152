//! Dense factors in place, of matrices column by column: they are small, and nothing may be allocated.

use nalgebra::DMatrix;

/// A B. Plain sums in a fixed order, which are the same bits on every machine; nalgebra's own products are not.
pub(super) fn times(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(a.nrows(), b.ncols());
    let rows = a.nrows();
    for j in 0..b.ncols() {
        let column = &mut out.as_mut_slice()[j * rows..(j + 1) * rows];
        for k in 0..a.ncols() {
            let by = b[(k, j)];
            if by != 0.0 {
                for (out, a) in column.iter_mut().zip(&a.as_slice()[k * rows..]) {
                    *out += by * a;
                }
            }
        }
    }
    out
}

/// Aᵀ B.
pub(super) fn transposed_times(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    times(&a.transpose(), b)
}

/// Replaces the lower triangle of a symmetric positive matrix by its Cholesky factor L, H = L Lᵀ. False if it is not positive.
pub(super) fn factor(data: &mut [f64], n: usize) -> bool {
    for j in 0..n {
        // Column by column, each less what the columns before it explain.
        let (done, rest) = data.split_at_mut(j * n);
        let column = &mut rest[..n];
        for k in 0..j {
            let before = &done[k * n..(k + 1) * n];
            let by = before[j];
            if by != 0.0 {
                for i in j..n {
                    column[i] -= by * before[i];
                }
            }
        }
        if !(column[j] > 0.0 && column[j].is_finite()) {
            return false;
        }
        let root = column[j].sqrt();
        for entry in &mut column[j..] {
            *entry /= root;
        }
    }
    true
}

/// Replaces b by H⁻¹ b, with the factor that [`factor`] left.
pub(super) fn solve(data: &[f64], b: &mut [f64]) {
    let n = b.len();
    for j in 0..n {
        let column = &data[j * n..(j + 1) * n];
        b[j] /= column[j];
        let x = b[j];
        if x != 0.0 {
            for i in j + 1..n {
                b[i] -= x * column[i];
            }
        }
    }
    for j in (0..n).rev() {
        let column = &data[j * n..(j + 1) * n];
        let mut sum = b[j];
        for i in j + 1..n {
            sum -= column[i] * b[i];
        }
        b[j] = sum / column[j];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DVector;

    #[test]
    fn solves_what_the_definition_asks() {
        let n = 23;
        let mut random = gambol_model::Random::new(7);
        let a = DMatrix::from_fn(n, n, |_, _| random.symmetric());
        let h = &a * a.transpose() + DMatrix::identity(n, n);
        let b = DVector::from_fn(n, |_, _| random.symmetric());
        let mut l = h.clone();
        assert!(factor(l.as_mut_slice(), n));
        let mut x = b.clone();
        solve(l.as_slice(), x.as_mut_slice());
        assert!((&h * x - b).norm() < 1e-12 * n as f64);
        assert!((times(&a, &h) - &a * &h).norm() < 1e-12 * h.norm());
        assert!((transposed_times(&a, &h) - a.transpose() * &h).norm() < 1e-12 * h.norm());
        assert!(!factor((-h).as_mut_slice(), n));
    }
}

//! Small dense systems.

/// Solves A x = b by Gaussian elimination with partial pivoting: `a`, n × n by rows, is spent, and `b` becomes x. False if A has
/// no inverse as far as rounding can tell.
pub fn solve_dense(a: &mut [f64], b: &mut [f64]) -> bool {
    let n = b.len();
    for j in 0..n {
        let size = |row: &usize| a[row * n + j].abs();
        let Some(pivot) = (j..n).max_by(|r, s| size(r).total_cmp(&size(s))) else { return false };
        if pivot != j {
            let (upper, lower) = a.split_at_mut(pivot * n);
            upper[j * n..(j + 1) * n].swap_with_slice(&mut lower[..n]);
            b.swap(j, pivot);
        }
        let (done, rest) = a.split_at_mut((j + 1) * n);
        let row = &done[j * n..];
        if !(row[j].abs() > 0.0 && row[j].is_finite()) {
            return false;
        }
        for (i, other) in rest.chunks_exact_mut(n).enumerate() {
            let by = other[j] / row[j];
            if by != 0.0 {
                for (x, y) in other[j..].iter_mut().zip(&row[j..]) {
                    *x -= by * y;
                }
                b[j + 1 + i] -= by * b[j];
            }
        }
    }
    for j in (0..n).rev() {
        let known: f64 = a[j * n + j + 1..(j + 1) * n].iter().zip(&b[j + 1..]).map(|(a, x)| a * x).sum();
        b[j] = (b[j] - known) / a[j * n + j];
    }
    b.iter().all(|x| x.is_finite())
}

//! A symmetric positive definite matrix and its Cholesky factor, A Aᵀ = C.
//!
//! Both are lower triangles by columns, so that every inner loop runs down a column and needs no order of summation: that
//! is fast without changing bits from machine to machine.

/// A lower triangle: column j holds rows j to n − 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lower {
    n: usize,
    /// n × n by columns; what is above the diagonal is not used.
    entries: Vec<f64>,
}

impl Lower {
    /// With these on the diagonal, zero elsewhere.
    pub(crate) fn diagonal(diagonal: impl ExactSizeIterator<Item = f64>) -> Self {
        let n = diagonal.len();
        let mut lower = Self { n, entries: vec![0.0; n * n] };
        for (j, x) in diagonal.enumerate() {
            lower.entries[j * n + j] = x;
        }
        lower
    }

    /// Empty, with room for n × n.
    pub(crate) fn with_capacity(n: usize) -> Self {
        Self { n: 0, entries: Vec::with_capacity(n * n) }
    }

    /// Zero, n × n.
    pub(crate) fn reset(&mut self, n: usize) {
        self.n = n;
        self.entries.clear();
        self.entries.resize(n * n, 0.0);
    }

    /// n × n by columns; what is above the diagonal is not used.
    pub(crate) fn entries_mut(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// Column j from the diagonal down.
    pub(crate) fn column(&self, j: usize) -> &[f64] {
        &self.entries[j * self.n + j..(j + 1) * self.n]
    }

    pub(crate) fn at_diagonal(&self, j: usize) -> f64 {
        self.entries[j * self.n + j]
    }

    /// All entries, column by column.
    pub(crate) fn to_list(&self) -> Vec<f64> {
        (0..self.n).flat_map(|j| self.column(j)).copied().collect()
    }

    /// The inverse of `to_list`; `None` if there are too few or too many.
    pub(crate) fn from_list(n: usize, list: &[f64]) -> Option<Self> {
        if list.len() != n * (n + 1) / 2 {
            return None;
        }
        let mut lower = Self { n, entries: vec![0.0; n * n] };
        let mut rest = list;
        for j in 0..n {
            let (column, others) = rest.split_at(n - j);
            lower.entries[j * n + j..(j + 1) * n].copy_from_slice(column);
            rest = others;
        }
        Some(lower)
    }

    /// y = A z.
    pub(crate) fn multiply(&self, z: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for (j, z) in z.iter().enumerate() {
            add(&mut y[j..], *z, self.column(j));
        }
    }

    /// C ← C + x 1.
    pub(crate) fn add_diagonal(&mut self, x: f64) {
        for j in 0..self.n {
            self.entries[j * self.n + j] += x;
        }
    }

    /// C ← scale C + Σ w v vᵀ.
    pub(crate) fn update(&mut self, scale: f64, terms: &[(f64, &[f64])]) {
        let n = self.n;
        for j in 0..n {
            let column = &mut self.entries[j * n + j..(j + 1) * n];
            for x in column.iter_mut() {
                *x *= scale;
            }
            for (w, v) in terms {
                add(column, w * v[j], &v[j..]);
            }
        }
    }

    /// The factor of `matrix` into `self`; `false`, and `self` is as it was, if that is not positive definite.
    pub(crate) fn factor(&mut self, matrix: &Self, scratch: &mut Vec<f64>) -> bool {
        let n = self.n;
        scratch.clear();
        scratch.extend_from_slice(&matrix.entries);
        for j in 0..n {
            let (done, rest) = scratch.split_at_mut(j * n);
            let column = &mut rest[j..n];
            for k in 0..j {
                let above = &done[k * n + j..(k + 1) * n];
                add(column, -above[0], above);
            }
            // Rounding alone makes a pivot this small: a direction of no extent at all.
            if column[0].is_nan() || column[0] <= f64::EPSILON * matrix.at_diagonal(j) {
                return false;
            }
            let pivot = column[0].sqrt();
            for x in column {
                *x /= pivot;
            }
        }
        std::mem::swap(&mut self.entries, scratch);
        true
    }

    /// Solves A Aᵀ x = b in place, for a factor A.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        for j in 0..self.n {
            let (head, tail) = x.split_at_mut(j + 1);
            head[j] /= self.at_diagonal(j);
            add(tail, -head[j], &self.column(j)[1..]);
        }
        for j in (0..self.n).rev() {
            let column = self.column(j);
            let sum: f64 = column[1..].iter().zip(&x[j + 1..]).map(|(a, x)| a * x).sum();
            x[j] = (x[j] - sum) / column[0];
        }
    }

    /// A Aᵀ of a factor.
    pub(crate) fn square(&self) -> Self {
        let mut square = Self::diagonal(vec![0.0; self.n].into_iter());
        for j in 0..self.n {
            let column = self.column(j);
            for (k, x) in column.iter().enumerate() {
                let i = j + k;
                add(&mut square.entries[i * self.n + i..(i + 1) * self.n], *x, &column[k..]);
            }
        }
        square
    }
}

/// y ← y + a x.
pub(crate) fn add(y: &mut [f64], a: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_model::Random;

    /// A Aᵀ = C, and A z has the lengths that nalgebra's product gives, to rounding: n eps times the largest entry.
    #[test]
    fn a_factor_squares_to_its_matrix() {
        let n = 37;
        let mut random = Random::new(1);
        let mut matrix = Lower::diagonal((0..n).map(|j| 1e-3 * (j + 1) as f64));
        let mut rows = vec![vec![0.0; n]; 50];
        for row in &mut rows {
            random.fill_normal(row);
            matrix.update(0.9, &[(0.1, row)]);
        }
        let mut factor = Lower::diagonal(vec![1.0; n].into_iter());
        assert!(factor.factor(&matrix, &mut Vec::new()));
        let back = factor.square();
        for (a, b) in back.to_list().iter().zip(matrix.to_list()) {
            assert!((a - b).abs() < 1e-13, "{a} {b}");
        }
        let dense =
            nalgebra::DMatrix::from_fn(n, n, |i, j| if i >= j { factor.entries[j * n + i] } else { 0.0 });
        let mut y = vec![0.0; n];
        factor.multiply(&rows[0], &mut y);
        let expected = dense * nalgebra::DVector::from_column_slice(&rows[0]);
        assert!(expected.iter().zip(&y).all(|(a, b)| (a - b).abs() < 1e-13));
        factor.solve(&mut y);
        let whole = nalgebra::DMatrix::from_fn(n, n, |i, j| matrix.entries[i.min(j) * n + i.max(j)]);
        let residual = whole * nalgebra::DVector::from_column_slice(&y) - expected;
        // The condition is about a thousand.
        assert!(residual.amax() < 1e-11, "{}", residual.amax());
        assert_eq!(Lower::from_list(n, &matrix.to_list()).unwrap().to_list(), matrix.to_list());
    }

    #[test]
    fn what_is_not_positive_has_no_factor() {
        let mut matrix = Lower::diagonal([1.0, 1.0].into_iter());
        matrix.update(1.0, &[(-1.5, &[0.0, 1.0])]);
        let mut factor = Lower::diagonal([3.0, 3.0].into_iter());
        assert!(!factor.factor(&matrix, &mut Vec::new()));
        assert_eq!(factor.at_diagonal(1), 3.0);
    }
}

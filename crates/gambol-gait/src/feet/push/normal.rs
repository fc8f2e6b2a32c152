//! Weighted least squares with conditions.

use nalgebra::{DMatrix, DVector};

/// Weighted least squares, row by row.
pub(super) struct Normal {
    /// The columns that matter; what is left out is 0.
    columns: Vec<usize>,
    /// Of these columns: the part below the diagonal.
    matrix: DMatrix<f64>,
    right: DVector<f64>,
    /// Rows that wait, one after another.
    waiting: Vec<f64>,
}

impl Normal {
    /// Rows that are added at once: as many as stay near the processor, so that a large matrix is not read for every row.
    const AT_ONCE: usize = 32;

    pub(super) fn new(columns: Vec<usize>) -> Self {
        let size = columns.len();
        Self { columns, matrix: DMatrix::zeros(size, size), right: DVector::zeros(size), waiting: Vec::new() }
    }

    /// weight · (row·x − wanted) → 0
    pub(super) fn add(&mut self, row: &[f64], wanted: f64, weight: f64) {
        let from = self.waiting.len();
        self.waiting.extend(self.columns.iter().map(|&column| weight * row[column]));
        for (right, a) in self.right.iter_mut().zip(&self.waiting[from..]) {
            *right += weight * wanted * a;
        }
        if self.waiting.len() >= Self::AT_ONCE * self.columns.len() {
            self.flush();
        }
    }

    /// Adds the rows that wait.
    fn flush(&mut self) {
        let size = self.columns.len();
        for j in 0..size {
            let mut column = self.matrix.column_mut(j);
            let below = &mut column.as_mut_slice()[j..];
            for row in self.waiting.chunks_exact(size).filter(|row| row[j] != 0.0) {
                let b = row[j];
                for (m, a) in below.iter_mut().zip(&row[j..]) {
                    *m += b * a;
                }
            }
        }
        self.waiting.clear();
    }

    /// The least squares under `conditions` x = `given`, by its multipliers.
    pub(super) fn solve(mut self, conditions: &DMatrix<f64>, given: &DVector<f64>) -> Option<DVector<f64>> {
        // What no wish and no condition determines stays small; twelve digits are left to the rest.
        const TIE: f64 = 1e-12;
        self.flush();
        let (n, m) = (self.columns.len(), given.len());
        let mut matrix = DMatrix::zeros(n + m, n + m);
        let tie = TIE * self.matrix.trace() / n as f64;
        for j in 0..n {
            for i in j..n {
                matrix[(i, j)] = self.matrix[(i, j)];
                matrix[(j, i)] = self.matrix[(i, j)];
            }
            matrix[(j, j)] += tie;
            for i in 0..m {
                matrix[(n + i, j)] = conditions[(i, self.columns[j])];
                matrix[(j, n + i)] = conditions[(i, self.columns[j])];
            }
        }
        // A creature whose feet stand on one line cannot turn about it, whatever it pushes: such a condition is left out.
        for i in 0..m {
            matrix[(n + i, n + i)] = -TIE;
        }
        let mut right = DVector::zeros(n + m);
        right.rows_mut(0, n).copy_from(&self.right);
        right.rows_mut(n, m).copy_from(given);
        let solved = matrix.lu().solve(&right)?;
        let mut x = DVector::zeros(conditions.ncols());
        for (j, &column) in self.columns.iter().enumerate() {
            x[column] = solved[j];
        }
        x.iter().all(|x| x.is_finite()).then_some(x)
    }
}

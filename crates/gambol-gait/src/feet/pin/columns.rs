//! Normal equations of conditions each of which a few joints move.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// The Jacobian by columns, without what is 0: a foot moves with the joints of its leg alone, and most products are with nothing.
pub(super) struct Columns {
    /// Per coordinate: where its entries begin; one more at the end.
    starts: Vec<usize>,
    /// Per entry: its row, rising in each column, …
    rows: Vec<usize>,
    /// … and what it is.
    slopes: Vec<f64>,
}

impl Columns {
    pub(super) fn new(rows: &[f64], nv: usize) -> Self {
        let mut starts = vec![0; nv + 1];
        for row in rows.chunks_exact(nv) {
            for (start, slope) in starts[1..].iter_mut().zip(row) {
                *start += usize::from(*slope != 0.0);
            }
        }
        for dof in 0..nv {
            starts[dof + 1] += starts[dof];
        }
        let mut columns = Self { rows: vec![0; starts[nv]], slopes: vec![0.0; starts[nv]], starts };
        let mut next = columns.starts.clone();
        for (i, row) in rows.chunks_exact(nv).enumerate() {
            for (at, slope) in next.iter_mut().zip(row).filter(|(_, slope)| **slope != 0.0) {
                (columns.rows[*at], columns.slopes[*at]) = (i, *slope);
                *at += 1;
            }
        }
        columns
    }

    /// Of each coordinate: the rows that it moves, and how.
    fn each(&self) -> impl Iterator<Item = (&[usize], &[f64])> {
        self.starts.windows(2).map(|span| (&self.rows[span[0]..span[1]], &self.slopes[span[0]..span[1]]))
    }

    /// J C Jᵀ of `m` rows: the part below the diagonal.
    pub(super) fn weighed(&self, compliance: &[f64], m: usize) -> DMatrix<f64> {
        let mut matrix = DMatrix::zeros(m, m);
        let entries = matrix.as_mut_slice();
        for ((rows, slopes), c) in self.each().zip(compliance) {
            for (k, (&j, b)) in rows.iter().zip(slopes).enumerate() {
                let (column, eased) = (&mut entries[j * m..(j + 1) * m], b * c);
                let (rows, slopes) = (&rows[k..], &slopes[k..]);
                // The root moves all of them, one after another.
                if rows[rows.len() - 1] - j + 1 == rows.len() {
                    for (entry, a) in column[j..].iter_mut().zip(slopes) {
                        *entry += a * eased;
                    }
                } else {
                    for (&i, a) in rows.iter().zip(slopes) {
                        column[i] += a * eased;
                    }
                }
            }
        }
        matrix
    }

    /// C Jᵀ `force`
    pub(super) fn pull(&self, compliance: &[f64], force: &DVector<f64>) -> Vec<f64> {
        let sum = |((rows, slopes), c): ((&[usize], &[f64]), &f64)| {
            rows.iter().zip(slopes).map(|(&i, a)| a * c * force[i]).sum()
        };
        self.each().zip(compliance).map(sum).collect()
    }

    /// J `delta`, of `m` rows.
    pub(super) fn times(&self, delta: &[f64], m: usize) -> Vec<f64> {
        let mut product = vec![0.0; m];
        for ((rows, slopes), d) in self.each().zip(delta) {
            for (&i, a) in rows.iter().zip(slopes) {
                product[i] += a * d;
            }
        }
        product
    }
}

/// L of L Lᵀ, column by column, of what is below the diagonal of `matrix`. nalgebra's own makes a call of every column that is taken from
/// another; these are short, and many are taken by nothing.
pub(super) fn factored(mut matrix: DMatrix<f64>) -> Option<Cholesky<f64, Dyn>> {
    let m = matrix.nrows();
    let entries = matrix.as_mut_slice();
    for j in 0..m {
        let (before, rest) = entries.split_at_mut(j * m);
        let column = &mut rest[j..m];
        for other in before.chunks_exact(m) {
            let by = other[j];
            if by != 0.0 {
                for (a, b) in column.iter_mut().zip(&other[j..]) {
                    *a -= by * b;
                }
            }
        }
        // Not positive, or not a number.
        if column[0].is_nan() || column[0] <= 0.0 {
            return None;
        }
        let diagonal = column[0].sqrt();
        column[0] = diagonal;
        for a in &mut column[1..] {
            *a /= diagonal;
        }
    }
    Some(Cholesky::pack_dirty(matrix))
}

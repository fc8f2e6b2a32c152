//! A symmetric matrix with the sparsity of a tree, and its factorisation without fill-in (Featherstone 2005).
//!
//! Entry (i, j) can differ from zero only if one coordinate is an ancestor of the other. Row i holds the entries of
//! i's ancestors from the root down, then its diagonal. The ancestors of an ancestor are the front part of one's own,
//! so the front of row i lies under the whole of each ancestor's row: the factorisation runs over plain contiguous
//! slices, with no index in its inner loop.

use nalgebra::{DMatrix, DVector};

use crate::Creature;

/// A creature so large and deep that its mass matrix does not fit into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the mass matrix would have {entries} entries; use the recursive algorithms for a creature this large")]
pub struct TooLarge {
    /// Entries of the sparse matrix.
    pub entries: usize,
}

/// Symmetric, sparse as the tree of a creature; see the module's text. Holds M, or after [`TreeMatrix::factor`] the L
/// and D of M = Lᵀ D L.
#[derive(Clone, Debug)]
pub struct TreeMatrix {
    /// Row i is `values[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    values: Vec<f64>,
    /// Column of each value.
    columns: Vec<u32>,
    /// 1 / D, valid once factored.
    d_inverse: Vec<f64>,
}

/// 2³¹ entries, 16 GB: beyond any rig, and well before addresses overflow.
const MOST_ENTRIES: usize = 1 << 31;

impl TreeMatrix {
    /// A zero matrix with the sparsity of `creature`.
    pub fn new(creature: &Creature) -> Result<Self, TooLarge> {
        let dofs = creature.dofs();
        let entries = dofs.iter().map(|dof| dof.depth).sum();
        if entries > MOST_ENTRIES {
            return Err(TooLarge { entries });
        }
        let mut starts = Vec::with_capacity(dofs.len() + 1);
        let mut columns: Vec<u32> = Vec::with_capacity(entries);
        starts.push(0);
        for (i, dof) in dofs.iter().enumerate() {
            if let Some(parent) = dof.parent {
                columns.extend_from_within(starts[parent]..starts[parent + 1]);
            }
            columns.push(u32::try_from(i).map_err(|_| TooLarge { entries })?);
            starts.push(columns.len());
        }
        Ok(Self { starts, values: vec![0.0; entries], columns, d_inverse: vec![0.0; dofs.len()] })
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.d_inverse.len()
    }

    /// Row `i`: the entries of its ancestors from the root down, then its diagonal.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[self.starts[i]..self.starts[i + 1]]
    }

    /// The columns of [`TreeMatrix::row`].
    pub fn row_columns(&self, i: usize) -> &[u32] {
        &self.columns[self.starts[i]..self.starts[i + 1]]
    }

    #[inline(always)]
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[self.starts[i]..self.starts[i + 1]]
    }

    /// All entries, as a full symmetric matrix.
    pub fn to_dense(&self) -> DMatrix<f64> {
        let n = self.size();
        let mut dense = DMatrix::zeros(n, n);
        for i in 0..n {
            for (&j, &value) in self.row_columns(i).iter().zip(self.row(i)) {
                dense[(i, j as usize)] = value;
                dense[(j as usize, i)] = value;
            }
        }
        dense
    }

    /// M x, for a matrix that is not factored.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for i in 0..self.size() {
            let (row, columns) = (self.row(i), self.row_columns(i));
            let last = row.len() - 1;
            let mut sum = row[last] * x[i];
            for k in 0..last {
                let j = columns[k] as usize;
                sum += row[k] * x[j];
                out[j] += row[k] * x[i];
            }
            out[i] += sum;
        }
    }

    /// Replaces M by its factors, M = Lᵀ D L with L unit lower triangular and as sparse as M. Featherstone 2005:
    ///
    /// ```text
    /// for k = n … 1, for each ancestor i of k, nearest first:
    ///     a = M_ki / M_kk
    ///     M_ij −= a M_kj for all ancestors j of i, and i itself
    ///     M_ki = a
    /// ```
    ///
    /// Returns false, with the factors useless, if M is not positive definite.
    pub fn factor(&mut self) -> bool {
        for k in (0..self.size()).rev() {
            let (above, rest) = self.values.split_at_mut(self.starts[k]);
            let row_k = &mut rest[..self.starts[k + 1] - self.starts[k]];
            let last = row_k.len() - 1;
            let d = row_k[last];
            // `!(d > 0)` also catches NaN.
            if !(d > 0.0) {
                return false;
            }
            let d_inverse = 1.0 / d;
            self.d_inverse[k] = d_inverse;
            for depth in (0..last).rev() {
                let a = row_k[depth] * d_inverse;
                let i = self.columns[self.starts[k] + depth] as usize;
                let row_i = &mut above[self.starts[i]..=self.starts[i] + depth];
                for (m_ij, m_kj) in row_i.iter_mut().zip(&row_k[..=depth]) {
                    *m_ij -= a * m_kj;
                }
                row_k[depth] = a;
            }
        }
        true
    }

    /// x ← M⁻¹ x, after [`TreeMatrix::factor`].
    pub fn solve(&self, x: &mut [f64]) {
        for k in (0..self.size()).rev() {
            let (row, columns) = (self.row(k), self.row_columns(k));
            let x_k = x[k];
            for d in 0..row.len() - 1 {
                x[columns[d] as usize] -= row[d] * x_k;
            }
        }
        for k in 0..self.size() {
            let (row, columns) = (self.row(k), self.row_columns(k));
            let mut x_k = x[k] * self.d_inverse[k];
            for d in 0..row.len() - 1 {
                x_k -= row[d] * x[columns[d] as usize];
            }
            x[k] = x_k;
        }
    }

    /// M⁻¹ b as a new vector.
    pub fn solved(&self, b: &DVector<f64>) -> DVector<f64> {
        let mut x = b.clone();
        self.solve(x.as_mut_slice());
        x
    }
}

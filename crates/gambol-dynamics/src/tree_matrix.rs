//! A symmetric matrix with the sparsity of a tree, and its factorisation without fill-in (Featherstone 2005).
//!
//! Entry (i, j) can differ from zero only if one coordinate is an ancestor of the other. Row i holds the entries of
//! i's ancestors from the root down, then its diagonal. The ancestors of an ancestor are the front part of one's own,
//! so the front of row i lies under the whole of each ancestor's row: the factorisation runs over plain contiguous
//! slices, with no index in its inner loop. Rows are padded to whole groups of [`LANES`] numbers so that the loop has
//! no remainder; what stands in the padding is never read.

use gambol_model::math;
use nalgebra::DMatrix;

use crate::Creature;

/// A creature so large and deep that its mass matrix does not fit into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the mass matrix would have {entries} entries; use the recursive algorithms for a creature this large"
)]
pub struct TooLarge {
    /// Entries of the sparse matrix.
    pub entries: usize,
}

/// Symmetric, sparse as the tree of a creature; see the module's text. Holds M, or after [`TreeMatrix::factor`] the L
/// and D of M = Lᵀ D L.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeMatrix {
    /// Row i is `values[LANES * starts[i]..][..depths[i]]`, in whole groups up to `starts[i + 1]`.
    starts: Vec<usize>,
    depths: Vec<usize>,
    values: Vec<[f64; LANES]>,
    /// Column of each value, padded alike.
    columns: Vec<u32>,
    /// 1 / D, valid once factored.
    d_inverse: Vec<f64>,
}

/// Numbers in a group: one AVX register, two of SSE2 or NEON.
const LANES: usize = 4;

/// 2³¹ entries, 16 GB: beyond any rig, and well before addresses overflow.
const MOST_ENTRIES: usize = 1 << 31;

impl TreeMatrix {
    /// A zero matrix with the sparsity of `creature`.
    pub fn new(creature: &Creature) -> Result<Self, TooLarge> {
        let dofs = creature.dofs();
        let groups: usize = dofs.iter().map(|dof| dof.depth.div_ceil(LANES)).sum();
        let too_large = TooLarge { entries: groups * LANES };
        if too_large.entries > MOST_ENTRIES {
            return Err(too_large);
        }
        let mut starts = Vec::with_capacity(dofs.len() + 1);
        let mut columns: Vec<u32> = Vec::with_capacity(groups * LANES);
        starts.push(0);
        for (i, dof) in dofs.iter().enumerate() {
            if let Some(parent) = dof.parent {
                let start = LANES * starts[parent];
                columns.extend_from_within(start..start + dof.depth - 1);
            }
            columns.push(u32::try_from(i).map_err(|_| too_large)?);
            columns.resize(columns.len().next_multiple_of(LANES), 0);
            starts.push(columns.len() / LANES);
        }
        let depths = dofs.iter().map(|dof| dof.depth).collect();
        Ok(Self {
            starts,
            depths,
            values: vec![[0.0; LANES]; groups],
            columns,
            d_inverse: vec![0.0; dofs.len()],
        })
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.d_inverse.len()
    }

    /// Row `i`: the entries of its ancestors from the root down, then its diagonal.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[self.starts[i]..self.starts[i + 1]].as_flattened()[..self.depths[i]]
    }

    /// The columns of [`TreeMatrix::row`].
    pub fn row_columns(&self, i: usize) -> &[u32] {
        &self.columns[LANES * self.starts[i]..][..self.depths[i]]
    }

    /// All entries zero.
    pub fn clear(&mut self) {
        self.values.fill([0.0; LANES]);
    }

    /// Row `i`, to be written before [`TreeMatrix::factor`].
    #[inline(always)]
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[self.starts[i]..self.starts[i + 1]].as_flattened_mut()[..self.depths[i]]
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
    /// for k = n … 1, for each ancestor i of k:
    ///     M_ij −= (M_ki / M_kk) M_kj for all ancestors j of i, and i itself
    /// then M_ki ← M_ki / M_kk
    /// ```
    ///
    /// A coordinate and a parent that stands right before it are eliminated together: the rows of their common
    /// ancestors are then visited once for both.
    ///
    /// Returns false, with the factors useless, if M is not positive definite.
    pub fn factor(&mut self) -> bool {
        let Self { starts, depths, values, columns, d_inverse } = self;
        let mut end = starts.len() - 1;
        while end > 0 {
            let k = end - 1;
            let ancestors = &columns[LANES * starts[k]..][..depths[k] - 1];
            let paired = ancestors.last().is_some_and(|&parent| parent as usize + 1 == k);
            let first = if paired { k - 1 } else { k };
            let (above, rows) = values.split_at_mut(starts[first]);
            let (parent, row_k) = rows.split_at_mut(starts[k] - starts[first]);
            let row_k = &mut row_k[..starts[k + 1] - starts[k]];

            let Some(inverse_k) = inverse_pivot(row_k, depths[k]) else { return false };
            d_inverse[k] = inverse_k;
            if paired {
                let a = row_k.as_flattened()[depths[first] - 1] * inverse_k;
                for (m_ij, m_kj) in parent.iter_mut().zip(&*row_k) {
                    for lane in 0..LANES {
                        m_ij[lane] -= a * m_kj[lane];
                    }
                }
                let Some(inverse_parent) = inverse_pivot(parent, depths[first]) else { return false };
                d_inverse[first] = inverse_parent;
                for (depth, &i) in ancestors[..depths[first] - 1].iter().enumerate().rev() {
                    let a = row_k.as_flattened()[depth] * inverse_k;
                    let b = parent.as_flattened()[depth] * inverse_parent;
                    let row_i = &mut above[starts[i as usize]..starts[i as usize + 1]];
                    for ((m_ij, m_kj), m_pj) in row_i.iter_mut().zip(&*row_k).zip(&*parent) {
                        for lane in 0..LANES {
                            m_ij[lane] -= a * m_kj[lane] + b * m_pj[lane];
                        }
                    }
                }
                scale(parent, inverse_parent);
            } else {
                for (depth, &i) in ancestors.iter().enumerate().rev() {
                    let a = row_k.as_flattened()[depth] * inverse_k;
                    let row_i = &mut above[starts[i as usize]..starts[i as usize + 1]];
                    for (m_ij, m_kj) in row_i.iter_mut().zip(&*row_k) {
                        for lane in 0..LANES {
                            m_ij[lane] -= a * m_kj[lane];
                        }
                    }
                }
            }
            scale(row_k, inverse_k);
            end = first;
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

    /// Adds `extra` to the diagonal entry `i`, before [`TreeMatrix::factor`].
    pub fn add_diagonal(&mut self, i: usize, extra: f64) {
        let row = self.row_mut(i);
        let last = row.len() - 1;
        row[last] += extra;
    }

    /// 1 / D, after [`TreeMatrix::factor`].
    pub(crate) fn d_inverse(&self) -> &[f64] {
        &self.d_inverse
    }

    /// log det M, after [`TreeMatrix::factor`].
    pub fn log_determinant(&self) -> f64 {
        -self.d_inverse.iter().map(|d| math::ln(*d)).sum::<f64>()
    }
}

/// 1 / diagonal of a row, if that is positive (and a number).
#[inline(always)]
fn inverse_pivot(row: &[[f64; LANES]], depth: usize) -> Option<f64> {
    let d = row.as_flattened()[depth - 1];
    (d > 0.0).then(|| 1.0 / d)
}

#[inline(always)]
fn scale(row: &mut [[f64; LANES]], factor: f64) {
    for value in row.as_flattened_mut() {
        *value *= factor;
    }
}

//! Symmetric matrices over the nodes of a tree: blocks of six on the diagonal, and between each node and its parent.
//!
//! Eliminated from the tips to the root, such a matrix fills in nowhere: a node that goes changes its parent's block and
//! nothing else. Factor, product and solution take time in proportion to the number of nodes.
//!
//! ```text
//! for nodes from the last to the first:         A = L Lᵀ
//!     Lᵢ Lᵢᵀ = Dᵢ                                (Cholesky of a block)
//!     Wᵢ = Lᵢ⁻¹ Bᵢ;  D_parent −= Wᵢᵀ Wᵢ
//! ```

use gambol_modes::krylov::{LANES, Row};

use crate::PlantError;
use crate::beam::{Blocks, Mat6};

/// Six rows: displacement and rotation of a node, of a few vectors at once.
const SIX: usize = 6;

/// A symmetric matrix over the nodes of a tree whose root, node 0, is clamped.
#[derive(Clone, Debug)]
pub struct TreeSystem {
    parents: Vec<usize>,
    diagonal: Vec<Mat6>,
    /// Rows of the node, columns of its parent.
    coupling: Vec<Mat6>,
}

impl TreeSystem {
    /// A matrix of zeros. A parent stands before its children.
    pub fn new(parents: &[usize]) -> Self {
        let n = parents.len();
        Self { parents: parents.to_vec(), diagonal: vec![Mat6::zeros(); n], coupling: vec![Mat6::zeros(); n] }
    }

    /// Adds an element that ends in `node`.
    pub fn add(&mut self, node: usize, blocks: &Blocks) {
        self.diagonal[node] += blocks.node;
        self.coupling[node] += blocks.coupling;
        self.diagonal[self.parents[node]] += blocks.parent;
    }

    /// Adds a mass that does not turn, kg, to a node.
    pub fn add_point(&mut self, node: usize, mass: f64) {
        (0..3).for_each(|axis| self.diagonal[node][(axis, axis)] += mass);
    }

    /// `out` = A x. The root's rows count as 0 and stay 0.
    pub fn multiply(&self, x: &[Row], out: &mut [Row]) {
        out[..SIX].fill([0.0; LANES]);
        for node in 1..self.parents.len() {
            let at = SIX * node;
            let mut sum = [[0.0; LANES]; SIX];
            add_product(&self.diagonal[node], &x[at..at + SIX], &mut sum);
            let parent = self.parents[node];
            if parent > 0 {
                let above = SIX * parent;
                add_product(&self.coupling[node], &x[above..above + SIX], &mut sum);
                // A parent stands before: its own rows are there already.
                add_transposed(&self.coupling[node], &x[at..at + SIX], &mut out[above..above + SIX]);
            }
            out[at..at + SIX].copy_from_slice(&sum);
        }
    }

    /// A = L Lᵀ.
    pub fn factor(&self) -> Result<TreeFactor, PlantError> {
        let n = self.parents.len();
        let mut diagonal = self.diagonal.clone();
        let mut factor = TreeFactor {
            parents: self.parents.clone(),
            lower: vec![Mat6::zeros(); n],
            reciprocal: vec![[0.0; SIX]; n],
            coupling: vec![Mat6::zeros(); n],
        };
        for node in (1..n).rev() {
            let lower = diagonal[node].cholesky().ok_or(PlantError::Singular { node })?.unpack();
            let reciprocal: [f64; SIX] = std::array::from_fn(|i| 1.0 / lower[(i, i)]);
            if reciprocal.iter().any(|r| !r.is_finite()) {
                return Err(PlantError::Singular { node });
            }
            let parent = self.parents[node];
            if parent > 0 {
                let w = lower
                    .solve_lower_triangular(&self.coupling[node])
                    .ok_or(PlantError::Singular { node })?;
                diagonal[parent] -= w.tr_mul(&w);
                factor.coupling[node] = w;
            }
            factor.lower[node] = lower;
            factor.reciprocal[node] = reciprocal;
        }
        Ok(factor)
    }
}

/// The factor of a [`TreeSystem`].
#[derive(Clone, Debug)]
pub struct TreeFactor {
    parents: Vec<usize>,
    /// Lᵢ
    lower: Vec<Mat6>,
    /// 1 over the diagonal of Lᵢ.
    reciprocal: Vec<[f64; SIX]>,
    /// Wᵢ
    coupling: Vec<Mat6>,
}

impl TreeFactor {
    /// x ← L⁻¹ x, from the tips to the root.
    pub fn solve_lower(&self, x: &mut [Row]) {
        for node in (1..self.parents.len()).rev() {
            let (lower, reciprocal) = (&self.lower[node], &self.reciprocal[node]);
            let (above, own) = x.split_at_mut(SIX * node);
            let own = &mut own[..SIX];
            for i in 0..SIX {
                let mut sum = own[i];
                for j in 0..i {
                    for l in 0..LANES {
                        sum[l] -= lower[(i, j)] * own[j][l];
                    }
                }
                own[i] = sum.map(|x| x * reciprocal[i]);
            }
            let parent = self.parents[node];
            if parent > 0 {
                let w = &self.coupling[node];
                let above = &mut above[SIX * parent..SIX * parent + SIX];
                for (j, above) in above.iter_mut().enumerate() {
                    for (i, own) in own.iter().enumerate() {
                        for l in 0..LANES {
                            above[l] -= w[(i, j)] * own[l];
                        }
                    }
                }
            }
        }
        x[..SIX].fill([0.0; LANES]);
    }

    /// x ← L⁻ᵀ x, from the root to the tips.
    pub fn solve_upper(&self, x: &mut [Row]) {
        x[..SIX].fill([0.0; LANES]);
        for node in 1..self.parents.len() {
            let (lower, reciprocal, w) = (&self.lower[node], &self.reciprocal[node], &self.coupling[node]);
            let (above, own) = x.split_at_mut(SIX * node);
            let own = &mut own[..SIX];
            let parent = self.parents[node];
            if parent > 0 {
                let above = &above[SIX * parent..SIX * parent + SIX];
                for (i, own) in own.iter_mut().enumerate() {
                    for (j, above) in above.iter().enumerate() {
                        for l in 0..LANES {
                            own[l] -= w[(i, j)] * above[l];
                        }
                    }
                }
            }
            for i in (0..SIX).rev() {
                let mut sum = own[i];
                for j in i + 1..SIX {
                    for l in 0..LANES {
                        sum[l] -= lower[(j, i)] * own[j][l];
                    }
                }
                own[i] = sum.map(|x| x * reciprocal[i]);
            }
        }
    }

    /// x ← A⁻¹ x.
    pub fn solve(&self, x: &mut [Row]) {
        self.solve_lower(x);
        self.solve_upper(x);
    }
}

fn add_product(m: &Mat6, x: &[Row], sum: &mut [Row; SIX]) {
    for (j, x) in x.iter().enumerate() {
        for (i, sum) in sum.iter_mut().enumerate() {
            for l in 0..LANES {
                sum[l] += m[(i, j)] * x[l];
            }
        }
    }
}

fn add_transposed(m: &Mat6, x: &[Row], sum: &mut [Row]) {
    for (j, sum) in sum.iter_mut().enumerate() {
        for (i, x) in x.iter().enumerate() {
            for l in 0..LANES {
                sum[l] += m[(i, j)] * x[l];
            }
        }
    }
}

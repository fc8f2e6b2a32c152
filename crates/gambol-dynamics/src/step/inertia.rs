//! The inertia that a step has to move, M' = M + h D + s h² K, and its inverse.
//!
//! Damping and springs of joints sit on the diagonal, so M' is as sparse as M. Two ways to its inverse, by the shape of
//! the tree:
//!
//! - **Whitened**: M' = Lᵀ D L; in the coordinates z = D^½ L v the inertia is the identity, and an impulse on a body
//!   touches only the coordinates between that body and the root, in z as in v. All contacts of a creature are solved
//!   without a matrix between them.
//! - **Articulated**: for a creature so deep that M has no place, articulated bodies with M' on the diagonal, linear in
//!   the number of coordinates. z is then v itself, and the answer to an impulse is dense.

use crate::aba::{forward_dynamics_here, solve_articulated};
use crate::crba::fill_mass_matrix;
use crate::{Creature, Data, TreeMatrix};

/// Ways to the inverse of M'.
#[derive(Clone, Debug)]
pub(super) enum Inertia {
    Whitened {
        matrix: TreeMatrix,
        /// 1/√D
        root: Vec<f64>,
    },
    Articulated,
}

/// Mean depth of a coordinate above which articulated bodies are faster: a chain of fifty hinges.
const DEEP: usize = 30;

impl Inertia {
    pub(super) fn new(creature: &Creature) -> Self {
        let depths: usize = creature.dofs().iter().map(|dof| dof.depth).sum();
        match TreeMatrix::new(creature) {
            Ok(matrix) if depths <= DEEP * creature.nv() => {
                Self::Whitened { matrix, root: vec![0.0; creature.nv()] }
            }
            _ => Self::Articulated,
        }
    }

    /// Prepares the inverse at the pose of `data.frames`, with `extra` on the diagonal of M. `false` if M' is not positive
    /// definite.
    pub(super) fn factor(&mut self, creature: &Creature, data: &mut Data, v: &[f64], extra: &[f64]) -> bool {
        let Self::Whitened { matrix, root } = self else {
            forward_dynamics_here(creature, data, v, v, |dof| extra[dof]); // for the articulated inertias it leaves
            return true;
        };
        fill_mass_matrix(creature, data, matrix);
        for (dof, extra) in extra.iter().enumerate() {
            matrix.add_diagonal(dof, *extra);
        }
        if !matrix.factor() {
            return false;
        }
        for (root, d_inverse) in root.iter_mut().zip(matrix.d_inverse()) {
            *root = d_inverse.sqrt();
        }
        true
    }

    /// Turns the impulse `z` on the coordinates into the z of the velocity that it leads to from `v`.
    pub(super) fn advance(&self, creature: &Creature, data: &mut Data, v: &[f64], z: &mut [f64]) {
        match self {
            Self::Whitened { matrix, root } => {
                whiten_force(matrix, root, z);
                add_whitened(matrix, root, v, z);
            }
            Self::Articulated => {
                solve_articulated(creature, data, z);
                for (z, v) in z.iter_mut().zip(v) {
                    *z += v;
                }
            }
        }
    }

    /// The velocity of `z`, in place.
    pub(super) fn velocity(&self, z: &mut [f64]) {
        let Self::Whitened { matrix, root } = self else { return };
        for k in 0..z.len() {
            let (row, columns) = (matrix.row(k), matrix.row_columns(k));
            let mut sum = z[k] * root[k];
            for d in 0..row.len() - 1 {
                sum -= row[d] * z[columns[d] as usize];
            }
            z[k] = sum;
        }
    }

    /// Turns a Jacobian with `N` rows over the coordinates `columns`, which are all between one coordinate and the
    /// root, into one over z.
    pub(super) fn whiten_path<const N: usize>(&self, columns: &[u32], jacobian: &mut [[f64; N]]) {
        let Self::Whitened { matrix, root } = self else { return };
        for k in (0..columns.len()).rev() {
            let dof = columns[k] as usize;
            let row = matrix.row(dof);
            let (above, own) = jacobian.split_at_mut(k);
            let own = &mut own[0];
            for (entry, l) in above.iter_mut().zip(row) {
                for n in 0..N {
                    entry[n] -= l * own[n];
                }
            }
            for value in own {
                *value *= root[dof];
            }
        }
    }

    /// The same over all coordinates.
    pub(super) fn whiten(&self, jacobian: &mut [f64]) {
        let Self::Whitened { matrix, root } = self else { return };
        whiten_force(matrix, root, jacobian);
    }

    /// How z answers to an impulse along a row over all coordinates of z, in place.
    pub(super) fn respond(&self, creature: &Creature, data: &mut Data, row: &mut [f64]) {
        if matches!(self, Self::Articulated) {
            solve_articulated(creature, data, row);
        }
    }

    /// An impulse along a row changes z by that row itself.
    pub(super) fn is_white(&self) -> bool {
        matches!(self, Self::Whitened { .. })
    }
}

/// x ← D^−½ L⁻ᵀ x
fn whiten_force(matrix: &TreeMatrix, root: &[f64], x: &mut [f64]) {
    for k in (0..x.len()).rev() {
        let (row, columns) = (matrix.row(k), matrix.row_columns(k));
        let x_k = x[k];
        for d in 0..row.len() - 1 {
            x[columns[d] as usize] -= row[d] * x_k;
        }
        x[k] = x_k * root[k];
    }
}

/// z += D^½ L v
fn add_whitened(matrix: &TreeMatrix, root: &[f64], v: &[f64], z: &mut [f64]) {
    for k in 0..z.len() {
        let (row, columns) = (matrix.row(k), matrix.row_columns(k));
        let mut sum = v[k];
        for d in 0..row.len() - 1 {
            sum += row[d] * v[columns[d] as usize];
        }
        z[k] += sum / root[k];
    }
}

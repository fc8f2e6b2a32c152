//! One-sided constraints as small blocks: one row for a joint at its limit, three for a contact.

use super::inertia::Inertia;
use super::loops::Loops;
use crate::{Creature, Data};

/// `N` rows that are solved together.
#[derive(Clone, Debug)]
pub(super) struct Block<const N: usize> {
    /// The same number from step to step: impulses are warm started by it.
    pub(super) key: u64,
    /// Where its rows lie in the pool, and how many coordinates they have.
    start: usize,
    len: usize,
    /// Y Yᵀ: how its velocities answer to its own impulses.
    pub(super) matrix: [[f64; N]; N],
    /// Added to the velocities, m/s: what they must not fall below is zero then.
    pub(super) bias: [f64; N],
    /// Velocity given away per impulse: zero for a hard constraint. Normal, then tangential.
    pub(super) compliance: [f64; N],
    /// Coulomb's coefficient; of no meaning for a limit.
    pub(super) friction: f64,
    /// N·s or N·m·s
    pub(super) impulse: [f64; N],
}

/// Blocks of one kind, with their rows in one pool.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks<const N: usize> {
    pub(super) list: Vec<Block<N>>,
    /// Coordinates of z that a row touches, and its entries there.
    columns: Vec<u32>,
    rows: Vec<[f64; N]>,
    /// Answers of all of z to unit impulses, nv for each block; empty where the answer is the row itself.
    responses: Vec<[f64; N]>,
    /// Scratch: a row over all coordinates, and the impulses of loops.
    dense: [Vec<f64>; 2],
}

impl<const N: usize> Blocks<N> {
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.columns.clear();
        self.rows.clear();
        self.responses.clear();
    }

    /// Adds a block: `jacobian` gives its entries at a coordinate. The coordinates are those above `dofs` (one, or two for a
    /// contact between two bodies), each once.
    pub(super) fn push(
        &mut self,
        creature: &Creature,
        data: &mut Data,
        (inertia, loops): (&Inertia, &Loops),
        dofs: [Option<usize>; 2],
        jacobian: impl Fn(&Data, usize) -> [f64; N],
    ) -> &mut Block<N> {
        let start = self.columns.len();
        add_path(creature, dofs, &mut self.columns);
        let columns = &self.columns[start..];
        self.rows.extend(columns.iter().map(|&dof| jacobian(data, dof as usize)));
        let rows = &mut self.rows[start..];
        if dofs[1].is_none() {
            inertia.whiten_path(columns, rows);
        } else {
            whiten_paths(inertia, columns, rows, creature.nv(), &mut self.dense[0]);
        }
        let matrix = if inertia.is_white() && loops.is_empty() {
            gram(rows.iter().zip(rows.iter()))
        } else {
            self.add_response(creature, data, (inertia, loops), start)
        };
        self.list.push(Block {
            key: 0,
            start,
            len: self.columns.len() - start,
            matrix,
            bias: [0.0; N],
            compliance: [0.0; N],
            friction: 0.0,
            impulse: [0.0; N],
        });
        self.list.last_mut().expect("just pushed")
    }

    /// Answers of z to the rows from `start` on, and of these rows to themselves.
    fn add_response(
        &mut self,
        creature: &Creature,
        data: &mut Data,
        (inertia, loops): (&Inertia, &Loops),
        start: usize,
    ) -> [[f64; N]; N] {
        let (columns, rows) = (&self.columns[start..], &self.rows[start..]);
        let first = self.responses.len();
        self.responses.resize(first + creature.nv(), [0.0; N]);
        let responses = &mut self.responses[first..];
        let [dense, scratch] = &mut self.dense;
        for n in 0..N {
            scatter(columns, rows, n, creature.nv(), dense);
            inertia.respond(creature, data, dense);
            loops.project(dense, scratch);
            for (response, value) in responses.iter_mut().zip(dense.iter()) {
                response[n] = *value;
            }
        }
        gram(rows.iter().zip(columns.iter().map(|&dof| &responses[dof as usize])))
    }

    /// Velocities of block `index` at `z`.
    #[inline(always)]
    pub(super) fn velocity(&self, index: usize, z: &[f64]) -> [f64; N] {
        let block = &self.list[index];
        let range = block.start..block.start + block.len;
        let mut sum = [0.0; N];
        for (&column, row) in self.columns[range.clone()].iter().zip(&self.rows[range]) {
            let z = z[column as usize];
            for n in 0..N {
                sum[n] += row[n] * z;
            }
        }
        sum
    }

    /// Adds `impulse` of block `index` to `z`.
    #[inline(always)]
    pub(super) fn apply(&self, index: usize, impulse: &[f64; N], z: &mut [f64]) {
        if self.responses.is_empty() {
            let block = &self.list[index];
            let range = block.start..block.start + block.len;
            for (&column, row) in self.columns[range.clone()].iter().zip(&self.rows[range]) {
                let mut sum = 0.0;
                for n in 0..N {
                    sum += row[n] * impulse[n];
                }
                z[column as usize] += sum;
            }
        } else {
            let nv = z.len();
            for (z, row) in z.iter_mut().zip(&self.responses[index * nv..]) {
                for n in 0..N {
                    *z += row[n] * impulse[n];
                }
            }
        }
    }
}

/// Appends the coordinates above `dofs`, from the root down, each once.
#[allow(clippy::cast_possible_truncation)] // a creature has fewer than 2³² coordinates
fn add_path(creature: &Creature, dofs: [Option<usize>; 2], columns: &mut Vec<u32>) {
    let start = columns.len();
    for dof in dofs {
        let mut next = dof;
        while let Some(dof) = next {
            columns.push(dof as u32);
            next = creature.dofs()[dof].parent;
        }
    }
    let path = &mut columns[start..];
    if dofs[1].is_none() {
        path.reverse();
        return;
    }
    path.sort_unstable(); // a parent's index is smaller
    let mut kept = 0;
    for k in 0..path.len() {
        if k == 0 || path[k] != path[kept - 1] {
            path[kept] = path[k];
            kept += 1;
        }
    }
    columns.truncate(start + kept);
}

/// Sum of row · responseᵀ, a symmetric matrix.
#[inline(always)]
fn gram<'a, const N: usize>(pairs: impl Iterator<Item = (&'a [f64; N], &'a [f64; N])>) -> [[f64; N]; N] {
    let mut matrix = [[0.0; N]; N];
    for (row, response) in pairs {
        for a in 0..N {
            for b in 0..=a {
                matrix[a][b] += row[a] * response[b];
            }
        }
    }
    for a in 0..N {
        for b in 0..a {
            matrix[b][a] = matrix[a][b];
        }
    }
    matrix
}

/// Row `n` over all coordinates.
fn scatter<const N: usize>(columns: &[u32], rows: &[[f64; N]], n: usize, nv: usize, dense: &mut Vec<f64>) {
    dense.clear();
    dense.resize(nv, 0.0);
    for (&dof, row) in columns.iter().zip(rows) {
        dense[dof as usize] = row[n];
    }
}

/// Rows over two branches of the tree: by way of all coordinates.
fn whiten_paths<const N: usize>(
    inertia: &Inertia,
    columns: &[u32],
    rows: &mut [[f64; N]],
    nv: usize,
    dense: &mut Vec<f64>,
) {
    for n in 0..N {
        scatter(columns, rows, n, nv, dense);
        inertia.whiten(dense);
        for (&dof, row) in columns.iter().zip(rows.iter_mut()) {
            row[n] = dense[dof as usize];
        }
    }
}

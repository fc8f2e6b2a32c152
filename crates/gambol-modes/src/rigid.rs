//! Rigid motions: a canonical basis of what the constraints leave of translations and rotations.
//!
//! Every rigid motion is a twist of each tree about the tree's centre of mass. The basis is the reduced echelon form
//! of these twists with pivots on roll, pitch, yaw first and then on x, y, z: a rotation that a pinned hand allows is
//! "pitch, with what that moves along", never "forward, with some pitch". Each pivot is 1 (m or rad), which pins the
//! sign. The order is x, y, z, roll, pitch, yaw of the first tree, then of the next.

use gambol_dynamics::Data;
use gambol_model::{Creature, Vec3};
use nalgebra::DMatrix;

use crate::coordinates::Coordinates;

/// Pivots below this share of the largest entry are rounding.
const PIVOT_TOLERANCE: f64 = 1e-9;

/// Canonical rigid motions within the span of `free` (root coordinates × rigid directions), as tangent vectors over
/// all nv coordinates. Needs `data.frames` and `data.axes` at the pose.
pub(crate) fn canonical(
    creature: &Creature,
    data: &Data,
    coordinates: &Coordinates,
    free: &DMatrix<f64>,
) -> Vec<Vec<f64>> {
    let twists = root_twists(creature, data, coordinates);
    // Rows are rigid motions: first their twists, then the root coordinates that make them.
    let columns = twists.nrows();
    let mut table = DMatrix::zeros(free.ncols(), columns + free.nrows());
    table.columns_mut(0, columns).copy_from(&(&twists * free).transpose());
    table.columns_mut(columns, free.nrows()).copy_from(&free.transpose());
    let pivots = echelon(&mut table, columns);

    let mut order: Vec<usize> = (0..pivots.len()).collect();
    order.sort_by_key(|&row| position(pivots[row]));
    let tangent = |row: usize| {
        let mut shape = vec![0.0; creature.nv()];
        for (k, &dof) in coordinates.root.iter().enumerate() {
            shape[dof] = table[(row, columns + k)];
        }
        shape
    };
    order.into_iter().map(tangent).collect()
}

/// Place of a pivot column in the order x, y, z, roll, pitch, yaw per tree; columns are angular first.
fn position(column: usize) -> usize {
    column / 6 * 6 + (column + 3) % 6
}

/// Twists (angular; linear at the tree's centre of mass) of every tree per unit of each root coordinate.
fn root_twists(creature: &Creature, data: &Data, coordinates: &Coordinates) -> DMatrix<f64> {
    let trees = Trees::new(creature, data);
    let mut twists = DMatrix::zeros(6 * trees.centres.len(), coordinates.root.len());
    for (k, &dof) in coordinates.root.iter().enumerate() {
        let body = creature.dofs()[dof].body;
        let tree = trees.tree_of[body];
        let axis = &data.axes[dof];
        let linear = axis.linear + axis.angular.cross(&(trees.centres[tree] - data.frames[body].position));
        twists.view_mut((6 * tree, k), (3, 1)).copy_from(&axis.angular);
        twists.view_mut((6 * tree + 3, k), (3, 1)).copy_from(&linear);
    }
    twists
}

/// The trees that hang from the world.
struct Trees {
    /// Tree of each body.
    tree_of: Vec<usize>,
    /// Centre of mass of each tree in the world, m.
    centres: Vec<Vec3>,
}

impl Trees {
    fn new(creature: &Creature, data: &Data) -> Self {
        let mut tree_of = vec![0; creature.bodies().len()];
        let mut sums: Vec<(Vec3, f64)> = Vec::new();
        for (index, body) in creature.bodies().iter().enumerate().skip(1) {
            if body.parent == 0 {
                tree_of[index] = sums.len();
                sums.push((Vec3::zeros(), 0.0));
            } else {
                tree_of[index] = tree_of[body.parent];
            }
            let (first, mass) = &mut sums[tree_of[index]];
            *first += data.frames[index].point_in_world(body.mass.com) * body.mass.mass;
            *mass += body.mass.mass;
        }
        let centre = |(first, mass): &(Vec3, f64)| if *mass > 0.0 { first / *mass } else { Vec3::zeros() };
        Self { tree_of, centres: sums.iter().map(centre).collect() }
    }
}

/// Reduced row echelon form over the first `columns` columns, each taken in turn as a pivot if anything is left in it.
/// Returns the pivot column of each row. Columns of a tree are visited angular first, as they stand.
fn echelon(table: &mut DMatrix<f64>, columns: usize) -> Vec<usize> {
    let scale = table.columns(0, columns).amax();
    let mut pivots = Vec::new();
    for column in 0..columns {
        let top = pivots.len();
        let Some(row) = (top..table.nrows())
            .max_by(|&a, &b| table[(a, column)].abs().total_cmp(&table[(b, column)].abs()))
            .filter(|&row| table[(row, column)].abs() > PIVOT_TOLERANCE * scale)
        else {
            continue;
        };
        table.swap_rows(top, row);
        let inverse = 1.0 / table[(top, column)];
        table.row_mut(top).scale_mut(inverse);
        for other in (0..table.nrows()).filter(|&other| other != top) {
            let factor = table[(other, column)];
            if factor != 0.0 {
                let pivot_row = table.row(top) * factor;
                let mut row = table.row_mut(other);
                row -= pivot_row;
            }
        }
        pivots.push(column);
    }
    pivots
}

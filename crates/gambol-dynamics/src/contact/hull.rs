//! Corners of a convex hull, and a fast way to the lowest.
//!
//! A linear function on a convex body has no maximum but the highest: walking from corner to corner, always to the
//! best neighbour, ends there. The walk starts from a table over directions, so that it takes a few steps whatever the
//! size of the hull, and remembers nothing from call to call.

use gambol_model::TriMesh;

use super::solid::Ball;
use crate::Vec3;

/// Cells of the table of starts along each side of a cube. Walks on a sphere of 2,500 corners take five steps on average.
const CELLS: usize = 4;

/// A convex hull as a graph of its corners.
#[derive(Clone, Debug)]
pub(super) struct Hull {
    /// In the body frame, m.
    corners: Vec<Vec3>,
    /// Neighbours of corner k are `neighbours[first[k]..first[k + 1]]`.
    first: Vec<usize>,
    neighbours: Vec<usize>,
    /// The corner farthest in the direction of the middle of each cell.
    starts: Vec<usize>,
}

impl Hull {
    pub(super) fn new(mesh: &TriMesh, in_body: impl Fn(Vec3) -> Vec3) -> Self {
        // A mesh in one plane has no hull; its own corners and edges serve as well.
        let hull = mesh.convex_hull().unwrap_or_else(|_| mesh.merged());
        let corners: Vec<Vec3> = hull.vertices().iter().map(|vertex| in_body(*vertex)).collect();
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for face in hull.faces() {
            let [a, b, c] = face.map(|corner| corner as usize);
            edges.extend([(a, b), (b, a), (b, c), (c, b), (c, a), (a, c)]);
        }
        edges.sort_unstable();
        edges.dedup();
        let first = (0..=corners.len()).map(|k| edges.partition_point(|edge| edge.0 < k)).collect();
        let neighbours = edges.into_iter().map(|edge| edge.1).collect();
        let best = |direction: Vec3| {
            let along = |k: &usize| corners[*k].dot(&direction);
            (0..corners.len()).max_by(|a, b| along(a).total_cmp(&along(b))).unwrap_or(0)
        };
        let starts = cell_middles().map(best).collect();
        Self { corners, first, neighbours, starts }
    }

    pub(super) fn bounds(&self) -> Ball {
        let points = self.corners.iter().map(|corner| Ball { center: *corner, radius: 0.0 });
        Ball::around(points).unwrap_or(Ball { center: Vec3::zeros(), radius: 0.0 })
    }

    pub(super) fn corner(&self, index: usize) -> Vec3 {
        self.corners[index]
    }

    /// The corner farthest in `direction`.
    pub(super) fn farthest(&self, direction: Vec3) -> usize {
        self.climb(direction, self.starts[cell(direction)])
    }

    /// The same, starting from a corner that is near.
    pub(super) fn climb(&self, direction: Vec3, start: usize) -> usize {
        let mut best = (start, self.corners[start].dot(&direction));
        loop {
            let here = best.0;
            for next in &self.neighbours[self.first[here]..self.first[here + 1]] {
                let along = self.corners[*next].dot(&direction);
                if along > best.1 {
                    best = (*next, along);
                }
            }
            if best.0 == here {
                return here;
            }
        }
    }
}

/// The cell of the table that a direction falls into: face of the cube, row, column.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // held to the cells
fn cell(direction: Vec3) -> usize {
    let axis = direction.iamax();
    let largest = direction[axis];
    let along = |other: usize| {
        let share = direction[other] / largest.abs().max(f64::MIN_POSITIVE); // −1 to 1
        (((share + 1.0) * 0.5 * CELLS as f64) as usize).min(CELLS - 1)
    };
    let face = 2 * axis + usize::from(largest < 0.0);
    (face * CELLS + along((axis + 1) % 3)) * CELLS + along((axis + 2) % 3)
}

/// The direction in the middle of each cell, in order.
fn cell_middles() -> impl Iterator<Item = Vec3> {
    (0..6 * CELLS * CELLS).map(|cell| {
        let middle = |k: usize| (k as f64 + 0.5) / CELLS as f64 * 2.0 - 1.0;
        let (face, row, column) = (cell / (CELLS * CELLS), cell / CELLS % CELLS, cell % CELLS);
        let axis = face / 2;
        let mut direction = Vec3::zeros();
        direction[axis] = if face % 2 == 0 { 1.0 } else { -1.0 };
        direction[(axis + 1) % 3] = middle(row);
        direction[(axis + 2) % 3] = middle(column);
        direction
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middles_of_cells_are_in_their_cells() {
        for (index, direction) in cell_middles().enumerate() {
            assert_eq!(cell(direction), index);
            assert_eq!(cell(direction * 0.01), index);
        }
    }
}

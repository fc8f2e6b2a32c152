//! The inside of a skin as small cubes, each of which belongs to one body. Flesh deep in a trunk belongs to somebody even
//! where many bones meet, and a skin may leak, overlap itself or be drawn in parts.
//!
//! How much a cube moves with each body follows from the skin around it, w(x) = ∫ w/d dω / ∫ 1/d dω over all directions ω,
//! where d is how far away the skin is that is seen there (mean value interpolation: Ju, Schaefer, Warren 2005, section 2).
//! The nearest skin alone will not do: half a thorax would go with the shoulder blades that lie on it. The cube belongs to
//! the median of these weights over the tree of bodies, the one off which no branch holds more than half. The heaviest
//! alone will not do: where a neck of seven vertebrae begins, each has less of the skin than the chest, and all together
//! have more. Nor would shared cubes: the far ends of faint weights make every inertia too large.
//!
//! A cube is inside if a line along an axis has entered more often than left before it gets there. Where a line does not
//! leave as often as it enters, the skin leaks there and the line has no say; of the three axes the majority counts.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gambol_model::{MassProperties, Mat3, Vec3, math};

/// Where a cube looks for skin: along the axes and diagonals of the grid, which come nearest to all directions alike.
const DIRECTIONS: usize = 26;
/// Steps to the six cubes beside a cube.
const SIDES: [[i32; 3]; 6] = [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]];
/// Grid lines are moved by this part of a cube, so that no line meets an edge of a skin drawn on round numbers.
const NUDGE: [f64; 3] = [1.31e-5, 2.47e-5, 3.73e-5];

/// The cubes inside of a skin.
pub(super) struct Voxels {
    low: Vec3,
    /// Edge of a cube, m.
    edge: f64,
    /// Cubes along the longest side.
    along: f64,
    count: [usize; 3],
    inside: Vec<bool>,
}

/// A point of the skin.
struct Sample {
    at: Vec3,
    triangle: usize,
    /// Of the triangle's corners.
    shares: [f64; 3],
}

impl Voxels {
    /// With `along` cubes along the longest side of the box.
    pub(super) fn new(points: &[Vec3], triangles: &[[usize; 3]], along: f64) -> Self {
        let first = points.first().copied().unwrap_or_default();
        let (low, high) = points.iter().fold((first, first), |(low, high), p| (low.inf(p), high.sup(p)));
        let extent = high - low;
        let edge = (extent.max() / along).max(f64::MIN_POSITIVE);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most `along` + 2
        let count = [0, 1, 2].map(|axis| (extent[axis] / edge).ceil() as usize + 2);
        // Centred, so that a symmetric skin gives symmetric cubes.
        let middle = (low + high) / 2.0;
        let low = middle - Vec3::new(count[0] as f64, count[1] as f64, count[2] as f64) * (edge / 2.0);
        let mut voxels = Self { low, edge, along, count, inside: Vec::new() };
        let mut votes = vec![0i8; count[0] * count[1] * count[2]];
        for axis in 0..3 {
            voxels.vote(axis, points, triangles, &mut votes);
        }
        voxels.inside = votes.into_iter().map(|votes| votes > 0).collect();
        voxels
    }

    fn index(&self, cell: [usize; 3]) -> usize {
        (cell[2] * self.count[1] + cell[1]) * self.count[0] + cell[0]
    }

    fn centre(&self, index: usize) -> Vec3 {
        let (x, rest) = (index % self.count[0], index / self.count[0]);
        let (y, z) = (rest % self.count[1], rest / self.count[1]);
        self.low + Vec3::new(x as f64 + 0.5, y as f64 + 0.5, z as f64 + 0.5) * self.edge
    }

    /// The cell that holds a point; the nearest one for a point outside of all.
    fn cell(&self, point: Vec3) -> [usize; 3] {
        [0, 1, 2].map(|axis| {
            let at = ((point[axis] - self.low[axis]) / self.edge).floor().max(0.0);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped
            let at = at as usize;
            at.min(self.count[axis] - 1)
        })
    }

    /// Lets every line along `axis` vote for the cubes that it finds inside and against those outside.
    fn vote(&self, axis: usize, points: &[Vec3], triangles: &[[usize; 3]], votes: &mut [i8]) {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let line = |axis: usize, k: usize| self.low[axis] + (k as f64 + 0.5 + NUDGE[axis]) * self.edge;
        // Where each line crosses the skin, and +1 where it enters.
        let mut crossings: Vec<Vec<(f64, i32)>> = vec![Vec::new(); self.count[u] * self.count[v]];
        for triangle in triangles {
            let corners = triangle.map(|k| points[k]);
            let (low, high) = (
                self.cell(corners[0].inf(&corners[1]).inf(&corners[2])),
                self.cell(corners[0].sup(&corners[1]).sup(&corners[2])),
            );
            for i in low[u]..=high[u] {
                for j in low[v]..=high[v] {
                    let at = [line(u, i), line(v, j)];
                    // Twice the area of the triangles between the line and each edge, seen along the axis.
                    let area =
                        |a: Vec3, b: Vec3| (a[u] - at[0]) * (b[v] - at[1]) - (a[v] - at[1]) * (b[u] - at[0]);
                    let [a, b, c] = corners;
                    let parts = [area(b, c), area(c, a), area(a, b)];
                    let total: f64 = parts.iter().sum();
                    if parts.iter().all(|part| *part > 0.0) || parts.iter().all(|part| *part < 0.0) {
                        let place = (parts[0] * a[axis] + parts[1] * b[axis] + parts[2] * c[axis]) / total;
                        // Seen along the axis, a face that points back is one to enter by.
                        crossings[j * self.count[u] + i].push((place, if total < 0.0 { 1 } else { -1 }));
                    }
                }
            }
        }
        for (k, list) in crossings.iter_mut().enumerate() {
            if list.iter().map(|(_, sign)| sign).sum::<i32>() != 0 {
                continue;
            }
            list.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (mut next, mut depth) = (0, 0);
            for w in 0..self.count[axis] {
                while next < list.len() && list[next].0 < line(axis, w) {
                    depth += list[next].1;
                    next += 1;
                }
                let mut cell = [0; 3];
                (cell[axis], cell[u], cell[v]) = (w, k % self.count[u], k / self.count[u]);
                votes[self.index(cell)] += if depth > 0 { 1 } else { -1 };
            }
        }
    }

    /// Number of cubes inside, and their volume, m³.
    pub(super) fn volume(&self) -> f64 {
        self.inside.iter().filter(|inside| **inside).count() as f64 * math::powi(self.edge, 3)
    }

    /// Mass properties at unit density of the cubes of each body, and how many they are. `weights` are those of the
    /// bodies on each vertex; `parents` of the bodies come before them.
    pub(super) fn weigh(
        &self,
        points: &[Vec3],
        triangles: &[[usize; 3]],
        weights: &[Vec<(usize, f64)>],
        parents: &[Option<usize>],
    ) -> Vec<(MassProperties, f64)> {
        let (samples, nearest) = self.nearest(points, triangles);
        // Index and length of a step in each direction.
        let steps: Vec<(isize, f64)> = directions()
            .map(|step| (self.offset(step), f64::from(step.iter().map(|x| x * x).sum::<i32>()).sqrt()))
            .collect();
        let mut sums = vec![(0.0, Vec3::zeros(), Mat3::zeros()); parents.len()];
        let mut seen = vec![0.0; parents.len()];
        for (index, view) in self.views() {
            seen.fill(0.0);
            for (&count, (offset, length)) in view.iter().zip(&steps) {
                // The skin is half a step beyond the last cube.
                let last = index.wrapping_add_signed(isize::from(count) * offset);
                let distance = (f64::from(count) + 0.5) * length;
                let Some(sample) = nearest[last] else { continue };
                let Sample { triangle, shares, .. } = &samples[sample];
                for (vertex, share) in triangles[*triangle].iter().zip(shares) {
                    for &(body, weight) in &weights[*vertex] {
                        seen[body] += share * weight / distance;
                    }
                }
            }
            let at = self.centre(index);
            let (count, first, second) = &mut sums[median(&mut seen, parents)];
            *count += 1.0;
            *first += at;
            *second += at * at.transpose();
        }
        let cube = math::powi(self.edge, 3);
        let of_body = |(count, first, second): (f64, Vec3, Mat3)| {
            if count <= 0.0 {
                return (MassProperties::default(), 0.0);
            }
            let com = first / count;
            let moment = second - com * com.transpose() * count;
            // A cube's own inertia is m edge² / 6 about any axis.
            let own = Mat3::from_diagonal_element(count * self.edge * self.edge / 6.0);
            let inertia = Mat3::from_diagonal_element(moment.trace()) - moment + own;
            (MassProperties { mass: count * cube, com, inertia: inertia * cube }, count)
        };
        sums.into_iter().map(of_body).collect()
    }

    /// For every cube inside, how many more follow it before the skin, in each direction.
    fn views(&self) -> Vec<(usize, [u8; DIRECTIONS])> {
        let inside = (0..self.inside.len()).filter(|&cell| self.inside[cell]);
        let mut views: Vec<_> = inside.map(|cell| (cell, [0; DIRECTIONS])).collect();
        let mut sight = vec![0_u8; self.inside.len()];
        for (direction, step) in directions().enumerate() {
            // A cube sees what the next one sees, one step further off.
            let mut look = |(cell, seen): &mut (usize, [u8; DIRECTIONS])| {
                let next = self.beside(*cell, step).filter(|&next| self.inside[next]);
                sight[*cell] = next.map_or(0, |next| sight[next] + 1);
                seen[direction] = sight[*cell];
            };
            // The next cube has to come first.
            if step[2] > 0 || step[2] == 0 && (step[1] > 0 || step[1] == 0 && step[0] > 0) {
                views.iter_mut().rev().for_each(&mut look);
            } else {
                views.iter_mut().for_each(&mut look);
            }
        }
        views
    }

    /// How far the index of a cube is from that of the cube one step before it.
    fn offset(&self, [x, y, z]: [i32; 3]) -> isize {
        let [nx, ny, _] = self.count.map(usize::cast_signed);
        (z as isize * ny + y as isize) * nx + x as isize
    }

    /// The cube one step from another, if it is in the grid.
    fn beside(&self, index: usize, step: [i32; 3]) -> Option<usize> {
        let [nx, ny, _] = self.count;
        let at = [index % nx, index / nx % ny, index / nx / ny];
        let mut next = [0; 3];
        for axis in 0..3 {
            next[axis] = at[axis].checked_add_signed(step[axis] as isize)?;
            if next[axis] >= self.count[axis] {
                return None;
            }
        }
        Some(self.index(next))
    }

    /// Points of the skin, and the nearest one to each cube inside: skin spreads inwards from cube to cube, the nearest
    /// first, and each cube keeps the point that reached it.
    fn nearest(&self, points: &[Vec3], triangles: &[[usize; 3]]) -> (Vec<Sample>, Vec<Option<usize>>) {
        let mut samples: Vec<Sample> = Vec::new();
        for (index, triangle) in triangles.iter().enumerate() {
            let [a, b, c] = triangle.map(|k| points[k]);
            let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            // at most the cubes across the box
            let steps = (longest / self.edge).ceil().clamp(1.0, 2.0 * self.along) as usize;
            for i in 0..=steps {
                for j in 0..=steps - i {
                    let (s, t) = (i as f64 / steps as f64, j as f64 / steps as f64);
                    let at = a + (b - a) * s + (c - a) * t;
                    samples.push(Sample { at, triangle: index, shares: [1.0 - s - t, s, t] });
                }
            }
        }
        let mut source: Vec<Option<(f64, usize)>> = vec![None; self.inside.len()];
        let mut queue = BinaryHeap::new();
        let reach = |cell: usize,
                     sample: usize,
                     source: &mut Vec<Option<(f64, usize)>>,
                     queue: &mut BinaryHeap<_>| {
            let distance = (self.centre(cell) - samples[sample].at).norm_squared();
            if source[cell].is_none_or(|(best, _)| distance < best) {
                source[cell] = Some((distance, sample));
                // Distances are not negative, so their bits are in their order.
                queue.push(Reverse((distance.to_bits(), cell, sample)));
            }
        };
        for (sample, Sample { at, .. }) in samples.iter().enumerate() {
            reach(self.index(self.cell(*at)), sample, &mut source, &mut queue);
        }
        while let Some(Reverse((_, cell, sample))) = queue.pop() {
            if source[cell].is_none_or(|(_, best)| best != sample) {
                continue;
            }
            for next in
                SIDES.iter().filter_map(|&side| self.beside(cell, side)).filter(|&next| self.inside[next])
            {
                reach(next, sample, &mut source, &mut queue);
            }
        }
        (samples, source.into_iter().map(|found| found.map(|(_, sample)| sample)).collect())
    }
}

/// Steps to the cubes around a cube.
fn directions() -> impl Iterator<Item = [i32; 3]> {
    (0..27).filter(|k| *k != 13).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1])
}

/// The body of a tree off which no branch holds more than half of the weights. Weights become those of whole branches.
fn median(weights: &mut [f64], parents: &[Option<usize>]) -> usize {
    let half = 0.5 * weights.iter().sum::<f64>();
    for body in (0..weights.len()).rev() {
        // All below it have been added to it, and none of them had more than half.
        if weights[body] > half {
            return body;
        }
        if let Some(parent) = parents[body] {
            weights[parent] += weights[body];
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_a_tree_does_not_care_how_a_branch_is_divided() {
        // A chest with a neck of one, then of three bones, and a tail.
        let whole = [None, Some(0), Some(0)];
        assert_eq!(median(&mut [0.35, 0.6, 0.05], &whole), 1);
        let divided = [None, Some(0), Some(0), Some(1), Some(3)];
        assert_eq!(median(&mut [0.35, 0.25, 0.05, 0.2, 0.15], &divided), 1);
        assert_eq!(median(&mut [0.3, 0.1, 0.0, 0.1, 0.5], &divided), 3);
        // Left and right alike: neither.
        assert_eq!(median(&mut [0.0, 0.5, 0.5], &whole), 0);
    }

    /// By definition: the median is nearest to all weights, in joints on the way.
    #[test]
    fn the_median_of_a_tree_is_the_nearest_to_all_weights() {
        let parents = [None, Some(0), Some(1), Some(1), Some(0), Some(4), Some(4)];
        let depth = |body: usize| std::iter::successors(Some(body), |&b| parents[b]).collect::<Vec<_>>();
        let apart = |a: usize, b: usize| {
            let (a, b) = (depth(a), depth(b));
            a.iter().filter(|x| !b.contains(x)).count() + b.iter().filter(|x| !a.contains(x)).count()
        };
        for seed in 1..200_u32 {
            // Any numbers will do.
            let weights: Vec<f64> =
                (0..7).map(|k| f64::from((seed * (2 * k + 7)).wrapping_mul(2_654_435_761) >> 20)).collect();
            let cost = |body: usize| -> f64 { (0..7).map(|k| weights[k] * apart(body, k) as f64).sum() };
            let found = median(&mut weights.clone(), &parents);
            assert!((0..7).all(|other| cost(found) <= cost(other)), "{weights:?}: {found}");
        }
    }
}

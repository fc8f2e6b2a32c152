//! The inside of a skin as small cubes, each shared among bodies as the nearest skin is: a body has the mass ∫ w dV with
//! its weight w. Flesh deep in a trunk belongs to somebody even where many bones meet, and a skin may leak, overlap itself
//! or be drawn in parts.
//!
//! A cube is inside if a line along an axis has entered more often than left before it gets there. Where a line does not
//! leave as often as it enters, the skin leaks there and the line has no say; of the three axes the majority counts.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gambol_model::{MassProperties, Mat3, Vec3};

/// Cubes along the longest side of the box: a lower leg is two or three cubes thick then, and all of it takes
/// milliseconds.
const ALONG: f64 = 72.0;
/// Grid lines are moved by this part of a cube, so that no line meets an edge of a skin drawn on round numbers.
const NUDGE: [f64; 3] = [1.31e-5, 2.47e-5, 3.73e-5];

/// The cubes inside of a skin.
pub(super) struct Voxels {
    low: Vec3,
    /// Edge of a cube, m.
    edge: f64,
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
    pub(super) fn new(points: &[Vec3], triangles: &[[usize; 3]]) -> Self {
        let first = points.first().copied().unwrap_or_default();
        let (low, high) = points.iter().fold((first, first), |(low, high), p| (low.inf(p), high.sup(p)));
        let extent = high - low;
        let edge = (extent.max() / ALONG).max(f64::MIN_POSITIVE);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most ALONG + 2
        let count = [0, 1, 2].map(|axis| (extent[axis] / edge).ceil() as usize + 2);
        // Centred, so that a symmetric skin gives symmetric cubes.
        let middle = (low + high) / 2.0;
        let low = middle - Vec3::new(count[0] as f64, count[1] as f64, count[2] as f64) * (edge / 2.0);
        let mut voxels = Self { low, edge, count, inside: Vec::new() };
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
        self.inside.iter().filter(|inside| **inside).count() as f64 * self.edge.powi(3)
    }

    /// Mass properties at unit density of the cubes of each body, and how many they are. `weights` are those of the
    /// bodies on each vertex.
    pub(super) fn weigh(
        &self,
        points: &[Vec3],
        triangles: &[[usize; 3]],
        weights: &[Vec<(usize, f64)>],
        bodies: usize,
    ) -> Vec<(MassProperties, f64)> {
        let (samples, nearest) = self.nearest(points, triangles);
        let mut sums = vec![(0.0, Vec3::zeros(), Mat3::zeros()); bodies];
        for (index, sample) in nearest.iter().enumerate().filter(|(index, _)| self.inside[*index]) {
            let Some(sample) = *sample else { continue };
            let Sample { triangle, shares, .. } = &samples[sample];
            let at = self.centre(index);
            for (vertex, share) in triangles[*triangle].iter().zip(shares) {
                for &(body, weight) in &weights[*vertex] {
                    let part = share * weight;
                    let (count, first, second) = &mut sums[body];
                    *count += part;
                    *first += at * part;
                    *second += at * at.transpose() * part;
                }
            }
        }
        let cube = self.edge.powi(3);
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

    /// Points of the skin, and the nearest one to each cube inside: skin spreads inwards from cube to cube, the nearest
    /// first, and each cube keeps the point that reached it.
    fn nearest(&self, points: &[Vec3], triangles: &[[usize; 3]]) -> (Vec<Sample>, Vec<Option<usize>>) {
        let mut samples: Vec<Sample> = Vec::new();
        for (index, triangle) in triangles.iter().enumerate() {
            let [a, b, c] = triangle.map(|k| points[k]);
            let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            // at most the cubes across the box
            let steps = (longest / self.edge).ceil().clamp(1.0, 2.0 * ALONG) as usize;
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
            for next in self.neighbours(cell).into_iter().flatten().filter(|&next| self.inside[next]) {
                reach(next, sample, &mut source, &mut queue);
            }
        }
        (samples, source.into_iter().map(|found| found.map(|(_, sample)| sample)).collect())
    }

    /// The six cubes beside a cube.
    fn neighbours(&self, index: usize) -> [Option<usize>; 6] {
        let [nx, ny, nz] = self.count;
        let (x, y, z) = (index % nx, index / nx % ny, index / nx / ny);
        [
            (x > 0).then(|| index - 1),
            (x + 1 < nx).then(|| index + 1),
            (y > 0).then(|| index - nx),
            (y + 1 < ny).then(|| index + nx),
            (z > 0).then(|| index - nx * ny),
            (z + 1 < nz).then(|| index + nx * ny),
        ]
    }
}

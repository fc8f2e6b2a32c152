//! The skin of a creature: every triangle that moves with a joint, in one pose, with what it moves with.

use std::collections::HashMap;

use gambol_model::Vec3;

/// Vertices nearer than this part of the size are one: seams of texture and shading split them.
const SAME_VERTEX: f64 = 1e-6;

/// Triangles that lie across joints are cut into four, this many times over. On a coarse skin every vertex of a ring is
/// shared by two bones, and the bone between two rings would carry nothing.
const CUTS: usize = 2;
/// Skins with more triangles than this are fine enough.
const FINE: usize = 300_000;

/// Vertices, merged where they lie in one place, and triangles.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    /// In the scene, units of the file.
    pub(crate) points: Vec<Vec3>,
    /// Nodes that move each vertex and their weights; these sum to one.
    pub(crate) weights: Vec<Vec<(usize, f64)>>,
    pub(crate) triangles: Vec<[usize; 3]>,
}

impl Skin {
    /// A skin of vertices in the scene, the nodes that move each with weights that sum to one, and triangles of them.
    pub fn new(points: Vec<Vec3>, weights: Vec<Vec<(usize, f64)>>, triangles: Vec<[usize; 3]>) -> Self {
        let mut skin = Self { points, weights, triangles };
        skin.merge();
        skin.turn_outwards();
        (0..CUTS).for_each(|_| skin.cut_between_joints());
        skin
    }

    /// Makes vertices in one place one.
    fn merge(&mut self) {
        let (low, high) = self.bounds();
        let cell = (SAME_VERTEX * (high - low).norm()).max(f64::MIN_POSITIVE);
        let mut seen: HashMap<[i64; 3], usize> = HashMap::with_capacity(self.points.len());
        let (mut points, mut weights) = (Vec::new(), Vec::new());
        let mut new_index = Vec::with_capacity(self.points.len());
        for (point, weight) in self.points.iter().zip(&mut self.weights) {
            #[allow(clippy::cast_possible_truncation)] // at most a million cells across
            let key = [0, 1, 2].map(|k| ((point[k] - low[k]) / cell).round() as i64);
            new_index.push(*seen.entry(key).or_insert_with(|| {
                points.push(*point);
                weights.push(std::mem::take(weight));
                points.len() - 1
            }));
        }
        self.points = points;
        self.weights = weights;
        for triangle in &mut self.triangles {
            *triangle = triangle.map(|vertex| new_index[vertex]);
        }
        self.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    }

    /// Turns all triangles over where they face inwards on the whole, as those of a mirrored node do: its volume would be negative.
    fn turn_outwards(&mut self) {
        let (low, high) = self.bounds();
        let middle = (low + high) / 2.0;
        let at = |vertex: usize| self.points[vertex] - middle;
        let volume: f64 = self.triangles.iter().map(|&[a, b, c]| at(a).dot(&at(b).cross(&at(c)))).sum();
        if volume < 0.0 {
            self.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
    }

    /// Cuts the triangles whose corners move most with different nodes into four; weights are halfway between.
    fn cut_between_joints(&mut self) {
        if self.triangles.len() > FINE {
            return;
        }
        let owner: Vec<usize> = self.weights.iter().map(|weights| heaviest(weights)).collect();
        let mut middles: HashMap<[usize; 2], usize> = HashMap::new();
        let mut cut = Vec::with_capacity(2 * self.triangles.len());
        for triangle in std::mem::take(&mut self.triangles) {
            let [a, b, c] = triangle;
            if owner[a] == owner[b] && owner[b] == owner[c] {
                cut.push(triangle);
                continue;
            }
            let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[x, y]| {
                *middles.entry([x.min(y), x.max(y)]).or_insert_with(|| {
                    self.points.push(0.5 * (self.points[x] + self.points[y]));
                    self.weights.push(halfway(&self.weights[x], &self.weights[y]));
                    self.points.len() - 1
                })
            });
            cut.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        self.triangles = cut;
    }

    /// Lowest and highest corner of the box around it.
    pub(super) fn bounds(&self) -> (Vec3, Vec3) {
        let Some(first) = self.points.first() else { return (Vec3::zeros(), Vec3::zeros()) };
        self.points.iter().fold((*first, *first), |(low, high), p| (low.inf(p), high.sup(p)))
    }

    /// Twice the area of a triangle along its normal.
    pub(super) fn normal(&self, [a, b, c]: [usize; 3]) -> Vec3 {
        (self.points[b] - self.points[a]).cross(&(self.points[c] - self.points[a]))
    }
}

/// The node with the largest weight; the first of equals.
pub(super) fn heaviest(weights: &[(usize, f64)]) -> usize {
    weights.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a }).map_or(0, |(node, _)| node)
}

fn halfway(a: &[(usize, f64)], b: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let mut sum: Vec<(usize, f64)> = a.iter().map(|(node, weight)| (*node, 0.5 * weight)).collect();
    for &(node, weight) in b {
        match sum.iter_mut().find(|(other, _)| *other == node) {
            Some((_, half)) => *half += 0.5 * weight,
            None => sum.push((node, 0.5 * weight)),
        }
    }
    sum
}

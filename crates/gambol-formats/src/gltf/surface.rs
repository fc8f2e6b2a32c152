//! The surface of a creature: every triangle that moves with a joint, in one pose, with what it moves with.

use std::collections::HashMap;

use gambol_model::Vec3;
use nalgebra::{Matrix4, Point3};

use super::container::Container;
use super::json::Primitive;
use super::scene::{Globals, Scene};
use crate::FormatError;

/// Most vertices of all meshes together: far more than any character, and a gigabyte of memory.
const MOST_VERTICES: usize = 10_000_000;
/// Vertices nearer than this part of the size are one: seams of texture and shading split them.
const SAME_PLACE: f64 = 1e-6;

/// Triangles that lie across joints are cut into four, this many times over. On a coarse skin every vertex of a ring is
/// shared by two bones, and the bone between two rings would carry nothing.
const CUTS: usize = 2;
/// Skins with more triangles than this are fine enough.
const FINE: usize = 300_000;

/// Vertices, merged where they lie in one place, and triangles.
#[derive(Default)]
pub(super) struct Surface {
    /// In the scene, units of the file.
    pub(super) points: Vec<Vec3>,
    /// Nodes that move each vertex and their weights; these sum to one.
    pub(super) weights: Vec<Vec<(usize, f64)>>,
    pub(super) triangles: Vec<[usize; 3]>,
    /// Whether each mesh node is skinned, rigid on a joint, or scenery: how many of each.
    pub(super) skinned: usize,
    pub(super) rigid: usize,
    pub(super) scenery: usize,
    /// Vertices of skins whose weights sum to nothing.
    pub(super) weightless: usize,
}

impl Surface {
    /// All meshes of the shown scene in a pose.
    pub(super) fn read(
        container: &Container,
        scene: &Scene,
        binds: &[Vec<Matrix4<f64>>],
        globals: &Globals,
    ) -> Result<Self, FormatError> {
        let mut surface = Self::default();
        for (index, node) in
            container.document.nodes.iter().enumerate().filter(|(index, _)| scene.shown[*index])
        {
            let Some(mesh) = node.mesh else { continue };
            let Some(mesh) = container.document.meshes.get(mesh) else {
                return Err(container.error(format!("node {index} shows mesh {mesh}, which does not exist")));
            };
            if let Some(skin) = node.skin {
                if skin >= container.document.skins.len() {
                    return Err(
                        container.error(format!("node {index} has skin {skin}, which does not exist"))
                    );
                }
                surface.skinned += 1;
                for primitive in &mesh.primitives {
                    surface.add_skinned(container, primitive, skin, &binds[skin], globals)?;
                }
            } else if let Some(joint) = scene.up(index).find(|&above| scene.is_joint[above]) {
                surface.rigid += 1;
                for primitive in &mesh.primitives {
                    let points = positions(container, primitive)?;
                    let moved = points.iter().map(|p| transform(&globals.0[index], *p)).collect();
                    let weights = vec![vec![(joint, 1.0)]; points.len()];
                    surface.add(container, primitive, moved, weights)?;
                }
            } else {
                surface.scenery += 1;
            }
        }
        surface.merge();
        (0..CUTS).for_each(|_| surface.cut_between_joints());
        Ok(surface)
    }

    fn add_skinned(
        &mut self,
        container: &Container,
        primitive: &Primitive,
        skin: usize,
        binds: &[Matrix4<f64>],
        globals: &Globals,
    ) -> Result<(), FormatError> {
        let joints = &container.document.skins[skin].joints;
        let points = positions(container, primitive)?;
        let mut weights: Vec<Vec<(usize, f64)>> = vec![Vec::new(); points.len()];
        let mut moved = vec![Vec3::zeros(); points.len()];
        let mut sums = vec![0.0; points.len()];
        for set in 0.. {
            let (of, by) = (format!("JOINTS_{set}"), format!("WEIGHTS_{set}"));
            let (Some(of), Some(by)) = (primitive.attribute(&of), primitive.attribute(&by)) else { break };
            let of = container.indices(of, "joints of vertices", &["VEC4"])?;
            let by = container.numbers(by, "weights of vertices", &["VEC4"])?;
            if of.len() != 4 * points.len() || by.len() != of.len() {
                return Err(container.error("a mesh has not as many joints and weights as vertices"));
            }
            for (k, (&slot, &weight)) in
                of.iter().zip(&by).enumerate().filter(|(_, (_, weight))| **weight > 0.0)
            {
                let Some(&joint) = joints.get(slot) else {
                    let count = joints.len();
                    return Err(
                        container.error(format!("a vertex moves with joint {slot} of a skin of {count}"))
                    );
                };
                let vertex = k / 4;
                moved[vertex] += transform(&(globals.0[joint] * binds[slot]), points[vertex]) * weight;
                sums[vertex] += weight;
                weights[vertex].push((joint, weight));
            }
        }
        let Some(&first) = joints.first() else {
            return Err(container.error(format!("skin {skin} has no joints")));
        };
        for vertex in 0..points.len() {
            if sums[vertex] > 0.0 {
                moved[vertex] /= sums[vertex];
                weights[vertex].iter_mut().for_each(|(_, weight)| *weight /= sums[vertex]);
            } else {
                self.weightless += 1;
                moved[vertex] = transform(&(globals.0[first] * binds[0]), points[vertex]);
                weights[vertex].push((first, 1.0));
            }
        }
        self.add(container, primitive, moved, weights)
    }

    fn add(
        &mut self,
        container: &Container,
        primitive: &Primitive,
        points: Vec<Vec3>,
        weights: Vec<Vec<(usize, f64)>>,
    ) -> Result<(), FormatError> {
        if self.points.len() + points.len() > MOST_VERTICES {
            return Err(container.error(format!("its meshes have more than {MOST_VERTICES} vertices")));
        }
        let count = points.len();
        let indices = match primitive.indices {
            Some(accessor) => container.indices(accessor, "triangles", &["SCALAR"])?,
            None => (0..count).collect(),
        };
        if let Some(index) = indices.iter().find(|&&index| index >= count) {
            return Err(container.error(format!("a triangle uses vertex {index} of {count}")));
        }
        let first = self.points.len();
        let corner = |k: usize| first + indices[k];
        let last = indices.len().saturating_sub(2);
        match primitive.mode.unwrap_or(4) {
            4 => {
                self.triangles.extend(indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]].map(|k| first + k)));
            }
            5 => self.triangles.extend((0..last).map(|k| match k % 2 {
                0 => [corner(k), corner(k + 1), corner(k + 2)],
                _ => [corner(k + 1), corner(k), corner(k + 2)],
            })),
            6 => self.triangles.extend((0..last).map(|k| [corner(0), corner(k + 1), corner(k + 2)])),
            _ => {} // points and lines enclose nothing
        }
        self.points.extend(points);
        self.weights.extend(weights);
        Ok(())
    }

    /// Makes vertices in one place one.
    fn merge(&mut self) {
        let (low, high) = self.bounds();
        let cell = (SAME_PLACE * (high - low).norm()).max(f64::MIN_POSITIVE);
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

fn positions(container: &Container, primitive: &Primitive) -> Result<Vec<Vec3>, FormatError> {
    let Some(accessor) = primitive.attribute("POSITION") else { return Ok(Vec::new()) };
    let numbers = container.numbers(accessor, "positions", &["VEC3"])?;
    Ok(numbers.chunks_exact(3).map(Vec3::from_column_slice).collect())
}

fn transform(matrix: &Matrix4<f64>, point: Vec3) -> Vec3 {
    matrix.transform_point(&Point3::from(point)).coords
}

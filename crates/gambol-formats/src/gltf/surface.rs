//! The skins of a file in one pose: every triangle that moves with a joint, with what it moves with.

use gambol_anatomy::skin::{NodePlaces, Skin};
use gambol_model::Vec3;
use nalgebra::{Matrix4, Point3};

use super::container::Container;
use super::json::Primitive;
use super::scene::GltfScene;
use crate::FormatError;

/// Most vertices of all meshes together: far more than any character, and a gigabyte of memory.
const MOST_VERTICES: usize = 10_000_000;
/// Coordinates beyond this are no place in a scene, and their squares must stay finite.
const FARTHEST: f64 = 1e12;

/// The triangles of all meshes that are shown, in the scene.
#[derive(Default)]
pub(super) struct Surface {
    /// In the scene, units of the file.
    points: Vec<Vec3>,
    /// Nodes that move each vertex and their weights; these sum to one.
    weights: Vec<Vec<(usize, f64)>>,
    triangles: Vec<[usize; 3]>,
    /// Whether each mesh node is skinned, rigid on a joint, or scenery: how many of each.
    skinned: usize,
    rigid: usize,
    scenery: usize,
    /// Vertices of skins whose weights sum to nothing.
    weightless: usize,
    /// Weights that are not numbers.
    unnumbered: usize,
}

impl Surface {
    /// All meshes of the shown scene in a pose.
    pub(super) fn read(
        container: &Container,
        scene: &GltfScene,
        binds: &[Vec<Matrix4<f64>>],
        places: &NodePlaces,
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
                    surface.add_skinned(container, primitive, skin, &binds[skin], places)?;
                }
            } else if let Some(joint) = scene.nodes.up(index).find(|&above| scene.nodes.is_joint[above]) {
                surface.rigid += 1;
                for primitive in &mesh.primitives {
                    let points = positions(container, primitive)?;
                    let moved = points.iter().map(|p| transform(&places.0[index], *p)).collect();
                    let weights = vec![vec![(joint, 1.0)]; points.len()];
                    surface.add(container, primitive, moved, weights)?;
                }
            } else {
                surface.scenery += 1;
            }
        }
        Ok(surface)
    }

    /// Whether nothing moves with a joint: the file is a skeleton, and its clips.
    pub(super) fn is_bare(&self) -> bool {
        self.skinned + self.rigid == 0
    }

    /// The skin, and what is to be said about it; an error if there is none.
    pub(super) fn finish(self, container: &Container) -> Result<(Skin, Vec<String>), FormatError> {
        if self.triangles.is_empty() {
            return Err(container.error("its skinned meshes have no triangles"));
        }
        if self.weightless == self.points.len() {
            return Err(container.error("no vertex of its skins has a weight above zero"));
        }
        if let Some(vertex) = self.points.iter().position(|p| !p.iter().all(|x| x.abs() < FARTHEST)) {
            return Err(container.error(format!("vertex {vertex} of its skin ends up at infinity")));
        }
        let mut notes = Vec::new();
        if self.unnumbered > 0 {
            notes.push(format!("{} weights of its skin are not numbers and count as none", self.unnumbered));
        }
        if self.weightless > 0 {
            notes.push(format!("{} vertices have no weights and go with the first joint", self.weightless));
        }
        if self.rigid > 0 {
            notes.push(format!("{} meshes hang rigidly from joints and count as skin", self.rigid));
        }
        if self.scenery > 0 {
            notes.push(format!("{} meshes do not move with any joint and were left out", self.scenery));
        }
        Ok((Skin::new(self.points, self.weights, self.triangles), notes))
    }

    fn add_skinned(
        &mut self,
        container: &Container,
        primitive: &Primitive,
        skin: usize,
        binds: &[Matrix4<f64>],
        places: &NodePlaces,
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
            let mut by = container.any_numbers(by, "weights of vertices", &["VEC4"])?;
            for weight in by.iter_mut().filter(|weight| !weight.is_finite()) {
                *weight = 0.0; // as other programs show it
                self.unnumbered += 1;
            }
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
                moved[vertex] += transform(&(places.0[joint] * binds[slot]), points[vertex]) * weight;
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
                moved[vertex] = transform(&(places.0[first] * binds[0]), points[vertex]);
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
}

fn positions(container: &Container, primitive: &Primitive) -> Result<Vec<Vec3>, FormatError> {
    let Some(accessor) = primitive.attribute("POSITION") else { return Ok(Vec::new()) };
    let numbers = container.numbers(accessor, "positions", &["VEC3"])?;
    Ok(numbers.chunks_exact(3).map(Vec3::from_column_slice).collect())
}

fn transform(matrix: &Matrix4<f64>, point: Vec3) -> Vec3 {
    matrix.transform_point(&Point3::from(point)).coords
}

//! Triangle meshes as solids: checks and topology here, convex hulls and mass in the modules below.

mod hull;
mod mass;

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::{ModelError, Quat, Vec3};

/// More faces than this are refused: far beyond any bone or robot link, and a few hundred megabytes.
pub const MAX_MESH_FACES: usize = 10_000_000;
/// Coordinates beyond this are refused, as MuJoCo does for STL (2³⁰): products of six of them stay finite.
const MAX_COORDINATE: f64 = 1_073_741_824.0;

/// A triangle mesh; outward faces are counter-clockwise seen from outside.
#[derive(Clone, Debug)]
pub struct TriMesh {
    vertices: Vec<Vec3>,
    faces: Vec<[u32; 3]>,
    /// Worked out when first asked for: pictures and contacts ask many times.
    extent: OnceLock<Extent>,
}

/// The outermost points of a mesh.
#[derive(Clone, Debug)]
struct Extent {
    /// Corners of the convex hull; all vertices where there is none.
    hull: Vec<Vec3>,
    /// Half extents of the bounding box, m.
    half: Vec3,
    /// Its centre, m.
    centre: Vec3,
}

impl PartialEq for TriMesh {
    fn eq(&self, other: &Self) -> bool {
        self.vertices == other.vertices && self.faces == other.faces
    }
}

/// How a mesh is turned into a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshMass {
    /// Exact for a closed mesh with outward faces; the convex hull for any other. See [`TriMesh::defect`].
    ClosedOrHull,
    /// Volume integral over the triangles with the sign their orientation gives: MuJoCo's `exact`.
    Exact,
    /// Every tetrahedron between a centre and a triangle counts as positive, so that what lies behind a fold counts
    /// more than once: MuJoCo's `legacy`, its default.
    Legacy,
    /// The convex hull: MuJoCo's `convex`.
    Convex,
    /// Mass on the surface, one unit per area: MuJoCo's `shell`.
    Shell,
}

/// Why a mesh is not a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshDefect {
    /// Some edge belongs to one triangle only.
    #[error("the surface is not closed")]
    Leaky,
    /// Triangles point inwards or disagree about which side is outside.
    #[error("faces point inwards or disagree about the outside")]
    Inverted,
}

impl TriMesh {
    /// A mesh; faces index `vertices`. Refused: no faces, too many, an index out of range, a coordinate that is not
    /// finite or absurdly large.
    pub fn new(vertices: Vec<Vec3>, faces: Vec<[u32; 3]>) -> Result<Self, ModelError> {
        check_vertices(&vertices)?;
        if faces.is_empty() {
            return Err(error("it has no faces"));
        }
        if faces.len() > MAX_MESH_FACES {
            return Err(error(format!("{} faces are more than the limit of {MAX_MESH_FACES}", faces.len())));
        }
        for (number, face) in faces.iter().enumerate() {
            if let Some(index) = face.iter().find(|index| **index as usize >= vertices.len()) {
                return Err(error(format!("face {number} uses vertex {index} of {}", vertices.len())));
            }
        }
        Ok(Self { vertices, faces, extent: OnceLock::new() })
    }

    /// Vertices, m.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Vertex indices of each triangle.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The same surface with vertices at exactly the same place made one; STL repeats them for each triangle.
    #[must_use]
    pub fn merged(&self) -> Self {
        let (vertices, new_index) = merge(&self.vertices);
        let faces = self.faces.iter().map(|face| face.map(|v| new_index[v as usize])).collect();
        Self { vertices, faces, extent: OnceLock::new() }
    }

    /// The mesh scaled along its axes. A scale that mirrors turns the faces around, so that outside stays outside.
    pub fn scaled(mut self, scale: Vec3) -> Result<Self, ModelError> {
        for vertex in &mut self.vertices {
            vertex.component_mul_assign(&scale);
        }
        check_vertices(&self.vertices)?;
        if scale.x * scale.y * scale.z < 0.0 {
            self.faces.iter_mut().for_each(|face| face.swap(1, 2));
        }
        self.extent = OnceLock::new();
        Ok(self)
    }

    /// The mesh seen from a frame given in its own frame: MuJoCo's `refpos` and `refquat`.
    pub fn seen_from(mut self, position: Vec3, orientation: Quat) -> Result<Self, ModelError> {
        for vertex in &mut self.vertices {
            *vertex = orientation.inverse_transform_vector(&(*vertex - position));
        }
        check_vertices(&self.vertices)?;
        self.extent = OnceLock::new();
        Ok(self)
    }

    /// Why the mesh does not enclose a solid, or `None` if it does: over each edge between two places run as many
    /// triangles one way as the other, and the enclosed volume is positive.
    pub fn defect(&self) -> Option<MeshDefect> {
        let (_, place) = merge(&self.vertices);
        let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(3 * self.faces.len());
        for face in &self.faces {
            let [a, b, c] = face.map(|v| place[v as usize]);
            if a == b || b == c || c == a {
                continue; // a triangle that shrank to a line bounds nothing
            }
            edges.extend([(a, b), (b, c), (c, a)].map(|(from, to)| (from.min(to), from.max(to), from < to)));
        }
        edges.sort_unstable();
        let mut twisted = edges.is_empty();
        for same in edges.chunk_by(|e, f| (e.0, e.1) == (f.0, f.1)) {
            if same.len() % 2 == 1 {
                return Some(MeshDefect::Leaky);
            }
            twisted |= 2 * same.iter().filter(|edge| edge.2).count() != same.len();
        }
        (twisted || self.signed_volume() <= 0.0).then_some(MeshDefect::Inverted)
    }

    /// Half extents and centre of the bounding box.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let extent = self.extent();
        (extent.half, extent.centre)
    }

    /// Farthest vertex in `direction`.
    pub fn support(&self, direction: Vec3) -> Vec3 {
        let along = |point: &Vec3| point.dot(&direction);
        self.extent().hull.iter().copied().max_by(|a, b| along(a).total_cmp(&along(b))).unwrap_or_default()
    }

    fn extent(&self) -> &Extent {
        self.extent.get_or_init(|| {
            let hull = self.convex_hull().map_or_else(|_| self.vertices.clone(), |hull| hull.vertices);
            let (half, centre) = bounding_box(&self.vertices);
            Extent { hull, half, centre }
        })
    }

    fn corners(&self, face: [u32; 3]) -> [Vec3; 3] {
        face.map(|index| self.vertices[index as usize])
    }
}

fn error(reason: impl Into<String>) -> ModelError {
    ModelError::new("mesh", reason)
}

fn check_vertices(vertices: &[Vec3]) -> Result<(), ModelError> {
    if u32::try_from(vertices.len()).is_err() {
        return Err(error(format!("{} vertices are too many", vertices.len())));
    }
    for (number, vertex) in vertices.iter().enumerate() {
        if !vertex.iter().all(|x| x.abs() <= MAX_COORDINATE) {
            let [x, y, z] = [vertex.x, vertex.y, vertex.z];
            return Err(error(format!("vertex {number} is at {x} {y} {z}, not within {MAX_COORDINATE:e}")));
        }
    }
    Ok(())
}

/// The different places among `vertices`, in order of first appearance, and for each vertex the number of its place.
fn merge(vertices: &[Vec3]) -> (Vec<Vec3>, Vec<u32>) {
    let mut places = Vec::new();
    let mut seen = HashMap::with_capacity(vertices.len());
    let mut new_index = Vec::with_capacity(vertices.len());
    for vertex in vertices {
        // Adding zero makes −0 and 0 the same place.
        let key = [vertex.x, vertex.y, vertex.z].map(|x| (x + 0.0).to_bits());
        #[allow(clippy::cast_possible_truncation)] // not more vertices than fit in u32: `check_vertices`
        let next = places.len() as u32;
        new_index.push(*seen.entry(key).or_insert_with(|| {
            places.push(*vertex);
            next
        }));
    }
    (places, new_index)
}

/// Half extents and centre of the box around `points`.
fn bounding_box(points: &[Vec3]) -> (Vec3, Vec3) {
    let Some(first) = points.first() else { return (Vec3::zeros(), Vec3::zeros()) };
    let (low, high) = points.iter().fold((*first, *first), |(low, high), p| (low.inf(p), high.sup(p)));
    ((high - low) / 2.0, (high + low) / 2.0)
}

#[cfg(test)]
mod tests;

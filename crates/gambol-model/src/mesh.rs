//! Triangle meshes as solids.

use crate::{MassProperties, Vec3};

/// A triangle mesh; outward faces are counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct TriMesh {
    vertices: Vec<Vec3>,
    faces: Vec<[u32; 3]>,
}

/// How a mesh is turned into a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshMass {
    /// Exact for a closed mesh with outward faces; the convex hull for any other.
    ClosedOrHull,
    /// Volume integral over the triangles, whatever their orientation says.
    Exact,
    /// Every tetrahedron between the centroid and a triangle counts as positive.
    Legacy,
    /// The convex hull.
    Convex,
    /// Mass on the surface.
    Shell,
}

/// Why a mesh is not a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeshDefect {
    /// Some edge belongs to one triangle only.
    #[error("the surface is not closed")]
    Leaky,
    /// Triangles point inwards or disagree about which side is outside.
    #[error("faces point inwards or disagree about the outside")]
    Inverted,
}

impl TriMesh {
    /// A mesh; faces index `vertices`.
    pub fn new(vertices: Vec<Vec3>, faces: Vec<[u32; 3]>) -> Self {
        Self { vertices, faces }
    }
    /// Mass properties at unit density.
    pub fn unit_mass_properties(&self, _mass: MeshMass) -> MassProperties {
        MassProperties::default()
    }
    /// Half extents and centre of the bounding box.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        (Vec3::zeros(), Vec3::zeros())
    }
    /// Farthest vertex in `direction`.
    pub fn support(&self, direction: Vec3) -> Vec3 {
        self.vertices.iter().copied().max_by(|a, b| a.dot(&direction).total_cmp(&b.dot(&direction))).unwrap_or_default()
    }
}

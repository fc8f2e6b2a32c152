//! Meshes as OBJ files beside the model.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use gambol_model::{Creature, MeshDefect, MeshMass, Shape, TriMesh};

use super::text::Tag;
use crate::mjcf::source::to_f32;

/// MuJoCo's least number of corners.
const LEAST_VERTICES: usize = 4;

/// The mesh files of a model.
#[derive(Debug, Default)]
pub(super) struct Meshes {
    /// Name and content of each file.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// Their `<mesh>` elements.
    pub(super) tags: Vec<Tag>,
    /// For each shape, the name of its mesh; none if it has none or MuJoCo could not use it.
    pub(super) of_shape: Vec<Option<String>>,
}

impl Meshes {
    /// Every mesh of a creature once, however many shapes have it.
    pub(super) fn of(creature: &Creature) -> Self {
        let mut meshes = Self::default();
        let mut known: HashMap<*const TriMesh, Option<String>> = HashMap::new();
        for shape in creature.shapes() {
            let name = match &shape.shape {
                Shape::Mesh { mesh, mass } => {
                    known.entry(Arc::as_ptr(mesh)).or_insert_with(|| meshes.add(mesh, *mass)).clone()
                }
                _ => None,
            };
            meshes.of_shape.push(name);
        }
        meshes
    }

    fn add(&mut self, mesh: &TriMesh, mass: MeshMass) -> Option<String> {
        if mesh.vertices().len() < LEAST_VERTICES {
            return None;
        }
        let name = format!("mesh {}", self.files.len());
        let file = format!("mesh-{}.obj", self.files.len());
        self.tags
            .push(Tag::new("mesh").text("name", &name).text("file", &file).text("inertia", rule(mesh, mass)));
        self.files.push((file, obj(mesh)));
        Some(name)
    }
}

/// How MuJoCo is to weigh a mesh. No mass comes from it, since every body says its own, but a mesh that cannot be
/// weighed is refused; only its surface can always be.
fn rule(mesh: &TriMesh, mass: MeshMass) -> &'static str {
    let defect = mesh.defect();
    let (rule, word) = match mass {
        MeshMass::ClosedOrHull if defect.is_none() => (MeshMass::Exact, "exact"),
        MeshMass::ClosedOrHull | MeshMass::Convex => (MeshMass::Convex, "convex"),
        MeshMass::Exact => (MeshMass::Exact, "exact"),
        MeshMass::Legacy => (MeshMass::Legacy, "legacy"),
        MeshMass::Shell => (MeshMass::Shell, "shell"),
    };
    let oriented = rule != MeshMass::Exact || defect != Some(MeshDefect::Inverted);
    if oriented && mesh.try_unit_mass_properties(rule).is_ok() { word } else { "shell" }
}

/// Wavefront OBJ. Coordinates have 32 bits, as all readers of meshes keep them.
fn obj(mesh: &TriMesh) -> Vec<u8> {
    let mut text = String::new();
    for vertex in mesh.vertices() {
        let [x, y, z] = [vertex.x, vertex.y, vertex.z].map(to_f32);
        let _ = writeln!(text, "v {x} {y} {z}"); // writing to a string cannot fail
    }
    for [a, b, c] in mesh.faces() {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    text.into_bytes()
}

//! Mesh assets: from a file or written in the XML, scaled and moved as the asset says.

use std::cell::OnceCell;
use std::sync::Arc;

use gambol_model::{MassProperties, MeshDefect, MeshMass, ModelError, Quat, Transform, TriMesh, Vec3};

use super::compiler::Compiler;
use super::defaults::Cascade;
use super::mass::{Axes, principal_axes};
use super::orient::quat_from;
use super::source::{join, to_f32};
use crate::notes::Notes;
use crate::xml::Element;
use crate::{Files, FormatError, mesh_files};

/// Most numbers in one mesh that is written in the XML.
const MAX_INLINE: usize = 30_000_000;

/// A mesh asset that was not loaded yet.
#[derive(Debug)]
pub(crate) struct MeshSource<'d> {
    cascade: Cascade<'d>,
    name: String,
    /// Colour of geoms that give none.
    pub(crate) material: Option<&'d str>,
}

/// A mesh as its geoms see it.
#[derive(Debug)]
pub(crate) struct MeshAsset {
    pub(crate) mesh: Arc<TriMesh>,
    pub(crate) mass: MeshMass,
    /// The rule that the file asks for finds no solid, so the convex hull is taken.
    hulled: bool,
    unit: OnceCell<Result<Unit, ModelError>>,
}

/// Mass of a mesh at unit density.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    /// In the frame of the mesh.
    pub(crate) mass: MassProperties,
    /// Pose of the principal axes.
    pub(crate) mesh_from_axes: Transform,
    /// Principal moments, largest first.
    pub(crate) moments: Vec3,
}

impl MeshAsset {
    /// What to know about a mass that comes from this mesh.
    pub(crate) fn tell(&self, user: Element<'_>, notes: &mut Notes) {
        let text = match self.mesh.defect() {
            Some(defect) if self.hulled => {
                format!("a mesh is no solid, {defect}; its mass is that of its convex hull")
            }
            None if self.hulled => "a mesh encloses nothing; its mass is that of its convex hull".to_owned(),
            Some(defect) if self.mass != MeshMass::Convex && self.mass != MeshMass::Shell => {
                format!("a mesh is no solid, {defect}; its mass follows MuJoCo's rule for such meshes")
            }
            _ => return,
        };
        notes.once(user, &text);
    }

    /// Mass properties at unit density in the frame of the mesh. Many meshes are for the eye only and enclose nothing;
    /// this is an error only for who asks.
    pub(crate) fn unit(&self, user: Element<'_>) -> Result<Unit, FormatError> {
        let unit = self.unit.get_or_init(|| {
            let exact = self.mesh.try_unit_mass_properties(self.mass)?;
            let (mesh_from_axes, moments) = principal_axes(&exact, Axes::OfMesh);
            let mass = MassProperties::diagonal(exact.mass, moments).transformed(&mesh_from_axes);
            Ok(Unit { mass, mesh_from_axes, moments })
        });
        unit.clone().map_err(|error| user.error(format!("the mesh has no mass: {}", error.reason)))
    }
}

/// Whether MuJoCo would take the mesh for a solid by this rule.
fn is_solid(mesh: &TriMesh, rule: MeshMass) -> bool {
    let oriented = rule != MeshMass::Exact || mesh.defect() != Some(MeshDefect::Inverted);
    oriented && mesh.try_unit_mass_properties(rule).is_ok()
}

impl<'d> MeshSource<'d> {
    pub(crate) fn new(cascade: Cascade<'d>) -> Result<Self, FormatError> {
        let element = cascade.own();
        let name = match (element.text("name"), element.text("file")) {
            (Some(name), _) => name.to_owned(),
            (None, Some(file)) => stem(file).to_owned(),
            (None, None) => return Err(element.error("a mesh needs a name or a file")),
        };
        let material = element.text("material");
        element.ignore(&["content_type", "params", "normal", "texcoord", "smoothnormal", "maxhullvert"]);
        Ok(Self { cascade, name, material })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Reads the triangles and places them as the asset says: seen from its reference frame, then scaled.
    pub(crate) fn load(
        &self,
        files: &dyn Files,
        folder: &str,
        compiler: &Compiler,
    ) -> Result<MeshAsset, FormatError> {
        let element = self.cascade.own();
        if let Some(kind) = self.builtin() {
            return Err(element.error(format!(
                "built-in meshes (here {kind:?}) are not supported; save the mesh as a file"
            )));
        }
        let mesh = match element.text("file") {
            Some(file) => mesh_files::read(files, &path(folder, file, compiler)).map_err(|error| {
                if error.line.is_some() {
                    return error;
                }
                let place = element.error(format!("{}: {}", error.file, error.reason));
                FormatError { hint: error.hint, ..place }
            })?,
            None => self.inline()?,
        };
        let mesh = self.placed(mesh)?;
        let rule = self.mass_rule()?;
        let mass = if is_solid(&mesh, rule) { rule } else { MeshMass::Convex };
        Ok(MeshAsset { mesh: Arc::new(mesh), mass, hulled: mass != rule, unit: OnceCell::new() })
    }

    fn builtin(&self) -> Option<&'d str> {
        self.cascade.own().text("builtin").filter(|kind| *kind != "none")
    }

    /// Whether [`MeshSource::load`] knows how to read it.
    pub(crate) fn supported(&self) -> bool {
        self.builtin().is_none() && self.cascade.own().text("file").is_none_or(mesh_files::supported)
    }

    fn mass_rule(&self) -> Result<MeshMass, FormatError> {
        let rules = [
            ("convex", MeshMass::Convex),
            ("exact", MeshMass::Exact),
            ("legacy", MeshMass::Legacy),
            ("shell", MeshMass::Shell),
        ];
        Ok(self.cascade.keyword("inertia", &rules)?.unwrap_or(MeshMass::Legacy))
    }

    fn inline(&self) -> Result<TriMesh, FormatError> {
        let element = self.cascade.own();
        let numbers =
            element.numbers("vertex")?.ok_or_else(|| element.error("a mesh needs a file or vertices"))?;
        let indices = element.ints("face")?.unwrap_or_default();
        if numbers.len() > MAX_INLINE || indices.len() > MAX_INLINE {
            return Err(element.error(format!("a mesh in the XML can have {MAX_INLINE} numbers; use a file")));
        }
        if numbers.len() % 3 != 0 || indices.len() % 3 != 0 {
            return Err(element.error("vertices and faces come in threes"));
        }
        // MuJoCo holds the vertices of an asset in single precision; so do mesh files.
        let single = |x: f64| f64::from(to_f32(x));
        let vertices: Vec<Vec3> =
            numbers.chunks_exact(3).map(|v| Vec3::new(v[0], v[1], v[2]).map(single)).collect();
        if vertices.len() < 4 {
            return Err(element.error("a mesh needs at least 4 vertices"));
        }
        let index = |i: i64| {
            let found = u32::try_from(i).ok().filter(|i| (*i as usize) < vertices.len());
            found.ok_or_else(|| {
                element.error(format!("a face names vertex {i}, but there are {}", vertices.len()))
            })
        };
        let face = |f: &[i64]| Ok([index(f[0])?, index(f[1])?, index(f[2])?]);
        let faces: Vec<_> = indices.chunks_exact(3).map(face).collect::<Result<_, FormatError>>()?;
        // Points without triangles stand for their convex hull.
        let mesh = if faces.is_empty() { TriMesh::hull_of(&vertices) } else { TriMesh::new(vertices, faces) };
        mesh.map_err(|error| element.error(error.reason))
    }

    fn placed(&self, mesh: TriMesh) -> Result<TriMesh, FormatError> {
        let element = self.cascade.own();
        let scale = self.cascade.vec3("scale")?.unwrap_or(Vec3::repeat(1.0));
        let offset = element.vec3("refpos")?.unwrap_or_default();
        let rotation = match element.array("refquat")? {
            Some(wxyz) => quat_from(wxyz).ok_or_else(|| element.error("\"refquat\" is zero"))?,
            None => Quat::identity(),
        };
        if scale == Vec3::repeat(1.0) && offset == Vec3::zeros() && rotation == Quat::identity() {
            return Ok(mesh);
        }
        let placed = mesh.seen_from(offset, rotation).and_then(|mesh| mesh.scaled(scale));
        placed.map_err(|error| element.error(error.reason))
    }
}

/// Where a mesh file lies, seen from the main file.
fn path(folder: &str, file: &str, compiler: &Compiler) -> String {
    let file = if compiler.strip_path { file.rsplit(['/', '\\']).next().unwrap_or(file) } else { file };
    join(folder, &join(&compiler.mesh_dir, file))
}

/// The name of a file without folder and extension.
pub(crate) fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rfind('.').map_or(name, |dot| &name[..dot])
}

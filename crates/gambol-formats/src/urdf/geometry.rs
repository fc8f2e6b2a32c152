//! `<collision>` and `<visual>`: what counts for mass and contact, and what is for the eye.

use std::collections::HashMap;
use std::sync::Arc;

use gambol_model::{MeshMass, Shape, ShapeSpec, Vec3, Warning};

use super::settings::FromGeometry;
use super::{Builder, link};
use crate::FormatError;
use crate::mesh_files;
use crate::xml::Element;

/// Colours of the named materials, wherever they stand; the first of a name counts.
pub(super) fn colours(root: Element<'_>) -> HashMap<&str, [f32; 4]> {
    let mut colours = HashMap::new();
    let visuals = root.children_named("link").flat_map(|link| link.children_named("visual"));
    let materials =
        root.children_named("material").chain(visuals.flat_map(|visual| visual.children_named("material")));
    for material in materials {
        if let (Some(name), Some(colour)) = (material.text("name"), colour(material)) {
            colours.entry(name).or_insert(colour);
        }
    }
    colours
}

#[allow(clippy::cast_possible_truncation)] // colours need no more digits
fn colour(material: Element<'_>) -> Option<[f32; 4]> {
    // A colour that cannot be read is not worth an error.
    let rgba = material.children_named("color").next()?.array::<4>("rgba").ok()??;
    Some(rgba.map(|x| x as f32))
}

impl Builder<'_, '_> {
    /// The shapes of a link, in the link frame. Visual ones stand in for missing collision ones in pictures only.
    pub(super) fn shapes(
        &mut self,
        link: Element<'_>,
        from_geometry: bool,
    ) -> Result<Vec<ShapeSpec>, FormatError> {
        let massive = from_geometry && self.settings.from_geometry != FromGeometry::Never;
        let shows_visual = !self.settings.discard_visual || link.children_named("collision").next().is_none();
        let mut rgba = None;
        let mut shapes = Vec::new();
        for element in link.children() {
            let shape = match element.tag() {
                "visual" => {
                    let material = element.children_named("material").next();
                    rgba = material.and_then(|material| self.colour_of(material)).or(rgba);
                    if shows_visual { self.visual(element) } else { None }
                }
                "collision" => self.collision(element, massive)?,
                _ => None,
            };
            shapes.extend(shape.map(|shape| ShapeSpec { rgba: rgba.unwrap_or(shape.rgba), ..shape }));
        }
        Ok(shapes)
    }

    fn colour_of(&self, material: Element<'_>) -> Option<[f32; 4]> {
        colour(material).or_else(|| self.colours.get(material.text("name")?).copied())
    }

    /// Nothing that is wrong with a visual matters for the motion: it is left out with a warning.
    fn visual(&mut self, element: Element<'_>) -> Option<ShapeSpec> {
        match self.geometry(element) {
            Ok(shape) => Some(ShapeSpec { massive: false, collides: false, ..shape }),
            Err(error) => {
                let told = element.warning(format!("left out of pictures: {}", error.reason));
                self.notes.push_once(Warning { hint: error.hint, ..told });
                None
            }
        }
    }

    fn collision(&mut self, element: Element<'_>, massive: bool) -> Result<Option<ShapeSpec>, FormatError> {
        if !massive && let Some(format) = foreign_mesh(element) {
            let text =
                format!("collision meshes in .{format} files are not supported; they can touch nothing");
            self.notes.unsupported(element, &text)?;
            return Ok(None);
        }
        let mut shape = ShapeSpec { massive, ..self.geometry(element)? };
        if let (true, Shape::Mesh { mesh, mass }) = (massive, &mut shape.shape) {
            let by_rule = mesh.try_unit_mass_properties(*mass);
            if by_rule.is_err() {
                *mass = MeshMass::Convex;
                let no_mass = |error: gambol_model::ModelError| {
                    element.error(format!("the mesh has no mass: {}", error.reason))
                };
                mesh.try_unit_mass_properties(*mass).map_err(no_mass)?;
            }
            if let Some(defect) = mesh.defect() {
                let taken =
                    if by_rule.is_err() { "its convex hull" } else { "MuJoCo's rule for such meshes" };
                self.notes.push(
                    element.warning(format!("a mesh is no solid, {defect}; its mass comes from {taken}")),
                );
            }
        }
        Ok(Some(shape))
    }

    fn geometry(&mut self, element: Element<'_>) -> Result<ShapeSpec, FormatError> {
        let geometry = element.children_named("geometry").next();
        let geometry = geometry.ok_or_else(|| element.error("<geometry> is missing"))?;
        let Some(solid) = geometry.first_child() else { return Err(geometry.error("it is empty")) };
        let shape = match solid.tag() {
            "sphere" => Shape::Sphere { radius: size(solid, "radius")? },
            "box" => Shape::Box { half: box_size(solid)? / 2.0 },
            "cylinder" => {
                Shape::Cylinder { radius: size(solid, "radius")?, half_length: size(solid, "length")? / 2.0 }
            }
            "capsule" => {
                Shape::Capsule { radius: size(solid, "radius")?, half_length: size(solid, "length")? / 2.0 }
            }
            "mesh" => self.mesh(solid)?,
            other => {
                return Err(
                    solid.error(format!("<{other}> is not one of: box, cylinder, sphere, capsule, mesh"))
                );
            }
        };
        let name = element.text("name").unwrap_or_default().to_owned();
        Ok(ShapeSpec { name, body_from_shape: link::origin(element)?, ..ShapeSpec::new(shape) })
    }

    fn mesh(&mut self, element: Element<'_>) -> Result<Shape, FormatError> {
        let file = element.required("filename")?;
        let scale = element.vec3("scale")?.unwrap_or_else(|| Vec3::repeat(1.0));
        let (mesh, note) = self.meshes.load(element, file, scale)?;
        if let Some(note) = note {
            self.notes.once(element, &note);
        }
        Ok(Shape::Mesh { mesh: Arc::clone(&mesh), mass: MeshMass::Legacy })
    }
}

/// The extension of a mesh file that cannot be read.
fn foreign_mesh(element: Element<'_>) -> Option<String> {
    let mesh = element.children_named("geometry").next()?.children_named("mesh").next()?;
    let file = mesh.text("filename")?;
    if mesh_files::supported(file) {
        return None;
    }
    file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase())
}

fn size(element: Element<'_>, name: &str) -> Result<f64, FormatError> {
    element.required(name)?;
    let size = element.f64(name)?.unwrap_or_default();
    if size > 0.0 { Ok(size) } else { Err(element.error(format!("{name}=\"{size}\" is not above 0"))) }
}

fn box_size(element: Element<'_>) -> Result<Vec3, FormatError> {
    element.required("size")?;
    let size = element.vec3("size")?.unwrap_or_default();
    if size.min() > 0.0 { Ok(size) } else { Err(element.error("\"size\" must be three numbers above 0")) }
}

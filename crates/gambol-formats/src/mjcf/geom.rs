//! `<geom>` and `<site>`.

use std::sync::Arc;

use gambol_model::{MassProperties, Shape, ShapeSpec, Transform, Vec3};

use super::assets::MeshAsset;
use super::defaults::Cascade;
use super::orient::{between, pose, transform};
use super::source::{Source, to_f32};
use crate::notes::Notes;
use crate::{Files, FormatError};

/// Volumes below this have no mass even if the file gives one (MuJoCo's `mjEPS`), m³.
const NO_VOLUME: f64 = 1e-14;
/// Colour of geoms that give none; a geom of exactly this colour takes that of its material.
const GREY: [f32; 4] = [0.5, 0.5, 0.5, 1.0];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plane,
    Hfield,
    Sphere,
    Capsule,
    Ellipsoid,
    Cylinder,
    Box,
    Mesh,
    Sdf,
}

const KINDS: [(&str, Kind); 9] = [
    ("plane", Kind::Plane),
    ("hfield", Kind::Hfield),
    ("sphere", Kind::Sphere),
    ("capsule", Kind::Capsule),
    ("ellipsoid", Kind::Ellipsoid),
    ("cylinder", Kind::Cylinder),
    ("box", Kind::Box),
    ("mesh", Kind::Mesh),
    ("sdf", Kind::Sdf),
];

/// A geom that has a shape.
#[derive(Debug)]
pub(crate) struct Geom {
    pub(crate) spec: ShapeSpec,
    /// Its mass in the body frame.
    pub(crate) mass: MassProperties,
    /// Pose of its principal axes in the body: the body's inertial frame if it is the only geom.
    pub(crate) body_from_axes: Transform,
}

/// Reads a geom. Planes and height fields have no mass and no shape: `None`. With `inferred`, the body's mass comes
/// from its geoms.
pub(crate) fn read(
    files: &dyn Files,
    source: &Source<'_>,
    cascade: &Cascade<'_>,
    body_from_frame: &Transform,
    inferred: bool,
    notes: &mut Notes,
) -> Result<Option<Geom>, FormatError> {
    let element = cascade.own();
    let kind = cascade.keyword("type", &KINDS)?.unwrap_or(Kind::Sphere);
    cascade.ignore(&IGNORED);
    let touches = [cascade.int("contype")?, cascade.int("conaffinity")?].map(|mask| mask.unwrap_or(1) != 0);
    if element.children().any(|child| child.tag() == "plugin") && kind != Kind::Sdf {
        notes.unsupported(element, "plugins of geoms are not supported")?;
    }
    if matches!(kind, Kind::Plane | Kind::Hfield) {
        cascade.ignore(&UNUSED_BY_PLANES);
        return Ok(None);
    }
    let unreadable = |name: &str| source.meshes.get(name).is_some_and(|mesh| !mesh.supported());
    if !inferred && cascade.text("mesh").is_some_and(unreadable) {
        notes.unsupported(element, "meshes of this kind are not supported; geoms with them were left out")?;
        cascade.ignore_rest();
        return Ok(None);
    }
    let placed = place(files, source, cascade, kind)?;
    let group = cascade.int("group")?.unwrap_or(0);
    let [low, high] = source.compiler.groups;
    let shell = cascade.bool("shellinertia")?.unwrap_or(false);
    let massive = (low..=high).contains(&group);
    let (unit, shape_from_axes) = match (&placed.mesh, inferred && massive) {
        (Some(mesh), true) => {
            mesh.tell(element, notes);
            mesh.unit(element).map(|unit| (unit.mass, unit.mesh_from_axes))?
        }
        // Not needed, and many meshes enclose nothing.
        (Some(_), false) => (MassProperties::default(), Transform::identity()),
        (None, _) => (placed.shape.unit_mass_properties(shell), Transform::identity()),
    };
    let (density, mass) = amount(cascade, &unit)?;
    let body_from_shape = body_from_frame * placed.frame_from_shape;
    let spec = ShapeSpec {
        name: String::new(),
        shape: placed.shape,
        body_from_shape,
        density,
        mass,
        shell,
        massive,
        collides: touches[0] || touches[1],
        rgba: colour(source, cascade)?,
    };
    let factor = match spec.mass {
        None => spec.density,
        Some(mass) if unit.mass > 0.0 => mass / unit.mass,
        Some(_) => 0.0,
    };
    let mass = unit.scaled(factor).transformed(&spec.body_from_shape);
    Ok(Some(Geom { spec, mass, body_from_axes: body_from_shape * shape_from_axes }))
}

const UNUSED_BY_PLANES: [&str; 12] = [
    "size",
    "pos",
    "quat",
    "axisangle",
    "euler",
    "xyaxes",
    "zaxis",
    "mesh",
    "fitscale",
    "fromto",
    "group",
    "shellinertia",
];

const IGNORED: [&str; 19] = [
    "condim",
    "priority",
    "friction",
    "solmix",
    "solref",
    "solimp",
    "margin",
    "gap",
    "surfacevel",
    "adhesion",
    "hfield",
    "castshadow",
    "fluidshape",
    "fluidcoef",
    "user",
    "mass",
    "density",
    "material",
    "rgba",
];

struct Placed {
    shape: Shape,
    /// Pose of the shape in the frame the geom stands in.
    frame_from_shape: Transform,
    /// The mesh, if the shape is one.
    mesh: Option<std::rc::Rc<MeshAsset>>,
}

fn place(
    files: &dyn Files,
    source: &Source<'_>,
    cascade: &Cascade<'_>,
    kind: Kind,
) -> Result<Placed, FormatError> {
    let element = cascade.own();
    let size = cascade.overlay("size", [0.0; 3])?;
    let fit_scale = cascade.f64("fitscale")?.unwrap_or(1.0);
    let mesh = cascade.text("mesh").map(|name| source.mesh(files, element, name)).transpose()?;
    let at_pose = pose(cascade, &source.compiler)?;
    if let Some(fromto) = cascade.array::<6>("fromto")? {
        if mesh.is_some() {
            return Err(element.error("\"fromto\" cannot place a mesh"));
        }
        let (frame_from_shape, half_length) = between(element, fromto)?;
        let [radius, ..] = size;
        let size = match kind {
            Kind::Capsule | Kind::Cylinder => [radius, half_length, 0.0],
            Kind::Box | Kind::Ellipsoid => [radius, radius, half_length],
            _ => return Err(element.error("\"fromto\" needs a capsule, cylinder, box or ellipsoid")),
        };
        return Ok(Placed { shape: solid(cascade, kind, size)?, frame_from_shape, mesh: None });
    }
    match (kind, mesh) {
        (Kind::Mesh | Kind::Sdf, Some(asset)) => {
            let shape = Shape::Mesh { mesh: Arc::clone(&asset.mesh), mass: asset.mass };
            Ok(Placed { shape, frame_from_shape: at_pose, mesh: Some(asset) })
        }
        (Kind::Mesh | Kind::Sdf, None) => Err(element.error("a mesh geom names no mesh")),
        (_, None) => Ok(Placed { shape: solid(cascade, kind, size)?, frame_from_shape: at_pose, mesh: None }),
        (_, Some(asset)) if source.compiler.fit_aabb => {
            // The box is that of the mesh along its principal axes.
            let mesh_from_axes = asset.unit(element)?.mesh_from_axes;
            let (half, centre) = bounds_along(&asset, &mesh_from_axes);
            let shape = solid(cascade, kind, around_box(kind, half).map(|x| x * fit_scale))?;
            let axes_from_box = transform(centre, gambol_model::Quat::identity());
            Ok(Placed { shape, frame_from_shape: at_pose * mesh_from_axes * axes_from_box, mesh: None })
        }
        (_, Some(asset)) => {
            let unit = asset.unit(element)?;
            let size = fitted(kind, inertia_box(unit.mass.mass, unit.moments)).map(|x| x * fit_scale);
            let frame_from_shape = at_pose * unit.mesh_from_axes;
            Ok(Placed { shape: solid(cascade, kind, size)?, frame_from_shape, mesh: None })
        }
    }
}

fn solid(cascade: &Cascade<'_>, kind: Kind, size: [f64; 3]) -> Result<Shape, FormatError> {
    let count = match kind {
        Kind::Sphere => 1,
        Kind::Capsule | Kind::Cylinder => 2,
        _ => 3,
    };
    if let Some(bad) = size[..count].iter().find(|size| **size <= 0.0) {
        return Err(cascade.own().error(format!("a size of {bad} is not above 0")));
    }
    let [a, b, c] = size;
    Ok(match kind {
        Kind::Sphere => Shape::Sphere { radius: a },
        Kind::Capsule => Shape::Capsule { radius: a, half_length: b },
        Kind::Cylinder => Shape::Cylinder { radius: a, half_length: b },
        Kind::Ellipsoid => Shape::Ellipsoid { radii: Vec3::new(a, b, c) },
        _ => Shape::Box { half: Vec3::new(a, b, c) },
    })
}

/// Half sizes of the box with this mass and these principal moments.
fn inertia_box(mass: f64, moments: Vec3) -> Vec3 {
    let total = moments.sum();
    moments.map(|moment| (6.0 * (total - 2.0 * moment).max(0.0) / mass).sqrt() / 2.0)
}

/// Sizes of a primitive like a box of half sizes `half`, with the longest axis along z.
fn fitted(kind: Kind, half: Vec3) -> [f64; 3] {
    let radius = f64::midpoint(half.x, half.y);
    match kind {
        Kind::Sphere => [half.sum() / 3.0, 0.0, 0.0],
        Kind::Capsule => [radius, (half.z - radius / 2.0).max(0.0), 0.0],
        Kind::Cylinder => [radius, half.z, 0.0],
        _ => [half.x, half.y, half.z],
    }
}

/// Sizes of the smallest primitive whose bounding box holds a box.
fn around_box(kind: Kind, half: Vec3) -> [f64; 3] {
    let radius = half.x.max(half.y);
    match kind {
        Kind::Sphere => [half.max(), 0.0, 0.0],
        Kind::Capsule => [radius, (half.z - radius).max(0.0), 0.0],
        Kind::Cylinder => [radius, half.z, 0.0],
        _ => [half.x, half.y, half.z],
    }
}

/// Half sizes and centre of the box around a mesh, along given axes.
fn bounds_along(asset: &MeshAsset, mesh_from_axes: &Transform) -> (Vec3, Vec3) {
    let axes_from_mesh = mesh_from_axes.inverse();
    let mut low = Vec3::repeat(f64::INFINITY);
    let mut high = -low;
    for vertex in asset.mesh.vertices() {
        let point = axes_from_mesh.transform_point(&(*vertex).into()).coords;
        low = low.inf(&point);
        high = high.sup(&point);
    }
    ((high - low) / 2.0, (high + low) / 2.0)
}

/// Density and, if given, mass.
fn amount(cascade: &Cascade<'_>, unit: &MassProperties) -> Result<(f64, Option<f64>), FormatError> {
    let mass = cascade.f64("mass")?;
    let density = cascade.f64("density")?.unwrap_or(1000.0);
    if mass.is_some_and(|mass| mass < 0.0) || density < 0.0 {
        return Err(cascade.own().error("mass and density cannot be negative"));
    }
    // Too small to carry a mass: MuJoCo gives it none.
    let mass = mass.map(|mass| if unit.mass > NO_VOLUME || mass == 0.0 { mass } else { 0.0 });
    Ok((density, mass))
}

fn colour(source: &Source<'_>, cascade: &Cascade<'_>) -> Result<[f32; 4], FormatError> {
    let own = cascade.array::<4>("rgba")?.map_or(GREY, |rgba| rgba.map(to_f32));
    if own != GREY {
        return Ok(own);
    }
    let of_mesh =
        || cascade.text("mesh").and_then(|name| source.meshes.get(name)).and_then(|mesh| mesh.material);
    let material = cascade.text("material").or_else(of_mesh);
    Ok(material.and_then(|name| source.materials.get(name)).copied().unwrap_or(own))
}

/// Reads the pose of a site in the frame it stands in.
pub(crate) fn read_site(source: &Source<'_>, cascade: &Cascade<'_>) -> Result<Transform, FormatError> {
    cascade.ignore(&["type", "group", "size", "material", "mesh", "rgba", "user"]);
    let at_pose = pose(cascade, &source.compiler)?;
    match cascade.array::<6>("fromto")? {
        Some(fromto) => Ok(between(cascade.own(), fromto)?.0),
        None => Ok(at_pose),
    }
}

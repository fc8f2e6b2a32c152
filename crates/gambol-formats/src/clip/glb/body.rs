//! The creature's own body as a skinned mesh: every part is bound wholly to one bone.

use gambol_model::{Creature, Shape, ShapeSpec, Transform, Vec3, math};
use nalgebra::Point3;
use serde_json::{Value, json};

use super::buffer::{Buffer, Component, Target, within_u32};
use super::surface::Surface;
use crate::clip::{ClipFileError, floats, size, y_up};

/// How rough a body is: fur and skin have little shine.
const ROUGHNESS: f64 = 0.8;
/// Of a creature without shapes the bones are drawn, this thick in parts of its size.
const BONE: f64 = 0.015;
/// Colour of such bones, red, green, blue, alpha.
const BONE_COLOUR: [f32; 4] = [0.85, 0.82, 0.75, 1.0];
/// A shape for contact is hidden where those for the eye cover at least this share of it along each axis.
const COVERED: f64 = 0.5;

/// All parts of one colour.
struct Part {
    rgba: [f32; 4],
    /// Seen from both sides: what the file gave is no closed surface.
    two_sided: bool,
    /// In the world of the bind pose, m, y up.
    vertices: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    /// For each vertex, the joint of the skin.
    joints: Vec<u16>,
    indices: Vec<u32>,
}

/// Materials and primitives of the mesh.
pub(super) struct Mesh {
    pub(super) materials: Vec<Value>,
    pub(super) primitives: Vec<Value>,
}

/// The mesh of `creature` with bodies at `bind`. Joint b of the skin is body b; joint 0 stands still.
pub(super) fn mesh(
    creature: &Creature,
    bind: &[Transform],
    buffer: &mut Buffer,
) -> Result<Mesh, ClipFileError> {
    let mut mesh = Mesh { materials: Vec::new(), primitives: Vec::new() };
    for part in parts(creature, bind)? {
        mesh.primitives.push(part.primitive(mesh.materials.len(), creature.bodies().len(), buffer)?);
        mesh.materials.push(part.material());
    }
    Ok(mesh)
}

fn parts(creature: &Creature, bind: &[Transform]) -> Result<Vec<Part>, ClipFileError> {
    let mut parts: Vec<Part> = Vec::new();
    // What is fixed to the world is a creature's stand if it has one, and scenery if it floats.
    let scenery = (1..bind.len()).any(|index| floats(creature, index));
    for index in usize::from(scenery)..bind.len() {
        for shape in visible(&creature.shapes()[creature.bodies()[index].shapes.clone()]) {
            add(&mut parts, index, &bind[index], shape)?;
        }
    }
    if parts.is_empty() {
        for (index, bone) in bones(creature, bind) {
            add(&mut parts, index, &bind[index], &bone)?;
        }
    }
    Ok(parts)
}

/// The shapes of a body that are seen: those for the eye, and those for contact that they do not stand for. A mesh for the
/// eye stands for all; simple shapes for the eye, which may be mere ornaments, for what they cover.
fn visible(shapes: &[ShapeSpec]) -> impl Iterator<Item = &ShapeSpec> {
    let seen = |shape: &&ShapeSpec| shape.rgba[3] > 0.0;
    let for_the_eye = || shapes.iter().filter(seen).filter(|shape| !shape.collides);
    let modelled = for_the_eye().any(|shape| matches!(shape.shape, Shape::Mesh { .. }));
    let cover = for_the_eye().map(in_body).reduce(|a, b| [a[0].inf(&b[0]), a[1].sup(&b[1])]);
    let covered = move |shape: &ShapeSpec| {
        let Some(cover) = cover else { return false };
        let own = in_body(shape);
        let shared = own[1].inf(&cover[1]) - own[0].sup(&cover[0]);
        (0..3).all(|axis| shared[axis] >= COVERED * (own[1][axis] - own[0][axis]))
    };
    shapes.iter().filter(seen).filter(move |shape| !(shape.collides && (modelled || covered(shape))))
}

/// Opposite corners of a box around a shape, along the axes of its body.
fn in_body(shape: &ShapeSpec) -> [Vec3; 2] {
    let (half, centre) = shape.shape.bounds();
    let centre = shape.body_from_shape * Point3::from(centre);
    let half = shape.body_from_shape.rotation.to_rotation_matrix().matrix().abs() * half;
    [centre.coords - half, centre.coords + half]
}

/// Bones from each body to its children, and a ball at each body's origin.
fn bones(creature: &Creature, bind: &[Transform]) -> Vec<(usize, ShapeSpec)> {
    let radius = BONE * size(creature, bind);
    let bone = |shape: Shape, body_from_shape: Transform| ShapeSpec {
        body_from_shape,
        rgba: BONE_COLOUR,
        ..ShapeSpec::new(shape)
    };
    let mut bones = Vec::new();
    for index in 1..bind.len() {
        bones.push((index, bone(Shape::Sphere { radius: 1.5 * radius }, Transform::identity())));
        let parent = creature.bodies()[index].parent;
        if parent == 0 || floats(creature, index) {
            continue;
        }
        let along = bind[parent].inverse_transform_point(&bind[index].translation.vector.into()).coords;
        let half_length = 0.5 * along.norm();
        if let Some(turn) = nalgebra::UnitQuaternion::rotation_between(&Vec3::z(), &along)
            && half_length > radius
        {
            let place = Transform::from_parts((0.5 * along).into(), turn);
            bones.push((parent, bone(Shape::Capsule { radius, half_length }, place)));
        }
    }
    bones
}

/// Adds a shape of body `index` to the part of its colour.
fn add(
    parts: &mut Vec<Part>,
    index: usize,
    bind: &Transform,
    shape: &ShapeSpec,
) -> Result<(), ClipFileError> {
    let surface = Surface::new(&shape.shape);
    let two_sided = matches!(&shape.shape, Shape::Mesh { mesh, .. } if mesh.defect().is_some());
    let same = |part: &Part| part.rgba == shape.rgba && part.two_sided == two_sided;
    let place = parts.iter().position(same).unwrap_or_else(|| {
        parts.push(Part::new(shape.rgba, two_sided));
        parts.len() - 1
    });
    let part = &mut parts[place];
    let joint = u16::try_from(index).map_err(|_| ClipFileError::TooMany {
        what: "bodies",
        count: index,
        format: "glTF",
        most: u16::MAX.into(),
    })?;
    let first = within_u32("vertices", part.vertices.len())?;
    within_u32("vertices", part.vertices.len() + surface.vertices.len())?;
    let world_from_shape = bind * shape.body_from_shape;
    for (vertex, normal) in surface.vertices.iter().zip(&surface.normals) {
        part.vertices.push(to_f32(y_up((world_from_shape * Point3::from(*vertex)).coords)));
        part.normals.push(to_f32(y_up(world_from_shape.rotation * normal)));
        part.joints.push(joint);
    }
    part.indices.extend(surface.faces.iter().flatten().map(|index| first + index));
    Ok(())
}

impl Part {
    fn new(rgba: [f32; 4], two_sided: bool) -> Self {
        let (vertices, normals, joints, indices) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { rgba, two_sided, vertices, normals, joints, indices }
    }

    fn primitive(&self, material: usize, bodies: usize, buffer: &mut Buffer) -> Result<Value, ClipFileError> {
        let vertices = Some(Target::Vertices);
        let position = buffer.floats(&self.vertices, vertices)?;
        buffer.bound(position, &self.vertices);
        let normal = buffer.floats(&self.normals, vertices)?;
        // One bone each: the other three are the first, with no weight.
        let few = u8::try_from(bodies - 1).is_ok();
        let component = if few { Component::UnsignedByte } else { Component::UnsignedShort };
        let width = if few { 1 } else { 2 };
        let own = self.joints.iter().flat_map(|joint| {
            let mut four = [0; 8];
            four[..2].copy_from_slice(&joint.to_le_bytes());
            four.into_iter().take(4 * width)
        });
        let own: Vec<u8> = own.collect();
        let joints = buffer.push((component, "VEC4"), self.joints.len(), &own, vertices)?;
        let weights = [u8::MAX, 0, 0, 0].repeat(self.joints.len());
        let weights =
            buffer.push((Component::UnsignedByte, "VEC4"), self.joints.len(), &weights, vertices)?;
        buffer.accessors[weights]["normalized"] = json!(true);
        Ok(json!({
            "attributes": { "POSITION": position, "NORMAL": normal, "JOINTS_0": joints, "WEIGHTS_0": weights },
            "indices": self.indices(buffer)?,
            "material": material,
        }))
    }

    fn indices(&self, buffer: &mut Buffer) -> Result<usize, ClipFileError> {
        // The largest index of a width is reserved.
        let (component, bytes): (_, Vec<u8>) = if u16::try_from(self.vertices.len()).is_ok() {
            let short = |index: &u32| u16::try_from(*index).unwrap_or(u16::MAX).to_le_bytes();
            (Component::UnsignedShort, self.indices.iter().flat_map(short).collect())
        } else {
            (Component::UnsignedInt, self.indices.iter().flat_map(|index| index.to_le_bytes()).collect())
        };
        buffer.push((component, "SCALAR"), self.indices.len(), &bytes, Some(Target::Indices))
    }

    fn material(&self) -> Value {
        let [r, g, b, alpha] = self.rgba.map(|c| f64::from(c).clamp(0.0, 1.0));
        let mut material = json!({
            "pbrMetallicRoughness": {
                "baseColorFactor": [linear(r), linear(g), linear(b), alpha],
                "metallicFactor": 0.0,
                "roughnessFactor": ROUGHNESS,
            },
        });
        if alpha < 1.0 {
            material["alphaMode"] = json!("BLEND");
        }
        if self.two_sided {
            material["doubleSided"] = json!(true);
        }
        material
    }
}

/// Colours of creature files are as a screen takes them (sRGB, IEC 61966-2-1); glTF wants amounts of light.
fn linear(screen: f64) -> f64 {
    if screen <= 0.04045 { screen / 12.92 } else { math::powf((screen + 0.055) / 1.055, 2.4) }
}

/// glTF has 32-bit numbers.
#[allow(clippy::cast_possible_truncation)]
pub(crate) fn to_f32(v: Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

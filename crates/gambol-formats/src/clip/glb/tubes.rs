//! A surface on joints that move freely, each by itself, as binary glTF: the branches of a plant.
//!
//! ```text
//! scene ─┬─ walnut ─┬─ node 0      joints have no parents among each other: a mode moves nodes, not angles
//!        │          ├─ node 1
//!        └─ walnut surface         the skin
//! ```

use gambol_model::Vec3;
use serde_json::{Value, json};

use super::body::to_f32;
use super::buffer::{Buffer, Component, Target, within_u32};
use super::container;
use crate::clip::{ClipFileError, y_up};

/// How rough bark and leaves are.
const ROUGHNESS: f64 = 0.9;

/// Triangles of one colour.
#[derive(Clone, Debug, Default)]
pub struct JointedPart {
    /// Of its material.
    pub name: String,
    /// Red, green, blue, opacity in 0..1.
    pub rgba: [f32; 4],
    /// At rest, m, z up.
    pub positions: Vec<Vec3>,
    /// Outwards.
    pub normals: Vec<Vec3>,
    /// Two joints and how much the second counts, 0..1, for each vertex.
    pub joints: Vec<(usize, usize, f64)>,
    /// Three vertices each.
    pub triangles: Vec<[usize; 3]>,
}

/// A surface on joints, and how these move.
#[derive(Clone, Debug)]
pub struct JointedSurface {
    /// What it is called.
    pub name: String,
    /// What its motion is called.
    pub motion: String,
    /// Places of the joints at rest, m, z up.
    pub joints: Vec<Vec3>,
    /// Its surface.
    pub parts: Vec<JointedPart>,
    /// s
    pub times: Vec<f64>,
    /// Places of all joints at each time, m, z up.
    pub places: Vec<Vec<Vec3>>,
    /// What else the file is to say, under `extras.gambol` of its asset.
    pub extras: Value,
}

/// The bytes of a `.glb` file.
pub fn jointed_surface_to_glb(surface: &JointedSurface) -> Result<Vec<u8>, ClipFileError> {
    let mut buffer = Buffer::default();
    let (mut primitives, mut materials) = (Vec::new(), Vec::new());
    for part in surface.parts.iter().filter(|part| !part.triangles.is_empty()) {
        primitives.push(primitive(part, materials.len(), &mut buffer)?);
        materials.push(json!({
            "name": part.name,
            "pbrMetallicRoughness": { "baseColorFactor": part.rgba, "metallicFactor": 0.0, "roughnessFactor": ROUGHNESS },
            "doubleSided": true,
        }));
    }
    let inverse: Vec<[f32; 16]> = surface.joints.iter().map(|at| inverse_bind(*at)).collect();
    let inverse = buffer.floats(&inverse, None)?;
    let animation = animation(surface, &mut buffer)?;
    let count = surface.joints.len();
    let mut nodes = vec![json!({ "name": surface.name, "children": (1..=count).collect::<Vec<_>>() })];
    for (index, at) in surface.joints.iter().enumerate() {
        nodes.push(json!({ "name": format!("node {index}"), "translation": to_f32(y_up(*at)) }));
    }
    let name = format!("{} surface", surface.name);
    nodes.push(json!({ "name": name, "mesh": 0, "skin": 0 }));
    let document = json!({
        "asset": {
            "version": "2.0",
            "generator": concat!("gambol ", env!("CARGO_PKG_VERSION")),
            "extras": { "gambol": surface.extras },
        },
        "scene": 0,
        "scenes": [{ "nodes": [0, count + 1] }],
        "nodes": nodes,
        "meshes": [{ "name": name, "primitives": primitives }],
        "materials": materials,
        "skins": [{
            "name": surface.name,
            "inverseBindMatrices": inverse,
            "skeleton": 0,
            "joints": (1..=count).collect::<Vec<_>>(),
        }],
        "animations": [animation],
        "buffers": [{ "byteLength": buffer.bytes.len() }],
        "bufferViews": buffer.views,
        "accessors": buffer.accessors,
    });
    container(document.to_string().into_bytes(), Some(buffer.bytes))
}

fn primitive(part: &JointedPart, material: usize, buffer: &mut Buffer) -> Result<Value, ClipFileError> {
    let vectors = |from: &[Vec3]| -> Vec<[f32; 3]> { from.iter().map(|v| to_f32(y_up(*v))).collect() };
    let places = vectors(&part.positions);
    let position = buffer.floats(&places, Some(Target::Vertices))?;
    buffer.bound(position, &places);
    let normal = buffer.floats(&vectors(&part.normals), Some(Target::Vertices))?;
    let mut joints: Vec<u8> = Vec::new();
    let mut weights: Vec<[f32; 4]> = Vec::new();
    for &(first, second, share) in &part.joints {
        let most = usize::from(u16::MAX);
        let short = |joint: usize| {
            u16::try_from(joint).map_err(|_| ClipFileError::TooMany {
                what: "joints",
                count: joint,
                format: "glTF",
                most,
            })
        };
        #[allow(clippy::cast_possible_truncation)] // glTF has single precision
        let share = share as f32;
        // A joint without weight is 0, as the format asks.
        let second = if share > 0.0 { short(second)? } else { 0 };
        for joint in [short(first)?, second, 0, 0] {
            joints.extend(joint.to_le_bytes());
        }
        weights.push([1.0 - share, share, 0.0, 0.0]);
    }
    let joints = buffer.push(
        (Component::UnsignedShort, "VEC4"),
        part.joints.len(),
        &joints,
        Some(Target::Vertices),
    )?;
    let weights = buffer.floats(&weights, Some(Target::Vertices))?;
    let mut indices: Vec<u8> = Vec::new();
    for corner in part.triangles.iter().flatten() {
        indices.extend(within_u32("vertices", *corner)?.to_le_bytes());
    }
    let indices = buffer.push(
        (Component::UnsignedInt, "SCALAR"),
        3 * part.triangles.len(),
        &indices,
        Some(Target::Indices),
    )?;
    Ok(json!({
        "attributes": { "POSITION": position, "NORMAL": normal, "JOINTS_0": joints, "WEIGHTS_0": weights },
        "indices": indices,
        "material": material,
    }))
}

fn inverse_bind(at: Vec3) -> [f32; 16] {
    let [x, y, z] = to_f32(-y_up(at));
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]
}

/// A channel for each joint that moves at all.
fn animation(surface: &JointedSurface, buffer: &mut Buffer) -> Result<Value, ClipFileError> {
    #[allow(clippy::cast_possible_truncation)] // glTF has single precision
    let times: Vec<[f32; 1]> = surface.times.iter().map(|time| [*time as f32]).collect();
    let input = buffer.floats(&times, None)?;
    buffer.bound(input, &times);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for (index, rest) in surface.joints.iter().enumerate() {
        let keys: Vec<[f32; 3]> = surface.places.iter().map(|places| to_f32(y_up(places[index]))).collect();
        // The root stands; an animation has at least one channel.
        let still = keys.iter().all(|key| *key == to_f32(y_up(*rest)));
        if still && index + 1 < surface.joints.len() {
            continue;
        }
        let output = buffer.floats(&keys, None)?;
        channels.push(
            json!({ "sampler": samplers.len(), "target": { "node": index + 1, "path": "translation" } }),
        );
        samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
    }
    Ok(json!({ "name": surface.motion, "samplers": samplers, "channels": channels }))
}

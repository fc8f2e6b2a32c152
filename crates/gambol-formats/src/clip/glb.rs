//! Clips as binary glTF 2.0: the creature's own body, a skeleton with one node per body, and an animation for each clip.
//!
//! ```text
//! scene ─┬─ dog ── root ── torso ─┬─ ...     `root` travels over the ground, the rest moves in place
//!        └─ dog body                         the skin
//! ```
//!
//! Written by hand: `gltf-json` 1.4 is from 2024 and typed for all of glTF; what we write is a dozen JSON objects.

mod animation;
mod body;
mod buffer;
mod surface;
mod tubes;

use gambol_dynamics::Data;
use gambol_model::{Creature, Quat, Transform, Vec3};
use gambol_motion::{Clip, Stride};
use serde_json::{Value, json};

use super::{
    ClipFileError, check, contacts_json, floats, frames, frames_over_time, numbered_name, size, stride_json,
    unused_name, y_up, y_up_rotation,
};
use buffer::within_u32;

pub(crate) use animation::{Channels, STILL, Setting, Track, extras, quaternion};
pub(crate) use body::to_f32;
pub(crate) use buffer::{Buffer, Start};
pub use tubes::{JointedPart, JointedSurface, jointed_surface_to_glb};

/// Nodes before that of the first body: the creature and the root. Body b ≥ 1 is node b + 1.
const CREATURE: usize = 0;
const ROOT: usize = 1;

/// How a clip is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GlbOptions {
    /// Whether the creature travels. Default: it does.
    pub root_motion: RootMotion,
}

/// Where the way over the ground goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootMotion {
    /// Onto the root node, which no other motion touches.
    #[default]
    Travel,
    /// Nowhere: the creature stays in place, see [`Clip::in_place`].
    InPlace,
}

/// The clip and the creature's own body as the bytes of a `.glb` file.
pub fn to_glb(creature: &Creature, clip: &Clip, options: &GlbOptions) -> Result<Vec<u8>, ClipFileError> {
    clips_to_glb(creature, std::slice::from_ref(clip), options)
}

/// The same with several clips. One whose name is there already gets a number: `walk.001`.
pub fn clips_to_glb(
    creature: &Creature,
    clips: &[Clip],
    options: &GlbOptions,
) -> Result<Vec<u8>, ClipFileError> {
    let skeleton = GlbSkeleton::new(creature);
    let mut buffer = Buffer::default();
    let mesh = body::mesh(creature, &skeleton.bind, &mut buffer)?;
    let (mut animations, mut names): (Vec<Value>, Vec<String>) = (Vec::new(), Vec::new());
    for clip in clips {
        check(creature, clip)?;
        let name = numbered_name(&clip.name, &names);
        animations.push(animation((creature, clip), &name, *options, &skeleton, &mut buffer)?);
        names.push(name);
    }

    let mut nodes = skeleton.nodes(creature);
    let mut scene = vec![CREATURE];
    let mut document = json!({
        "asset": { "version": "2.0", "generator": concat!("gambol ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "animations": animations,
    });
    if !mesh.primitives.is_empty() {
        let name = format!("{} body", creature.name());
        let inverse_bind = buffer.floats(&skeleton.inverse_bind_matrices(), None)?;
        let joints: Vec<usize> = (ROOT..nodes.len()).collect();
        nodes.push(json!({ "name": name, "mesh": 0, "skin": 0 }));
        scene.push(nodes.len() - 1);
        document["meshes"] = json!([{ "name": name, "primitives": mesh.primitives }]);
        document["materials"] = json!(mesh.materials);
        document["skins"] = json!([{
            "name": creature.name(),
            "inverseBindMatrices": inverse_bind,
            "skeleton": CREATURE,
            "joints": joints,
        }]);
    }
    document["nodes"] = json!(nodes);
    document["scenes"] = json!([{ "nodes": scene }]);
    document["buffers"] = json!([{ "byteLength": buffer.bytes.len() }]);
    document["bufferViews"] = json!(buffer.views);
    document["accessors"] = json!(buffer.accessors);
    container(document.to_string().into_bytes(), Some(buffer.bytes))
}

/// The bones.
struct GlbSkeleton {
    /// Name of the node that holds all.
    name: String,
    /// Name of the node that travels.
    root: String,
    /// Whether some body floats; only then something travels.
    travels: bool,
    /// Parent of each node, from the root node on.
    parents: Vec<usize>,
    /// The body, if any, whose frame the parent of body b's node has.
    parent_bodies: Vec<Option<usize>>,
    /// Poses of all bodies in the world of the reference pose, the world first.
    bind: Vec<Transform>,
}

impl GlbSkeleton {
    fn new(creature: &Creature) -> Self {
        let bodies = creature.bodies();
        let travels = (1..bodies.len()).any(|index| floats(creature, index));
        let (mut parents, mut parent_bodies) = (vec![CREATURE], vec![None]);
        for (index, body) in bodies.iter().enumerate().skip(1) {
            let (parent, parent_body) = match body.parent {
                _ if floats(creature, index) => (ROOT, None),
                // What is fixed to the world must not travel.
                0 if travels => (CREATURE, None),
                0 => (ROOT, None),
                parent => (parent + 1, Some(parent)),
            };
            parents.push(parent);
            parent_bodies.push(parent_body);
        }
        let of_body = |name: &str| bodies.iter().skip(1).any(|body| body.name == name);
        let name = unused_name(creature.name(), of_body);
        let root = unused_name("root", |root| root == name || of_body(root));
        let bind = frames(creature, &mut Data::new(creature), creature.reference_pose());
        Self { name, root, travels, parents, parent_bodies, bind }
    }

    /// The pose of body `index` in its parent node, given the poses of all bodies in the world.
    fn local(&self, world: &[Transform], index: usize) -> Transform {
        match self.parent_bodies[index] {
            Some(parent) => world[parent].inv_mul(&world[index]),
            None => world[index],
        }
    }

    fn nodes(&self, creature: &Creature) -> Vec<Value> {
        let mut nodes = vec![json!({ "name": self.name }), json!({ "name": self.root })];
        for (index, body) in creature.bodies().iter().enumerate().skip(1) {
            let place = self.local(&self.bind, index);
            nodes.push(json!({
                "name": body.name,
                "translation": to_f32(y_up(place.translation.vector)),
                "rotation": quaternion(y_up_rotation(place.rotation)),
            }));
        }
        let mut children = vec![Vec::new(); nodes.len()];
        for (index, &parent) in self.parents.iter().enumerate() {
            children[parent].push(ROOT + index);
        }
        for (node, children) in nodes.iter_mut().zip(children).filter(|(_, children)| !children.is_empty()) {
            node["children"] = json!(children);
        }
        nodes
    }

    /// Column by column; of the root first, which is at the world's origin.
    fn inverse_bind_matrices(&self) -> Vec<[f32; 16]> {
        let matrix = |world: &Transform| {
            let inverse = world.inverse();
            let turn = y_up_rotation(inverse.rotation).to_rotation_matrix();
            let [x, y, z] = [0, 1, 2].map(|k| to_f32(turn.matrix().column(k).into_owned()));
            let t = to_f32(y_up(inverse.translation.vector));
            let columns = [(x, 0.0), (y, 0.0), (z, 0.0), (t, 1.0)];
            let mut numbers = columns.iter().flat_map(|([a, b, c], d)| [*a, *b, *c, *d]);
            std::array::from_fn(|_| numbers.next().unwrap_or(0.0))
        };
        self.bind.iter().map(matrix).collect()
    }
}

fn animation(
    (creature, clip): (&Creature, &Clip),
    name: &str,
    options: GlbOptions,
    skeleton: &GlbSkeleton,
    buffer: &mut Buffer,
) -> Result<Value, ClipFileError> {
    let mut channels = Channels::new(clip, buffer)?;
    let tolerance = STILL * size(creature, &skeleton.bind);
    for (index, track) in tracks(creature, clip, options, skeleton).into_iter().enumerate() {
        // An animation has at least one channel: that of the root is always there.
        let least = if index == 0 { 0.0 } else { tolerance };
        channels.translation(&track, least)?;
        channels.rotation(&track)?;
    }
    let setting = Setting {
        root: &skeleton.root,
        travels: skeleton.travels,
        unit: 1.0,
        stride: clip.stride.as_ref().map(|stride| stride_json(stride, y_up)),
        contacts: contacts_json(creature, &clip.contacts, y_up),
    };
    Ok(channels.into_animation(name, &extras(clip, options, &setting)))
}

/// The root's track first, then those of all bodies.
fn tracks(creature: &Creature, clip: &Clip, options: GlbOptions, skeleton: &GlbSkeleton) -> Vec<Track> {
    let way = |stride: &Stride| match options.root_motion {
        RootMotion::Travel => {
            let turn = Quat::from_axis_angle(&Vec3::z_axis(), stride.yaw);
            y_up_transform(&Transform::from_parts(stride.shift.into(), turn))
        }
        RootMotion::InPlace => Transform::identity(),
    };
    let root = Track {
        node: ROOT,
        rest: Transform::identity(),
        keys: clip.path(creature).iter().map(way).collect(),
    };
    let world = frames_over_time(creature, &clip.in_place(creature));
    let of_body = |index| Track {
        node: index + 1,
        rest: y_up_transform(&skeleton.local(&skeleton.bind, index)),
        keys: world.iter().map(|world| y_up_transform(&skeleton.local(world, index))).collect(),
    };
    std::iter::once(root).chain((1..creature.bodies().len()).map(of_body)).collect()
}

fn y_up_transform(transform: &Transform) -> Transform {
    Transform::from_parts(y_up(transform.translation.vector).into(), y_up_rotation(transform.rotation))
}

/// The chunks of a GLB, each padded to four bytes: JSON with spaces, binary with zeros.
pub(crate) fn container(mut json: Vec<u8>, binary: Option<Vec<u8>>) -> Result<Vec<u8>, ClipFileError> {
    const MAGIC: &[u8; 4] = b"glTF";
    const VERSION: u32 = 2;
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut chunks = vec![(b"JSON", json)];
    if let Some(mut binary) = binary {
        binary.resize(binary.len().next_multiple_of(4), 0);
        chunks.push((b"BIN\0", binary));
    }
    let length = 12 + chunks.iter().map(|(_, chunk)| 8 + chunk.len()).sum::<usize>();
    let mut glb = Vec::with_capacity(length);
    glb.extend(MAGIC);
    glb.extend(VERSION.to_le_bytes());
    glb.extend(within_u32("bytes", length)?.to_le_bytes());
    for (kind, chunk) in chunks {
        glb.extend(within_u32("bytes", chunk.len())?.to_le_bytes());
        glb.extend(kind);
        glb.extend(chunk);
    }
    Ok(glb)
}

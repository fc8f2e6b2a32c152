//! A clip as binary glTF 2.0: the creature's own body, a skeleton with one node per body, and one animation.
//!
//! ```text
//! scene ─┬─ dog ── root ── torso ─┬─ ...     `root` travels over the ground, the rest moves in place
//!        └─ dog body                         the skin
//! ```
//!
//! Written by hand: `gltf-json` 1.4 is from 2024 and typed for all of glTF; what we write is a dozen JSON objects.

mod body;
mod buffer;
mod surface;

use gambol_dynamics::Data;
use gambol_model::{Creature, Quat, Transform, Vec3};
use gambol_motion::{Clip, Stride};
use nalgebra::Unit;
use serde_json::{Value, json};

use super::{
    ClipFileError, check, contacts_json, floats, frames, frames_over_time, size, stride_json, unused_name,
    y_up, y_up_rotation,
};
use body::to_f32;
use buffer::{Buffer, within_u32};

/// Changes when a reader of the old `extras.gambol` would misread the new one.
const EXTRAS_VERSION: u32 = 1;
/// A track that stays this close to the bind pose is left out: rad, and m in parts of the creature's size. It is the
/// resolution of glTF's 32-bit numbers.
const STILL: f64 = 1e-7;
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
    check(creature, clip)?;
    let skeleton = Skeleton::new(creature);
    let mut buffer = Buffer::default();
    let mesh = body::mesh(creature, &skeleton.bind, &mut buffer)?;
    let animation = animation(creature, clip, *options, &skeleton, &mut buffer)?;

    let mut nodes = skeleton.nodes(creature);
    let mut scene = vec![CREATURE];
    let mut document = json!({
        "asset": { "version": "2.0", "generator": concat!("gambol ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "animations": [animation],
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
    container(&document.to_string(), buffer.bytes)
}

/// The bones.
struct Skeleton {
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

impl Skeleton {
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

/// What one node does: its pose in its parent at every key.
struct Track {
    node: usize,
    bind: Transform,
    keys: Vec<Transform>,
}

fn animation(
    creature: &Creature,
    clip: &Clip,
    options: GlbOptions,
    skeleton: &Skeleton,
    buffer: &mut Buffer,
) -> Result<Value, ClipFileError> {
    let times = times(clip)?;
    let input = buffer.floats(&times, None)?;
    buffer.bound(input, &times);

    let mut animation = Animation { input, buffer, samplers: Vec::new(), channels: Vec::new() };
    let tolerance = STILL * size(creature, &skeleton.bind);
    for (index, track) in tracks(creature, clip, options, skeleton).into_iter().enumerate() {
        // An animation has at least one channel: that of the root is always there.
        let least = if index == 0 { 0.0 } else { tolerance };
        animation.translation(&track, least)?;
        animation.rotation(&track)?;
    }
    Ok(json!({
        "name": clip.name,
        "samplers": animation.samplers,
        "channels": animation.channels,
        "extras": { "gambol": extras(creature, clip, options, skeleton) },
    }))
}

/// The root's track first, then those of all bodies.
fn tracks(creature: &Creature, clip: &Clip, options: GlbOptions, skeleton: &Skeleton) -> Vec<Track> {
    let way = |stride: &Stride| match options.root_motion {
        RootMotion::Travel => {
            let turn = Quat::from_axis_angle(&Vec3::z_axis(), stride.yaw);
            Transform::from_parts(stride.shift.into(), turn)
        }
        RootMotion::InPlace => Transform::identity(),
    };
    let root = Track {
        node: ROOT,
        bind: Transform::identity(),
        keys: clip.path(creature).iter().map(way).collect(),
    };
    let world = frames_over_time(creature, &clip.in_place(creature));
    let of_body = |index| Track {
        node: index + 1,
        bind: skeleton.local(&skeleton.bind, index),
        keys: world.iter().map(|world| skeleton.local(world, index)).collect(),
    };
    std::iter::once(root).chain((1..creature.bodies().len()).map(of_body)).collect()
}

/// Channels, all at the same times.
struct Animation<'b> {
    input: usize,
    buffer: &'b mut Buffer,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Animation<'_> {
    /// Adds a channel for the node's place, unless it stays within `tolerance` of where it is bound.
    fn translation(&mut self, track: &Track, tolerance: f64) -> Result<(), ClipFileError> {
        let places = || track.keys.iter().map(|key| key.translation.vector);
        let bound = track.bind.translation.vector;
        if tolerance > 0.0 && places().all(|place| (place - bound).norm() <= tolerance) {
            return Ok(());
        }
        let output: Vec<[f32; 3]> = places().map(|place| to_f32(y_up(place))).collect();
        let output = self.buffer.floats(&output, None)?;
        self.push(track.node, "translation", output);
        Ok(())
    }

    /// Adds a channel for the node's orientation, unless it stays as it is bound. Of q and −q it takes the nearer to the
    /// key before, since some programs blend number by number.
    fn rotation(&mut self, track: &Track) -> Result<(), ClipFileError> {
        let bound = track.bind.rotation;
        if track.keys.iter().all(|key| key.rotation.angle_to(&bound) <= STILL) {
            return Ok(());
        }
        let mut before = bound;
        let output = track.keys.iter().map(|key| {
            let same_side = key.rotation.coords.dot(&before.coords) >= 0.0;
            before = if same_side { key.rotation } else { Unit::new_unchecked(-key.rotation.into_inner()) };
            quaternion(y_up_rotation(before))
        });
        let output: Vec<[f32; 4]> = output.collect();
        let output = self.buffer.floats(&output, None)?;
        self.push(track.node, "rotation", output);
        Ok(())
    }

    fn push(&mut self, node: usize, path: &str, output: usize) {
        let sampler = self.samplers.len();
        self.samplers.push(json!({ "input": self.input, "interpolation": "LINEAR", "output": output }));
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }
}

/// Times as glTF has them, still rising.
#[allow(clippy::cast_possible_truncation)] // checked
fn times(clip: &Clip) -> Result<Vec<[f32; 1]>, ClipFileError> {
    let times: Vec<[f32; 1]> = clip.times.iter().map(|&time| [time as f32]).collect();
    match times.windows(2).position(|pair| !(pair[0] < pair[1] && pair[1][0].is_finite())) {
        Some(key) => Err(ClipFileError::TimesTooClose { before: key, after: key + 1 }),
        None => Ok(times),
    }
}

/// What a game needs to know beside the poses; the scheme is in `docs/formats.md`.
fn extras(creature: &Creature, clip: &Clip, options: GlbOptions, skeleton: &Skeleton) -> Value {
    let root_motion = match options.root_motion {
        _ if !skeleton.travels => "none",
        RootMotion::Travel => "travel",
        RootMotion::InPlace => "in-place",
    };
    json!({
        "version": EXTRAS_VERSION,
        "node": skeleton.root,
        "root_motion": root_motion,
        "speed": clip.travel.map(|travel| travel.speed),
        "stride_length": clip.travel.map(|travel| travel.stride_length),
        "stride_frequency": clip.travel.map(|travel| travel.stride_frequency),
        "stride": clip.stride.as_ref().map(|stride| stride_json(stride, y_up)),
        "loop": clip.stride.is_some(),
        "contacts": contacts_json(creature, &clip.contacts, y_up),
    })
}

/// x y z w
#[allow(clippy::cast_possible_truncation)] // glTF has 32-bit numbers
fn quaternion(rotation: Quat) -> [f32; 4] {
    [rotation.i as f32, rotation.j as f32, rotation.k as f32, rotation.w as f32]
}

/// The two chunks of a GLB, each padded to four bytes: JSON with spaces, binary with zeros.
fn container(json: &str, mut binary: Vec<u8>) -> Result<Vec<u8>, ClipFileError> {
    const MAGIC: &[u8; 4] = b"glTF";
    const VERSION: u32 = 2;
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let length = within_u32("bytes", 12 + 8 + json.len() + 8 + binary.len())?;
    let mut glb = Vec::with_capacity(length as usize);
    glb.extend(MAGIC);
    glb.extend(VERSION.to_le_bytes());
    glb.extend(length.to_le_bytes());
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
        glb.extend(within_u32("bytes", chunk.len())?.to_le_bytes());
        glb.extend(kind);
        glb.extend(chunk);
    }
    Ok(glb)
}

//! glTF out: the user's own file with clips appended as animations.
//!
//! Nothing of the file is written anew. New entries are spliced into the arrays `animations`, `accessors` and
//! `bufferViews` of its JSON, and their numbers follow the old ones in the binary chunk, or stand in a buffer of their own
//! as a data URI. Two more places may change: `byteLength` of the binary chunk, and a `matrix` of a node that moves, which
//! glTF wants as translation, rotation and scale.

use gambol_dynamics::Data;
use gambol_model::{Creature, Quat, Transform, Vec3, nearest_rotation};
use gambol_motion::{Clip, Stride};
use nalgebra::{Matrix3, Point3};
use serde_json::{Value, json};

use super::data_uri::data_uri;
use super::nodes::{Affine, Nodes, Trs};
use super::splice::Splice;
use super::{GltfSource, Rig};
use crate::clip::glb::{
    Buffer, Channels, STILL, Setting, Start, Track, container, extras, quaternion, to_f32,
};
use crate::clip::{
    ClipFileError, GlbOptions, RootMotion, check, floats, frames, frames_over_time, numbered_name, size,
};

/// How far a turn under an unevenly scaled parent may be from a mere turn, in parts of the bone: exporters leave scales
/// like 0.9999 that nobody sees, and a hundredth of a bone's width is the most that nobody would.
const UNEVEN: f64 = 0.01;

/// The file of `rig` with `clips` of its creature in it, as bytes of the same kind of file. A clip whose name the file
/// has already gets a number: `walk.001`.
pub fn append_clips(
    rig: &Rig,
    creature: &Creature,
    clips: &[Clip],
    options: &GlbOptions,
) -> Result<Vec<u8>, ClipFileError> {
    for clip in clips {
        check(creature, clip)?;
    }
    let text = rig.source.text().map_err(|reason| source_error(&reason))?;
    let document: Value =
        serde_json::from_str(text).map_err(|error| source_error(&format!("not JSON: {error}")))?;
    // What is spliced into must be there as a list or not at all.
    for key in ["animations", "accessors", "bufferViews", "buffers", "nodes"] {
        if document.get(key).is_some_and(|value| !value.is_array()) {
            return Err(source_error(&format!("its {key:?} are not a list")));
        }
    }
    let mut splice = Splice::new(text);

    let skeleton = RigTracks::new(rig, creature, &document)?;
    let place = Place::new(rig, &document);
    let mut buffer = Buffer { start: place.start, ..Buffer::default() };
    let mut names: Vec<String> =
        list(&document, "animations").iter().map(|old| text_of(old, "name")).collect();
    let mut animations = Vec::new();
    for clip in clips {
        let name = numbered_name(&clip.name, &names);
        animations.push(skeleton.animation(clip, &name, *options, &mut buffer)?.to_string());
        names.push(name);
    }
    splice.append("animations", &animations);
    splice.append("accessors", &texts(&buffer.accessors));
    splice.append("bufferViews", &texts(&buffer.views));
    skeleton.split_matrices(&mut splice);
    place.finish(rig, splice, buffer.bytes)
}

/// What a clip does to the nodes of a file.
#[derive(Clone, Debug)]
pub struct NodeMotion {
    /// Seconds of the keys.
    pub times: Vec<f64>,
    /// Nodes that it moves, parents first.
    pub tracks: Vec<NodeTrack>,
    /// When feet stand, and where on nodes.
    pub contacts: Vec<NodeContact>,
}

/// What a clip does to one node.
#[derive(Clone, Debug)]
pub struct NodeTrack {
    /// Index into the nodes of the file.
    pub node: usize,
    /// Parent from node without its scale at each key, units of the file.
    pub keys: Vec<Transform>,
    /// Its place changes, and not its rotation alone.
    pub shifts: bool,
}

/// A foot on a node.
#[derive(Clone, Debug)]
pub struct NodeContact {
    /// Name of its landmark.
    pub name: String,
    /// Index into the nodes of the file.
    pub node: usize,
    /// The point that stands, in the node's frame and units.
    pub point: Vec3,
    /// Start and end of each stance, s.
    pub intervals: Vec<[f64; 2]>,
}

/// What [`append_clips`] would write of a clip, for programs that have the nodes themselves: the numbers are not rounded.
pub fn node_motion(
    rig: &Rig,
    creature: &Creature,
    clip: &Clip,
    options: &GlbOptions,
) -> Result<NodeMotion, ClipFileError> {
    check(creature, clip)?;
    let text = rig.source.text().map_err(|reason| source_error(&reason))?;
    let document: Value =
        serde_json::from_str(text).map_err(|error| source_error(&format!("not JSON: {error}")))?;
    let skeleton = RigTracks::new(rig, creature, &document)?;
    let tracks = skeleton.tracks(clip, *options)?;
    let tracks = skeleton.driven.iter().zip(tracks).map(|(driven, track)| {
        let tolerance = if driven.travels { 0.0 } else { STILL * skeleton.size * driven.per_metre };
        NodeTrack { node: track.node, shifts: driven.travels || track.shifts(tolerance), keys: track.keys }
    });
    Ok(NodeMotion {
        times: clip.times.clone(),
        tracks: tracks.collect(),
        contacts: skeleton.node_contacts(clip),
    })
}

fn source_error(reason: &str) -> ClipFileError {
    ClipFileError::Source(reason.to_owned())
}

fn list<'v>(document: &'v Value, key: &str) -> &'v [Value] {
    document[key].as_array().map_or(&[], Vec::as_slice)
}

fn text_of(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn texts(values: &[Value]) -> Vec<String> {
    values.iter().map(Value::to_string).collect()
}

/// Where new numbers go.
struct Place {
    start: Start,
    /// Into the binary chunk, whose length is told at `buffers[0]`; else into a buffer of their own.
    in_chunk: bool,
}

impl Place {
    fn new(rig: &Rig, document: &Value) -> Self {
        let buffers = list(document, "buffers");
        let chunk = match &rig.source {
            GltfSource::Glb { bin: Some(bin), .. }
                if buffers.first().is_some_and(|first| first["uri"].is_null()) =>
            {
                Some(bin.len().next_multiple_of(4))
            }
            _ => None,
        };
        let start = Start {
            buffer: if chunk.is_some() { 0 } else { buffers.len() },
            bytes: chunk.unwrap_or(0),
            views: list(document, "bufferViews").len(),
            accessors: list(document, "accessors").len(),
        };
        Self { start, in_chunk: chunk.is_some() }
    }

    /// The file with everything in it.
    fn finish(&self, rig: &Rig, mut splice: Splice, bytes: Vec<u8>) -> Result<Vec<u8>, ClipFileError> {
        if self.in_chunk {
            let first = splice
                .member(&splice.root(), "buffers")
                .and_then(|all| splice.items(&all).into_iter().next());
            let length = first.and_then(|first| splice.member(&first, "byteLength"));
            let length = length.ok_or_else(|| source_error("its first buffer has no byteLength"))?;
            splice.replace(length, (self.start.bytes + bytes.len()).to_string());
        } else if !bytes.is_empty() {
            let uri = data_uri("application/octet-stream", &bytes);
            splice.append("buffers", &[json!({ "byteLength": bytes.len(), "uri": uri }).to_string()]);
        }
        let json = splice.finish().into_bytes();
        match &rig.source {
            GltfSource::Gltf { .. } => Ok(json),
            GltfSource::Glb { bin, .. } => {
                let mut bin = bin.clone();
                if let Some(bin) = bin.as_mut().filter(|_| self.in_chunk) {
                    bin.resize(self.start.bytes, 0);
                    bin.extend(bytes);
                }
                container(json, bin)
            }
        }
    }
}

/// A node that a clip moves.
struct Driven {
    node: usize,
    /// Index into the rig's bones; none of the node that only travels.
    bone: Option<usize>,
    rest: Trs,
    /// Orientation in the scene as the file has it, without scale.
    turn: Quat,
    /// What is left of its axes in the scene: world = turn · stretch.
    stretch: Matrix3<f64>,
    /// Whether the way over the ground is on this node.
    travels: bool,
    /// A move of its place of this length is one of 1 m of the creature, at least.
    per_metre: f64,
}

/// The nodes of the file and what moves them.
struct RigTracks<'a> {
    rig: &'a Rig,
    creature: &'a Creature,
    nodes: Nodes,
    /// In the order of the tree: parents first.
    driven: Vec<Driven>,
    /// For each node, its place in `driven`.
    driver: Vec<Option<usize>>,
    /// Nodes and paths that the file's clips move, of the skeleton and what hangs on it.
    animated: Vec<(usize, &'static str)>,
    /// Largest extent of the creature, m.
    size: f64,
}

impl<'a> RigTracks<'a> {
    fn new(rig: &'a Rig, creature: &'a Creature, document: &Value) -> Result<Self, ClipFileError> {
        let nodes = Nodes::new(document).map_err(|reason| source_error(&reason))?;
        let count = nodes.local.len();
        let mut bone_of = vec![None; count];
        for (index, bone) in rig.bones.iter().enumerate() {
            if bone.node >= count || bone.body >= creature.bodies().len() {
                return Err(source_error(&format!("there is no node {} or body {}", bone.node, bone.body)));
            }
            bone_of[bone.node] = Some(index);
        }
        if rig.root >= count {
            return Err(source_error(&format!("there is no node {}", rig.root)));
        }
        let bind = frames(creature, &mut Data::new(creature), creature.reference_pose());
        let mut skeleton = Self {
            rig,
            creature,
            driven: Vec::new(),
            driver: vec![None; count],
            animated: Vec::new(),
            size: size(creature, &bind),
            nodes,
        };
        let world = skeleton.nodes.world();
        for &node in &skeleton.nodes.order {
            let shown = node == rig.root
                || nearest_rotation(&world[node].linear).is_some() && !skeleton.is_nothing(node);
            // A node of scale zero shows nothing, and neither does what hangs from it: it has no tracks.
            if bone_of[node].is_none() && node != rig.root || !shown {
                continue;
            }
            let above = |test: &dyn Fn(usize) -> bool| skeleton.nodes.ancestors(node).any(test);
            // One node travels. Bones that are not below it would stay behind: the topmost of them travel too.
            let travels = !above(&|parent| bone_of[parent].is_some() || parent == rig.root);
            let driven = skeleton.driven(node, bone_of[node], travels, &world)?;
            skeleton.driver[node] = Some(skeleton.driven.len());
            skeleton.driven.push(driven);
        }
        skeleton.animated = skeleton.animated_before(document);
        Ok(skeleton)
    }

    fn driven(
        &self,
        node: usize,
        bone: Option<usize>,
        travels: bool,
        world: &[Affine],
    ) -> Result<Driven, ClipFileError> {
        let rest = self.nodes.trs[node];
        let rest =
            rest.ok_or_else(|| self.node_error(node, "its matrix is no translation, rotation and scale"))?;
        let linear = world[node].linear;
        let turn = nearest_rotation(&linear);
        let flat = || self.node_error(node, "it has a scale of zero in it, and cannot move");
        let turn = turn.filter(|_| rest.scale.iter().all(|x| *x != 0.0)).ok_or_else(flat)?;
        let parent = self.nodes.parents[node].map_or(Affine::IDENTITY, |parent| world[parent]);
        let inverse = parent.linear.try_inverse().ok_or_else(flat)?;
        let per_metre = inverse.norm() / self.rig.world_from_scene.scaling();
        let stretch = turn.inverse().to_rotation_matrix().matrix() * linear;
        Ok(Driven { node, bone, rest, turn, stretch, travels, per_metre })
    }

    /// Whether a node is scaled to nothing.
    fn is_nothing(&self, node: usize) -> bool {
        self.nodes.trs[node].is_some_and(|rest| rest.scale.iter().any(|x| *x == 0.0))
    }

    fn node_error(&self, node: usize, reason: &str) -> ClipFileError {
        ClipFileError::Node { node: self.nodes.label(node), reason: reason.to_owned() }
    }

    /// Whoever plays our clip after an old one must not keep what only the old one moves.
    fn animated_before(&self, document: &Value) -> Vec<(usize, &'static str)> {
        let mut near = vec![false; self.nodes.local.len()];
        for driven in &self.driven {
            self.nodes.ancestors(driven.node).for_each(|above| near[above] = true);
        }
        for &node in &self.nodes.order {
            let below = self.nodes.ancestors(node).any(|above| self.driver[above].is_some());
            near[node] |= below || self.driver[node].is_some();
        }
        let channels = list(document, "animations").iter().flat_map(|animation| list(animation, "channels"));
        let mut animated: Vec<(usize, &'static str)> = channels
            .filter_map(|channel| {
                let target = &channel["target"];
                let node = usize::try_from(target["node"].as_u64()?).ok()?;
                let path = target["path"].as_str()?;
                let path = ["translation", "rotation", "scale"].into_iter().find(|known| *known == path)?;
                near.get(node).copied().unwrap_or(false).then_some((node, path))
            })
            .collect();
        animated.sort_unstable();
        animated.dedup();
        animated
    }

    /// Gives nodes that move translation, rotation and scale in place of a matrix.
    fn split_matrices(&self, splice: &mut Splice) {
        let nodes = splice.member(&splice.root(), "nodes").map_or_else(Vec::new, |all| splice.items(&all));
        for driven in self.driven.iter().filter(|driven| self.nodes.is_matrix[driven.node]) {
            let Trs { translation, rotation, scale } = &driven.rest;
            let parts = format!(
                "\"translation\":{},\"rotation\":{},\"scale\":{}",
                json!(translation.as_slice()),
                json!([rotation.i, rotation.j, rotation.k, rotation.w]),
                json!(scale.as_slice())
            );
            splice.replace_member(&nodes[driven.node], "matrix", &parts);
        }
    }

    fn animation(
        &self,
        clip: &Clip,
        name: &str,
        options: GlbOptions,
        buffer: &mut Buffer,
    ) -> Result<Value, ClipFileError> {
        let tracks = self.tracks(clip, options)?;
        let mut channels = Channels::new(clip, buffer)?;
        let mut written = Vec::new();
        for (driven, track) in self.driven.iter().zip(&tracks) {
            // An animation has at least one channel: the place of what travels is always there.
            let tolerance = if driven.travels { 0.0 } else { STILL * self.size * driven.per_metre };
            if channels.translation(track, tolerance)? {
                written.push((track.node, "translation"));
            }
            if channels.rotation(track)? {
                written.push((track.node, "rotation"));
            }
        }
        let mut instant = None;
        for &(node, path) in self.animated.iter().filter(|target| !written.contains(target)) {
            let Some(rest) = self.nodes.trs[node] else { continue };
            let input = if let Some(input) = instant {
                input
            } else {
                let input = channels.buffer.floats(&[[0.0]], None)?;
                channels.buffer.bound(input, &[[0.0]]);
                *instant.insert(input)
            };
            match path {
                "translation" => channels.constant(input, (node, path), to_f32(rest.translation))?,
                "rotation" => channels.constant(input, (node, path), quaternion(rest.rotation))?,
                _ => channels.constant(input, (node, path), to_f32(rest.scale))?,
            }
        }
        let (creature, unit) = (self.creature, self.rig.world_from_scene.scaling());
        let setting = Setting {
            root: &self.nodes.label(self.rig.root),
            travels: (1..creature.bodies().len()).any(|index| floats(creature, index)),
            unit,
            stride: clip.stride.as_ref().map(|stride| {
                json!({ "yaw": stride.yaw, "shift": self.in_scene(stride).translation.vector.as_slice() })
            }),
            contacts: self.contacts(clip),
        };
        Ok(channels.into_animation(name, &extras(clip, options, &setting)))
    }

    /// What each driven node does. The creature is led in place, and the way over the ground is put on what travels.
    fn tracks(&self, clip: &Clip, options: GlbOptions) -> Result<Vec<Track>, ClipFileError> {
        let new_track = |driven: &Driven| Track {
            node: driven.node,
            rest: Transform::from_parts(driven.rest.translation.into(), driven.rest.rotation),
            keys: Vec::with_capacity(clip.times.len()),
        };
        let mut tracks: Vec<Track> = self.driven.iter().map(new_track).collect();
        let bodies_over_time = frames_over_time(self.creature, &clip.in_place(self.creature));
        let rest = self.nodes.world();
        for (bodies, way) in bodies_over_time.iter().zip(clip.path(self.creature)) {
            let way = match options.root_motion {
                RootMotion::Travel => self.in_scene(&way),
                RootMotion::InPlace => Transform::identity(),
            };
            let mut world = rest.clone();
            for &node in &self.nodes.order {
                let parent = self.nodes.parents[node].map_or(Affine::IDENTITY, |parent| world[parent]);
                let Some(index) = self.driver[node] else {
                    world[node] = parent * self.nodes.local[node];
                    continue;
                };
                let driven = &self.driven[index];
                let place = self.place(driven, bodies, &rest);
                let local = self.local(driven, &parent, &place)?;
                world[node] = parent * Affine::from(Trs { scale: driven.rest.scale, ..local });
                let shown = if driven.travels { self.local(driven, &parent, &(way * place))? } else { local };
                tracks[index].keys.push(Transform::from_parts(shown.translation.into(), shown.rotation));
            }
        }
        Ok(tracks)
    }

    /// Where a driven node is in the scene, without its scale: scene_from_world · body · body_from_node.
    fn place(&self, driven: &Driven, bodies: &[Transform], rest: &[Affine]) -> Transform {
        let Some(bone) = driven.bone.map(|bone| &self.rig.bones[bone]) else {
            return Transform::from_parts(rest[driven.node].translation.into(), driven.turn);
        };
        let node = bodies[bone.body] * bone.body_from_node;
        let scene_from_world = self.rig.world_from_scene.inverse();
        let at = scene_from_world * Point3::from(node.translation.vector);
        Transform::from_parts(at.coords.into(), scene_from_world.isometry.rotation * node.rotation)
    }

    /// Translation and rotation in the parent that put a node at `place`: parent · (t, R S) = (place, turn · stretch).
    fn local(&self, driven: &Driven, parent: &Affine, place: &Transform) -> Result<Trs, ClipFileError> {
        let uneven = || {
            let reason = "a parent's scale is uneven, and a turn under it would shear the bone; apply the scale to \
                          the skeleton in your modelling program";
            self.node_error(driven.node, reason)
        };
        let inverse = parent.linear.try_inverse().ok_or_else(uneven)?;
        let scale = driven.rest.scale;
        let unscaled = Matrix3::from_diagonal(&scale.map(f64::recip));
        let turned = inverse * place.rotation.to_rotation_matrix().matrix() * driven.stretch * unscaled;
        let rotation = nearest_rotation(&turned).ok_or_else(uneven)?;
        if (turned - rotation.to_rotation_matrix().matrix()).norm() > UNEVEN {
            return Err(uneven());
        }
        Ok(Trs { translation: inverse * (place.translation.vector - parent.translation), rotation, scale })
    }

    /// A motion along the ground in the axes and units of the file.
    fn in_scene(&self, way: &Stride) -> Transform {
        let turn = Quat::from_axis_angle(&Vec3::z_axis(), way.yaw);
        let (world_from_scene, scene_from_world) =
            (self.rig.world_from_scene, self.rig.world_from_scene.inverse());
        let origin = turn * (world_from_scene * Point3::origin()).coords + way.shift;
        let shift = scene_from_world * Point3::from(origin);
        let axes = world_from_scene.isometry.rotation;
        Transform::from_parts(shift.coords.into(), axes.inverse() * turn * axes)
    }

    /// Contacts on nodes, in their frames and units.
    fn node_contacts(&self, clip: &Clip) -> Vec<NodeContact> {
        let contact = |contact: &gambol_motion::Contact| {
            let follows =
                |driven: &&Driven| driven.bone.is_some_and(|bone| self.rig.bones[bone].body == contact.body);
            let driven = self.driven.iter().find(follows)?;
            let bone = &self.rig.bones[driven.bone?];
            let metres = bone.body_from_node.inverse_transform_point(&contact.point.into()).coords;
            Some(NodeContact {
                name: contact.name.clone(),
                node: driven.node,
                point: driven.stretch.try_inverse()? * metres / self.rig.world_from_scene.scaling(),
                intervals: contact.intervals.clone(),
            })
        };
        clip.contacts.iter().filter_map(contact).collect()
    }

    /// The same with the names of nodes, for the file.
    fn contacts(&self, clip: &Clip) -> Value {
        let contact = |contact: NodeContact| {
            json!({
                "node": self.nodes.label(contact.node),
                "index": contact.node,
                "landmark": contact.name,
                "point": contact.point.as_slice(),
                "intervals": contact.intervals,
            })
        };
        self.node_contacts(clip).into_iter().map(contact).collect()
    }
}

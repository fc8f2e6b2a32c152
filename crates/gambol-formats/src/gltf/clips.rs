//! glTF in: the animations of the user's file as clips of the creature that was made of it.
//!
//! Nodes move by their channels, bodies follow their nodes, and joints turn as bodies do against their parents. What the creature's
//! joints cannot do is left out: a bone that is stretched or shifted stays as long as it is, a hinge turns about its axis alone.

use gambol_model::{Creature, Joint, JointKind, Quat, Transform, Vec3, math, nearest_rotation};
use gambol_motion::{Clip, Contact};
use nalgebra::{Quaternion, UnitQuaternion};
use serde_json::Value;

use super::Rig;
use super::container::{self, Container};
use super::json::Animation;
use super::nodes::{Affine, Nodes, Trs};
use crate::{Files, FormatError};

/// Keys per second of a clip whose own keys are too far apart to tell its accelerations: what screens show.
const FPS: f64 = 60.0;
/// Fewer keys per second than these are too far apart: films have 24.
const FEWEST_FPS: f64 = 23.0;
/// The most keys that a clip may have: half an hour at 60 a second.
const MOST_KEYS: usize = 1 << 17;
/// A quaternion that is shorter has no direction.
const SHORTEST: f64 = 1e-9;

/// An animation of a glTF file.
#[derive(Clone, Debug, PartialEq)]
pub struct GltfClip {
    /// The nearest motion that the creature's joints can do.
    pub clip: Clip,
    /// How far a body is from its bone at most, m: more than rounding where bones are stretched or shifted.
    pub miss: f64,
}

/// Reads all animations of the file of `rig`, which was read from `path`. One that moves no node is left out.
pub fn read_clips(
    files: &dyn Files,
    path: &str,
    rig: &Rig,
    creature: &Creature,
) -> Result<Vec<GltfClip>, FormatError> {
    let (container, source) = container::open(files, path)?;
    let wrong = |reason: String| container.error(reason);
    let text = source.text().map_err(wrong)?;
    let document: Value = serde_json::from_str(text).map_err(|error| wrong(format!("not JSON: {error}")))?;
    let nodes = Nodes::new(&document).map_err(wrong)?;
    let puppet = Puppet::new(rig, creature, nodes)
        .ok_or_else(|| wrong("its nodes are not those of the creature".to_owned()))?;
    let mut clips = Vec::new();
    for (index, value) in container.document.animations.iter().enumerate() {
        let name = value["name"].as_str().filter(|name| !name.is_empty());
        let name = name.map_or_else(|| format!("animation {index}"), str::to_owned);
        let animation: Animation = serde_json::from_value(value.clone())
            .map_err(|error| wrong(format!("animation {name:?} cannot be read: {error}")))?;
        let Some(tracks) = Tracks::read(&container, &name, &animation, &puppet.nodes)? else { continue };
        let (poses, misses): (Vec<_>, Vec<f64>) =
            tracks.times.iter().map(|&time| puppet.pose(&tracks, time)).unzip();
        let mut clip = Clip {
            poses,
            times: tracks.times.iter().map(|time| time - tracks.times[0]).collect(),
            stride: None,
            contacts: puppet.contacts(&value["extras"]["gambol"]["contacts"]),
            travel: None,
            name,
        };
        clip.align_signs(creature);
        clip.check(creature).map_err(|error| wrong(format!("animation {:?}: {error}", clip.name)))?;
        clips.push(GltfClip { clip, miss: misses.into_iter().fold(0.0, f64::max) });
    }
    Ok(clips)
}

/// A path of a node over time.
struct Curve {
    times: Vec<f64>,
    /// `width` numbers for each key, three times as many of a spline: tangent in, value, tangent out.
    values: Vec<f64>,
    width: usize,
    kind: CurveKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CurveKind {
    Linear,
    Step,
    Spline,
}

/// All curves of an animation, and when to look at them.
struct Tracks {
    /// Per node: translation, rotation, scale.
    nodes: Vec<[Option<Curve>; 3]>,
    times: Vec<f64>,
}

impl Tracks {
    /// `None` if it moves no node.
    fn read(
        container: &Container,
        name: &str,
        animation: &Animation,
        nodes: &Nodes,
    ) -> Result<Option<Self>, FormatError> {
        let wrong = |reason: &str| container.error(format!("animation {name:?} {reason}"));
        let mut tracks = Self { nodes: Vec::new(), times: Vec::new() };
        tracks.nodes.resize_with(nodes.local.len(), Default::default);
        let mut finest: Vec<f64> = Vec::new();
        let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
        for channel in &animation.channels {
            let paths = ["translation", "rotation", "scale"];
            let Some(path) = paths.iter().position(|path| *path == channel.target.path) else { continue };
            let Some(node) = channel.target.node else { continue };
            let place = tracks.nodes.get_mut(node).ok_or_else(|| wrong("moves a node that there is not"))?;
            let sampler = animation.samplers.get(channel.sampler);
            let sampler = sampler.ok_or_else(|| wrong("uses a sampler that there is not"))?;
            let kind = match sampler.interpolation.as_deref().unwrap_or("LINEAR") {
                "LINEAR" => CurveKind::Linear,
                "STEP" => CurveKind::Step,
                "CUBICSPLINE" => CurveKind::Spline,
                _ => return Err(wrong("has an interpolation that glTF does not have")),
            };
            let times = container.numbers(sampler.input, "times", &["SCALAR"])?;
            let width = if path == 1 { 4 } else { 3 };
            let values = container.numbers(sampler.output, "values", &["VEC3", "VEC4"])?;
            let parts = if kind == CurveKind::Spline { 3 } else { 1 };
            if times.is_empty() || values.len() != times.len() * width * parts {
                return Err(wrong("has not as many values as times"));
            }
            if times.windows(2).any(|pair| pair[0] >= pair[1]) || times[0] < 0.0 {
                return Err(wrong("has times that do not rise"));
            }
            ends = [ends[0].min(times[0]), ends[1].max(times[times.len() - 1])];
            if times.len() > finest.len() {
                finest.clone_from(&times);
            }
            place[path] = Some(Curve { times, values, width, kind });
        }
        if finest.is_empty() {
            return Ok(None);
        }
        tracks.times = key_times(finest, ends);
        if tracks.times.len() > MOST_KEYS {
            return Err(wrong("has too many keys"));
        }
        Ok(Some(tracks))
    }
}

/// The finest keys of any curve, if they span all of the clip and are close enough; else even ones.
fn key_times(finest: Vec<f64>, [start, end]: [f64; 2]) -> Vec<f64> {
    let length = end - start;
    let spans = finest[0] <= start && finest[finest.len() - 1] >= end;
    if length <= 0.0 || spans && (finest.len() - 1) as f64 >= FEWEST_FPS * length {
        return finest;
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // capped
    let steps = (length * FPS).round().clamp(2.0, MOST_KEYS as f64) as usize;
    (0..=steps).map(|step| start + length * step as f64 / steps as f64).collect()
}

impl Curve {
    /// The value at `time`; before the first key and after the last, theirs.
    fn at(&self, time: f64) -> [f64; 4] {
        let after = self.times.partition_point(|&key| key <= time);
        if after == 0 || after == self.times.len() || self.kind == CurveKind::Step {
            return self.value(after.saturating_sub(1), 1);
        }
        let span = self.times[after] - self.times[after - 1];
        let t = (time - self.times[after - 1]) / span;
        let (from, to) = (self.value(after - 1, 1), self.value(after, 1));
        if self.kind == CurveKind::Spline {
            // Hermite's cubic (glTF 2.0, appendix C).
            let (out, into) = (self.value(after - 1, 2), self.value(after, 0));
            let (t2, t3) = (t * t, t * t * t);
            return std::array::from_fn(|k| {
                (2.0 * t3 - 3.0 * t2 + 1.0) * from[k]
                    + span * (t3 - 2.0 * t2 + t) * out[k]
                    + (3.0 * t2 - 2.0 * t3) * to[k]
                    + span * (t3 - t2) * into[k]
            });
        }
        if self.width == 4 {
            let (a, b) = (quat(from), quat(to));
            if let (Some(a), Some(b)) = (a, b) {
                let way = a.rotation_to(&b);
                let turned = UnitQuaternion::from_scaled_axis(way.scaled_axis() * t) * a;
                return [turned.i, turned.j, turned.k, turned.w];
            }
        }
        std::array::from_fn(|k| from[k] + t * (to[k] - from[k]))
    }

    /// A key's value; of a spline `part` 0 is the tangent in, 1 the value, 2 the tangent out.
    fn value(&self, key: usize, part: usize) -> [f64; 4] {
        let at = match self.kind {
            CurveKind::Spline => self.width * (3 * key + part),
            CurveKind::Linear | CurveKind::Step => self.width * key,
        };
        std::array::from_fn(|k| if k < self.width { self.values[at + k] } else { 0.0 })
    }
}

/// Of x, y, z, w.
fn quat([x, y, z, w]: [f64; 4]) -> Option<Quat> {
    UnitQuaternion::try_new(Quaternion::new(w, x, y, z), SHORTEST)
}

/// The creature, moved by the nodes of its file.
struct Puppet<'p> {
    rig: &'p Rig,
    creature: &'p Creature,
    nodes: Nodes,
    /// Per body: the bone that it follows. The world and what has no node of its own have none.
    leads: Vec<Option<usize>>,
}

impl<'p> Puppet<'p> {
    fn new(rig: &'p Rig, creature: &'p Creature, nodes: Nodes) -> Option<Self> {
        let mut leads = vec![None; creature.bodies().len()];
        for (index, bone) in rig.bones.iter().enumerate() {
            if bone.node >= nodes.local.len() {
                return None;
            }
            let lead = leads.get_mut(bone.body)?;
            let is_joint = bone.body > 0 && rig.joints.get(bone.body - 1) == Some(&bone.node);
            if is_joint || lead.is_none() {
                *lead = Some(index);
            }
        }
        Some(Self { rig, creature, nodes, leads })
    }

    /// The pose of the creature at `time`, and how far a body is from its bone at most, m.
    fn pose(&self, tracks: &Tracks, time: f64) -> (Vec<f64>, f64) {
        let mut world = vec![Affine::IDENTITY; self.nodes.local.len()];
        for &node in &self.nodes.order {
            let parent = self.nodes.parents[node].map_or(Affine::IDENTITY, |parent| world[parent]);
            world[node] = parent * self.local(node, &tracks.nodes[node], time);
        }
        let mut pose = self.creature.reference_pose().to_vec();
        let mut bodies = vec![Transform::identity(); self.leads.len()];
        let mut miss = 0.0_f64;
        for (index, body) in self.creature.bodies().iter().enumerate().skip(1) {
            let unmoved = bodies[body.parent] * body.parent_from_body;
            let wanted = self.leads[index].and_then(|bone| self.place(bone, &world)).unwrap_or(unmoved);
            let mut placed = unmoved;
            for joint in &self.creature.joints()[body.joints.clone()] {
                placed = self.turn(joint, &placed, &wanted, &mut pose);
            }
            miss = miss.max((placed.translation.vector - wanted.translation.vector).norm());
            bodies[index] = placed;
        }
        (pose, miss)
    }

    /// A node in its parent.
    fn local(&self, node: usize, [translation, rotation, scale]: &[Option<Curve>; 3], time: f64) -> Affine {
        if translation.is_none() && rotation.is_none() && scale.is_none() {
            return self.nodes.local[node];
        }
        // glTF does not move what has a matrix; a matrix that shears stays what it is.
        let Some(rest) = self.nodes.trs[node] else { return self.nodes.local[node] };
        let three = |curve: &Option<Curve>, rest: Vec3| {
            curve.as_ref().map_or(rest, |curve| {
                let [x, y, z, _] = curve.at(time);
                Vec3::new(x, y, z)
            })
        };
        let turned = rotation.as_ref().and_then(|curve| quat(curve.at(time)));
        Affine::from(Trs {
            translation: three(translation, rest.translation),
            rotation: turned.unwrap_or(rest.rotation),
            scale: three(scale, rest.scale),
        })
    }

    /// Where a body is that follows a bone: world_from_scene · node · node_from_body.
    fn place(&self, bone: usize, world: &[Affine]) -> Option<Transform> {
        let bone = &self.rig.bones[bone];
        let Affine { linear, translation } = world[bone.node];
        let scene = &self.rig.world_from_scene;
        let at = scene * nalgebra::Point3::from(translation);
        let turn = scene.isometry.rotation * nearest_rotation(&linear)?;
        Some(Transform::from_parts(at.coords.into(), turn) * bone.body_from_node.inverse())
    }

    /// Sets the coordinates of a joint so that what it moves comes to `wanted` as near as it can; returns where that is.
    fn turn(&self, joint: &Joint, from: &Transform, wanted: &Transform, pose: &mut [f64]) -> Transform {
        let write = |pose: &mut [f64], turn: &Quat| pose.copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
        let about = |turn: Quat| {
            let anchor = joint.anchor;
            Transform::from_parts((anchor - turn * anchor).into(), turn)
        };
        let way = from.rotation.inverse() * wanted.rotation;
        match joint.kind {
            JointKind::Free => {
                pose[joint.q..joint.q + 3].copy_from_slice(wanted.translation.vector.as_slice());
                write(&mut pose[joint.q + 3..joint.q + 7], &wanted.rotation);
                *wanted
            }
            JointKind::Ball => {
                write(&mut pose[joint.q..joint.q + 4], &way);
                from * about(way)
            }
            JointKind::Hinge => {
                // The turn about the axis that leaves the least of the way: its twist.
                let along = way.imag().dot(&joint.axis);
                let angle = 2.0 * math::atan2(along, way.w);
                let angle = angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round();
                pose[joint.q] = self.creature.reference_pose()[joint.q] + angle;
                from * about(UnitQuaternion::from_scaled_axis(joint.axis * angle))
            }
            JointKind::Slide => {
                let shift = from.inverse_transform_point(&wanted.translation.vector.into()).coords;
                let way = shift.dot(&joint.axis);
                pose[joint.q] = self.creature.reference_pose()[joint.q] + way;
                from * Transform::translation(joint.axis.x * way, joint.axis.y * way, joint.axis.z * way)
            }
        }
    }

    /// The stances that a clip of ours has beside it.
    fn contacts(&self, told: &Value) -> Vec<Contact> {
        let contact = |value: &Value| {
            let mark = self.creature.landmark(value["landmark"].as_str()?)?;
            let intervals = value["intervals"].as_array()?.iter().filter_map(|interval| {
                let [from, to] = [0, 1].map(|end| interval[end].as_f64());
                Some([from?, to?]).filter(|[from, to]| from < to)
            });
            Some(Contact {
                name: mark.name(),
                body: mark.body,
                point: mark.point,
                intervals: intervals.collect(),
            })
        };
        told.as_array().into_iter().flatten().filter_map(contact).collect()
    }
}

//! The animation of a glTF: channels at shared times, and what a game needs to know beside them.

use gambol_model::{Quat, Transform};
use gambol_motion::Clip;
use nalgebra::Unit;
use serde_json::{Value, json};

use super::buffer::Buffer;
use super::{GlbOptions, RootMotion, body::to_f32};
use crate::clip::ClipFileError;

/// Changes when a reader of the old `extras.gambol` would misread the new one.
const EXTRAS_VERSION: u32 = 1;
/// A track that stays this close to the bind pose is left out: rad, and m in parts of the creature's size. It is the
/// resolution of glTF's 32-bit numbers.
pub(crate) const STILL: f64 = 1e-7;

/// What one node does: its pose in its parent at every key, in the axes and units of the file.
pub(crate) struct Track {
    pub(crate) node: usize,
    /// As the file has it without the animation.
    pub(crate) rest: Transform,
    pub(crate) keys: Vec<Transform>,
}

impl Track {
    /// Whether its place leaves its rest by more than `tolerance`.
    pub(crate) fn shifts(&self, tolerance: f64) -> bool {
        self.keys.iter().any(|key| (key.translation.vector - self.rest.translation.vector).norm() > tolerance)
    }
}

/// Channels, all at the same times.
pub(crate) struct Channels<'b> {
    input: usize,
    pub(crate) buffer: &'b mut Buffer,
    samplers: Vec<Value>,
    list: Vec<Value>,
}

impl<'b> Channels<'b> {
    pub(crate) fn new(clip: &Clip, buffer: &'b mut Buffer) -> Result<Self, ClipFileError> {
        let times = times(clip)?;
        let input = buffer.floats(&times, None)?;
        buffer.bound(input, &times);
        Ok(Self { input, buffer, samplers: Vec::new(), list: Vec::new() })
    }

    /// Adds a channel for the node's place, unless it stays within `tolerance` of its rest; returns whether it did.
    pub(crate) fn translation(&mut self, track: &Track, tolerance: f64) -> Result<bool, ClipFileError> {
        if tolerance > 0.0 && !track.shifts(tolerance) {
            return Ok(false);
        }
        let output: Vec<[f32; 3]> = track.keys.iter().map(|key| to_f32(key.translation.vector)).collect();
        let output = self.buffer.floats(&output, None)?;
        self.push(self.input, track.node, "translation", output);
        Ok(true)
    }

    /// Adds a channel for the node's orientation, unless it stays at rest; returns whether it did. Of q and −q it takes
    /// the nearer to the key before, since some programs blend number by number.
    pub(crate) fn rotation(&mut self, track: &Track) -> Result<bool, ClipFileError> {
        let rest = track.rest.rotation;
        if track.keys.iter().all(|key| key.rotation.angle_to(&rest) <= STILL) {
            return Ok(false);
        }
        let mut before = rest;
        let output = track.keys.iter().map(|key| {
            let same_side = key.rotation.coords.dot(&before.coords) >= 0.0;
            before = if same_side { key.rotation } else { Unit::new_unchecked(-key.rotation.into_inner()) };
            quaternion(before)
        });
        let output: Vec<[f32; 4]> = output.collect();
        let output = self.buffer.floats(&output, None)?;
        self.push(self.input, track.node, "rotation", output);
        Ok(true)
    }

    /// Adds a channel of the key `value` at the times of `input`.
    pub(crate) fn constant<const N: usize>(
        &mut self,
        input: usize,
        (node, path): (usize, &str),
        value: [f32; N],
    ) -> Result<(), ClipFileError> {
        let output = self.buffer.floats(&[value], None)?;
        self.push(input, node, path, output);
        Ok(())
    }

    fn push(&mut self, input: usize, node: usize, path: &str, output: usize) {
        let sampler = self.samplers.len();
        self.samplers.push(json!({ "input": input, "interpolation": "LINEAR", "output": output }));
        self.list.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    pub(crate) fn into_animation(self, name: &str, extras: &Value) -> Value {
        json!({
            "name": name,
            "samplers": self.samplers,
            "channels": self.list,
            "extras": { "gambol": extras },
        })
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

/// Of the file that a clip goes into: what `extras.gambol` says in its terms.
pub(crate) struct Setting<'a> {
    /// Name of the node that travels.
    pub(crate) root: &'a str,
    /// Whether something travels.
    pub(crate) travels: bool,
    /// How long the file's unit is, m.
    pub(crate) unit: f64,
    /// The clip's stride in the axes and units of the file.
    pub(crate) stride: Option<Value>,
    /// The clip's contacts in the axes and units of the file's nodes.
    pub(crate) contacts: Value,
}

/// What a game needs to know beside the poses; the scheme is in `docs/formats.md`.
pub(crate) fn extras(clip: &Clip, options: GlbOptions, setting: &Setting) -> Value {
    let root_motion = match options.root_motion {
        _ if !setting.travels => "none",
        RootMotion::Travel => "travel",
        RootMotion::InPlace => "in-place",
    };
    json!({
        "version": EXTRAS_VERSION,
        "node": setting.root,
        "root_motion": root_motion,
        "metres_per_unit": setting.unit,
        "speed": clip.travel.map(|travel| travel.speed / setting.unit),
        "stride_length": clip.travel.map(|travel| travel.stride_length / setting.unit),
        "stride_frequency": clip.travel.map(|travel| travel.stride_frequency),
        "stride": setting.stride,
        "loop": clip.stride.is_some(),
        "contacts": setting.contacts,
    })
}

/// x y z w
#[allow(clippy::cast_possible_truncation)] // glTF has 32-bit numbers
pub(crate) fn quaternion(rotation: Quat) -> [f32; 4] {
    [rotation.i as f32, rotation.j as f32, rotation.k as f32, rotation.w as f32]
}

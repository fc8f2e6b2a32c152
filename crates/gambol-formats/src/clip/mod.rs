//! Clips out: binary glTF, BVH, JSON and NumPy; the last two also in. What each file holds is in `docs/formats.md`.
//!
//! glTF and BVH are y up and z forward, gambol is z up and x forward. The axes are renamed at the border, here: x → z,
//! y → x, z → y, which is a rotation. A rotation's quaternion is renamed the same way.

mod bvh;
pub(crate) mod glb;
mod json;
mod npz;

use gambol_dynamics::{BodyFrame, Data, forward_kinematics};
use gambol_model::{Creature, JointKind, Quat, Transform, Vec3};
use gambol_motion::{Clip, ClipError, Contact, Stride};
use nalgebra::{Quaternion, Unit};
use serde_json::{Value, json};

pub use bvh::to_bvh;
pub use glb::{
    GlbOptions, JointedPart, JointedSurface, RootMotion, clips_to_glb, jointed_surface_to_glb, to_glb,
};
pub use json::{creature_of_json, from_json, to_json};
pub use npz::{creature_of_npz, from_npz, to_npz};

/// Why a clip could not become a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClipFileError {
    /// The clip is not one of this creature.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// A contact names a body that the creature does not have.
    #[error("contact {name:?}: the creature has no body {body}")]
    Contact {
        /// Name of its landmark.
        name: String,
        /// Index that there is no body for.
        body: usize,
    },
    /// The format counts with fewer bits.
    #[error("{count} {what} are more than {format} can hold, which is {most}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many.
        count: usize,
        /// Name of the format.
        format: &'static str,
        /// The most it can hold.
        most: usize,
    },
    /// Two times that the format cannot tell apart.
    #[error("keys {before} and {after} are too close in time for glTF, which has seven digits")]
    TimesTooClose {
        /// Counted from 0.
        before: usize,
        /// Counted from 0.
        after: usize,
    },
    /// BVH has one time step for all.
    #[error("key {key}: BVH needs keys at equal steps of time")]
    UnevenTimes {
        /// Counted from 0.
        key: usize,
    },
    /// The user's file cannot take a clip.
    #[error("the file cannot take a clip: {0}")]
    Source(String),
    /// A node of the user's file cannot be moved.
    #[error("node {node:?}: {reason}")]
    Node {
        /// Its name.
        node: String,
        /// Why, and what would help.
        reason: String,
    },
    /// The bytes could not be put together.
    #[error("cannot be written: {0}")]
    Io(#[from] std::io::Error),
}

/// Checks what no format can write.
pub(crate) fn check(creature: &Creature, clip: &Clip) -> Result<(), ClipFileError> {
    clip.check(creature)?;
    let bodies = creature.bodies().len();
    match clip.contacts.iter().find(|contact| contact.body >= bodies) {
        Some(contact) => Err(ClipFileError::Contact { name: contact.name.clone(), body: contact.body }),
        None => Ok(()),
    }
}

/// The poses of all bodies at each of the clip's keys, in the world.
pub(crate) fn frames_over_time(creature: &Creature, clip: &Clip) -> Vec<Vec<Transform>> {
    let mut data = Data::new(creature);
    clip.poses.iter().map(|pose| frames(creature, &mut data, pose)).collect()
}

/// The poses of all bodies in the world.
pub(crate) fn frames(creature: &Creature, data: &mut Data, pose: &[f64]) -> Vec<Transform> {
    let transform = |frame: &BodyFrame| Transform::from_parts(frame.position.into(), frame.orientation);
    forward_kinematics(creature, data, pose).iter().map(transform).collect()
}

/// Whether body `index` floats: it is where its free joint says, wherever its parent is.
pub(crate) fn floats(creature: &Creature, index: usize) -> bool {
    let joints = creature.bodies()[index].joints.clone();
    creature.joints()[joints].iter().any(|joint| joint.kind == JointKind::Free)
}

/// The largest extent of the creature in its reference pose, m: what small errors are measured by.
pub(crate) fn size(creature: &Creature, reference: &[Transform]) -> f64 {
    let mut low = Vec3::repeat(f64::MAX);
    let mut high = Vec3::repeat(f64::MIN);
    for (body, frame) in creature.bodies().iter().zip(reference).skip(1) {
        low = low.inf(&frame.translation.vector);
        high = high.sup(&frame.translation.vector);
        for shape in &creature.shapes()[body.shapes.clone()] {
            let (half, centre) = shape.shape.bounds();
            let centre = (frame * shape.body_from_shape * nalgebra::Point3::from(centre)).coords;
            low = low.inf(&centre.add_scalar(-half.norm()));
            high = high.sup(&centre.add_scalar(half.norm()));
        }
    }
    (high - low).max().max(f64::MIN_POSITIVE)
}

/// A direction or point in the axes of glTF and BVH.
fn y_up(v: Vec3) -> Vec3 {
    Vec3::new(v.y, v.z, v.x)
}

/// A rotation in the axes of glTF and BVH.
fn y_up_rotation(rotation: Quat) -> Quat {
    Unit::new_unchecked(Quaternion::from_parts(rotation.w, y_up(rotation.imag())))
}

/// A name that is not among `taken`: `wish`, with underscores as needed.
fn unused_name(wish: &str, mut taken: impl FnMut(&str) -> bool) -> String {
    let mut name = wish.to_owned();
    while taken(&name) {
        name.push('_');
    }
    name
}

/// `walk`, or `walk.001` and so on if there is one: the way Blender numbers.
pub(crate) fn numbered_name(wish: &str, taken: &[String]) -> String {
    let numbered = (1..).map(|number| format!("{wish}.{number:03}"));
    let mut names = std::iter::once(wish.to_owned()).chain(numbered);
    names.find(|name| !taken.contains(name)).unwrap_or_default()
}

/// A stride for a reader with the axes that `axes` leads to.
fn stride_json(stride: &Stride, axes: impl Fn(Vec3) -> Vec3) -> Value {
    json!({ "yaw": stride.yaw, "shift": axes(stride.shift).as_slice() })
}

/// Contacts for a reader with the axes that `axes` leads to.
fn contacts_json(creature: &Creature, contacts: &[Contact], axes: impl Fn(Vec3) -> Vec3) -> Value {
    let contact = |contact: &Contact| {
        json!({
            "node": creature.bodies()[contact.body].name,
            "landmark": contact.name,
            "point": axes(contact.point).as_slice(),
            "intervals": contact.intervals,
        })
    };
    contacts.iter().map(contact).collect()
}

//! `<keyframe>`: named poses.

use std::collections::HashSet;

use gambol_model::{BodySpec, JointKind, PoseSpec};

use super::free_name;
use crate::FormatError;
use crate::notes::Notes;
use crate::xml::Element;

/// A quaternion that is shorter has no direction; MuJoCo takes it for the identity (`mjMINVAL`).
const SHORTEST: f64 = 1e-15;

/// Reads all keys. One without `qpos` is the reference pose.
pub(crate) fn read(
    root: Element<'_>,
    bodies: &[BodySpec],
    notes: &mut Notes,
) -> Result<Vec<PoseSpec>, FormatError> {
    let keys = || root.children_named("keyframe").flat_map(|section| section.children_named("key"));
    let mut taken = HashSet::new();
    for key in keys() {
        let Some(name) = key.text("name").filter(|name| !name.is_empty()) else { continue };
        if !taken.insert(name.to_owned()) {
            return Err(key.error(format!("another key has the name {name:?}")));
        }
    }
    let reference = reference_pose(bodies);
    let mut poses = Vec::new();
    for (index, key) in keys().enumerate() {
        key.ignore(&["time", "qvel", "act", "mpos", "mquat", "ctrl", "plastic"]);
        let given = key.numbers("qpos")?.filter(|qpos| !qpos.is_empty());
        let mut qpos = given.unwrap_or_else(|| reference.clone());
        if qpos.len() != reference.len() {
            let reason = format!("\"qpos\" has {} numbers; the pose has {}", qpos.len(), reference.len());
            return Err(key.error(reason));
        }
        if turn_zeros(bodies, &mut qpos) {
            notes.once(key, "a quaternion of this key is zero and was taken for no turn, as MuJoCo does");
        }
        let name = match key.text("name") {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => free_name("key", index, &mut taken),
        };
        poses.push(PoseSpec { name, qpos });
    }
    Ok(poses)
}

/// Makes quaternions of length zero the identity; whether there were any.
fn turn_zeros(bodies: &[BodySpec], qpos: &mut [f64]) -> bool {
    let (mut at, mut found) = (0, false);
    for joint in bodies.iter().flat_map(|body| &body.joints) {
        let quaternion = match joint.kind {
            JointKind::Free => Some(at + 3),
            JointKind::Ball => Some(at),
            JointKind::Hinge | JointKind::Slide => None,
        };
        if let Some(wxyz) = quaternion.map(|first| &mut qpos[first..first + 4])
            && wxyz.iter().map(|x| x * x).sum::<f64>() < SHORTEST * SHORTEST
        {
            wxyz.copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
            found = true;
        }
        at += joint.kind.nq();
    }
    found
}

/// The pose the file is drawn in (MuJoCo's `qpos0`).
pub(crate) fn reference_pose(bodies: &[BodySpec]) -> Vec<f64> {
    let mut pose = Vec::new();
    for body in bodies {
        for joint in &body.joints {
            match joint.kind {
                JointKind::Free => {
                    let at = &body.parent_from_body;
                    let turn = at.rotation;
                    pose.extend_from_slice(at.translation.vector.as_slice());
                    pose.extend_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
                }
                JointKind::Ball => pose.extend_from_slice(&[1.0, 0.0, 0.0, 0.0]),
                JointKind::Hinge | JointKind::Slide => pose.push(joint.reference),
            }
        }
    }
    pose
}

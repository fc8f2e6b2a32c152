//! `<keyframe>`: named poses.

use std::collections::HashSet;

use gambol_model::{BodySpec, JointKind, PoseSpec};

use super::free_name;
use crate::FormatError;
use crate::xml::Element;

/// Reads all keys. One without `qpos` is the reference pose.
pub(crate) fn read(root: Element<'_>, bodies: &[BodySpec]) -> Result<Vec<PoseSpec>, FormatError> {
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
        let qpos = key.numbers("qpos")?.filter(|qpos| !qpos.is_empty()).unwrap_or_else(|| reference.clone());
        if qpos.len() != reference.len() {
            let reason = format!("\"qpos\" has {} numbers; the pose has {}", qpos.len(), reference.len());
            return Err(key.error(reason));
        }
        let name = match key.text("name") {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => free_name("key", index, &mut taken),
        };
        poses.push(PoseSpec { name, qpos });
    }
    Ok(poses)
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

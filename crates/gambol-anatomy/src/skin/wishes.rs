//! What the user says about a rig. What is not said is guessed.

use std::collections::BTreeMap;

use gambol_model::{CreatureSpec, JointKind, JointSpec, LandmarkOverride, Vec3};
use serde::{Deserialize, Serialize};

use super::settings::SkinSettings;
use crate::{AnatomyError, Measures};

/// What is wished of a rig, by node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RigWishes {
    /// Where the creature looks, in the axes of the scene.
    pub forward: Option<Vec3>,
    /// Where its back is, in the axes of the scene.
    pub up: Option<Vec3>,
    /// How large it is.
    pub measures: Measures,
    /// What is said about bones, by node.
    pub bones: BTreeMap<usize, BoneWish>,
    /// Landmarks that are set right.
    pub landmarks: Vec<LandmarkOverride>,
    /// By what numbers the rest is guessed.
    pub settings: SkinSettings,
}

/// What is wished of a bone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoneWish {
    /// Whether it goes with its parent and has no body of its own.
    pub fold: Option<bool>,
    /// Name of its body.
    pub body: Option<String>,
    /// How it moves in its parent.
    pub joint: Option<JointType>,
    /// Axis of a hinge in the file's pose: x forward, y left, z up.
    pub axis: Option<Vec3>,
    /// Least and largest angle, rad; of a ball 0 and the largest.
    pub limits: Option<[f64; 2]>,
    /// N·m/rad
    pub stiffness: Option<f64>,
    /// kg
    pub mass: Option<f64>,
}

/// What a bone can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JointType {
    /// Float: the root.
    Free,
    /// Turn about every axis.
    Ball,
    /// Turn about one axis.
    Hinge,
    /// Nothing.
    Fixed,
}

impl BoneWish {
    /// Whether something is said that only a bone with a body has.
    pub fn has_body(&self) -> bool {
        self.body.is_some()
            || self.joint.is_some()
            || self.axis.is_some()
            || self.limits.is_some()
            || self.stiffness.is_some()
            || self.mass.is_some()
    }
}

impl RigWishes {
    pub(super) fn fold(&self, node: usize) -> Option<bool> {
        self.bones.get(&node)?.fold
    }

    pub(super) fn body_name(&self, node: usize) -> Option<&str> {
        self.bones.get(&node)?.body.as_deref()
    }

    /// kg
    pub(super) fn mass(&self, node: usize) -> Option<f64> {
        self.bones.get(&node)?.mass
    }

    /// Bones that shall have bodies must be able to: `nodes` are those of the bodies.
    pub(super) fn check(&self, nodes: &[usize]) -> Result<(), AnatomyError> {
        for (&node, bone) in &self.bones {
            if !nodes.contains(&node) && (bone.has_body() || bone.fold == Some(false)) {
                let reason = if bone.fold == Some(false) {
                    "it carries no skin, and cannot have a body of its own"
                } else {
                    "it goes with its parent and has no body; fold = false gives it one"
                };
                return Err(AnatomyError::Bone { node, reason: reason.to_owned() });
            }
        }
        Ok(())
    }

    /// Changes joints as wished. Body k + 1 of `spec` is node `nodes[k]`.
    pub(super) fn apply(&self, spec: &mut CreatureSpec, nodes: &[usize]) -> Result<(), AnatomyError> {
        for (body, &node) in spec.bodies.iter_mut().skip(1).zip(nodes) {
            let Some(bone) = self.bones.get(&node) else { continue };
            let fail = |reason: &str| Err(AnatomyError::Bone { node, reason: reason.to_owned() });
            let [joint] = body.joints.as_mut_slice() else { continue };
            match (bone.joint, joint.kind) {
                (None | Some(JointType::Free), JointKind::Free) => {
                    if bone.axis.is_some() || bone.limits.is_some() || bone.stiffness.is_some() {
                        return fail("the root floats and has neither axis, limits nor stiffness");
                    }
                    continue;
                }
                (_, JointKind::Free) => return fail("it is the root, whose joint is free"),
                (Some(JointType::Free), _) => return fail("only the root's joint can be free"),
                (Some(JointType::Fixed), _) => {
                    body.joints.clear();
                    continue;
                }
                (Some(JointType::Hinge), JointKind::Ball) => match bone.axis {
                    Some(axis) => {
                        *joint = JointSpec { kind: JointKind::Hinge, axis, limit: None, ..joint.clone() }
                    }
                    None => return fail("a hinge needs an axis"),
                },
                (Some(JointType::Ball), JointKind::Hinge) => {
                    let most = joint.limit.map(|[low, high]| [0.0, high.max(-low)]);
                    *joint = JointSpec { kind: JointKind::Ball, limit: most, ..joint.clone() };
                }
                _ => (),
            }
            match (bone.axis, joint.kind) {
                (Some(axis), JointKind::Hinge) => joint.axis = axis,
                (Some(_), _) => return fail("only a hinge has an axis"),
                (None, _) => (),
            }
            match (bone.limits, joint.kind) {
                (Some([low, _]), JointKind::Ball) if low != 0.0 => {
                    return fail("the limits of a ball begin with 0");
                }
                (Some(limits), _) => joint.limit = Some(limits),
                (None, _) => (),
            }
            if let Some(stiffness) = bone.stiffness {
                // Damping stays the same share of it.
                joint.damping *= if joint.stiffness > 0.0 { stiffness / joint.stiffness } else { 1.0 };
                joint.stiffness = stiffness;
            }
        }
        Ok(())
    }
}

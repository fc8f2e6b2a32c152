//! Where the bodies are and how they move.
//!
//! ```text
//! for each body b, parents first:
//!     pose of b = pose of its parent ∘ parent_from_body
//!     for each joint of b: move b along it, note its axis in the world
//! ```

use gambol_model::math;
use nalgebra::{Quaternion, Unit, UnitQuaternion};

use crate::spatial::{RigidInertia, rotate_symmetric};
use crate::{BodyFrame, Creature, Data, JointKind, Motion, Quat, Vec3};

/// Poses of all bodies and axes of all joints at the pose `q`.
///
/// Writes `data.frames` and `data.axes`; returns the frames, one per body, the world first.
pub fn forward_kinematics<'d>(creature: &Creature, data: &'d mut Data, q: &[f64]) -> &'d [BodyFrame] {
    assert_eq!(q.len(), creature.nq(), "the pose has the wrong length");
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        let parent = &data.frames[body.parent];
        let local = &body.parent_from_body;
        let mut position = parent.position + parent.rotation * local.translation.vector;
        let mut orientation = parent.orientation * local.rotation;
        let parent_position = parent.position;

        for joint in &creature.joints()[body.joints.clone()] {
            match joint.kind {
                JointKind::Hinge => {
                    let axis = orientation * joint.axis;
                    let anchor = position + orientation * joint.anchor;
                    let angle = q[joint.q] - creature.reference_pose()[joint.q];
                    orientation *= rotation_about(joint.axis, angle);
                    position = anchor - orientation * joint.anchor;
                    data.axes[joint.v] = Motion::new(axis, anchor); // finished below, once the origin is known
                }
                JointKind::Slide => {
                    let axis = orientation * joint.axis;
                    position += axis * (q[joint.q] - creature.reference_pose()[joint.q]);
                    data.axes[joint.v] = Motion::new(Vec3::zeros(), axis);
                }
                JointKind::Ball => {
                    let anchor = position + orientation * joint.anchor;
                    orientation *= quaternion(&q[joint.q..joint.q + 4]);
                    position = anchor - orientation * joint.anchor;
                    body_axes(&mut data.axes[joint.v..joint.v + 3], orientation, anchor);
                }
                JointKind::Free => {
                    position = Vec3::new(q[joint.q], q[joint.q + 1], q[joint.q + 2]);
                    orientation = quaternion(&q[joint.q + 3..joint.q + 7]);
                    for k in 0..3 {
                        data.axes[joint.v + k] = Motion::new(Vec3::zeros(), Vec3::ith(k, 1.0));
                    }
                    body_axes(&mut data.axes[joint.v + 3..joint.v + 6], orientation, position);
                }
            }
        }
        for axis in &mut data.axes[body.dofs.clone()] {
            if axis.angular != Vec3::zeros() {
                // `linear` holds the anchor so far: a turn about it moves the body's origin by axis × lever.
                axis.linear = axis.angular.cross(&(position - axis.linear));
            }
        }
        data.frames[index] = BodyFrame {
            position,
            rotation: orientation.to_rotation_matrix().into_inner(),
            orientation,
            offset: position - parent_position,
        };
    }
    &data.frames
}

/// Velocities of all bodies at the pose `q` and the velocity `v`, at the body origins, along the world axes.
///
/// Writes `data.velocities` and what [`forward_kinematics`] writes.
pub fn body_velocities<'d>(creature: &Creature, data: &'d mut Data, q: &[f64], v: &[f64]) -> &'d [Motion] {
    forward_kinematics(creature, data, q);
    assert_eq!(v.len(), creature.nv(), "the velocity has the wrong length");
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        let mut velocity = data.velocities[body.parent].shifted(data.frames[index].offset);
        for dof in body.dofs.clone() {
            velocity += data.axes[dof] * v[dof];
        }
        data.velocities[index] = velocity;
    }
    &data.velocities
}

/// Inertia of every body about its own origin, along the world axes. Needs `data.frames`.
pub(crate) fn body_inertias(creature: &Creature, data: &mut Data) {
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        let rotation = &data.frames[index].rotation;
        let about_com = rotate_symmetric(rotation, &data.inertia_in_body[index]);
        data.inertias[index] = RigidInertia::new(body.mass.mass, rotation * body.mass.com, about_com);
    }
}

/// Turns about the body's own axes through `anchor`.
fn body_axes(axes: &mut [Motion], orientation: Quat, anchor: Vec3) {
    let rotation = orientation.to_rotation_matrix();
    for (k, axis) in axes.iter_mut().enumerate() {
        *axis = Motion::new(rotation.matrix().column(k).into_owned(), anchor);
    }
}

/// A turn by `angle`, rad, about a unit axis.
#[inline(always)]
fn rotation_about(axis: Vec3, angle: f64) -> Quat {
    let (sine, cosine) = math::sin_cos(0.5 * angle);
    Unit::new_unchecked(Quaternion::from_parts(cosine, axis * sine))
}

/// A rotation from w x y z of any positive norm.
#[inline(always)]
fn quaternion(wxyz: &[f64]) -> Quat {
    UnitQuaternion::from_quaternion(Quaternion::new(wxyz[0], wxyz[1], wxyz[2], wxyz[3]))
}

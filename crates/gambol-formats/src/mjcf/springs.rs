//! Springs and dampers that are given by time constant and damping ratio: they follow from the inertia that a joint
//! moves in the reference configuration.

use gambol_model::{BodySpec, JointKind, JointSpec, MassProperties, Transform};

use super::tree::body_mass;

/// Poses of all bodies in the world while all joints are at their reference.
pub(crate) fn reference_poses(bodies: &[BodySpec]) -> Vec<Transform> {
    let mut poses: Vec<Transform> = Vec::with_capacity(bodies.len());
    for (index, body) in bodies.iter().enumerate() {
        poses.push(if index == 0 {
            Transform::identity()
        } else {
            poses[body.parent] * body.parent_from_body
        });
    }
    poses
}

/// Sets stiffness and damping of the joints that have a time constant and a damping ratio. `wishes` is alike the
/// joints of each body.
pub(crate) fn settle(bodies: &mut [BodySpec], wishes: &[Vec<Option<[f64; 2]>>]) {
    if wishes.iter().flatten().all(Option::is_none) {
        return;
    }
    let poses = reference_poses(bodies);
    // What moves with each body, in the world: gathered from the leaves.
    let mut moved: Vec<MassProperties> =
        bodies.iter().zip(&poses).map(|(body, pose)| body_mass(body).transformed(pose)).collect();
    for index in (1..bodies.len()).rev() {
        let parent = bodies[index].parent;
        moved[parent] = MassProperties::sum(&[moved[parent], moved[index]]);
    }
    for (index, body) in bodies.iter_mut().enumerate() {
        for (joint, wish) in body.joints.iter_mut().zip(&wishes[index]) {
            if let Some([time_constant, damping_ratio]) = wish {
                let inertia = mean_inertia(joint, &moved[index], &poses[index]);
                // x'' + 2/T x' + 1/(T ζ)² x = 0
                joint.stiffness = inertia / (time_constant * damping_ratio).powi(2).max(1e-15);
                joint.damping = 2.0 * inertia / time_constant.max(1e-15);
            }
        }
    }
}

/// Mean diagonal entry of the mass matrix over the coordinates of a joint, kg·m² or kg.
fn mean_inertia(joint: &JointSpec, moved: &MassProperties, world_from_body: &Transform) -> f64 {
    let anchor = world_from_body.transform_point(&joint.anchor.into()).coords;
    let about_anchor = moved.inertia_about(anchor);
    let inertia = match joint.kind {
        JointKind::Slide => moved.mass,
        JointKind::Hinge => {
            let axis = world_from_body.rotation * joint.axis.normalize();
            axis.dot(&(about_anchor * axis))
        }
        JointKind::Ball => about_anchor.trace() / 3.0,
        JointKind::Free => (3.0 * moved.mass + about_anchor.trace()) / 6.0,
    };
    inertia + joint.armature
}

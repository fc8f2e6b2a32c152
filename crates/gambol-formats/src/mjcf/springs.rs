//! Springs and dampers that are given by time constant and damping ratio: they follow from the inertia that a joint
//! feels in the reference configuration.

use gambol_model::{BodySpec, JointKind, JointSpec, MassProperties, Transform, Vec3, math};
use nalgebra::{Matrix6, Vector6};

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
    let inertias = felt_inertias(bodies);
    for ((body, wishes), inertias) in bodies.iter_mut().zip(wishes).zip(&inertias) {
        for ((joint, wish), inertia) in body.joints.iter_mut().zip(wishes).zip(inertias) {
            if let Some([time_constant, damping_ratio]) = wish {
                // x'' + 2/T x' + 1/(T ζ)² x = 0
                joint.stiffness = inertia / math::square(time_constant * damping_ratio).max(1e-15);
                joint.damping = 2.0 * inertia / time_constant.max(1e-15);
            }
        }
    }
}

/// For each joint of each body: the inverse of the mean diagonal entry of the inverse mass matrix over its
/// coordinates, kg·m² or kg: what a force on this joint alone has to move while all others are free.
///
/// The diagonal of M⁻¹ in O(n), all in world coordinates: one pass to the root with articulated inertias I (armature
/// a in D = SᵀIS + a), one to the leaves with the compliance Ω of each body (Kreutz-Delgado, Jain, Rodriguez,
/// Recursive formulation of operational space control, 1992): with the gain K = I S / D,
/// (M⁻¹)ᵢᵢ = 1/D + KᵀΩK and, on to the next body, Ω ← (1 − S Kᵀ) Ω (1 − K Sᵀ) + S Sᵀ/D.
fn felt_inertias(bodies: &[BodySpec]) -> Vec<Vec<f64>> {
    let poses = reference_poses(bodies);
    let mut articulated: Vec<Matrix6<f64>> =
        bodies.iter().zip(&poses).map(|(body, pose)| spatial(&body_mass(body).transformed(pose))).collect();
    // For each body, from its last coordinate to its first.
    let mut passes: Vec<Vec<Pass>> = vec![Vec::new(); bodies.len()];
    for index in (1..bodies.len()).rev() {
        let mut inertia = articulated[index];
        for joint in bodies[index].joints.iter().rev() {
            for motion in motions(joint, &poses[index]).into_iter().rev() {
                let force = inertia * motion;
                let inverse = 1.0 / (motion.dot(&force) + joint.armature);
                inertia -= force * force.transpose() * inverse;
                passes[index].push((motion, force * inverse, inverse));
            }
        }
        articulated[bodies[index].parent] += inertia;
    }
    let mut compliance: Vec<Matrix6<f64>> = vec![Matrix6::zeros(); bodies.len()];
    let mut felt: Vec<Vec<f64>> = vec![Vec::new(); bodies.len()];
    for index in 1..bodies.len() {
        let mut omega = compliance[bodies[index].parent];
        let mut coordinates = passes[index].iter().rev();
        for joint in &bodies[index].joints {
            let mut sum = 0.0;
            for (motion, gain, inverse) in coordinates.by_ref().take(joint.kind.nv()) {
                sum += inverse + gain.dot(&(omega * gain));
                let shift = Matrix6::identity() - gain * motion.transpose();
                omega = shift.transpose() * omega * shift + motion * motion.transpose() * *inverse;
            }
            felt[index].push(joint.kind.nv() as f64 / sum);
        }
        compliance[index] = omega;
    }
    felt
}

/// What the pass to the root leaves for each coordinate: motion S, gain K, 1/D.
type Pass = (Vector6<f64>, Vector6<f64>, f64);

/// Spatial inertia (rotation, then translation) about the world's origin.
fn spatial(mass: &MassProperties) -> Matrix6<f64> {
    let mut inertia = Matrix6::zeros();
    let moment = mass.com.cross_matrix() * mass.mass;
    inertia.fixed_view_mut::<3, 3>(0, 0).copy_from(&mass.inertia_about(Vec3::zeros()));
    inertia.fixed_view_mut::<3, 3>(0, 3).copy_from(&moment);
    inertia.fixed_view_mut::<3, 3>(3, 0).copy_from(&moment.transpose());
    inertia.fixed_view_mut::<3, 3>(3, 3).fill_diagonal(mass.mass);
    inertia
}

/// The motions that a joint allows: angular velocity, and linear velocity at the world's origin.
fn motions(joint: &JointSpec, world_from_body: &Transform) -> Vec<Vector6<f64>> {
    let anchor = world_from_body.transform_point(&joint.anchor.into()).coords;
    let turn = |axis: Vec3| {
        let axis = world_from_body.rotation * axis;
        let linear = anchor.cross(&axis);
        Vector6::new(axis.x, axis.y, axis.z, linear.x, linear.y, linear.z)
    };
    let shift = |axis: Vec3| Vector6::new(0.0, 0.0, 0.0, axis.x, axis.y, axis.z);
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    match joint.kind {
        JointKind::Hinge => vec![turn(joint.axis.normalize())],
        JointKind::Slide => vec![shift(world_from_body.rotation * joint.axis.normalize())],
        JointKind::Ball => axes.map(turn).to_vec(),
        JointKind::Free => axes.map(shift).into_iter().chain(axes.map(turn)).collect(),
    }
}

//! The matrices of Kry et al. 2009: M, G, R and N in maximal coordinates (section 3 and appendix A).
//!
//! Body velocities are φ = (ω; v) per body, along the body's own axes, v at its centre of mass (the paper's frame, but
//! for the rotation to principal axes, which changes nothing below). The world does not move and has no rows.
//!
//! * M: block-diagonal mass matrix of all bodies, equation 5.
//! * G: constraint rows with G φ = 0: 6 − k for a joint with k coordinates, and those of closed loops, equation 7.
//! * R: φ ↦ joint velocities, θ̇ = R φ; one row per velocity coordinate that has a joint, then one per tendon.
//! * N: admissible velocities, φ = N ẋ, equation 3. In joint coordinates it needs no decomposition: the columns are
//!   the body Jacobians, restricted to what closed loops leave free.

use nalgebra::{DMatrix, Matrix6xX, SVector};

use crate::{
    Creature, Data, JointKind, Vec3, body_jacobian, constraint_rows, forward_kinematics, null_space,
};
use gambol_model::Constraint;

/// M: 6 × 6 blocks (inertia about the centre of mass, mass) along the diagonal.
pub fn body_mass_matrix(creature: &Creature) -> DMatrix<f64> {
    let bodies = &creature.bodies()[1..];
    let mut m = DMatrix::zeros(6 * bodies.len(), 6 * bodies.len());
    for (k, body) in bodies.iter().enumerate() {
        m.view_mut((6 * k, 6 * k), (3, 3)).copy_from(&body.mass.inertia);
        for axis in 3..6 {
            m[(6 * k + axis, 6 * k + axis)] = body.mass.mass;
        }
    }
    m
}

/// Body velocities per joint velocity: the Jacobians of all bodies, stacked, in body axes at the centres of mass.
fn stacked_jacobians(creature: &Creature, data: &Data) -> DMatrix<f64> {
    let nv = creature.nv();
    let mut stacked = DMatrix::zeros(6 * (creature.bodies().len() - 1), nv);
    let mut world = DMatrix::zeros(6, nv);
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        let frame = &data.frames[index];
        body_jacobian(creature, data, index, frame.point_in_world(body.mass.com), &mut world);
        let turned = frame.rotation.transpose();
        stacked.view_mut((6 * (index - 1), 0), (3, nv)).copy_from(&(turned * world.rows(0, 3)));
        stacked.view_mut((6 * (index - 1) + 3, 0), (3, nv)).copy_from(&(turned * world.rows(3, 3)));
    }
    stacked
}

/// N at the pose `q`: 6 · bodies × degrees of freedom, with Nᵀ M N the mass matrix over what `constraints` leave free.
pub fn admissible_directions(
    creature: &Creature,
    data: &mut Data,
    q: &[f64],
    constraints: &[Constraint],
) -> DMatrix<f64> {
    let reduction = null_space(creature, data, q, constraints);
    stacked_jacobians(creature, data) * reduction.basis
}

/// The velocity of body `index` at the world point `at`, along the world axes, as a linear map of φ.
fn body_velocity_rows(creature: &Creature, data: &Data, index: usize, at: Vec3) -> DMatrix<f64> {
    let mut rows = DMatrix::zeros(6, 6 * (creature.bodies().len() - 1));
    if index == 0 {
        return rows;
    }
    let frame = &data.frames[index];
    let lever = at - frame.point_in_world(creature.bodies()[index].mass.com);
    let column = 6 * (index - 1);
    rows.view_mut((0, column), (3, 3)).copy_from(&frame.rotation);
    rows.view_mut((3, column), (3, 3)).copy_from(&(-lever.cross_matrix() * frame.rotation));
    rows.view_mut((3, column + 3), (3, 3)).copy_from(&frame.rotation);
    rows
}

/// Velocity of a body relative to its parent at the body's origin, as a linear map of φ.
fn relative_velocity_rows(creature: &Creature, data: &Data, index: usize) -> DMatrix<f64> {
    let origin = data.frames[index].position;
    let parent = creature.bodies()[index].parent;
    body_velocity_rows(creature, data, index, origin) - body_velocity_rows(creature, data, parent, origin)
}

/// The joint axes of one body, 6 × its coordinates, at its origin.
fn joint_axes(creature: &Creature, data: &Data, index: usize) -> Matrix6xX<f64> {
    let columns: Vec<SVector<f64, 6>> = data.axes[creature.bodies()[index].dofs.clone()]
        .iter()
        .map(|s| SVector::from([s.angular.x, s.angular.y, s.angular.z, s.linear.x, s.linear.y, s.linear.z]))
        .collect();
    Matrix6xX::from_columns(&columns)
}

/// G at the pose `q`: for each body one row per direction that its joints do not allow, then the rows of
/// `constraints`. A free body has none.
pub fn constraint_matrix(
    creature: &Creature,
    data: &mut Data,
    q: &[f64],
    constraints: &[Constraint],
) -> DMatrix<f64> {
    forward_kinematics(creature, data, q);
    let columns = 6 * (creature.bodies().len() - 1);
    let tree_rows: usize = creature.bodies().iter().skip(1).map(|body| 6 - body.dofs.len()).sum();
    let mut g = DMatrix::zeros(tree_rows + constraint_rows(constraints), columns);
    let mut row = 0;
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        let allowed = joint_axes(creature, data, index);
        let rows = 6 - body.dofs.len();
        if rows == 0 {
            continue;
        }
        // Orthonormal complement of the allowed directions: the columns of the full Q of a QR beyond their number.
        let mut complement = DMatrix::identity(6, 6);
        if allowed.ncols() > 0 {
            let dynamic = DMatrix::from_column_slice(6, allowed.ncols(), allowed.as_slice());
            dynamic.qr().q_tr_mul(&mut complement);
        }
        let forbidden =
            complement.rows(body.dofs.len(), rows) * relative_velocity_rows(creature, data, index);
        g.rows_mut(row, rows).copy_from(&forbidden);
        row += rows;
    }
    // Extra constraints are known as functions of joint velocities, and joint velocities as functions of φ.
    let joint_velocities = joint_velocity_rows(creature, data);
    let jacobian = crate::constraint_jacobian(creature, data, q, constraints);
    g.rows_mut(row, jacobian.nrows()).copy_from(&(jacobian * joint_velocities));
    g
}

/// Every joint velocity as a linear map of φ: the pseudo-inverse of a body's axes picks its coordinates out of the
/// motion relative to its parent. On admissible φ this is exact.
fn joint_velocity_rows(creature: &Creature, data: &Data) -> DMatrix<f64> {
    let mut rows = DMatrix::zeros(creature.nv(), 6 * (creature.bodies().len() - 1));
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        if body.dofs.is_empty() {
            continue;
        }
        let axes = joint_axes(creature, data, index);
        let gram = (axes.transpose() * &axes).try_inverse();
        // Dependent axes (gimbal lock) have no unique joint velocities; leave their rows zero.
        if let Some(inverse) = gram {
            let pick = inverse * axes.transpose();
            let block = pick * relative_velocity_rows(creature, data, index);
            rows.rows_mut(body.dofs.start, body.dofs.len()).copy_from(&block);
        }
    }
    rows
}

/// R at the pose `q`, and the stiffness of each of its rows (the diagonal of the paper's K): one row per velocity
/// coordinate of every joint that is not free, then one per tendon.
pub fn joint_matrix(creature: &Creature, data: &mut Data, q: &[f64]) -> (DMatrix<f64>, Vec<f64>) {
    forward_kinematics(creature, data, q);
    let all = joint_velocity_rows(creature, data);
    let mut rows = Vec::new();
    let mut stiffness = Vec::new();
    for joint in creature.joints().iter().filter(|joint| joint.kind != JointKind::Free) {
        for dof in joint.v..joint.v + joint.kind.nv() {
            rows.push(all.row(dof).into_owned());
            stiffness.push(joint.stiffness);
        }
    }
    for tendon in creature.tendons() {
        let mut row = all.row(0).into_owned() * 0.0;
        for &(joint, c) in &tendon.terms {
            row += all.row(creature.joints()[joint].v) * c;
        }
        rows.push(row);
        stiffness.push(tendon.stiffness);
    }
    if rows.is_empty() {
        return (DMatrix::zeros(0, all.ncols()), stiffness);
    }
    (DMatrix::from_rows(&rows), stiffness)
}

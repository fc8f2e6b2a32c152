//! Jacobians of bodies and points.

use nalgebra::DMatrix;

use crate::{Creature, Data, Vec3};

/// Jacobian of a body's motion at the point `at` of the world: rows 0–2 angular velocity, rows 3–5 velocity of that
/// point of the body, along the world axes. `jacobian` is 6 × nv and overwritten.
///
/// Needs `data.frames` and `data.axes` at the pose: call [`crate::forward_kinematics`] first.
pub fn body_jacobian(creature: &Creature, data: &Data, body: usize, at: Vec3, jacobian: &mut DMatrix<f64>) {
    assert_eq!(jacobian.shape(), (6, creature.nv()), "the Jacobian has the wrong shape");
    jacobian.fill(0.0);
    each_axis_above(creature, data, body, |dof, angular, linear_at_origin, origin| {
        let linear = linear_at_origin + angular.cross(&(at - origin));
        let mut column = jacobian.column_mut(dof);
        column.fixed_rows_mut::<3>(0).copy_from(&angular);
        column.fixed_rows_mut::<3>(3).copy_from(&linear);
    });
}

/// Jacobian of the velocity of the point `at` of the world, fixed to `body`: 3 × nv, along the world axes.
///
/// Needs `data.frames` and `data.axes` at the pose: call [`crate::forward_kinematics`] first.
pub fn point_jacobian(creature: &Creature, data: &Data, body: usize, at: Vec3, jacobian: &mut DMatrix<f64>) {
    assert_eq!(jacobian.shape(), (3, creature.nv()), "the Jacobian has the wrong shape");
    jacobian.fill(0.0);
    each_axis_above(creature, data, body, |dof, angular, linear_at_origin, origin| {
        jacobian.column_mut(dof).copy_from(&(linear_at_origin + angular.cross(&(at - origin))));
    });
}

/// Calls `visit(coordinate, angular, linear, origin)` for every coordinate that moves `body`: the motion per unit of
/// velocity, along the world axes, of the body it moves at that body's origin.
///
/// Needs `data.frames` and `data.axes` at the pose: call [`crate::forward_kinematics`] first.
pub fn each_axis_above(
    creature: &Creature,
    data: &Data,
    mut body: usize,
    mut visit: impl FnMut(usize, Vec3, Vec3, Vec3),
) {
    while body != 0 {
        for dof in creature.bodies()[body].dofs.clone() {
            let axis = &data.axes[dof];
            visit(dof, axis.angular, axis.linear, data.frames[body].position);
        }
        body = creature.bodies()[body].parent;
    }
}

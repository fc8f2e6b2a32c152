//! Forward dynamics by articulated bodies (Featherstone 2008, section 7.3), one coordinate at a time.
//!
//! ```text
//! for each body b, parents first:    v_b; drift c_b of its joints; bias force p_b = v_b ×* I_b v_b
//! for each body b, children first:   for its coordinates i, last first:
//!         u = I s_i;  d = s_i · u + armature;  r = τ_i − s_i · p;   I −= u uᵀ / d;   p += u r / d
//!     parent:  I += I_b,  p += p_b + I_b c_b
//! for each body b, parents first:    a = a_parent + c_b;  for its coordinates i: q̈_i = (r − u · a) / d;  a += s_i q̈_i
//! ```
//!
//! A ball or free joint is eliminated as three or six single coordinates: the result is that of the block, and no
//! small matrix has to be inverted.

use crate::kinematics::{body_inertias, forward_kinematics};
use crate::rnea::advance;
use crate::{Creature, Data, Force, Motion, Vec3};

/// Accelerations of all coordinates under the joint forces `tau` and gravity, in time proportional to their number.
/// Springs, dampers and constraints are not in it: add [`crate::passive_forces`] to `tau` for the former.
pub fn forward_dynamics<'d>(
    creature: &Creature,
    data: &'d mut Data,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
) -> &'d [f64] {
    assert!(v.len() == creature.nv() && tau.len() == creature.nv(), "velocity or force has the wrong length");
    forward_kinematics(creature, data, q);
    body_inertias(creature, data);
    forward_dynamics_here(creature, data, v, tau, |_| 0.0)
}

/// The same at the pose of `data.frames`, from `data.inertias`, with `extra(i)` added to the armature of coordinate i:
/// (M + diag extra)⁻¹ (τ − C).
pub(crate) fn forward_dynamics_here<'d>(
    creature: &Creature,
    data: &'d mut Data,
    v: &[f64],
    tau: &[f64],
    extra: impl Fn(usize) -> f64,
) -> &'d [f64] {
    velocities_and_bias(creature, data, v);
    articulated_inertias(creature, data, tau, extra);
    accelerations(creature, data);
    &data.qacc
}

/// x ← (M + diag extra)⁻¹ x with the articulated inertias that the last [`forward_dynamics_here`] left in `data`, in
/// time proportional to the number of coordinates.
pub(crate) fn solve_articulated(creature: &Creature, data: &mut Data, x: &mut [f64]) {
    data.forces.fill(Force::default());
    for (index, body) in creature.bodies().iter().enumerate().skip(1).rev() {
        let mut bias = data.forces[index];
        for dof in body.dofs.clone().rev() {
            let residual = x[dof] - data.axes[dof].dot(&bias);
            data.residual[dof] = residual;
            let f = as_force(&data.u[dof]);
            let share = residual * data.d_inverse[dof];
            bias.moment += f.moment * share;
            bias.force += f.force * share;
        }
        data.forces[body.parent] += bias.shifted(data.frames[index].offset);
    }
    data.accelerations[0] = Motion::ZERO;
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        let mut acceleration = data.accelerations[body.parent].shifted(data.frames[index].offset);
        for dof in body.dofs.clone() {
            let force = as_force(&data.u[dof]);
            x[dof] = (data.residual[dof] - acceleration.dot(&force)) * data.d_inverse[dof];
            acceleration += data.axes[dof] * x[dof];
        }
        data.accelerations[index] = acceleration;
    }
}

fn velocities_and_bias(creature: &Creature, data: &mut Data, v: &[f64]) {
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        let mut velocity = data.velocities[body.parent].shifted(data.frames[index].offset);
        let mut drift = Motion::ZERO;
        for joint in &creature.joints()[body.joints.clone()] {
            drift += advance(joint, &data.axes, v, &mut velocity);
        }
        data.velocities[index] = velocity;
        data.accelerations[index] = drift; // completed by `accelerations`
        let inertia = &data.inertias[index];
        data.forces[index] = velocity.cross_force(&inertia.apply(velocity));
        data.articulated[index].set_rigid(inertia);
    }
}

fn articulated_inertias(creature: &Creature, data: &mut Data, tau: &[f64], extra: impl Fn(usize) -> f64) {
    for (index, body) in creature.bodies().iter().enumerate().skip(1).rev() {
        let mut bias = data.forces[index];
        let inertia = &mut data.articulated[index];
        for dof in body.dofs.clone().rev() {
            let axis = &data.axes[dof];
            let u = inertia.apply(axis);
            let d_inverse = 1.0 / (axis.dot(&as_force(&u)) + creature.dofs()[dof].armature + extra(dof));
            let residual = tau[dof] - axis.dot(&bias);
            data.u[dof] = u;
            data.d_inverse[dof] = d_inverse;
            data.residual[dof] = residual;
            if body.parent != 0 || dof != body.dofs.start {
                inertia.release(&u, d_inverse);
                let f = as_force(&u);
                let share = residual * d_inverse;
                bias.moment += f.moment * share;
                bias.force += f.force * share;
            }
        }
        if body.parent != 0 {
            bias += as_force(&inertia.apply(&data.accelerations[index]));
            let offset = data.frames[index].offset;
            data.forces[body.parent] += bias.shifted(offset);
            let (parents, this) = data.articulated.split_at_mut(index);
            parents[body.parent].add_shifted(&this[0], offset);
        }
    }
}

fn accelerations(creature: &Creature, data: &mut Data) {
    data.accelerations[0] = Motion::new(Vec3::zeros(), -creature.gravity());
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        let from_parent = data.accelerations[body.parent].shifted(data.frames[index].offset);
        let mut acceleration = from_parent + data.accelerations[index];
        for dof in body.dofs.clone() {
            let force = as_force(&data.u[dof]);
            let qacc = (data.residual[dof] - acceleration.dot(&force)) * data.d_inverse[dof];
            data.qacc[dof] = qacc;
            acceleration += data.axes[dof] * qacc;
        }
        data.accelerations[index] = acceleration;
    }
}

#[inline(always)]
fn as_force(u: &[f64; 8]) -> Force {
    Force { moment: Vec3::new(u[0], u[1], u[2]), force: Vec3::new(u[3], u[4], u[5]) }
}

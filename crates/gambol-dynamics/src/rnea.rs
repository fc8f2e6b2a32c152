//! Inverse dynamics by the recursive Newton–Euler algorithm (Featherstone 2008, section 5.3).
//!
//! ```text
//! for each body b, parents first:    v_b, a_b from the parent and the joints;  f_b = I_b a_b + v_b ×* I_b v_b
//! for each body b, children first:   τ_i = s_i · f_b for its coordinates;  f_parent += f_b
//! ```

use crate::kinematics::{body_inertias, forward_kinematics};
use gambol_model::Joint;

use crate::{Creature, Data, Force, JointKind, Motion, Vec3};

/// Forces C(q, v) that velocity and gravity demand at the joints when nothing accelerates: inverse dynamics with zero
/// acceleration. The equation of motion is M(q) a + C(q, v) = τ.
pub fn bias_forces<'d>(creature: &Creature, data: &'d mut Data, q: &[f64], v: &[f64]) -> &'d [f64] {
    newton_euler(creature, data, q, v, None)
}

/// Joint forces τ = M(q) a + C(q, v) that produce the acceleration `a`.
pub fn inverse_dynamics<'d>(
    creature: &Creature,
    data: &'d mut Data,
    q: &[f64],
    v: &[f64],
    a: &[f64],
) -> &'d [f64] {
    assert_eq!(a.len(), creature.nv(), "the acceleration has the wrong length");
    newton_euler(creature, data, q, v, Some(a))
}

fn newton_euler<'d>(
    creature: &Creature,
    data: &'d mut Data,
    q: &[f64],
    v: &[f64],
    a: Option<&[f64]>,
) -> &'d [f64] {
    assert_eq!(v.len(), creature.nv(), "the velocity has the wrong length");
    forward_kinematics(creature, data, q);
    body_inertias(creature, data);
    newton_euler_here(creature, data, v, a)
}

/// The same at the pose of `data.frames`, from `data.inertias`.
pub(crate) fn newton_euler_here<'d>(
    creature: &Creature,
    data: &'d mut Data,
    v: &[f64],
    a: Option<&[f64]>,
) -> &'d [f64] {
    // Gravity is the same as a world that accelerates upwards.
    data.accelerations[0] = Motion::new(Vec3::zeros(), -creature.gravity());
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        let offset = data.frames[index].offset;
        let mut velocity = data.velocities[body.parent].shifted(offset);
        let mut acceleration = data.accelerations[body.parent].shifted(offset);
        for joint in &creature.joints()[body.joints.clone()] {
            acceleration += advance(joint, &data.axes, v, &mut velocity);
        }
        if let Some(a) = a {
            for dof in body.dofs.clone() {
                acceleration += data.axes[dof] * a[dof];
            }
        }
        data.velocities[index] = velocity;
        data.accelerations[index] = acceleration;
        let inertia = &data.inertias[index];
        data.forces[index] = inertia.apply(acceleration) + velocity.cross_force(&inertia.apply(velocity));
    }
    for (index, body) in creature.bodies().iter().enumerate().skip(1).rev() {
        let force = data.forces[index];
        for dof in body.dofs.clone() {
            data.tau[dof] = data.axes[dof].dot(&force);
        }
        data.forces[body.parent] += force.shifted(data.frames[index].offset);
    }
    data.forces[0] = Force::default();
    if let Some(a) = a {
        for (dof, (tau, a)) in creature.dofs().iter().zip(data.tau.iter_mut().zip(a)) {
            *tau += dof.armature * a;
        }
    }
    &data.tau
}

/// Adds the velocity of `joint` to `velocity` and returns its velocity-dependent acceleration Σ ṡᵢ vᵢ.
///
/// An axis is carried along by whatever moves before it: ṡ = v × s. The axes of a ball turn with the ball itself,
/// but a motion does not change itself (v_ball × v_ball = 0), so the velocity before the ball serves for all three.
/// A free joint's translations have fixed directions in the world, and carry its rotations.
#[inline(always)]
pub(crate) fn advance(joint: &Joint, axes: &[Motion], v: &[f64], velocity: &mut Motion) -> Motion {
    match joint.kind {
        JointKind::Hinge | JointKind::Slide => {
            let own = axes[joint.v] * v[joint.v];
            let drift = velocity.cross(own);
            *velocity += own;
            drift
        }
        JointKind::Ball => turn(&axes[joint.v..], &v[joint.v..], velocity),
        JointKind::Free => {
            velocity.linear += Vec3::new(v[joint.v], v[joint.v + 1], v[joint.v + 2]);
            turn(&axes[joint.v + 3..], &v[joint.v + 3..], velocity)
        }
    }
}

#[inline(always)]
fn turn(axes: &[Motion], v: &[f64], velocity: &mut Motion) -> Motion {
    let own = axes[0] * v[0] + axes[1] * v[1] + axes[2] * v[2];
    let drift = velocity.cross(own);
    *velocity += own;
    drift
}

//! One thread's scratch memory.

use crate::spatial::{ArticulatedInertia, RigidInertia};
use crate::{Creature, Force, Mat3, Motion, Quat, Vec3};

/// Where a body is in the world.
#[derive(Clone, Copy, Debug)]
pub struct BodyFrame {
    /// Origin of the body frame in the world, m.
    pub position: Vec3,
    /// Axes of the body frame in the world, as columns.
    pub rotation: Mat3,
    /// The same as a quaternion.
    pub orientation: Quat,
    /// Origin of the body minus origin of its parent, along the world axes, m.
    pub offset: Vec3,
}

impl BodyFrame {
    /// A point of the body in the world.
    pub fn point_in_world(&self, point_in_body: Vec3) -> Vec3 {
        self.position + self.rotation * point_in_body
    }
}

/// Scratch memory and results for one creature and one thread. Spatial quantities of a body are along the world axes
/// at the body's origin.
#[derive(Clone, Debug)]
pub struct Data {
    /// Per body. Written by `forward_kinematics`, which every other function calls.
    pub frames: Vec<BodyFrame>,
    /// Per velocity coordinate: the motion of its body per unit of velocity. Written with `frames`.
    pub axes: Vec<Motion>,
    /// Per body. Written by `body_velocities`, `inverse_dynamics`, `bias_forces`, `forward_dynamics`, `energy` and
    /// `momentum`.
    pub velocities: Vec<Motion>,
    /// Per body. Written by `inverse_dynamics`, `bias_forces` and `forward_dynamics`; gravity appears as an upward
    /// acceleration of the world.
    pub accelerations: Vec<Motion>,
    /// Per body: inertia alone.
    pub(crate) inertias: Vec<RigidInertia>,
    /// Per body: inertia of the subtree held rigid (`mass_matrix`).
    pub(crate) composites: Vec<RigidInertia>,
    /// Per body: inertia of the subtree with its joints free to move (`forward_dynamics`).
    pub(crate) articulated: Vec<ArticulatedInertia>,
    /// Per body: force through its joints (`inverse_dynamics`) or bias force (`forward_dynamics`).
    pub(crate) forces: Vec<Force>,
    /// Per velocity coordinate: articulated inertia times axis.
    pub(crate) u: Vec<[f64; 8]>,
    /// Per velocity coordinate: 1 / (axis · u + armature).
    pub(crate) d_inverse: Vec<f64>,
    /// Per velocity coordinate: what is left of the joint force.
    pub(crate) residual: Vec<f64>,
    /// Per velocity coordinate: result of `inverse_dynamics` and `bias_forces`.
    pub(crate) tau: Vec<f64>,
    /// Per velocity coordinate: result of `forward_dynamics`.
    pub(crate) qacc: Vec<f64>,
    /// Per velocity coordinate: result of `passive_forces`.
    pub(crate) passive: Vec<f64>,
    /// Inertia of each body about its centre of mass, body axes: xx, yy, zz, xy, xz, yz.
    pub(crate) inertia_in_body: Vec<[f64; 6]>,
}

impl Data {
    /// Memory for `creature`; linear in its size.
    pub fn new(creature: &Creature) -> Self {
        let (bodies, nv) = (creature.bodies().len(), creature.nv());
        let world = BodyFrame {
            position: Vec3::zeros(),
            rotation: Mat3::identity(),
            orientation: Quat::identity(),
            offset: Vec3::zeros(),
        };
        let six = |m: &Mat3| [m.m11, m.m22, m.m33, m.m12, m.m13, m.m23];
        Self {
            frames: vec![world; bodies],
            axes: vec![Motion::ZERO; nv],
            velocities: vec![Motion::ZERO; bodies],
            accelerations: vec![Motion::ZERO; bodies],
            inertias: vec![RigidInertia::default(); bodies],
            composites: vec![RigidInertia::default(); bodies],
            articulated: vec![ArticulatedInertia::ZERO; bodies],
            forces: vec![Force::default(); bodies],
            u: vec![[0.0; 8]; nv],
            d_inverse: vec![0.0; nv],
            residual: vec![0.0; nv],
            tau: vec![0.0; nv],
            qacc: vec![0.0; nv],
            passive: vec![0.0; nv],
            inertia_in_body: creature.bodies().iter().map(|body| six(&body.mass.inertia)).collect(),
        }
    }
}

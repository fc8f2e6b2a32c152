//! Energy, momenta and the centre of mass.

use crate::kinematics::{body_inertias, body_velocities, forward_kinematics};
use crate::springs::tendon_stretch_about;
use crate::{BodyFrame, Creature, Data, Vec3};
use gambol_model::math;

/// Energy of a creature, J.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// Of the moving bodies and of the armature.
    pub kinetic: f64,
    /// In gravity, zero at the world's origin.
    pub gravity: f64,
    /// In the springs.
    pub elastic: f64,
}

impl Energy {
    /// Sum of all.
    pub fn total(&self) -> f64 {
        self.kinetic + self.gravity + self.elastic
    }
}

/// Momenta of a creature in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momentum {
    /// N·s
    pub linear: Vec3,
    /// About the centre of mass, N·m·s.
    pub angular: Vec3,
}

/// Centre of mass in the world at the pose `q`, m. What is fixed to the world counts too; a creature without mass has
/// it at the origin.
pub fn center_of_mass(creature: &Creature, data: &mut Data, q: &[f64]) -> Vec3 {
    center_of_mass_of(creature, forward_kinematics(creature, data, q))
}

/// The same of bodies in these frames.
pub fn center_of_mass_of(creature: &Creature, frames: &[BodyFrame]) -> Vec3 {
    let mut first = Vec3::zeros();
    let mut mass = 0.0;
    for (body, frame) in creature.bodies().iter().zip(frames) {
        first += frame.point_in_world(body.mass.com) * body.mass.mass;
        mass += body.mass.mass;
    }
    if mass > 0.0 { first / mass } else { first }
}

/// Energy at (q, v).
pub fn energy(creature: &Creature, data: &mut Data, q: &[f64], v: &[f64]) -> Energy {
    energy_about(creature, creature.rest_pose(), data, q, v)
}

/// The same with the springs at rest in the pose `rest`, as [`crate::passive_forces_about`] has it.
pub fn energy_about(creature: &Creature, rest: &[f64], data: &mut Data, q: &[f64], v: &[f64]) -> Energy {
    body_velocities(creature, data, q, v);
    body_inertias(creature, data);
    let mut energy = Energy { kinetic: 0.0, gravity: 0.0, elastic: 0.0 };
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        let velocity = data.velocities[index];
        energy.kinetic += 0.5 * velocity.dot(&data.inertias[index].apply(velocity));
        let com = data.frames[index].point_in_world(body.mass.com);
        energy.gravity -= body.mass.mass * creature.gravity().dot(&com);
    }
    for (dof, v) in creature.dofs().iter().zip(v) {
        energy.kinetic += 0.5 * dof.armature * v * v;
    }
    creature.difference(rest, q, &mut data.passive);
    for joint in creature.joints().iter().filter(|joint| joint.stiffness > 0.0) {
        let stretch = &data.passive[joint.v..joint.v + joint.kind.nv()];
        energy.elastic += 0.5 * joint.stiffness * stretch.iter().map(|x| x * x).sum::<f64>();
    }
    for tendon in creature.tendons() {
        energy.elastic +=
            0.5 * tendon.stiffness * math::square(tendon_stretch_about(creature, rest, tendon, q));
    }
    energy
}

/// Linear momentum, and angular momentum about the centre of mass, at (q, v).
pub fn momentum(creature: &Creature, data: &mut Data, q: &[f64], v: &[f64]) -> Momentum {
    let com = center_of_mass(creature, data, q);
    body_velocities(creature, data, q, v);
    body_inertias(creature, data);
    momentum_here(creature, data, com)
}

/// The same from the frames, velocities and inertias in `data`, with the centre of mass at `com`.
pub(crate) fn momentum_here(creature: &Creature, data: &Data, com: Vec3) -> Momentum {
    let mut total = Momentum { linear: Vec3::zeros(), angular: Vec3::zeros() };
    for index in 1..creature.bodies().len() {
        let own = data.inertias[index].apply(data.velocities[index]);
        let about_com = own.shifted(data.frames[index].position - com);
        total.linear += about_com.force;
        total.angular += about_com.moment;
    }
    total
}

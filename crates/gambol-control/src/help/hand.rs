//! A hand that holds the trunk upright and leads it on: who follows a gait has no sense of balance.

use gambol_dynamics::{Sense, State, TooLarge, TreeMatrix};
use gambol_model::{Creature, JointKind, Quat, Vec3};
use nalgebra::Quaternion;

use super::HelpSettings;
use crate::{Command, Controller};

/// Holds the trunk in its orientation at rest and leads it along the ground. It acts on every part by its mass, as gravity
/// does, and so bends no joint: τ = M a, with accelerations a of the root and none of the joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Hand {
    /// First coordinates of the free joint.
    q: usize,
    v: usize,
    /// Of the trunk at rest.
    upright: Quat,
    /// m/s in the world; what is vertical of it does not count.
    velocity: Vec3,
    settings: HelpSettings,
}

impl Hand {
    /// A hand that holds `creature` as it is in `pose`, and leads it with `velocity`, m/s in the world. None for a creature
    /// that does not float: there is nothing to hold.
    pub fn new(creature: &Creature, pose: &[f64], velocity: Vec3, settings: &HelpSettings) -> Option<Self> {
        let root = creature.joints().iter().find(|joint| joint.kind == JointKind::Free)?;
        let (q, v) = (root.q, root.v);
        Some(Self { q, v, upright: orientation(pose, q), velocity, settings: settings.clone() })
    }

    /// Writes the accelerations of the root that it wants; those of the joints stay as they are.
    fn accelerate(&self, state: &State, acceleration: &mut [f64]) {
        let omega = std::f64::consts::TAU * self.settings.sway;
        let turn = (orientation(&state.q, self.q).inverse() * self.upright).scaled_axis();
        let moves = &state.v[self.v..self.v + 6]; // along the world's axes, then about the body's
        for k in 0..2 {
            acceleration[self.v + k] = (self.velocity[k] - moves[k]) / self.settings.lead;
        }
        for k in 0..3 {
            acceleration[self.v + 3 + k] = omega * omega * turn[k] - 2.0 * omega * moves[3 + k];
        }
    }
}

fn orientation(pose: &[f64], q: usize) -> Quat {
    Quat::new_normalize(Quaternion::new(pose[q + 3], pose[q + 4], pose[q + 5], pose[q + 6]))
}

/// A controller, and a hand that holds its creature.
#[derive(Clone, Debug)]
pub struct Held<C> {
    controller: C,
    hand: Hand,
    /// Room for M.
    mass: TreeMatrix,
}

impl<C> Held<C> {
    /// Puts `hand` around `controller`, both of `creature`, which must not be too large for a mass matrix.
    pub fn new(controller: C, hand: Hand, creature: &Creature) -> Result<Self, TooLarge> {
        Ok(Self { controller, hand, mass: TreeMatrix::new(creature)? })
    }
}

/// What the controller remembers, and room for work: M, a and M a.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldMemory<M> {
    of_controller: M,
    mass: TreeMatrix,
    acceleration: Vec<f64>,
    force: Vec<f64>,
}

impl<C: Controller> Controller for Held<C> {
    type Memory = HeldMemory<C::Memory>;

    fn memory(&self, creature: &Creature) -> Self::Memory {
        let still = vec![0.0; creature.nv()];
        let of_controller = self.controller.memory(creature);
        HeldMemory { of_controller, mass: self.mass.clone(), acceleration: still.clone(), force: still }
    }

    fn command(&self, sense: &Sense, memory: &mut Self::Memory, command: &mut Command) {
        let HeldMemory { of_controller, mass, acceleration, force } = memory;
        self.controller.command(sense, of_controller, command);
        self.hand.accelerate(sense.state(), acceleration);
        sense.mass_matrix(mass);
        mass.multiply(acceleration, force);
        command.torque.iter_mut().zip(force).for_each(|(torque, force)| *torque += *force);
    }
}

//! A hand that pulls a point of the creature to a place, as a mouse does.

use gambol_dynamics::{
    Data, Goal, Sense, State, World, forward_dynamics, forward_kinematics, point_jacobian,
};
use gambol_model::{Creature, Vec3};
use nalgebra::DMatrix;

use crate::{Command, Controller};

/// How a hand pulls.
#[derive(Clone, Debug, PartialEq)]
pub struct GripSettings {
    /// Its spring would let the whole creature swing at this frequency, Hz, damped critically: as fast as a hand moves.
    pub frequency: f64,
    /// It pulls with at most this many times the creature's weight: enough to lift it and shake it, not to tear it apart.
    pub strongest: f64,
    /// Its damper takes at most this share of the relative velocity in a step: it is explicit, and from 1 on would shake what
    /// is light.
    pub damped_per_step: f64,
}

impl Default for GripSettings {
    fn default() -> Self {
        Self { frequency: 1.5, strongest: 4.0, damped_per_step: 0.3 }
    }
}

/// Where gravity is less, a hand is as strong as on Earth, m/s².
const EARTH: f64 = 9.81;

/// Why nothing can be pulled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing can be pulled at body {body}")]
pub struct PullError {
    /// Which the creature does not have, or whose point or place is not finite.
    pub body: usize,
}

/// A hold on a point of the creature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    goal: Goal,
    /// N/m
    stiffness: f64,
    /// N·s/m
    damping: f64,
    /// N
    most: f64,
}

impl Grip {
    /// Takes hold of the point of `goal` on a creature in `state`, to pull it to its target.
    pub fn new(
        world: &World,
        state: &State,
        goal: &Goal,
        settings: &GripSettings,
    ) -> Result<Self, PullError> {
        let creature = world.creature();
        let body = goal.point.body;
        let mut numbers = goal.point.point.iter().chain(goal.target.iter());
        if !(1..creature.bodies().len()).contains(&body) || !numbers.all(|x| x.is_finite()) {
            return Err(PullError { body });
        }
        let mass = creature.mass();
        let omega = std::f64::consts::TAU * settings.frequency;
        let light = apparent_mass(creature, state, goal).min(mass);
        Ok(Self {
            goal: *goal,
            stiffness: mass * omega * omega,
            damping: (2.0 * omega * mass).min(settings.damped_per_step * light / world.settings().step),
            most: settings.strongest * mass * creature.gravity().norm().max(EARTH),
        })
    }

    /// Adds its pull to the forces on the coordinates. `jacobian` is room for 3 × nv numbers.
    pub fn pull(&self, sense: &Sense, jacobian: &mut DMatrix<f64>, torque: &mut [f64]) {
        let Goal { point, target } = self.goal;
        let at = sense.frames()[point.body].point_in_world(point.point);
        sense.point_jacobian(point.body, at, jacobian);
        let force = self.stiffness * (target - at) - self.damping * sense.point_velocity(point.body, at);
        let force = force.cap_magnitude(self.most);
        for (dof, torque) in torque.iter_mut().enumerate() {
            *torque += jacobian.column(dof).dot(&force);
        }
    }
}

/// How heavy the pulled point is along the pull, kg: 1 / (n J M⁻¹ Jᵀ nᵀ).
fn apparent_mass(creature: &Creature, state: &State, goal: &Goal) -> f64 {
    let mut data = Data::new(creature);
    forward_kinematics(creature, &mut data, &state.q);
    let at = data.frames[goal.point.body].point_in_world(goal.point.point);
    let mut jacobian = DMatrix::zeros(3, creature.nv());
    point_jacobian(creature, &data, goal.point.body, at, &mut jacobian);
    let along = (goal.target - at).try_normalize(1e-9).unwrap_or_else(Vec3::z);
    let torque: Vec<f64> = jacobian.column_iter().map(|column| column.dot(&along)).collect();
    let still = vec![0.0; creature.nv()];
    let with = forward_dynamics(creature, &mut data, &state.q, &still, &torque).to_vec();
    let without = forward_dynamics(creature, &mut data, &state.q, &still, &still);
    let moves: f64 = with.iter().zip(without).zip(&torque).map(|((a, b), j)| (a - b) * j).sum();
    1.0 / moves.max(f64::MIN_POSITIVE)
}

/// A controller whose creature is pulled for some time.
#[derive(Clone, Debug)]
pub struct Pulled<C> {
    controller: C,
    /// From when until when, s.
    pulls: Vec<(Grip, [f64; 2])>,
}

impl<C> Pulled<C> {
    /// Each of `pulls` from one time until another, s.
    pub fn new(controller: C, pulls: Vec<(Grip, [f64; 2])>) -> Self {
        Self { controller, pulls }
    }
}

impl<C: Controller> Controller for Pulled<C> {
    /// What the controller remembers, and room for a Jacobian.
    type Memory = (C::Memory, DMatrix<f64>);

    fn memory(&self, creature: &Creature) -> Self::Memory {
        (self.controller.memory(creature), DMatrix::zeros(3, creature.nv()))
    }

    fn command(&self, sense: &Sense, (memory, jacobian): &mut Self::Memory, command: &mut Command) {
        self.controller.command(sense, memory, command);
        for (grip, [start, end]) in &self.pulls {
            if (*start..*end).contains(&sense.time()) {
                grip.pull(sense, jacobian, &mut command.torque);
            }
        }
    }
}

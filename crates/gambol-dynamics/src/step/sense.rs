//! What can be seen at the start of a step, before it is known what drives it.

use std::cell::Cell;

use nalgebra::DMatrix;

use super::{ContactForce, Divergence, Drive, State, Stepper, World, advance, look};
use crate::crba::mass_matrix_here;
use crate::energy::{center_of_mass_of, momentum_here};
use crate::jacobian::{body_jacobian, point_jacobian};
use crate::{BodyFrame, Contact, Creature, Data, Momentum, Motion, TreeMatrix, Vec3};

/// The start of a step. All that the step computes from the state alone is there to be seen, and [`Sense::step`] goes on from
/// it, so that nothing is computed twice. What a step has no need of is computed when it is first asked for.
///
/// ```text
/// let sense = Sense::new(&world, &mut stepper, &mut state);    kinematics, contacts
/// let drive = decide(&sense);                                  a controller's turn
/// sense.step(&drive)?;                                         forces, velocities, the next pose
/// ```
///
/// Poses lie on whole steps and velocities half a step behind; what is seen of velocities is that of `state.v` at `state.q`.
#[derive(Debug)]
pub struct Sense<'a> {
    world: &'a World,
    stepper: &'a mut Stepper,
    state: &'a mut State,
    center_of_mass: Cell<Option<Vec3>>,
    momentum: Cell<Option<Momentum>>,
}

impl<'a> Sense<'a> {
    /// Begins a step of `state`. It may be a state of another simulator too, to see what a controller would do there.
    pub fn new(world: &'a World, stepper: &'a mut Stepper, state: &'a mut State) -> Self {
        look(world, stepper, state);
        Self { world, stepper, state, center_of_mass: Cell::new(None), momentum: Cell::new(None) }
    }

    /// Makes the step. On [`Divergence`] the state is left as it was.
    pub fn step(self, drive: &Drive) -> Result<(), Divergence> {
        advance(self.world, self.stepper, self.state, drive)
    }

    /// The creature and its surroundings: the ground, the length of a step.
    pub fn world(&self) -> &'a World {
        self.world
    }

    /// Whose step it is.
    pub fn creature(&self) -> &'a Creature {
        &self.world.creature
    }

    /// Pose and velocity.
    pub fn state(&self) -> &State {
        self.state
    }

    /// s
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Where the bodies are, the world first.
    pub fn frames(&self) -> &[BodyFrame] {
        &self.stepper.data.frames
    }

    /// How they move, at their origins, along the world axes.
    pub fn velocities(&self) -> &[Motion] {
        &self.stepper.data.velocities
    }

    /// Frames, axes and velocities, for dynamics functions that take them, such as [`crate::each_axis_above`].
    pub fn data(&self) -> &Data {
        &self.stepper.data
    }

    /// C(q, v): what velocity and gravity demand at the joints when nothing accelerates, as [`crate::bias_forces`] has it.
    pub fn bias_forces(&self) -> &[f64] {
        &self.stepper.first_bias
    }

    /// Velocity of the point `at` of the world, fixed to `body`, m/s.
    pub fn point_velocity(&self, body: usize, at: Vec3) -> Vec3 {
        let Motion { angular, linear } = self.velocities()[body];
        linear + angular.cross(&(at - self.frames()[body].position))
    }

    /// Its acceleration when no coordinate accelerates, J̇ v, m/s²: a = J v̇ + J̇ v.
    pub fn point_drift(&self, body: usize, at: Vec3) -> Vec3 {
        // Accelerations are spatial, those of a flow at the origin, and the world's is −g.
        let Motion { angular, linear } = self.stepper.data.accelerations[body];
        let spin = self.velocities()[body].angular;
        let lever = at - self.frames()[body].position;
        let flow = linear + angular.cross(&lever) + spin.cross(&self.point_velocity(body, at));
        flow + self.creature().gravity()
    }

    /// [`point_jacobian`] at this pose: 3 × nv.
    pub fn point_jacobian(&self, body: usize, at: Vec3, jacobian: &mut DMatrix<f64>) {
        point_jacobian(self.creature(), self.data(), body, at, jacobian);
    }

    /// [`body_jacobian`] at this pose: 6 × nv.
    pub fn body_jacobian(&self, body: usize, at: Vec3, jacobian: &mut DMatrix<f64>) {
        body_jacobian(self.creature(), self.data(), body, at, jacobian);
    }

    /// M(q), armature included, into memory of the controller's own.
    pub fn mass_matrix(&self, m: &mut TreeMatrix) {
        let mut composites = self.stepper.composites.borrow_mut();
        mass_matrix_here(self.creature(), self.data(), &mut composites, m);
    }

    /// Places that touch, or would within this step: those at which it will find forces.
    pub fn contacts(&self) -> &[Contact] {
        &self.stepper.found
    }

    /// Contacts of the step before that bore a load, and their forces.
    pub fn contact_forces(&self) -> impl Iterator<Item = ContactForce> {
        self.state.contact_forces(self.world)
    }

    /// In the world, m.
    pub fn center_of_mass(&self) -> Vec3 {
        cached(&self.center_of_mass, || center_of_mass_of(self.creature(), self.frames()))
    }

    /// Linear, and angular about the centre of mass.
    pub fn momentum(&self) -> Momentum {
        cached(&self.momentum, || momentum_here(self.creature(), self.data(), self.center_of_mass()))
    }
}

fn cached<T: Copy>(cell: &Cell<Option<T>>, compute: impl FnOnce() -> T) -> T {
    cell.get().unwrap_or_else(|| {
        let value = compute();
        cell.set(Some(value));
        value
    })
}

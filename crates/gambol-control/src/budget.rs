//! Where the energy comes from and where it goes.
//!
//! Velocities lie half a step behind poses, so the energy is that of the middle of a step: pose q ⊖ ½ h v, velocity v. There
//! the step obeys, for springs that are linear, M (v' − v) = h f and q̄' − q̄ = ½ h (v + v'), so that the work h f · ½ (v + v')
//! of every force is exact, and what no force accounts for was lost in contacts and limits (or, with implicit Euler, in
//! the springs).

use gambol_dynamics::{
    Data, Drive, Energy, State, Stepper, World, each_axis_above, energy_about, tendon_stretch_about,
};
use gambol_model::{Creature, math};

/// The energy of a simulation, J. Start + drive + pushes = end + damping + contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// At the start.
    pub start: Energy,
    /// At the end, the springs about the equilibrium of then.
    pub end: Energy,
    /// Work of the moving equilibrium and of torques.
    pub drive: f64,
    /// The same, joint by joint, where it was positive: what muscles cost that gain nothing from being pulled.
    pub positive_drive: f64,
    /// Work of pushes from outside.
    pub pushes: f64,
    /// Lost in dampers.
    pub damping: f64,
    /// Lost in contacts and limits: what is left of all others. Below 0 if energy came from nowhere.
    pub contact: f64,
}

/// Keeps the books of one simulation.
#[derive(Clone, Debug)]
pub(crate) struct Books {
    pub(crate) budget: Budget,
    data: Data,
    middle: Vec<f64>,
    /// Displacements from the equilibrium before it moves and after.
    before: Vec<f64>,
    after: Vec<f64>,
    /// None before the first step.
    rest: Option<Vec<f64>>,
}

impl Books {
    /// For a simulation from `state` on. They open with its first step, when it is known where the springs are at rest.
    pub(crate) fn new(world: &World, state: &State) -> Self {
        let creature = world.creature();
        let still = Energy { kinetic: 0.0, gravity: 0.0, elastic: 0.0 };
        let budget = Budget {
            start: still,
            end: still,
            drive: 0.0,
            positive_drive: 0.0,
            pushes: 0.0,
            damping: 0.0,
            contact: 0.0,
        };
        Self {
            budget,
            data: Data::new(creature),
            middle: state.q.clone(),
            before: vec![0.0; creature.nv()],
            after: vec![0.0; creature.nv()],
            rest: None,
        }
    }

    /// The equilibrium moves to `rest`, before a step from `state`: what that does to the energy of each spring is work.
    pub(crate) fn move_rest(&mut self, world: &World, state: &State, rest: &[f64]) {
        let creature = world.creature();
        self.go_to_middle(world, state);
        let Some(last) = &mut self.rest else {
            self.rest = Some(rest.to_vec());
            self.budget.start = self.energy(world, state);
            self.budget.end = self.budget.start;
            return;
        };
        let mut book = |work: f64| {
            self.budget.drive += work;
            self.budget.positive_drive += work.max(0.0);
        };
        creature.difference(last, &self.middle, &mut self.before);
        creature.difference(rest, &self.middle, &mut self.after);
        for joint in creature.joints().iter().filter(|joint| joint.stiffness > 0.0) {
            let square = |x: &[f64]| x[joint.v..joint.v + joint.kind.nv()].iter().map(|x| x * x).sum::<f64>();
            book(0.5 * joint.stiffness * (square(&self.after) - square(&self.before)));
        }
        for tendon in creature.tendons() {
            let stretch = |rest: &[f64]| tendon_stretch_about(creature, rest, tendon, &self.middle);
            book(0.5 * tendon.stiffness * (math::square(stretch(rest)) - math::square(stretch(last))));
        }
        last.copy_from_slice(rest);
    }

    /// `stepper` made a step from the velocity `v` to that of `state`.
    pub(crate) fn step(&mut self, world: &World, stepper: &Stepper, v: &[f64], state: &State, drive: &Drive) {
        let data = &stepper.data;
        let (creature, h) = (world.creature(), world.settings().step);
        let mean = |dof: usize| 0.5 * (v[dof] + state.v[dof]);
        for (dof, force) in stepper.damper_forces().iter().enumerate() {
            self.budget.damping += h * force * mean(dof);
        }
        for tendon in creature.tendons() {
            let rate = |v: &dyn Fn(usize) -> f64| -> f64 {
                tendon.terms.iter().map(|&(joint, c)| c * v(creature.joints()[joint].v)).sum()
            };
            self.budget.damping += h * tendon.damping * rate(&|dof| state.v[dof]) * rate(&mean);
        }
        for (dof, torque) in drive.torque.iter().enumerate() {
            let work = h * torque * mean(dof);
            self.budget.drive += work;
            self.budget.positive_drive += work.max(0.0);
        }
        for push in drive.pushes {
            let at = data.frames[push.body].point_in_world(creature.bodies()[push.body].mass.com);
            each_axis_above(creature, data, push.body, |dof, angular, linear, origin| {
                let velocity = linear + angular.cross(&(at - origin));
                self.budget.pushes += h * push.force.dot(&velocity) * mean(dof);
            });
        }
    }

    /// Takes stock: what there is now, and what is missing.
    pub(crate) fn close(&mut self, world: &World, state: &State) -> &Budget {
        self.budget.end = self.energy(world, state);
        let Budget { start, end, drive, pushes, damping, .. } = self.budget;
        self.budget.contact = start.total() + drive + pushes - damping - end.total();
        &self.budget
    }

    /// The body with the most energy of motion from place to place when stock was last taken.
    pub(crate) fn fastest(&self, creature: &Creature) -> usize {
        let kinetic = |body: usize| {
            creature.bodies()[body].mass.mass * self.data.velocities[body].linear.norm_squared()
        };
        (1..creature.bodies().len()).max_by(|a, b| kinetic(*a).total_cmp(&kinetic(*b))).unwrap_or(0)
    }

    fn energy(&mut self, world: &World, state: &State) -> Energy {
        self.go_to_middle(world, state);
        let rest = self.rest.as_deref().unwrap_or_else(|| world.creature().rest_pose());
        energy_about(world.creature(), rest, &mut self.data, &self.middle, &state.v)
    }

    /// The pose half a step ago, where the velocity belongs.
    fn go_to_middle(&mut self, world: &World, state: &State) {
        self.middle.copy_from_slice(&state.q);
        world.creature().integrate(&mut self.middle, &state.v, -0.5 * world.settings().step);
    }
}

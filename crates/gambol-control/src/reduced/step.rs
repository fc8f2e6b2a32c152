//! A step of a reduced body: contacts, wishes, and the quadratic programs 9 and 10.

use gambol_dynamics::reduced::{
    Integrator, ROOT, ReducedBody, ReducedData, ReducedState, advance, net_momentum, reduced_step,
};
use gambol_dynamics::{Divergence, Terrain};
use gambol_model::Vec3;

use super::contacts::{ReducedContact, Rows};
use super::feature::Wishes;
use super::limits::JointLimit;
use crate::solve::{QuadraticProgram, SolveStatus};

/// Who moves the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actuation {
    /// Equation 10 as it stands: features push the root too, by a force that nothing in the world exerts. It is reported.
    Paper,
    /// Only joints push: contacts move the root, within friction; the default.
    Internal,
}

/// How a reduced body is stepped.
#[derive(Clone, Debug)]
pub struct ReducedSettings {
    /// Length of a step, s. The paper's 100 Hz.
    pub step: f64,
    /// The paper's explicit step, corrected, is the default.
    pub integrator: Integrator,
    /// None: it floats.
    pub ground: Option<Terrain>,
    /// Coulomb's coefficient where the ground has none of its own; 1, as in [`gambol_dynamics::StepSettings`].
    pub friction: f64,
    /// Who moves the root.
    pub actuation: Actuation,
    /// ρ of equation 10, between 0, kinematics, and 1, physics alone. At the default wishes weigh a hundred times their weight
    /// in kilograms: a body that is to hold a pose moves as little as muscles would let it.
    pub realism: f64,
}

impl Default for ReducedSettings {
    fn default() -> Self {
        Self {
            step: 0.01,
            integrator: Integrator::Corrected,
            ground: Some(Terrain::Flat),
            friction: 1.0,
            actuation: Actuation::Internal,
            realism: 0.01,
        }
    }
}

/// A setting that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what}: {reason}")]
pub struct ReducedWorldError {
    /// Which one.
    pub what: &'static str,
    /// Why.
    pub reason: String,
}

/// A reduced body and its surroundings: shared by all threads, never changed by a step.
#[derive(Clone, Debug)]
pub struct ReducedWorld {
    /// Who moves.
    pub body: ReducedBody,
    /// How.
    pub settings: ReducedSettings,
    /// Of joints; empty: they turn as far as they like.
    pub limits: Vec<JointLimit>,
}

/// How a step came about.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Force of wishes on the root, N, and their moment about it, N·m: what nothing in the world exerts. Zero but for
    /// [`Actuation::Paper`].
    pub ghost: [Vec3; 2],
    /// How the program of wishes ended, if there were any: infeasible is a result, and the body is left to physics then.
    pub wishes: Option<SolveStatus>,
}

/// Memory of one thread.
#[derive(Clone, Debug)]
pub struct ReducedMemory {
    /// Of the body, placed where the last step began.
    pub data: ReducedData,
    pub(super) rows: Rows,
    program: QuadraticProgram,
    plan: QuadraticProgram,
    net: Vec<f64>,
    guess: Vec<f64>,
    /// Impulses of the joints, and what wishes add to the net momentum.
    torque: Vec<f64>,
    /// What was reached of the wishes of higher priorities.
    reached: Vec<f64>,
    /// Six rows of n numbers: linear momentum, and angular momentum about the centre of mass, ...
    pub(super) momenta: Vec<f64>,
    /// ... which is here, m.
    pub(super) center: Vec3,
    /// kg, and its radius of gyration at the mean, m.
    pub(super) mass: f64,
    pub(super) length: f64,
}

impl ReducedWorld {
    /// Checks the settings.
    pub fn new(
        body: ReducedBody,
        settings: ReducedSettings,
        limits: Vec<JointLimit>,
    ) -> Result<Self, ReducedWorldError> {
        let error = |what, reason: String| Err(ReducedWorldError { what, reason });
        if !(settings.step.is_finite() && settings.step > 0.0) {
            return error("step", format!("{} is not a number of seconds above 0", settings.step));
        }
        if !(settings.friction.is_finite() && settings.friction >= 0.0) {
            return error("friction", format!("{} is not a finite number of at least 0", settings.friction));
        }
        if !(0.0..=1.0).contains(&settings.realism) {
            return error("realism", format!("{} is not a number from 0 to 1", settings.realism));
        }
        if let Some(ground) = &settings.ground {
            ground
                .check()
                .map_err(|reason| ReducedWorldError { what: "ground", reason: reason.to_string() })?;
        }
        Ok(Self { body, settings, limits })
    }

    /// Memory for it.
    pub fn memory(&self) -> ReducedMemory {
        let n = self.body.n();
        ReducedMemory {
            data: ReducedData::new(&self.body),
            rows: Rows::new(&self.body),
            program: QuadraticProgram::new(n, 128),
            plan: QuadraticProgram::new(n + 64, 256),
            net: vec![0.0; n],
            guess: vec![0.0; n],
            torque: vec![0.0; n],
            reached: Vec::with_capacity(64),
            momenta: vec![0.0; 6 * n],
            center: Vec3::zeros(),
            mass: self.body.base().mass,
            length: size(&self.body),
        }
    }

    /// Places the body at the state and finds its contacts: what wishes are made from.
    pub fn look(&self, memory: &mut ReducedMemory, state: &ReducedState) {
        let ReducedSettings { step: h, ground, friction, .. } = &self.settings;
        memory.data.place(&self.body, &state.g);
        memory.center = memory.data.momentum_rows(&self.body, &mut memory.momenta);
        memory.rows.meet(&self.body, &memory.data, ground.as_ref(), *friction, *h);
        for limit in &self.limits {
            limit.add_row(&self.body, &state.g, *h, &mut memory.rows);
        }
    }

    /// A step from where [`Self::look`] was, under `force`, n numbers along the group's axes, and as is wished.
    pub fn step(
        &self,
        memory: &mut ReducedMemory,
        state: &mut ReducedState,
        force: &[f64],
        wishes: &Wishes,
    ) -> Result<Outcome, Divergence> {
        let ReducedSettings { step: h, integrator, .. } = self.settings;
        if memory.rows.bounds.is_empty() && wishes.is_empty() {
            reduced_step(&self.body, &mut memory.data, state, (integrator, h), force)?;
            return Ok(Outcome::default());
        }
        let mut outcome = Outcome::default();
        memory.torque.fill(0.0);
        memory.guess.copy_from_slice(&state.v);
        for round in 0..rounds(integrator) {
            let (body, how) = (&self.body, (integrator, h));
            net_momentum(body, &mut memory.data, state, how, &memory.guess, force, &mut memory.net);
            if round == 0 && !wishes.is_empty() {
                outcome = self.wish(memory, &state.v, wishes);
            }
            let status = self.solve(memory);
            if status != SolveStatus::Optimal {
                return Err(Divergence {
                    time: state.time,
                    body: self.body.creature().name().to_owned(),
                    reason: format!("contacts and limits of joints cannot all be obeyed: {}", status.name()),
                });
            }
            let moved = memory.guess.iter().zip(memory.program.x()).map(|(a, b)| (a - b).abs());
            let moved = moved.fold(0.0, f64::max);
            memory.guess.copy_from_slice(memory.program.x());
            if moved < SETTLED {
                break;
            }
        }
        memory.rows.take_forces(memory.program.multipliers(), h);
        advance(&self.body, &memory.data, state, h, &memory.guess)?;
        Ok(outcome)
    }

    /// Equation 9 with the impulses of the joints.
    fn solve(&self, memory: &mut ReducedMemory) -> SolveStatus {
        let n = self.body.n();
        memory.program.begin(n);
        memory.program.hessian_mut().copy_from_slice(memory.data.mass());
        for (k, gradient) in memory.program.gradient_mut().iter_mut().enumerate() {
            *gradient = -(memory.net[k] + memory.torque[k]);
        }
        add_rows(&mut memory.program, &memory.rows, n);
        memory.program.solve()
    }

    /// Impulses that wishes ask for, by priority: what is reached of the first is kept by those after it.
    fn wish(&self, memory: &mut ReducedMemory, v: &[f64], wishes: &Wishes) -> Outcome {
        let mut outcome = Outcome::default();
        memory.reached.clear();
        let n = self.body.n();
        for priority in wishes.priorities() {
            self.fill_plan(memory, v, wishes, priority);
            let status = memory.plan.solve();
            outcome.wishes = Some(status);
            if status != SolveStatus::Optimal {
                memory.plan.forget();
                memory.torque.fill(0.0);
                return outcome;
            }
            let x = memory.plan.x();
            for row in wishes.of(priority) {
                memory.reached.push(dot(row.numbers, &x[..n]));
            }
        }
        self.take_torque(memory);
        if self.settings.actuation == Actuation::Paper {
            let rotation = memory.data.full.frames[self.body.base().body].rotation;
            let part = |k: usize| {
                Vec3::new(memory.torque[k], memory.torque[k + 1], memory.torque[k + 2]) / self.settings.step
            };
            outcome.ghost = [part(0), rotation * part(3)];
        }
        outcome
    }

    /// Equation 10 for one priority. With [`Actuation::Internal`], impulses at the contacts are unknowns as well, and the root's six
    /// equations hold: what moves it is theirs. Physics is obeyed then, whatever ρ; in place of the way to free fall, ρ weighs how much
    /// the velocity v changes.
    fn fill_plan(&self, memory: &mut ReducedMemory, v: &[f64], wishes: &Wishes, priority: usize) {
        let (n, internal) = (self.body.n(), self.settings.actuation == Actuation::Internal);
        let pushes = if internal { memory.rows.bearing } else { 0 };
        let count = n + pushes;
        let program = &mut memory.plan;
        program.begin(count);
        let physics = self.settings.realism.max(LEAST_REALISM);
        let kinematics = 1.0 - self.settings.realism;
        let mass = memory.data.mass();
        for r in 0..n {
            for s in r..n {
                program.hessian_mut()[r * count + s] = physics * mass[r * n + s];
            }
            let still = dot(&mass[r * n..(r + 1) * n], v);
            program.gradient_mut()[r] = -physics * if internal { still } else { memory.net[r] };
        }
        for row in wishes.of(priority) {
            let weight = kinematics * row.weight;
            for r in (0..n).filter(|r| row.numbers[*r] != 0.0) {
                let by = weight * row.numbers[r];
                for s in r..n {
                    program.hessian_mut()[r * count + s] += by * row.numbers[s];
                }
                program.gradient_mut()[r] -= by * row.wanted;
            }
        }
        let price = PUSH_PRICE * physics / self.body.base().mass;
        for k in n..count {
            program.hessian_mut()[k * count + k] = price;
        }
        if internal {
            for r in 0..ROOT {
                let equation = program.equal(memory.net[r]);
                equation[..n].copy_from_slice(&mass[r * n..(r + 1) * n]);
                for k in 0..pushes {
                    equation[n + k] = -memory.rows.numbers[k * n + r];
                }
            }
            for k in n..count {
                program.at_least(0.0)[k] = 1.0;
            }
        }
        for (row, reached) in wishes.before(priority).zip(&memory.reached) {
            program.equal(*reached)[..n].copy_from_slice(row.numbers);
        }
        add_rows(program, &memory.rows, n);
    }

    /// M v − p − Aᵀ λ: with [`Actuation::Paper`] of all coordinates, else of the joints.
    fn take_torque(&self, memory: &mut ReducedMemory) {
        let n = self.body.n();
        let x = memory.plan.x();
        memory.data.momentum(&x[..n], &mut memory.torque);
        for (torque, net) in memory.torque.iter_mut().zip(&memory.net) {
            *torque -= net;
        }
        let rows = memory.rows.numbers.chunks_exact(n);
        if self.settings.actuation == Actuation::Internal {
            for (row, impulse) in rows.zip(&x[n..]) {
                add(&mut memory.torque, -impulse, row);
            }
            memory.torque[..ROOT].fill(0.0);
        } else {
            let physics = self.settings.realism.max(LEAST_REALISM);
            let skipped = memory.plan.rows() - memory.rows.bounds.len();
            for (row, multiplier) in rows.zip(&memory.plan.multipliers()[skipped..]) {
                add(&mut memory.torque, -multiplier / physics, row);
            }
        }
    }
}

/// With no physics at all nothing would say how to move where nothing is wished.
const LEAST_REALISM: f64 = 1e-6;

/// What impulses cost beside motion, as a share of the motion that they alone would make: so that corners of a foot share its load.
const PUSH_PRICE: f64 = 1e-3;

/// Solutions that change by less than this, m/s or rad/s, have settled.
const SETTLED: f64 = 1e-10;

/// How often a step is solved, each time with its own velocity on the right.
fn rounds(integrator: Integrator) -> usize {
    match integrator {
        Integrator::Explicit | Integrator::Euclidean => 1,
        Integrator::Corrected => 2,
        Integrator::Variational => 30,
    }
}

fn add_rows(program: &mut QuadraticProgram, rows: &Rows, n: usize) {
    for (row, bound) in rows.numbers.chunks_exact(n).zip(&rows.bounds) {
        program.at_least(*bound)[..n].copy_from_slice(row);
    }
}

fn add(to: &mut [f64], by: f64, row: &[f64]) {
    for (to, from) in to.iter_mut().zip(row) {
        *to += by * from;
    }
}

/// Radius of gyration of a body at its mean, m.
fn size(body: &ReducedBody) -> f64 {
    let mut data = ReducedData::new(body);
    let mass = data.place(body, &body.start());
    let n = body.n();
    let turning: f64 = (3..ROOT).map(|k| mass[k * (n + 1)]).sum();
    (turning / body.base().mass).max(f64::MIN_POSITIVE).sqrt()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl ReducedMemory {
    /// Contacts of the last step, with their forces.
    pub fn contacts(&self) -> &[ReducedContact] {
        &self.rows.contacts
    }

    /// Forces of the directions in the last step, k numbers: N·m per unit of ẋ.
    pub fn torques(&self, h: f64) -> impl Iterator<Item = f64> {
        self.torque[ROOT..].iter().map(move |impulse| impulse / h)
    }
}

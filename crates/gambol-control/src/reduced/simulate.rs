//! A reduced body over a while: what is seen of it, and what is measured.

use gambol_dynamics::Divergence;
use gambol_dynamics::reduced::ReducedState;
use gambol_model::Vec3;
use gambol_motion::Clip;

use super::balance::Balance;
use super::feature::Wishes;
use super::step::{ReducedMemory, ReducedWorld};
use crate::rollout::{Shove, count};
use crate::solve::SolveStatus;

/// What is to be simulated.
#[derive(Clone, Debug)]
pub struct ReducedPlan<'a> {
    /// Where it begins.
    pub start: ReducedState,
    /// s
    pub seconds: f64,
    /// Pushes of bodies at their centre of mass.
    pub shoves: &'a [Shove],
    /// None: nothing controls it.
    pub balance: Option<&'a Balance>,
    /// Poses kept per second.
    pub fps: f64,
}

/// A simulation that has ended.
#[derive(Clone, Debug)]
pub struct ReducedRollout {
    /// When and why it could not go on.
    pub divergence: Option<Divergence>,
    /// The poses.
    pub clip: Clip,
    /// The last state.
    pub end: ReducedState,
    /// What was measured.
    pub report: BalanceReport,
}

/// Measured on a body that balances, or moves by physics alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BalanceReport {
    /// Steps made.
    pub steps: usize,
    /// When its centre of mass sank below 0.6 of where it was to be, s.
    pub fell_at: Option<f64>,
    /// Least and last height of the centre of mass over its support or z = 0, m.
    pub least_height: f64,
    /// At the end, m.
    pub last_height: f64,
    /// Most, m.
    pub most_height: f64,
    /// Mean and largest force of the ghost, as a share of the weight.
    pub ghost_force: [f64; 2],
    /// Mean and largest moment of the ghost, N·m.
    pub ghost_moment: [f64; 2],
    /// Steps without a solution of what was wished, in which the body was left to physics.
    pub unsolved: usize,
    /// Mean upward force of the ground, as a share of the weight.
    pub ground_force: f64,
    /// Largest share of friction's limit that a contact used.
    pub friction: f64,
    /// Steps in the air.
    pub airborne: usize,
    /// Largest angular momentum about the centre of mass, N·m·s.
    pub spin: f64,
}

/// Below this share of the height that is wished, it fell.
const FALLEN: f64 = 0.6;

/// Goes on from the start, step by step, for as long as it is told.
pub fn simulate_reduced(
    world: &ReducedWorld,
    plan: &ReducedPlan,
    progress: &mut dyn FnMut(f64),
) -> ReducedRollout {
    let (body, h) = (&world.body, world.settings.step);
    let mut memory = world.memory();
    let mut state = plan.start.clone();
    let mut wishes = Wishes::new(body);
    let mut command = plan.balance.map(|balance| balance.begin(world, &mut memory, &state));
    let mut force = vec![0.0; body.n()];
    let mut clip = Clip {
        name: String::new(),
        times: Vec::new(),
        poses: Vec::new(),
        stride: None,
        contacts: Vec::new(),
        travel: None,
    };
    let mut gauge = Gauge::new(world);
    let count = count(plan.seconds / h);
    let mut divergence = None;
    for k in 0..count {
        world.look(&mut memory, &state);
        keep(&mut clip, &memory, state.time, plan.fps);
        push(world, &memory, plan.shoves, state.time, &mut force);
        wishes.clear();
        if let (Some(balance), Some(command)) = (plan.balance, &mut command) {
            balance.wish(world, &memory, &state, command, &mut wishes);
        }
        let wanted = plan.balance.zip(command.as_ref());
        let wanted = wanted.map(|(balance, command)| balance.height_at(state.time) * command.standing);
        match world.step(&mut memory, &mut state, &force, &wishes) {
            Ok(outcome) => gauge.look(&memory, &state, &outcome, wanted),
            Err(error) => {
                divergence = Some(error);
                break;
            }
        }
        progress((k + 1) as f64 / count as f64);
    }
    world.look(&mut memory, &state);
    keep(&mut clip, &memory, state.time, plan.fps);
    ReducedRollout { divergence, clip, end: state, report: gauge.report() }
}

/// Keeps the pose if it is time.
fn keep(clip: &mut Clip, memory: &ReducedMemory, time: f64, fps: f64) {
    let due = clip.times.last().is_none_or(|last| time - last >= 1.0 / fps - 1e-9);
    if due {
        clip.times.push(time);
        clip.poses.push(memory.data.q.clone());
    }
}

/// Along the group's axes: what pushes do in the step that begins.
fn push(world: &ReducedWorld, memory: &ReducedMemory, shoves: &[Shove], time: f64, force: &mut [f64]) {
    force.fill(0.0);
    for shove in shoves.iter().filter(|shove| (shove.start..shove.start + shove.duration).contains(&time)) {
        let (index, own) = (shove.push.body, shove.push.force);
        let com = world.body.creature().bodies()[index].mass.com;
        let at = memory.data.full.frames[index].point_in_world(com);
        memory.data.point_motion(&world.body, index, at, |k, _, linear| force[k] += linear.dot(&own));
    }
}

/// Adds up what is measured.
struct Gauge {
    weight: f64,
    report: BalanceReport,
}

impl Gauge {
    fn new(world: &ReducedWorld) -> Self {
        let gravity = world.body.creature().gravity().norm();
        let report = BalanceReport { least_height: f64::INFINITY, ..BalanceReport::default() };
        Self { weight: world.body.base().mass * if gravity > 0.0 { gravity } else { 9.81 }, report }
    }

    fn look(
        &mut self,
        memory: &ReducedMemory,
        state: &ReducedState,
        outcome: &super::step::Outcome,
        wanted: Option<f64>,
    ) {
        let report = &mut self.report;
        report.steps += 1;
        let touching = || memory.contacts().iter().filter(|contact| contact.touches);
        let ground = touching().map(|contact| contact.contact.point.z).fold(f64::INFINITY, f64::min);
        let height = memory.center.z - if ground.is_finite() { ground } else { 0.0 };
        report.least_height = report.least_height.min(height);
        report.most_height = report.most_height.max(height);
        report.last_height = height;
        report.airborne += usize::from(!ground.is_finite());
        if let Some(wanted) = wanted
            && height < FALLEN * wanted
            && report.fell_at.is_none()
        {
            report.fell_at = Some(state.time);
        }
        let [force, moment] = outcome.ghost.map(|ghost| ghost.norm());
        report.ghost_force[0] += force / self.weight;
        report.ghost_force[1] = report.ghost_force[1].max(force / self.weight);
        report.ghost_moment[0] += moment;
        report.ghost_moment[1] = report.ghost_moment[1].max(moment);
        report.unsolved += usize::from(outcome.wishes.is_some_and(|status| status != SolveStatus::Optimal));
        let mut up = 0.0;
        for contact in touching() {
            let (normal, force) = (contact.contact.normal, contact.force);
            up += force.z;
            let along = force.dot(&normal);
            let across = (force - normal * along).norm();
            if along > 1e-3 * self.weight && contact.friction > 0.0 {
                report.friction = report.friction.max(across / (contact.friction * along));
            }
        }
        report.ground_force += up / self.weight;
        let n = state.v.len();
        let spin = |axis: usize| {
            let row = &memory.momenta[axis * n..(axis + 1) * n];
            row.iter().zip(&state.v).map(|(a, v)| a * v).sum::<f64>()
        };
        report.spin = report.spin.max(Vec3::new(spin(3), spin(4), spin(5)).norm());
    }

    /// Sums become means.
    fn report(mut self) -> BalanceReport {
        let steps = self.report.steps.max(1) as f64;
        self.report.ghost_force[0] /= steps;
        self.report.ghost_moment[0] /= steps;
        self.report.ground_force /= steps;
        if !self.report.least_height.is_finite() {
            self.report.least_height = 0.0;
        }
        self.report
    }
}

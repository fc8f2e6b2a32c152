//! Simulations, one or many at once.

use gambol_dynamics::{Contact, Data, Divergence, Drive, Push, Sense, State, Stepper, World, center_of_mass};
use gambol_model::{Creature, JointKind, Vec3};
use gambol_motion::Clip;

use crate::budget::Books;
use crate::start::Gauge;
use crate::threads::on_threads;
use crate::touch::Touches;
use crate::{AnyController, Budget, Command, Event, Memory, Touching};

/// What to simulate.
#[derive(Clone)]
pub struct Plan<'a> {
    /// What moves the creature.
    pub controller: &'a dyn AnyController,
    /// Where it starts; a state from within another simulation goes on from there.
    pub start: State,
    /// What the controller remembered there; none: it begins anew.
    pub memory: Option<Memory>,
    /// s; made a whole number of steps.
    pub seconds: f64,
    /// From outside.
    pub shoves: &'a [Shove],
    /// Largest torque of each coordinate, its damper's counted in, N·m or N, at least 0; empty: no limits.
    pub torque_limits: &'a [f64],
    /// Looks at the creature per second: for heights, for the clip, and whether energy came from nowhere; at most a
    /// million. None of that happens after the start if it is not above 0.
    pub fps: f64,
    /// Whether to keep the poses as a clip.
    pub keep_poses: bool,
}

/// Looks per second if nobody says: those of a screen.
const USUAL_FPS: f64 = 60.0;

impl<'a> Plan<'a> {
    /// A simulation of so many seconds that nothing disturbs, with 60 looks per second, of which no poses are kept.
    pub fn new(controller: &'a dyn AnyController, start: State, seconds: f64) -> Self {
        Self {
            controller,
            start,
            memory: None,
            seconds,
            shoves: &[],
            torque_limits: &[],
            fps: USUAL_FPS,
            keep_poses: false,
        }
    }
}

/// A push that starts and ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shove {
    /// On which body, how hard.
    pub push: Push,
    /// s
    pub start: f64,
    /// s
    pub duration: f64,
}

/// How a simulation ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// It went on to the end.
    Finished,
    /// It cannot go on: a velocity beyond all bounds, or energy from nowhere. All else is up to that time.
    Diverged(Divergence),
}

/// A simulation that has ended.
#[derive(Clone, Debug)]
pub struct Rollout {
    /// How it ended.
    pub status: Status,
    /// The last state, to go on from ...
    pub end: State,
    /// ... with what the controller remembered.
    pub memory: Memory,
    /// The poses, if they were to be kept; else empty.
    pub clip: Clip,
    /// What was measured.
    pub report: Report,
}

/// Measured on a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Simulated, s.
    pub seconds: f64,
    /// Steps made.
    pub steps: usize,
    /// Way of the centre of mass, m.
    pub displacement: Vec3,
    /// Length of that way along the ground per second, m/s.
    pub mean_speed: f64,
    /// Over the ground.
    pub heights: Heights,
    /// Bodies that touched the ground.
    pub touching: Vec<Touching>,
    /// Where the energy came from and where it went.
    pub budget: Budget,
    /// Positive work of the drive per weight and way; none for a creature that does not travel.
    pub cost_of_transport: Option<f64>,
    /// Largest force of the controller on a free joint in any step, N or N·m: what no muscle could give. Pushes do not count.
    pub outside_force: f64,
    /// What each coordinate had to give.
    pub efforts: Vec<Effort>,
    /// What the controller told.
    pub events: Vec<Event>,
}

/// What one coordinate gave by torque and damper together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// The most in any step, N·m or N.
    pub peak: f64,
    /// Share of the steps in which it gave all that it has.
    pub at_limit: f64,
}

/// Heights over the ground, m; without ground, over z = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heights {
    /// Least of the centre of mass.
    pub least: f64,
    /// Mean of the centre of mass.
    pub mean: f64,
    /// Most of the centre of mass.
    pub most: f64,
    /// Lowest point of the body at any time; below 0 it sank in. None without ground or shapes.
    pub lowest_point: Option<f64>,
}

/// A creature has energy from nowhere when its books show a gain of this share of all that it had or was given, and of its
/// weight falling by its own size. The time step's own error is a thousandth of that; one that explodes passes it within
/// a few steps.
const GAIN: f64 = 0.5;

/// Most looks per second: more are a mistake that would fill the memory.
const MOST_FPS: f64 = 1e6;

/// Who gives this share of a limit is at it: the rest is rounding.
const ALL_OF_IT: f64 = 1.0 - 1e-6;

/// Less than this share of the creature's size is no travel.
const NO_TRAVEL: f64 = 0.02;

/// Runs `plan`. `progress` is told the share that is done, `plan.fps` times a second.
pub fn simulate(world: &World, stepper: &mut Stepper, plan: &Plan, progress: &mut dyn FnMut(f64)) -> Rollout {
    let (creature, h) = (world.creature(), world.settings().step);
    let mut state = plan.start.clone();
    let from = state.time;
    let steps = count(plan.seconds / h).max(1);

    let mut memory = plan.memory.clone().unwrap_or_else(|| plan.controller.begin(creature));
    let mut command = Command::new(creature);
    let mut events = Vec::new();
    let mut outside_force: f64 = 0.0;
    let mut books = Books::new(world, &state);
    let mut watch = Watch::new(world, plan, &state);
    let mut touches = Touches::new(world);
    let fall = creature.mass() * creature.gravity().norm() * watch.size;

    let mut pushes: Vec<Push> = Vec::new();
    let mut v = state.v.clone();
    let mut status = Status::Finished;
    let mut made = 0;
    while made < steps {
        let sense = Sense::new(world, stepper, &mut state);
        plan.controller.drive(&sense, &mut memory, &mut command);
        events.extend_from_slice(&command.events);
        outside_force = on_roots(creature, &command.torque).max(outside_force);
        let time = sense.time() - from;
        pushes.clear();
        let acts = |shove: &&Shove| (shove.start..shove.start + shove.duration).contains(&time);
        pushes.extend(plan.shoves.iter().filter(acts).map(|shove| shove.push));
        let drive = Drive {
            rest: &command.rest,
            torque: &command.torque,
            strength: plan.torque_limits,
            pushes: &pushes,
        };

        books.move_rest(world, sense.state(), &command.rest);
        v.copy_from_slice(&sense.state().v);
        watch.before(&sense.state().q);
        if let Err(divergence) = sense.step(&drive) {
            status = Status::Diverged(divergence);
            break;
        }
        made += 1;
        books.step(world, stepper, &v, &state, &drive);
        watch.efforts(stepper.damper_forces(), &drive);
        touches.record(world, stepper, &state, time, h);
        if watch.look(world, &state, time + h, h) {
            progress(made as f64 / steps as f64);
            let gain = -books.close(world, &state).contact;
            if gain.is_nan() || gain > most_gain(&books.budget, fall) {
                let reason = format!("{gain:.3} J of energy came from nowhere");
                let body = creature.bodies()[books.fastest(creature)].name.clone();
                status = Status::Diverged(Divergence { time: state.time, body, reason });
                break;
            }
        }
    }
    books.close(world, &state);
    let report =
        Report { outside_force, events, ..watch.report(world, &state, made, touches.finish(), books.budget) };
    let mut clip = watch.clip;
    clip.contacts = report.touching.iter().map(Into::into).collect();
    Rollout { status, end: state, memory, clip, report }
}

/// J; `fall` is the creature's weight times its size.
fn most_gain(budget: &Budget, fall: f64) -> f64 {
    let had = budget.start.kinetic + budget.start.elastic;
    GAIN * (had + budget.positive_drive + budget.pushes.abs() + fall) + ROUNDING
}

/// A creature without weight, springs and speed has no energy at all, and sums of zero are rounded, J.
const ROUNDING: f64 = 1e-9;

/// A whole number of steps or frames; what is not a number is none.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(crate) fn count(x: f64) -> usize {
    x.round() as usize
}

/// The largest of the forces on free joints: nothing that a creature has in itself.
fn on_roots(creature: &Creature, torque: &[f64]) -> f64 {
    let free = creature.joints().iter().filter(|joint| joint.kind == JointKind::Free);
    let forces = free.flat_map(|joint| &torque[joint.v..joint.v + 6]);
    forces.fold(0.0, |most, force| most.max(force.abs()))
}

/// Looks at the creature from time to time.
struct Watch {
    data: Data,
    gauge: Gauge,
    found: Vec<Contact>,
    fps: f64,
    keep: bool,
    /// Frames so far.
    frames: usize,
    clip: Clip,
    /// Pose before the step, then pose of a frame.
    pose: Vec<f64>,
    /// Centre of mass at the start, m.
    start: Vec3,
    /// Largest distance of a body from it, m.
    size: f64,
    heights: Heights,
    /// Peaks, and counts of steps at the limit.
    efforts: Vec<Effort>,
}

impl Watch {
    fn new(world: &World, plan: &Plan, state: &State) -> Self {
        let creature = world.creature();
        let mut data = Data::new(creature);
        let start = center_of_mass(creature, &mut data, &state.q);
        let distances = data.frames.iter().skip(1).map(|frame| (frame.position - start).norm());
        let size = distances.fold(0.0, f64::max);
        let clip = Clip {
            name: String::new(),
            times: Vec::new(),
            poses: Vec::new(),
            stride: None,
            contacts: Vec::new(),
            travel: None,
        };
        let heights =
            Heights { least: f64::INFINITY, mean: 0.0, most: f64::NEG_INFINITY, lowest_point: None };
        let mut watch = Self {
            gauge: Gauge::new(creature),
            found: Vec::new(),
            fps: if plan.fps > 0.0 { plan.fps.min(MOST_FPS) } else { 0.0 },
            keep: plan.keep_poses,
            frames: 0,
            clip,
            pose: state.q.clone(),
            start,
            size,
            heights,
            efforts: vec![Effort::default(); creature.nv()],
            data,
        };
        watch.frame(world, 0.0);
        watch
    }

    fn before(&mut self, q: &[f64]) {
        self.pose.copy_from_slice(q);
    }

    fn efforts(&mut self, damped: &[f64], drive: &Drive) {
        for (dof, effort) in self.efforts.iter_mut().enumerate() {
            let had = (drive.torque[dof] - damped[dof]).abs();
            let limit = drive.strength.get(dof).copied().unwrap_or(f64::INFINITY);
            effort.peak = effort.peak.max(had);
            effort.at_limit += f64::from(had >= limit * ALL_OF_IT);
        }
    }

    /// Frames within the step of `h` that ended at `time`: a pose moves on evenly from the start of a step to its end.
    fn look(&mut self, world: &World, state: &State, time: f64, h: f64) -> bool {
        let mut at = time - h;
        let seen = self.frames;
        loop {
            let next = self.frames as f64 / self.fps;
            // Without looks, `next` is not a number or never comes.
            if next.is_nan() || next > time + 1e-6 * h {
                return self.frames > seen;
            }
            world.creature().integrate(&mut self.pose, &state.v, next - at);
            at = next;
            self.frame(world, next);
        }
    }

    fn frame(&mut self, world: &World, time: f64) {
        self.frames += 1;
        let creature = world.creature();
        let com = center_of_mass(creature, &mut self.data, &self.pose);
        let ground = world.settings().ground.as_ref();
        let height = com.z - ground.map_or(0.0, |ground| ground.height(com.x, com.y));
        let Heights { least, mean, most, lowest_point } = &mut self.heights;
        *least = least.min(height);
        *most = most.max(height);
        *mean += (height - *mean) / self.frames as f64;
        if let Some(ground) = ground
            && let Some((gap, _)) = self.gauge.lowest(&self.data.frames, ground, &mut self.found)
        {
            *lowest_point = Some(lowest_point.map_or(gap, |lowest| lowest.min(gap)));
        }
        if self.keep {
            self.clip.times.push(time);
            self.clip.poses.push(self.pose.clone());
        }
    }

    fn report(
        &mut self,
        world: &World,
        state: &State,
        steps: usize,
        touching: Vec<Touching>,
        budget: Budget,
    ) -> Report {
        let creature = world.creature();
        let displacement = center_of_mass(creature, &mut self.data, &state.q) - self.start;
        let way = displacement.xy().norm();
        let seconds = steps as f64 * world.settings().step;
        let weight = creature.mass() * creature.gravity().norm();
        let share = |effort: &Effort| Effort { at_limit: effort.at_limit / steps.max(1) as f64, ..*effort };
        let travels = way > NO_TRAVEL * self.size && weight > 0.0;
        Report {
            seconds,
            steps,
            displacement,
            mean_speed: if steps > 0 { way / seconds } else { 0.0 },
            heights: self.heights,
            touching,
            budget,
            cost_of_transport: travels.then(|| budget.positive_drive / (weight * way)),
            outside_force: 0.0,
            efforts: self.efforts.iter().map(share).collect(),
            events: Vec::new(),
        }
    }
}

/// Runs all `plans` on up to `threads` threads. Each is a computation of its own: order and bits do not depend on how many
/// there are.
pub fn rollouts(world: &World, plans: &[Plan], threads: usize) -> Vec<Rollout> {
    let worker = || {
        let mut stepper = Stepper::new(world);
        move |plan: &Plan| simulate(world, &mut stepper, plan, &mut |_| ())
    };
    on_threads(threads, plans, worker)
}

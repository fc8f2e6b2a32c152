//! A live simulation: it goes on as far as the page asks.

use gambol::anatomy::{StandSettings, StandStatus, stand, stiffness_from_weight};
use gambol::control::locomotion::{Balance, Balanced, Bursts, world};
use gambol::control::{
    AnyController, Command, Follow, Memory, Passive, Pump, soft_ground, stand_on, suggest,
};
use gambol::dynamics::{
    ContactModel, Data, Drive, Goal, Sense, State, StepSettings, Stepper, Terrain, World, energy_about,
    forward_dynamics, forward_kinematics, momentum, multiply_mass, point_jacobian, prepare_mass,
};
use gambol::gait::{Sampling, perform};
use gambol::model::{Creature, JointKind, Quat, Vec3};
use gambol::motion::Clip;
use nalgebra::{DMatrix, Quaternion};

use super::body::Dressed;
use super::controller::Controller as Controlled;
use super::motion::gait;
use super::{Answer, Trouble};
use crate::protocol::{DriveWork, MOST_ADVANCE, PumpedMode, SimulationAnswer};

/// Keys per second of a gait that is followed: finer than any spring is to see.
const GAIT_KEYS: f64 = 120.0;

/// What the mouse pulls with: a spring that would let the whole creature swing at this frequency, Hz, ...
const PULL_FREQUENCY: f64 = 1.5;

/// ... that pulls with at most this many times the creature's weight.
const STRONGEST_PULL: f64 = 4.0;

/// Its damper takes at most this share of the relative velocity in a step: it is explicit, and would shake what is light.
const MOST_DAMPING: f64 = 0.3;

/// Poses per second that are kept to take home.
const FPS: f64 = 60.0;

/// How long they are kept, s: the last minute.
const LONGEST: f64 = 60.0;

/// Steepest ground, rad.
const STEEPEST: f64 = 1.0;

/// A creature that is helped has springs this many times as stiff as it takes to stand: who moves needs more.
const STRONGER: f64 = 1.5;

/// Its dampers take this long to stop a joint that its spring alone pulls, s: well-damped legs, not ringing ones.
const DAMPING: f64 = 0.015;

/// The hand that holds it upright is a spring that would let the whole creature sway at this frequency, Hz, damped
/// critically; and it leads the creature to the gait's speed within this time, s.
const HAND_FREQUENCY: f64 = 1.5;
const HAND_LEADS: f64 = 0.3;

/// Where a creature is simulated.
pub(super) struct Setting {
    pub(super) ground: bool,
    /// Of the ground, up along x, rad.
    pub(super) slope: f64,
    /// Whether it is helped to stay up.
    pub(super) help: bool,
}

/// A creature in its world, and what moves it.
pub(super) struct Simulation {
    world: World,
    stepper: Stepper,
    state: State,
    controller: Box<dyn AnyController + Send>,
    memory: Memory,
    hand: Option<Hand>,
    command: Command,
    data: Data,
    /// Time that was asked for and is less than a step, s.
    behind: f64,
    /// What has happened, [`FPS`] poses a second, to take home; no longer than [`LONGEST`].
    film: Clip,
    diverged: Option<String>,
}

impl Simulation {
    /// Begins at rest, or at the first moment of the gait.
    pub(super) fn start(
        dressed: &mut Dressed,
        drive: &DriveWork,
        &Setting { ground, slope, help }: &Setting,
    ) -> Result<(Self, Answer), Trouble> {
        let terrain = terrain(slope)?;
        let mut warnings = Vec::new();
        let Start { controller, mut state, speed } = start(dressed, drive, &mut warnings)?;
        let mut creature = dressed.body.creature.clone();
        // What is pumped lives by its own springs, and rolls over as it likes.
        let stands = ground && !matches!(drive, DriveWork::Pump { .. });
        if stands && help {
            warnings.extend(strengthen(&mut creature, dressed)?);
        } else if stands {
            warnings.extend(too_soft(dressed));
        }
        let hand = speed.filter(|_| stands && help).and_then(|speed| Hand::new(&creature, dressed, speed));
        if ground {
            stand_on(&creature, &terrain, &mut state.q);
        }
        let contact = match drive {
            DriveWork::Pump { .. } => soft_ground(&creature),
            _ => ContactModel::Hard,
        };
        let settings = StepSettings { contact, ground: ground.then_some(terrain), ..StepSettings::default() };
        Self::begin(creature, settings, state, controller, hand, warnings)
    }

    /// Begins where a controller's stride does, with the springs of its sketch. Help are small corrections of its bursts once
    /// per half cycle: other springs or a hand would make it another controller.
    pub(super) fn controlled(
        Controlled { stage, stride, step }: &Controlled,
        &Setting { ground, slope, help }: &Setting,
    ) -> Result<(Self, Answer), Trouble> {
        let terrain = terrain(slope)?;
        let mut state = State::new(&stride.q, &stride.v);
        if terrain != Terrain::Flat {
            stand_on(&stage.creature, &terrain, &mut state.q);
        }
        let bursts = Bursts::new(stage, stride, *step);
        let controller: Box<dyn AnyController + Send> = if ground && help {
            let flat = world(stage, *step).map_err(Trouble::from_error)?;
            Box::new(Balanced::new(bursts, Balance::new(stage, &flat, stride)))
        } else {
            Box::new(bursts)
        };
        let settings =
            StepSettings { step: *step, ground: ground.then_some(terrain), ..StepSettings::default() };
        Self::begin(stage.creature.clone(), settings, state, controller, None, Vec::new())
    }

    fn begin(
        creature: Creature,
        settings: StepSettings,
        state: State,
        controller: Box<dyn AnyController + Send>,
        hand: Option<Hand>,
        warnings: Vec<String>,
    ) -> Result<(Self, Answer), Trouble> {
        let (command, data) = (Command::new(&creature), Data::new(&creature));
        let memory = controller.begin(&creature);
        let world = World::new(creature, settings).map_err(Trouble::from_error)?;
        let stepper = Stepper::new(&world);
        let film = Clip {
            name: "simulation".to_owned(),
            times: Vec::new(),
            poses: Vec::new(),
            stride: None,
            contacts: Vec::new(),
            travel: None,
        };
        let mut simulation = Self {
            world,
            stepper,
            state,
            controller,
            memory,
            hand,
            command,
            data,
            behind: 0.0,
            film,
            diverged: None,
        };
        simulation.film();
        let answer = simulation.answer(warnings)?;
        Ok((simulation, answer))
    }

    /// Goes on by `seconds`, in whole steps.
    pub(super) fn advance(&mut self, seconds: f64, pull: Option<&Goal>) -> Result<Answer, Trouble> {
        if !(0.0..=MOST_ADVANCE).contains(&seconds) {
            return Err(Trouble(format!(
                "a simulation goes on by 0 to {MOST_ADVANCE} s at once, not {seconds} s"
            )));
        }
        let grip = pull.map(|pull| Grip::new(self, pull)).transpose()?;
        let h = self.world.settings().step;
        self.behind += seconds;
        while self.behind >= h && self.diverged.is_none() {
            self.behind -= h;
            let creature = self.world.creature();
            let sense = Sense::new(&self.world, &mut self.stepper, &mut self.state);
            self.controller.drive(&sense, &mut self.memory, &mut self.command);
            if let Some(hand) = &mut self.hand {
                hand.hold(creature, &mut self.data, sense.state(), &mut self.command.torque);
            }
            if let Some(grip) = &grip {
                grip.pull(creature, &mut self.data, sense.state(), &mut self.command.torque);
            }
            let drive = Drive { rest: &self.command.rest, torque: &self.command.torque, pushes: &[] };
            let went = sense.step(&drive);
            self.diverged = went.err().map(|divergence| divergence.to_string());
            if self.diverged.is_none()
                && self.state.time >= self.film.times.last().unwrap_or(&0.0) + 1.0 / FPS
            {
                self.film();
            }
        }
        self.answer(Vec::new())
    }

    /// Keeps the pose of now.
    fn film(&mut self) {
        let Clip { times, poses, .. } = &mut self.film;
        if times.first().is_some_and(|first| self.state.time - first > LONGEST) {
            times.remove(0);
            poses.remove(0);
        }
        times.push(self.state.time);
        poses.push(self.state.q.clone());
    }

    /// What has happened in the last minute, from time 0, and the creature and ground it happened to.
    pub(super) fn recording(&self) -> (Clip, &Creature, Option<&Terrain>) {
        let mut clip = self.film.clone();
        let first = clip.times.first().copied().unwrap_or(0.0);
        clip.times.iter_mut().for_each(|time| *time -= first);
        clip.align_signs(self.world.creature());
        (clip, self.world.creature(), self.world.settings().ground.as_ref())
    }

    fn answer(&mut self, warnings: Vec<String>) -> Result<Answer, Trouble> {
        let (creature, state) = (self.world.creature(), &self.state);
        let moving = momentum(creature, &mut self.data, &state.q, &state.v).linear;
        let energy = energy_about(creature, &self.command.rest, &mut self.data, &state.q, &state.v);
        let touches = state.contact_forces(&self.world).filter(|contact| contact.force.norm() > 0.0);
        let mut touching: Vec<usize> = touches.flat_map(|contact| contact.contact.bodies).collect();
        touching.retain(|body| *body > 0);
        touching.sort_unstable();
        touching.dedup();
        let names = touching.into_iter().map(|body| creature.bodies()[body].name.clone()).collect();
        let answer = SimulationAnswer {
            time: state.time,
            pose: state.q.clone(),
            speed: moving.xy().norm() / creature.mass().max(f64::MIN_POSITIVE),
            touching: names,
            energy: [energy.kinetic, energy.elastic, energy.gravity],
            diverged: self.diverged.clone(),
            warnings,
        };
        Answer::new(answer, Vec::new())
    }
}

fn terrain(slope: f64) -> Result<Terrain, Trouble> {
    if !(slope.is_finite() && slope.abs() <= STEEPEST) {
        return Err(Trouble(format!("a slope of {slope} rad is too steep to stand on")));
    }
    Ok(if slope == 0.0 { Terrain::Flat } else { Terrain::Slope(slope) })
}

/// What moves a creature, and where it begins.
struct Start {
    controller: Box<dyn AnyController + Send>,
    state: State,
    /// Of a gait, m/s.
    speed: Option<f64>,
}

fn start(dressed: &mut Dressed, drive: &DriveWork, warnings: &mut Vec<String>) -> Result<Start, Trouble> {
    let state = State::new(dressed.body.basis.mean(), &vec![0.0; dressed.body.creature.nv()]);
    Ok(match drive {
        DriveWork::Passive | DriveWork::Controller { .. } => {
            Start { controller: Box::new(Passive), state, speed: None }
        }
        DriveWork::Pump { modes } => {
            Start { controller: Box::new(pump(dressed, modes)?), state, speed: None }
        }
        DriveWork::Gait { gait: work } => {
            let (mut gait, hints) = gait(dressed, work)?;
            warnings.extend(hints);
            gait.ground.terrain = Terrain::Flat; // the simulation has its own ground
            let Dressed { body, data, .. } = dressed;
            let played = perform(body, data, &gait, &Sampling { seconds: None, fps: GAIT_KEYS })
                .map_err(Trouble::hinted)?;
            let state = Follow::start(&body.creature, &played.clip);
            let speed = Some(played.report.speed);
            Start { controller: Box::new(Follow::new(&played.clip)), state, speed }
        }
    })
}

/// Makes springs stiff enough to carry the creature and damps them; a word about it.
fn strengthen(creature: &mut Creature, dressed: &mut Dressed) -> Result<Option<String>, Trouble> {
    let pose = dressed.body.basis.mean().to_vec();
    let found =
        stiffness_from_weight(&dressed.body.creature, &mut dressed.data, &pose, &StandSettings::default());
    // A creature that topples at any stiffness has the hand to hold it.
    let scale = found.map_or(1.0, |report| report.scale);
    let factor = (STRONGER * scale).max(1.0);
    for joint in 0..creature.joints().len() {
        let stiffness = factor * creature.joints()[joint].stiffness;
        creature.set_stiffness(joint, stiffness).map_err(Trouble::from_error)?;
        let damping = creature.joints()[joint].damping.max(DAMPING * stiffness);
        creature.set_damping(joint, damping).map_err(Trouble::from_error)?;
    }
    for tendon in 0..creature.tendons().len() {
        let stiffness = factor * creature.tendons()[tendon].stiffness;
        creature.set_tendon_stiffness(tendon, stiffness).map_err(Trouble::from_error)?;
    }
    Ok((factor > 1.0)
        .then(|| format!("Helped: its springs are {factor:.1} times as stiff here, so that they carry it.")))
}

/// Holds the trunk upright and leads it on: a creature that follows a gait has no sense of balance.
///
/// It acts on every part by its mass, as gravity does, and so bends no joint: τ = M a, with accelerations a of the root and
/// none of the joints.
struct Hand {
    /// Of the free joint.
    q: usize,
    v: usize,
    /// Orientation of the trunk at rest.
    upright: Quat,
    /// m/s in the world, level.
    velocity: Vec3,
    /// a and M a, `nv` numbers each.
    acceleration: Vec<f64>,
    force: Vec<f64>,
}

impl Hand {
    fn new(creature: &Creature, dressed: &Dressed, speed: f64) -> Option<Self> {
        let root = creature.joints().iter().find(|joint| joint.kind == JointKind::Free)?;
        let pose = &dressed.body.basis.mean()[root.q + 3..root.q + 7];
        Some(Self {
            q: root.q,
            v: root.v,
            upright: Quat::new_normalize(Quaternion::new(pose[0], pose[1], pose[2], pose[3])),
            velocity: speed * dressed.body.legs.heading.forward,
            acceleration: vec![0.0; creature.nv()],
            force: vec![0.0; creature.nv()],
        })
    }

    /// Adds its pull to the forces on the coordinates.
    fn hold(&mut self, creature: &Creature, data: &mut Data, state: &State, torque: &mut [f64]) {
        let omega = std::f64::consts::TAU * HAND_FREQUENCY;
        let at = |k: usize| state.q[self.q + k];
        let now = Quat::new_normalize(Quaternion::new(at(3), at(4), at(5), at(6)));
        let turn = (now.inverse() * self.upright).scaled_axis();
        let moves = &state.v[self.v..self.v + 6]; // along the world's axes, then about the body's
        for k in 0..2 {
            self.acceleration[self.v + k] = (self.velocity[k] - moves[k]) / HAND_LEADS;
        }
        for k in 0..3 {
            self.acceleration[self.v + 3 + k] = omega * omega * turn[k] - 2.0 * omega * moves[3 + k];
        }
        prepare_mass(creature, data, &state.q);
        multiply_mass(creature, data, &self.acceleration, &mut self.force);
        torque.iter_mut().zip(&self.force).for_each(|(torque, force)| *torque += force);
    }
}

fn pump(dressed: &Dressed, wanted: &[PumpedMode]) -> Result<Pump, Trouble> {
    let (creature, basis) = (&dressed.body.creature, &dressed.body.basis);
    let numbers: Vec<usize> = wanted.iter().map(|mode| mode.mode).collect();
    let mut waves = suggest(creature, basis, &numbers);
    if waves.is_empty() {
        return Err(Trouble(format!("{} does not vibrate: it has no joint springs", creature.name())));
    }
    for (wave, said) in waves.iter_mut().zip(wanted) {
        wave.amplitude = said.amplitude.unwrap_or(wave.amplitude);
        wave.phase = said.phase.unwrap_or(wave.phase);
        wave.frequency = said.frequency.unwrap_or(wave.frequency);
    }
    Pump::new(creature, basis, &waves).map_err(Trouble::from_error)
}

/// A word about springs that do not carry the creature.
fn too_soft(dressed: &mut Dressed) -> Option<String> {
    let Dressed { body, data, .. } = dressed;
    let pose = body.basis.mean().to_vec();
    // What has no answer (a creature without weight) needs no warning either.
    let found = stand(&body.creature, data, &pose, 1.0, &StandSettings::default()).ok()?;
    (found.status != StandStatus::Stands).then(|| {
        let name = body.creature.name();
        format!(
            "With these springs {name} {} under its weight. “Stand it up” makes them as stiff as it needs.",
            found.status.name()
        )
    })
}

/// The mouse's hold on a point of the creature.
struct Grip {
    pull: Goal,
    /// N/m
    stiffness: f64,
    /// N·s/m
    damping: f64,
    /// N
    most: f64,
}

impl Grip {
    fn new(simulation: &mut Simulation, pull: &Goal) -> Result<Self, Trouble> {
        let Simulation { world, state, data, .. } = simulation;
        let creature = world.creature();
        let mut numbers = pull.point.point.iter().chain(pull.target.iter());
        let bodies = 1..creature.bodies().len();
        if !bodies.contains(&pull.point.body) || !numbers.all(|x| x.is_finite()) {
            return Err(Trouble(format!("nothing can be pulled at body {}", pull.point.body)));
        }
        let mass = creature.mass();
        let omega = std::f64::consts::TAU * PULL_FREQUENCY;
        let stiffness = mass * omega * omega;
        let light = apparent_mass(creature, data, state, pull).min(mass);
        let damping = (2.0 * omega * mass).min(MOST_DAMPING * light / world.settings().step);
        let most = STRONGEST_PULL * mass * creature.gravity().norm().max(9.81);
        Ok(Self { pull: *pull, stiffness, damping, most })
    }

    /// Adds the pull to the forces on the coordinates.
    fn pull(&self, creature: &Creature, data: &mut Data, state: &State, torque: &mut [f64]) {
        let (jacobian, at) = at_point(creature, data, &state.q, &self.pull);
        let velocity = &jacobian * nalgebra::DVector::from_column_slice(&state.v);
        let velocity = Vec3::new(velocity[0], velocity[1], velocity[2]);
        let force = self.stiffness * (self.pull.target - at) - self.damping * velocity;
        let force = force.cap_magnitude(self.most);
        for (dof, torque) in torque.iter_mut().enumerate() {
            *torque += jacobian.column(dof).dot(&force);
        }
    }
}

/// Jacobian of the pulled point, and where it is in the world, m.
fn at_point(creature: &Creature, data: &mut Data, q: &[f64], pull: &Goal) -> (DMatrix<f64>, Vec3) {
    forward_kinematics(creature, data, q);
    let at = data.frames[pull.point.body].point_in_world(pull.point.point);
    let mut jacobian = DMatrix::zeros(3, creature.nv());
    point_jacobian(creature, data, pull.point.body, at, &mut jacobian);
    (jacobian, at)
}

/// How heavy the pulled point is along the pull, kg: 1 / (n J M⁻¹ Jᵀ nᵀ).
fn apparent_mass(creature: &Creature, data: &mut Data, state: &State, pull: &Goal) -> f64 {
    let (jacobian, at) = at_point(creature, data, &state.q, pull);
    let along = (pull.target - at).try_normalize(1e-9).unwrap_or_else(Vec3::z);
    let torque: Vec<f64> = jacobian.column_iter().map(|column| column.dot(&along)).collect();
    let still = vec![0.0; creature.nv()];
    let with = forward_dynamics(creature, data, &state.q, &still, &torque).to_vec();
    let without = forward_dynamics(creature, data, &state.q, &still, &still);
    let moves: f64 = with.iter().zip(without).zip(&torque).map(|((a, b), j)| (a - b) * j).sum();
    1.0 / moves.max(f64::MIN_POSITIVE)
}

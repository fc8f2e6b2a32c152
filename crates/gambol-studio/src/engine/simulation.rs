//! A live simulation: it goes on as far as the page asks.

use gambol::anatomy::{StandSettings, StandStatus, stand};
use gambol::control::help::{Grip, GripSettings, Hand, Held, HelpSettings, strengthen};
use gambol::control::locomotion::{Balance, Balanced, Bursts, world};
use gambol::control::{
    AnyController, Command, Follow, Memory, Passive, Pump, soft_ground, stand_on, suggest,
};
use gambol::dynamics::{
    ContactModel, Data, Drive, Goal, Sense, State, StepSettings, Stepper, Terrain, World, energy_about,
    momentum,
};
use gambol::gait::{Sampling, perform};
use gambol::model::{Creature, Landmark, Role};
use gambol::motion::Clip;
use nalgebra::DMatrix;

use super::body::Dressed;
use super::controller::Controller as Controlled;
use super::motion::gait;
use super::{Answer, Trouble};
use crate::protocol::{DriveWork, MOST_ADVANCE, PumpedMode, SimulationAnswer};

/// Keys per second of a gait that is followed: finer than any spring is to see.
const GAIT_KEYS: f64 = 120.0;

/// Poses per second that are kept to take home.
const FPS: f64 = 60.0;

/// How long they are kept, s: the last minute.
const LONGEST: f64 = 60.0;

/// Steepest ground, rad.
const STEEPEST: f64 = 1.0;

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
    command: Command,
    data: Data,
    /// Room for what a pull needs.
    jacobian: DMatrix<f64>,
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
            warnings.extend(strengthened(&mut creature, dressed)?);
        } else if stands {
            warnings.extend(too_soft(dressed));
        }
        let controller = match speed.filter(|_| stands && help) {
            Some(speed) => held(controller, &creature, dressed, speed)?,
            None => controller,
        };
        if ground {
            stand_on(&creature, &terrain, &mut state.q);
        }
        let contact = match drive {
            DriveWork::Pump { .. } => soft_ground(&creature),
            _ => ContactModel::Hard,
        };
        let settings = StepSettings { contact, ground: ground.then_some(terrain), ..StepSettings::default() };
        Self::begin(creature, settings, state, controller, warnings)
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
        Self::begin(stage.creature.clone(), settings, state, controller, Vec::new())
    }

    fn begin(
        creature: Creature,
        settings: StepSettings,
        state: State,
        controller: Box<dyn AnyController + Send>,
        warnings: Vec<String>,
    ) -> Result<(Self, Answer), Trouble> {
        let (command, data) = (Command::new(&creature), Data::new(&creature));
        let jacobian = DMatrix::zeros(3, creature.nv());
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
            command,
            data,
            jacobian,
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
        let grip = pull.map(|pull| Grip::new(&self.world, &self.state, pull, &GripSettings::default()));
        let grip = grip.transpose().map_err(Trouble::from_error)?;
        let h = self.world.settings().step;
        self.behind += seconds;
        while self.behind >= h && self.diverged.is_none() {
            self.behind -= h;
            let sense = Sense::new(&self.world, &mut self.stepper, &mut self.state);
            self.controller.drive(&sense, &mut self.memory, &mut self.command);
            if let Some(grip) = &grip {
                grip.pull(&sense, &mut self.jacobian, &mut self.command.torque);
            }
            let drive =
                Drive { rest: &self.command.rest, torque: &self.command.torque, strength: &[], pushes: &[] };
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

/// No setting of springs is so many times what is usual for a weight: it does not stand on its legs.
const ABSURD: f64 = 1e3;

/// Why springs cannot carry it: feet that hang on the trunk itself carry nothing through the legs.
fn unsound(creature: &Creature) -> String {
    let name = creature.name();
    let hangs = |landmark: &&Landmark| {
        let parent = creature.bodies()[landmark.body].parent;
        landmark.role == Role::Foot && (parent == 0 || creature.bodies()[parent].parent == 0)
    };
    let loose: Vec<&str> = creature
        .landmarks()
        .iter()
        .filter(hangs)
        .map(|foot| creature.bodies()[foot.body].name.as_str())
        .collect();
    let why = if loose.is_empty() {
        "its weight is not above its feet, or its legs do not carry it".to_owned()
    } else {
        format!(
            "{} {} on its trunk and not on a leg, as bones for inverse kinematics do; choose the feet at the ends of its \
             legs in the Creature panel",
            loose.join(", "),
            if loose.len() == 1 { "hangs" } else { "hang" }
        )
    };
    format!("No springs of this world carry {name} on these feet: {why}.")
}

/// Springs that carry the creature; a word about it.
fn strengthened(creature: &mut Creature, dressed: &Dressed) -> Result<Option<String>, Trouble> {
    let mut strong = creature.clone();
    let factor = strengthen(&mut strong, dressed.body.basis.mean(), &HelpSettings::default())
        .map_err(Trouble::from_error)?;
    if factor > ABSURD {
        // A finding about the rig; springs as hard as stone would only break the simulation.
        return Ok(Some(unsound(creature)));
    }
    *creature = strong;
    Ok((factor > 1.0)
        .then(|| format!("Helped: its springs are {factor:.1} times as stiff here, so that they carry it.")))
}

/// A controller whose creature a hand holds upright and leads at `speed`, m/s.
fn held(
    controller: Box<dyn AnyController + Send>,
    creature: &Creature,
    dressed: &Dressed,
    speed: f64,
) -> Result<Box<dyn AnyController + Send>, Trouble> {
    let velocity = speed * dressed.body.legs.heading.forward;
    match Hand::new(creature, dressed.body.basis.mean(), velocity, &HelpSettings::default()) {
        Some(hand) => Ok(Box::new(Held::new(controller, hand, creature).map_err(Trouble::from_error)?)),
        None => Ok(controller),
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

//! `gambol simulate`: a creature that moves by physics.

mod legged;
mod report;
mod roam;
mod stride;
mod values;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gambol_anatomy::Legs;
use gambol_control::help::{Grip, GripSettings, Hand, Held, HelpSettings, Pulled, strengthen};
use gambol_control::{
    AnyController, Follow, Passive, Plan, Pump, Rollout, Shove, Status, Wave, perturb, simulate, soft_ground,
    stand_on, suggest,
};
use gambol_dynamics::{ContactModel, Data, Push, Springs, State, StepSettings, Stepper, Terrain, World};
use gambol_formats::clip::RootMotion;
use gambol_formats::gltf::Rig;
use gambol_formats::write_files;
use gambol_gait::{Body, Gait, Sampling, Wish, design, perform, preset_style};
use gambol_model::Creature;
use gambol_modes::analyze;
use gambol_motion::Basis;

use super::creature::{CreatureArguments, PoseArguments, SpringArguments};
use super::files::Outputs;
use super::gait_file::{is_file, read_course, read_gait};
use super::hint::told;
use super::reach::goal;
use super::settings::{self, Ground, at_least_0, positive, rate, seconds};
use super::sketch_file::SketchFile;
use super::{Failure, render, write_json};
use legged::{BalanceWish, Balancing, ControllerName, balance};
pub(super) use roam::RoamVerb;
use stride::{Cycles, run_by_clock};
use values::{PullText, ShoveText, numbers, pull, shove};

/// Moves a creature by physics: springs, ground, and what pumps them
#[derive(Args)]
#[command(
    after_help = "CONTROL is `passive` (springs alone), `pump` (their equilibrium swings along a few vibrations), a gait, by name or as\n\
    a file, whose poses the equilibrium follows, or a controller that `gambol optimize` found. See docs/physics.md and docs/controllers.md.\n\
    Output by ending, as in `gambol animate`. It ends with 1 if the simulation diverged, the report says where, and with 3 if who was\n\
    to balance on its legs fell. See docs/roam.md for --balance of a gait.\n\n\
    Examples:\n  gambol simulate loop pump --phase 90 --seconds 8\n  \
    gambol simulate linear pump --frequency 5 --phase -90 -o crawl.glb -o crawl.gif\n  \
    gambol simulate human passive --seconds 3 -o fall.glb\n  \
    gambol simulate dog trot --push chest:0,80,0@1+0.1 --report\n  \
    gambol simulate dog walk --hold -o held.glb\n  \
    gambol simulate dog trot --balance --torque-limit 100 --seconds 20 --json\n  \
    gambol simulate human passive --pull head:0,0,2@0.2+2 -o puppet.gif\n  \
    gambol simulate biped my-runner.toml --balance -o run.glb\n  \
    gambol simulate loop pump --modes 6,7 --amplitude 0.1 --terrain slope:2 --json"
)]
pub(super) struct Simulate {
    #[command(flatten)]
    run: RunArguments,

    /// passive, pump, a gait, a gait file or a controller (.toml)
    #[arg(value_name = "CONTROL", default_value = "passive")]
    control: String,

    #[command(flatten, next_help_heading = "Body")]
    body: BodyArguments,

    #[command(flatten, next_help_heading = "Pumping")]
    pump: PumpArguments,

    #[command(flatten, next_help_heading = "Gaits")]
    help: HelpArguments,

    #[command(flatten, next_help_heading = "Controllers")]
    stride: StrideArguments,
}

/// What all simulations are asked: whom, for how long, where, and what becomes of it.
#[derive(Args)]
struct RunArguments {
    #[command(flatten)]
    creature: CreatureArguments,

    /// Write the motion; may be given several times
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Print what was measured: way, speed, heights, contacts, energy
    #[arg(long)]
    report: bool,

    /// Print the same as one JSON object
    #[arg(long)]
    json: bool,

    /// Replace existing files
    #[arg(long)]
    force: bool,

    #[command(flatten, next_help_heading = "Time and start")]
    time: TimeArguments,

    #[command(flatten, next_help_heading = "Surroundings")]
    world: WorldArguments,
}

#[derive(Args)]
struct TimeArguments {
    /// How long, s; if not given, 5, and twenty cycles of a controller
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    seconds: Option<f64>,

    /// Length of a step, s; if not given, 0.002, and what a controller was found with
    #[arg(long, value_name = "S", value_parser = settings::step, allow_negative_numbers = true)]
    step: Option<f64>,

    /// Keys per second of the motion that is written
    #[arg(long, value_name = "F", default_value_t = 60.0, value_parser = rate, allow_negative_numbers = true)]
    fps: f64,

    /// A small random velocity of every joint at the start, the same for the same seed; 0: none
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

#[derive(Args)]
struct BodyArguments {
    #[command(flatten)]
    pose: PoseArguments,

    #[command(flatten)]
    springs: SpringArguments,

    /// How the joint springs are stepped
    #[arg(long = "springs", value_enum, default_value_t = SpringsName::Elastic)]
    integrator: SpringsName,
}

#[derive(Args)]
struct WorldArguments {
    /// flat, slope:DEGREES, or a picture whose brightness is height: FILE.png:SIZE,HEIGHT (m; 10,0.3 if not given); flat if not
    /// given, or as the gait has it
    #[arg(long, value_name = "TERRAIN", value_parser = settings::ground)]
    terrain: Option<Ground>,

    /// Blocks, ramps and patches of friction from a course file, FILE.toml (docs/formats.md)
    #[arg(long, value_name = "FILE", conflicts_with = "terrain")]
    course: Option<PathBuf>,

    /// Nothing to stand on
    #[arg(long, conflicts_with_all = ["terrain", "course", "contact", "friction"])]
    no_ground: bool,

    /// Coulomb's coefficient
    #[arg(long, value_name = "MU", default_value_t = 1.0, value_parser = at_least_0, allow_negative_numbers = true)]
    friction: f64,

    /// What the ground does; if not given, penalty for pump, because a narrow creature that hops on hard ground may fall
    /// over, and hard for all else
    #[arg(long, value_enum)]
    contact: Option<ContactName>,

    /// Let bodies touch each other
    #[arg(long)]
    self_collision: bool,

    /// Push a body, or what the `front` or `hind` legs hang on: NAME:FX,FY,FZ@START+DURATION (N, s); may be given several times
    #[arg(long, value_name = "PUSH", value_parser = shove, allow_hyphen_values = true)]
    push: Vec<ShoveText>,

    /// Pull a landmark or a body to a place, as a hand would: NAME:X,Y,Z@START+DURATION (m, s); may be given several times
    #[arg(long, value_name = "PULL", value_parser = pull, allow_hyphen_values = true)]
    pull: Vec<PullText>,
}

#[derive(Args)]
struct PumpArguments {
    /// Numbers of the modes, as `gambol modes` counts them; the two lowest vibrations if not given
    #[arg(long, value_name = "M,N", value_delimiter = ',', value_parser = values::mode)]
    modes: Vec<usize>,

    /// Swing of the equilibrium, rad of the joint that moves most: one for all modes, or one for each; if not given, by weight
    #[arg(long, value_name = "A", value_parser = numbers, allow_hyphen_values = true)]
    amplitude: Option<values::Numbers>,

    /// Degrees by which each mode is ahead of the one before, or one phase for each; 90 if not given
    #[arg(long, value_name = "DEG", value_parser = numbers, allow_hyphen_values = true)]
    phase: Option<values::Numbers>,

    /// Hz, one for all modes, or one for each; if not given, that of the first mode (5 Hz for the gallery's linear)
    #[arg(long, value_name = "F", value_parser = numbers, allow_hyphen_values = true)]
    frequency: Option<values::Numbers>,
}

#[derive(Args)]
struct HelpArguments {
    /// Help a creature that follows a gait to stay up: its springs are made stiff enough to carry it, and a hand holds its trunk
    /// upright at the gait's speed
    #[arg(long)]
    hold: bool,
}

#[derive(Args)]
struct StrideArguments {
    /// Stay up by its own torques: who follows a gait keeps its balance on its legs, with no hand to hold it; the bursts of a
    /// controller that was found are corrected at the start of every half cycle
    #[arg(long, conflicts_with = "hold")]
    balance: bool,

    /// What finds the torques of who balances
    #[arg(long, value_enum, requires = "balance", default_value_t = ControllerName::Whole)]
    controller: ControllerName,

    /// Largest torque of every joint of who balances, N·m (of a slide: force, N); as much as it takes if not given
    #[arg(long, value_name = "NM", requires = "balance", value_parser = positive, allow_negative_numbers = true)]
    torque_limit: Option<f64>,

    /// How fast who balances is to go, m/s; the gait's own speed if not given
    #[arg(long, value_name = "V", requires = "balance", value_parser = at_least_0, allow_negative_numbers = true)]
    speed: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SpringsName {
    /// second order, without loss
    Elastic,
    /// the paper's: first order, eats vibrations
    ImplicitEuler,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ContactName {
    /// nothing sinks in
    Hard,
    /// the paper's: a stiff spring and damper
    Penalty,
}

impl WorldArguments {
    /// The controller, with hands that pull.
    fn pulled(
        &self,
        world: &World,
        start: &State,
        controller: Box<dyn AnyController>,
    ) -> Result<Pulled<Box<dyn AnyController>>, Failure> {
        let grip = |PullText { name, target, times }: &PullText| {
            let goal = goal(world.creature(), name, *target)?;
            let grip = Grip::new(world, start, &goal, &GripSettings::default());
            grip.map(|grip| (grip, *times)).map_err(|error| Failure::Failed(format!("--pull: {error}")))
        };
        Ok(Pulled::new(controller, self.pull.iter().map(grip).collect::<Result<_, _>>()?))
    }
}

/// What is simulated.
struct Scene {
    /// With the springs that it is simulated with.
    creature: Creature,
    controller: Box<dyn AnyController>,
    start: State,
    /// The gait's own, if it has one.
    terrain: Option<Terrain>,
    /// What a user should know.
    warnings: Vec<String>,
    /// The modes that are pumped.
    waves: Vec<Wave>,
    /// Of a controller that was found for a sketch.
    cycles: Option<Cycles>,
    /// Of a creature that balances on its legs.
    balancing: Option<Balancing>,
    name: String,
}

/// How long, s, and in which steps, s, if nobody says.
const SECONDS: f64 = 5.0;
const STEP: f64 = 0.002;

/// Exit status of a simulation whose creature was to balance, and fell.
const FELL: u8 = 3;

impl Simulate {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        let (outputs, mut creature, rig) = self.run.begin(Some(Path::new(&self.control)))?;
        self.body.springs.apply(&mut creature)?;
        let scene = self.scene(creature)?;
        let springs = match self.body.integrator {
            SpringsName::Elastic => Springs::Elastic,
            SpringsName::ImplicitEuler => Springs::ImplicitEuler,
        };
        self.run.finish(&outputs, scene, springs, rig.as_ref(), out)
    }

    fn balance_wish(&self) -> BalanceWish {
        let StrideArguments { controller, torque_limit, speed, .. } = self.stride;
        BalanceWish { controller, torque_limit, speed }
    }

    fn scene(&self, creature: Creature) -> Result<Scene, Failure> {
        match self.control.as_str() {
            "passive" => self.passive(creature),
            "pump" => self.pumped(creature),
            other => {
                if self.body.pose.is_given() {
                    let message = "--pose and --qpos are for passive and pump; a gait has its own pose";
                    return Err(Failure::Failed(message.to_owned()));
                }
                match SketchFile::controller(other) {
                    Some(_) if self.body.springs.is_given() => {
                        let message = "--stiffness and --scale do not go with a controller; its sketch has the springs it was found with";
                        Err(Failure::Failed(message.to_owned()))
                    }
                    Some(file) => run_by_clock(creature, &file, self.run.time.step, self.stride.balance),
                    None if self.stride.balance => balance(creature, other, &self.balance_wish()),
                    None => follow(creature, other, self.help.hold),
                }
            }
        }
        .and_then(|scene| {
            let pumps = !self.pump.modes.is_empty()
                || self.pump.amplitude.is_some()
                || self.pump.phase.is_some()
                || self.pump.frequency.is_some();
            if pumps && self.control != "pump" {
                let message = "--modes, --amplitude, --phase and --frequency are for pump";
                return Err(Failure::Failed(message.to_owned()));
            }
            let follows = scene.cycles.is_none() && !matches!(self.control.as_str(), "passive" | "pump");
            if self.help.hold && !follows {
                return Err(Failure::Failed("--hold is for gaits".to_owned()));
            }
            if self.stride.balance && !follows && scene.cycles.is_none() {
                let message = "--balance is for controllers that gambol optimize found, and for gaits";
                return Err(Failure::Failed(message.to_owned()));
            }
            let on_legs = self.stride.torque_limit.is_some() || self.stride.speed.is_some();
            if on_legs && scene.balancing.is_none() {
                let message = "--torque-limit and --speed are for gaits with --balance";
                return Err(Failure::Failed(message.to_owned()));
            }
            Ok(scene)
        })
    }

    fn passive(&self, creature: Creature) -> Result<Scene, Failure> {
        let start = still(&creature, &self.body.pose.read(&creature)?.qpos);
        Ok(Scene {
            creature,
            controller: Box::new(Passive),
            start,
            terrain: None,
            warnings: Vec::new(),
            waves: Vec::new(),
            cycles: None,
            balancing: None,
            name: "passive".to_owned(),
        })
    }

    /// The springs are at rest in the pose of the analysis, and swing about it.
    fn pumped(&self, mut creature: Creature) -> Result<Scene, Failure> {
        let pose = self.body.pose.read(&creature)?.qpos;
        creature.set_rest_pose(&pose).map_err(|error| Failure::Failed(error.to_string()))?;
        let modes = analyze(&creature, &mut Data::new(&creature), &pose, &gambol_modes::Settings::default())?;
        let waves = self.pump.waves(&creature, &modes)?;
        let pump =
            Pump::new(&creature, &modes, &waves).map_err(|error| Failure::Failed(error.to_string()))?;
        Ok(Scene {
            start: still(&creature, &pose),
            creature,
            controller: Box::new(pump),
            terrain: None,
            warnings: Vec::new(),
            waves,
            cycles: None,
            balancing: None,
            name: "pump".to_owned(),
        })
    }
}

impl RunArguments {
    /// What is asked for can be written, and whom it is about. `input` is not to be written over.
    fn begin(&self, input: Option<&Path>) -> Result<(Outputs<'_>, Creature, Option<Rig>), Failure> {
        let mut inputs = self.creature.inputs();
        inputs.extend(input);
        let outputs = Outputs::check(&self.output, None, &inputs, self.force)?;
        self.creature.refuse_plant()?;
        let (creature, rig) = self.creature.load_rig()?;
        outputs.fit(1, rig.is_some())?;
        Ok((outputs, creature, rig))
    }

    /// Simulates, writes and tells.
    fn finish(
        &self,
        outputs: &Outputs,
        mut scene: Scene,
        springs: Springs,
        rig: Option<&Rig>,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let world = self.world(&scene, springs)?;
        if !self.world.pull.is_empty() {
            scene.controller = Box::new(self.world.pulled(&world, &scene.start, scene.controller)?);
        }
        let clock = std::time::Instant::now();
        let rollout = self.simulate(&world, &scene)?;
        if let Some(balancing) = &mut scene.balancing {
            balancing.wall = clock.elapsed().as_secs_f64();
        }
        self.write(outputs, &world, &rollout, &scene.name, rig)?;
        let notes = rig.iter().flat_map(|rig| &rig.notes).map(|note| format!("guessed: {}", told(note)));
        let of_creature = world.creature().warnings().iter().map(told);
        let warnings = of_creature.chain(scene.warnings.iter().cloned());
        for line in notes.chain(warnings.map(|warning| format!("warning: {warning}"))) {
            eprintln!("gambol: {line}");
        }
        if self.json {
            write_json(out, &report::json(&world, &scene, &rollout))?;
        } else if self.report || self.output.is_empty() {
            report::write(out, &world, &scene, &rollout)?;
        }
        if let Some(fall) = scene.balancing.as_ref().and_then(|balancing| balancing.fall(&world, &rollout)) {
            return Err(Failure::Ended { status: FELL, message: Some(legged::told(&world, &fall)) });
        }
        match rollout.status {
            Status::Finished => Ok(()),
            Status::Diverged(divergence) => {
                Err(Failure::Failed(format!("the simulation diverged {divergence}")))
            }
        }
    }

    fn world(&self, scene: &Scene, springs: Springs) -> Result<World, Failure> {
        let ground = match (&self.world.terrain, &self.world.course) {
            _ if self.world.no_ground => None,
            (_, Some(course)) => Some(Terrain::Course(read_course(course)?)),
            (Some(ground), _) => Some(ground.read()?),
            (None, None) => Some(scene.terrain.clone().unwrap_or(Terrain::Flat)),
        };
        let usual = if scene.waves.is_empty() { ContactName::Hard } else { ContactName::Penalty };
        let contact = match self.world.contact.unwrap_or(usual) {
            ContactName::Hard => ContactModel::Hard,
            ContactName::Penalty => soft_ground(&scene.creature),
        };
        let usual_step = scene.balancing.as_ref().map_or(STEP, |balancing| balancing.step);
        let settings = StepSettings {
            step: scene.cycles.as_ref().map(|cycles| cycles.step).or(self.time.step).unwrap_or(usual_step),
            springs,
            contact,
            ground,
            friction: self.world.friction,
            self_collision: self.world.self_collision,
            ..StepSettings::default()
        };
        World::new(scene.creature.clone(), settings).map_err(|error| Failure::Failed(error.to_string()))
    }

    fn simulate(&self, world: &World, scene: &Scene) -> Result<Rollout, Failure> {
        let creature = world.creature();
        let mut start = scene.start.clone();
        // A cycle may begin in flight.
        let anywhere = scene.cycles.is_some() || scene.balancing.is_some();
        if let Some(ground) = world.settings().ground.as_ref().filter(|_| !anywhere) {
            stand_on(creature, ground, &mut start.q);
        }
        let usual = scene.cycles.as_ref().map_or(SECONDS, Cycles::usual_seconds);
        let seconds = self.time.seconds.unwrap_or(usual);
        perturb(creature, self.time.seed, &mut start.v);
        let shoves =
            self.world.push.iter().map(|push| on_body(creature, push)).collect::<Result<Vec<_>, _>>()?;
        let plan = Plan {
            shoves: &shoves,
            torque_limits: scene.balancing.as_ref().map_or(&[], |balancing| &balancing.strength),
            fps: self.time.fps,
            keep_poses: true,
            ..Plan::new(scene.controller.as_ref(), start, seconds)
        };
        let watched = std::io::stderr().is_terminal();
        let mut last = 0.0;
        let mut progress = |done: f64| {
            if watched && (done - last >= 0.01 || done == 1.0) {
                last = done;
                let end = if done == 1.0 { "\n" } else { "" };
                let now = done * seconds;
                let _ = write!(std::io::stderr(), "\rgambol: {now:.2} s of {seconds} s{end}");
            }
        };
        Ok(simulate(world, &mut Stepper::new(world), &plan, &mut progress))
    }

    /// Everything is made before anything is written.
    fn write(
        &self,
        outputs: &Outputs,
        world: &World,
        rollout: &Rollout,
        name: &str,
        rig: Option<&Rig>,
    ) -> Result<(), Failure> {
        let creature = world.creature();
        let mut clip = rollout.clip.clone();
        name.clone_into(&mut clip.name);
        clip.align_signs(creature);
        let mut ready = Vec::new();
        for (path, format) in &outputs.clips {
            let of_rig = rig.filter(|_| format.is_gltf());
            let bytes = if let Some(rig) = of_rig {
                let (input, options) = (self.creature.file(), self.creature.options()?);
                let (file, rig) = ((*format, path.as_path()), (rig, input, &options));
                render::to_rig_bytes(file, rig, creature, std::slice::from_ref(&clip), RootMotion::Travel)
            } else {
                let ground = world.settings().ground.as_ref();
                render::to_bytes(*format, creature, ground, &clip, RootMotion::Travel)
            };
            let bytes = bytes.map_err(|reason| Failure::Failed(format!("{}: {reason}", path.display())))?;
            ready.push((path.as_path(), bytes));
        }
        write_files(&ready, self.force)?;
        outputs.tell(&[clip], &[creature.name(), name]);
        Ok(())
    }
}

/// Keys per second of a gait that is followed: finer than any spring is to see.
const GAIT_KEYS: f64 = 120.0;

/// The springs pull to the poses of a gait, of which the creature has the first and its velocity at the start.
fn follow(creature: Creature, name: &str, hold: bool) -> Result<Scene, Failure> {
    let mut data = Data::new(&creature);
    let mut warnings = Vec::new();
    let (body, mut gait): (Body, Gait) = if is_file(name) {
        let gait = read_gait(Path::new(name))?;
        (Body::new(creature, &mut data, &gait.style)?, gait)
    } else {
        let style = preset_style(&creature, name).unwrap_or_default();
        let body = Body::new(creature, &mut data, &style)?;
        let designed = design(&body, &mut data, name, &Wish::default())?;
        warnings.extend(designed.hints);
        (body, designed.gait)
    };
    let terrain = std::mem::replace(&mut gait.ground.terrain, Terrain::Flat);
    let performance = perform(&body, &mut data, &gait, &Sampling { seconds: None, fps: GAIT_KEYS })?;
    let clip = &performance.clip;
    let failed = |error: &dyn std::fmt::Display| Failure::Failed(error.to_string());
    let mut creature = body.creature.clone();
    let mut controller: Box<dyn AnyController> = Box::new(Follow::new(clip));
    if hold {
        let (pose, settings) = (body.basis.mean(), HelpSettings::default());
        let factor = strengthen(&mut creature, pose, &settings).map_err(|error| failed(&error))?;
        if factor > 1.0 {
            warnings.push(format!("its springs are {factor:.1} times as stiff here, so that they carry it"));
        }
        let velocity = performance.report.speed * body.legs.heading.forward;
        if let Some(hand) = Hand::new(&creature, pose, velocity, &settings) {
            let held = Held::new(controller, hand, &creature).map_err(|error| failed(&error))?;
            controller = Box::new(held);
        }
    }
    Ok(Scene {
        controller,
        start: Follow::start(&creature, clip),
        terrain: Some(terrain),
        warnings,
        waves: Vec::new(),
        cycles: None,
        balancing: None,
        name: gait.name,
        creature,
    })
}

fn still(creature: &Creature, pose: &[f64]) -> State {
    State::new(pose, &vec![0.0; creature.nv()])
}

/// The body that the front or the hind legs hang on (Coros et al. 2011 call it their leg frame).
fn leg_frame(creature: &Creature, name: &str) -> Option<usize> {
    let legs = Legs::new(creature, &mut Data::new(creature), creature.rest_pose());
    let pair = match name {
        "front" => 0,
        "hind" => legs.pairs.checked_sub(1)?,
        _ => return None,
    };
    let leg = legs.legs.iter().find(|leg| leg.pair == pair)?;
    let hip = creature.joints()[*leg.joints.first()?].body;
    Some(creature.bodies()[hip].parent).filter(|frame| *frame > 0)
}

fn on_body(creature: &Creature, push: &ShoveText) -> Result<Shove, Failure> {
    let named = creature.body_index(&push.body).filter(|body| *body > 0);
    let body = named.or_else(|| leg_frame(creature, &push.body)).ok_or_else(|| {
        let names: Vec<&str> = creature.bodies().iter().skip(1).map(|body| body.name.as_str()).collect();
        let names = names.join(", ");
        let (name, body) = (creature.name(), &push.body);
        let frames = "front and hind, which the legs there hang on";
        Failure::Failed(format!("--push: {name} has no body {body:?}; it has {names}, and {frames}"))
    })?;
    let push_now = Push { body, force: push.force };
    Ok(Shove { push: push_now, start: push.start, duration: push.duration })
}

impl PumpArguments {
    fn waves(&self, creature: &Creature, basis: &Basis) -> Result<Vec<Wave>, Failure> {
        let mut waves = suggest(creature, basis, &self.modes);
        if waves.is_empty() {
            let message = format!("{} does not vibrate: it has no joint springs", creature.name());
            return Err(Failure::Failed(message));
        }
        let count = waves.len();
        let given = |what, numbers: &Option<values::Numbers>, spread: fn(usize, f64) -> f64| {
            numbers.as_ref().map(|numbers| values::per_mode(what, numbers, count, spread)).transpose()
        };
        let amplitudes = given("amplitude", &self.amplitude, |_, a| a)?;
        let frequencies = given("frequency", &self.frequency, |_, f| f)?;
        let phases = given("phase", &self.phase, |k, ahead| k as f64 * ahead + 0.0)?;
        for (k, wave) in waves.iter_mut().enumerate() {
            wave.amplitude = amplitudes.as_ref().map_or(wave.amplitude, |all| all[k]);
            wave.frequency = frequencies.as_ref().map_or(wave.frequency, |all| all[k]);
            wave.phase = phases.as_ref().map_or(wave.phase, |all| all[k].to_radians());
        }
        Ok(waves)
    }
}

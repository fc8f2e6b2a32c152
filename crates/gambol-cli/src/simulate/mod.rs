//! `gambol simulate`: a creature that moves by physics.

mod legged;
mod reduced;
mod report;
mod roam;
mod run;
mod stride;
mod values;

use std::io::Write;
use std::path::Path;

use clap::{Args, ValueEnum};
use gambol_control::help::{Hand, Held, HelpSettings, strengthen};
use gambol_control::{AnyController, Follow, Passive, Pump, Wave, suggest};
use gambol_dynamics::{Data, Springs, State, Terrain};
use gambol_gait::{Body, Gait, Sampling, Wish, design, perform, preset_style};
use gambol_model::Creature;
use gambol_modes::analyze;
use gambol_motion::Basis;

use super::Failure;
use super::creature::{PoseArguments, SpringArguments};
use super::gait_file::{is_file, read_gait};
use super::settings::{at_least_0, positive};
use super::sketch_file::SketchFile;
use legged::{BalanceWish, Balancing, ControllerName, balance};
pub(super) use roam::RoamVerb;
use run::RunArguments;
use stride::{Cycles, run_by_clock};
use values::numbers;

/// Moves a creature by physics: springs, ground, and what pumps them
#[derive(Args)]
#[command(
    after_help = "CONTROL is `passive` (springs alone), `pump` (their equilibrium swings along a few vibrations), a gait, by name or as\n\
    a file, whose poses the equilibrium follows, or a controller that `gambol optimize` found. See docs/physics.md and docs/controllers.md.\n\
    `reduced` and `balance` move in a few directions of a --basis, by physics alone or while keeping the balance: docs/reduced.md.\n\
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
    gambol simulate 49_02.amc balance --basis 49_02.basis --directions 15 --body-height 0.85@1 -o balance.png\n  \
    gambol simulate loop pump --modes 6,7 --amplitude 0.1 --terrain slope:2 --json"
)]
pub(super) struct Simulate {
    #[command(flatten)]
    run: RunArguments,

    /// passive, pump, reduced, balance, a gait, a gait file or a controller (.toml)
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

    #[command(flatten, next_help_heading = "In a few directions (reduced, balance)")]
    reduced: reduced::ReducedArguments,
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

impl Simulate {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<(), Failure> {
        if let Some(control) = reduced::ReducedControl::of(&self.control) {
            return self.run_reduced(control, out);
        }
        self.reduced.refuse()?;
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

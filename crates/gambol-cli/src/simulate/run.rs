//! What all simulations have in common: whom, for how long, where, and what becomes of it.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gambol_anatomy::Legs;
use gambol_control::help::{Grip, GripSettings, Pulled};
use gambol_control::{AnyController, Plan, Rollout, Shove, Status, perturb, simulate, soft_ground, stand_on};
use gambol_dynamics::{ContactModel, Data, Push, Springs, State, StepSettings, Stepper, Terrain, World};
use gambol_formats::clip::RootMotion;
use gambol_formats::gltf::Rig;
use gambol_formats::write_files;
use gambol_model::Creature;
use gambol_motion::Clip;

use super::stride::Cycles;
use super::values::{PullText, ShoveText, pull, shove};
use super::{Scene, legged, report};
use crate::creature::CreatureArguments;
use crate::files::Outputs;
use crate::gait_file::read_course;
use crate::hint::told;
use crate::reach::goal;
use crate::settings::{self, Ground, at_least_0, rate, seconds};
use crate::{Failure, render, write_json};

/// What all simulations are asked: whom, for how long, where, and what becomes of it.
#[derive(Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    creature: CreatureArguments,

    /// Write the motion; may be given several times
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Vec<PathBuf>,

    /// Print what was measured: way, speed, heights, contacts, energy
    #[arg(long)]
    pub(super) report: bool,

    /// Print the same as one JSON object
    #[arg(long)]
    pub(super) json: bool,

    /// Replace existing files
    #[arg(long)]
    force: bool,

    #[command(flatten, next_help_heading = "Time and start")]
    pub(super) time: TimeArguments,

    #[command(flatten, next_help_heading = "Surroundings")]
    pub(super) world: WorldArguments,
}

#[derive(Args)]
pub(super) struct TimeArguments {
    /// How long, s; if not given, 5, and twenty cycles of a controller
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub(super) seconds: Option<f64>,

    /// Length of a step, s; if not given, 0.002, and what a controller was found with
    #[arg(long, value_name = "S", value_parser = settings::step, allow_negative_numbers = true)]
    pub(super) step: Option<f64>,

    /// Keys per second of the motion that is written
    #[arg(long, value_name = "F", default_value_t = 60.0, value_parser = rate, allow_negative_numbers = true)]
    pub(super) fps: f64,

    /// A small random velocity of every joint at the start, the same for the same seed; 0: none
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
}

#[derive(Args)]
pub(super) struct WorldArguments {
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
    pub(super) friction: f64,

    /// What the ground does; if not given, penalty for pump, because a narrow creature that hops on hard ground may fall
    /// over, and hard for all else
    #[arg(long, value_enum)]
    pub(super) contact: Option<ContactName>,

    /// Let bodies touch each other
    #[arg(long)]
    pub(super) self_collision: bool,

    /// Push a body, or what the `front` or `hind` legs hang on: NAME:FX,FY,FZ@START+DURATION (N, s); may be given several times
    #[arg(long, value_name = "PUSH", value_parser = shove, allow_hyphen_values = true)]
    push: Vec<ShoveText>,

    /// Pull a landmark or a body to a place, as a hand would: NAME:X,Y,Z@START+DURATION (m, s); may be given several times
    #[arg(long, value_name = "PULL", value_parser = pull, allow_hyphen_values = true)]
    pub(super) pull: Vec<PullText>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ContactName {
    /// nothing sinks in
    Hard,
    /// the paper's: a stiff spring and damper
    Penalty,
}

/// How long, s, and in which steps, s, if nobody says.
pub(super) const SECONDS: f64 = 5.0;
const STEP: f64 = 0.002;

/// Exit status of a simulation whose creature was to balance, and fell.
pub(super) const FELL: u8 = 3;

impl RunArguments {
    /// What is asked for can be written, and whom it is about. `input` is not to be written over.
    pub(super) fn begin(
        &self,
        input: Option<&Path>,
    ) -> Result<(Outputs<'_>, Creature, Option<Rig>), Failure> {
        let mut inputs = self.creature.inputs();
        inputs.extend(input);
        let outputs = Outputs::check(&self.output, None, &inputs, self.force)?;
        self.creature.refuse_plant()?;
        let (creature, rig) = self.creature.load_rig()?;
        outputs.fit(1, rig.is_some())?;
        Ok((outputs, creature, rig))
    }

    /// Simulates, writes and tells.
    pub(super) fn finish(
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
        let ground = world.settings().ground.as_ref();
        self.write(outputs, (world.creature(), ground), &rollout.clip, &scene.name, rig)?;
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
        let ground = self.world.ground(scene.terrain.as_ref())?;
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
        let shoves = self.world.shoves(creature)?;
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
    pub(super) fn write(
        &self,
        outputs: &Outputs,
        (creature, ground): (&Creature, Option<&Terrain>),
        clip: &Clip,
        name: &str,
        rig: Option<&Rig>,
    ) -> Result<(), Failure> {
        let mut clip = clip.clone();
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

impl WorldArguments {
    /// What there is to stand on, if anything; `usual` or level ground if nothing is said.
    pub(super) fn ground(&self, usual: Option<&Terrain>) -> Result<Option<Terrain>, Failure> {
        Ok(match (&self.terrain, &self.course) {
            _ if self.no_ground => None,
            (_, Some(course)) => Some(Terrain::Course(read_course(course)?)),
            (Some(ground), _) => Some(ground.read()?),
            (None, None) => Some(usual.cloned().unwrap_or(Terrain::Flat)),
        })
    }

    /// The pushes, on bodies of a creature.
    pub(super) fn shoves(&self, creature: &Creature) -> Result<Vec<Shove>, Failure> {
        self.push.iter().map(|push| on_body(creature, push)).collect()
    }

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

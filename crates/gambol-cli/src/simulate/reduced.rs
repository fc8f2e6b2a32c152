//! `gambol simulate CREATURE reduced` and `balance`: a body in a few directions of a basis.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gambol_control::reduced::{
    Actuation, Balance, BalanceReport, JointLimit, ReducedPlan, ReducedRollout, ReducedSettings,
    ReducedWorld, features_from_toml, simulate_reduced,
};
use gambol_control::stand_on;
use gambol_dynamics::reduced::{Integrator, PLACE, ReducedBody, ReducedState};
use gambol_formats::basis::{JointMatch, from_basis_file};
use gambol_model::Creature;
use gambol_motion::Basis;
use serde::Serialize;

use super::Simulate;
use super::run::{FELL, SECONDS};
use crate::settings::{at_least_0, count, finite, positive};
use crate::table::plain;
use crate::{Failure, write_json};

#[derive(Args)]
pub(super) struct ReducedArguments {
    /// The directions that it moves in, as gambol basis finds them
    #[arg(long, value_name = "FILE.basis")]
    basis: Option<PathBuf>,

    /// Only so many of its directions; all if not given
    #[arg(long, value_name = "K", value_parser = count, requires = "basis")]
    directions: Option<usize>,

    /// How it is stepped
    #[arg(long = "integrator", value_enum, requires = "basis")]
    reduced_step: Option<IntegratorName>,

    /// Nothing pulls it down
    #[arg(long, requires = "basis")]
    no_gravity: bool,

    /// Keep joints within the ellipsoids that they were seen in; may be given several times
    #[arg(long, value_name = "CLIP", requires = "basis")]
    limits: Vec<PathBuf>,

    /// What else is wished while it balances (docs/formats.md)
    #[arg(long, value_name = "FILE.toml", requires = "basis")]
    features: Option<PathBuf>,

    /// Lift a foot from a time on, s, or for a while: foot.left@1 or foot.left@1+3; may be given several times
    #[arg(long, value_name = "FOOT@T", value_parser = lift, requires = "basis")]
    lift: Vec<Lift>,

    /// From a time on, s, the centre of mass at this share of its first height: 0.8@3 crouches, 1.2@3 leaps; may be given several times
    #[arg(long, value_name = "SHARE@T", value_parser = share_at, requires = "basis")]
    body_height: Vec<[f64; 2]>,

    /// Let it spin: without the wish for no angular momentum
    #[arg(long, requires = "basis")]
    no_momentum: bool,

    /// Who moves the root
    #[arg(long, value_enum, requires = "basis")]
    actuation: Option<ActuationName>,

    /// Between what is wished, 0, and physics, 1, as the paper mixes the two; 0.01 if not given
    #[arg(long, value_name = "R", value_parser = realism, requires = "basis")]
    realism: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IntegratorName {
    /// keeps momentum to rounding
    Variational,
    /// the paper's
    Explicit,
    /// as if rotations were flat, for comparison
    Euclidean,
    /// the paper's once more with what it found; the default
    Corrected,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ActuationName {
    /// wishes push the root too; that ghost is reported
    Paper,
    /// only joints push, and the ground; the default
    Internal,
}

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReducedControl {
    /// Physics alone.
    Free,
    /// It keeps its balance.
    Balance,
}

impl ReducedControl {
    pub(super) fn of(name: &str) -> Option<Self> {
        match name {
            "reduced" => Some(Self::Free),
            "balance" => Some(Self::Balance),
            _ => None,
        }
    }
}

/// A foot as it is written; it is looked up in the creature.
#[derive(Clone)]
struct Lift {
    foot: String,
    times: [f64; 2],
}

fn lift(text: &str) -> Result<Lift, String> {
    let wanted = "expected FOOT@START or FOOT@START+DURATION, for example foot.left@1";
    let (foot, times) = text.rsplit_once('@').ok_or(wanted)?;
    let (start, duration) = match times.rsplit_once('+') {
        Some((start, duration)) => (start, positive(duration)?),
        None => (times, f64::INFINITY),
    };
    let start = at_least_0(start)?;
    Ok(Lift { foot: foot.to_owned(), times: [start, start + duration] })
}

fn share_at(text: &str) -> Result<[f64; 2], String> {
    let (share, time) = text.split_once('@').ok_or("expected SHARE@TIME, for example 0.8@3")?;
    Ok([at_least_0(time)?, positive(share)?])
}

fn realism(text: &str) -> Result<f64, String> {
    let number = finite(text)?;
    if (0.0..=1.0).contains(&number) {
        Ok(number)
    } else {
        Err(format!("{text} is not a number from 0 to 1"))
    }
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::Failed(error.to_string())
}

impl ReducedArguments {
    /// For all other controls.
    pub(super) fn refuse(&self) -> Result<(), Failure> {
        if self.basis.is_some() {
            return Err(failed("--basis is for reduced and balance"));
        }
        Ok(())
    }

    fn read_basis(&self, creature: &Creature) -> Result<Basis, Failure> {
        let Some(path) = &self.basis else {
            let message =
                "it moves in the directions of a basis: give --basis FILE, which `gambol basis` makes";
            return Err(failed(message));
        };
        let text =
            std::fs::read_to_string(path).map_err(|error| failed(format!("{}: {error}", path.display())))?;
        from_basis_file(&path.display().to_string(), &text, creature, JointMatch::Same).map_err(failed)
    }

    fn learn_limits(&self, creature: &Creature, mean: &[f64]) -> Result<Vec<JointLimit>, Failure> {
        if self.limits.is_empty() {
            return Ok(Vec::new());
        }
        let mut poses = Vec::new();
        for path in &self.limits {
            let motion = gambol::load_motion_of(path, creature, &gambol::MotionOptions::default(), false)
                .map_err(failed)?;
            poses.extend(motion.poses);
        }
        JointLimit::learn(creature, mean, poses.iter().map(Vec::as_slice)).map_err(failed)
    }

    fn settings(&self) -> ReducedSettings {
        let mut settings = ReducedSettings::default();
        if let Some(integrator) = self.reduced_step {
            settings.integrator = match integrator {
                IntegratorName::Variational => Integrator::Variational,
                IntegratorName::Explicit => Integrator::Explicit,
                IntegratorName::Euclidean => Integrator::Euclidean,
                IntegratorName::Corrected => Integrator::Corrected,
            };
        }
        if self.actuation == Some(ActuationName::Paper) {
            settings.actuation = Actuation::Paper;
        }
        settings.realism = self.realism.unwrap_or(settings.realism);
        settings
    }

    /// Feet that are lifted, heights, and what else is wished, on top of the balance itself.
    fn tell(&self, balance: &mut Balance) -> Result<(), Failure> {
        for Lift { foot, times } in &self.lift {
            let names: Vec<&str> = balance.feet.iter().map(|foot| foot.name.as_str()).collect();
            let names = names.join(", ");
            let own = balance.feet.iter_mut().find(|own| own.name == *foot);
            let own =
                own.ok_or_else(|| failed(format!("--lift: it has no {foot:?}; it stands on {names}")))?;
            own.lifted.push(*times);
        }
        balance.heights.extend(&self.body_height);
        balance.stops_spin = !self.no_momentum;
        Ok(())
    }
}

impl Simulate {
    pub(super) fn run_reduced(&self, control: ReducedControl, out: &mut impl Write) -> Result<(), Failure> {
        let inputs = self.reduced.basis.as_deref();
        let (outputs, mut creature, rig) = self.run.begin(inputs)?;
        if self.run.world.self_collision || !self.run.world.pull.is_empty() || self.run.time.seed != 0 {
            return Err(failed("--self-collision, --pull and --seed are not for reduced and balance"));
        }
        if control == ReducedControl::Free
            && (self.reduced.features.is_some() || !self.reduced.lift.is_empty())
        {
            return Err(failed("--features and --lift are for balance"));
        }
        if self.reduced.no_gravity {
            creature.remove_gravity();
        }
        let basis = self.reduced.read_basis(&creature)?;
        let (world, state, balance) = self.reduced_world(&creature, &basis, control)?;
        let seconds = self.run.time.seconds.unwrap_or(SECONDS);
        let shoves = self.run.world.shoves(&creature)?;
        let plan = ReducedPlan {
            start: state,
            seconds,
            shoves: &shoves,
            balance: balance.as_ref(),
            fps: self.run.time.fps,
        };
        let clock = std::time::Instant::now();
        let rollout = simulate_reduced(&world, &plan, &mut progress(seconds));
        let wall = clock.elapsed().as_secs_f64();
        let name = if balance.is_some() { "balance" } else { "reduced" };
        self.run.write(
            &outputs,
            (&creature, world.settings.ground.as_ref()),
            &rollout.clip,
            name,
            rig.as_ref(),
        )?;
        let told = Told::new(&world, &rollout, wall);
        if self.run.json {
            write_json(out, &told)?;
        } else if self.run.report || self.run.output.is_empty() {
            told.write(out)?;
        }
        if let Some(time) = rollout.report.fell_at {
            let message = format!("{} fell after {time:.2} s", creature.name());
            return Err(Failure::Ended { status: FELL, message: Some(message) });
        }
        rollout
            .divergence
            .map_or(Ok(()), |divergence| Err(failed(format!("the simulation diverged {divergence}"))))
    }

    /// The body in its world, where it begins, and what it is told. It begins near the creature's rest pose; who balances, standing.
    fn reduced_world(
        &self,
        creature: &Creature,
        basis: &Basis,
        control: ReducedControl,
    ) -> Result<(ReducedWorld, ReducedState, Option<Balance>), Failure> {
        let basis = match self.reduced.directions {
            Some(count) if count > basis.flexible().len() => {
                let has = basis.flexible().len();
                return Err(failed(format!("--directions {count}: the basis has {has} that bend it")));
            }
            Some(count) => basis.truncated(count),
            None => basis.clone(),
        };
        let shapes = basis.flexible().iter().map(|direction| direction.shape.as_slice());
        let body = ReducedBody::new(creature, basis.mean(), shapes).map_err(failed)?;
        let limits = self.reduced.learn_limits(creature, basis.mean())?;
        let settings = ReducedSettings {
            step: self.run.time.step.unwrap_or(ReducedSettings::default().step),
            ground: self.run.world.ground(None)?,
            friction: self.run.world.friction,
            ..self.reduced.settings()
        };
        let world = ReducedWorld::new(body, settings, limits).map_err(failed)?;
        let mut memory = world.memory();
        let mut g = start(&world, creature, &basis)?;
        memory.data.place(&world.body, &g);
        if let Some(ground) = &world.settings.ground {
            let mut pose = memory.data.q.clone();
            stand_on(creature, ground, &mut pose);
            let root = world.body.base().q;
            g[..3].copy_from_slice(&pose[root..root + 3]);
        }
        let balance = match control {
            ReducedControl::Free => None,
            ReducedControl::Balance => {
                let mut balance = Balance::new(creature, creature.rest_pose());
                if balance.feet.is_empty() {
                    return Err(failed(format!("{} has no feet to balance on", creature.name())));
                }
                let left = balance.stand(&world, &mut memory, &mut g);
                if left > LEAST_STANCE {
                    let cm = 100.0 * left;
                    let message = format!(
                        "{} does not stand in these directions: a foot stays {cm:.1} cm off the ground",
                        creature.name()
                    );
                    return Err(failed(message));
                }
                self.reduced.tell(&mut balance)?;
                if let Some(path) = &self.reduced.features {
                    let named =
                        |error: &dyn std::fmt::Display| failed(format!("{}: {error}", path.display()));
                    let text = std::fs::read_to_string(path).map_err(|error| named(&error))?;
                    memory.data.place(&world.body, &g);
                    let frames = &memory.data.full.frames;
                    balance.features = features_from_toml(&text, creature, frames, world.settings.step)
                        .map_err(|error| named(&error))?;
                }
                Some(balance)
            }
        };
        let state = ReducedState::new(&world.body, &mut memory.data, &g, &vec![0.0; world.body.n()]);
        Ok((world, state, balance))
    }
}

/// A foot that is farther off the ground than this where all else is done does not stand, m.
const LEAST_STANCE: f64 = 0.02;

/// The rest pose, as far as the directions have it.
fn start(world: &ReducedWorld, creature: &Creature, basis: &Basis) -> Result<Vec<f64>, Failure> {
    let rest = basis.posture(creature, creature.rest_pose()).map_err(failed)?;
    let x = basis.project(creature, &rest).map_err(failed)?;
    let mut g = world.body.start();
    let root = world.body.base().q;
    g[..PLACE].copy_from_slice(&creature.rest_pose()[root..root + PLACE]);
    let rigid = x.len() - world.body.directions();
    g[PLACE..].copy_from_slice(&x[rigid..]);
    Ok(g)
}

fn progress(seconds: f64) -> impl FnMut(f64) {
    let watched = std::io::stderr().is_terminal();
    let mut last = 0.0;
    move |done: f64| {
        if watched && (done - last >= 0.01 || done == 1.0) {
            last = done;
            let end = if done == 1.0 { "\n" } else { "" };
            let _ = write!(std::io::stderr(), "\rgambol: {:.2} s of {seconds} s{end}", done * seconds);
        }
    }
}

/// What is told of a simulation.
#[derive(Serialize)]
struct Told {
    creature: String,
    directions: usize,
    integrator: &'static str,
    actuation: &'static str,
    seconds: f64,
    steps: usize,
    /// s
    step: f64,
    /// s
    fell_at: Option<f64>,
    /// m
    height_least: f64,
    height_most: f64,
    height_last: f64,
    airborne_steps: usize,
    /// Shares of the weight.
    ghost_force_mean: f64,
    ghost_force_most: f64,
    /// N·m
    ghost_moment_mean: f64,
    ghost_moment_most: f64,
    /// Share of the weight.
    ground_force_mean: f64,
    /// Share of friction's limit.
    friction_most: f64,
    /// N·m·s
    spin_most: f64,
    unsolved_steps: usize,
    /// s
    diverged_at: Option<f64>,
    reason: Option<String>,
    /// µs
    time_per_step: f64,
}

impl Told {
    fn new(world: &ReducedWorld, rollout: &ReducedRollout, wall: f64) -> Self {
        let report: &BalanceReport = &rollout.report;
        Self {
            creature: world.body.creature().name().to_owned(),
            directions: world.body.directions(),
            integrator: world.settings.integrator.name(),
            actuation: if world.settings.actuation == Actuation::Paper { "paper" } else { "internal" },
            seconds: rollout.end.time,
            steps: report.steps,
            step: world.settings.step,
            fell_at: report.fell_at,
            height_least: report.least_height,
            height_most: report.most_height,
            height_last: report.last_height,
            airborne_steps: report.airborne,
            ghost_force_mean: report.ghost_force[0],
            ghost_force_most: report.ghost_force[1],
            ghost_moment_mean: report.ghost_moment[0],
            ghost_moment_most: report.ghost_moment[1],
            ground_force_mean: report.ground_force,
            friction_most: report.friction,
            spin_most: report.spin,
            unsolved_steps: report.unsolved,
            diverged_at: rollout.divergence.as_ref().map(|divergence| divergence.time),
            reason: rollout.divergence.as_ref().map(|divergence| divergence.reason.clone()),
            time_per_step: 1e6 * wall / report.steps.max(1) as f64,
        }
    }

    fn write(&self, out: &mut impl Write) -> Result<(), Failure> {
        let mut table = plain(&["", ""]);
        let mut row = |what: &str, value: String| {
            table.add_row([what.to_owned(), value]);
        };
        row("directions", self.directions.to_string());
        row("integrator", self.integrator.to_owned());
        row("simulated", format!("{:.2} s in {} steps of {} s", self.seconds, self.steps, self.step));
        row(
            "height of the centre of mass",
            format!(
                "{:.3} to {:.3} m, {:.3} m at the end",
                self.height_least, self.height_most, self.height_last
            ),
        );
        row("in the air", format!("{} steps", self.airborne_steps));
        row("force of the ground", format!("{:.1} % of the weight", 100.0 * self.ground_force_mean));
        row("largest angular momentum", format!("{:.3} N·m·s", self.spin_most));
        if self.actuation == "paper" {
            row(
                "ghost",
                format!(
                    "{:.1} % of the weight ({:.1} % at most), {:.1} N·m ({:.1} at most)",
                    100.0 * self.ghost_force_mean,
                    100.0 * self.ghost_force_most,
                    self.ghost_moment_mean,
                    self.ghost_moment_most
                ),
            );
        }
        if self.unsolved_steps > 0 {
            row("wishes that could not be followed", format!("{} steps", self.unsolved_steps));
        }
        row("computed in", format!("{:.0} µs a step", self.time_per_step));
        Ok(writeln!(out, "{table}")?)
    }
}

//! `cargo xtask legged`: creatures that go by their own torques, in MuJoCo.
//!
//! Two questions. Do the torques of one stride, replayed open loop from the same state, lead to the same motion within the bounds of
//! docs/controllers.md? And does a controller that sees MuJoCo's state alone, and answers with torques, keep the creature up there for twenty
//! seconds?

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use gambol::LoadOptions;
use gambol::control::legged::{Method, STRIDE_KEYS, Walker, WalkerSettings};
use gambol::control::{AnyController, Command};
use gambol::dynamics::{Data, Sense, State, StepSettings, Stepper, World, center_of_mass};
use gambol::formats::{MjcfOptions, to_mjcf};
use gambol::gait::{Sampling, Wish, perform, prepare};
use gambol::model::Vec3;
use gambol::motion::Clip;
use serde::Deserialize;

use crate::docs::put_table;
use crate::peers;
use crate::replay::{self, Case, driven};
use crate::shell::{Result, command, target};

const DOCS: &str = "docs/roam.md";

/// Gaits of the dog and their speeds, m/s: those of Coros et al. 2011.
const GAITS: [(&str, f64); 7] = [
    ("walk", 1.0),
    ("trot", 1.5),
    ("pace", 1.5),
    ("bound", 1.5),
    ("canter", 3.0),
    ("gallop", 3.5),
    ("rotary-gallop", 4.0),
];

/// N·m at every joint of the dog that goes by MuJoCo's state.
const LIMIT: f64 = 100.0;

/// N·m: of replayed torques, more than a joint ever has. A joint at its limit has no damper in our step, and MuJoCo's has.
const NO_LIMIT: f64 = 1e6;

/// Until the replayed stride begins, strides: what is replayed is a stride that the controller made, not the clip.
const BEFORE: f64 = 2.0;

/// "Up" means so long, s.
const LONG: f64 = 20.0;

/// MuJoCo's steps in one of the controller's, and the time constant of its contacts, s: ten times as long as a step, where it asks for at least
/// two. With four a light toe, pressed by a whole leg, bounces from step to step until the numbers overflow: a trot was lost after 0.7 s
/// there that goes on for 20 s with ten.
const SUBSTEPS: usize = 10;
const CONTACT: f64 = 0.001;

/// What is asked of MuJoCo.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Question {
    /// The torques of a stride of each gait, open loop
    Open,
    /// Each gait by a controller that sees MuJoCo's state, for twenty seconds
    Closed,
}

/// Asks one question or both, of gaits with one of the words in their name.
pub(crate) fn run(question: Option<Question>, words: &[String], docs: bool) -> Result<()> {
    let wanted =
        |gait: &&(&str, f64)| words.is_empty() || words.iter().any(|word| gait.0.contains(word.as_str()));
    let gaits: Vec<&(&str, f64)> = GAITS.iter().filter(wanted).collect();
    let mut failed = Vec::new();
    if !matches!(question, Some(Question::Closed)) {
        for (gait, speed) in &gaits {
            failed.extend(replay::compare(&stride(gait, *speed)?, &replay::MUJOCO[..1])?);
        }
    }
    if !matches!(question, Some(Question::Open)) {
        let mut table = "| dog, 100 N·m, in MuJoCo | m/s wanted | up | mean speed, m/s | peak torque, N·m | force on the root, N |\n|---|--:|--:|--:|--:|--:|".to_owned();
        for (gait, speed) in &gaits {
            let row = closed(gait, *speed, LONG)?;
            println!("{row}");
            table.push('\n');
            table.push_str(&row);
        }
        if docs {
            put_table(DOCS, "mujoco", &table)?;
        } else {
            println!("\n{table}");
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// What `cargo xtask test` asks for: two seconds of a trot by MuJoCo's state. Open loop no gait on four legs is within the bounds of
/// controllers that were found: toes that graze decide where it goes.
pub(crate) fn check() -> Result<()> {
    let seconds = 2.0;
    let outcome = in_mujoco("trot", 1.5, seconds)?;
    if outcome.up < seconds - 0.02 || (outcome.speed / 1.5 - 1.0).abs() > 0.05 {
        return Err(format!("the dog trots for {:.2} s at {:.2} m/s in MuJoCo", outcome.up, outcome.speed));
    }
    if outcome.outside > 0.0 {
        return Err(format!("{} N on its root", outcome.outside));
    }
    Ok(())
}

fn walker(gait: &str, speed: f64, limit: f64) -> Result<Walker> {
    let text = |error: &dyn std::fmt::Display| format!("{gait}: {error}");
    let dog = gambol::load("dog", &LoadOptions::default()).map_err(|error| text(&error))?;
    let mut data = Data::new(&dog);
    let wish = Wish { speed: Some(speed), ..Wish::default() };
    let (body, design) = prepare(dog, &mut data, gait, |_| (), &wish).map_err(|error| text(&error))?;
    let sampling = Sampling { seconds: None, fps: STRIDE_KEYS };
    let clip = perform(&body, &mut data, &design.gait, &sampling).map_err(|error| text(&error))?.clip;
    let settings = WalkerSettings::default();
    Walker::new(body.creature, &clip, Some(limit), &settings).map_err(|error| text(&error))
}

fn world(walker: &Walker) -> Result<World> {
    let settings = StepSettings { step: walker.step, ..StepSettings::default() };
    World::new(walker.creature.clone(), settings).map_err(|error| error.to_string())
}

/// A stride that the controller made, as a case to be replayed.
fn stride(gait: &str, speed: f64) -> Result<Case> {
    let walker = walker(gait, speed, NO_LIMIT)?;
    let world = world(&walker)?;
    let controller = walker.controller(Method::Whole, None).map_err(|error| error.to_string())?;
    let period = walker.pilot.reference.period();
    let begin = (BEFORE * period / walker.step).round();
    let steps = (period / walker.step).round();
    let first = driven(&world, &*controller, walker.start.clone(), (begin - 0.5) * walker.step, &[])?;
    // Once more from the start, so that the controller remembers.
    let all = driven(&world, &*controller, walker.start.clone(), (begin + steps - 0.5) * walker.step, &[])?;
    let feet = &walker.pilot.reference.feet;
    Ok(Case {
        name: format!("dog-{gait}"),
        feet: feet.iter().map(|foot| (foot.name.clone(), foot.bodies.clone())).collect(),
        up: Vec3::z(),
        q: first.end.q,
        v: first.end.v,
        period,
        step: walker.step,
        settings: world.settings().clone(),
        torques: all.torques[first.torques.len()..].to_vec(),
        creature: walker.creature,
    })
}

/// A state of MuJoCo's.
#[derive(Deserialize)]
struct Seen {
    time: f64,
    qpos: Vec<f64>,
    qvel: Vec<f64>,
}

/// How it went.
struct Outcome {
    /// s
    up: f64,
    /// m/s along its way.
    speed: f64,
    /// N·m
    peak: f64,
    /// Most that the controller asked of the root, N.
    outside: f64,
}

fn closed(gait: &str, speed: f64, seconds: f64) -> Result<String> {
    let Outcome { up, speed: mean, peak, outside } = in_mujoco(gait, speed, seconds)?;
    let up = if up >= seconds - 0.02 { format!("{seconds} s") } else { format!("falls at {up:.1} s") };
    Ok(format!("| {gait} | {speed:.1} | {up} | {mean:.2} | {peak:.1} | {outside} |"))
}

/// The controller sees MuJoCo's state alone, and MuJoCo has its torques alone.
fn in_mujoco(gait: &str, speed: f64, seconds: f64) -> Result<Outcome> {
    let walker = walker(gait, speed, LIMIT)?;
    let world = world(&walker)?;
    let controller = walker.controller(Method::Whole, None).map_err(|error| error.to_string())?;
    let folder = target().join("replay");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let model = folder.join(format!("closed-{gait}.xml"));
    let options = MjcfOptions { timestep: walker.step, ..MjcfOptions::default() };
    to_mjcf(&walker.creature, &options).write(&model, true).map_err(|error| error.to_string())?;
    let run = serde_json::json!({
        "path": model, "qpos": walker.start.q, "qvel": walker.start.v, "step": walker.step, "substeps": SUBSTEPS,
        "contact": CONTACT, "limits": limits(&walker), "seconds": seconds,
    });
    let file = model.with_extension("json");
    std::fs::write(&file, run.to_string()).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut peer = command(peers::python()?, &["xtask/peers/legged.py"]);
    let mut peer = peer
        .arg(&file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let (Some(mut answers), Some(states)) = (peer.stdin.take(), peer.stdout.take()) else {
        return Err("legged.py has no pipes".to_owned());
    };
    let outcome = answer(&walker, &world, &*controller, &mut answers, BufReader::new(states));
    drop(answers);
    let ended = peer.wait().map_err(|error| error.to_string())?;
    let outcome = outcome?;
    // It breaks off when nobody answers any more, after a fall.
    if ended.success() || outcome.up < seconds - 0.02 {
        Ok(outcome)
    } else {
        Err(format!("legged.py: {ended}"))
    }
}

/// Nothing may act on the root.
fn limits(walker: &Walker) -> Vec<f64> {
    let mut limits = walker.strength.clone();
    let root = walker.pilot.reference.base.v;
    limits[root..root + 6].fill(0.0);
    limits
}

/// Answers every state with torques, until it falls or MuJoCo ends.
fn answer(
    walker: &Walker,
    world: &World,
    controller: &dyn AnyController,
    answers: &mut impl Write,
    states: impl BufRead,
) -> Result<Outcome> {
    let creature = world.creature();
    let ground = world.settings().ground.as_ref();
    let (mut stepper, mut data) = (Stepper::new(world), Data::new(creature));
    let (mut command, mut memory) = (Command::new(creature), controller.begin(creature));
    let mut outcome = Outcome { up: 0.0, speed: 0.0, peak: 0.0, outside: 0.0 };
    let root = walker.pilot.reference.base.v..walker.pilot.reference.base.v + 6;
    let ahead = walker.pilot.reference.velocity.normalize();
    let mut first = None;
    for line in states.lines() {
        let line = line.map_err(|error| error.to_string())?;
        let seen: Seen =
            serde_json::from_str(&line).map_err(|error| format!("legged.py: {error}: {line}"))?;
        let mut state = State::new(&seen.qpos, &seen.qvel);
        state.time = seen.time;
        let center = center_of_mass(creature, &mut data, &seen.qpos);
        let from = *first.get_or_insert(center);
        let frame = Clip {
            name: String::new(),
            times: vec![seen.time],
            poses: vec![seen.qpos],
            stride: None,
            contacts: Vec::new(),
            travel: None,
        };
        if walker.upright.fall(creature, &frame, ground).is_some() {
            break;
        }
        outcome.up = seen.time + walker.step;
        outcome.speed = (center - from).dot(&ahead) / seen.time.max(walker.step);
        let sense = Sense::new(world, &mut stepper, &mut state);
        controller.drive(&sense, &mut memory, &mut command);
        for (dof, torque) in command.torque.iter().enumerate() {
            if root.contains(&dof) {
                outcome.outside = outcome.outside.max(torque.abs());
            } else {
                let damped = creature.joints()[creature.dofs()[dof].joint].damping * state.v[dof];
                outcome.peak = outcome.peak.max((torque - damped).abs().min(walker.strength[dof]));
            }
        }
        let text = serde_json::to_string(&command.torque).map_err(|error| error.to_string())?;
        if writeln!(answers, "{text}").and_then(|()| answers.flush()).is_err() {
            break;
        }
    }
    Ok(outcome)
}

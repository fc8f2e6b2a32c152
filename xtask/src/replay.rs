//! `cargo xtask replay`: the torques of a controller in MuJoCo, on the creature that we export and from the same state. A
//! controller that lives on mistakes of our simulator falls over there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gambol::LoadOptions;
use gambol::control::locomotion::{Bursts, Stride, read_controller, world};
use gambol::control::sketch::Stage;
use gambol::control::{AnyController, Command};
use gambol::dynamics::{Data, Drive, Sense, State, StepSettings, Stepper, World, center_of_mass, step};
use gambol::formats::{MjcfOptions, to_mjcf};
use gambol::model::{Creature, Vec3};
use serde::Deserialize;

use crate::peers;
use crate::shell::{Result, command, output, target};

/// In how many parts our steps are taken to see what is due to their length. Odd, so that all have poses at the same times.
const PARTS: [usize; 3] = [1, 3, 9];

/// MuJoCo's steps in one of ours, and the time constant of its contacts, s. The first is the yardstick: 16 µs where ours is 2
/// ms, and contacts as stiff as that can follow. The others show what the softness of its contacts does.
pub(crate) const MUJOCO: [(usize, f64); 4] = [(128, 0.000_25), (64, 0.0005), (64, 0.001), (64, 0.002)];

/// How far apart a cycle may be at most.
#[derive(Clone, Copy)]
struct Bounds {
    /// Centre of mass, m.
    com: f64,
    /// Any coordinate of any joint, rad.
    angle: f64,
    /// Touch-down or take-off, s.
    touch: f64,
}

/// With the step that a controller was found with. Centre of mass: as far apart as start and end of a cycle may be that
/// a search calls closed. Angles: a foot that would touch within a step stops at its start, so it lands up to two steps early, and a
/// knee that lands turns at 10 rad/s: 0.04 rad. Contacts: less than a frame of film.
const OWN_STEP: Bounds = Bounds { com: 0.02, angle: 0.04, touch: 0.01 };

/// With a ninth of it, what is left is the other contact model: three times what MuJoCo differs by from itself when its
/// contacts are half as stiff, 1.5 mm and 3 mrad, and some steps of a foot that comes in flat.
const FINE_STEP: Bounds = Bounds { com: 0.005, angle: 0.01, touch: 0.003 };

/// A creature that starts deeper in the ground, m, is pushed out of it, which our ground does gently and MuJoCo's does not: not a state
/// that it can come to. Ours lets it sink by micrometres.
const MOST_DEPTH: f64 = 0.001;

/// A foot that is pressed by less does not stand, in parts of the weight: 0.7 N of the runner.
const LEAST_LOAD: f64 = 0.001;

/// A foot that leaves the ground for less has not left it, s: as in the reports of simulations.
const LIFT: f64 = 0.02;

/// A creature, where it starts, and what is done to it.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) creature: Creature,
    /// Names and bodies of all feet.
    pub(crate) feet: Vec<(String, Vec<usize>)>,
    pub(crate) up: Vec3,
    /// Where it starts, ...
    pub(crate) q: Vec<f64>,
    /// ... and with which velocity, half a step before.
    pub(crate) v: Vec<f64>,
    /// Of a cycle, s.
    pub(crate) period: f64,
    /// s
    pub(crate) step: f64,
    /// Of our simulation, but for the step.
    pub(crate) settings: StepSettings,
    /// One for each step of a cycle.
    pub(crate) torques: Vec<Vec<f64>>,
}

/// What was seen of a run.
#[derive(Deserialize)]
struct Motion {
    /// At the start of each step of ours.
    poses: Vec<Vec<f64>>,
    coms: Vec<[f64; 3]>,
    /// Upward force on each foot in every step of its own, N, from half a step of ours before the first pose on: our velocities
    /// are those half a step before poses, so that is where a run begins.
    loads: Vec<Vec<f64>>,
    /// How deep in the ground the first pose is, as MuJoCo finds it, m.
    #[serde(default)]
    depth: f64,
}

/// How far two runs are apart at most.
struct Apart {
    com: f64,
    angle: f64,
    /// Whose angle, and when, s.
    joint: String,
    at: f64,
    /// Root of the mean square of all angles.
    mean: f64,
    /// None if feet do not touch equally often.
    touch: Option<f64>,
}

/// Replays controllers, all of the gallery if none is named, and compares.
pub(crate) fn run(controllers: &[String]) -> Result<()> {
    let mut names: BTreeSet<&str> = controllers.iter().map(String::as_str).collect();
    if names.is_empty() {
        names = gallery();
    }
    replay(&names, &MUJOCO)
}

/// What `cargo xtask test` asks for: all controllers of the gallery, against MuJoCo's finest alone.
pub(crate) fn check() -> Result<()> {
    replay(&gallery(), &MUJOCO[..1])
}

fn gallery() -> BTreeSet<&'static str> {
    gambol::gallery::controllers().iter().map(|(name, _)| *name).collect()
}

fn replay(names: &BTreeSet<&str>, settings: &[(usize, f64)]) -> Result<()> {
    let mut failed = Vec::new();
    for name in names {
        failed.extend(compare(&load(name)?, settings)?);
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// The file of a controller: at a path, else the gallery's.
pub(crate) fn text(name: &str) -> Result<String> {
    if let (false, Some(text)) = (Path::new(name).is_file(), gambol::gallery::controller(name)) {
        return Ok(text.to_owned());
    }
    std::fs::read_to_string(name).map_err(|error| format!("{name}: {error}"))
}

/// A controller, and the torques of a whole cycle.
pub(crate) fn load(name: &str) -> Result<Case> {
    let text = text(name)?;
    let find = |name: &str| gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string());
    let (sketch, stage, stride, step) =
        read_controller(&text, find).map_err(|error| format!("{name}: {error}"))?;
    let torques = torques(&stage, &stride, step)?;
    let feet = stage.stance.iter().chain(&stage.others).map(|foot| (foot.name.clone(), foot.bodies.clone()));
    let world = world(&stage, step).map_err(|error| error.to_string())?;
    Ok(Case {
        name: sketch.name,
        feet: feet.collect(),
        up: stage.axes[2],
        q: stride.q,
        v: stride.v,
        period: stride.period,
        step,
        settings: world.settings().clone(),
        creature: stage.creature,
        torques,
    })
}

/// What a controller does in our simulation, step by step.
fn torques(stage: &Stage, stride: &Stride, step: f64) -> Result<Vec<Vec<f64>>> {
    let controller = Bursts::new(stage, stride, step);
    let world = world(stage, step).map_err(|error| error.to_string())?;
    let start = State::new(&stride.q, &stride.v);
    Ok(driven(&world, &controller, start, stride.period, &[])?.torques)
}

/// What a controller did in our simulation.
pub(crate) struct Driven {
    /// One for each step.
    pub(crate) torques: Vec<Vec<f64>>,
    pub(crate) end: State,
}

/// Lets a controller drive a creature for so many seconds; every coordinate has at most `strength`, if that says something.
pub(crate) fn driven(
    world: &World,
    controller: &dyn AnyController,
    start: State,
    seconds: f64,
    strength: &[f64],
) -> Result<Driven> {
    let (mut stepper, mut state) = (Stepper::new(world), start);
    let (mut command, mut memory) = (Command::new(world.creature()), controller.begin(world.creature()));
    let mut torques = Vec::new();
    while state.time < seconds {
        let sense = Sense::new(world, &mut stepper, &mut state);
        controller.drive(&sense, &mut memory, &mut command);
        let drive = Drive { rest: &command.rest, torque: &command.torque, strength, pushes: &[] };
        sense.step(&drive).map_err(|error| error.to_string())?;
        torques.push(command.torque.clone());
    }
    Ok(Driven { torques, end: state })
}

/// Prints a table, and says what is farther apart than it may be.
pub(crate) fn compare(case: &Case, settings: &[(usize, f64)]) -> Result<Vec<String>> {
    let ours = PARTS.iter().map(|&parts| ours(case, parts)).collect::<Result<Vec<_>>>()?;
    let theirs = theirs(case, settings)?;
    let ms = |parts: usize| 1e3 * case.step / parts as f64;
    let finest = (&theirs[0], case.step / settings[0].0 as f64);
    let mut failed = Vec::new();

    println!(
        "\n### {}: {:.3} s, from MuJoCo with steps of {:.3} ms and contacts of {} ms\n",
        case.name,
        case.period,
        ms(settings[0].0),
        1e3 * settings[0].1
    );
    println!(
        "| | centre of mass, mm | joints, mrad | where | mean, mrad | contacts, ms |\n|---|--:|--:|---|--:|--:|"
    );
    for (motion, parts) in ours.iter().zip(PARTS) {
        let apart = apart(case, (motion, case.step / parts as f64), finest);
        println!("| gambol, {:.2} ms | {apart} |", ms(parts));
        let bounds = if parts == 1 {
            Some(OWN_STEP)
        } else if parts == PARTS[2] {
            Some(FINE_STEP)
        } else {
            None
        };
        if bounds.is_some_and(|bounds| !apart.is_within(bounds)) {
            failed.push(format!(
                "{} with steps of {:.2} ms goes another way in MuJoCo",
                case.name,
                ms(parts)
            ));
        }
    }
    for (motion, &(substeps, contact)) in theirs.iter().zip(settings).skip(1) {
        let apart = apart(case, (motion, case.step / substeps as f64), finest);
        println!("| MuJoCo, {:.3} ms, contacts of {} ms | {apart} |", ms(substeps), 1e3 * contact);
    }
    println!("\n| on the ground, s | gambol, {} ms | MuJoCo |\n|---|---|---|", ms(1));
    for (k, (foot, _)) in case.feet.iter().enumerate() {
        let [ours, theirs] = [(&ours[0], case.step), finest].map(|run| shown(&intervals(case, run, k)));
        println!("| {foot} | {ours} | {theirs} |");
    }
    let depth = theirs[0].depth;
    if depth > MOST_DEPTH {
        failed.push(format!("{} starts {:.1} mm deep in the ground", case.name, 1e3 * depth));
    }
    Ok(failed)
}

fn shown(intervals: &[[f64; 2]]) -> String {
    intervals
        .iter()
        .map(|[from, to]| format!("{:.3} – {to:.3}", from.max(0.0)))
        .collect::<Vec<_>>()
        .join(", ")
}

impl Apart {
    fn is_within(&self, bounds: Bounds) -> bool {
        self.com < bounds.com
            && self.angle < bounds.angle
            && self.touch.is_some_and(|touch| touch < bounds.touch)
    }
}

impl std::fmt::Display for Apart {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let touch = self.touch.map_or("others".into(), |touch| format!("{:.1}", 1e3 * touch));
        let [com, angle, mean] = [self.com, self.angle, self.mean].map(|x| 1e3 * x);
        write!(f, "{com:.1} | {angle:.1} | {} at {:.3} s | {mean:.2} | {touch}", self.joint, self.at)
    }
}

/// The largest differences of two runs, each with the time between its loads.
fn apart(case: &Case, a: (&Motion, f64), b: (&Motion, f64)) -> Apart {
    let creature = &case.creature;
    let coms = a.0.coms.iter().zip(&b.0.coms).map(|(a, b)| (Vec3::from(*a) - Vec3::from(*b)).norm());
    let mut apart =
        Apart { com: largest(coms), angle: 0.0, joint: String::new(), at: 0.0, mean: 0.0, touch: None };
    let mut away = vec![0.0; creature.nv()];
    for (k, (p, q)) in a.0.poses.iter().zip(&b.0.poses).enumerate() {
        creature.difference(p, q, &mut away);
        for (dof, angle) in away.iter().enumerate().skip(6) {
            apart.mean += angle * angle;
            if angle.abs() > apart.angle {
                apart.angle = angle.abs();
                apart.joint.clone_from(&creature.joints()[creature.dofs()[dof].joint].name);
                apart.at = k as f64 * case.step;
            }
        }
    }
    apart.mean = (apart.mean / (a.0.poses.len() * (creature.nv() - 6)) as f64).sqrt();
    let feet = case.feet.len();
    let times = |run| (0..feet).map(|foot| intervals(case, run, foot)).collect::<Vec<_>>();
    let (p, q) = (times(a), times(b));
    if p.iter().map(Vec::len).eq(q.iter().map(Vec::len)) {
        let ends = p.iter().flatten().flatten().zip(q.iter().flatten().flatten());
        apart.touch = Some(largest(ends.map(|(p, q)| (p - q).abs())));
    }
    apart
}

fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, f64::max)
}

/// When a foot is on the ground, s.
fn intervals(case: &Case, (motion, pace): (&Motion, f64), foot: usize) -> Vec<[f64; 2]> {
    let least = LEAST_LOAD * case.creature.mass() * case.creature.gravity().norm();
    let mut intervals: Vec<[f64; 2]> = Vec::new();
    for (k, _) in motion.loads.iter().enumerate().filter(|(_, loads)| loads[foot] > least) {
        let from = k as f64 * pace - 0.5 * case.step;
        match intervals.last_mut() {
            Some(last) if from - last[1] < LIFT => last[1] = from + pace,
            _ => intervals.push([from, from + pace]),
        }
    }
    intervals
}

/// Bodies of all feet.
fn feet(case: &Case) -> Vec<&[usize]> {
    case.feet.iter().map(|(_, bodies)| bodies.as_slice()).collect()
}

/// Half a step before the first pose, moved on by `time`, s.
fn start(case: &Case, time: f64) -> Vec<f64> {
    let mut q = case.q.clone();
    case.creature.integrate(&mut q, &case.v, time - 0.5 * case.step);
    q
}

/// Our simulation with every step in so many parts.
fn ours(case: &Case, parts: usize) -> Result<Motion> {
    let creature = &case.creature;
    let h = case.step / parts as f64;
    let settings = StepSettings { step: h, ..case.settings.clone() };
    let world = World::new(creature.clone(), settings).map_err(|error| error.to_string())?;
    let (mut stepper, mut data) = (Stepper::new(&world), Data::new(creature));
    let mut state = State::new(&start(case, 0.5 * h), &case.v);
    let feet = feet(case);
    let mut seen = Motion { poses: Vec::new(), coms: Vec::new(), loads: Vec::new(), depth: 0.0 };
    for torque in &case.torques {
        let drive = Drive { rest: creature.rest_pose(), torque, strength: &[], pushes: &[] };
        for part in 0..parts {
            if part == parts / 2 {
                seen.poses.push(state.q.clone());
                seen.coms.push(center_of_mass(creature, &mut data, &state.q).into());
            }
            step(&world, &mut stepper, &mut state, &drive).map_err(|error| error.to_string())?;
            let mut loads = vec![0.0; feet.len()];
            for force in state.contact_forces(&world) {
                let foot = feet.iter().position(|bodies| bodies.contains(&force.contact.bodies[0]));
                if let Some(foot) = foot {
                    loads[foot] += force.force.dot(&case.up);
                }
            }
            seen.loads.push(loads);
        }
    }
    Ok(seen)
}

/// How far the centre of mass goes in so many steps in MuJoCo at its finest, m.
pub(crate) fn way(case: &Case, steps: usize) -> Result<Vec3> {
    let coms = theirs(case, &MUJOCO[..1])?.swap_remove(0).coms;
    Ok(Vec3::from(coms[steps - 1]) - Vec3::from(coms[0]))
}

/// MuJoCo with several settings.
fn theirs(case: &Case, settings: &[(usize, f64)]) -> Result<Vec<Motion>> {
    let file = exported(case)?;
    let run = |&(substeps, contact): &(usize, f64)| {
        serde_json::json!({
            "name": case.name, "path": file, "rest": case.creature.rest_pose(), "pose": case.q,
            "qpos": start(case, 0.0), "qvel": case.v, "step": case.step, "torques": case.torques, "substeps": substeps,
            "contact": contact, "feet": feet(case),
        })
    };
    let runs = file.with_extension("json");
    let text = serde_json::Value::from(settings.iter().map(run).collect::<Vec<_>>()).to_string();
    std::fs::write(&runs, text).map_err(|error| format!("{}: {error}", runs.display()))?;
    let lines = output(command(peers::python()?, &["xtask/peers/replay.py"]).arg(&runs))?;
    let parse = |line| serde_json::from_str(line).map_err(|error| format!("replay.py: {error}"));
    let motions: Vec<Motion> = lines.lines().map(parse).collect::<Result<_>>()?;
    let steps = case.torques.len();
    if motions.len() == settings.len() && motions.iter().all(|motion| motion.poses.len() == steps) {
        return Ok(motions);
    }
    Err(format!("{}: MuJoCo did not replay all steps", case.name))
}

/// The creature as MJCF, with its ground.
pub(crate) fn exported(case: &Case) -> Result<PathBuf> {
    let folder = target().join("replay");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let file = folder.join(format!("{}.xml", case.name));
    to_mjcf(&case.creature, &MjcfOptions { timestep: case.step, ..MjcfOptions::default() })
        .write(&file, true)
        .map_err(|error| error.to_string())?;
    Ok(file)
}

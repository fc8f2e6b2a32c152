//! Our side of `cargo xtask roam controllers`: `controllers_bench [WORD ...]` lets every controller try the same gaits, with a convex
//! model-predictive one as their peer, and prints how far each gets. With words, only rows with one of them, and only the controllers that
//! are named.
//!

mod horizon;

use std::error::Error;

use gambol::LoadOptions;
use gambol::control::legged::{LegAccount, LegController, Method, Walker, WalkerSettings};
use gambol::control::{AnyController, Plan, Rollout, simulate};
use gambol::dynamics::{Data, StepSettings, Stepper, World};
use gambol::gait::{Sampling, Wish, perform, prepare};
use gambol::model::Vec3;
use horizon::{Horizon, HorizonMemory};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// N·m at every joint of the dog.
const LIMIT: f64 = 100.0;

/// "Up" means so long, s.
const LONG: f64 = 20.0;

/// Creatures, gaits and speeds, m/s; none: the gait's own. A creature of the gallery, or a file with its height, m.
const TRIED: [(&str, &str, Option<f64>); 10] = [
    ("dog", "walk", Some(0.3)),
    ("dog", "walk", Some(1.0)),
    ("dog", "trot", Some(1.5)),
    ("dog", "trot", Some(2.2)),
    ("dog", "pace", Some(1.5)),
    ("dog", "canter", Some(3.0)),
    ("../shared/data/characters/Fox.glb:0.5", "walk", None),
    ("insect", "walk", None),
    ("spider", "walk", None),
    ("human", "walk", None),
];

/// The three, and their peer.
const PEER: &str = "mpc";

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = Method::ALL.map(Method::name).into_iter().chain([PEER]).collect();
    let (named, rows): (Vec<String>, Vec<String>) =
        words.into_iter().partition(|word| names.contains(&word.as_str()));
    let names: Vec<&str> =
        names.into_iter().filter(|name| named.is_empty() || named.iter().any(|word| word == name)).collect();
    println!("| up, and mean speed | m/s wanted | {} |", names.join(" | "));
    println!("|---|--:|{}", "--:|".repeat(names.len()));
    for (name, gait, speed) in TRIED {
        let (file, height) = match name.split_once(':') {
            Some((file, height)) => (file, Some(height.parse()?)),
            None => (name, None),
        };
        let shown = file.rsplit('/').next().unwrap_or(file);
        let row = format!("{shown}, {gait} {}", speed.unwrap_or_default());
        let wanted = rows.is_empty() || rows.iter().any(|word| row.contains(word.as_str()));
        // Files of others need not be there.
        if !wanted || (height.is_some() && !std::path::Path::new(file).exists()) {
            continue;
        }
        let limit = (name == "dog").then_some(LIMIT);
        let walker = walker(file, height, gait, speed, limit)?;
        let cells = names.iter().map(|name| tried(&walker, name)).collect::<Result<Vec<_>>>()?;
        println!("| {shown}, {gait} | {:.2} | {} |", walker.pilot.own_course().speed, cells.join(" | "));
    }
    Ok(())
}

fn walker(
    file: &str,
    height: Option<f64>,
    gait: &str,
    speed: Option<f64>,
    limit: Option<f64>,
) -> Result<Walker> {
    let creature = gambol::load(file, &LoadOptions { height, ..LoadOptions::default() })?;
    let mut data = Data::new(&creature);
    let wish = Wish { speed, ..Wish::default() };
    let (body, design) = prepare(creature, &mut data, gait, |_| (), &wish)?;
    let clip = perform(&body, &mut data, &design.gait, &Sampling { seconds: None, fps: 240.0 })?.clip;
    Ok(Walker::new(body.creature, &clip, limit, &WalkerSettings::default())?)
}

fn tried(walker: &Walker, name: &str) -> Result<String> {
    let method = Method::ALL.into_iter().find(|method| method.name() == name);
    let controller: Box<dyn AnyController> = match method {
        Some(method) => walker.controller(method, None)?,
        None => Box::new(Horizon::new(walker)?),
    };
    let settings = StepSettings { step: walker.step, ..StepSettings::default() };
    let world = World::new(walker.creature.clone(), settings)?;
    let plan = Plan {
        torque_limits: &walker.strength,
        keep_poses: true,
        ..Plan::new(controller.as_ref(), walker.start.clone(), LONG)
    };
    let rollout = simulate(&world, &mut Stepper::new(&world), &plan, &mut |_| ());
    let fall = walker.upright.fall(&walker.creature, &rollout.clip, world.settings().ground.as_ref());
    let up = fall.map_or(rollout.report.seconds, |fall| fall.time);
    let told = if up >= LONG - 0.01 { format!("**{LONG:.0} s**") } else { format!("{up:.1} s") };
    let failures = account(&rollout).map_or(0, |account| account.solver.failures);
    let failed = if failures > 0 { format!(", {failures} failures") } else { String::new() };
    if rollout.report.outside_force > 0.0 {
        return Err(format!("{name}: {} N on the root", rollout.report.outside_force).into());
    }
    Ok(format!("{told}, {:.2}{failed}", speed(walker, &rollout, up)))
}

fn account(rollout: &Rollout) -> Option<LegAccount> {
    let peer = rollout.memory.get::<HorizonMemory>().map(Horizon::account);
    LegAccount::of(&rollout.memory).or(peer)
}

/// m/s along its way until a time.
fn speed(walker: &Walker, rollout: &Rollout, up: f64) -> f64 {
    let q = walker.pilot.reference.base.q;
    let place = |pose: &[f64]| Vec3::new(pose[q], pose[q + 1], 0.0);
    let poses = &rollout.clip.poses;
    let last = rollout.clip.times.partition_point(|time| *time <= up).max(1) - 1;
    (place(&poses[last]) - place(&poses[0])).dot(&walker.pilot.reference.velocity.normalize()) / up.max(1e-9)
}

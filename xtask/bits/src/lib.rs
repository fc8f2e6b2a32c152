//! Computations from one end of the house to the other, each reduced to a number that every bit of its result goes into.
//! The same file gives the same modes, gaits, falls and searches on every machine, and this is how we know: `golden.txt` has
//! the numbers, a test compares them with those of this machine, and `cargo xtask bits` with those of WebAssembly and of
//! aarch64.

mod digest;

use std::error::Error;
use std::fmt::Write;
use std::sync::Arc;

use gambol::control::locomotion::StrideSearch;
use gambol::control::search::{OneThread, SearchSettings};
use gambol::control::sketch::read;
use gambol::control::{AnyController, Passive, Plan, Pump, perturb, simulate, stand_on, suggest};
use gambol::dynamics::{Data, State, StepSettings, Stepper, Terrain, World};
use gambol::gait::{Body, Sampling, Style, Wish, design, perform};
use gambol::model::{Creature, math};
use gambol::modes::{Settings, analyze};
use gambol::{LoadOptions, gallery};

use self::digest::Digest;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Gaits of legs of every number and of none, and of a body with a style.
const GAITS: [(&str, &str); 6] = [
    ("dog", "trot"),
    ("human", "walk"),
    ("bird", "run"),
    ("kangaroo", "hop"),
    ("insect", "walk"),
    ("snake", "slither"),
];

/// The numbers that were written down. Lines that begin with # are about them.
const GOLDEN: &str = include_str!("../golden.txt");

/// Which of these lines are not those that were written down; empty if all are.
pub fn differences(lines: &str) -> String {
    let mut golden = GOLDEN.lines().filter(|line| !line.starts_with('#'));
    let mut found = lines.lines();
    let mut told = String::new();
    loop {
        match (golden.next(), found.next()) {
            (None, None) => return told,
            (golden, found) if golden == found => {}
            (golden, found) => {
                let [golden, found] = [golden, found].map(|line| line.unwrap_or("nothing"));
                let _ = write!(told, "written down: {golden}\n       found: {found}\n");
            }
        }
    }
}

/// A line for each computation: its number and its name.
pub fn lines() -> Result<String> {
    let mut lines = String::new();
    let mut add = |name: &str, digest: Result<Digest>| -> Result<()> {
        let number = digest.and_then(|digest| digest.number()).map_err(|error| format!("{name}: {error}"))?;
        Ok(writeln!(lines, "{number:016x} {name}")?)
    };
    add("functions", Ok(functions()))?;
    for entry in &gallery::ENTRIES {
        add(&format!("modes of {}", entry.name), modes(entry.name))?;
    }
    for (creature, gait) in GAITS {
        add(&format!("{gait} of {creature}"), walked(creature, gait))?;
    }
    add("loop, pumped along two modes", pumped("loop"))?;
    for name in ["dog", "insect"] {
        add(&format!("fall of {name} on a slope, its bodies touching each other"), fallen(name))?;
    }
    add("search for a runner", search("runner"))?;
    Ok(lines)
}

/// Everything in [`math`], over the numbers that bodies have: if only this line agrees, something else is not the same.
fn functions() -> Digest {
    let one: [fn(f64) -> f64; 22] = [
        math::sin,
        math::cos,
        math::tan,
        |x| math::asin(math::sin(x)),
        |x| math::acos(math::cos(x)),
        math::atan,
        math::sinh,
        math::cosh,
        math::tanh,
        math::asinh,
        |x| math::acosh(1.0 + x.abs()),
        |x| math::atanh(math::tanh(x)),
        math::exp,
        math::exp2,
        math::exp_m1,
        |x| math::ln(1e-3 + x.abs()),
        |x| math::ln_1p(x.abs()),
        |x| math::log2(1e-3 + x.abs()),
        |x| math::log10(1e-3 + x.abs()),
        math::cbrt,
        |x| x.abs().sqrt(),
        |x| x.mul_add(1.1, -x),
    ];
    #[allow(clippy::cast_possible_truncation)] // small numbers
    let two: [fn(f64, f64) -> f64; 4] =
        [math::atan2, math::hypot, |x, y| math::powf(x.abs(), y), |x, y| math::powi(x, y as i32)];
    let numbers: Vec<f64> =
        (-400..=400).map(|k| 0.013_7 * f64::from(k) + 1e-3 * f64::from(k * k % 11)).collect();
    let mut digest = Digest::of(&[]);
    for x in &numbers {
        digest.add(one.map(|function| function(*x)).iter());
        digest.add(two.map(|function| function(*x, 1.7 - 0.3 * x)).iter());
    }
    digest
}

fn creature(name: &str) -> Result<Creature> {
    Ok(gambol::load(name, &LoadOptions::default())?)
}

/// All vibrations at rest.
fn modes(name: &str) -> Result<Digest> {
    let creature = creature(name)?;
    let pose = creature.reference_pose().to_vec();
    let basis = analyze(&creature, &mut Data::new(&creature), &pose, &Settings::default())?;
    let numbers = basis.directions().iter().flat_map(|mode| mode.omega_squared.iter().chain(&mode.shape));
    Ok(Digest::of(numbers))
}

/// A loop of a gait, from the modes of the body to feet on the ground.
fn walked(name: &str, gait: &str) -> Result<Digest> {
    let creature = creature(name)?;
    let mut data = Data::new(&creature);
    let body = Body::new(creature, &mut data, &Style::default())?;
    let gait = design(&body, &mut data, gait, &Wish::default())?.gait;
    let clip = perform(&body, &mut data, &gait, &Sampling { seconds: None, fps: 60.0 })?.clip;
    Ok(Digest::of(clip.times.iter().chain(clip.poses.iter().flatten())))
}

/// A second and a half of a creature that pumps itself along the ground.
fn pumped(name: &str) -> Result<Digest> {
    let creature = creature(name)?;
    let pose = creature.reference_pose().to_vec();
    let modes = analyze(&creature, &mut Data::new(&creature), &pose, &Settings::default())?;
    let pump = Pump::new(&creature, &modes, &suggest(&creature, &modes, &[]))?;
    simulated(creature, StepSettings::default(), &pump)
}

/// A second and a half of a creature that is let go on a slope: contacts, joint stops, GJK and EPA.
fn fallen(name: &str) -> Result<Digest> {
    let settings =
        StepSettings { ground: Some(Terrain::Slope(0.2)), self_collision: true, ..StepSettings::default() };
    simulated(creature(name)?, settings, &Passive)
}

fn simulated(creature: Creature, settings: StepSettings, controller: &dyn AnyController) -> Result<Digest> {
    let mut pose = creature.reference_pose().to_vec();
    stand_on(&creature, settings.ground.as_ref().unwrap_or(&Terrain::Flat), &mut pose);
    let mut v = vec![0.0; creature.nv()];
    perturb(&creature, 1, &mut v);
    let start = State::new(&pose, &v);
    let world = World::new(creature, settings)?;
    let plan = Plan { fps: 100.0, keep_poses: true, ..Plan::new(controller, start, 1.5) };
    let rollout = simulate(&world, &mut Stepper::new(&world), &plan, &mut |_| ());
    if rollout.report.touching.is_empty() {
        return Err("it never touched the ground".into());
    }
    Ok(Digest::of(rollout.clip.poses.iter().flatten().chain(&rollout.end.q).chain(&rollout.end.v)))
}

/// A few hundred cycles of a search for a controller.
fn search(sketch: &str) -> Result<Digest> {
    let text = gallery::sketch(sketch).ok_or("no such sketch")?;
    let (sketch, stage) = read(text, |name| creature(name).map_err(|error| error.to_string()))?;
    let settings = SearchSettings { budget: 300, ..SearchSettings::default() };
    let mut search = StrideSearch::of_sketch(&sketch, &Arc::new(stage), 0.002, settings)?;
    while search.ended().is_none() {
        search.step(&mut OneThread);
    }
    let (x, score) = search.nearest().ok_or("nothing was found")?;
    Ok(Digest::of(x.iter().chain(&score.gap).chain([&score.speed, &score.effort])))
}

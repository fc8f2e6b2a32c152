//! `cargo xtask physics`: our time steps against MuJoCo's motion, and a minute of every creature at rest.

use gambol::LoadOptions;
use gambol::dynamics::{
    Data, Drive, State, StepSettings, Stepper, World, forward_dynamics, passive_forces, step,
};
use gambol::model::math;
use gambol::model::samples::Random;
use gambol::model::{Creature, JointKind};
use serde::Deserialize;

use crate::peers;
use crate::shell::{Result, cargo, command, output, run as run_command, target};

/// Gallery creatures, with springs of their own.
const GALLERY: [&str; 7] = ["linear", "dog", "human", "bird", "insect", "spider", "snake"];
/// Models of dm_control, with the same spring everywhere, N·m/rad.
const DM_CONTROL: [&str; 4] = [
    "suite/humanoid.xml",
    "suite/walker.xml",
    "suite/cheetah.xml",
    "locomotion/walkers/assets/dog_v2/dog.xml",
];
const STIFFNESS: f64 = 20.0;
/// Damping over stiffness where all joints get the same spring, s.
const DAMPING: f64 = 0.02;
/// How long they fly, s.
const FLIGHT: f64 = 0.4;
/// Steps, s, each half of the one before.
const STEPS: [f64; 5] = [2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4];
/// Dampers and turning bodies are first order, which halves the error with the step; all else is second. Room for the
/// next term. Of all steps together and not of the last two: a step leaves out corrections of inertial forces below 1e-5 of the
/// largest force, so that near 1e-5 rad an error may halve late (the linear creature's falls to 1.3e-6 at 2 µs).
const LEAST_ORDER: f64 = 0.9;
/// At the last step, rad or m, after a flight in which joints turn by half a radian.
const MOST_ERROR: f64 = 2e-4;

/// Poses as MuJoCo has them.
#[derive(Deserialize)]
struct Flown {
    name: String,
    poses: Vec<Vec<f64>>,
}

/// A creature in flight: gravity, springs and dampers and nothing else.
struct Flight {
    creature: Creature,
    q: Vec<f64>,
    v: Vec<f64>,
}

/// Everything that is too long for a test.
pub(crate) fn run() -> Result<()> {
    flights()?;
    let test = [
        "test",
        "--release",
        "--quiet",
        "-p",
        "gambol",
        "--test",
        "all",
        "every_creature_rests_for_a_minute",
    ];
    run_command(command(cargo(), &test).args(["--", "--ignored", "--nocapture"]))
}

/// Free motion against MuJoCo's: what differs must vanish with our step.
pub(crate) fn flights() -> Result<()> {
    let folder = target().join("flights");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut flights = Vec::new();
    let mut input = Vec::new();
    let mut add = |name: &str, path: &std::path::Path, flight: Flight| {
        let joints = flight.creature.joints();
        input.push(serde_json::json!({
            "name": name, "path": path, "qpos": flight.q, "qvel": flight.v, "times": [FLIGHT],
            "stiffness": joints.iter().map(|joint| joint.stiffness).collect::<Vec<_>>(),
            "damping": joints.iter().map(|joint| joint.damping).collect::<Vec<_>>(),
        }));
        flights.push(flight);
    };
    for name in GALLERY {
        let entry = gambol::gallery::find(name).ok_or_else(|| format!("the gallery has no {name}"))?;
        let file = folder.join(format!("{name}.xml"));
        std::fs::write(&file, entry.mjcf).map_err(|error| format!("{}: {error}", file.display()))?;
        add(name, &file, take_off(&file, None)?);
    }
    let dm_control = peers::dm_control()?;
    for name in DM_CONTROL {
        let file = dm_control.join(name);
        add(name, &file, take_off(&file, Some(STIFFNESS))?);
    }
    let file = folder.join("flights.json");
    std::fs::write(&file, serde_json::Value::from(input).to_string())
        .map_err(|error| format!("{}: {error}", file.display()))?;
    let lines = output(command(peers::python()?, &["xtask/peers/flight.py"]).arg(&file))?;

    println!("Distance from MuJoCo's pose (RK4, 50 µs) after {FLIGHT} s of flight, rad or m, by our step:\n");
    let steps: Vec<String> = STEPS.iter().map(|h| format!("{} ms", 1e3 * h)).collect();
    println!("| | {} | order |\n|---|{}--:|", steps.join(" | "), "--:|".repeat(STEPS.len()));
    let mut failed = 0;
    for (line, flight) in lines.lines().zip(&flights) {
        let flown: Flown =
            serde_json::from_str(line).map_err(|error| format!("flight.py: {error}: {line}"))?;
        let errors =
            STEPS.iter().map(|&h| error_at(flight, h, &flown.poses[0])).collect::<Result<Vec<_>>>()?;
        let halvings = math::log2(STEPS[0] / STEPS[STEPS.len() - 1]);
        let order = math::log2(errors[0] / errors[STEPS.len() - 1]) / halvings;
        let cells: Vec<String> = errors.iter().map(|error| format!("{error:.1e}")).collect();
        println!("| {} | {} | {order:.2} |", flown.name, cells.join(" | "));
        if !(order > LEAST_ORDER && errors[STEPS.len() - 1] < MOST_ERROR) {
            failed += 1;
        }
    }
    if lines.lines().count() != flights.len() {
        return Err(format!("MuJoCo flew {} of {} creatures", lines.lines().count(), flights.len()));
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} flights do not converge to MuJoCo's")) }
}

/// A creature without limits, constraints and tendons, turning and bending.
fn take_off(file: &std::path::Path, stiffness: Option<f64>) -> Result<Flight> {
    let mut spec = gambol::formats::load(file, &LoadOptions::default()).map_err(|error| error.to_string())?;
    spec.constraints.clear();
    spec.tendons.clear();
    for joint in spec.bodies.iter_mut().flat_map(|body| &mut body.joints) {
        joint.limit = None;
        joint.rest = joint.reference;
        if let Some(stiffness) = stiffness {
            let free = joint.kind == JointKind::Free;
            joint.stiffness = if free { 0.0 } else { stiffness };
            joint.damping = DAMPING * joint.stiffness;
        }
    }
    let creature = spec.build().map_err(|error| format!("{}: {error}", file.display()))?;
    let mut random = Random::new(1);
    // Bent by little: springs of light legs would throw them faster than any step follows.
    let (q, v) = (random.pose(&creature, 0.01), random.numbers(creature.nv(), 1.0));
    Ok(Flight { creature, q, v })
}

/// Largest difference of a coordinate from `pose` after the flight with steps of `h`.
fn error_at(flight: &Flight, h: f64, pose: &[f64]) -> Result<f64> {
    let settings = StepSettings { step: h, ground: None, ..StepSettings::default() };
    let world = World::new(flight.creature.clone(), settings).map_err(|error| error.to_string())?;
    let mut stepper = Stepper::new(&world);
    let mut state = State::new(&flight.q, &half_a_step_back(flight, h));
    while state.time < FLIGHT - 0.5 * h {
        step(&world, &mut stepper, &mut state, &Drive::passive(&flight.creature))
            .map_err(|error| error.to_string())?;
    }
    let mut away = vec![0.0; flight.creature.nv()];
    flight.creature.difference(pose, &state.q, &mut away);
    Ok(away.iter().fold(0.0, |most: f64, x| most.max(x.abs())))
}

/// The velocity that the flight had half a step before its pose, as [`State`] wants it.
fn half_a_step_back(flight: &Flight, h: f64) -> Vec<f64> {
    let Flight { creature, q, v } = flight;
    let mut data = Data::new(creature);
    let tau = passive_forces(creature, &mut data, q, v).to_vec();
    let acceleration = forward_dynamics(creature, &mut data, q, v, &tau);
    v.iter().zip(acceleration).map(|(v, a)| v - 0.5 * h * a).collect()
}

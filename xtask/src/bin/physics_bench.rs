//! Our side of `cargo xtask bench physics`. Prints JSON.
//!
//! - `physics_bench step MODEL.xml START.bin STEPS WINDOWS`: windows of steps from a standing start, as `mujoco_physics`.
//!   START.bin is nq numbers, f64 little-endian.
//! - `physics_bench threads MODEL.xml START.bin STEPS ROLLOUTS THREADS`: independent rollouts over threads.
//! - `physics_bench ring MODEL.xml MODE`: the largest step at which a vibration keeps frequency and amplitude over ten
//!   cycles, and what a simulated second costs then.
//! - `physics_bench chain JOINTS`: a free chain of hinges in flight.

use std::error::Error;
use std::time::Instant;

use gambol::LoadOptions;
use gambol::dynamics::{Data, Drive, State, StepSettings, Stepper, TreeMatrix, World, mass_matrix, step};
use gambol::model::math;
use gambol::model::{Creature, samples};
use gambol::modes::{Settings, analyze};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["step", model, start, steps, windows] => {
            let world = standing(model)?;
            let start = settle(&world, &read_start(start)?)?;
            time_windows(&world, &start, steps.parse()?, windows.parse()?)?
        }
        ["threads", model, start, steps, rollouts, threads] => time_threads(
            &standing(model)?,
            &read_start(start)?,
            steps.parse()?,
            rollouts.parse()?,
            threads.parse()?,
        )?,
        ["ring", model, mode] => ring(model, mode.parse()?)?,
        ["chain", joints] => chain(joints.parse()?)?,
        _ => return Err("usage: physics_bench step|threads|ring|chain ...".into()),
    };
    println!("{result}");
    Ok(())
}

fn load(model: &str) -> Result<Creature> {
    Ok(gambol::load(model, &LoadOptions::default())?)
}

/// The model on flat ground, with its own time step, which only MuJoCo's file format knows of.
fn standing(model: &str) -> Result<World> {
    let text = std::fs::read_to_string(model)?;
    let step = text.split_once("timestep=\"").and_then(|(_, rest)| rest.split_once('"'));
    let step: f64 = step.map_or(Ok(0.002), |(step, _)| step.parse())?;
    Ok(World::new(load(model)?, StepSettings { step, ..StepSettings::default() })?)
}

fn read_start(file: &str) -> Result<Vec<f64>> {
    let bytes = std::fs::read(file)?;
    Ok(bytes.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().unwrap_or_default())).collect())
}

/// Time to find a way to stand, s: hard ground carries a creature otherwise than MuJoCo's soft one. The CMU humanoid topples
/// soon after.
const SETTLE: f64 = 0.3;

/// Where it stands after that.
fn settle(world: &World, q: &[f64]) -> Result<Vec<f64>> {
    let mut stepper = Stepper::new(world);
    let mut state = State::new(q, &vec![0.0; world.creature().nv()]);
    while state.time < SETTLE {
        step(world, &mut stepper, &mut state, &Drive::passive(world.creature()))?;
    }
    Ok(state.q)
}

/// Best time of a step over windows that all start anew.
fn time_windows(world: &World, start: &[f64], steps: usize, windows: usize) -> Result<Value> {
    let drive = Drive::passive(world.creature());
    let still = vec![0.0; world.creature().nv()];
    let mut stepper = Stepper::new(world);
    let (mut best, mut contacts, mut sweeps) = (f64::INFINITY, 0, 0);
    let mut height = 0.0;
    for window in 0..=windows {
        let mut state = State::new(start, &still);
        if window == 0 {
            // The first counts contacts instead, and warms caches.
            for _ in 0..steps {
                step(world, &mut stepper, &mut state, &drive)?;
                contacts += state.contact_forces(world).count();
                sweeps += stepper.sweeps().count;
            }
            height = state.q[2] / start[2];
            continue;
        }
        let clock = Instant::now();
        for _ in 0..steps {
            step(world, &mut stepper, &mut state, &drive)?;
        }
        best = f64::min(best, clock.elapsed().as_nanos() as f64 / steps as f64);
    }
    let mean = |sum: usize| sum as f64 / steps as f64;
    Ok(json!({
        "ns": best, "contacts": mean(contacts), "iterations": mean(sweeps), "height": height,
        "step": world.settings().step, "nv": world.creature().nv(),
    }))
}

/// Steps per second of all threads together.
fn time_threads(
    world: &World,
    start: &[f64],
    steps: usize,
    rollouts: usize,
    threads: usize,
) -> Result<Value> {
    let still = vec![0.0; world.creature().nv()];
    let clock = Instant::now();
    std::thread::scope(|scope| {
        let run = |thread: usize| {
            let still = &still;
            move || {
                let drive = Drive::passive(world.creature());
                let mut stepper = Stepper::new(world);
                for _ in (thread..rollouts).step_by(threads) {
                    let mut state = State::new(start, still);
                    for _ in 0..steps {
                        step(world, &mut stepper, &mut state, &drive).map_err(|error| error.to_string())?;
                    }
                }
                Ok::<(), String>(())
            }
        };
        let running: Vec<_> = (0..threads).map(|thread| scope.spawn(run(thread))).collect();
        running
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "a thread panicked".to_owned())?)
    })?;
    let steps = (steps * rollouts) as f64;
    let seconds = clock.elapsed().as_secs_f64();
    Ok(
        json!({ "steps_per_second": steps / seconds, "busy_ns": processor_seconds()?.map(|busy| 1e9 * busy / steps) }),
    )
}

/// Time that all threads of this process were on a core, s; known on Linux only. A machine that others use too gives a second
/// thread no second core, but what a step costs there tells whether threads get in each other's way.
fn processor_seconds() -> Result<Option<f64>> {
    /// Ticks a second in /proc, the same on all machines that run Linux.
    const TICKS: f64 = 100.0;
    let Ok(text) = std::fs::read_to_string("/proc/self/stat") else { return Ok(None) };
    // After the name in parentheses: the 12th and 13th field are user and system time.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let [user, system] = [11, 12].map(|k| fields.get(k).copied().unwrap_or("0").parse::<f64>());
    Ok(Some((user? + system?) / TICKS))
}

/// Cycles over which a vibration is followed.
const CYCLES: f64 = 10.0;
/// What is let pass over them: share of the frequency, and of the amplitude.
const FREQUENCY_ERROR: f64 = 0.005;
const AMPLITUDE_ERROR: f64 = 0.01;
/// Displacement at the joint that moves most, rad: small enough that the body is linear.
const SWING: f64 = 1e-4;

/// Finds the largest step at which vibration `mode` (from 0) is right, from coarse to fine.
fn ring(model: &str, mode: usize) -> Result<Value> {
    let entry = gambol::gallery::find(model);
    let text = entry.map_or_else(|| std::fs::read_to_string(model), |entry| Ok(entry.mjcf.to_owned()))?;
    let mut spec = gambol::formats::load_str("model.xml", &text, &LoadOptions::default())?;
    spec.gravity.fill(0.0);
    spec.bodies.iter_mut().flat_map(|body| &mut body.joints).for_each(|joint| joint.damping = 0.0);
    spec.tendons.iter_mut().for_each(|tendon| tendon.damping = 0.0);
    let creature = spec.build()?;
    let pose = creature.reference_pose().to_vec();
    let mut data = Data::new(&creature);
    let modes = analyze(&creature, &mut data, &pose, &Settings::default())?;
    let vibration = modes.flexible().get(mode).ok_or("there is no such mode")?;
    let mut m = TreeMatrix::new(&creature)?;
    mass_matrix(&creature, &mut data, &pose, &mut m);
    let mut weights = vec![0.0; creature.nv()];
    m.multiply(&vibration.shape, &mut weights);
    let frequency = modes.frequency(&creature, vibration);

    let mut h = 0.1 / frequency;
    loop {
        let settings = StepSettings { step: h, ground: None, ..StepSettings::default() };
        let world = World::new(creature.clone(), settings)?;
        let mut state = State::new(&pose, &vec![0.0; creature.nv()]);
        creature.integrate(&mut state.q, &vibration.shape, SWING);
        let errors = errors(&world, state.clone(), &weights, frequency);
        if errors.is_some_and(|[f, a]| f < FREQUENCY_ERROR && a < AMPLITUDE_ERROR) {
            let ns = cost_of_step(&world, &state)?;
            return Ok(json!({
                "frequency": frequency, "step": h, "ns": ns, "second": ns * 1e-9 / h,
                "frequency_error": errors.map(|e| e[0]), "amplitude_error": errors.map(|e| e[1]),
            }));
        }
        h /= STEP_RATIO;
        if h < 1e-6 {
            return Err("no step is small enough".into());
        }
    }
}

/// Steps are tried in this ratio.
const STEP_RATIO: f64 = 1.05;

/// Errors of frequency and amplitude over ten cycles; none if it diverges.
fn errors(world: &World, mut state: State, weights: &[f64], frequency: f64) -> Option<[f64; 2]> {
    let creature = world.creature();
    let h = world.settings().step;
    let (mut stepper, drive) = (Stepper::new(world), Drive::passive(creature));
    let mut away = vec![0.0; creature.nv()];
    let mut places = Vec::new();
    while state.time < (CYCLES + 1.0) / frequency {
        creature.difference(creature.reference_pose(), &state.q, &mut away);
        places.push(weights.iter().zip(&away).map(|(w, x)| w * x).sum::<f64>());
        step(world, &mut stepper, &mut state, &drive).ok()?;
    }
    let samples::Ringing { angle, ratio } = samples::ringing(&places);
    let measured = angle / (std::f64::consts::TAU * h);
    let over_ten = math::powf(ratio, CYCLES / (measured * h));
    Some([(measured / frequency - 1.0).abs(), (over_ten - 1.0).abs()])
}

/// Best time of a step in flight, ns.
fn cost_of_step(world: &World, start: &State) -> Result<f64> {
    let (mut stepper, drive) = (Stepper::new(world), Drive::passive(world.creature()));
    let mut best = f64::INFINITY;
    for _ in 0..30 {
        let mut state = start.clone();
        let clock = Instant::now();
        for _ in 0..200 {
            step(world, &mut stepper, &mut state, &drive)?;
        }
        best = best.min(clock.elapsed().as_nanos() as f64 / 200.0);
    }
    Ok(best)
}

fn chain(joints: usize) -> Result<Value> {
    let creature = samples::chain(joints + 1);
    // Steps of a millisecond in flight, the chain bent a little and swinging.
    let world = World::new(creature, StepSettings { step: 0.001, ..StepSettings::default() })?;
    let creature = world.creature();
    let mut state = State::new(creature.reference_pose(), &vec![0.0; creature.nv()]);
    state.q[2] = 100.0;
    for (k, angle) in state.q[7..].iter_mut().enumerate() {
        *angle = 0.1 * math::sin(0.7 * k as f64);
    }
    let (mut stepper, drive) = (Stepper::new(&world), Drive::passive(creature));
    let steps = (20_000 / joints).max(5);
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let mut state = state.clone();
        let clock = Instant::now();
        for _ in 0..steps {
            step(&world, &mut stepper, &mut state, &drive)?;
        }
        best = best.min(clock.elapsed().as_nanos() as f64 / steps as f64);
    }
    Ok(json!({ "joints": joints, "ns": best }))
}

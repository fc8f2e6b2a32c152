//! `cargo xtask reduced RECORDING`: what the steps of a reduced body keep, and what they take, as tables for docs/reduced.md.

use std::path::Path;
use std::time::Instant;

use gambol::dynamics::reduced::{
    Integrator, ReducedBody, ReducedData, ReducedState, discrete_momentum, reduced_step,
};
use gambol::model::{Creature, Role, Side, Vec3};
use gambol::motion::{Basis, GeodesicSettings, Keep};
use gambol::{MotionOptions, load_motion};

use crate::shell::Result;

/// The experiment of figure 3: an impulse on the right hand, N·s along z, and how long it is looked at, s.
const IMPULSE: f64 = 0.2;
const SECONDS: f64 = 6.0;
const STEPS: [f64; 2] = [0.1, 1.0 / 30.0];
const DIRECTIONS: usize = 10;

/// k of the table of speed.
const COUNTS: [usize; 5] = [5, 10, 15, 20, 30];

pub(crate) fn run(recording: &Path) -> Result<()> {
    let mut motion = load_motion(recording, &MotionOptions::default()).map_err(|error| error.to_string())?;
    motion.drop_first_apart();
    let most = COUNTS.iter().copied().fold(DIRECTIONS, usize::max);
    let settings = GeodesicSettings { keep: Keep::Count(most), metric: None };
    let found = Basis::from_clips(&motion.creature, [&motion.clip], &settings);
    let basis = found.map_err(|error| error.to_string())?.basis;
    let mut floating = motion.creature.clone();
    floating.remove_gravity();
    momenta(&reduced(&floating, &basis, DIRECTIONS)?)?;
    println!("\n| k | variational, µs | explicit | corrected |\n|--:|--:|--:|--:|");
    for k in COUNTS {
        let body = reduced(&floating, &basis, k)?;
        let of = |integrator| microseconds(&body, integrator).map(|time| format!("{time:.1}"));
        let [variational, explicit, corrected] =
            [of(Integrator::Variational)?, of(Integrator::Explicit)?, of(Integrator::Corrected)?];
        println!("| {k} | {variational} | {explicit} | {corrected} |");
    }
    Ok(())
}

fn reduced(creature: &Creature, basis: &Basis, k: usize) -> Result<ReducedBody> {
    let directions = basis.flexible().iter().take(k).map(|direction| direction.shape.as_slice());
    ReducedBody::new(creature, basis.mean(), directions).map_err(|error| error.to_string())
}

/// At rest, and then the impulse on the right hand.
fn struck(body: &ReducedBody, data: &mut ReducedData) -> Result<ReducedState> {
    let mut state = ReducedState::new(body, data, &body.start(), &vec![0.0; body.n()]);
    let is_hand = |mark: &&gambol::model::Landmark| mark.role == Role::Hand && mark.side == Some(Side::Right);
    let hand = body.creature().landmarks().iter().find(is_hand).ok_or("it has no right hand")?;
    let at = data.full.frames[hand.body].point_in_world(hand.point);
    let mut impulse = vec![0.0; body.n()];
    data.point_motion(body, hand.body, at, |k, _, linear| impulse[k] = linear.dot(&Vec3::z()) * IMPULSE);
    state.kick(data, &impulse);
    Ok(state)
}

/// Largest deviations of the discrete momentum and of the energy.
fn momenta(body: &ReducedBody) -> Result<()> {
    println!("| | h, s | momentum | energy |\n|---|--:|--:|--:|");
    for integrator in
        [Integrator::Euclidean, Integrator::Explicit, Integrator::Corrected, Integrator::Variational]
    {
        for h in STEPS {
            let mut data = ReducedData::new(body);
            let mut state = struck(body, &mut data)?;
            let first = discrete_momentum(body, &data, &state);
            let kinetic =
                |state: &ReducedState| 0.5 * state.p.iter().zip(&state.v).map(|(p, v)| p * v).sum::<f64>();
            let energy_first = kinetic(&state);
            let (mut worst, mut worst_energy) = (0.0_f64, 0.0_f64);
            for _ in 0..(SECONDS / h).round() as usize {
                let force = vec![0.0; body.n()];
                reduced_step(body, &mut data, &mut state, (integrator, h), &force)
                    .map_err(|error| error.to_string())?;
                worst = worst.max((discrete_momentum(body, &data, &state) - first).norm() / first.norm());
                worst_energy = worst_energy.max((kinetic(&state) / energy_first - 1.0).abs());
            }
            let name = integrator.name();
            println!("| {name} | {h:.4} | {:.2e} % | {:.2} % |", 100.0 * worst, 100.0 * worst_energy);
        }
    }
    Ok(())
}

/// Of a step, the mean of many.
fn microseconds(body: &ReducedBody, integrator: Integrator) -> Result<f64> {
    const COUNT: usize = 2000;
    let mut data = ReducedData::new(body);
    let mut state = struck(body, &mut data)?;
    let force = vec![0.0; body.n()];
    let clock = Instant::now();
    for _ in 0..COUNT {
        reduced_step(body, &mut data, &mut state, (integrator, 1e-3), &force)
            .map_err(|error| error.to_string())?;
    }
    Ok(1e6 * clock.elapsed().as_secs_f64() / COUNT as f64)
}

//! Our side of `cargo xtask bench dynamics`: `dynamics_bench MODEL.xml STATES.bin PASSES` times the dynamics over all states
//! and prints the best time per call of each stage as JSON, with checksums that the peers' programs print too.
//!
//! STATES.bin is little-endian: count, nq, nv as u64, then qpos, qvel and joint forces of every state as f64.

use std::error::Error;
use std::time::Instant;

use gambol::LoadOptions;
use gambol::dynamics::{Data, TreeMatrix, bias_forces, energy, forward_dynamics, mass_matrix};

struct State {
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
}

fn read_states(file: &str, nq: usize, nv: usize) -> Result<Vec<State>, Box<dyn Error>> {
    let bytes = std::fs::read(file)?;
    let words: Vec<[u8; 8]> = bytes.chunks_exact(8).map(|word| word.try_into().unwrap_or_default()).collect();
    let head: Vec<u64> = words[..3].iter().map(|word| u64::from_le_bytes(*word)).collect();
    if head[1..] != [nq as u64, nv as u64] {
        return Err(
            format!("{file} is for nq, nv = {}, {}; the model has {nq}, {nv}", head[1], head[2]).into()
        );
    }
    let numbers: Vec<f64> = words[3..].iter().map(|word| f64::from_le_bytes(*word)).collect();
    let state = |x: &[f64]| State { q: x[..nq].into(), v: x[nq..nq + nv].into(), tau: x[nq + nv..].into() };
    Ok(numbers.chunks_exact(nq + 2 * nv).map(state).collect())
}

/// Best time per call over `passes` passes, ns.
fn best(passes: usize, states: &[State], mut stage: impl FnMut(&State)) -> f64 {
    let pass = || {
        let start = Instant::now();
        states.iter().for_each(&mut stage);
        start.elapsed().as_nanos() as f64 / states.len() as f64
    };
    std::iter::repeat_with(pass).take(passes).fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, model, states, passes] = arguments.as_slice() else {
        return Err("usage: dynamics_bench MODEL.xml STATES.bin PASSES".into());
    };
    let passes: usize = passes.parse()?;
    let creature = gambol::load(model, &LoadOptions::default())?;
    let states = read_states(states, creature.nq(), creature.nv())?;
    let mut data = Data::new(&creature);
    let mut m = TreeMatrix::new(&creature)?;

    let mass = best(passes, &states, |s| mass_matrix(&creature, &mut data, &s.q, &mut m));
    let factor = best(passes, &states, |s| {
        mass_matrix(&creature, &mut data, &s.q, &mut m);
        assert!(m.factor());
    });
    let bias = best(passes, &states, |s| {
        std::hint::black_box(bias_forces(&creature, &mut data, &s.q, &s.v));
    });
    let forward = best(passes, &states, |s| {
        std::hint::black_box(forward_dynamics(&creature, &mut data, &s.q, &s.v, &s.tau));
    });

    let absolute = |x: &[f64]| x.iter().map(|x| x.abs()).sum::<f64>();
    let mut sums = [0.0; 5];
    for s in &states {
        mass_matrix(&creature, &mut data, &s.q, &mut m);
        sums[0] += (0..creature.nv()).map(|i| absolute(m.row(i))).sum::<f64>();
        assert!(m.factor());
        sums[1] += m.log_determinant();
        sums[2] += absolute(bias_forces(&creature, &mut data, &s.q, &s.v));
        sums[3] += absolute(forward_dynamics(&creature, &mut data, &s.q, &s.v, &s.tau));
        sums[4] += energy(&creature, &mut data, &s.q, &s.v).kinetic;
    }
    let [mass_sum, factor_sum, bias_sum, forward_sum, energy_sum] = sums;
    let result = serde_json::json!({
        "program": "gambol",
        "stages": {"mass_matrix": mass, "factor": factor, "bias": bias, "forward": forward},
        "checksums": {"mass_matrix": mass_sum, "factor": factor_sum, "bias": bias_sum, "forward": forward_sum},
        "energy": energy_sum,
    });
    println!("{result}");
    Ok(())
}

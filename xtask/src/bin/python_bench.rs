//! Rust's side of `cargo xtask bench python`: the dog's own springs, step by step and in rollouts. Asked by lines on stdin, each answered
//! by nanoseconds and the bits of a coordinate at the end, so that both sides can take turns.

use std::io::{BufRead, Write, stdin, stdout};
use std::time::Instant;

use gambol::LoadOptions;
use gambol::control::{Passive, Plan, rollouts, stand_on};
use gambol::dynamics::{Drive, State, StepSettings, Stepper, Terrain, World, step};

/// The coordinate that is told: the height of the root.
const HEIGHT: usize = 2;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let creature = gambol::load("dog", &LoadOptions::default())?;
    let world = World::new(creature.clone(), StepSettings::default())?;
    let mut q = creature.reference_pose().to_vec();
    stand_on(&creature, &Terrain::Flat, &mut q);
    let start = State::new(&q, &vec![0.0; creature.nv()]);
    let mut stepper = Stepper::new(&world);
    for line in stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let (began, height) = match words[..] {
            ["step", count] => {
                let (count, mut state) = (count.parse::<usize>()?, start.clone());
                let drive = Drive { rest: creature.rest_pose(), torque: &[], strength: &[], pushes: &[] };
                let began = Instant::now();
                for _ in 0..count {
                    step(&world, &mut stepper, &mut state, &drive)?;
                }
                (began, state.q[HEIGHT])
            }
            ["rollout", count, seconds] => {
                let (count, seconds) = (count.parse::<usize>()?, seconds.parse::<f64>()?);
                let plans: Vec<Plan> =
                    (0..count).map(|_| Plan::new(&Passive, start.clone(), seconds)).collect();
                let began = Instant::now();
                let ends = rollouts(&world, &plans, 1);
                (began, ends[count - 1].end.q[HEIGHT])
            }
            ["busy", _] => (Instant::now(), 0.0), // Python's thread
            _ => return Err(format!("what is {line:?}?").into()),
        };
        println!("{} {:x}", began.elapsed().as_nanos(), height.to_bits());
        stdout().flush()?;
    }
    Ok(())
}

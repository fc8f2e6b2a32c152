//! Our side of `cargo xtask bench strides`: `stride_bench CONTROLLER.toml EVALUATIONS WINDOWS THREADS`.
//!
//! A window is so many evaluations on every thread: a cycle, or half of one, simulated and judged as a search does it.
//! Prints JSON: evaluations per second of the best window, steps in one, and how far the centre of mass goes (m).

use std::error::Error;
use std::time::Instant;

use gambol::LoadOptions;
use gambol::control::locomotion::{Judge, read_controller, world};
use gambol::dynamics::{Data, center_of_mass};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, counts @ ..] = arguments.as_slice() else { return Err("which controller?".into()) };
    let counts: Vec<usize> = counts.iter().map(|count| count.parse()).collect::<Result<_, _>>()?;
    let [evaluations, windows, threads] = counts[..] else {
        return Err("usage: stride_bench CONTROLLER.toml EVALUATIONS WINDOWS THREADS".into());
    };
    let find = |name: &str| gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string());
    let (_, stage, stride, step) = read_controller(&std::fs::read_to_string(file)?, find)?;
    let world = world(&stage, step)?;

    let poses = Judge::new(&stage, &world).cycle(&stride, true).poses;
    let mut data = Data::new(&stage.creature);
    let mut com = |q: &[f64]| center_of_mass(&stage.creature, &mut data, q);
    let (first, last) = (&poses[0], &poses[poses.len() - 1]);
    let way = com(last) - com(first);

    let mut judges: Vec<Judge> = (0..threads).map(|_| Judge::new(&stage, &world)).collect();
    let mut best = 0.0_f64;
    for _ in 0..windows {
        let begin = Instant::now();
        std::thread::scope(|scope| {
            for judge in &mut judges {
                scope.spawn(|| {
                    for _ in 0..evaluations {
                        std::hint::black_box(judge.cycle(&stride, false));
                    }
                });
            }
        });
        best = best.max((evaluations * threads) as f64 / begin.elapsed().as_secs_f64());
    }
    let line = serde_json::json!({ "per_second": best, "steps": poses.len(), "way": way.as_slice() });
    println!("{line}");
    Ok(())
}

//! `cargo xtask cma`: our CMA-ES against pycma, in evaluations and in time.

use std::path::PathBuf;

use crate::peers;
use crate::shell::{Result, command, output, root, run, target};

/// Functions, and how many coordinates.
const FUNCTIONS: [(&str, usize); 6] = [
    ("sphere", 40),
    ("ellipsoid", 20),
    ("ellipsoid", 40),
    ("rosenbrock", 20),
    ("rosenbrock", 40),
    ("rastrigin", 10),
];

/// Runs of each; the median counts. They vary by a tenth of it, and by half where restarts are by chance.
const SEEDS: usize = 7;

/// Our median may be this much of pycma's; with restarts, chance alone makes more.
const MOST: f64 = 1.2;
const MOST_WITH_RESTARTS: f64 = 2.0;

/// Coordinates, with default populations of 15 to 17: searches with modal and with full initial states.
const TIMED: [usize; 3] = [40, 60, 88];

/// Generations of one timing, and rounds of both programs in turn; the best counts.
const GENERATIONS: usize = 300;
const ROUNDS: usize = 5;

/// A generation of ours takes at most this share of pycma's.
const FASTER: f64 = 5.0;

/// Compares evaluations to a target of 1e-9, then time per generation.
pub(crate) fn run_all() -> Result<()> {
    let ours = build()?;
    let python = peers::python_with_cma()?;
    let peer = root().join("xtask/peers/cma_peer.py");
    let ask = |who: usize, words: &[String]| -> Result<f64> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let text = if who == 0 {
            output(&mut command(&ours, &words))?
        } else {
            output(command(&python, &[]).arg(&peer).args(words).env("OPENBLAS_NUM_THREADS", "1"))?
        };
        text.trim().parse().map_err(|_| format!("an answer that is no number: {text}"))
    };

    println!("{:<12} {:>4} {:>10} {:>10} {:>6}", "function", "n", "ours", "pycma", "ratio");
    let mut worst = Vec::new();
    for (name, n) in FUNCTIONS {
        let median = |who: usize| -> Result<f64> {
            let mut counts = Vec::new();
            for seed in 1..=SEEDS {
                counts.push(ask(who, &["count".into(), name.into(), n.to_string(), seed.to_string()])?);
            }
            counts.sort_by(f64::total_cmp);
            Ok(counts[SEEDS / 2])
        };
        let (a, b) = (median(0)?, median(1)?);
        println!("{name:<12} {n:>4} {a:>10} {b:>10} {:>6.2}", a / b);
        if a / b > if name == "rastrigin" { MOST_WITH_RESTARTS } else { MOST } {
            worst.push(format!("{name} in {n} takes {a} evaluations and pycma {b}"));
        }
    }

    println!("\n{:>4} {:>12} {:>12} {:>6}", "n", "ours, µs", "pycma, µs", "ratio");
    for n in TIMED {
        let mut best = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            for (who, best) in best.iter_mut().enumerate() {
                *best = best.min(ask(who, &["time".into(), n.to_string(), GENERATIONS.to_string()])?);
            }
        }
        let [a, b] = best;
        println!("{n:>4} {a:>12.1} {b:>12.1} {:>6.1}", b / a);
        if b / a < FASTER {
            worst.push(format!("a generation in {n} is only {:.1} times faster", b / a));
        }
    }
    if worst.is_empty() { Ok(()) } else { Err(worst.join("; ")) }
}

fn build() -> Result<PathBuf> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    run(&mut command(
        &cargo,
        &["build", "--release", "--quiet", "-p", "gambol-control", "--example", "cma_bench"],
    ))?;
    Ok(target().join("release/examples/cma_bench"))
}

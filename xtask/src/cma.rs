//! `cargo xtask cma`: our CMA-ES against pycma in evaluations; `cargo xtask bench cma`: in time.

use std::f64::consts::TAU;

use gambol::control::cma::{Bounds, Cma, Policy, Restarts, Settings};
use gambol::model::math;

use crate::peers;
use crate::shell::{Result, cargo, command, output, root, run as run_command, target};

/// Functions, how many coordinates, and how many runs of each.
type Table = &'static [(&'static str, usize, usize)];

/// Single runs vary by a tenth. Those with restarts vary by half and double from run to run, so that a median of few leaps
/// by a factor of two; the mean of many does not.
const FUNCTIONS: Table = &[
    ("sphere", 20, 7),
    ("sphere", 40, 7),
    ("ellipsoid", 20, 7),
    ("ellipsoid", 40, 7),
    ("rosenbrock", 20, 7),
    ("rosenbrock", 40, 7),
    (RESTARTED, 10, 25),
];

/// What takes seconds.
const QUICK: Table = &[("sphere", 20, 5), ("ellipsoid", 20, 5), ("rosenbrock", 20, 5)];

/// The one with many minima, which takes restarts.
const RESTARTED: &str = "rastrigin";

/// Our median may be this much of pycma's: chance is a tenth for each of the two. With restarts the mean: its deviation is an
/// eighth with 25 runs.
const MOST: f64 = 1.2;
const MOST_WITH_RESTARTS: f64 = 1.4;

/// Coordinates, with default populations of 15 to 17: searches with modal and with full initial states.
const TIMED: [usize; 3] = [40, 60, 88];

/// Generations of one timing.
const GENERATIONS: &str = "300";

/// A generation of pycma's takes at least so many times as long as ours.
const FASTER: f64 = 5.0;

/// Compares evaluations to a target of 1e-9.
pub(crate) fn run() -> Result<()> {
    evaluations(FUNCTIONS)
}

/// What `cargo xtask test` asks for.
pub(crate) fn check() -> Result<()> {
    evaluations(QUICK)
}

fn evaluations(table: Table) -> Result<()> {
    println!("| function | coordinates | runs | gambol | pycma | ratio |\n|---|--:|--:|--:|--:|--:|");
    let mut failed = Vec::new();
    for &(name, n, runs) in table {
        let ours = (1..=runs).map(|seed| count(name, n, seed as u64) as f64).collect();
        let theirs = pycma(&["count", name, &n.to_string(), &runs.to_string()])?;
        let [a, b] = [ours, theirs].map(|counts: Vec<f64>| {
            if name == RESTARTED { counts.iter().sum::<f64>() / counts.len() as f64 } else { median(counts) }
        });
        println!("| {name} | {n} | {runs} | {a:.0} | {b:.0} | {:.2} |", a / b);
        let most = if name == RESTARTED { MOST_WITH_RESTARTS } else { MOST };
        if a / b > most {
            failed.push(format!("{name} in {n} takes {a:.0} evaluations and pycma {b:.0}"));
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// Evaluations until a function is below the target; starts, deviations and bounds as in `cma_peer.py`.
fn count(name: &str, n: usize, seed: u64) -> usize {
    let f = |x: &[f64]| value(name, x);
    let settings = Settings { target: 1e-9, seed, budget: 2_000_000, ..Settings::default() };
    if name == RESTARTED {
        let settings = Settings { bounds: vec![Bounds::new(-5.0, 5.0); n], ..settings };
        let mut search =
            Restarts::new(&vec![3.0; n], &vec![2.0; n], settings, Policy::Ipop).expect("sound settings");
        loop {
            let values: Vec<f64> = search.ask().iter().map(|x| f(x)).collect();
            if search.tell(&values).is_some() {
                return search.evaluations();
            }
        }
    }
    let start = if name == "rosenbrock" { 0.0 } else { 1.0 };
    let mut cma = Cma::new(&vec![start; n], &vec![0.5; n], settings).expect("sound settings");
    loop {
        let values: Vec<f64> = cma.ask().iter().map(|x| f(x)).collect();
        if cma.tell(&values).is_some() {
            return cma.evaluations();
        }
    }
}

/// The usual test functions.
fn value(name: &str, x: &[f64]) -> f64 {
    let last = (x.len() - 1) as f64;
    match name {
        "sphere" => x.iter().map(|x| x * x).sum(),
        "ellipsoid" => x.iter().enumerate().map(|(i, x)| math::powf(1e6, i as f64 / last) * x * x).sum(),
        "rosenbrock" => {
            x.windows(2).map(|w| 100.0 * math::square(w[0] * w[0] - w[1]) + math::square(w[0] - 1.0)).sum()
        }
        _ => x.iter().map(|x| 10.0 + x * x - 10.0 * math::cos(TAU * x)).sum(),
    }
}

/// Compares time per generation, without that of evaluations; both programs in turn, the best of `rounds`.
pub(crate) fn bench(rounds: usize) -> Result<()> {
    let build = ["build", "--release", "--quiet", "-p", "gambol-control", "--example", "cma_bench"];
    run_command(&mut command(cargo(), &build))?;
    let ours = target().join("release/examples/cma_bench");
    println!("| coordinates | a generation, µs: gambol | pycma | ratio |\n|--:|--:|--:|--:|");
    let mut failed = Vec::new();
    for n in TIMED.map(|n| n.to_string()) {
        let mut best = [f64::INFINITY; 2];
        for _ in 0..rounds {
            let times = [
                numbers(&output(&mut command(&ours, &[&n, GENERATIONS]))?)?,
                pycma(&["time", &n, GENERATIONS])?,
            ];
            for (best, times) in best.iter_mut().zip(times) {
                *best = times.into_iter().fold(*best, f64::min);
            }
        }
        let [a, b] = best;
        println!("| {n} | {a:.1} | {b:.1} | **{:.1}** |", b / a);
        if b / a < FASTER {
            failed.push(format!("a generation in {n} is only {:.1} times faster", b / a));
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

fn median(mut counts: Vec<f64>) -> f64 {
    counts.sort_by(f64::total_cmp);
    counts[counts.len() / 2]
}

/// What pycma says, on one core as we are.
fn pycma(words: &[&str]) -> Result<Vec<f64>> {
    let mut call = command(peers::python_with_cma()?, &[]);
    call.arg(root().join("xtask/peers/cma_peer.py")).args(words).env("OPENBLAS_NUM_THREADS", "1");
    numbers(&output(&mut call)?)
}

fn numbers(text: &str) -> Result<Vec<f64>> {
    let number = |word: &str| word.parse().map_err(|_| format!("an answer that is no number: {text}"));
    text.split_whitespace().map(number).collect()
}

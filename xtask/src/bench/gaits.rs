//! `cargo xtask bench gaits`: from a creature to a loop of two seconds with its feet on the ground.

use serde::Deserialize;

use super::build_ours;
use crate::shell::{Result, command, output};

const GAITS: [(&str, &str); 7] = [
    ("dog", "trot"),
    ("dog", "walk"),
    ("dog", "gallop"),
    ("human", "walk"),
    ("human", "run"),
    ("spider", "walk"),
    ("snake", "slither"),
];
/// How long one gait is repeated, s; the best time of each stage counts.
const SECONDS: &str = "3";
/// What the dog may take, ms.
const TARGET: f64 = 50.0;

/// Best times, ms.
#[derive(Deserialize)]
struct Times {
    modes: f64,
    design: f64,
    perform: f64,
    /// The best of whole runs, not the sum of the best stages.
    total: f64,
    keys: usize,
    runs: usize,
}

pub(crate) fn run() -> Result<()> {
    let program = build_ours("gaits_bench")?;
    println!("| ms, best | modes | design | perform | all | keys | runs |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let mut slow = Vec::new();
    for (creature, gait) in GAITS {
        let line = output(&mut command(&program, &[creature, gait, SECONDS]))?;
        let times: Times = serde_json::from_str(&line).map_err(|error| format!("{error}: {line}"))?;
        let Times { modes, design, perform, total, keys, runs } = times;
        println!(
            "| {creature} {gait} | {modes:.2} | {design:.2} | {perform:.2} | {total:.1} | {keys} | {runs} |"
        );
        if creature == "dog" && total > TARGET {
            slow.push(gait);
        }
    }
    if slow.is_empty() { Ok(()) } else { Err(format!("dog {}: over {TARGET} ms", slow.join(", "))) }
}

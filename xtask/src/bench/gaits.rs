//! `cargo xtask bench gaits`: from a creature to a loop of two seconds with its feet on the ground.

use serde::Deserialize;

use super::build_ours;
use crate::shell::{Result, command, output};

const GAITS: [(&str, &str); 13] = [
    ("dog", "trot"),
    ("dog", "walk"),
    ("dog", "gallop"),
    ("dog", "rotary-gallop"),
    ("human", "walk"),
    ("human", "run"),
    ("biped", "walk"),
    ("bird", "run"),
    ("kangaroo", "hop"),
    ("monster", "run"),
    ("insect", "tripod"),
    ("spider", "walk"),
    ("snake", "slither"),
];
/// How long one gait is repeated, s; the best time of each stage counts.
const SECONDS: &str = "3";
/// What the dog's trot may take, believed, ms.
const TARGET: f64 = 50.0;
/// Two frames of a screen, ms: what a slider of the studio may take.
const FRAMES: f64 = 2000.0 / 60.0;

/// Best times, ms.
#[derive(Deserialize)]
struct Times {
    modes: f64,
    design: f64,
    perform: f64,
    /// The best of whole runs, not the sum of the best stages.
    total: f64,
    /// Design, and one cycle.
    slider: f64,
    keys: usize,
    runs: usize,
    believed: bool,
    /// Body weights, and body weights times height.
    residual_force: Option<f64>,
    residual_moment: Option<f64>,
}

pub(crate) fn run() -> Result<()> {
    let program = build_ours("gaits_bench")?;
    println!("| ms, best | modes | design | perform | all | slider | keys | runs | from nowhere | moment |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut missed = Vec::new();
    let told = |residual: Option<f64>| residual.map_or("–".to_owned(), |residual| format!("{residual:.2}"));
    for (creature, gait) in GAITS {
        let line = output(&mut command(&program, &[creature, gait, SECONDS]))?;
        let times: Times = serde_json::from_str(&line).map_err(|error| format!("{error}: {line}"))?;
        let Times { modes, design, perform, total, slider, keys, runs, .. } = times;
        let [force, moment] = [times.residual_force, times.residual_moment].map(told);
        println!(
            "| {creature} {gait} | {modes:.2} | {design:.2} | {perform:.2} | {total:.1} | {slider:.1} | {keys} | {runs} | {force} | {moment} |"
        );
        if !times.believed {
            missed.push(format!("{creature} {gait} is not believed"));
        }
        if (creature, gait) == ("dog", "trot") && total > TARGET {
            missed.push(format!("{creature} {gait} takes more than {TARGET} ms"));
        }
        if slider > FRAMES {
            missed.push(format!("a slider of {creature} {gait} takes more than two frames"));
        }
    }
    if missed.is_empty() { Ok(()) } else { Err(missed.join("; ")) }
}

//! `cargo xtask bench physics`: our time step against MuJoCo's on the same models, steps and starts, interleaved.

use std::path::{Path, PathBuf};

use gambol::LoadOptions;
use gambol::model::math;
use gambol::motion::Direction;
use serde::Deserialize;

use super::build_ours;
use crate::modes::all_modes;
use crate::peers;
use crate::shell::{Result, command, output, root, run as run_command, target};

/// What stands: a name, the model for `standing.py`, and how it is made to stand. Stiffness is in N·m/rad; our own
/// creatures get what `gambol stiffness` finds, and a step at which MuJoCo's explicit springs are stable. The dog of
/// dm_control at its own 5 ms bounces in MuJoCo.
const MODELS: [(&str, &str, &[&str]); 6] = [
    ("humanoid", "dm_control:humanoid", &["--stiffness", "300"]),
    ("quadruped", "dm_control:quadruped", &["--stiffness", "300"]),
    (
        "humanoid_CMU_V2020",
        "dm_control:humanoid_CMU_V2020",
        &["--freejoint", "--stiffness", "300", "--quat", "0.859", "1", "1", "0.859"],
    ),
    ("dog_v2", "dm_control:dog_v2", &["--stiffness", "50", "--step", "0.002"]),
    ("our human", "crates/gambol/gallery/human.xml", &["--scale", "5.2", "--step", "0.001"]),
    ("our dog", "crates/gambol/gallery/dog.xml", &["--scale", "7.7", "--step", "0.001"]),
];
/// Steps in a window, and windows in a run; the best window of all runs counts.
const WINDOW: [&str; 2] = ["200", "50"];
/// Gallery creatures whose first vibration is followed for ten cycles.
const RINGING: [&str; 3] = ["loop", "dog", "human"];
/// Joints of free chains.
const CHAINS: [usize; 7] = [10, 30, 100, 300, 1000, 3000, 10_000];
/// Rollouts of 200 steps for the figure with threads.
const ROLLOUTS: &str = "400";

/// One program on one model.
#[derive(Clone, Deserialize)]
struct Times {
    /// Best time of a step.
    ns: f64,
    contacts: f64,
    iterations: f64,
    /// Of the root at the end of a window over that at its start.
    height: f64,
    step: f64,
    nv: usize,
}

/// The largest step that is good enough.
#[derive(Deserialize)]
struct Rung {
    frequency: f64,
    step: f64,
    ns: f64,
    /// Cost of a simulated second, s.
    second: f64,
}

pub(crate) fn run(rounds: usize) -> Result<()> {
    let python = peers::python_with_pinocchio()?;
    let built = target().join("peers-built");
    run_command(command("sh", &["xtask/peers/build.sh"]).arg(peers::environment()).arg(&built))?;
    let ours = build_ours("physics_bench")?;
    standing(&python, &ours, &built.join("mujoco_physics"), rounds)?;
    ringing(&python, &ours)?;
    chains(&ours, rounds)?;
    threads(&ours, rounds)
}

fn prepared(name: &str) -> PathBuf {
    target().join("peers-models").join(format!("standing {name}").replace(' ', "-"))
}

fn standing(python: &Path, ours: &Path, mujoco: &Path, rounds: usize) -> Result<()> {
    println!("\n### Standing in contact, one core, best window of {rounds} rounds\n");
    println!(
        "| model | coordinates | step | gambol | MuJoCo | ratio | contacts | iterations | height after |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (name, model, flags) in MODELS {
        let folder = prepared(name);
        output(command(python, &["xtask/peers/standing.py", model]).arg(&folder).args(flags))?;
        let runs = [(ours, Some("step")), (mujoco, None)].map(|(program, verb)| {
            let mut call = command(program, &[]);
            call.args(verb).arg(folder.join("model.xml")).arg(folder.join("start.bin")).args(WINDOW);
            call
        });
        let [gambol, mujoco] = interleaved(runs, rounds)?;
        let row = [
            name.to_owned(),
            gambol.nv.to_string(),
            format!("{} ms", 1e3 * gambol.step),
            rate(gambol.ns),
            rate(mujoco.ns),
            format!("**{:.2}**", mujoco.ns / gambol.ns),
            format!("{:.1}, {:.1}", gambol.contacts, mujoco.contacts),
            format!("{:.1}, {:.1}", gambol.iterations, mujoco.iterations),
            format!("{:.3}, {:.3}", gambol.height, mujoco.height),
        ];
        println!("| {} |", row.join(" | "));
    }
    Ok(())
}

/// The best of each of two programs that take turns.
fn interleaved(mut runs: [std::process::Command; 2], rounds: usize) -> Result<[Times; 2]> {
    let mut best: [Option<Times>; 2] = [None, None];
    for _ in 0..rounds {
        for (run, best) in runs.iter_mut().zip(&mut best) {
            let times: Times = parse(&output(run)?)?;
            if best.as_ref().is_none_or(|best| times.ns < best.ns) {
                *best = Some(times);
            }
        }
    }
    match best {
        [Some(first), Some(second)] => Ok([first, second]),
        _ => Err("needs a round".into()),
    }
}

/// Steps per second, and what one takes.
fn rate(ns: f64) -> String {
    format!("{:.1} k/s ({:.1} µs)", 1e6 / ns, 1e-3 * ns)
}

fn parse<T: for<'a> Deserialize<'a>>(line: &str) -> Result<T> {
    serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))
}

/// At equal error instead of at equal step.
fn ringing(python: &Path, ours: &Path) -> Result<()> {
    let folder = target().join("ringing");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut creatures = Vec::new();
    for name in RINGING {
        let creature = gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string())?;
        let modes = all_modes(&creature, &[])?;
        let first: &Direction = modes.flexible().first().ok_or_else(|| format!("{name} does not vibrate"))?;
        let path = root().join(format!("crates/gambol/gallery/{name}.xml"));
        creatures.push(serde_json::json!({
            "name": name, "path": path, "pose": modes.mean(), "shape": first.shape, "frequency": first.frequency(),
        }));
    }
    let input = folder.join("creatures.json");
    let text = serde_json::Value::from(creatures).to_string();
    std::fs::write(&input, text).map_err(|error| format!("{}: {error}", input.display()))?;
    let theirs = output(command(python, &["xtask/peers/ring.py"]).arg(&input))?;
    println!(
        "\n### Equal error: first vibration within 0.5 % in frequency and 1 % in amplitude over ten cycles\n"
    );
    println!("| | Hz | largest step, gambol | MuJoCo | a simulated second, gambol | MuJoCo | ratio |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for (name, line) in RINGING.into_iter().zip(theirs.lines()) {
        let ours: Rung = parse(&output(&mut command(ours, &["ring", name, "0"]))?)?;
        let theirs: Rung = parse(line)?;
        println!(
            "| {name} | {:.2} | {:.2} ms ({:.1} µs) | {:.2} ms ({:.1} µs) | {:.2} ms | {:.2} ms | **{:.2}** |",
            ours.frequency,
            1e3 * ours.step,
            1e-3 * ours.ns,
            1e3 * theirs.step,
            1e-3 * theirs.ns,
            1e3 * ours.second,
            1e3 * theirs.second,
            theirs.second / ours.second
        );
    }
    Ok(())
}

/// How the cost of a step grows with the length of a free chain.
fn chains(ours: &Path, rounds: usize) -> Result<()> {
    #[derive(Deserialize)]
    struct Chain {
        ns: f64,
    }
    println!("\n### Free chains of hinges\n\n| joints | a step, µs | ns a joint |\n|--:|--:|--:|");
    let mut points = Vec::new();
    for joints in CHAINS {
        let mut best = f64::INFINITY;
        for _ in 0..rounds {
            let chain: Chain = parse(&output(&mut command(ours, &["chain", &joints.to_string()]))?)?;
            best = best.min(chain.ns);
        }
        println!("| {joints} | {:.1} | {:.0} |", 1e-3 * best, best / joints as f64);
        points.push((math::ln(joints as f64), math::ln(best)));
    }
    println!("\nFitted exponent: {:.3}; of the four longest {:.3}", slope(&points), slope(&points[3..]));
    Ok(())
}

/// Slope of the line of least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / n, sum.1 + point.1 / n));
    let above: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    above / points.iter().map(|point| math::square(point.0 - x)).sum::<f64>()
}

/// Rollouts on one and on two threads.
fn threads(ours: &Path, rounds: usize) -> Result<()> {
    #[derive(Deserialize)]
    struct Rate {
        steps_per_second: f64,
        /// Time of a step on a core.
        busy_ns: Option<f64>,
    }
    println!("\n### Rollouts over threads\n");
    println!("| model | steps/s on 1 | on 2 | ratio | a step on a core, 1 | 2 |\n|---|--:|--:|--:|--:|--:|");
    for (name, ..) in MODELS {
        let folder = prepared(name);
        let (mut best, mut busy) = ([0.0_f64; 2], [f64::INFINITY; 2]);
        for _ in 0..rounds {
            for (k, threads) in ["1", "2"].into_iter().enumerate() {
                let mut call = command(ours, &["threads"]);
                call.arg(folder.join("model.xml")).arg(folder.join("start.bin"));
                call.args([WINDOW[0], ROLLOUTS, threads]);
                let rate: Rate = parse(&output(&mut call)?)?;
                best[k] = best[k].max(rate.steps_per_second);
                busy[k] = busy[k].min(rate.busy_ns.unwrap_or(f64::NAN));
            }
        }
        let ([one, two], [alone, beside]) = (best.map(|rate| 1e-3 * rate), busy.map(|ns| 1e-3 * ns));
        println!("| {name} | {one:.1} k | {two:.1} k | {:.2} | {alone:.1} µs | {beside:.1} µs |", two / one);
    }
    Ok(())
}

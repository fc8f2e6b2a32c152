//! `cargo xtask bench strides`: what a search does all day, half a cycle of the runner from its start, next to the same
//! rollouts in MuJoCo, interleaved.

use std::path::{Path, PathBuf};
use std::process::Command;

use gambol::model::Vec3;
use serde::Deserialize;

use super::build_ours;
use crate::peers;
use crate::replay::{self, Case};
use crate::shell::{Result, command, output, run as run_command, target};

/// The controllers that are evaluated.
const STRIDES: [&str; 3] = ["runner", "kangaroo", "hopper"];

/// Evaluations in a window, and windows in a run; the best window of all runs counts. Short and many: on a machine that does
/// other work too, some are left alone.
const WINDOW: [&str; 2] = ["2", "100"];

/// One program on one stride.
#[derive(Clone, Deserialize)]
struct Rate {
    /// Evaluations.
    per_second: f64,
    steps: usize,
    /// How far the centre of mass goes, m.
    way: [f64; 3],
}

pub(crate) fn run(rounds: usize) -> Result<()> {
    peers::python_with_pinocchio()?;
    let built = target().join("peers-built");
    run_command(command("sh", &["xtask/peers/build.sh"]).arg(peers::environment()).arg(&built))?;
    let ours = build_ours("stride_bench")?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "\n### Strides evaluated per second, on 1 thread and on {cores}, best window of {rounds} rounds\n"
    );
    println!(
        "| | steps | gambol | MuJoCo | ratio | MuJoCo, hard | ratio | way off, mm: gambol | MuJoCo | hard |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for name in STRIDES {
        let case = replay::load(name)?;
        let controller = replay::exported(&case)?.with_extension("toml");
        std::fs::write(&controller, replay::text(name)?)
            .map_err(|error| format!("{}: {error}", controller.display()))?;
        let threads = [1, cores];
        let mut best: Vec<Option<Rate>> = vec![None; 3 * threads.len()];
        let mut calls = Vec::new();
        let first: Rate = ask(&mut our_call(&ours, &controller, 1))?;
        let file = written(&case, first.steps)?;
        for threads in threads {
            calls.push(our_call(&ours, &controller, threads));
            for contact in ["own", "hard"] {
                calls.push(their_call(&built.join("mujoco_strides"), &case, &file, contact, threads)?);
            }
        }
        for _ in 0..rounds {
            for (call, best) in calls.iter_mut().zip(&mut best) {
                let rate: Rate = ask(call)?;
                if best.as_ref().is_none_or(|best| rate.per_second > best.per_second) {
                    *best = Some(rate);
                }
            }
        }
        let best: Vec<Rate> = best.into_iter().flatten().collect();
        let [one, all] = [0, 3].map(|k| [&best[k], &best[k + 1], &best[k + 2]]);
        let way = replay::way(&case, first.steps)?;
        let off = one.map(|rate| format!("{:.1}", 1e3 * (Vec3::from(rate.way) - way).norm()));
        let rates = |k: usize| format!("{:.0}, {:.0}", one[k].per_second, all[k].per_second);
        let ratios = |k: usize| {
            format!(
                "**{:.2}**, {:.2}",
                one[0].per_second / one[k].per_second,
                all[0].per_second / all[k].per_second
            )
        };
        let cells =
            [name.into(), first.steps.to_string(), rates(0), rates(1), ratios(1), rates(2), ratios(2)];
        println!("| {} | {} |", cells.join(" | "), off.join(" | "));
    }
    Ok(())
}

fn our_call(program: &Path, file: &Path, threads: usize) -> Command {
    let mut call = command(program, &[]);
    call.arg(file).args(WINDOW).arg(threads.to_string());
    call
}

fn their_call(program: &Path, case: &Case, file: &Path, contact: &str, threads: usize) -> Result<Command> {
    let mut call = command(program, &[]);
    call.arg(replay::exported(case)?).arg(file).arg(contact).args(WINDOW).arg(threads.to_string());
    Ok(call)
}

fn ask(call: &mut Command) -> Result<Rate> {
    let line = output(call)?;
    serde_json::from_str(&line).map_err(|error| format!("{error}: {line}"))
}

/// The start and the torques of so many steps, as `mujoco_strides` reads them.
fn written(case: &Case, steps: usize) -> Result<PathBuf> {
    let creature = &case.creature;
    let mut bytes = Vec::new();
    for size in [steps, creature.nq(), creature.nv()] {
        bytes.extend((size as u64).to_le_bytes());
    }
    let state = [&[case.step], case.q.as_slice(), &case.v, creature.rest_pose()];
    for x in state.into_iter().chain(case.torques.iter().take(steps).map(Vec::as_slice)).flatten() {
        bytes.extend(x.to_le_bytes());
    }
    let file = target().join("replay").join(format!("{}.bin", case.name));
    std::fs::write(&file, bytes).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(file)
}

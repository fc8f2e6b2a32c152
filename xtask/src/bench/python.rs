//! `cargo xtask bench python`: the dog stepped from Python against Rust's own loop. Two processes take turns, window by window, so that
//! whatever else the machine does hits both; the best window of each counts. Both are built alike, for any processor.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::python::installed_wheel;
use crate::shell::{Result, cargo, command, run as run_command, target};

/// Steps in a window, and windows in a round.
const STEPS: (usize, usize) = (500, 60);
/// Rollouts side by side, and their length, s.
const ROLLOUTS: (usize, f64) = (64, 0.5);
/// Windows of rollouts in a round.
const ROLLOUT_WINDOWS: usize = 4;

/// One side, which answers lines.
struct Side {
    child: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Side {
    fn start(mut program: Command) -> Result<Self> {
        let spawned = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| format!("{program:?}: {error}"))?;
        let (ask, answers) = (child.stdin.take(), child.stdout.take());
        let (Some(ask), Some(answers)) = (ask, answers) else { return Err("no pipes".to_owned()) };
        Ok(Self { child, ask, answers: BufReader::new(answers) })
    }

    /// Nanoseconds, and the bits of what came out.
    fn ask(&mut self, line: &str) -> Result<(f64, String)> {
        writeln!(self.ask, "{line}").map_err(|error| error.to_string())?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer).map_err(|error| error.to_string())?;
        let (ns, bits) = answer.trim().split_once(' ').ok_or(format!("{line}: {answer:?}"))?;
        Ok((ns.parse().map_err(|error| format!("{answer:?}: {error}"))?, bits.to_owned()))
    }

    fn end(self) -> Result<()> {
        let Self { mut child, ask, .. } = self;
        drop(ask); // the end of its lines
        child.wait().map(|_| ()).map_err(|error| error.to_string())
    }
}

pub(crate) fn run(rounds: usize) -> Result<()> {
    let build = ["build", "--release", "--quiet", "-p", "xtask", "--bin", "python_bench"];
    run_command(&mut command(cargo(), &build))?;
    let rust = Side::start(command(target().join("release/python_bench"), &[]))?;
    let python = Side::start(command(installed_wheel()?, &["xtask/peers/python_bench.py"]))?;
    let mut sides = [rust, python];
    println!("\n### The dog from Python, best window of {rounds} rounds\n");
    println!("| | another Python thread | Rust, µs a step | Python, µs a step | Python's speed |");
    println!("|---|---|--:|--:|--:|");
    let (steps, windows) = STEPS;
    let (many, seconds) = ROLLOUTS;
    let all = many as f64 * (seconds / gambol::dynamics::StepSettings::default().step);
    let step = (format!("step {steps}"), steps as f64, windows);
    let rollout = (format!("rollout {many} {seconds}"), all, ROLLOUT_WINDOWS);
    for (name, (line, count, windows), busy) in [
        ("`world.step`, one a call", &step, "off"),
        ("`world.rollout` of 64", &rollout, "off"),
        ("`world.rollout` of 64", &rollout, "on"),
    ] {
        let mut best = [f64::INFINITY; 2];
        for _ in 0..rounds {
            for side in &mut sides {
                side.ask(&format!("busy {busy}"))?;
            }
            for _ in 0..*windows {
                let mut ends = Vec::new();
                for (side, best) in sides.iter_mut().zip(&mut best) {
                    let (ns, bits) = side.ask(line)?;
                    *best = best.min(ns);
                    ends.push(bits);
                }
                if ends[0] != ends[1] {
                    return Err(format!("{name}: not the same bits: {ends:?}"));
                }
            }
        }
        let [rust, python] = best.map(|ns| 1e-3 * ns / count);
        let busy = if busy == "on" { "counts" } else { "–" };
        println!("| {name} | {busy} | {rust:.2} | {python:.2} | {:.1} % |", 100.0 * rust / python);
    }
    sides.into_iter().try_for_each(Side::end)
}

//! How time and memory of the matrix-free solver grow with the creature: the 20 lowest modes of chains, trees and
//! stars of 1 000 to 100 000 joints. Every case runs in a process of its own, so that peak memory is its own.
//!
//!     cargo run --release -p gambol-modes --example large_bench
//!
//! With arguments, e.g. `tree 30000 40`, it runs one case (kind, joints, modes) and prints one line. Times are the
//! best of several; build is the making of the creature, which is not part of the analysis. The error is that of the
//! worst eigenvalue against an exact reference, for chains.

#[path = "../tests/all/chain_reference.rs"]
mod chain_reference;

use std::process::{Command, ExitCode};
use std::time::Instant;

use chain_reference::Chain;
use gambol_dynamics::Data;
use gambol_model::{
    BodySpec, Creature, CreatureSpec, JointSpec, Shape, ShapeSpec, Transform, Vec3, math,
    samples::{Random, branching, chain, star},
};
use gambol_modes::{Settings, analyze_large};
use gambol_motion::{Basis, Direction};

const KINDS: [&str; 5] = ["chain", "tree", "star", "brush", "pendulums"];
const SIZES: [usize; 4] = [1000, 3000, 10_000, 100_000];

/// One line of the table.
struct Case {
    build_secs: f64,
    modes_secs: f64,
    peak_mb: f64,
    error: String,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => table(),
        [kind, joints, rest @ ..] => {
            let count = rest.first().and_then(|count| count.parse().ok()).unwrap_or(20);
            match joints
                .parse()
                .map_err(|_| format!("{joints}: not a number"))
                .and_then(|n| run(kind, n, count))
            {
                Ok(case) => {
                    let Case { build_secs, modes_secs, peak_mb, error } = case;
                    println!("{build_secs} {modes_secs} {peak_mb} {error}");
                    ExitCode::SUCCESS
                }
                Err(error) => fail(&error),
            }
        }
        [_] => fail("usage: large_bench [kind joints [modes]]"),
    }
}

fn fail(reason: &str) -> ExitCode {
    eprintln!("{reason}");
    ExitCode::FAILURE
}

fn table() -> ExitCode {
    println!(
        "{:>10} {:>8} {:>10} {:>10} {:>9} {:>9} {:>10}",
        "kind", "joints", "build s", "modes s", "grows as", "peak MB", "error"
    );
    for kind in KINDS {
        let mut before: Option<(usize, f64)> = None;
        for joints in SIZES.into_iter().filter(|joints| kind != "pendulums" || *joints < 10_000) {
            let Some(case) = in_own_process(kind, joints) else {
                return fail(&format!("{kind} of {joints} joints failed"));
            };
            // t ∝ n^p between this size and the one before.
            let exponent = before.map_or(String::new(), |(n, t)| {
                format!("n^{:.2}", math::ln(case.modes_secs / t) / math::ln(joints as f64 / n as f64))
            });
            println!(
                "{kind:>10} {joints:>8} {:>10.4} {:>10.4} {exponent:>9} {:>9.0} {:>10}",
                case.build_secs, case.modes_secs, case.peak_mb, case.error
            );
            before = Some((joints, case.modes_secs));
        }
    }
    ExitCode::SUCCESS
}

fn in_own_process(kind: &str, joints: usize) -> Option<Case> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program).args([kind, &joints.to_string()]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut words = text.split_whitespace();
    let mut number = || words.next().and_then(|word| word.parse().ok());
    let (build_secs, modes_secs, peak_mb) = (number()?, number()?, number()?);
    Some(Case { build_secs, modes_secs, peak_mb, error: words.next()?.to_owned() })
}

fn run(kind: &str, joints: usize, count: usize) -> Result<Case, String> {
    let start = Instant::now();
    let creature = creature(kind, joints)?;
    let build_secs = start.elapsed().as_secs_f64();
    let settings = Settings { count: Some(count), ..Settings::default() };
    let mut modes_secs = f64::INFINITY;
    let mut modes: Option<Basis> = None;
    for _ in 0..(30_000 / joints).clamp(2, 20) {
        let start = Instant::now();
        let mut data = Data::new(&creature);
        let found = analyze_large(&creature, &mut data, creature.reference_pose(), &settings);
        modes = Some(found.map_err(|error| error.to_string())?);
        modes_secs = modes_secs.min(start.elapsed().as_secs_f64());
    }
    let peak_mb = peak_memory_mb().unwrap_or(f64::NAN);
    let error = modes.filter(|_| kind == "chain").map_or("-".to_owned(), |modes| {
        let exact = Chain::of(&creature, 0);
        let error = |(i, mode): (usize, &Direction)| {
            let lambda = mode.omega_squared.unwrap_or(f64::NAN);
            (lambda / exact.eigenvalue(2 + i, lambda) - 1.0).abs()
        };
        format!("{:.0e}", modes.flexible().iter().enumerate().map(error).fold(0.0, f64::max))
    });
    Ok(Case { build_secs, modes_secs, peak_mb, error })
}

fn creature(kind: &str, joints: usize) -> Result<Creature, String> {
    match kind {
        "chain" => Ok(chain(joints + 1)),
        "tree" => Ok(branching(joints, 1)),
        "star" => Ok(star(8, joints / 8)),
        "brush" => Ok(star(joints / 8, 8)),
        "pendulums" => pendulums(joints).map_err(|error| error.to_string()),
        _ => Err(format!("{kind}: not one of {KINDS:?}")),
    }
}

/// Pendulums on the world, each a little different from the others: no gap anywhere in the spectrum, the hardest there
/// is for a Krylov method: the number of products grows with the root of their number.
fn pendulums(joints: usize) -> Result<Creature, gambol_model::ModelError> {
    let mut random = Random::new(1);
    let mut spec = CreatureSpec::new("pendulums");
    for k in 0..joints {
        let mut body = BodySpec::new(format!("pendulum.{k}"));
        body.parent_from_body = Transform::translation(0.1 * k as f64, 0.0, 0.0);
        let stiffness = 1.0 + random.unit();
        body.joints.push(JointSpec::hinge(format!("joint.{k}"), Vec3::y()).with_stiffness(stiffness));
        body.shapes.push(ShapeSpec::new(Shape::Box { half: Vec3::new(0.02, 0.02, 0.1) }));
        spec.bodies.push(body);
    }
    spec.build()
}

/// Largest resident size of this process so far, where the system tells.
fn peak_memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kb: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kb / 1024.0)
}

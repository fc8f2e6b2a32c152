//! `cargo xtask programs`: our quadratic and linear programs against Clarabel and HiGHS; `cargo xtask bench programs`: their time.

use std::io::Write;
use std::process::Stdio;

use gambol::control::solve::{LinearProgram, QuadraticProgram, SolveStatus};
use gambol_model::Random;
use serde_json::{Value, json};

use crate::peers;
use crate::shell::{Result, cargo, command, output, root, run as run_command, target};

/// Programs of each kind.
const PROGRAMS: usize = 150;

/// Least values agree within this share of the largest term: what Clarabel is asked for is 1e-11, what it reaches 1e-9.
const AGREES: f64 = 1e-7;

/// The time that the quadratic program of a dog's feet may take from the last solution, µs: a tenth of a step.
const LONGEST: f64 = 100.0;

/// What we found: the program for the peer, our status, the least value, and the size of its terms.
struct Ours {
    program: Value,
    status: SolveStatus,
    value: f64,
    scale: f64,
}

/// A row: its relation as the peer knows it, its numbers, bound and price.
type Row = (&'static str, Vec<f64>, f64, f64);

/// Compares statuses and least values.
pub(crate) fn run() -> Result<()> {
    let mut random = Random::new(1);
    let ours: Vec<Ours> = (0..2 * PROGRAMS)
        .map(|k| if k < PROGRAMS { quadratic(&mut random, k) } else { linear(&mut random, k) })
        .collect();
    let programs: Vec<&Value> = ours.iter().map(|ours| &ours.program).collect();
    let answers = ask(&serde_json::to_vec(&programs).map_err(|error| error.to_string())?)?;
    let mut lines = answers.lines();
    let (mut failed, mut worst, mut counts) = (Vec::new(), 0.0_f64, [0; 3]);
    for (k, ours) in ours.iter().enumerate() {
        let line = lines.next().ok_or("the peer answered too little")?;
        let (status, value) = line.rsplit_once(' ').ok_or_else(|| format!("no answer: {line}"))?;
        let value: f64 = value.parse().map_err(|_| format!("no number: {line}"))?;
        let error = (value - ours.value).abs() / ours.scale;
        if status != ours.status.name() || error > AGREES {
            let told = ours.status.name();
            failed.push(format!("program {k}: {told} {} here and {status} {value} there", ours.value));
        }
        worst = worst.max(error);
        counts[usize::from(k >= PROGRAMS)] += usize::from(status == "optimal");
        counts[2] += usize::from(status != "optimal");
    }
    println!(
        "{} quadratic programs as Clarabel solves them, {} linear ones as HiGHS does, {} that have no solution; least values agree to {worst:.1e}",
        counts[0], counts[1], counts[2]
    );
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

fn ask(programs: &[u8]) -> Result<String> {
    let mut call = command(peers::python_with_clarabel()?, &[]);
    call.arg(root().join("xtask/peers/programs.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = call.spawn().map_err(|error| error.to_string())?;
    let mut input = child.stdin.take().ok_or("no way in")?;
    input.write_all(programs).map_err(|error| error.to_string())?;
    drop(input);
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err("the peer failed".into());
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

fn normal(random: &mut Random, count: usize) -> Vec<f64> {
    let mut numbers = vec![0.0; count];
    random.fill_normal(&mut numbers);
    numbers
}

fn times(a: &[f64], x: &[f64]) -> f64 {
    a.iter().zip(x).map(|(a, x)| a * x).sum()
}

/// Rows around a point that satisfies them all, or, every fifth time, with bounds that may not go together.
fn rows(random: &mut Random, n: usize, count: usize, lost: bool) -> Vec<Row> {
    let inside = normal(random, n);
    let row = |k: usize| {
        let a = normal(random, n);
        let off = if lost { 8.0 * random.symmetric() } else { 0.0 };
        let (b, room) = (times(&a, &inside) + off, random.unit());
        match k % 5 {
            0 if k < n => ("=", a, b, 0.0),
            1 | 3 => (">", a, b - room, 0.0),
            _ => ("<", a, b + room, 0.0),
        }
    };
    (0..count).map(row).collect()
}

fn quadratic(random: &mut Random, k: usize) -> Ours {
    let n = 1 + random.below(48);
    let count = random.below(3 * n);
    let rows = rows(random, n, count, k % 5 == 4);
    let factor: Vec<Vec<f64>> = (0..n).map(|_| normal(random, n)).collect();
    let entry = |i: usize, j: usize| {
        let product: f64 = (0..n).map(|k| factor[k][i] * factor[k][j]).sum();
        product / n as f64 + if i == j { 0.1 } else { 0.0 }
    };
    let hessian: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| entry(i.min(j), i.max(j))).collect()).collect();
    let gradient: Vec<f64> = normal(random, n).iter().map(|g| 5.0 * g).collect();
    let mut program = QuadraticProgram::new(n, rows.len());
    program.begin(n);
    program.hessian_mut().copy_from_slice(&hessian.concat());
    program.gradient_mut().copy_from_slice(&gradient);
    for (relation, a, b, _) in &rows {
        let row = match *relation {
            "=" => program.equal(*b),
            ">" => program.at_least(*b),
            _ => program.at_most(*b),
        };
        row.copy_from_slice(a);
    }
    let status = program.solve();
    let x = program.x();
    let curved: f64 = 0.5 * (0..n).map(|i| x[i] * times(&hessian[i], x)).sum::<f64>();
    let solved = status == SolveStatus::Optimal;
    Ours {
        program: json!({"kind": "quadratic", "hessian": hessian, "gradient": gradient, "rows": rows}),
        status,
        value: if solved { curved + times(&gradient, x) } else { 0.0 },
        scale: 1.0 + curved.abs() + times(&gradient, x).abs(),
    }
}

fn linear(random: &mut Random, k: usize) -> Ours {
    let n = 1 + random.below(30);
    let count = random.below(n + 1);
    let mut rows = rows(random, n, count, k % 5 == 4);
    for row in rows.iter_mut().step_by(3) {
        (row.0, row.3) = ("~", random.unit());
    }
    let bounds: Vec<[f64; 2]> = (0..n).map(|_| [-4.0 - random.unit(), 4.0 + random.unit()]).collect();
    let cost = normal(random, n);
    let mut program = LinearProgram::new(n, rows.len());
    program.begin(n);
    program.cost_mut().copy_from_slice(&cost);
    bounds.iter().enumerate().for_each(|(i, [low, high])| program.set_bounds(i, *low, *high));
    for (relation, a, b, weight) in &rows {
        let row = match *relation {
            "=" => program.equal(*b),
            ">" => program.at_least(*b),
            "<" => program.at_most(*b),
            _ => program.near(*b, *weight),
        };
        row.copy_from_slice(a);
    }
    let status = program.solve();
    let x = program.x();
    let missed = rows.iter().map(|(_, a, b, weight)| weight * (times(a, x) - b).abs()).sum::<f64>();
    let solved = status == SolveStatus::Optimal;
    Ours {
        program: json!({"kind": "linear", "cost": cost, "bounds": bounds, "rows": rows}),
        status,
        value: if solved { times(&cost, x) + missed } else { 0.0 },
        scale: 1.0 + times(&cost, x).abs() + missed,
    }
}

/// Times the programs of a dog's feet.
pub(crate) fn bench() -> Result<()> {
    let build = ["build", "--release", "--quiet", "-p", "gambol-control", "--example", "program_bench"];
    run_command(&mut command(cargo(), &build))?;
    let told = output(&mut command(target().join("release/examples/program_bench"), &[]))?;
    let numbers: Vec<Vec<f64>> = told
        .lines()
        .map(|line| line.split_whitespace().filter_map(|word| word.parse().ok()).collect())
        .collect();
    println!("| program of a dog's feet | µs | steps |\n|---|--:|--:|");
    let names =
        ["quadratic, 48 unknowns and 112 rows, afresh", "from the last solution", "Kokkevis' linear one"];
    for (name, numbers) in names.iter().zip(&numbers) {
        let [time, steps] = numbers[..] else { return Err(format!("an answer that is no number: {told}")) };
        println!("| {name} | {time:.1} | {steps:.1} |");
    }
    match numbers.get(1) {
        Some(numbers) if numbers[0] <= LONGEST => Ok(()),
        _ => Err(format!("from the last solution it takes more than {LONGEST} µs")),
    }
}

//! `cargo xtask bench modes`: modal analysis against MuJoCo's mass matrix with LAPACK's eigensolver, same creatures,
//! same springs, one thread, interleaved.

use std::path::Path;

use serde::Deserialize;

use super::build_ours;
use crate::peers;
use crate::shell::{Result, command, output, run as run_command, target};

/// Models of dm_control; the CMU humanoid gets the floating root that its file leaves to the simulation.
const DM_CONTROL: [(&str, &[&str]); 3] =
    [("humanoid", &[]), ("humanoid_CMU_V2020", &["--freejoint"]), ("dog_v2", &[])];
/// A creature with constraints, and the same without. The loop's is the open chain of its links.
const CONSTRAINED: [(&str, &str); 3] = [("human+head", "human"), ("human+cart", "human"), ("loop", "linear")];
const CHAINS: [&str; 2] = ["chain:1000", "chain:3000"];
/// How long a program repeats one analysis in one round, s; its best counts. Short, so that the programs take turns
/// often and a busy moment of the machine meets all of them.
const SECONDS: &str = "0.3";
/// The lowest vibrations of two programs must agree to this, relative, or they did not compute the same.
const SAME: f64 = 1e-9;
/// On chains SciPy's subset driver itself is off by up to 1.3e-4 at 3000 coordinates.
const SAME_CHAIN: f64 = 1e-3;

#[derive(Deserialize)]
struct Ours {
    dofs: usize,
    total: f64,
    frequencies: Vec<f64>,
}

#[derive(Deserialize)]
struct Peer {
    mass: f64,
    direct: f64,
    inverse: Option<f64>,
    /// Worst error of the direct form over the lowest vibrations, relative.
    error: Option<f64>,
    frequencies: Vec<f64>,
}

struct Programs {
    ours: std::path::PathBuf,
    python: std::path::PathBuf,
}

impl Programs {
    fn ours(&self, creature: &str) -> Result<Ours> {
        parse(&output(&mut command(&self.ours, &[creature, SECONDS]))?)
    }

    fn peer(&self, creature: &str) -> Result<Peer> {
        let mut python = command(&self.python, &["xtask/peers/modes_bench.py", creature, SECONDS]);
        // One thread each, as ours: BLAS reads these when it is loaded.
        parse(&output(python.env("OPENBLAS_NUM_THREADS", "1").env("OMP_NUM_THREADS", "1"))?)
    }

    /// Both on one creature, interleaved; the best of all rounds. Times are in ns.
    fn both(&self, creature: &str, rounds: usize, same: f64) -> Result<(Ours, Peer)> {
        let (mut ours, mut peer) = (self.ours(creature)?, self.peer(creature)?);
        let difference = ours.frequencies.iter().zip(&peer.frequencies).map(|(a, b)| (a / b - 1.0).abs());
        let worst = difference.fold(0.0, f64::max);
        if ours.frequencies.is_empty() || worst > same {
            return Err(format!("{creature}: frequencies differ by {worst:e}"));
        }
        for _ in 1..rounds {
            ours.total = ours.total.min(self.ours(creature)?.total);
            let again = self.peer(creature)?;
            peer.mass = peer.mass.min(again.mass);
            peer.direct = peer.direct.min(again.direct);
            peer.inverse = peer.inverse.zip(again.inverse).map(|(a, b)| a.min(b));
        }
        Ok((ours, peer))
    }
}

pub(crate) fn run(rounds: usize) -> Result<()> {
    let programs = Programs { ours: build_ours("modes_bench")?, python: peers::python()? };
    let models = target().join("peers-models");
    all_modes(&programs, &models, rounds)?;
    with_constraints(&programs, rounds)?;
    lowest_modes(&programs)
}

fn all_modes(programs: &Programs, models: &Path, rounds: usize) -> Result<()> {
    std::fs::create_dir_all(models).map_err(|error| format!("{}: {error}", models.display()))?;
    let dog = models.join("dog.xml");
    let entry = gambol::gallery::find("dog").ok_or("the gallery has no dog")?;
    std::fs::write(&dog, entry.mjcf).map_err(|error| format!("{}: {error}", dog.display()))?;
    let mut creatures = vec![("dog", dog)];
    for (model, flags) in DM_CONTROL {
        let prepared = models.join(model);
        let mut prepare =
            command(&programs.python, &["xtask/peers/prepare.py", &format!("dm_control:{model}")]);
        run_command(prepare.arg(&prepared).args(["--states", "1"]).args(flags))?;
        creatures.push((model, prepared.join("model.xml")));
    }
    println!("\n### All modes, mass matrix included\n");
    println!(
        "| µs, best | dofs | gambol | MuJoCo's M | dsygvd(K, M) | inverse form | M + dsygvd / gambol | \
         M + inverse / gambol | error of dsygvd |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, file) in creatures {
        let (ours, peer) = programs.both(&file.display().to_string(), rounds, SAME)?;
        let inverse = peer.inverse.unwrap_or(f64::NAN);
        println!(
            "| {name} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.2} | {:.2} | {:.0e} |",
            ours.dofs,
            ours.total / 1e3,
            peer.mass / 1e3,
            peer.direct / 1e3,
            inverse / 1e3,
            (peer.mass + peer.direct) / ours.total,
            (peer.mass + inverse) / ours.total,
            peer.error.unwrap_or(f64::NAN)
        );
    }
    Ok(())
}

fn with_constraints(programs: &Programs, rounds: usize) -> Result<()> {
    println!("\n### With constraints\n");
    println!("| µs, best | dofs | gambol | without | without / with |");
    println!("|---|---|---|---|---|");
    for (creature, free) in CONSTRAINED {
        let (mut with, mut without) = (programs.ours(creature)?, programs.ours(free)?);
        for _ in 1..rounds {
            with.total = with.total.min(programs.ours(creature)?.total);
            without.total = without.total.min(programs.ours(free)?.total);
        }
        println!(
            "| {creature} ({free}) | {} | {:.1} | {:.1} | {:.2} |",
            with.dofs,
            with.total / 1e3,
            without.total / 1e3,
            without.total / with.total
        );
    }
    Ok(())
}

fn lowest_modes(programs: &Programs) -> Result<()> {
    println!("\n### Lowest 20 vibrations of a chain\n");
    println!("| ms, best | gambol | eigh, subset (M given) | eigh / gambol | difference |");
    println!("|---|---|---|---|---|");
    let mut totals = Vec::new();
    for chain in CHAINS {
        // One round: seconds of LAPACK against milliseconds leave no doubt.
        let (ours, peer) = programs.both(chain, 1, SAME_CHAIN)?;
        let difference = ours.frequencies.iter().zip(&peer.frequencies).map(|(a, b)| (a / b - 1.0).abs());
        println!(
            "| {chain} | {:.1} | {:.1} | {:.1} | {:.0e} |",
            ours.total / 1e6,
            peer.direct / 1e6,
            peer.direct / ours.total,
            difference.fold(0.0, f64::max)
        );
        totals.push(ours.total);
    }
    println!("\n3 times the length costs {:.1} times the time.", totals[1] / totals[0]);
    Ok(())
}

fn parse<T: for<'a> Deserialize<'a>>(line: &str) -> Result<T> {
    serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))
}

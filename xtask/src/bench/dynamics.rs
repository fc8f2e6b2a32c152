//! `cargo xtask bench dynamics`: our dynamics against MuJoCo's and Pinocchio's, same models, same states, interleaved.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::build_ours;
use crate::peers;
use crate::shell::{Result, command, output, root, run as run_command, target};

/// Models of dm_control; the CMU humanoid gets the floating root that its file leaves to the simulation.
const MODELS: [(&str, &[&str]); 3] =
    [("humanoid", &[]), ("humanoid_CMU_V2020", &["--freejoint"]), ("dog_v2", &[])];
const STAGES: [&str; 4] = ["mass_matrix", "factor", "bias", "forward"];
/// Passes over all states in one run of a program; its best pass counts.
const PASSES: &str = "60";

#[derive(Deserialize)]
struct Times {
    stages: BTreeMap<String, f64>,
    checksums: BTreeMap<String, f64>,
    energy: f64,
}

/// Best times of one program over all rounds, ns, and its checksums.
struct Best {
    program: &'static str,
    stages: BTreeMap<String, f64>,
    checksums: BTreeMap<String, f64>,
    energy: f64,
}

pub(crate) fn run(rounds: usize) -> Result<()> {
    let python = peers::python_with_pinocchio()?;
    let built = target().join("peers-built");
    run_command(command("sh", &["xtask/peers/build.sh"]).arg(peers::environment()).arg(&built))?;
    let ours = build_ours("dynamics_bench")?;
    for (model, flags) in MODELS {
        let prepared = target().join("peers-models").join(model);
        let mut prepare = command(&python, &["xtask/peers/prepare.py", &format!("dm_control:{model}")]);
        run_command(prepare.arg(&prepared).args(["--states", "200"]).args(flags))?;
        let programs: [(&str, PathBuf, &str); 3] = [
            ("gambol", ours.clone(), "model.xml"),
            ("MuJoCo", built.join("mujoco_bench"), "model.xml"),
            ("Pinocchio", built.join("pinocchio_bench"), "model.pin.txt"),
        ];
        let mut best: Vec<Best> = Vec::new();
        for _ in 0..rounds {
            for (program, path, file) in &programs {
                let times = time(path, &prepared, file)?;
                match best.iter_mut().find(|known| known.program == *program) {
                    None => best.push(Best {
                        program,
                        stages: times.stages,
                        checksums: times.checksums,
                        energy: times.energy,
                    }),
                    Some(known) => {
                        for (stage, ns) in times.stages {
                            known
                                .stages
                                .entry(stage)
                                .and_modify(|least| *least = least.min(ns))
                                .or_insert(ns);
                        }
                    }
                }
            }
        }
        check_same_physics(model, &best)?;
        print_table(model, &best);
    }
    Ok(())
}

fn time(program: &Path, prepared: &Path, model: &str) -> Result<Times> {
    let mut command = command(program, &[]);
    command.arg(prepared.join(model)).arg(prepared.join("states.bin")).arg(PASSES).current_dir(root());
    let line = output(&mut command)?;
    serde_json::from_str(&line).map_err(|error| format!("{}: {error}: {line}", program.display()))
}

/// A benchmark of different computations would say nothing: all three programs must have computed the same.
fn check_same_physics(model: &str, best: &[Best]) -> Result<()> {
    let ours = &best[0];
    for peer in &best[1..] {
        for (what, a, b) in STAGES
            .iter()
            .map(|stage| (*stage, ours.checksums[*stage], peer.checksums[*stage]))
            .chain([("energy", ours.energy, peer.energy)])
        {
            // Sums over 200 states; the model file's own rounding is shared by all.
            if ((a - b) / b).abs() > 1e-8 {
                return Err(format!("{model}: {what} is {a}, {} has {b}", peer.program));
            }
        }
    }
    Ok(())
}

fn print_table(model: &str, best: &[Best]) {
    println!("\n### {model}\n");
    println!("| µs, best | gambol | MuJoCo | Pinocchio | MuJoCo / gambol | Pinocchio / gambol |");
    println!("|---|---|---|---|---|---|");
    for stage in STAGES {
        let us: Vec<f64> = best.iter().map(|program| program.stages[stage] / 1e3).collect();
        println!(
            "| {stage} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
            us[0],
            us[1],
            us[2],
            us[1] / us[0],
            us[2] / us[0]
        );
    }
}

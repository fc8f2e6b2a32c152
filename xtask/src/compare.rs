//! `cargo xtask compare FOLDER`: every model below a folder, ours against MuJoCo's.

use std::path::Path;

use gambol::LoadOptions;
use gambol::dynamics::{
    Data, FloatingBase, TreeMatrix, bias_forces, forward_dynamics, mass_matrix, null_space, outside_wrench,
    passive_forces,
};
use gambol::model::{Creature, Vec3};
use nalgebra::DMatrix;
use serde::Deserialize;

use crate::peers;
use crate::shell::{Result, command, output, root};

/// Mass, inertia, mass matrix and bias forces, relative: double precision less what the conditioning of large models
/// and the order of summation cost (MuJoCo itself differs from Pinocchio by up to 1e-14 on average, 1e-12 at worst).
const EXACT: f64 = 1e-9;
/// Accelerations, relative: the mass matrix is solved, which multiplies errors by its condition number.
const SOLVED: f64 = 1e-8;

#[derive(Deserialize)]
struct Oracle {
    path: String,
    error: Option<String>,
    #[serde(default)]
    nq: usize,
    #[serde(default)]
    nv: usize,
    #[serde(default)]
    mass: f64,
    #[serde(default)]
    moment: f64,
    #[serde(default)]
    qpos0: Vec<f64>,
    #[serde(default)]
    equality: Vec<Vec<f64>>,
    #[serde(default)]
    states: Vec<State>,
}

#[derive(Deserialize)]
struct State {
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    tau: Vec<f64>,
    mass_matrix: Vec<Vec<f64>>,
    bias: Vec<f64>,
    passive: Vec<f64>,
    qacc: Vec<f64>,
    acceleration: Vec<f64>,
    /// Joint forces for that acceleration, without armature.
    inverse: Vec<f64>,
}

/// Worst relative differences over all states of a model.
#[derive(Default)]
struct Differences {
    mass: f64,
    matrix: f64,
    bias: f64,
    passive: f64,
    forward: f64,
    constraints: f64,
    /// What acts on a floating creature from outside; 0 for others.
    wrench: f64,
}

pub(crate) fn run(folder: &Path) -> Result<()> {
    let load = |path: &str| gambol::load(path, &LoadOptions::default()).map_err(|error| error.to_string());
    run_with(folder, load).map(|_| ())
}

/// The same with another way from a model's path to the creature; returns how many were compared.
pub(crate) fn run_with(folder: &Path, load: impl Fn(&str) -> Result<Creature>) -> Result<usize> {
    let python = peers::python()?;
    let script = root().join("xtask/peers/oracle.py");
    let lines = output(command(python, &[]).arg(script).arg(folder))?;
    println!("{}", folder.display());
    println!(
        "{:<44} {:>4} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "model", "nv", "mass", "M", "bias", "springs", "forward", "equality", "wrench"
    );
    let (mut passed, mut failed, mut skipped) = (0, Vec::new(), Vec::new());
    let mut unsupported = Vec::new();
    for line in lines.lines() {
        let oracle: Oracle =
            serde_json::from_str(line).map_err(|error| format!("the oracle's output: {error}"))?;
        let name = Path::new(&oracle.path).strip_prefix(folder).unwrap_or(Path::new(&oracle.path));
        let name = if name.as_os_str().is_empty() {
            folder.display().to_string()
        } else {
            name.display().to_string()
        };
        if let Some(error) = &oracle.error {
            skipped.push(format!("{name}: MuJoCo does not load it: {error}"));
            continue;
        }
        if oracle.nv == 0 {
            skipped.push(format!("{name}: nothing moves"));
            continue;
        }
        match load(&oracle.path) {
            Err(error) => failed.push(format!("{name}: {error}")),
            Ok(creature) => {
                unsupported.extend(
                    creature
                        .warnings()
                        .iter()
                        .map(|w| format!("{name}: {w}"))
                        .filter(|w| w.contains("not supported")),
                );
                match differences(&creature, &oracle) {
                    Err(error) => failed.push(format!("{name}: {error}")),
                    Ok(d) => {
                        println!(
                            "{name:<44} {:>4} {:>8.0e} {:>8.0e} {:>8.0e} {:>8.0e} {:>8.0e} {:>8.0e} {:>8.0e}",
                            oracle.nv,
                            d.mass,
                            d.matrix,
                            d.bias,
                            d.passive,
                            d.forward,
                            d.constraints,
                            d.wrench
                        );
                        let exact =
                            d.mass.max(d.matrix).max(d.bias).max(d.passive).max(d.constraints).max(d.wrench);
                        if exact < EXACT && d.forward < SOLVED {
                            passed += 1;
                        } else {
                            failed.push(format!("{name}: differs from MuJoCo"));
                        }
                    }
                }
            }
        }
    }
    for (title, lines) in [("left out", &skipped), ("not supported", &unsupported), ("failed", &failed)] {
        for line in lines {
            println!("{title}: {line}");
        }
    }
    println!("{passed} passed, {} failed, {} skipped", failed.len(), skipped.len());
    if passed == 0 {
        return Err(format!("{}: no model was compared", folder.display()));
    }
    if failed.is_empty() { Ok(passed) } else { Err(format!("{} models differ from MuJoCo", failed.len())) }
}

fn differences(creature: &Creature, oracle: &Oracle) -> Result<Differences> {
    if (creature.nq(), creature.nv()) != (oracle.nq, oracle.nv) {
        return Err(format!(
            "nq, nv are {}, {}; MuJoCo has {}, {}",
            creature.nq(),
            creature.nv(),
            oracle.nq,
            oracle.nv
        ));
    }
    let mut worst =
        Differences { mass: relative(&[creature.mass()], &[oracle.mass]), ..Differences::default() };
    let moment: f64 = creature.bodies().iter().map(|body| body.mass.inertia.trace()).sum();
    // MuJoCo's inertias of bodies fixed to the world may be fused away; compare moments only where masses agree.
    if worst.mass < EXACT {
        worst.mass = worst.mass.max(relative(&[moment], &[oracle.moment]));
    }
    worst.mass = worst.mass.max(relative(creature.reference_pose(), &oracle.qpos0));

    let mut data = Data::new(creature);
    let mut m = TreeMatrix::new(creature).map_err(|error| error.to_string())?;
    for state in &oracle.states {
        mass_matrix(creature, &mut data, &state.qpos, &mut m);
        worst.matrix = worst.matrix.max(matrix_difference(&m.to_dense(), &state.mass_matrix));
        let bias = bias_forces(creature, &mut data, &state.qpos, &state.qvel);
        // A balanced robot needs no forces at all; then its weight times a micrometre sets the scale.
        let least = 1e-6 * 9.81 * oracle.mass;
        worst.bias = worst.bias.max(relative_to(bias, &state.bias, least));
        let passive = passive_forces(creature, &mut data, &state.qpos, &state.qvel);
        worst.passive = worst.passive.max(relative(passive, &state.passive));
        let qacc = forward_dynamics(creature, &mut data, &state.qpos, &state.qvel, &state.tau);
        worst.forward = worst.forward.max(relative(qacc, &state.qacc));
        worst.wrench = worst.wrench.max(wrench_difference(creature, &mut data, state));
    }
    worst.constraints = constraint_difference(creature, &mut data, &oracle.equality)?;
    Ok(worst)
}

/// The wrench from outside about the centre of mass, against MuJoCo's forces at the free joint: a force along the world's axes
/// and a moment about the body's origin along the body's own.
fn wrench_difference(creature: &Creature, data: &mut Data, state: &State) -> f64 {
    let Some(base) = FloatingBase::of(creature) else { return 0.0 };
    let (ours, _) = outside_wrench(creature, &base, data, &state.qpos, &state.qvel, &state.acceleration);
    let [force, moment] = [0, 3].map(|k| Vec3::from_column_slice(&state.inverse[base.v + k..base.v + k + 3]));
    let frame = &data.frames[base.body];
    let moment = frame.rotation * moment + (frame.position - ours.center).cross(&force);
    let stack = |force: Vec3, moment: Vec3| [force.x, force.y, force.z, moment.x, moment.y, moment.z];
    relative(&stack(ours.force, ours.moment), &stack(force, moment))
}

/// Largest difference relative to the largest entry.
fn relative(ours: &[f64], theirs: &[f64]) -> f64 {
    relative_to(ours, theirs, 0.0)
}

/// The same, with a scale of at least `least`.
fn relative_to(ours: &[f64], theirs: &[f64], least: f64) -> f64 {
    let scale = theirs.iter().fold(least, |m: f64, x| m.max(x.abs()));
    let difference = ours.iter().zip(theirs).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()));
    if difference == 0.0 { 0.0 } else { difference / scale }
}

/// |ΔM_ij| / √(M_ii M_jj): the same in any units.
fn matrix_difference(ours: &DMatrix<f64>, theirs: &[Vec<f64>]) -> f64 {
    let mut worst = 0.0f64;
    for (i, row) in theirs.iter().enumerate() {
        for (j, value) in row.iter().enumerate() {
            let scale = (theirs[i][i] * theirs[j][j]).sqrt();
            worst = worst.max((ours[(i, j)] - value).abs() / scale);
        }
    }
    worst
}

/// Both sets of equality rows must leave the same directions free at the reference pose: their ranks agree, and
/// MuJoCo's rows vanish on our null space.
fn constraint_difference(creature: &Creature, data: &mut Data, theirs: &[Vec<f64>]) -> Result<f64> {
    let reduction = null_space(creature, data, creature.reference_pose(), creature.constraints());
    if theirs.is_empty() {
        return if reduction.rank == 0 {
            Ok(0.0)
        } else {
            Err("we see equality constraints, MuJoCo does not".into())
        };
    }
    let rows = DMatrix::from_fn(theirs.len(), creature.nv(), |i, j| theirs[i][j]);
    let singular = rows.singular_values();
    let rank = singular.iter().filter(|s| **s > 1e-9 * singular.max()).count();
    if rank != reduction.rank {
        return Err(format!("our equality rows have rank {}, MuJoCo's {rank}", reduction.rank));
    }
    Ok((&rows * &reduction.basis).amax() / rows.amax())
}

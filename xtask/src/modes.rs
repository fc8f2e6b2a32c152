//! `cargo xtask modes FOLDER`: the natural vibrations of every model below a folder, ours against those of MuJoCo's
//! mass matrix and LAPACK; and `cargo xtask vibrate`: against MuJoCo's motion in time.

use std::path::Path;

use gambol::LoadOptions;
use gambol::dynamics::Data;
use gambol::model::{Creature, JointKind};
use gambol::modes::{Modes, Settings, analyze};
use nalgebra::{DMatrix, DVector};
use serde::Deserialize;

use crate::peers;
use crate::shell::{Result, command, output, root, target};

/// The same spring everywhere, N·m/rad or N/m: what the paper gives its animals.
const STIFFNESS: f64 = 20.0;
/// Frequencies, relative. The oracle itself is good to 3e-12 (Rayleigh quotients of its shapes in extended
/// precision); a wrong inertia shows at 1e-3 and up.
const FREQUENCY: f64 = 1e-9;
/// 1 − MAC in the M inner product for an isolated mode.
const MAC: f64 = 1e-9;
/// Largest principal angle between the spans of a group of nearly equal frequencies, rad. The shapes within a group
/// are anyone's choice, the span is not.
const ANGLE: f64 = 1e-6;
/// Frequencies closer than this, relative, belong to one group; the oracle's own groups have the same bound.
const GAP: f64 = 1e-6;
/// ‖K u − λ M u‖ / (λ ‖M u‖) over the admissible directions, with MuJoCo's M.
const RESIDUAL: f64 = 1e-8;

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    LeftOut { path: String, error: String },
    Oracle(Oracle),
}

#[derive(Deserialize)]
struct Oracle {
    path: String,
    mass_matrix: Vec<Vec<f64>>,
    stiffness_matrix: Vec<Vec<f64>>,
    /// Orthonormal admissible directions, one a row.
    free: Vec<Vec<f64>>,
    rigid: usize,
    frequencies: Vec<f64>,
    /// One a row, orthonormal in M.
    shapes: Vec<Vec<f64>>,
    /// First and one past the last mode of every run of nearly equal frequencies.
    groups: Vec<(usize, usize)>,
}

/// Worst differences over all modes of a model.
#[derive(Default)]
struct Differences {
    frequency: f64,
    mac: f64,
    angle: f64,
    residual: f64,
}

impl Differences {
    fn pass(&self) -> bool {
        self.frequency < FREQUENCY && self.mac < MAC && self.angle < ANGLE && self.residual < RESIDUAL
    }
}

/// Compares every model below `folder`.
pub(crate) fn run(folder: &Path) -> Result<()> {
    let script = root().join("xtask/peers/modes_oracle.py");
    let mut oracle = command(peers::python()?, &[]);
    let lines = output(oracle.arg(script).arg(folder).args(["--stiffness", &STIFFNESS.to_string()]))?;
    println!("{}", folder.display());
    println!(
        "{:<44} {:>4} {:>4} {:>5} {:>21} {:>8} {:>8} {:>8} {:>8}",
        "model", "nv", "dof", "rigid", "Hz", "f", "1 - MAC", "angle", "residual"
    );
    let (mut passed, mut failed, mut skipped) = (0, Vec::new(), Vec::new());
    for line in lines.lines() {
        let line = serde_json::from_str(line).map_err(|error| format!("the oracle's output: {error}"))?;
        let oracle = match line {
            Line::LeftOut { path, error } => {
                skipped.push(format!("{}: {error}", name(&path, folder)));
                continue;
            }
            Line::Oracle(oracle) => oracle,
        };
        let name = name(&oracle.path, folder);
        match sprung(&oracle.path).and_then(|creature| differences(&creature, &oracle)) {
            Err(error) => failed.push(format!("{name}: {error}")),
            Ok(d) => {
                let vibrations = &oracle.frequencies[oracle.rigid..];
                let range = match vibrations {
                    [first, .., last] => format!("{first:.3} .. {last:.3}"),
                    _ => vibrations.iter().map(|f| format!("{f:.3}")).collect(),
                };
                println!(
                    "{name:<44} {:>4} {:>4} {:>5} {range:>21} {:>8.0e} {:>8.0e} {:>8.0e} {:>8.0e}",
                    oracle.mass_matrix.len(),
                    oracle.frequencies.len(),
                    oracle.rigid,
                    d.frequency,
                    d.mac,
                    d.angle,
                    d.residual
                );
                if d.pass() {
                    passed += 1;
                } else {
                    failed.push(format!("{name}: its modes differ from the oracle's"));
                }
            }
        }
    }
    for (title, lines) in [("left out", &skipped), ("failed", &failed)] {
        for line in lines {
            println!("{title}: {line}");
        }
    }
    println!("{passed} passed, {} failed, {} skipped", failed.len(), skipped.len());
    if passed == 0 {
        return Err(format!("{}: no model was compared", folder.display()));
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("the modes of {} models differ", failed.len())) }
}

fn name(path: &str, folder: &Path) -> String {
    let path = Path::new(path);
    let below = path.strip_prefix(folder).unwrap_or(path);
    if below.as_os_str().is_empty() { path } else { below }.display().to_string()
}

/// The creature with the same spring at every joint, at rest in its reference pose.
fn sprung(path: &str) -> Result<Creature> {
    let mut creature = gambol::load(path, &LoadOptions::default()).map_err(|error| error.to_string())?;
    for joint in 0..creature.joints().len() {
        let stiffness = if creature.joints()[joint].kind == JointKind::Free { 0.0 } else { STIFFNESS };
        creature.set_stiffness(joint, stiffness).map_err(|error| error.to_string())?;
    }
    let reference = creature.reference_pose().to_vec();
    creature.set_rest_pose(&reference).map_err(|error| error.to_string())?;
    Ok(creature)
}

fn all_modes(creature: &Creature) -> Result<Modes> {
    analyze(creature, &mut Data::new(creature), creature.rest_pose(), &Settings::default())
        .map_err(|error| error.to_string())
}

fn differences(creature: &Creature, oracle: &Oracle) -> Result<Differences> {
    let ours = all_modes(creature)?;
    let counts = (creature.nv(), ours.dof, ours.rigid, ours.modes.len());
    let theirs = (oracle.mass_matrix.len(), oracle.shapes.len(), oracle.rigid, oracle.shapes.len());
    if counts != theirs {
        return Err(format!("nv, dof, rigid modes, modes are {counts:?}, the oracle has {theirs:?}"));
    }
    let m = matrix(&oracle.mass_matrix);
    let k = matrix(&oracle.stiffness_matrix);
    let free = matrix(&oracle.free);
    let their_shapes = matrix(&oracle.shapes).transpose();
    let our_shapes =
        DMatrix::from_fn(creature.nv(), ours.modes.len(), |row, mode| ours.modes[mode].shape[row]);

    let mut worst = Differences::default();
    for (mode, frequency) in ours.modes.iter().zip(&oracle.frequencies).skip(oracle.rigid) {
        // Not f64::max: a frequency that is not a number must fail.
        let off = (mode.frequency() / frequency - 1.0).abs();
        worst.frequency = if off <= worst.frequency { worst.frequency } else { off };
        let u = DVector::from_column_slice(&mode.shape);
        let inertial = &m * &u * mode.eigenvalue;
        let residual = (&free * (&k * &u - &inertial)).norm() / (&free * &inertial).norm();
        worst.residual = if residual <= worst.residual { worst.residual } else { residual };
    }
    for &(first, end) in &oracle.groups {
        let sine = largest_sine(
            &m,
            &our_shapes.columns(first, end - first).into(),
            &their_shapes.columns(first, end - first).into(),
        )
        .ok_or_else(|| format!("modes {first} to {} are not independent", end - 1))?;
        if end - first == 1 {
            worst.mac = worst.mac.max(sine * sine); // MAC is the square of the cosine
        } else {
            worst.angle = worst.angle.max(sine.asin());
        }
    }
    Ok(worst)
}

/// Sine of the largest principal angle in the M inner product between the span of `ours` and that of `theirs`, whose
/// columns are orthonormal in M. From what is left over by projection, because a cosine near 1 has lost its digits.
fn largest_sine(m: &DMatrix<f64>, ours: &DMatrix<f64>, theirs: &DMatrix<f64>) -> Option<f64> {
    let gram = |a: &DMatrix<f64>| a.transpose() * m * a;
    let lower = gram(ours).cholesky()?.l();
    let ours = lower.solve_lower_triangular(&ours.transpose())?.transpose();
    let rest = &ours - theirs * (theirs.transpose() * m * &ours);
    Some(gram(&rest).symmetric_eigenvalues().max().max(0.0).sqrt().min(1.0))
}

fn matrix(rows: &[Vec<f64>]) -> DMatrix<f64> {
    DMatrix::from_fn(rows.len(), rows.first().map_or(0, Vec::len), |i, j| rows[i][j])
}

/// Measured frequency, relative. MuJoCo's motion at 1e-4 rad is off by 9e-6 at most, and that is proportional to the
/// amplitude: the body is not linear, the modes are right.
const SWUNG: f64 = 1e-4;
/// Share of the energy that must stay in a mode, or in its group; 5e-5 leave at most.
const KEPT: f64 = 0.999;
/// Vibrations of each creature that are swung.
const VIBRATIONS: usize = 6;
/// Gallery creatures with springs of their own.
const GALLERY: [&str; 6] = ["loop", "linear", "dog", "human", "insect", "snake"];
/// Models of dm_control, with the same spring everywhere.
const DM_CONTROL: [&str; 2] = ["suite/humanoid.xml", "locomotion/walkers/assets/dog_v2/dog.xml"];

/// What MuJoCo measured.
#[derive(Deserialize)]
struct Swung {
    name: String,
    mode: usize,
    predicted: f64,
    /// Not a number in JSON if it did not oscillate.
    measured: Option<f64>,
    least_share: f64,
    most_share: f64,
}

/// Lets MuJoCo swing creatures along their first vibrations and compares frequencies.
pub(crate) fn vibrate() -> Result<()> {
    let folder = target().join("vibrate");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut creatures = Vec::new();
    for name in GALLERY {
        let creature = gambol::load(name, &LoadOptions::default()).map_err(|error| error.to_string())?;
        let file = folder.join(format!("{name}.xml"));
        let entry = gambol::gallery::find(name).ok_or_else(|| format!("the gallery has no {name}"))?;
        write(&file, entry.mjcf)?;
        creatures.push(to_swing(name, &file, &creature)?);
    }
    let dm_control = peers::dm_control()?;
    for name in DM_CONTROL {
        let file = dm_control.join(name);
        creatures.push(to_swing(name, &file, &sprung(&file.display().to_string())?)?);
    }
    let input = folder.join("creatures.json");
    write(&input, &serde_json::Value::from(creatures).to_string())?;
    let lines = output(command(peers::python()?, &["xtask/peers/vibrate.py"]).arg(&input))?;

    println!(
        "{:<40} {:>4} {:>10} {:>10} {:>9} {:>9}",
        "creature", "mode", "Hz", "MuJoCo", "off by", "energy"
    );
    let mut failed = 0;
    for line in lines.lines() {
        let swung: Swung =
            serde_json::from_str(line).map_err(|error| format!("vibrate.py: {error}: {line}"))?;
        let measured = swung.measured.unwrap_or(f64::NAN);
        let off = measured / swung.predicted - 1.0;
        println!(
            "{:<40} {:>4} {:>10.5} {measured:>10.5} {off:>9.0e} {:>8.3}%",
            swung.name,
            swung.mode,
            swung.predicted,
            100.0 * swung.least_share
        );
        let kept = swung.least_share >= KEPT && swung.most_share <= 2.0 - KEPT;
        if !(off.abs() < SWUNG && kept) {
            failed += 1;
        }
    }
    let count = lines.lines().count();
    println!("{} passed, {failed} failed", count - failed);
    if count != VIBRATIONS * (GALLERY.len() + DM_CONTROL.len()) {
        return Err(format!("MuJoCo swung {count} modes only"));
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} vibrations differ from MuJoCo's motion")) }
}

/// A creature and its modes for `vibrate.py`.
fn to_swing(name: &str, file: &Path, creature: &Creature) -> Result<serde_json::Value> {
    let modes = all_modes(creature)?;
    let frequencies: Vec<f64> = modes.modes.iter().map(gambol::modes::Mode::frequency).collect();
    let starts = (0..frequencies.len())
        .filter(|&i| i == 0 || frequencies[i] - frequencies[i - 1] > GAP * frequencies[i]);
    let starts: Vec<usize> = starts.chain([frequencies.len()]).collect();
    let shapes: Vec<_> = modes
        .modes
        .iter()
        .map(|mode| serde_json::json!({"frequency": mode.frequency(), "shape": mode.shape}))
        .collect();
    Ok(serde_json::json!({
        "name": name,
        "path": file,
        "pose": modes.pose,
        "stiffness": creature.joints().iter().map(|joint| joint.stiffness).collect::<Vec<_>>(),
        "modes": shapes,
        "groups": starts.windows(2).collect::<Vec<_>>(),
        "swing": (modes.rigid..modes.rigid + VIBRATIONS).collect::<Vec<_>>(),
    }))
}

fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

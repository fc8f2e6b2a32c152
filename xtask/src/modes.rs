//! `cargo xtask modes FOLDER`: the natural vibrations of every model below a folder, ours against those of MuJoCo's
//! mass matrix and LAPACK.

use std::path::Path;

use gambol::LoadOptions;
use gambol::dynamics::{Data, forward_kinematics};
use gambol::model::math;
use gambol::model::{BodyPoint, Constraint, ConstraintKind, Creature, JointKind, Vec3};
use gambol::modes::{Settings, analyze};
use gambol::motion::Basis;
use nalgebra::{DMatrix, DVector};
use serde::Deserialize;

use crate::peers;
use crate::shell::{Result, command, output, root};

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
pub(crate) const GAP: f64 = 1e-6;
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

/// How the comparison of many models went.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: Vec<String>,
    skipped: Vec<String>,
}

/// Compares dm_control's suite and walkers and the gallery, with and without constraints.
pub(crate) fn run_all() -> Result<()> {
    let dm_control = peers::dm_control()?;
    run(&dm_control.join("suite"))?;
    run(&dm_control.join("locomotion/walkers"))?;
    run(&root().join("crates/gambol/gallery"))?;
    constrained()
}

/// Compares every model below `folder`.
pub(crate) fn run(folder: &Path) -> Result<()> {
    let lines = oracle(folder, &[])?;
    println!("{}", folder.display());
    let mut tally = Tally::new();
    for line in lines.lines() {
        tally.compare(line, |path| name(path, folder), &[])?;
    }
    tally.finish()
}

/// The paper's constraints on top of the tree: a steady head, hands on a cart, and a foot that stays in place.
fn constrained() -> Result<()> {
    let file = root().join("crates/gambol/gallery/human.xml");
    let human = sprung(&file.display().to_string())?;
    let mut data = Data::new(&human);
    forward_kinematics(&human, &mut data, human.rest_pose());
    let landmark = |name: &str| human.landmark(name).ok_or_else(|| format!("the human has no {name}"));
    let point = |name: &str| landmark(name).map(|mark| BodyPoint { body: mark.body, point: mark.point });
    let in_world = |at: &BodyPoint| data.frames[at.body].point_in_world(at.point);
    let words = |at: &BodyPoint| {
        let numbers = at.point.iter().map(ToString::to_string);
        std::iter::once(human.bodies()[at.body].name.clone()).chain(numbers).collect::<Vec<_>>()
    };

    let head = landmark("head")?.body;
    let foot = point("foot.left")?;
    let hands = vec![point("hand.left")?, point("hand.right")?];
    let steady = ConstraintKind::Orientation { body: head, world_from_body: data.frames[head].rotation };
    let pin = ConstraintKind::Pin { point: foot, position_in_world: in_world(&foot) };
    let cart = ConstraintKind::Cart {
        hands: hands.clone(),
        positions_in_world: hands.iter().map(in_world).collect(),
        forward: Vec3::x(),
    };
    let steady = (steady, [vec!["--turn".into()], vec![human.bodies()[head].name.clone()]].concat());
    let pin = (pin, [vec!["--pin".into()], words(&foot)].concat());
    let cart = (cart, [vec!["--cart".into()], hands.iter().flat_map(words).collect()].concat());

    println!("{}, constrained", file.display());
    let mut tally = Tally::new();
    for (name, demands) in [
        ("steady head", vec![&steady]),
        ("foot in place", vec![&pin]),
        ("hands on a cart", vec![&cart]),
        ("all three", vec![&steady, &pin, &cart]),
    ] {
        let options: Vec<String> = demands.iter().flat_map(|(_, options)| options.clone()).collect();
        let constraints: Vec<_> =
            demands.iter().map(|(kind, _)| Constraint { name: name.into(), kind: kind.clone() }).collect();
        tally.compare(&oracle(&file, &options)?, |_| name.into(), &constraints)?;
    }
    tally.finish()
}

/// What the oracle says, one line a model.
fn oracle(folder: &Path, options: &[String]) -> Result<String> {
    let mut oracle = command(peers::python()?, &["xtask/peers/modes_oracle.py"]);
    oracle.env("OPENBLAS_NUM_THREADS", "1"); // threads only cost time at these sizes
    output(oracle.arg(folder).args(["--stiffness", &STIFFNESS.to_string()]).args(options))
}

impl Tally {
    fn new() -> Self {
        println!(
            "{:<44} {:>4} {:>4} {:>5} {:>21} {:>8} {:>8} {:>8} {:>8}",
            "model", "nv", "dof", "rigid", "Hz", "f", "1 - MAC", "angle", "residual"
        );
        Self::default()
    }

    fn compare(
        &mut self,
        line: &str,
        name: impl Fn(&str) -> String,
        constraints: &[Constraint],
    ) -> Result<()> {
        let line = serde_json::from_str(line).map_err(|error| format!("the oracle's output: {error}"))?;
        let oracle = match line {
            Line::LeftOut { path, error } => {
                self.skipped.push(format!("{}: {error}", name(&path)));
                return Ok(());
            }
            Line::Oracle(oracle) => oracle,
        };
        let name = name(&oracle.path);
        match sprung(&oracle.path).and_then(|creature| differences(&creature, constraints, &oracle)) {
            Err(error) => self.failed.push(format!("{name}: {error}")),
            Ok(d) => {
                let vibrations = &oracle.frequencies[oracle.rigid..];
                let range = match vibrations {
                    [first, .., last] => format!("{first:.3} .. {last:.3}"),
                    [only] => format!("{only:.3}"),
                    [] => String::new(),
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
                    self.passed += 1;
                } else {
                    self.failed.push(format!("{name}: its modes differ from the oracle's"));
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        for (title, lines) in [("left out", &self.skipped), ("failed", &self.failed)] {
            for line in lines {
                println!("{title}: {line}");
            }
        }
        println!("{} passed, {} failed, {} skipped", self.passed, self.failed.len(), self.skipped.len());
        if self.passed == 0 && self.failed.is_empty() {
            return Err("no model was compared".into());
        }
        if self.failed.is_empty() {
            Ok(())
        } else {
            Err(format!("the modes of {} models differ", self.failed.len()))
        }
    }
}

fn name(path: &str, folder: &Path) -> String {
    let path = Path::new(path);
    let below = path.strip_prefix(folder).unwrap_or(path);
    if below.as_os_str().is_empty() { path } else { below }.display().to_string()
}

/// The creature with the same spring at every joint, at rest in its reference pose.
pub(crate) fn sprung(path: &str) -> Result<Creature> {
    let mut creature = gambol::load(path, &LoadOptions::default()).map_err(|error| error.to_string())?;
    for joint in 0..creature.joints().len() {
        let stiffness = if creature.joints()[joint].kind == JointKind::Free { 0.0 } else { STIFFNESS };
        creature.set_stiffness(joint, stiffness).map_err(|error| error.to_string())?;
    }
    let reference = creature.reference_pose().to_vec();
    creature.set_rest_pose(&reference).map_err(|error| error.to_string())?;
    Ok(creature)
}

/// All modes about the rest pose, with further constraints.
pub(crate) fn all_modes(creature: &Creature, constraints: &[Constraint]) -> Result<Basis> {
    let settings = Settings { constraints: constraints.to_vec(), ..Settings::default() };
    analyze(creature, &mut Data::new(creature), creature.rest_pose(), &settings)
        .map_err(|error| error.to_string())
}

fn differences(creature: &Creature, constraints: &[Constraint], oracle: &Oracle) -> Result<Differences> {
    let ours = all_modes(creature, constraints)?;
    let counts = (creature.nv(), ours.dof(), ours.rigid(), ours.directions().len());
    let theirs = (oracle.mass_matrix.len(), oracle.shapes.len(), oracle.rigid, oracle.shapes.len());
    if counts != theirs {
        return Err(format!("nv, dof, rigid modes, modes are {counts:?}, the oracle has {theirs:?}"));
    }
    let m = matrix(&oracle.mass_matrix);
    let k = matrix(&oracle.stiffness_matrix);
    let free = matrix(&oracle.free);
    let their_shapes = matrix(&oracle.shapes).transpose();
    let our_shapes = DMatrix::from_fn(creature.nv(), ours.directions().len(), |row, mode| {
        ours.directions()[mode].shape[row]
    });

    let mut worst = Differences::default();
    for (mode, frequency) in ours.directions().iter().zip(&oracle.frequencies).skip(oracle.rigid) {
        // Not f64::max: a frequency that is not a number must fail.
        let off = (ours.frequency(creature, mode) / frequency - 1.0).abs();
        worst.frequency = if off <= worst.frequency { worst.frequency } else { off };
        let u = DVector::from_column_slice(&mode.shape);
        let inertial = &m * &u * ours.omega_squared(creature, mode);
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
            worst.angle = worst.angle.max(math::asin(sine));
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

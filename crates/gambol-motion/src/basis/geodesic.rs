//! Principal geodesics: a basis from recorded poses (Fletcher and others 2004; Tournier and others 2009, sections 3.2 and
//! 3.3).
//!
//! ```text
//! μ: Σ qᵢ ⊖ μ = 0                    the intrinsic mean, joint by joint
//! δᵢ = qᵢ ⊖ μ                        logarithms there; a free root is left out
//! C = 1/m Σ δᵢ δᵢᵀ,  C W φ = λ φ      principal directions in the metric W, of length 1 there; λ is their variance
//! ```
//!
//! Balls are rotations, hinges and slides are lines. With H Hᵀ = W the directions are those of Hᵀ C H, taken back by H⁺ᵀ;
//! what weighs nothing in the metric is left out. A shape is then scaled so that the joint that turns most turns by 1 rad per unit,
//! as vibrations are, and the spread along.

use std::borrow::Cow;
use std::f64::consts::{PI, TAU};

use gambol_model::{Creature, JointKind, Mat3, Quat, Vec3, math, mean_rotation};
use nalgebra::{DMatrix, DVector, Quaternion, SymmetricEigen};

use super::metric::{metric_block, posture_dofs};
use super::{Basis, BasisError, BasisSpec, Direction, Metric};
use crate::Clip;

/// The mean is found when it moves by less, rad or m: rounding of a sum of logarithms.
const SETTLED: f64 = 1e-12;

/// Rounds of the mean. Poses within a quarter turn of it take six or so.
const ROUNDS: usize = 100;

/// A joint farther from its mean, rad, has a logarithm that nearly is another: 160°, where half a turn is 180°.
const FAR: f64 = 2.8;

/// Of the largest eigenvalue of a metric, what counts as no weight; and of the largest variance, what is rounding.
const WEIGHTLESS: f64 = 1e-10;
const ROUNDING: f64 = 1e-12;

/// Most rounds of the eigenvalue iteration per coordinate; a few are usual.
const EIGEN_ROUNDS: usize = 100;

/// Which directions are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keep {
    /// All that the poses go in.
    All,
    /// So many.
    Count(usize),
    /// As few as explain this share of the variance.
    Variance(f64),
}

/// How principal geodesics are looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct GeodesicSettings {
    /// How many to keep. Default: as many as explain 99 % of the variance.
    pub keep: Keep,
    /// What counts as far. Default: the motion of the joints in space, which for recordings needs half as many directions as
    /// their angles do; a thumb's noise is no motion of a body.
    pub metric: Option<Metric>,
}

impl Default for GeodesicSettings {
    fn default() -> Self {
        Self { keep: Keep::Variance(0.99), metric: None }
    }
}

/// A joint that is nearly half a turn or more from its mean in some pose: its logarithm may jump there.
#[derive(Clone, Debug, PartialEq)]
pub struct FarTurn {
    /// Its name.
    pub joint: String,
    /// The largest angle, rad.
    pub angle: f64,
}

/// A basis from poses, and how it was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Geodesics {
    /// Principal directions, the one with the largest variance first.
    pub basis: Basis,
    /// How many poses there were.
    pub frames: usize,
    /// How many rounds the mean took.
    pub rounds: usize,
    /// How far the mean of all logarithms is from 0, rad or m.
    pub residual: f64,
    /// Variances of all directions in the metric, falling; those of the basis are the first.
    pub variances: Vec<f64>,
    /// Joints with a logarithm that may jump.
    pub far: Vec<FarTurn>,
}

impl Geodesics {
    /// How many directions explain a share of the variance.
    pub fn directions_for(&self, share: f64) -> usize {
        directions_for(&self.variances, share)
    }

    /// The share of the variance that the basis explains.
    pub fn explained(&self) -> f64 {
        let kept: f64 = self.variances.iter().take(self.basis.directions().len()).sum();
        kept / self.variances.iter().sum::<f64>()
    }
}

impl Basis {
    /// The principal geodesics of clips of one creature.
    pub fn from_clips<'c>(
        creature: &Creature,
        clips: impl IntoIterator<Item = &'c Clip>,
        settings: &GeodesicSettings,
    ) -> Result<Geodesics, BasisError> {
        let poses: Vec<&[f64]> =
            clips.into_iter().flat_map(|clip| clip.poses.iter().map(Vec::as_slice)).collect();
        Self::from_poses(creature, &poses, settings)
    }

    /// The principal geodesics of poses of one creature.
    pub fn from_poses(
        creature: &Creature,
        poses: &[&[f64]],
        settings: &GeodesicSettings,
    ) -> Result<Geodesics, BasisError> {
        check(creature, poses, settings)?;
        let metric = settings.metric.clone().unwrap_or_else(|| Metric::position(creature));
        metric.check(creature.nv())?;
        let wound_back = wound_back(creature, poses);
        let poses: &[&[f64]] = &wound_back.iter().map(Cow::as_ref).collect::<Vec<_>>();
        let dofs = posture_dofs(creature);
        let Mean { pose: mean, rounds, residual } = intrinsic_mean(creature, poses, &dofs);
        let (covariance, far) = covariance(creature, poses, &mean, &dofs);
        let weight = metric_block(creature, &metric, &mean, &dofs);
        let (shapes, variances) = principal(&covariance, &weight).ok_or(BasisError::Decomposition)?;
        let count = kept(&variances, settings.keep, creature)?;
        let directions = (0..count).map(|k| {
            let name = format!("g{k}");
            direction(creature, &dofs, name, shapes.column(k).as_slice(), variances[k])
        });
        let spec = BasisSpec::new(mean, metric, directions.collect());
        let basis = Self::new(creature, spec)?;
        Ok(Geodesics { basis, frames: poses.len(), rounds, residual, variances, far })
    }
}

fn check(creature: &Creature, poses: &[&[f64]], settings: &GeodesicSettings) -> Result<(), BasisError> {
    if poses.len() < 2 {
        return Err(BasisError::Frames { frames: poses.len() });
    }
    if let Keep::Variance(share) = settings.keep
        && !(share > 0.0 && share <= 1.0)
    {
        return Err(BasisError::Share { share });
    }
    for (k, pose) in poses.iter().enumerate() {
        creature
            .checked_pose(&format!("pose {k}"), pose)
            .map_err(|error| BasisError::Pose(error.to_string()))?;
    }
    Ok(())
}

/// Poses whose hinges turn by more than a whole turn, with these wound back to within half a turn of their mean direction: a
/// recorded thumb that noise has turned six times looks as before, and would be most of the variance.
pub(crate) fn wound_back<'p>(creature: &Creature, poses: &[&'p [f64]]) -> Vec<Cow<'p, [f64]>> {
    let mut wound: Vec<Cow<'p, [f64]>> = poses.iter().map(|pose| Cow::Borrowed(*pose)).collect();
    for joint in creature.joints().iter().filter(|joint| joint.kind == JointKind::Hinge) {
        let angles = || poses.iter().map(|pose| pose[joint.q]);
        let span = angles().fold(f64::MIN, f64::max) - angles().fold(f64::MAX, f64::min);
        if span <= TAU {
            continue;
        }
        let [sines, cosines] = [math::sin, math::cos].map(|of| angles().map(of).sum::<f64>());
        let mean = math::atan2(sines, cosines);
        for pose in &mut wound {
            let from = pose[joint.q] - mean + PI;
            pose.to_mut()[joint.q] = mean + from.rem_euclid(TAU) - PI;
        }
    }
    wound
}

struct Mean {
    pose: Vec<f64>,
    rounds: usize,
    residual: f64,
}

/// The pose with the least sum of squared distances to all, joint by joint: of rotations by Newton's steps along the mean of the
/// logarithms (Pennec 2006, section 4.3), from the rotation that is nearest to their sum. The root is the reference's.
fn intrinsic_mean(creature: &Creature, poses: &[&[f64]], dofs: &[usize]) -> Mean {
    let mut mean = creature.reference_pose().to_vec();
    for joint in creature.joints().iter().filter(|joint| joint.kind == JointKind::Ball) {
        let mut sum = Mat3::zeros();
        for pose in poses {
            sum += turn(&pose[joint.q..joint.q + 4]).to_rotation_matrix().into_inner();
        }
        let near = mean_rotation(&sum);
        mean[joint.q..joint.q + 4].copy_from_slice(&[near.w, near.i, near.j, near.k]);
    }
    let mut step = vec![0.0; creature.nv()];
    let mut delta = vec![0.0; creature.nv()];
    for round in 0..ROUNDS {
        step.fill(0.0);
        for pose in poses {
            creature.difference(&mean, pose, &mut delta);
            for &dof in dofs {
                step[dof] += delta[dof] / poses.len() as f64;
            }
        }
        let residual = step.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if residual <= SETTLED || round + 1 == ROUNDS {
            return Mean { pose: mean, rounds: round, residual };
        }
        creature.integrate(&mut mean, &step, 1.0);
    }
    Mean { pose: mean, rounds: ROUNDS, residual: f64::INFINITY }
}

/// Of a pose's quaternion.
fn turn(q: &[f64]) -> Quat {
    Quat::new_normalize(Quaternion::new(q[0], q[1], q[2], q[3]))
}

/// C over `dofs`, and the joints that turn far.
fn covariance(
    creature: &Creature,
    poses: &[&[f64]],
    mean: &[f64],
    dofs: &[usize],
) -> (DMatrix<f64>, Vec<FarTurn>) {
    let mut covariance = DMatrix::zeros(dofs.len(), dofs.len());
    let mut delta = vec![0.0; creature.nv()];
    let mut farthest = vec![0.0_f64; creature.joints().len()];
    for pose in poses {
        creature.difference(mean, pose, &mut delta);
        let row = DVector::from_iterator(dofs.len(), dofs.iter().map(|&dof| delta[dof]));
        covariance.ger(1.0 / poses.len() as f64, &row, &row, 1.0);
        for (joint, far) in creature.joints().iter().zip(&mut farthest) {
            if joint.kind == JointKind::Ball {
                *far = far.max(Vec3::from_column_slice(&delta[joint.v..joint.v + 3]).norm());
            }
        }
    }
    let far = creature.joints().iter().zip(farthest).filter(|(_, angle)| *angle > FAR);
    (covariance, far.map(|(joint, angle)| FarTurn { joint: joint.name.clone(), angle }).collect())
}

/// Directions of length 1 in the metric, as columns, and their variances, falling; only those that are more than rounding.
fn principal(covariance: &DMatrix<f64>, weight: &DMatrix<f64>) -> Option<(DMatrix<f64>, Vec<f64>)> {
    let n = weight.nrows();
    if n == 0 {
        return Some((DMatrix::zeros(0, 0), Vec::new()));
    }
    let metric = eigen(weight)?;
    let heaviest = metric.eigenvalues.max();
    let heavy: Vec<usize> = (0..n).filter(|k| metric.eigenvalues[*k] > WEIGHTLESS * heaviest).collect();
    let half = |k: usize, power: f64| metric.eigenvectors.column(k) * power;
    let root = |k: usize| metric.eigenvalues[k].sqrt();
    let h = DMatrix::from_columns(&heavy.iter().map(|&k| half(k, root(k))).collect::<Vec<_>>());
    let back = DMatrix::from_columns(&heavy.iter().map(|&k| half(k, 1.0 / root(k))).collect::<Vec<_>>());
    let mut reduced = h.tr_mul(&(covariance * &h));
    reduced = 0.5 * (&reduced + reduced.transpose());
    let found = eigen(&reduced)?;
    let mut order: Vec<usize> = (0..heavy.len()).collect();
    order.sort_by(|&a, &b| found.eigenvalues[b].total_cmp(&found.eigenvalues[a]));
    let largest = order.first().map_or(0.0, |&k| found.eigenvalues[k]);
    // Poses that differ by no more than the mean is found to do not differ.
    let least = (ROUNDING * largest).max(SETTLED * SETTLED * heaviest).max(f64::MIN_POSITIVE);
    order.retain(|&k| found.eigenvalues[k] > least);
    let shapes: Vec<DVector<f64>> = order.iter().map(|&k| &back * found.eigenvectors.column(k)).collect();
    let variances = order.iter().map(|&k| found.eigenvalues[k]).collect();
    let shapes = if shapes.is_empty() { DMatrix::zeros(n, 0) } else { DMatrix::from_columns(&shapes) };
    Some((shapes, variances))
}

/// Of a symmetric matrix, if it settles.
pub(crate) fn eigen(matrix: &DMatrix<f64>) -> Option<SymmetricEigen<f64, nalgebra::Dyn>> {
    if !matrix.iter().all(|x| x.is_finite()) {
        return None;
    }
    let rounds = EIGEN_ROUNDS * matrix.nrows().max(1);
    SymmetricEigen::try_new(matrix.clone(), f64::EPSILON, rounds)
}

fn kept(variances: &[f64], keep: Keep, creature: &Creature) -> Result<usize, BasisError> {
    let rank = variances.len();
    if rank == 0 {
        return Err(BasisError::Still { creature: creature.name().to_owned() });
    }
    match keep {
        Keep::All => Ok(rank),
        Keep::Count(count) if count == 0 || count > rank => Err(BasisError::Rank { count, rank }),
        Keep::Count(count) => Ok(count),
        Keep::Variance(share) => Ok(directions_for(variances, share)),
    }
}

fn directions_for(variances: &[f64], share: f64) -> usize {
    let total: f64 = variances.iter().sum();
    let mut sum = 0.0;
    let reaches = |variance: &f64| {
        sum += variance;
        // A whole sum is whole up to its rounding.
        sum >= share * total * (1.0 - 1e-12)
    };
    variances.iter().position(reaches).map_or(variances.len(), |last| last + 1)
}

/// The shape over all coordinates, scaled to its largest joint, which turns forward.
pub(super) fn direction(
    creature: &Creature,
    dofs: &[usize],
    name: String,
    shape: &[f64],
    variance: f64,
) -> Direction {
    let turns = |dof: usize| creature.joints()[creature.dofs()[dof].joint].kind != JointKind::Slide;
    let largest = |among: &dyn Fn(usize) -> bool| {
        let those = dofs.iter().zip(shape).filter(|(dof, _)| among(**dof)).map(|(_, x)| *x);
        those.fold(0.0, |most: f64, x| if x.abs() > most.abs() { x } else { most })
    };
    let turn = largest(&turns);
    let scale = if turn == 0.0 { largest(&|_| true) } else { turn };
    let mut whole = vec![0.0; creature.nv()];
    for (&dof, x) in dofs.iter().zip(shape) {
        whole[dof] = x / scale;
    }
    Direction { name, spread: variance.sqrt() * scale.abs(), ..Direction::new(whole) }
}

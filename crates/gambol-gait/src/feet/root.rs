//! The root trajectory that the stance feet agree with.
//!
//! The modal motion says how the joints move; how the body travels, rises and pitches is left to the ground. Every
//! standing foot that is not where the modal motion has it must be drawn there by its joints, at the elastic energy
//! ½ eᵀ W e with W = (J C Jᵀ)⁻¹: e is the gap at the foot, J the foot's Jacobian by the joints, C the compliance of the
//! joints. The root follows the trajectory of least total energy: its height, pitch and all else as a short Fourier
//! series over the cycle, the places where feet are planted, and the speed where nobody gave one. All of it is one
//! linear least-squares problem, since gaps are linear in these unknowns.

use std::f64::consts::TAU;

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Vec3, math};
use nalgebra::{DMatrix, DVector, Matrix3};

use super::scene::FeetScene;
use super::sole::Local;
use crate::path::Path;
use crate::stance::Stance;
use crate::{GaitError, RootSettings};

/// Harmonics of the root beyond the modal motion: once and twice a cycle. Feet strike at these rates; more would only
/// chase the corners of single stances.
const ROOT_HARMONICS: usize = 2;
/// Coefficients per root coordinate: constant, and cosine and sine of each harmonic.
const ROOT_TERMS: usize = 1 + 2 * ROOT_HARMONICS;
/// All coefficients of the root.
const ROOT_UNKNOWNS: usize = 6 * ROOT_TERMS;

/// Root motion over the cycle, beyond the modal motion and the bounce; and what it implies.
#[derive(Clone, Debug)]
pub(super) struct RootTrack {
    /// Per coordinate: constant, cos, sin, cos 2, sin 2.
    coefficients: [[f64; ROOT_TERMS]; 6],
}

/// What the fit finds.
pub(super) struct Fit {
    pub(super) track: RootTrack,
    /// Per stance: where the foot is planted, in the ground frame of the creature at the middle of that stance, m.
    pub(super) plants: Vec<Vec3>,
    pub(super) path: Path,
}

impl RootTrack {
    pub(super) fn zero() -> Self {
        Self { coefficients: [[0.0; ROOT_TERMS]; 6] }
    }

    /// Tangent vector of the root: shift along the world axes in m, turn about the root's axes in rad.
    pub(super) fn at(&self, cycle: f64) -> [f64; 6] {
        let basis = basis(cycle);
        self.coefficients.map(|terms| terms.iter().zip(&basis).map(|(c, b)| c * b).sum())
    }
}

fn basis(cycle: f64) -> [f64; ROOT_TERMS] {
    let mut basis = [1.0; ROOT_TERMS];
    for n in 1..=ROOT_HARMONICS {
        let angle = TAU * n as f64 * cycle;
        basis[2 * n - 1] = math::cos(angle);
        basis[2 * n] = math::sin(angle);
    }
    basis
}

/// Fits root, plants and (where `speed` is not given) speed to the stances.
pub(super) fn fit(
    scene: &FeetScene,
    data: &mut Data,
    stances: &[Stance],
    speed: Option<f64>,
    turn: f64,
) -> Result<Fit, GaitError> {
    let mut path = Path { forward: scene.legs.heading.forward, speed: speed.unwrap_or(0.0), turn };
    let mut track = RootTrack::zero();
    let mut plants = vec![Vec3::zeros(); stances.len()];
    // Twice: gaps are linear in the unknowns but for the root's turns, which are small.
    for _ in 0..2 {
        let step = normal_equations(scene, data, stances, &track, &path, speed.is_none());
        let Some(factor) = step.matrix.cholesky() else {
            return Err(GaitError::Body("the feet do not determine how the body moves".to_owned()));
        };
        let x = factor.solve(&step.right);
        for (k, terms) in track.coefficients.iter_mut().enumerate() {
            for (j, term) in terms.iter_mut().enumerate() {
                *term += x[k * ROOT_TERMS + j];
            }
        }
        // Legs that do not reach far enough would draw the body into the ground.
        let lowest = -scene.legs.ground - scene.settings.root.sink * scene.legs.length;
        track.coefficients[2][0] = track.coefficients[2][0].max(lowest);
        for (k, plant) in plants.iter_mut().enumerate() {
            *plant = Vec3::new(x[ROOT_UNKNOWNS + 2 * k], x[ROOT_UNKNOWNS + 2 * k + 1], 0.0);
        }
        if speed.is_none() {
            path.speed = x[ROOT_UNKNOWNS + 2 * stances.len()];
        }
    }
    Ok(Fit { track, plants, path })
}

struct Normal {
    matrix: DMatrix<f64>,
    right: DVector<f64>,
}

/// ½ Σ rᵀ W r over all samples of all stances, with r = planted − (place + J_root Φ c): its Hessian, below the diagonal, and its gradient.
/// The unknowns are changes of the root's coefficients, the plants, and the speed.
fn normal_equations(
    scene: &FeetScene,
    data: &mut Data,
    stances: &[Stance],
    track: &RootTrack,
    path: &Path,
    free_speed: bool,
) -> Normal {
    let size = ROOT_UNKNOWNS + 2 * stances.len() + usize::from(free_speed);
    let mut normal = Normal { matrix: DMatrix::zeros(size, size), right: DVector::zeros(size) };
    let creature = scene.creature;
    let nv = creature.nv();
    let mut rows = vec![0.0; 3 * nv];
    let (mut stiffness, mut counted) = (0.0, 0);
    let RootSettings { samples, tie: tied, supple, rigid, .. } = scene.settings.root;
    for k in 0..samples {
        let cycle = k as f64 / samples as f64;
        let pose = scene.modal_pose(cycle, track);
        forward_kinematics(creature, data, &pose);
        let basis = basis(cycle);
        for (index, stance) in stances.iter().enumerate() {
            // The stance of this cycle or of the one before.
            let since = cycle - stance.start;
            let since = since - since.floor();
            if since > stance.end - stance.start {
                continue;
            }
            let leg = &scene.legs.legs[stance.leg];
            let stand = scene.stand(leg, &data.frames, &Local::level());
            stand.rows(creature, data, leg, &mut rows);
            let give = give(scene, &rows);
            let along = stand.place - leg.hip_in_world(creature, &data.frames);
            let along = along.try_normalize(0.0).unwrap_or_else(Vec3::z);
            let folds = along * along.transpose() * supple + Matrix3::identity() * rigid;
            let weight = weight(&give, &folds);
            stiffness += self::weight(&give, &(Matrix3::identity() * supple)).trace() / 3.0;
            counted += 1;
            // Columns of r: c enters by −J_root Φ, the plant by the turn since, the speed by the way since.
            let seconds = (stance.middle() - stance.start - since) / scene.frequency;
            let stride = path.after(seconds);
            let (sine, cosine) = math::sin_cos(stride.yaw);
            let mut columns: Vec<(usize, Vec3)> = Vec::with_capacity(ROOT_UNKNOWNS + 3);
            for dof in 0..6 {
                let at = scene.root_v + dof;
                let moves = -Vec3::new(rows[at], rows[nv + at], rows[2 * nv + at]);
                columns.extend((0..ROOT_TERMS).map(|term| (dof * ROOT_TERMS + term, moves * basis[term])));
            }
            columns.push((ROOT_UNKNOWNS + 2 * index, Vec3::new(cosine, sine, 0.0)));
            columns.push((ROOT_UNKNOWNS + 2 * index + 1, Vec3::new(-sine, cosine, 0.0)));
            let mut constant = -stand.place;
            if free_speed {
                columns.push((ROOT_UNKNOWNS + 2 * stances.len(), path.per_speed(seconds)));
            } else {
                constant += stride.shift;
            }
            // What is below the diagonal is all that its factor is made of.
            for (k, (i, a)) in columns.iter().enumerate() {
                let wa = weight * a;
                normal.right[*i] -= wa.dot(&constant);
                for (j, b) in &columns[..=k] {
                    normal.matrix[(*i, *j)] += wa.dot(b);
                }
            }
        }
    }
    let strength = tied * stiffness / f64::from(counted.max(1)) * samples as f64;
    tie(&mut normal, track, strength, scene);
    normal
}

/// Ties the root to the modal motion with `strength` (N/m, summed over the samples). The mean height is free: it is the
/// ground's to say.
fn tie(normal: &mut Normal, track: &RootTrack, strength: f64, scene: &FeetScene) {
    let (length, settings) = (scene.legs.length, &scene.settings.root);
    for dof in 0..6 {
        // A turn of 1 rad counts like a shift of one leg's length.
        let unit = match dof {
            2 => settings.tie_height / settings.tie,
            0 | 1 => 1.0,
            _ => length * length,
        };
        for term in 0..ROOT_TERMS {
            let free = dof == 2 && term == 0;
            let share = if free {
                1e-6
            } else if term == 0 {
                1.0
            } else {
                0.5
            };
            let index = dof * ROOT_TERMS + term;
            normal.matrix[(index, index)] += strength * unit * share;
            normal.right[index] -= strength * unit * share * track.coefficients[dof][term];
        }
    }
    for index in ROOT_UNKNOWNS..normal.matrix.nrows() {
        normal.matrix[(index, index)] += 1e-9 * strength; // a foot that never stands
    }
}

/// J C Jᵀ of one foot, m/N: how it gives by the joints.
fn give(scene: &FeetScene, rows: &[f64]) -> Matrix3<f64> {
    let nv = scene.compliance.len();
    let mut give = Matrix3::zeros();
    for i in 0..3 {
        for j in 0..=i {
            let sum: f64 = (0..nv)
                .filter(|dof| !(scene.root_v..scene.root_v + 6).contains(dof))
                .map(|dof| rows[i * nv + dof] * scene.compliance[dof] * rows[j * nv + dof])
                .sum();
            give[(i, j)] = sum;
            give[(j, i)] = sum;
        }
    }
    give
}

/// W = (J C Jᵀ)⁻¹ of one foot, N/m: what it costs to draw the foot away by its joints. `lent` is a compliance as a share
/// of the mean one.
fn weight(give: &Matrix3<f64>, lent: &Matrix3<f64>) -> Matrix3<f64> {
    let mean = give.trace() / 3.0 + f64::MIN_POSITIVE;
    (give + lent * mean).try_inverse().unwrap_or_else(Matrix3::zeros)
}

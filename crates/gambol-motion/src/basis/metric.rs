//! How far a small motion is.

use gambol_dynamics::{Data, body_jacobian, forward_kinematics, multiply_mass, prepare_mass};
use gambol_model::{Creature, JointKind};
use nalgebra::{DMatrix, DVector};

use super::BasisError;

/// A metric on the tangent space at a pose: ‖δ‖² = δᵀ W δ.
///
/// It is a rule rather than a matrix wherever it can be: the mass matrix of a hundred thousand joints would not fit into
/// memory, and its product with a motion takes as long as the motion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Metric {
    /// Every coordinate counts the same: W = 1, rad² and m².
    Joint,
    /// Twice the kinetic energy of the motion as a velocity: W = M at the mean, kg m².
    Mass,
    /// How far the joints go in space, and what is about them: the squared motion of the points of a sphere about the origin
    /// of each body, W = Σ J_vᵀ J_v + ⅔ r² J_ωᵀ J_ω at the mean, m². ⅔ r² |ω|² is the mean of |ω × p|² over the sphere.
    Position {
        /// r, m: how thick the flesh is that a turn of a bone carries along.
        shell: f64,
    },
    /// Any other: W itself, symmetric and without negative lengths.
    Matrix(DMatrix<f64>),
}

/// Entries of a symmetric matrix differ by no more than this share of the largest one: rounding of a sum of products.
const SYMMETRIC: f64 = 1e-12;

impl Metric {
    /// The metric of positions with a shell of 3 cm, as wide as a forearm is thick, or of 2 % of a smaller creature's size.
    pub fn position(creature: &Creature) -> Self {
        Self::Position { shell: shell(creature) }
    }

    /// `joint`, `mass`, `position` or `matrix`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Joint => "joint",
            Self::Mass => "mass",
            Self::Position { .. } => "position",
            Self::Matrix(_) => "matrix",
        }
    }

    pub(super) fn check(&self, nv: usize) -> Result<(), BasisError> {
        if let Self::Position { shell } = self {
            let is_length = shell.is_finite() && *shell > 0.0;
            return if is_length {
                Ok(())
            } else {
                Err(BasisError::Metric("its shell is no length above 0"))
            };
        }
        let Self::Matrix(w) = self else { return Ok(()) };
        if w.shape() != (nv, nv) {
            return Err(BasisError::Metric(
                "its matrix has not one row and column for each velocity coordinate",
            ));
        }
        if w.iter().any(|x| !x.is_finite()) {
            return Err(BasisError::Metric("a number is not finite"));
        }
        let largest = w.amax();
        let differs = |i: usize, j: usize| (w[(i, j)] - w[(j, i)]).abs() > SYMMETRIC * largest;
        if (0..nv).any(|i| (0..i).any(|j| differs(i, j))) {
            return Err(BasisError::Metric("its matrix is not symmetric"));
        }
        if (0..nv).any(|i| w[(i, i)] < 0.0) {
            return Err(BasisError::Metric("a motion has a negative length"));
        }
        Ok(())
    }

    /// W times each column of `motions`, at the pose `q`.
    pub(super) fn apply(&self, creature: &Creature, q: &[f64], motions: &DMatrix<f64>) -> DMatrix<f64> {
        match self {
            Self::Joint => motions.clone(),
            Self::Matrix(w) => w * motions,
            Self::Position { shell } => position_matrix(creature, q, *shell) * motions,
            Self::Mass => {
                let mut data = Data::new(creature);
                prepare_mass(creature, &mut data, q);
                let mut weighted = motions.clone();
                let mut product = DVector::zeros(creature.nv());
                for (motion, mut to) in motions.column_iter().zip(weighted.column_iter_mut()) {
                    let motion = motion.into_owned();
                    multiply_mass(creature, &mut data, motion.as_slice(), product.as_mut_slice());
                    to.copy_from(&product);
                }
                weighted
            }
        }
    }
}

/// What a shell is at most, m, and as a share of the creature's size: a forearm of a person, and that of a mouse.
const SHELL: f64 = 0.03;
const SHELL_OF_SIZE: f64 = 0.02;

/// How far off its bone the surface of a creature is taken to be, m.
pub fn shell(creature: &Creature) -> f64 {
    let mut data = Data::new(creature);
    let frames = forward_kinematics(creature, &mut data, creature.reference_pose());
    let root = frames.get(1).map(|frame| frame.position).unwrap_or_default();
    let far = frames.iter().skip(1).map(|frame| (frame.position - root).norm()).fold(0.0, f64::max);
    // The root is near the middle of most creatures.
    let size = 2.0 * far;
    if size > 0.0 { SHELL.min(SHELL_OF_SIZE * size) } else { SHELL }
}

/// W of [`Metric::Position`] at the pose `q`.
fn position_matrix(creature: &Creature, q: &[f64], shell: f64) -> DMatrix<f64> {
    let nv = creature.nv();
    let mut data = Data::new(creature);
    forward_kinematics(creature, &mut data, q);
    let mut jacobian = DMatrix::zeros(6, nv);
    let mut w = DMatrix::zeros(nv, nv);
    let turns = (2.0 / 3.0_f64).sqrt() * shell;
    for body in 1..creature.bodies().len() {
        body_jacobian(creature, &data, body, data.frames[body].position, &mut jacobian);
        jacobian.rows_mut(0, 3).scale_mut(turns);
        // Only what is above the body moves it, which is little of a large creature.
        let moving: Vec<usize> = (0..nv).filter(|dof| jacobian.column(*dof).amax() > 0.0).collect();
        for &i in &moving {
            for &j in &moving {
                w[(i, j)] += jacobian.column(i).dot(&jacobian.column(j));
            }
        }
    }
    w
}

/// Velocity coordinates that are not of a free root: what a posture is made of.
pub(crate) fn posture_dofs(creature: &Creature) -> Vec<usize> {
    let bends = |joint: usize| creature.joints()[joint].kind != JointKind::Free;
    creature.dofs().iter().enumerate().filter(|(_, dof)| bends(dof.joint)).map(|(index, _)| index).collect()
}

/// W of a metric between some of the coordinates.
pub(crate) fn metric_block(creature: &Creature, metric: &Metric, q: &[f64], dofs: &[usize]) -> DMatrix<f64> {
    let mut units = DMatrix::zeros(creature.nv(), dofs.len());
    for (column, &dof) in dofs.iter().enumerate() {
        units[(dof, column)] = 1.0;
    }
    let all = metric.apply(creature, q, &units);
    // Equal but for rounding on both sides of the diagonal.
    DMatrix::from_fn(dofs.len(), dofs.len(), |i, j| 0.5 * (all[(dofs[i], j)] + all[(dofs[j], i)]))
}

//! A basis: a mean pose and a few directions in its tangent space, with a metric and a spread.
//!
//! The vibrations of a body are one, the principal geodesics of a recording are another. What works in a basis (sliders,
//! sketches, gaits, previews, inverse kinematics, compression) never asks where it came from.
//!
//! ```text
//! pose(x) = mean ⊕ Σ xᵢ φᵢ             a pose from its coordinates
//! product(x) = mean ⊕ x₁ φ₁ ⊕ x₂ φ₂ …   another, one direction after the other
//! v = jacobian(x) ẋ                     its velocity
//! project(q) = argmin ‖q ⊖ mean − Φ x‖  the coordinates of the nearest pose, in the metric
//! ```
//!
//! Poses live on a manifold, so that ⊕ is [`Creature::integrate`] and ⊖ is [`Creature::difference`].

mod error;
mod exact;
mod geodesic;
pub(crate) mod metric;
mod posing;
mod product;
mod project;
mod reach;
mod swing;

use gambol_dynamics::{Turn, stiffness_matrix};
use gambol_model::{Creature, JointKind, Vec3};
use nalgebra::DMatrix;

pub use error::BasisError;
pub use exact::{ExactSettings, Refined};
pub(crate) use geodesic::wound_back;
pub use geodesic::{FarTurn, GeodesicSettings, Geodesics, Keep};
pub use metric::{Metric, shell};
pub(crate) use posing::lay_over;
pub use project::Projector;
pub use swing::{Swinger, swing};

/// Numbers of a mean pose that differ by no more than this from those with unit quaternions stay as they are, bit for
/// bit: poses that come out of a computation are off by a few roundings of 1.
const UNIT: f64 = 1e-12;

/// One direction of a basis.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Direction {
    /// Its place in the basis, from 0; [`Basis::new`] counts.
    pub index: usize,
    /// For people: `u6` for the first vibration of a free creature.
    pub name: String,
    /// φ, a tangent vector at the mean pose, `nv` numbers: rad and m per unit of its coordinate.
    pub shape: Vec<f64>,
    /// σ, how far its coordinate usually goes from 0, as a standard deviation; ½ Σ (x/σ)² is what a pose costs as a prior.
    /// Infinite where every value is as likely as another.
    pub spread: f64,
    /// ω², rad²/s², if the creature vibrates along it by itself; exactly 0 for a motion that meets no spring.
    pub omega_squared: Option<f64>,
}

impl Direction {
    /// A direction without a name or frequency, and with a spread of 1.
    pub fn new(shape: Vec<f64>) -> Self {
        Self { index: 0, name: String::new(), shape, spread: 1.0, omega_squared: None }
    }

    /// Hz, if the creature vibrates along it by itself; exactly 0 for a rigid motion.
    pub fn frequency(&self) -> Option<f64> {
        self.omega_squared.map(|squared| squared.sqrt() / std::f64::consts::TAU)
    }

    /// Whether it moves the creature without bending it: no spring resists.
    pub fn is_rigid(&self) -> bool {
        self.omega_squared == Some(0.0)
    }
}

/// What a [`Basis`] is made of, before it is checked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BasisSpec {
    /// `nq` numbers.
    pub mean: Vec<f64>,
    /// In their order; rigid motions come first.
    pub directions: Vec<Direction>,
    /// How far a motion away from the mean is.
    pub metric: Metric,
    /// Dimension of the whole space of motions of which these are some: degrees of freedom that constraints leave. `nv`
    /// if not given.
    pub dof: Option<usize>,
    /// How many rigid motions that whole space has; as many as there are among the directions, if not given.
    pub rigid: Option<usize>,
}

impl BasisSpec {
    /// A basis of the whole tangent space's motions.
    pub fn new(mean: Vec<f64>, metric: Metric, directions: Vec<Direction>) -> Self {
        Self { mean, directions, metric, dof: None, rigid: None }
    }
}

/// A mean pose of a creature and a few directions in its tangent space, with a metric and a spread.
///
/// It is always whole: the mean is a pose of its creature, every direction has `nv` finite numbers that are not all 0, and
/// rigid motions come first.
#[derive(Clone, Debug, PartialEq)]
pub struct Basis {
    mean: Vec<f64>,
    directions: Vec<Direction>,
    metric: Metric,
    dof: usize,
    rigid: usize,
    nv: usize,
}

impl Basis {
    /// Checks a description against its creature.
    pub fn new(creature: &Creature, spec: BasisSpec) -> Result<Self, BasisError> {
        let BasisSpec { mean, mut directions, metric, dof, rigid } = spec;
        let nv = creature.nv();
        let mean = checked_mean(creature, mean)?;
        metric.check(nv)?;
        for (index, direction) in directions.iter_mut().enumerate() {
            direction.index = index;
            check_direction(direction, nv)?;
        }
        let among_these = directions.iter().take_while(|direction| direction.is_rigid()).count();
        let rigid = rigid.unwrap_or(among_these);
        if let Some(late) = directions[among_these..].iter().find(|direction| direction.is_rigid()) {
            return Err(BasisError::Order { direction: late.index });
        }
        let dof = dof.unwrap_or(nv);
        if rigid.min(directions.len()) != among_these || dof > nv || directions.len().max(rigid) > dof {
            return Err(BasisError::Count { directions: directions.len(), rigid, dof, nv });
        }
        Ok(Self { mean, directions, metric, dof, rigid, nv })
    }

    /// The pose that it is about, `nq` numbers.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// All directions; of vibrations, by ascending frequency.
    pub fn directions(&self) -> &[Direction] {
        &self.directions
    }

    /// The directions that bend the creature, without the rigid motions.
    pub fn flexible(&self) -> &[Direction] {
        &self.directions[self.rigid.min(self.directions.len())..]
    }

    /// How far a motion away from the mean is.
    pub fn metric(&self) -> &Metric {
        &self.metric
    }

    /// Dimension of the whole space of motions of which these are some: degrees of freedom that constraints leave.
    pub fn dof(&self) -> usize {
        self.dof
    }

    /// How many rigid motions that space has; they come first among the directions.
    pub fn rigid(&self) -> usize {
        self.rigid
    }

    /// The description that it was made of, to be changed.
    pub fn into_spec(self) -> BasisSpec {
        let Self { mean, directions, metric, dof, rigid, nv: _ } = self;
        BasisSpec { mean, directions, metric, dof: Some(dof), rigid: Some(rigid) }
    }

    /// The same with no more than the first `flexible` of the directions that bend the creature.
    pub fn truncated(&self, flexible: usize) -> Self {
        let mut short = self.clone();
        short.directions.truncate(self.rigid.min(self.directions.len()).saturating_add(flexible));
        short
    }

    /// The tangent vector Σ xᵢ φᵢ at the mean, `nv` numbers.
    pub fn tangent(&self, x: &[f64]) -> Result<Vec<f64>, BasisError> {
        if x.len() != self.directions.len() {
            return Err(BasisError::Coordinates { found: x.len(), directions: self.directions.len() });
        }
        let mut tangent = vec![0.0; self.nv];
        for (x, direction) in x.iter().zip(&self.directions) {
            for (sum, u) in tangent.iter_mut().zip(&direction.shape) {
                *sum += x * u;
            }
        }
        Ok(tangent)
    }

    /// The pose at the coordinates `x`: mean ⊕ Σ xᵢ φᵢ.
    pub fn pose(&self, creature: &Creature, x: &[f64]) -> Result<Vec<f64>, BasisError> {
        self.check_creature(creature)?;
        let tangent = self.tangent(x)?;
        let mut pose = self.mean.clone();
        creature.integrate(&mut pose, &tangent, 1.0);
        Ok(pose)
    }

    /// The coordinates of the pose of the basis that is nearest to `q` in the metric: the inverse of [`Self::pose`] where
    /// no joint turns by half a turn or more. For many poses, make one [`Self::projector`].
    pub fn project(&self, creature: &Creature, q: &[f64]) -> Result<Vec<f64>, BasisError> {
        self.projector(creature)?.project(creature, q)
    }

    /// `q` with its free root where the mean has it: a posture, whatever place it is taken at. Bases of recordings leave the
    /// root out, and are projected to without it.
    pub fn posture(&self, creature: &Creature, q: &[f64]) -> Result<Vec<f64>, BasisError> {
        self.check_creature(creature)?;
        let mut posture =
            creature.checked_pose("pose", q).map_err(|error| BasisError::Pose(error.to_string()))?;
        for joint in creature.joints().iter().filter(|joint| joint.kind == JointKind::Free) {
            let root = joint.q..joint.q + joint.kind.nq();
            posture[root.clone()].copy_from_slice(&self.mean[root]);
        }
        Ok(posture)
    }

    /// What all projections have in common.
    pub fn projector(&self, creature: &Creature) -> Result<Projector, BasisError> {
        self.check_creature(creature)?;
        Projector::new(creature, self)
    }

    /// How the pose moves with its coordinates: v = J ẋ, `nv` rows and a column for each direction, v as a velocity of the
    /// creature at [`Self::pose`].
    ///
    /// A joint that turns by θ = Σ xᵢ φᵢ from its mean, with θ a rotation vector, has the angular velocity
    /// `ω = (1 − (1 − cos θ)/θ² [θ] + (θ − sin θ)/θ³ [θ]²) θ̇` in its body's frame; all else is straight.
    pub fn jacobian(&self, creature: &Creature, x: &[f64]) -> Result<DMatrix<f64>, BasisError> {
        self.check_creature(creature)?;
        Ok(self.velocities(creature, &self.tangent(x)?))
    }

    /// The same at a tangent vector of the mean, `nv` numbers.
    fn velocities(&self, creature: &Creature, tangent: &[f64]) -> DMatrix<f64> {
        let mut jacobian = DMatrix::zeros(self.nv, self.directions.len());
        for (mut column, direction) in jacobian.column_iter_mut().zip(&self.directions) {
            for (to, from) in column.iter_mut().zip(&direction.shape) {
                *to = *from;
            }
        }
        for joint in creature.joints() {
            let first = match joint.kind {
                JointKind::Free => joint.v + 3,
                JointKind::Ball => joint.v,
                JointKind::Hinge | JointKind::Slide => continue,
            };
            let turn = Turn::new(Vec3::from_column_slice(&tangent[first..first + 3]));
            for mut column in jacobian.column_iter_mut() {
                let rate = Vec3::new(column[first], column[first + 1], column[first + 2]);
                column.fixed_rows_mut::<3>(first).copy_from(&turn.velocity(rate));
            }
        }
        jacobian
    }

    /// ω², rad²/s², of the motion along a direction of it: its own if the creature vibrates along it, else Rayleigh's
    /// quotient φᵀ K φ / φᵀ M φ of its springs and its mass at the mean. 0 where no spring resists.
    pub fn omega_squared(&self, creature: &Creature, direction: &Direction) -> f64 {
        if let Some(own) = direction.omega_squared {
            return own;
        }
        if direction.shape.len() != creature.nv() || self.check_creature(creature).is_err() {
            return 0.0;
        }
        let shape = DMatrix::from_column_slice(self.nv, 1, &direction.shape);
        let elastic = shape.dot(&(stiffness_matrix(creature) * &shape));
        let kinetic = shape.dot(&Metric::Mass.apply(creature, &self.mean, &shape));
        if elastic > 0.0 && kinetic > 0.0 { elastic / kinetic } else { 0.0 }
    }

    /// The same in Hz.
    pub fn frequency(&self, creature: &Creature, direction: &Direction) -> f64 {
        self.omega_squared(creature, direction).sqrt() / std::f64::consts::TAU
    }

    /// An error for a creature with another number of coordinates.
    fn check_creature(&self, creature: &Creature) -> Result<(), BasisError> {
        let (found, expected) = ([creature.nq(), creature.nv()], [self.mean.len(), self.nv]);
        if found == expected {
            return Ok(());
        }
        Err(BasisError::Creature { creature: creature.name().to_owned(), found, expected })
    }
}

fn checked_mean(creature: &Creature, mean: Vec<f64>) -> Result<Vec<f64>, BasisError> {
    let unit = creature.checked_pose("mean", &mean).map_err(|error| BasisError::Pose(error.to_string()))?;
    let same = mean.iter().zip(&unit).all(|(given, unit)| (given - unit).abs() <= UNIT);
    Ok(if same { mean } else { unit })
}

fn check_direction(direction: &Direction, nv: usize) -> Result<(), BasisError> {
    let Direction { index, shape, spread, omega_squared, .. } = direction;
    let number =
        |what, value, wanted| Err(BasisError::Number { direction: direction.index, what, value, wanted });
    if shape.len() != nv {
        return Err(BasisError::Length { direction: *index, found: shape.len(), nv });
    }
    if let Some(&value) = shape.iter().find(|x| !x.is_finite()) {
        return number("shape", value, "finite");
    }
    if shape.iter().all(|x| *x == 0.0) {
        return number("shape", 0.0, "a motion");
    }
    if spread.is_nan() || *spread <= 0.0 {
        return number("spread", *spread, "above 0");
    }
    match *omega_squared {
        Some(squared) if !(squared >= 0.0 && squared.is_finite()) => {
            number("squared frequency", squared, "a finite number of at least 0")
        }
        _ => Ok(()),
    }
}

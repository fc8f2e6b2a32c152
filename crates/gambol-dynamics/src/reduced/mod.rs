//! Principal geodesic dynamics (Tournier and Reveret 2012): a creature that moves in a few directions of its pose.
//!
//! ```text
//! g = (p, R, x) ∈ R³ × SO(3) × Rᵏ     place of the root, and coordinates of a pose: mean ⊕ Σ xᵢ φᵢ        (3)
//! v = (ṗ, ω, ẋ) ∈ R⁶⁺ᵏ                ṗ along the world axes, ω along the root's
//! M(g) = Jᵀ M̂ J,   L(g, v) = ½ vᵀ M v − V(g)
//! ```
//!
//! Lagrange's equations are stepped on the group itself, so that momentum stays ([`Integrator`]). A body needs no basis of any
//! kind: the mean and the directions are plain numbers. Springs, dampers and limits of the creature's joints are not part of L.
//!
//! ```text
//! ReducedBody, ReducedData ── place(g) ──► frames, J, M ── momentum(v), gradient(v) ──► p, ∂L/∂g
//! ReducedState ── reduced_step(…) ──► ReducedState
//! ```

mod data;
mod dense;
mod lagrange;
mod step;

use crate::{Creature, FloatingBase, JointKind};

pub use data::ReducedData;
pub use dense::solve_dense;
pub use step::{Integrator, ReducedState, advance, discrete_momentum, net_momentum, reduced_step};

/// Velocity coordinates of the root, and where those of the pose begin.
pub const ROOT: usize = 6;

/// Pose coordinates of the root: position, quaternion w x y z.
pub const PLACE: usize = 7;

/// Why a creature and some directions are no reduced body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReducedError {
    /// It is held by the world, or is several creatures.
    #[error("{creature} has no root that floats freely, with all else on it")]
    NoRoot {
        /// Its name.
        creature: String,
    },
    /// Loops of bodies cannot be kept closed by a few directions.
    #[error("{creature} has constraints beyond its tree, which a reduced body does not keep")]
    Constraints {
        /// Its name.
        creature: String,
    },
    /// No directions.
    #[error("a reduced body needs at least one direction that bends it")]
    NoDirections,
    /// Of another creature.
    #[error("direction {direction} has {found} numbers, and {creature} moves in {nv}")]
    Length {
        /// Its number, from 0.
        direction: usize,
        /// How many it has.
        found: usize,
        /// Name of the creature.
        creature: String,
        /// How many it should have.
        nv: usize,
    },
    /// The mean is no pose of the creature.
    #[error("{0}")]
    Mean(String),
    /// A direction that moves nothing, or nothing that those before it do not move.
    #[error(
        "direction {direction} moves no mass that the root and the directions before it do not move as well"
    )]
    WithoutMass {
        /// Its number, from 0.
        direction: usize,
    },
}

/// A creature that moves in a few directions; shared by all threads.
#[derive(Clone, Debug)]
pub struct ReducedBody {
    creature: Creature,
    base: FloatingBase,
    /// `nq` numbers.
    mean: Vec<f64>,
    /// φ: `nv` rows of k numbers; those of the root are 0.
    shapes: Vec<f64>,
    k: usize,
}

/// What is left of a direction's mass beside the others, as a share of it, below which it counts as none: rounding leaves 1e-15.
const MASSLESS: f64 = 1e-10;

impl ReducedBody {
    /// A creature at `mean`, `nq` numbers, that bends along `directions`, `nv` numbers each. What these move the root by is left
    /// out: the root moves by itself.
    pub fn new<'d>(
        creature: &Creature,
        mean: &[f64],
        directions: impl IntoIterator<Item = &'d [f64]>,
    ) -> Result<Self, ReducedError> {
        let name = || creature.name().to_owned();
        let base = FloatingBase::of(creature).ok_or_else(|| ReducedError::NoRoot { creature: name() })?;
        if !creature.constraints().is_empty() {
            return Err(ReducedError::Constraints { creature: name() });
        }
        let mean =
            creature.checked_pose("mean", mean).map_err(|error| ReducedError::Mean(error.to_string()))?;
        let (nv, directions) = (creature.nv(), directions.into_iter().collect::<Vec<_>>());
        let k = directions.len();
        if k == 0 {
            return Err(ReducedError::NoDirections);
        }
        let mut shapes = vec![0.0; nv * k];
        for (i, direction) in directions.into_iter().enumerate() {
            if direction.len() != nv {
                let found = direction.len();
                return Err(ReducedError::Length { direction: i, found, creature: name(), nv });
            }
            for (dof, u) in direction.iter().enumerate().filter(|(dof, _)| !base.dofs().contains(dof)) {
                shapes[dof * k + i] = *u;
            }
        }
        let body = Self { creature: creature.clone(), base, mean, shapes, k };
        body.check_mass()?;
        Ok(body)
    }

    /// Every direction moves mass that the root and those before it do not: pivots of the factor of M at the mean.
    fn check_mass(&self) -> Result<(), ReducedError> {
        let mut data = ReducedData::new(self);
        let m = data.place(self, &self.start()).to_vec();
        let n = self.n();
        let mut l = m.clone();
        for j in 0..n {
            for i in 0..j {
                let by = l[j * n + i];
                for r in j..n {
                    l[r * n + j] -= by * l[r * n + i];
                }
            }
            let pivot = l[j * n + j];
            if j >= ROOT && !(pivot > MASSLESS * m[j * n + j] && m[j * n + j] > 0.0) {
                return Err(ReducedError::WithoutMass { direction: j - ROOT });
            }
            let root = pivot.max(f64::MIN_POSITIVE).sqrt();
            for r in j..n {
                l[r * n + j] /= root;
            }
        }
        Ok(())
    }

    /// The creature that moves.
    pub fn creature(&self) -> &Creature {
        &self.creature
    }

    /// Its root.
    pub fn base(&self) -> &FloatingBase {
        &self.base
    }

    /// How many directions it bends in, k.
    pub fn directions(&self) -> usize {
        self.k
    }

    /// How many velocity coordinates it has, 6 + k.
    pub fn n(&self) -> usize {
        ROOT + self.k
    }

    /// φ of one coordinate of the creature: k numbers.
    pub fn shape(&self, dof: usize) -> &[f64] {
        &self.shapes[dof * self.k..(dof + 1) * self.k]
    }

    /// Coordinates of the mean pose: place of the root (position, quaternion), then k zeros.
    pub fn start(&self) -> Vec<f64> {
        let mut g = self.mean[self.base.q..self.base.q + PLACE].to_vec();
        g.resize(PLACE + self.k, 0.0);
        g
    }

    /// The pose at the coordinates `g`, `nq` numbers, written to `q`. `tangent` is room for `nv`.
    pub fn pose(&self, g: &[f64], tangent: &mut [f64], q: &mut [f64]) {
        let x = &g[PLACE..];
        for (dof, sum) in tangent.iter_mut().enumerate() {
            *sum = self.shape(dof).iter().zip(x).map(|(u, x)| u * x).sum();
        }
        q.copy_from_slice(&self.mean);
        self.creature.integrate(q, tangent, 1.0);
        q[self.base.q..self.base.q + PLACE].copy_from_slice(&g[..PLACE]);
    }

    /// First coordinates of the joints that turn about a point, but for the root.
    pub(crate) fn balls(&self) -> impl Iterator<Item = usize> {
        let joints = self.creature.joints().iter();
        joints.filter(|joint| joint.kind == JointKind::Ball).map(|joint| joint.v)
    }
}

impl FloatingBase {
    /// Velocity coordinates of its joint.
    pub(crate) fn dofs(&self) -> std::ops::Range<usize> {
        self.v..self.v + ROOT
    }
}

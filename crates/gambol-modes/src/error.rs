//! Why a creature has no modes.

use gambol_model::{Hint, Hinted};

/// Bad input to modal analysis; the message names what and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModesError {
    /// A joint has no spring, so that it would swing through without returning.
    #[error("joint {joint:?} has no stiffness; {}", Hint::Stiffness)]
    NoStiffness {
        /// Name of the joint.
        joint: String,
    },
    /// The mass matrix is not positive definite.
    #[error("{place}: it moves without inertia, so that its frequency would be infinite")]
    Massless {
        /// The coordinate or joint.
        place: String,
    },
    /// Nothing is left to move.
    #[error("the constraints leave nothing to move: {rank} independent rows on {nv} coordinates")]
    OverConstrained {
        /// Independent constraint rows.
        rank: usize,
        /// Velocity coordinates.
        nv: usize,
    },
    /// A constraint does not hold in the pose.
    #[error("{constraint} does not hold in this pose: it is off by {gap:e}")]
    Contradiction {
        /// Name of the constraint.
        constraint: String,
        /// Largest residual, m or rad.
        gap: f64,
    },
    /// A constraint as text that makes no sense for this creature.
    #[error("constraint {text:?}: {reason}")]
    Constraint {
        /// As given.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A stiffness or a pattern that makes no sense.
    #[error("{0}")]
    Stiffness(String),
    /// A number of the settings makes no sense.
    #[error(transparent)]
    Setting(#[from] gambol_model::SettingError),
    /// The pose is not one of this creature's.
    #[error("{0}")]
    Pose(String),
    /// Too many roots, tendons and constraints for the matrix-free way, which is made for few of them.
    #[error(
        "{columns} columns for roots, tendons and constraints on {nv} coordinates do not fit into memory"
    )]
    TooLarge {
        /// Columns that would have to be kept.
        columns: usize,
        /// Velocity coordinates.
        nv: usize,
    },
    /// So many modes of so large a creature need matrices beyond memory.
    #[error("all modes of {nv} coordinates do not fit into memory; {}", Hint::FewerModes { most: *most })]
    TooMany {
        /// Velocity coordinates.
        nv: usize,
        /// Modes that can be had.
        most: usize,
    },
    /// What came out is no basis: numbers beyond the range of floating point.
    #[error("the modes are no basis: {0}")]
    Basis(#[from] gambol_motion::BasisError),
    /// The eigensolver did not converge.
    #[error("the eigenvalue iteration did not converge")]
    NotConverged,
}

impl Hinted for ModesError {
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::NoStiffness { .. } => Some(Hint::Stiffness),
            Self::TooMany { most, .. } => Some(Hint::FewerModes { most: *most }),
            _ => None,
        }
    }
}

//! Why a plant could not be had, or does not move.

use gambol_formats::FormatError;
use gambol_model::{Hint, Hinted, SettingError};

/// What is wrong with a plant or with what is asked of it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlantError {
    /// Its file, with the line and the reason.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A number of some settings.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Its stiffness cannot be solved for: an element is so thin beside the others that rounding is larger than it.
    #[error(
        "the plant has no stiffness at node {node}: an element of it is far too thin or too long for the others"
    )]
    Singular {
        /// The node whose element gives way.
        node: usize,
    },
    /// More modes were asked for than there are, or none.
    #[error("{count} modes of {most} that there are; at least one is needed")]
    TooMany {
        /// As many as were asked for.
        count: usize,
        /// As many as there are.
        most: usize,
    },
    /// The search for modes did not come to an end.
    #[error("the vibrations were not found: the search did not converge")]
    NotConverged,
    /// An explicit step was too long for the fastest mode.
    #[error("the motion exploded at {time:.2} s: the fastest mode needs a shorter step, or exact ones")]
    Exploded {
        /// When, s.
        time: f64,
    },
    /// A pose, basis or wind that does not belong to it.
    #[error("{0}")]
    Mismatch(String),
}

impl Hinted for PlantError {
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::Format(error) => error.hint(),
            Self::TooMany { most, .. } => Some(Hint::FewerModes { most: *most }),
            _ => None,
        }
    }
}

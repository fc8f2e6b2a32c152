//! Why there is no gait.

use gambol_model::{Hint, Hinted, Remark};

/// Bad input to a gait; the message names what and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GaitError {
    /// No gait has this name.
    #[error("there is no gait {name:?}; there are {}", known.join(", "))]
    Unknown {
        /// As given.
        name: String,
        /// All names.
        known: Vec<String>,
    },
    /// The gait makes no sense for this creature.
    #[error("{creature} cannot {gait}: {reason}")]
    DoesNotFit {
        /// Name of the creature.
        creature: String,
        /// Name of the gait.
        gait: String,
        /// Why.
        reason: Remark,
    },
    /// A component names a mode that the creature does not have.
    #[error("component {component}: there is no mode {mode}; {creature} has modes 0 to {last}")]
    Mode {
        /// Counted from 1.
        component: usize,
        /// As given.
        mode: usize,
        /// Name of the creature.
        creature: String,
        /// The highest mode there is.
        last: usize,
    },
    /// A mode that the creature does not have.
    #[error("there is no mode {mode}; {creature} has modes 0 to {last}")]
    NoMode {
        /// As given.
        mode: usize,
        /// Name of the creature.
        creature: String,
        /// The highest mode there is.
        last: usize,
    },
    /// A number out of range.
    #[error("{place}: {reason}")]
    Number {
        /// Which setting.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A number of the settings makes no sense.
    #[error(transparent)]
    Setting(#[from] gambol_model::SettingError),
    /// The modes could not be had.
    #[error(transparent)]
    Modes(#[from] gambol_modes::ModesError),
    /// The body could not be changed as the gait asks.
    #[error("{0}")]
    Body(String),
}

impl Hinted for GaitError {
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::DoesNotFit { reason, .. } => reason.hint,
            Self::Modes(error) => error.hint(),
            _ => None,
        }
    }
}

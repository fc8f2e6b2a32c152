//! Why no creature can be made of what was found.

use gambol_model::{ModelError, SettingError};

/// Why no creature can be made of a skin or a skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnatomyError {
    /// There is no body in it.
    #[error("{0}")]
    Figure(String),
    /// A measure that nothing can have.
    #[error("a {what} of {value} {unit} is not a finite number above 0")]
    Measure {
        /// `height`, `unit` or `mass`.
        what: &'static str,
        /// What was asked for.
        value: f64,
        /// m or kg.
        unit: &'static str,
    },
    /// What is wished of a bone cannot be.
    #[error("bone {node}: {reason}")]
    Bone {
        /// The bone's node.
        node: usize,
        /// Why.
        reason: String,
    },
    /// A number of the settings makes no sense.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The bodies make no creature.
    #[error(transparent)]
    Model(#[from] ModelError),
}

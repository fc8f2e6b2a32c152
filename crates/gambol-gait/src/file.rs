//! A gait as a small TOML file.

use crate::Gait;

/// Why a gait file cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FileError {
    /// Not what a gait file looks like.
    #[error("{0}")]
    Text(String),
}

/// Reads a gait file of this or an earlier version.
pub fn from_toml(_text: &str) -> Result<Gait, FileError> {
    todo!()
}

/// Writes a gait file of the current version.
pub fn to_toml(_gait: &Gait) -> String {
    todo!()
}

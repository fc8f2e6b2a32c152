//! What can be wrong with a description, and what is worth telling.

use std::fmt;

use crate::hint::{Hint, Hinted, ending};

/// A description that cannot become a creature. The message names the place and the reason.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct ModelError {
    /// The part of the creature, e.g. `body "thigh.left"`.
    pub place: String,
    /// What is wrong with it.
    pub reason: String,
}

impl ModelError {
    /// An error at `place` because of `reason`.
    pub fn new(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { place: place.into(), reason: reason.into() }
    }
}

/// Something the user should know but that does not stop the work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Warning {
    /// Where: a part of the creature, or file and line.
    pub place: String,
    /// What was noticed and what was done about it.
    pub text: String,
    /// What would change it.
    pub hint: Option<Hint>,
}

impl Warning {
    /// A warning at `place`.
    pub fn new(place: impl Into<String>, text: impl Into<String>) -> Self {
        Self { place: place.into(), text: text.into(), hint: None }
    }

    /// The same warning, with what would change it.
    #[must_use]
    pub fn with_hint(mut self, hint: Hint) -> Self {
        self.hint = Some(hint);
        self
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)?;
        ending(f, self.hint)
    }
}

impl Hinted for Warning {
    fn hint(&self) -> Option<Hint> {
        self.hint
    }
}

//! A file that cannot become a creature.

use std::fmt;

use gambol_model::{Hint, Hinted, ending};

/// What is wrong with a file, where, and why: `dog.xml:12: <joint>: the axis has no direction`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct FormatError {
    /// The file as the user or an `<include>` names it.
    pub file: String,
    /// Line in that file, counted from 1.
    pub line: Option<u32>,
    /// The element at fault, without brackets.
    pub tag: Option<String>,
    /// What is wrong, and what would be right where that is not obvious.
    pub reason: String,
    /// What would set it right, if a setting would.
    pub hint: Option<Hint>,
}

impl FormatError {
    /// An error about a file as a whole.
    pub fn new(file: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { file: file.into(), line: None, tag: None, reason: reason.into(), hint: None }
    }

    /// The same error at a line.
    #[must_use]
    pub fn at_line(mut self, line: u32) -> Self {
        self.line = Some(line);
        self
    }

    /// The same error, with what would set it right.
    #[must_use]
    pub fn with_hint(mut self, hint: Hint) -> Self {
        self.hint = Some(hint);
        self
    }

    /// The same error at an element.
    #[must_use]
    pub fn in_tag(mut self, tag: impl Into<String>) -> Self {
        self.tag = Some(tag.into());
        self
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(tag) = &self.tag {
            write!(f, ": <{tag}>")?;
        }
        write!(f, ": {}", self.reason)?;
        ending(f, self.hint)
    }
}

impl Hinted for FormatError {
    fn hint(&self) -> Option<Hint> {
        self.hint
    }
}

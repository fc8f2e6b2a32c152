//! What the reader noticed.

use std::collections::HashSet;

use gambol_model::Warning;

use crate::FormatError;
use crate::xml::Element;

/// Most warnings kept; a broken file must not fill the memory with complaints.
const MAX_WARNINGS: usize = 1000;

/// Warnings so far.
pub(super) struct Notes {
    strict: bool,
    told: HashSet<String>,
    pub(super) warnings: Vec<Warning>,
}

impl Notes {
    /// With `strict`, what is not supported is an error.
    pub(super) fn new(strict: bool) -> Self {
        Self { strict, told: HashSet::new(), warnings: Vec::new() }
    }

    /// Something that changes the creature and that gambol cannot do; told once.
    pub(super) fn unsupported(&mut self, element: Element<'_>, what: &str) -> Result<(), FormatError> {
        if self.strict {
            return Err(element.error(what));
        }
        self.once(element, what);
        Ok(())
    }

    /// Something to know, told once.
    pub(super) fn once(&mut self, element: Element<'_>, text: &str) {
        if self.told.insert(text.to_owned()) {
            self.push(element.warning(text));
        }
    }

    /// A warning as it stands.
    pub(super) fn push(&mut self, warning: Warning) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning);
        }
    }
}

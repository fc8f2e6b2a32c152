//! What the reader noticed: each kind of thing is told once, at its first place.

use std::collections::HashSet;

use gambol_model::Warning;

use crate::FormatError;
use crate::xml::Element;

/// Most warnings kept; a broken file must not fill the memory with complaints.
const MAX_WARNINGS: usize = 1000;

/// Warnings so far.
#[derive(Debug)]
pub(crate) struct Notes {
    strict: bool,
    told: HashSet<String>,
    pub(crate) warnings: Vec<Warning>,
}

impl Notes {
    /// With `strict`, what is not supported is an error.
    pub(crate) fn new(strict: bool) -> Self {
        Self { strict, told: HashSet::new(), warnings: Vec::new() }
    }

    /// Something that changes the motion and that gambol cannot do.
    pub(crate) fn unsupported(&mut self, element: Element<'_>, what: &str) -> Result<(), FormatError> {
        if self.strict {
            return Err(element.error(what));
        }
        self.once(element, what);
        Ok(())
    }

    /// An element that MJCF does not have.
    pub(crate) fn unknown(&mut self, element: Element<'_>) -> Result<(), FormatError> {
        let text = format!("the element <{}> is unknown here and was ignored", element.tag());
        self.unsupported(element, &text)
    }

    /// Something to know, told once.
    pub(crate) fn once(&mut self, element: Element<'_>, text: &str) {
        self.push_once(element.warning(text));
    }

    /// A warning as it stands, unless its text was told before.
    pub(crate) fn push_once(&mut self, warning: Warning) {
        if self.told.insert(warning.text.clone()) {
            self.push(warning);
        }
    }

    /// A warning as it stands.
    pub(crate) fn push(&mut self, warning: Warning) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning);
        }
    }
}

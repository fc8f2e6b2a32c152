//! What is seen of a search for the pace that is believed.

use std::cell::Cell;
use std::io::{IsTerminal, Write};

/// Paces at which a gait was tried: a line that is written over, where somebody watches.
pub(super) struct Tries<'a> {
    gait: &'a str,
    count: Cell<usize>,
}

impl<'a> Tries<'a> {
    pub(super) fn of(gait: &'a str) -> Self {
        Self { gait, count: Cell::new(0) }
    }

    pub(super) fn one_more(&self) {
        self.count.set(self.count.get() + 1);
        if self.count.get() > 1 && std::io::stderr().is_terminal() {
            // Nobody has to see it.
            let _ = write!(std::io::stderr(), "\rgambol: {}, pace {} tried ", self.gait, self.count.get());
        }
    }
}

impl Drop for Tries<'_> {
    fn drop(&mut self) {
        if self.count.get() > 1 && std::io::stderr().is_terminal() {
            let _ = writeln!(std::io::stderr());
        }
    }
}

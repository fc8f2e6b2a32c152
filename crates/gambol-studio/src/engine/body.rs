//! Bodies: creatures as a style changes them, and their modes.

use std::sync::Arc;

use gambol::dynamics::Data;
use gambol::gait::{Body, Style};

use super::creature::Read;
use super::{Answer, Shelf, Trouble};
use crate::protocol::{CreatureWork, StyleWork};

/// A body, and memory to compute with it.
pub(super) struct Dressed {
    pub(super) read: Arc<Read>,
    pub(super) style: StyleWork,
    pub(super) body: Body,
    pub(super) data: Data,
}

/// How many bodies are remembered: the one on the stage, the one before a slider moved, and what undo goes back to.
const REMEMBERED: usize = 4;

/// The creature and the bodies last asked about, the latest last.
#[derive(Default)]
pub(super) struct Bodies {
    read: Option<Arc<Read>>,
    dressed: Vec<Dressed>,
}

impl Bodies {
    /// Reads a creature, or remembers it.
    pub(super) fn creature(&mut self, shelf: &dyn Shelf, work: &CreatureWork) -> Result<Arc<Read>, Trouble> {
        if let Some(read) = self.read.as_ref().filter(|read| read.work == *work) {
            return Ok(read.clone());
        }
        let read = Arc::new(Read::new(shelf, work)?);
        self.dressed.clear();
        self.read = Some(read.clone());
        Ok(read)
    }

    /// The body of a creature in a style.
    pub(super) fn body(
        &mut self,
        shelf: &dyn Shelf,
        creature: &CreatureWork,
        style: &StyleWork,
    ) -> Result<&mut Dressed, Trouble> {
        let read = self.creature(shelf, creature)?;
        let dressed = match self.dressed.iter().position(|dressed| dressed.style == *style) {
            Some(index) => self.dressed.remove(index),
            None => {
                let mut data = Data::new(&read.creature);
                let body = Body::new(read.creature.clone(), &mut data, &Style::from(style))
                    .map_err(Trouble::from_error)?;
                Dressed { read, style: style.clone(), body, data }
            }
        };
        if self.dressed.len() == REMEMBERED {
            self.dressed.remove(0);
        }
        self.dressed.push(dressed);
        self.dressed.last_mut().ok_or_else(|| Trouble("no body".to_owned()))
    }
}

pub(super) fn answer(
    _bodies: &mut Bodies,
    _shelf: &dyn Shelf,
    _creature: &CreatureWork,
    _style: &StyleWork,
    _from: Option<&StyleWork>,
    _marks: &[usize],
) -> Result<Answer, Trouble> {
    Err(Trouble("not yet".to_owned()))
}

//! Creatures, read and told to the page.

use std::sync::Arc;

use gambol::formats::gltf::Rig;
use gambol::model::Creature;

use super::{Answer, Shelf, Trouble};
use crate::protocol::CreatureWork;

/// A creature as it was read.
pub(super) struct Read {
    pub(super) work: CreatureWork,
    pub(super) creature: Creature,
    /// The way back to the nodes of a glTF file.
    pub(super) rig: Option<Rig>,
}

impl Read {
    pub(super) fn new(_shelf: &dyn Shelf, _work: &CreatureWork) -> Result<Self, Trouble> {
        Err(Trouble("not yet".to_owned()))
    }
}

pub(super) fn answer(_read: Arc<Read>) -> Result<Answer, Trouble> {
    Err(Trouble("not yet".to_owned()))
}

pub(super) fn hello(_start: &CreatureWork, _start_gait: Option<&str>) -> Result<Answer, Trouble> {
    Err(Trouble("not yet".to_owned()))
}

//! Files to take home.

use super::body::Bodies;
use super::{Answer, Shelf, Trouble};
use crate::protocol::{CreatureWork, GaitWork, StyleWork};

/// Which file.
pub(super) struct Wanted<'w> {
    pub(super) format: &'w str,
    pub(super) in_place: bool,
    /// s
    pub(super) seconds: Option<f64>,
}

pub(super) fn answer(
    _bodies: &mut Bodies,
    _shelf: &dyn Shelf,
    _creature: &CreatureWork,
    _style: &StyleWork,
    _gait: &GaitWork,
    _wanted: &Wanted,
) -> Result<Answer, Trouble> {
    Err(Trouble("not yet".to_owned()))
}

//! Gaits: which suit a body, and how one moves it.

use super::body::Dressed;
use super::{Answer, Trouble};
use crate::protocol::GaitWork;

pub(super) fn gaits(_dressed: &mut Dressed) -> Result<Answer, Trouble> {
    Err(Trouble("not yet".to_owned()))
}

pub(super) fn answer(_dressed: &mut Dressed, _gait: &GaitWork) -> Result<Answer, Trouble> {
    Err(Trouble("not yet".to_owned()))
}

/// The gait that the user asks for, on this body; and what he should know.
pub(super) fn gait(
    _dressed: &mut Dressed,
    _work: &GaitWork,
) -> Result<(gambol::gait::Gait, Vec<String>), Trouble> {
    Err(Trouble("not yet".to_owned()))
}

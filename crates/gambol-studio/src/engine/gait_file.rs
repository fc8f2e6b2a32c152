//! Gait files, read and written.

use super::body::Dressed;
use super::{Answer, Trouble};
use crate::protocol::{CreatureWork, GaitWork};

pub(super) fn read(_text: &str) -> Result<Answer, Trouble> {
    Err(Trouble("not yet".to_owned()))
}

pub(super) fn write(
    _dressed: &mut Dressed,
    _creature: &CreatureWork,
    _gait: &GaitWork,
) -> Result<String, Trouble> {
    Err(Trouble("not yet".to_owned()))
}

//! "Stand it up": the least stiffness that carries the weight.

use super::body::Dressed;
use super::{Answer, Trouble};
use crate::protocol::StyleWork;

pub(super) fn answer(_dressed: &mut Dressed, _style: &StyleWork) -> Result<Answer, Trouble> {
    Err(Trouble("not yet".to_owned()))
}

//! Pull a limb: inverse kinematics from the rest pose.

use super::body::Dressed;
use super::{Answer, Trouble};
use crate::protocol::{Pull, StyleWork};

pub(super) fn answer(_dressed: &mut Dressed, _style: &StyleWork, _pulls: &[Pull]) -> Result<Answer, Trouble> {
    Err(Trouble("not yet".to_owned()))
}

//! Pull a limb.

use gambol::dynamics::Goal;
use gambol::gait::Reach;

use super::body::Dressed;
use super::{Answer, Trouble};
use crate::protocol::ReachAnswer;

/// The rest pose with these points pulled to their places.
pub(super) fn answer(dressed: &mut Dressed, pulls: &[Goal]) -> Result<Answer, Trouble> {
    let Dressed { body, data, .. } = dressed;
    let Reach { pose, bend, miss } = body.reach(data, pulls).map_err(Trouble::hinted)?;
    Answer::new(ReachAnswer { pose, bend, miss }, Vec::new())
}

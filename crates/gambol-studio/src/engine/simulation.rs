//! A live simulation: it goes on as far as the page asks.

use super::body::Dressed;
use super::{Answer, Trouble};
use crate::protocol::{DriveWork, Pull};

pub(super) struct Simulation {}

impl Simulation {
    pub(super) fn start(
        _dressed: &mut Dressed,
        _drive: &DriveWork,
        _ground: bool,
        _slope: f64,
    ) -> Result<(Self, Answer), Trouble> {
        Err(Trouble("not yet".to_owned()))
    }

    pub(super) fn advance(&mut self, _seconds: f64, _pull: Option<&Pull>) -> Result<Answer, Trouble> {
        Err(Trouble("not yet".to_owned()))
    }
}

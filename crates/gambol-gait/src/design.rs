//! Press walk: a named gait for any creature.

use gambol_dynamics::Data;

use crate::{Body, Gait, GaitError};

/// What the user asks of a gait; everything else follows from the body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wish {
    /// m/s
    pub speed: Option<f64>,
    /// Cycles per second.
    pub frequency: Option<f64>,
    /// m per cycle
    pub stride_length: Option<f64>,
    /// Share of the cycle that a foot stands.
    pub duty: Option<f64>,
}

/// The gait called `name` (a preset of this creature or a gait of the list) for `body`.
pub fn design(_body: &Body, _data: &mut Data, _name: &str, _wish: &Wish) -> Result<Gait, GaitError> {
    todo!()
}

/// Every gait, and why it does not suit this creature where it does not.
pub fn gaits_for(_body: &Body, _data: &mut Data) -> Vec<(String, Result<(), GaitError>)> {
    todo!()
}

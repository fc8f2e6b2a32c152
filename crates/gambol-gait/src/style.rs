//! The body whose modes are meant: pose, stiffness, weight, tension, injuries.

use gambol_dynamics::Data;
use gambol_model::Creature;
use gambol_modes::Modes;

use crate::{GaitError, Legs, Style};

/// A creature as a style changes it, with its modes and legs.
#[derive(Clone, Debug)]
pub struct Body {
    /// With the stiffness and mass of the style.
    pub creature: Creature,
    /// All its modes about its rest pose (`modes.pose`).
    pub modes: Modes,
    /// Its legs in that pose.
    pub legs: Legs,
    /// The style.
    pub style: Style,
}

impl Body {
    /// Applies `style` to a creature and computes its modes.
    pub fn new(_creature: Creature, _data: &mut Data, _style: &Style) -> Result<Self, GaitError> {
        todo!()
    }
}

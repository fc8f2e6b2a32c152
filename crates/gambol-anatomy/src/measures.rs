//! How large a creature is, where its file leaves that open.

use crate::AnatomyError;

/// What the user says about the size of a creature. What is not said is guessed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Height of the creature in the file's pose, m.
    pub height: Option<f64>,
    /// Length of the file's unit, m. Comes before `height`.
    pub unit: Option<f64>,
    /// Mass of the whole creature, kg.
    pub mass: Option<f64>,
}

impl Measures {
    /// Whether all that is said can be.
    pub(crate) fn check(&self) -> Result<(), AnatomyError> {
        let said = [("height", self.height, "m"), ("unit", self.unit, "m"), ("mass", self.mass, "kg")];
        for (what, value, unit) in said {
            if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
                return Err(AnatomyError::Measure { what, value, unit });
            }
        }
        Ok(())
    }
}

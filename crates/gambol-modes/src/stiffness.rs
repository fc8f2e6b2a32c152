//! Changing the springs of a creature: one stiffness for all, and factors by joint name.

use gambol_model::{Creature, JointKind};
use regex_lite::Regex;

use crate::ModesError;

/// Gives every joint but free ones the stiffness `k`, N·m/rad or N/m.
pub fn set_uniform(creature: &mut Creature, k: f64) -> Result<(), ModesError> {
    if !(k.is_finite() && k > 0.0) {
        return Err(ModesError::Stiffness(format!("a stiffness of {k} is not a finite number above 0")));
    }
    for joint in 0..creature.joints().len() {
        if creature.joints()[joint].kind != JointKind::Free {
            creature.set_stiffness(joint, k).map_err(|error| ModesError::Stiffness(error.to_string()))?;
        }
    }
    Ok(())
}

/// A factor for the joints and tendons whose whole name matches a pattern: `spine.*=5`.
#[derive(Clone, Debug)]
pub struct Scale {
    text: String,
    pattern: Regex,
    factor: f64,
}

impl std::str::FromStr for Scale {
    type Err = ModesError;

    fn from_str(text: &str) -> Result<Self, ModesError> {
        let bad = |reason: &str| ModesError::Stiffness(format!("{text:?}: {reason}"));
        let (pattern, factor) = text.rsplit_once('=').ok_or_else(|| bad("expected PATTERN=FACTOR"))?;
        let factor = factor.trim().parse().map_err(|_| bad("the factor is not a number"))?;
        Self::checked(text.to_owned(), pattern, factor)
    }
}

impl Scale {
    /// A factor for all that matches `pattern`.
    pub fn new(pattern: &str, factor: f64) -> Result<Self, ModesError> {
        Self::checked(format!("{pattern}={factor:?}"), pattern, factor)
    }

    /// `text` is what messages call it.
    fn checked(text: String, pattern: &str, factor: f64) -> Result<Self, ModesError> {
        let bad = |reason: &str| ModesError::Stiffness(format!("{text:?}: {reason}"));
        if !(factor.is_finite() && factor > 0.0) {
            return Err(bad("the factor is not a finite number above 0"));
        }
        let pattern = Regex::new(&format!("^(?:{pattern})$")).map_err(|error| bad(&error.to_string()))?;
        Ok(Self { text, pattern, factor })
    }

    /// Multiplies the stiffness of all joints and tendons that match; at least one must.
    pub fn apply(&self, creature: &mut Creature) -> Result<(), ModesError> {
        let bad = |error: gambol_model::ModelError| ModesError::Stiffness(error.to_string());
        let mut matched = false;
        for joint in 0..creature.joints().len() {
            let found = &creature.joints()[joint];
            if found.kind != JointKind::Free && self.pattern.is_match(&found.name) {
                matched = true;
                creature.set_stiffness(joint, found.stiffness * self.factor).map_err(bad)?;
            }
        }
        // A closed loop has the spring of its last joint in a tendon.
        for tendon in 0..creature.tendons().len() {
            let found = &creature.tendons()[tendon];
            if self.pattern.is_match(&found.name) {
                matched = true;
                creature.set_tendon_stiffness(tendon, found.stiffness * self.factor).map_err(bad)?;
            }
        }
        if matched {
            return Ok(());
        }
        Err(ModesError::Stiffness(format!("{:?} matches no joint of {}", self.text, creature.name())))
    }
}

//! Natural vibrations of a creature (Kry et al. 2009, section 3.1): K u = λ M u over the admissible directions.
//!
//! [`analyze`] gives the modes of a creature about a pose that its joint springs keep in equilibrium. Rigid motions
//! come first with frequency 0 and in a canonical order; vibrations follow by ascending frequency. A mode's shape is
//! a tangent vector over all velocity coordinates, the root's included, scaled so that its largest joint angle is
//! 1 rad; its sign, and the choice among equal frequencies, are pinned (module `pin`).

mod coordinates;
mod dense;
mod error;
mod finish;
mod mode;
mod pin;
mod rigid;
mod weight;

pub use dense::analyze_dense;
pub use error::ModesError;
pub use mode::{Damping, Mode, Modes, Settings};
pub use weight::{
    Attempt, Deflection, Reaction, Stand, StandSettings, StandStatus, StiffnessGroup, WeightError,
    WeightReport, WeightStatus, stand, stiffness_from_weight,
};

use gambol_dynamics::Data;
use gambol_model::Creature;

/// The modes of `creature` about the pose `q`.
pub fn analyze(
    creature: &Creature,
    data: &mut Data,
    q: &[f64],
    settings: &Settings,
) -> Result<Modes, ModesError> {
    analyze_dense(creature, data, q, settings)
}

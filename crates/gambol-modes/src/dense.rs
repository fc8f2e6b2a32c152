//! Dense modal analysis for rigs.

use gambol_dynamics::Data;
use gambol_model::Creature;

use crate::{Modes, ModesError, Settings};

/// The modes of `creature` about the pose `q` by a dense eigensolver.
pub fn analyze_dense(
    _creature: &Creature,
    _data: &mut Data,
    _q: &[f64],
    _settings: &Settings,
) -> Result<Modes, ModesError> {
    Err(ModesError::NotConverged)
}

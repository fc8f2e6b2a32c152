//! Natural vibrations of a creature (Kry et al. 2009, section 3.1): K u = λ M u over the admissible directions. What
//! comes out is a [`Basis`] in the metric of the mass.
//!
//! [`analyze`] gives the modes of a creature about a pose that its joint springs keep in equilibrium. Rigid motions
//! come first with frequency 0 and in a canonical order; vibrations follow by ascending frequency. A mode's shape is
//! a tangent vector over all velocity coordinates, the root's included, scaled so that its largest joint angle is
//! 1 rad; its sign, and the choice among equal frequencies, are pinned (module `pin`).

mod constrain;
mod coordinates;
mod dense;
mod eigen;
mod error;
mod finish;
mod large;
mod pin;
mod read;
mod rigid;
mod settings;
mod stiffness;

pub use constrain::parse_constraint;
pub use dense::analyze_dense;
pub use error::ModesError;
pub use large::analyze_large;
pub use read::{
    LimbShare, Plane, PlaneShares, ReadSettings, Reader, Reading, Strongest, Symmetry, read_mode,
};
pub use settings::{Damping, Settings};
pub use stiffness::{Scale, set_uniform};

/// What modal analysis of other bodies than creatures shares with ours: eigenpairs of operators too large for a matrix, and
/// the rule that pins signs and the choice among equal frequencies.
pub mod krylov {
    pub use crate::large::{Block, LANES, Largest, Operator, Row, Stopped, largest};
    pub use crate::pin::{Raw, pin_by, probe_field};
}

/// The vectors and matrices that this crate's functions take and give.
pub use nalgebra;

use gambol_dynamics::Data;
use gambol_model::Creature;
use gambol_motion::Basis;

/// From this many coordinates on, a few modes come faster without a matrix than all of them with one.
const MATRIX_FREE_FROM: usize = 150;

/// Coordinates per mode asked for, from which on that is true.
const COORDINATES_PER_MODE: usize = 8;

/// Coordinates up to which the dense solver answers within minutes, where the other one cannot.
const DENSE_UP_TO: usize = 5000;

/// The modes of `creature` about the pose `q`: by the dense solver, or matrix-free for a few modes of a large creature.
pub fn analyze(
    creature: &Creature,
    data: &mut Data,
    q: &[f64],
    settings: &Settings,
) -> Result<Basis, ModesError> {
    let nv = creature.nv();
    let few = settings.count.is_some_and(|count| count <= nv / COORDINATES_PER_MODE);
    if !few && nv > DENSE_UP_TO {
        return Err(ModesError::TooMany { nv, most: nv / COORDINATES_PER_MODE });
    }
    if nv < MATRIX_FREE_FROM || !few {
        return analyze_dense(creature, data, q, settings);
    }
    match analyze_large(creature, data, q, settings) {
        Err(ModesError::NotConverged | ModesError::TooLarge { .. }) if nv <= DENSE_UP_TO => {
            analyze_dense(creature, data, q, settings)
        }
        result => result,
    }
}

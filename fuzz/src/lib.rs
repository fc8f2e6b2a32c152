//! What every fuzz target does with a creature that could be read.

use gambol_dynamics::{Data, TreeMatrix, degrees_of_freedom, forward_dynamics, mass_matrix};
use gambol_formats::FormatError;
use gambol_model::CreatureSpec;

/// Builds the creature and runs the dynamics once, unless it is so large that a run of the fuzzer would crawl.
pub fn read_and_move(spec: Result<CreatureSpec, FormatError>) {
    let Ok(spec) = spec else { return };
    let Ok(creature) = spec.build() else { return };
    if creature.nv() > 200 {
        return;
    }
    let mut data = Data::new(&creature);
    let q = creature.reference_pose().to_vec();
    let zero = vec![0.0; creature.nv()];
    let Ok(mut m) = TreeMatrix::new(&creature) else { return };
    mass_matrix(&creature, &mut data, &q, &mut m);
    m.factor();
    forward_dynamics(&creature, &mut data, &q, &zero, &zero);
    degrees_of_freedom(&creature, &mut data, &q);
}

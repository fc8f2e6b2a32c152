//! The coordinates of a creature, sorted for modal analysis: those that move it as a whole, and those with springs.

use gambol_model::Creature;

use crate::ModesError;

/// Velocity coordinates by their part in a vibration.
#[derive(Clone, Debug)]
pub(crate) struct Coordinates {
    /// Coordinates without a spring that move a whole tree: a free joint, or unsprung slides and hinges at its top.
    pub(crate) root: Vec<usize>,
    /// All others: the elastic joints.
    pub(crate) elastic: Vec<usize>,
    /// Joint stiffness of each elastic coordinate, N·m/rad or N/m; all positive.
    pub(crate) stiffness: Vec<f64>,
}

impl Coordinates {
    /// Sorts the coordinates; a joint inside of a tree must have a spring.
    pub(crate) fn new(creature: &Creature) -> Result<Self, ModesError> {
        let mut sorted = Self { root: Vec::new(), elastic: Vec::new(), stiffness: Vec::new() };
        for joint in creature.joints() {
            let dofs = joint.v..joint.v + joint.kind.nv();
            let at_the_top = creature.bodies()[joint.body].parent == 0;
            if joint.stiffness > 0.0 {
                sorted.stiffness.extend(dofs.clone().map(|_| joint.stiffness));
                sorted.elastic.extend(dofs);
            } else if at_the_top {
                sorted.root.extend(dofs);
            } else {
                return Err(ModesError::NoStiffness { joint: joint.name.clone() });
            }
        }
        Ok(sorted)
    }
}

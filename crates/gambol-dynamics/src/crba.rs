//! The mass matrix by composite rigid bodies (Featherstone 2008, section 6.2).
//!
//! ```text
//! for each body b, children first:   I_b^c = I_b + Σ I_child^c
//! for each coordinate i of body b:   f = I_b^c s_i
//!     for each coordinate j of b and of its ancestors, up to i:   M_ij = s_j · f   (f moved along)
//! ```

use crate::kinematics::{body_inertias, forward_kinematics};
use crate::spatial::RigidInertia;
use crate::{Creature, Data, TreeMatrix};

/// The joint-space mass matrix M(q), armature included, written to `m` (unfactored).
///
/// Writes what [`forward_kinematics`] writes.
pub fn mass_matrix(creature: &Creature, data: &mut Data, q: &[f64], m: &mut TreeMatrix) {
    forward_kinematics(creature, data, q);
    body_inertias(creature, data);
    fill_mass_matrix(creature, data, m);
}

/// The mass matrix at the pose of `data.frames`, from `data.inertias`.
pub(crate) fn fill_mass_matrix(creature: &Creature, data: &mut Data, m: &mut TreeMatrix) {
    let mut composites = std::mem::take(&mut data.composites);
    mass_matrix_here(creature, data, &mut composites, m);
    data.composites = composites;
}

/// The same with room for the composites, one per body, that is not in `data`.
pub(crate) fn mass_matrix_here(
    creature: &Creature,
    data: &Data,
    composites: &mut [RigidInertia],
    m: &mut TreeMatrix,
) {
    gather_composites(creature, data, composites);
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        for i in body.dofs.clone() {
            let row = m.row_mut(i);
            let mut k = row.len() - 1;
            let axis = data.axes[i];
            let mut force = composites[index].apply(axis);
            row[k] = axis.dot(&force) + creature.dofs()[i].armature;
            for j in (body.dofs.start..i).rev() {
                k -= 1;
                row[k] = data.axes[j].dot(&force);
            }
            let mut ancestor = index;
            while k > 0 {
                force = force.shifted(data.frames[ancestor].offset);
                ancestor = creature.bodies()[ancestor].parent;
                for j in creature.bodies()[ancestor].dofs.clone().rev() {
                    k -= 1;
                    row[k] = data.axes[j].dot(&force);
                }
            }
        }
    }
}

/// Inertia of each body with all that hangs on it, about the body's origin, into `data.composites`.
pub(crate) fn composite_inertias(creature: &Creature, data: &mut Data) {
    let mut composites = std::mem::take(&mut data.composites);
    gather_composites(creature, data, &mut composites);
    data.composites = composites;
}

fn gather_composites(creature: &Creature, data: &Data, composites: &mut [RigidInertia]) {
    composites.copy_from_slice(&data.inertias);
    composites[0] = RigidInertia::default();
    for index in (1..creature.bodies().len()).rev() {
        let parent = creature.bodies()[index].parent;
        if parent != 0 {
            let composite = composites[index].shifted(data.frames[index].offset);
            composites[parent] += composite;
        }
    }
}

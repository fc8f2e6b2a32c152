//! Muscles that have only so much: torque and damper of a coordinate together are at most its strength.
//!
//! The damper acts at the end of a step, so what it takes is known when the step is solved:
//!
//! ```text
//! had = torque − D v',   |had| ≤ strength
//! ```
//!
//! A coordinate that would have more is *spent*: it gives its strength, its damper is out of M + h D for this step, and the step is solved
//! again. Others may be spent then; after a few rounds all dampers that are bounded give what they gave last, and the next round is the end.

use super::{Drive, State, Stepper, World};

/// Rounds until all bounded dampers are out. Where a foot lands hard, one or two are usual.
const ROUNDS: usize = 4;

/// A force may be above its bound by this share, which is rounding.
const ROUNDING: f64 = 1e-9;

/// What the dampers of a step have to do.
#[derive(Clone, Debug)]
pub(super) struct Muscles {
    /// h D + s h² K on the diagonal of the inertia, less the dampers of spent coordinates.
    pub(super) extra: Vec<f64>,
    /// Force of each damper against the motion, N·m or N.
    pub(super) damped: Vec<f64>,
    spent: Vec<bool>,
    round: usize,
}

impl Muscles {
    pub(super) fn new(nv: usize) -> Self {
        Self { extra: vec![0.0; nv], damped: vec![0.0; nv], spent: vec![false; nv], round: 0 }
    }
}

/// All dampers do their work.
pub(super) fn begin(world: &World, stepper: &mut Stepper) {
    let muscles = &mut stepper.muscles;
    muscles.extra.copy_from_slice(&world.extra);
    muscles.spent.fill(false);
    muscles.round = 0;
}

/// Looks at what each coordinate had with the velocity in `stepper.z`. Whether some were spent, so that the step is to be solved again.
pub(super) fn tire(world: &World, stepper: &mut Stepper, state: &State, drive: &Drive) -> bool {
    let Stepper { muscles, tau, z, .. } = stepper;
    let Muscles { extra, damped, spent, round } = muscles;
    let (creature, h) = (&world.creature, world.settings.step);
    let mut again = false;
    for (dof, coordinate) in creature.dofs().iter().enumerate() {
        if spent[dof] {
            continue;
        }
        let damping = creature.joints()[coordinate.joint].damping;
        damped[dof] = damping * z[dof];
        let Some(strength) = drive.strength.get(dof) else { continue };
        let torque = drive.torque.get(dof).copied().unwrap_or(0.0);
        let had = torque - damped[dof];
        let too_much = had.abs() > strength * (1.0 + ROUNDING);
        if too_much || (*round == ROUNDS && damping > 0.0 && strength.is_finite()) {
            let left = had.clamp(-strength, *strength);
            tau[dof] += left - torque + damping * state.v[dof];
            extra[dof] -= h * damping;
            damped[dof] = torque - left;
            spent[dof] = true;
            again = true;
        }
    }
    // The last round is there for those whose strength is met only now.
    *round = if again { *round + 1 } else { *round };
    again
}

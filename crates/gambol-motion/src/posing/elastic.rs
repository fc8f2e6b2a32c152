//! Poses without recordings: joints by their stiffness and within their limits, knees and elbows bent to their side. The solver is that
//! of [`gambol_dynamics::reach`].

use gambol_dynamics::{Data, Goal, Hold, Reached, SpringSpace, reach_in};
use gambol_model::{Creature, JointKind, Role};

use super::{RootMotion, free_root};
use crate::basis::lay_over;

gambol_model::settings! {
    /// Of a body that poses without recordings.
    pub struct ElasticSettings {
        /// The stiffness of a joint counts by this power as what its angle costs: a hip is a thousand times as stiff as a finger, but
        /// does not move that much less. ¼ was best among the powers of 2 on recordings of people.
        power: f64 = 0.25, AtLeastZero;
        /// Knees and elbows are bent by this much to their side to begin with, rad: a stretched joint does not know which way to go.
        bend: f64 = 0.35, AtLeastZero;
    }
}

pub(super) fn pose(
    creature: &Creature,
    data: &mut Data,
    at: &[f64],
    goals: &[Goal],
    root: RootMotion,
    settings: &ElasticSettings,
) -> Reached {
    let mut from = bent(creature, settings.bend);
    if let Some(joint) = free_root(creature) {
        from[joint.q..joint.q + 7].copy_from_slice(&at[joint.q..joint.q + 7]);
    }
    let hold = match root {
        RootMotion::Given => Hold::Root,
        RootMotion::Free => {
            lay_over(creature, data, &mut from, goals);
            Hold::Goals
        }
    };
    let space = SpringSpace { creature, from: &from, hold, power: settings.power };
    reach_in(creature, data, &space, goals)
}

/// The rest pose with knees and elbows bent into the wider side of their limits, where they are nearly straight.
fn bent(creature: &Creature, bend: f64) -> Vec<f64> {
    let mut pose = creature.rest_pose().to_vec();
    let is_middle = |body: usize| {
        let of_limb = |role| matches!(role, Role::Knee | Role::Elbow);
        creature.landmarks().iter().any(|mark| of_limb(mark.role) && mark.body == body)
    };
    for joint in
        creature.joints().iter().filter(|joint| joint.kind == JointKind::Hinge && is_middle(joint.body))
    {
        let Some([low, high]) = joint.limit else { continue };
        let (down, up) = (pose[joint.q] - low, high - pose[joint.q]);
        let side = if up > down { 1.0 } else { -1.0 };
        // Bent already as far as that from its nearer limit, it knows its side.
        if down.min(up) < bend && down.max(up) > 2.0 * bend {
            pose[joint.q] += side * (bend - down.min(up).max(0.0)).max(0.0);
        }
    }
    pose
}

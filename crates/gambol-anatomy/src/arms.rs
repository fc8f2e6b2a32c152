//! The arms of a creature: what hangs from the trunk, ends in a hand and does not stand.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, JointKind, Landmark, Role, Side, Vec3};

use crate::feet::{leg_bodies, users};

/// An arm, from the joint where it leaves the trunk to its hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// Left or right; `None` on the midline.
    pub side: Option<Side>,
    /// The body of the hand.
    pub hand: usize,
    /// The hand's point in it, m.
    pub point: Vec3,
    /// The joint that the upper arm turns about: of several on the way to the trunk, as a collar bone's, the nearest one
    /// that is apart from the elbow.
    pub shoulder: usize,
    /// None for an arm in one piece.
    pub elbow: Option<usize>,
    /// All joints that this arm has to itself, from the trunk to the hand.
    pub joints: Vec<usize>,
}

/// The arms in the pose `q`. Joints nearer to one another than `least` m are one. Leaves the frames of `q` in `data`.
pub fn arms(creature: &Creature, data: &mut Data, q: &[f64], least: f64) -> Vec<Arm> {
    let frames = forward_kinematics(creature, data, q);
    let is_end = |mark: &&Landmark| matches!(mark.role, Role::Hand | Role::Foot | Role::Head);
    let ends: Vec<&Landmark> = creature.landmarks().iter().filter(is_end).collect();
    let users = users(creature, &ends);
    let place = |joint: usize| {
        let joint = &creature.joints()[joint];
        frames[joint.body].point_in_world(joint.anchor)
    };
    let arm = |hand: &&Landmark| {
        let chain = leg_bodies(creature, &users, hand.body);
        let own = chain.iter().flat_map(|&body| creature.bodies()[body].joints.clone());
        let joints: Vec<usize> =
            own.filter(|&joint| creature.joints()[joint].kind != JointKind::Free).collect();
        let elbows = creature.landmarks().iter().filter(|mark| mark.role == Role::Elbow);
        let elbow = elbows.filter_map(|mark| mark.joint).find(|joint| joints.contains(joint));
        let end = elbow.map_or_else(|| frames[hand.body].point_in_world(hand.point), place);
        let above = joints.iter().rev().copied().filter(|&joint| {
            elbow.is_none_or(|elbow| creature.joints()[joint].body < creature.joints()[elbow].body)
        });
        let shoulder = above.clone().find(|&joint| (place(joint) - end).norm() > least)?;
        Some(Arm { side: hand.side, hand: hand.body, point: hand.point, shoulder, elbow, joints })
    };
    ends.iter().filter(|mark| mark.role == Role::Hand).filter_map(arm).collect()
}

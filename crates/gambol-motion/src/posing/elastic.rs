//! Poses without recordings: joints by their stiffness and within their limits, knees and elbows bent to their side. The solver is that
//! of [`gambol_dynamics::reach`].

use gambol_dynamics::{Data, Goal, Hold, Reached, SpringSpace, forward_kinematics, reach_in};
use gambol_model::{Creature, Joint, JointKind, Landmark, Quat, Role, Side, Vec3, math};

use super::{RootMotion, free_root};
use crate::basis::lay_over;

gambol_model::settings! {
    /// Of a body that poses without recordings.
    pub struct ElasticSettings {
        /// The stiffness of a joint counts by this power as what its angle costs: a hip is a thousand times as stiff as a finger, but
        /// does not move that much less. ¼ was best among the powers of 2 on recordings of people.
        power: f64 = 0.25, AtLeastZero;
        /// Knees and elbows of limbs with a handle are so far from the limit that they are stretched at, rad, or in the middle of a smaller
        /// range: a stretched joint does not know which way to go, and people who do something with a limb have it bent. 1.2 was best
        /// among multiples of 0.1 on recordings of people; from 1.0 to 1.4 it makes little difference.
        bend: f64 = 1.2, AtLeastZero;
    }
}

/// Arms that point more steeply than this hang already, rad below the horizontal.
const HANGS: f64 = 1.0;

/// Arms that hang are so far from the vertical, rad: hands are beside the hips, not in them.
const ASIDE: f64 = 0.17;

pub(super) fn pose(
    creature: &Creature,
    data: &mut Data,
    at: &[f64],
    goals: &[Goal],
    root: RootMotion,
    settings: &ElasticSettings,
) -> Reached {
    let mut from = creature.rest_pose().to_vec();
    bend(creature, goals, settings.bend, &mut from);
    lower_arms(creature, data, &mut from);
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

/// Bends knees and elbows into the wider side of their limits, above the goals alone: limbs that nobody pulls stay as they are.
fn bend(creature: &Creature, goals: &[Goal], bend: f64, pose: &mut [f64]) {
    let mut pulled = vec![false; creature.bodies().len()];
    for goal in goals {
        let mut body = goal.point.body;
        while body != 0 {
            pulled[body] = true;
            body = creature.bodies()[body].parent;
        }
    }
    let is_middle = |body: usize| {
        let of_limb = |role| matches!(role, Role::Knee | Role::Elbow);
        creature.landmarks().iter().any(|mark| of_limb(mark.role) && mark.body == body)
    };
    let hinges = creature.joints().iter().filter(|joint| joint.kind == JointKind::Hinge);
    for joint in hinges.filter(|joint| pulled[joint.body] && is_middle(joint.body)) {
        let Some([low, high]) = joint.limit else { continue };
        let bend = bend.min(0.5 * (high - low));
        let (down, up) = (pose[joint.q] - low, high - pose[joint.q]);
        // Bent already as far as that from its nearer limit, it knows its side.
        if down.min(up) < bend {
            pose[joint.q] = if up > down { low + bend } else { high - bend };
        }
    }
}

/// Lowers arms that are stretched out aside, as people are drawn and recorded: whoever stands on two legs has them hanging.
fn lower_arms(creature: &Creature, data: &mut Data, pose: &mut [f64]) {
    let marks = creature.landmarks();
    if marks.iter().filter(|mark| mark.role == Role::Foot).count() != 2 {
        return;
    }
    for hand in marks.iter().filter(|mark| mark.role == Role::Hand) {
        let of_arm =
            |mark: &&Landmark| mark.role == Role::Elbow && (mark.row, mark.side) == (hand.row, hand.side);
        let Some(elbow) = marks.iter().find(of_arm) else { continue };
        let upper = creature.bodies()[elbow.body].parent;
        let ball = |joint: &&Joint| joint.body == upper && joint.kind == JointKind::Ball;
        let Some(joint) = creature.joints().iter().find(ball) else { continue };
        let frames = forward_kinematics(creature, data, pose);
        let arm = frames[hand.body].point_in_world(hand.point) - frames[upper].position;
        let slope = math::atan2(-arm.z, math::hypot(arm.x, arm.y));
        let side = if hand.side == Some(Side::Left) { 1.0 } else { -1.0 };
        let down = Vec3::new(0.0, side * math::sin(ASIDE), -math::cos(ASIDE));
        let Some(turn) = Quat::rotation_between(&arm, &down) else { continue };
        if slope < HANGS && arm.y.abs() > arm.x.abs() {
            // The turn as seen from the upper arm: R ⊕ Rᵀ turn.
            let own = frames[upper].orientation;
            let mut step = vec![0.0; creature.nv()];
            step[joint.v..joint.v + 3].copy_from_slice((own.inverse() * turn * own).scaled_axis().as_slice());
            creature.integrate(pose, &step, 1.0);
        }
    }
}

//! Arms of a skeleton whose zero pose stretches them out.

use gambol_dynamics::{Data, forward_kinematics};
use gambol_model::{Creature, CreatureSpec, JointKind, PoseSpec, Quat, Role, Side, Vec3, math};
use nalgebra::{Quaternion, UnitQuaternion};

/// Arms that point more steeply than this stay, rad below the horizontal.
const HANGS: f64 = 1.0;
/// Lowered arms stay so far from the body, rad from the vertical.
const ASIDE: f64 = 0.17;

/// People are recorded from a T, and the zero pose of their skeletons is one. Nobody walks so: on two legs, arms that
/// point more aside than down are lowered. The zero pose stays at hand under the name `file`. Returns whether anything
/// was lowered.
pub(super) fn lower(spec: &mut CreatureSpec) -> bool {
    let Ok(creature) = spec.clone().build() else { return false }; // what is wrong with it is told later
    let turns = turns(&creature);
    if turns.is_empty() {
        return false;
    }
    spec.poses.push(PoseSpec { name: "file".to_owned(), qpos: creature.reference_pose().to_vec() });
    for (body, turn) in turns {
        let lowered = &mut spec.bodies[body].parent_from_body.rotation;
        *lowered = turn * *lowered;
        let q = creature.joints()[creature.bodies()[body].joints.start].q;
        for pose in &mut spec.poses {
            // Poses stay where they were: turn · new = old.
            let [w, x, y, z] = [0, 1, 2, 3].map(|k| pose.qpos[q + k]);
            let new = turn.inverse() * UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
            pose.qpos[q..q + 4].copy_from_slice(&[new.w, new.i, new.j, new.k]);
        }
    }
    true
}

/// Upper arms, and what lowers each in its parent, whose frame has the axes of the world.
fn turns(creature: &Creature) -> Vec<(usize, Quat)> {
    let marks = creature.landmarks();
    if marks.iter().filter(|mark| mark.role == Role::Foot).count() != 2 {
        return Vec::new();
    }
    let mut data = Data::new(creature);
    let frames = forward_kinematics(creature, &mut data, creature.reference_pose()).to_vec();
    let turn = |hand: &gambol_model::Landmark| {
        let elbow = marks.iter().find(|mark| mark.role == Role::Elbow && mark.side == hand.side)?;
        let upper = creature.bodies()[elbow.body].parent;
        let joints = &creature.joints()[creature.bodies()[upper].joints.clone()];
        let [joint] = joints else { return None };
        let arm = frames[hand.body].point_in_world(hand.point) - frames[upper].position;
        let slope = math::atan2(-arm.z, math::hypot(arm.x, arm.y));
        if joint.kind != JointKind::Ball || slope >= HANGS || arm.y.abs() <= arm.x.abs() {
            return None;
        }
        let side = if hand.side == Some(Side::Left) { 1.0 } else { -1.0 };
        let down = Vec3::new(0.0, side * math::sin(ASIDE), -math::cos(ASIDE));
        Some((upper, Quat::rotation_between(&arm, &down)?))
    };
    marks.iter().filter(|mark| mark.role == Role::Hand).filter_map(turn).collect()
}

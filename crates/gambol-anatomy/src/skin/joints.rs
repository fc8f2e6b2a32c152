//! What each joint is: knees and elbows are hinges about the axis in which they bend, the others are balls; how far they
//! go.

use gambol_model::{CreatureSpec, JointKind, JointSpec, Role, Vec3, math};

use super::settings::{BallSettings, HingeSettings, SkinSettings};
use crate::survey::{Chains, MiddleJoint, Survey};

/// Sets kinds, axes and limits of all joints.
pub(super) fn shape_joints(spec: &mut CreatureSpec, survey: &Survey, settings: &SkinSettings) {
    let chains = Chains::new(survey);
    for (&body, limb) in &chains.middle {
        make_hinge(spec, survey, body, limb, &settings.hinges);
    }
    limit_balls(spec, survey, &chains, &settings.balls);
}

/// Directions of a limb above and below a joint's body, and the angle between them.
fn bend(survey: &Survey, body: usize, limb: &MiddleJoint) -> Option<(Vec3, Vec3, f64)> {
    let at = &survey.origins;
    let next = survey.up(limb.end).take_while(|&b| b != body).last();
    let below = match next {
        Some(next) => at[next],
        None => at[limb.end] + limb.point,
    };
    let upper = (at[body] - at[survey.parents[body]]).try_normalize(1e-9)?;
    let lower = (below - at[body]).try_normalize(1e-9)?;
    Some((upper, lower, math::acos(upper.dot(&lower).clamp(-1.0, 1.0))))
}

/// A hinge that folds the limb further for positive angles.
fn make_hinge(
    spec: &mut CreatureSpec,
    survey: &Survey,
    body: usize,
    limb: &MiddleJoint,
    settings: &HingeSettings,
) {
    let Some((upper, lower, angle)) = bend(survey, body, limb) else { return };
    // Knees fold the shin back, elbows the forearm forward.
    let towards = if limb.role == Role::Elbow { Vec3::x() } else { -Vec3::x() };
    let drawn = upper.cross(&lower);
    let known = lower.cross(&towards).try_normalize(0.1).unwrap_or_else(Vec3::y);
    let axis = if angle > settings.straight {
        drawn
    } else if angle > settings.undecided * settings.straight
        && drawn.dot(&known).abs() > settings.in_plane * drawn.norm()
    {
        // Almost straight: the plane it moves in is known better than it is drawn, the side it bends to is drawn.
        known * drawn.dot(&known).signum()
    } else {
        known
    };
    let joint = &mut spec.bodies[body].joints[0];
    let folds_as_drawn = axis.dot(&drawn) >= 0.0;
    let drawn_angle = if folds_as_drawn { angle } else { -angle };
    let limit =
        [-drawn_angle.max(settings.least_stretch), (settings.folded - drawn_angle).max(settings.least_fold)];
    *joint = JointSpec { axis, limit: Some(limit), ..JointSpec::new(&joint.name, JointKind::Hinge) };
}

fn limit_balls(spec: &mut CreatureSpec, survey: &Survey, chains: &Chains, reach: &BallSettings) {
    let mut most = vec![reach.other; spec.bodies.len()];
    if let Some(head) = survey.marks(Role::Head).next() {
        survey.up(head.body).for_each(|body| most[body] = reach.neck);
    }
    if let Some(tail) = survey.marks(Role::Tail).next() {
        survey.up(tail.body).for_each(|body| most[body] = reach.tail);
    }
    for mark in survey.marks(Role::Spine) {
        most[mark.body] = reach.spine;
    }
    for chain in &chains.all {
        let middle = chains.middle_of(chain).unwrap_or(1);
        for (index, &body) in chain.bodies.iter().enumerate() {
            most[body] = match index {
                _ if index >= middle => reach.ankle,
                _ if index + 1 < middle => reach.girdle,
                _ if chain.is_arm => reach.shoulder,
                _ => reach.hip,
            };
        }
    }
    for (body, most) in spec.bodies.iter_mut().zip(most) {
        for joint in body.joints.iter_mut().filter(|joint| joint.kind == JointKind::Ball) {
            joint.limit = Some([0.0, most]);
        }
    }
}

//! What each joint is: knees and elbows are hinges about the axis in which they bend, the others are balls; how far they
//! go.

use gambol_model::{CreatureSpec, JointKind, JointSpec, Role, Vec3, math};

use crate::survey::{Chains, MiddleJoint, Survey};

/// Below this a limb is straight, and the way it bends is known from what it is, rad.
const STRAIGHT: f64 = 0.3;
/// A limb that is bent by less than this part of `STRAIGHT` may as well bend to the other side.
const UNDECIDED: f64 = 0.25;
/// A drawn bend tells the side if it lies in the plane in which such limbs bend: cosine of 60°.
const IN_PLANE: f64 = 0.5;
/// A knee or elbow is folded at most so far from straight, rad.
const FOLDED: f64 = 2.4;
/// It stretches at least so far beyond its drawn pose, and folds so far, rad.
const LEAST_STRETCH: f64 = 0.05;
const LEAST_FOLD: f64 = 0.6;

/// Largest angles of ball joints from the reference, rad. What people and dogs do when they walk and run, and somewhat
/// more; a wish in the rig file overrules each.
mod reach {
    /// Of one vertebra of a few; five of them make a somersault.
    pub(super) const SPINE: f64 = 0.45;
    pub(super) const NECK: f64 = 0.7;
    pub(super) const TAIL: f64 = 0.6;
    pub(super) const HIP: f64 = 1.1;
    /// Arms are raised above the head.
    pub(super) const SHOULDER: f64 = 1.9;
    /// A collar bone or shoulder blade.
    pub(super) const GIRDLE: f64 = 0.5;
    pub(super) const ANKLE: f64 = 0.9;
    pub(super) const OTHER: f64 = 0.6;
}

/// Sets kinds, axes and limits of all joints.
pub(super) fn shape_joints(spec: &mut CreatureSpec, survey: &Survey) {
    let chains = Chains::new(survey);
    for (&body, limb) in &chains.middle {
        make_hinge(spec, survey, body, limb);
    }
    limit_balls(spec, survey, &chains);
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
fn make_hinge(spec: &mut CreatureSpec, survey: &Survey, body: usize, limb: &MiddleJoint) {
    let Some((upper, lower, angle)) = bend(survey, body, limb) else { return };
    // Knees fold the shin back, elbows the forearm forward.
    let towards = if limb.role == Role::Elbow { Vec3::x() } else { -Vec3::x() };
    let drawn = upper.cross(&lower);
    let known = lower.cross(&towards).try_normalize(0.1).unwrap_or_else(Vec3::y);
    let axis = if angle > STRAIGHT {
        drawn
    } else if angle > UNDECIDED * STRAIGHT && drawn.dot(&known).abs() > IN_PLANE * drawn.norm() {
        // Almost straight: the plane it moves in is known better than it is drawn, the side it bends to is drawn.
        known * drawn.dot(&known).signum()
    } else {
        known
    };
    let joint = &mut spec.bodies[body].joints[0];
    let folds_as_drawn = axis.dot(&drawn) >= 0.0;
    let drawn_angle = if folds_as_drawn { angle } else { -angle };
    let limit = [-drawn_angle.max(LEAST_STRETCH), (FOLDED - drawn_angle).max(LEAST_FOLD)];
    *joint = JointSpec { axis, limit: Some(limit), ..JointSpec::new(&joint.name, JointKind::Hinge) };
}

fn limit_balls(spec: &mut CreatureSpec, survey: &Survey, chains: &Chains) {
    let mut most = vec![reach::OTHER; spec.bodies.len()];
    if let Some(head) = survey.marks(Role::Head).next() {
        survey.up(head.body).for_each(|body| most[body] = reach::NECK);
    }
    if let Some(tail) = survey.marks(Role::Tail).next() {
        survey.up(tail.body).for_each(|body| most[body] = reach::TAIL);
    }
    for mark in survey.marks(Role::Spine) {
        most[mark.body] = reach::SPINE;
    }
    for chain in &chains.all {
        let middle = chains.middle_of(chain).unwrap_or(1);
        for (index, &body) in chain.bodies.iter().enumerate() {
            most[body] = match index {
                _ if index >= middle => reach::ANKLE,
                _ if index + 1 < middle => reach::GIRDLE,
                _ if chain.is_arm => reach::SHOULDER,
                _ => reach::HIP,
            };
        }
    }
    for (body, most) in spec.bodies.iter_mut().zip(most) {
        for joint in body.joints.iter_mut().filter(|joint| joint.kind == JointKind::Ball) {
            joint.limit = Some([0.0, most]);
        }
    }
}

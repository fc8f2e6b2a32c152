//! What each joint is: knees and elbows are hinges about the axis in which they bend, the others are balls; how far they
//! go, how stiff they are, and where arms hang that were drawn stretched out.

use std::collections::HashMap;

use gambol_model::{Creature, CreatureSpec, JointKind, JointSpec, PoseSpec, Quat, Role, Side, Vec3};
use nalgebra::Unit;

use super::build::{Part, origins};
use crate::FormatError;

/// Stiffness of a joint over the weight of the creature times the height of its centre: that of the dog and the human of
/// Kry et al. 2009 (0.13 and 0.16). A leg's joint holds up the body, so it is the body that counts, not the leg.
const STIFFNESS: f64 = 0.14;
/// Legs that sprawl carry the body beside their hips; they give by no more than about this many radians.
const GIVE: f64 = 0.15;
/// The spine is so much stiffer, as in the paper's dog.
const SPINE: f64 = 5.0;
/// What hangs from a joint (a head, a tail) bends it by no more than about this many radians under its own weight.
const SAG: f64 = 0.5;
/// Damping over stiffness, s: about 2 % of critical at 3 Hz, as in the gallery.
const DAMPING: f64 = 0.002;

/// Below this a limb is straight, and the way it bends is known from what it is, rad.
const STRAIGHT: f64 = 0.3;
/// A knee or elbow is folded at most so far from straight, rad.
const FOLDED: f64 = 2.4;

/// Largest angles of ball joints from the reference, rad.
mod reach {
    pub(super) const SPINE: f64 = 0.45;
    pub(super) const NECK: f64 = 0.7;
    pub(super) const TAIL: f64 = 0.6;
    pub(super) const HIP: f64 = 1.1;
    pub(super) const SHOULDER: f64 = 1.9;
    pub(super) const GIRDLE: f64 = 0.5;
    pub(super) const ANKLE: f64 = 0.9;
    pub(super) const OTHER: f64 = 0.6;
}

/// Sets kinds, axes, limits and stiffness of all joints, and lowers arms. Bodies of `spec` stand as `parts`.
/// `told` changes joints as the user says.
pub(super) fn refine(
    spec: &mut CreatureSpec,
    creature: &Creature,
    parts: &[Part],
    notes: &mut Vec<String>,
    told: impl FnOnce(&mut CreatureSpec) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let limbs = Limbs::new(creature);
    for (&body, limb) in &limbs.middle {
        make_hinge(spec, creature, body, limb);
    }
    limit_balls(spec, creature, &limbs);
    stiffen(spec, creature, parts, &limbs, notes);
    told(spec)?;
    lower_arms(spec, creature, &limbs, notes);
    Ok(())
}

/// A limb with a middle joint.
struct Limb {
    role: Role,
    /// The body that the foot or hand is on, and the point of it.
    end: usize,
    point: Vec3,
}

/// Which bodies are on limbs.
struct Limbs {
    /// By the body that a knee or elbow moves.
    middle: HashMap<usize, Limb>,
    /// Bodies of each limb from its top to its end, and whether it is an arm.
    chains: Vec<(Vec<usize>, bool)>,
}

impl Limbs {
    fn new(creature: &Creature) -> Self {
        let bodies = creature.bodies();
        let marks = creature.landmarks();
        let ends: Vec<_> = marks.iter().filter(|mark| matches!(mark.role, Role::Foot | Role::Hand)).collect();
        let mut users = vec![0; bodies.len()];
        for mark in ends.iter().copied().chain(marks.iter().filter(|mark| mark.role == Role::Head)) {
            up(creature, mark.body).for_each(|body| users[body] += 1);
        }
        let mut middle = HashMap::new();
        let mut chains = Vec::new();
        for end in ends {
            let mut chain: Vec<usize> = up(creature, end.body)
                .take_while(|&body| users[body] == 1 && bodies[body].parent != 0)
                .collect();
            chain.reverse();
            let bends = marks.iter().find(|mark| {
                matches!(mark.role, Role::Knee | Role::Elbow)
                    && mark.joint.is_some_and(|joint| chain.contains(&creature.joints()[joint].body))
            });
            if let Some(mark) = bends {
                middle.insert(mark.body, Limb { role: mark.role, end: end.body, point: end.point });
            }
            chains.push((chain, end.role == Role::Hand));
        }
        Self { middle, chains }
    }
}

/// From a body up to the root's body.
fn up(creature: &Creature, body: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(Some(body), |&body| Some(creature.bodies()[body].parent))
        .take_while(|&body| body != 0)
}

/// Directions of a limb above and below a joint's body, and the angle between them.
fn bend(creature: &Creature, body: usize, limb: &Limb) -> Option<(Vec3, Vec3, f64)> {
    let at = origins(creature);
    let next = up(creature, limb.end).take_while(|&b| b != body).last();
    let below = match next {
        Some(next) => at[next],
        None => at[limb.end] + limb.point,
    };
    let upper = (at[body] - at[creature.bodies()[body].parent]).try_normalize(1e-9)?;
    let lower = (below - at[body]).try_normalize(1e-9)?;
    Some((upper, lower, upper.dot(&lower).clamp(-1.0, 1.0).acos()))
}

/// A hinge that folds the limb further for positive angles.
fn make_hinge(spec: &mut CreatureSpec, creature: &Creature, body: usize, limb: &Limb) {
    let Some((upper, lower, angle)) = bend(creature, body, limb) else { return };
    // Knees fold the shin back, elbows the forearm forward.
    let towards = if limb.role == Role::Elbow { Vec3::x() } else { -Vec3::x() };
    let drawn = upper.cross(&lower);
    let known = lower.cross(&towards).try_normalize(0.1).unwrap_or_else(Vec3::y);
    let axis = if angle > STRAIGHT {
        drawn
    } else if angle > 0.25 * STRAIGHT && drawn.dot(&known).abs() > 0.5 * drawn.norm() {
        // Almost straight: the plane it moves in is known better than it is drawn, the side it bends to is drawn.
        known * drawn.dot(&known).signum()
    } else {
        known
    };
    let joint = &mut spec.bodies[body].joints[0];
    let folds_as_drawn = axis.dot(&drawn) >= 0.0;
    let drawn_angle = if folds_as_drawn { angle } else { -angle };
    let limit = [-drawn_angle.max(0.05), (FOLDED - drawn_angle).max(0.6)];
    *joint = JointSpec { axis, limit: Some(limit), ..JointSpec::new(&joint.name, JointKind::Hinge) };
}

fn limit_balls(spec: &mut CreatureSpec, creature: &Creature, limbs: &Limbs) {
    let mut most = vec![reach::OTHER; spec.bodies.len()];
    let marks = creature.landmarks();
    if let Some(head) = marks.iter().find(|mark| mark.role == Role::Head) {
        up(creature, head.body).for_each(|body| most[body] = reach::NECK);
    }
    if let Some(tail) = marks.iter().find(|mark| mark.role == Role::Tail) {
        up(creature, tail.body).for_each(|body| most[body] = reach::TAIL);
    }
    for mark in marks.iter().filter(|mark| mark.role == Role::Spine) {
        most[mark.body] = reach::SPINE;
    }
    for (chain, is_arm) in &limbs.chains {
        let middle = chain.iter().position(|body| limbs.middle.contains_key(body)).unwrap_or(1);
        for (index, &body) in chain.iter().enumerate() {
            most[body] = match index {
                _ if index >= middle => reach::ANKLE,
                _ if index + 1 < middle => reach::GIRDLE,
                _ if *is_arm => reach::SHOULDER,
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

/// Mean distance of the feet from their hips to the side, m.
fn sprawl(creature: &Creature, limbs: &Limbs) -> f64 {
    let at = origins(creature);
    let mut aside = Vec::new();
    for (chain, _) in limbs.chains.iter().filter(|(_, is_arm)| !is_arm) {
        let knee = chain.iter().position(|body| limbs.middle.contains_key(body)).unwrap_or(0);
        let foot = creature
            .landmarks()
            .iter()
            .find(|mark| mark.role == Role::Foot && chain.last() == Some(&mark.body));
        let hip = chain.get(knee.saturating_sub(1));
        aside.extend(foot.zip(hip).map(|(foot, &hip)| (at[foot.body] + foot.point - at[hip]).y.abs()));
    }
    aside.iter().sum::<f64>() / aside.len().max(1) as f64
}

fn stiffen(
    spec: &mut CreatureSpec,
    creature: &Creature,
    parts: &[Part],
    limbs: &Limbs,
    notes: &mut Vec<String>,
) {
    let gravity = spec.gravity.norm();
    let mass: f64 = parts.iter().map(|part| part.mass.mass).sum();
    let low = parts.iter().flat_map(|part| part.piece.points.iter().map(|p| part.origin.z + p.z));
    let low = low.fold(f64::INFINITY, f64::min);
    let centre = parts.iter().map(|part| (part.origin + part.mass.com) * part.mass.mass).sum::<Vec3>() / mass;
    let (least, most) = parts.iter().fold((parts[0].origin, parts[0].origin), |(least, most), part| {
        (least.inf(&part.origin), most.sup(&part.origin))
    });
    let height = (centre.z - low).max(0.1 * (most - least).norm());
    let legs = limbs.chains.iter().filter(|(_, is_arm)| !is_arm).count().max(1) as f64;
    let sprawling = mass * gravity / legs * sprawl(creature, limbs) / GIVE;
    let usual = (STIFFNESS * mass * gravity * height).max(sprawling);
    notes.push(format!("its joints have a stiffness of {usual:.3} N·m/rad, from its weight and height"));

    let mut stands = vec![false; spec.bodies.len()];
    for foot in creature.landmarks().iter().filter(|mark| mark.role == Role::Foot) {
        up(creature, foot.body).for_each(|body| stands[body] = true);
    }
    let spine: Vec<usize> =
        creature.landmarks().iter().filter(|mark| mark.role == Role::Spine).map(|mark| mark.body).collect();
    // Weight and its lever about each joint, of all that hangs from it.
    let mut below: Vec<(f64, Vec3)> =
        parts.iter().map(|part| (part.mass.mass, (part.origin + part.mass.com) * part.mass.mass)).collect();
    for body in (1..spec.bodies.len()).rev() {
        let parent = spec.bodies[body].parent;
        let (mass, moment) = below[body - 1];
        if parent > 0 {
            below[parent - 1].0 += mass;
            below[parent - 1].1 += moment;
        }
        let lever = moment / mass - parts[body - 1].origin;
        let hangs = if stands[body] { 0.0 } else { mass * gravity * lever.x.hypot(lever.y) / SAG };
        let factor = if spine.contains(&body) { SPINE } else { 1.0 };
        for joint in spec.bodies[body].joints.iter_mut().filter(|joint| joint.kind != JointKind::Free) {
            joint.stiffness = factor * usual.max(hangs);
            joint.damping = DAMPING * joint.stiffness;
        }
    }
}

/// People are drawn with their arms stretched out (T or A), for the skin's sake. Nobody walks so: arms that point more
/// aside than down are lowered. The pose of the file stays at hand under the name `file`.
fn lower_arms(spec: &mut CreatureSpec, creature: &Creature, limbs: &Limbs, notes: &mut Vec<String>) {
    /// Arms that point more steeply than this stay, rad below the horizontal.
    const HANGS: f64 = 1.0;
    /// Lowered arms stay so far from the body, rad from the vertical.
    const ASIDE: f64 = 0.17;
    let at = origins(creature);
    let legs = limbs.chains.iter().filter(|(_, is_arm)| !is_arm).count();
    let mut lowered = Vec::new();
    for (chain, _) in limbs.chains.iter().filter(|(_, is_arm)| *is_arm) {
        let Some(elbow) = chain.iter().position(|body| limbs.middle.contains_key(body)) else { continue };
        let Some(hand) = creature
            .landmarks()
            .iter()
            .find(|mark| mark.role == Role::Hand && chain.last() == Some(&mark.body))
        else {
            continue;
        };
        let upper = chain[elbow.saturating_sub(1)];
        let arm = at[hand.body] + hand.point - at[upper];
        let slope = (-arm.z).atan2(arm.x.hypot(arm.y));
        let aside = arm.y.abs() > arm.x.abs();
        let joint = spec.bodies[upper].joints.first().map(|joint| joint.kind);
        if legs != 2 || slope >= HANGS || !aside || joint != Some(JointKind::Ball) || elbow == 0 {
            continue;
        }
        let side = if hand.side == Some(Side::Left) { 1.0 } else { -1.0 };
        let down = Vec3::new(0.0, side * ASIDE.sin(), -ASIDE.cos());
        if let Some(turn) = Quat::rotation_between(&arm, &down) {
            lowered.push((upper, Unit::new_normalize(turn.into_inner())));
        }
    }
    if lowered.is_empty() {
        return;
    }
    notes.push(
        "its arms are stretched out in the file and hang down here; `--pose file` keeps them".to_owned(),
    );
    let mut file = Vec::new();
    for (index, body) in spec.bodies.iter_mut().enumerate().skip(1) {
        let turn = lowered
            .iter()
            .find(|(upper, _)| *upper == index)
            .map(|(_, turn)| Quat::from_quaternion(turn.into_inner()));
        if let Some(turn) = turn {
            body.parent_from_body.rotation = turn * body.parent_from_body.rotation;
        }
        for joint in &body.joints {
            match joint.kind {
                JointKind::Free => {
                    let place = body.parent_from_body.translation.vector;
                    file.extend([place.x, place.y, place.z, 1.0, 0.0, 0.0, 0.0]);
                }
                JointKind::Ball => {
                    let back = turn.map_or_else(Quat::identity, |turn| turn.inverse());
                    file.extend([back.w, back.i, back.j, back.k]);
                }
                JointKind::Hinge | JointKind::Slide => file.push(0.0),
            }
        }
    }
    spec.poses.push(PoseSpec { name: "file".into(), qpos: file });
}

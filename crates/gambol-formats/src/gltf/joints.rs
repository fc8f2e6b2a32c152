//! What each joint is: knees and elbows are hinges about the axis in which they bend, the others are balls; how far they
//! go, how stiff they are, and how a creature stands that was drawn with its arms out or reared up.

use std::collections::HashMap;

use gambol_model::{Creature, CreatureSpec, JointKind, JointSpec, PoseSpec, Quat, Role, Side, Vec3, math};

use super::build::{Part, origins};
use crate::FormatError;

/// Stiffness of a joint over the weight of the creature times the height of its centre: that of the dog and the human of
/// Kry et al. 2009 (0.13 and 0.16). A leg's joint holds up the body, so it is the body that counts, not the leg.
const STIFFNESS: f64 = 0.14;
/// Legs that sprawl carry the body beside their hips; they give by no more than about this many radians.
const GIVE: f64 = 0.15;
/// The spine is so much stiffer, as in the paper's dog; so are jaws and ears, which would wag with every step.
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

/// Sets kinds, axes, limits and stiffness of all joints, and puts it at ease. Bodies of `spec` stand as `parts`.
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
    stand_at_ease(spec, creature, &limbs, notes);
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
    Some((upper, lower, math::acos(upper.dot(&lower).clamp(-1.0, 1.0))))
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
    let marks = creature.landmarks();
    let mut held: Vec<usize> =
        marks.iter().filter(|mark| mark.role == Role::Spine).map(|mark| mark.body).collect();
    if let Some(head) = marks.iter().find(|mark| mark.role == Role::Head) {
        held.extend(
            (1..spec.bodies.len()).filter(|&body| up(creature, body).skip(1).any(|above| above == head.body)),
        );
    }
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
        let hangs = if stands[body] { 0.0 } else { mass * gravity * math::hypot(lever.x, lever.y) / SAG };
        let factor = if held.contains(&body) { SPINE } else { 1.0 };
        for joint in spec.bodies[body].joints.iter_mut().filter(|joint| joint.kind != JointKind::Free) {
            joint.stiffness = factor * usual.max(hangs);
            joint.damping = DAMPING * joint.stiffness;
        }
    }
}

/// Turns of bodies away from the pose of the file, in the world; what hangs from them and has none goes along.
type Turns = HashMap<usize, Quat>;

/// Nobody walks as characters are drawn: people stretch out their arms, snakes rear up. The creature stands as it moves,
/// and the pose of the file stays at hand under the name `file`.
fn stand_at_ease(spec: &mut CreatureSpec, creature: &Creature, limbs: &Limbs, notes: &mut Vec<String>) {
    let arms = lowered_arms(spec, creature, limbs);
    let snake = laid_down(creature);
    if !arms.is_empty() {
        notes.push(
            "its arms are stretched out in the file and hang down here; `--pose file` keeps them".to_owned(),
        );
    }
    if !snake.is_empty() {
        notes.push("it rears up in the file and lies down here; `--pose file` keeps it up".to_owned());
    }
    turn(spec, &arms.into_iter().chain(snake).collect());
}

/// Arms that point more aside than down (T or A, for the skin's sake) are lowered.
fn lowered_arms(spec: &CreatureSpec, creature: &Creature, limbs: &Limbs) -> Turns {
    /// Arms that point more steeply than this stay, rad below the horizontal.
    const HANGS: f64 = 1.0;
    /// Lowered arms stay so far from the body, rad from the vertical.
    const ASIDE: f64 = 0.17;
    let at = origins(creature);
    let legs = limbs.chains.iter().filter(|(_, is_arm)| !is_arm).count();
    let mut lowered = Turns::new();
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
        let slope = math::atan2(-arm.z, math::hypot(arm.x, arm.y));
        let aside = arm.y.abs() > arm.x.abs();
        let joint = spec.bodies[upper].joints.first().map(|joint| joint.kind);
        if legs != 2 || slope >= HANGS || !aside || joint != Some(JointKind::Ball) || elbow == 0 {
            continue;
        }
        let side = if hand.side == Some(Side::Left) { 1.0 } else { -1.0 };
        let down = Vec3::new(0.0, side * math::sin(ASIDE), -math::cos(ASIDE));
        if let Some(turn) = Quat::rotation_between(&arm, &down) {
            lowered.insert(upper, turn);
        }
    }
    lowered
}

/// A snake that rears up is laid straight along the ground: it slithers on its belly, and has to lie on it. Its head
/// stays level.
fn laid_down(creature: &Creature) -> Turns {
    /// A body without legs rears up if its line rises by this part of its length.
    const REARS: f64 = 0.4;
    let marks = creature.landmarks();
    let of = |role: Role| marks.iter().find(|mark| mark.role == role).map(|mark| mark.body);
    let (Some(head), Some(tail)) = (of(Role::Head), of(Role::Tail)) else { return Turns::new() };
    if marks.iter().any(|mark| matches!(mark.role, Role::Foot | Role::Hand)) {
        return Turns::new();
    }
    let at = origins(creature);
    let head = skull(creature, head);
    let (to_head, to_tail): (Vec<usize>, Vec<usize>) =
        (up(creature, head).collect(), up(creature, tail).collect());
    let Some(&fork) = to_head.iter().find(|body| to_tail.contains(body)) else { return Turns::new() };
    // From the fork to each end; the fork lies between the first joints of both.
    let way = |to_end: &[usize]| -> Vec<usize> {
        to_end
            .iter()
            .copied()
            .take_while(|&body| body != fork)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect()
    };
    let (front, back) = (way(&to_head), way(&to_tail));
    let line: Vec<Vec3> = back.iter().rev().chain([&fork]).chain(&front).map(|&body| at[body]).collect();
    let length: f64 = line.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum();
    let heights = line.iter().map(|place| place.z);
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
    if high - low < REARS * length {
        return Turns::new();
    }
    let mut turns = Turns::new();
    for (chain, ahead) in [(&front, Vec3::x()), (&back, -Vec3::x())] {
        for pair in chain.windows(2) {
            turns.extend(
                Quat::rotation_between(&(at[pair[1]] - at[pair[0]]), &ahead).map(|turn| (pair[0], turn)),
            );
        }
    }
    // The last bone of the tail goes with the one before it, a head stays as it is.
    if let [.., before, last] = back[..] {
        turns.extend(turns.get(&before).copied().map(|turn| (last, turn)));
    }
    turns.insert(head, Quat::identity());
    let first = |chain: &[usize]| chain.first().map_or(at[fork], |&body| at[body]);
    let across = first(&front) - first(&back);
    turns.extend(Quat::rotation_between(&across, &Vec3::x()).map(|turn| (fork, turn)));
    // What lies between the fork and the root of the tree, and the root itself, go with the fork.
    let of_fork = turns.get(&fork).copied().unwrap_or_else(Quat::identity);
    turns.extend(up(creature, fork).skip(1).map(|body| (body, of_fork)));
    turns
}

/// The last heavy bone from `head` on: what is called head may be the end of the neck.
fn skull(creature: &Creature, head: usize) -> usize {
    /// A skull weighs at least this part of what it hangs from; a jaw or a tongue does not.
    const HEAVY: f64 = 0.5;
    let bodies = creature.bodies();
    let heavy = |&body: &usize| {
        let children = (1..bodies.len()).filter(|&child| bodies[child].parent == body);
        let heaviest = children.max_by(|&a, &b| bodies[a].mass.mass.total_cmp(&bodies[b].mass.mass));
        heaviest.filter(|&child| bodies[child].mass.mass > HEAVY * bodies[body].mass.mass)
    };
    std::iter::successors(Some(head), heavy).last().unwrap_or(head)
}

/// Turns bodies whose joints can; how they stood is the pose `file`.
fn turn(spec: &mut CreatureSpec, turns: &Turns) {
    if turns.is_empty() {
        return;
    }
    let mut in_world = vec![Quat::identity(); spec.bodies.len()];
    let mut file = Vec::new();
    for (index, body) in spec.bodies.iter_mut().enumerate().skip(1) {
        let above = in_world[body.parent];
        let can =
            matches!(body.joints.as_slice(), [JointSpec { kind: JointKind::Free | JointKind::Ball, .. }]);
        in_world[index] = turns.get(&index).copied().filter(|_| can).unwrap_or(above);
        let turn = above.inverse() * in_world[index];
        body.parent_from_body.rotation = turn * body.parent_from_body.rotation;
        for joint in &body.joints {
            match joint.kind {
                JointKind::Free => {
                    let place = body.parent_from_body.translation.vector;
                    file.extend([place.x, place.y, place.z, 1.0, 0.0, 0.0, 0.0]);
                }
                JointKind::Ball => {
                    let back = turn.inverse();
                    file.extend([back.w, back.i, back.j, back.k]);
                }
                JointKind::Hinge | JointKind::Slide => file.push(0.0),
            }
        }
    }
    spec.poses.push(PoseSpec { name: "file".into(), qpos: file });
}

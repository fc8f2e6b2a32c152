//! Nobody walks as characters are drawn and recorded: people stretch out their arms, snakes rear up. A creature stands as
//! it moves, and the pose of its file stays at hand under the name `file`.

use std::collections::HashMap;

use gambol_model::{
    CreatureSpec, InertiaSpec, JointKind, JointSpec, Mat3, PoseSpec, Quat, Role, Side, Vec3, math,
    nearest_rotation, words_of_name,
};
use nalgebra::{Quaternion, UnitQuaternion};

use crate::ClassSettings;
use crate::survey::{Chains, Survey};
use crate::wings::is_wing;

/// Arms that point more steeply than this stay, rad below the horizontal: people at ease have 1.3, a T has 0, an A
/// up to 0.9.
const HANGS: f64 = 1.0;
/// Lowered arms stay so far from the body, rad from the vertical: hands pass beside the hips, not through them.
const ASIDE: f64 = 0.17;
/// Hands of lowered arms keep off the ground by this part of the height of the shoulder: on it they would be front feet.
const CLEARS: f64 = 0.15;
/// What is called an arm and hangs may be longer than its shoulder is high by this part: an ape's knuckles touch the ground, a wing that is
/// called an arm would lie on it.
const DRAGS: f64 = 1.3;
/// A body without legs rears up if its line rises by this part of its length; a cobra's does by a third to a half.
const REARS: f64 = 0.25;
/// A body without legs lies in a coil if its ends are nearer to one another than this part of its length.
const COILED: f64 = 0.5;
/// One row of at least so many bones, of which nobody says what is head or tail, is a snake if it lies in a coil: a lamp has fewer.
const SNAKE_BONES: usize = 8;
/// Who has arms and one of these is drawn upright if its head is above its tail by this part of the way between them.
const UPRIGHT: f64 = 0.8;
const TAILS: [&str; 5] = ["tail", "fin", "fins", "fluke", "flukes"];
/// A skull weighs at least this part of what it hangs from; a jaw or a tongue does not.
const HEAVY: f64 = 0.5;

/// A wing is folded if its tip is less than this part of its length farther aside than its shoulder: it lies along the body, or stands up.
const FOLDED: f64 = 0.5;
/// A wing whose tip is lower than its shoulder by more than this part of its length hangs, as a penguin's does.
const DROOPS: f64 = 0.6;
/// The second moments of a flat piece differ by this part across its breadth and its thickness; a tube's do not.
const FLAT: f64 = 0.3;

/// The pose of the file, as a creature at ease remembers it.
pub(crate) const FILE_POSE: &str = "file";
/// The pose in which somebody whose wings are spread at ease keeps them folded, as its file has them: it walks and swims so.
pub const FOLDED_WINGS: &str = "folded-wings";

/// Turns of bodies away from the pose of the file, in the world; what hangs from them and has none goes along.
pub(crate) type Turns = HashMap<usize, Quat>;

/// On legs, arms that point more aside than down (T or A, for the sake of a skin or of a recording) are lowered: what
/// lowers each, by the body of the upper arm.
pub(crate) fn lowered_arms(spec: &CreatureSpec, survey: &Survey) -> Turns {
    let chains = Chains::new(survey);
    let mut lowered = Turns::new();
    // A centaur's arms are called so; what a spider or a crab holds out is no arm to lower.
    let on_two = chains.legs().count() == 2;
    if chains.legs().count() == 0 {
        return lowered;
    }
    for chain in chains.all.iter().filter(|chain| chain.is_arm) {
        let Some(elbow) = chains.middle_of(chain).filter(|&elbow| elbow > 0) else { continue };
        let Some(hand) = survey.marks(Role::Hand).find(|mark| chain.bodies.last() == Some(&mark.body)) else {
            continue;
        };
        let upper = chain.bodies[elbow - 1];
        if !on_two && !said_arm(&spec.bodies[upper].name) {
            continue;
        }
        if chain.bodies.iter().any(|&body| is_wing(&spec.bodies[body].name)) {
            continue; // spread, as they fly
        }
        let arm = survey.place(hand) - survey.origins[upper];
        let room = survey.origins[upper].z - lowest(survey);
        let most = if said_arm(&spec.bodies[upper].name) { DRAGS * room } else { room };
        if arm.norm() > most {
            continue; // it would drag on the ground: a wing
        }
        let slope = math::atan2(-arm.z, math::hypot(arm.x, arm.y));
        let is_aside = arm.y.abs() > arm.x.abs();
        if slope >= HANGS || !is_aside || !can_turn(&spec.bodies[upper].joints, &[JointKind::Ball]) {
            continue;
        }
        let side = if hand.side == Some(Side::Left) { 1.0 } else { -1.0 };
        let length = longest_way(spec, survey, upper).length.max(arm.norm());
        let steepest = math::acos(((1.0 - CLEARS) * room / length).clamp(0.0, 1.0));
        let (sine, cosine) = math::sin_cos(steepest.max(ASIDE));
        let down = Vec3::new(0.0, side * sine, -cosine);
        if let Some(turn) = Quat::rotation_between(&arm, &down) {
            lowered.insert(upper, turn);
        }
    }
    lowered
}

/// Wings that are folded are spread, if they would carry somebody whose legs are as long as these: an ostrich keeps its wings folded.
/// Each piece points straight aside, its outer face up.
pub(crate) fn spread_wings(spec: &CreatureSpec, survey: &Survey, settings: &ClassSettings) -> Turns {
    let named = |body: &usize| is_wing(&spec.bodies[*body].name);
    let roots: Vec<usize> =
        (1..spec.bodies.len()).filter(|body| named(body) && !named(&survey.parents[*body])).collect();
    let chains = Chains::new(survey);
    let said = spec.bodies.iter().any(|body| said_arm(&body.name));
    let (roots, least) = if !roots.is_empty() {
        (roots, settings.wing_over_leg)
    } else if said {
        return Turns::new();
    } else {
        let arms = chains.all.iter().filter(|chain| chain.is_arm);
        (arms.filter_map(|chain| chain.bodies.first().copied()).collect(), settings.armed_wing)
    };
    let ground = lowest(survey);
    let hips = chains.legs().filter_map(|leg| leg.bodies.first()).map(|&hip| survey.origins[hip].z - ground);
    let legs = hips.fold(0.0, f64::max);
    if legs <= 0.0 && least > settings.wing_over_leg {
        return Turns::new(); // fingers of a hand
    }
    let extent = |axis: usize| {
        let along = survey.origins.iter().skip(1).map(|at| at[axis]);
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        high - low
    };
    let mut turns = Turns::new();
    for root in roots {
        let wing = longest_way(spec, survey, root);
        let shoulder = survey.origins[root];
        let tip = wing.points[wing.points.len() - 1];
        let (aside, drop) = ((tip.y - shoulder.y) * shoulder.y.signum(), shoulder.z - tip.z);
        let reach = shoulder.y.abs() + wing.length;
        let carries = reach > least * legs
            && (extent(0) > extent(2) || 2.0 * reach > settings.upright_span * extent(2));
        let folded = aside < FOLDED * wing.length && drop < DROOPS * wing.length;
        if folded && carries && shoulder.y != 0.0 {
            turns.extend(spread(spec, &wing, Vec3::y() * shoulder.y.signum()));
        }
    }
    turns
}

/// A limb from its root to its farthest end, and its joints and tip in the world, m.
struct Way {
    bodies: Vec<usize>,
    points: Vec<Vec3>,
    length: f64,
}

fn longest_way(spec: &CreatureSpec, survey: &Survey, root: usize) -> Way {
    let at = &survey.origins;
    // From each body's joint to the end of the longest way on, m: as far again as its centre of mass, or by its children.
    let end = |body: usize| match &spec.bodies[body].inertia {
        InertiaSpec::Given(mass) => mass.com * 2.0,
        InertiaSpec::FromShapes => Vec3::zeros(),
    };
    let count = at.len();
    let mut far: Vec<(f64, Option<usize>)> = (0..count).map(|body| (end(body).norm(), None)).collect();
    for body in (root + 1..count).rev() {
        let parent = survey.parents[body];
        let on = far[body].0 + (at[body] - at[parent]).norm();
        if far[parent].1.is_none() || on > far[parent].0 {
            far[parent] = (on, Some(body));
        }
    }
    let bodies: Vec<usize> = std::iter::successors(Some(root), |&body| far[body].1).collect();
    let last = bodies[bodies.len() - 1];
    let points = bodies.iter().map(|&body| at[body]).chain([at[last] + end(last)]).collect();
    Way { bodies, points, length: far[root].0 }
}

/// Turns that lay a wing along `out`, its outer face up. Of a round piece nobody knows the face: it is turned by as little as it takes.
fn spread(spec: &CreatureSpec, wing: &Way, out: Vec3) -> Turns {
    let turn = |(k, &body): (usize, &usize)| {
        let along = (wing.points[k + 1] - wing.points[k]).try_normalize(1e-9)?;
        let turn = outer_face(spec, body, along, out).map_or_else(
            || Quat::rotation_between(&along, &out),
            |face| {
                let frame = |span: Vec3, face: Vec3| Mat3::from_columns(&[span, face, span.cross(&face)]);
                let turn = frame(out, Vec3::z()) * frame(along, face).transpose();
                nearest_rotation(&turn)
            },
        )?;
        Some((body, turn))
    };
    wing.bodies.iter().enumerate().filter_map(turn).collect()
}

/// Across a flat piece, unit length, square to the way it leads: away from the trunk or up.
fn outer_face(spec: &CreatureSpec, body: usize, along: Vec3, out: Vec3) -> Option<Vec3> {
    let InertiaSpec::Given(mass) = &spec.bodies[body].inertia else { return None };
    let eigen = mass.inertia.symmetric_eigen();
    let thin = eigen.eigenvalues.imax();
    let across = eigen.eigenvectors.column(thin).into_owned();
    let moments = [0, 1, 2].map(|k| eigen.eigenvalues[k]);
    let second = (0..3).filter(|&k| k != thin).map(|k| moments[k]).fold(0.0, f64::max);
    if moments[thin] - second < FLAT * (moments.iter().sum::<f64>() - moments[thin] - second) {
        return None;
    }
    let face = (across - along * across.dot(&along)).try_normalize(1e-6)?;
    Some(if face.dot(&(out + Vec3::z())) < 0.0 { -face } else { face })
}

/// Joints that are turned at ease and are hinges become balls of this reach, rad: a wing unfolds about no one axis. All of them reach the
/// pose of the file, which is how the creature folds them.
pub(crate) fn free_joints(spec: &mut CreatureSpec, survey: &Survey, turns: &Turns, most: f64) {
    for (&body, turn) in turns {
        let above = survey.up(body).skip(1).find_map(|above| turns.get(&above));
        let folds = above.map_or_else(|| turn.angle(), |above| above.angle_to(turn));
        let [joint] = &mut spec.bodies[body].joints[..] else { continue };
        if joint.kind == JointKind::Hinge {
            *joint = JointSpec { limit: Some([0.0, most]), ..JointSpec::ball(&joint.name) };
        }
        if let (JointKind::Ball, Some([_, far])) = (joint.kind, &mut joint.limit) {
            *far = far.max(folds);
        }
    }
}

/// Without the arms that are wings, whatever they are called.
pub(crate) fn apart_from(survey: &Survey, mut arms: Turns, wings: &Turns) -> Turns {
    let hangs = |body: usize, from: usize| survey.up(body).any(|above| above == from);
    arms.retain(|&arm, _| !wings.keys().any(|&wing| hangs(arm, wing) || hangs(wing, arm)));
    arms
}

fn said_arm(name: &str) -> bool {
    words_of_name(name).iter().any(|word| word.contains("arm") || word.contains("hand"))
}

/// Height of the lowest joint, m.
fn lowest(survey: &Survey) -> f64 {
    survey.origins.iter().skip(1).map(|at| at.z).fold(f64::INFINITY, f64::min)
}

/// Who is drawn upright with a tail for legs swims on its belly: what lays it on that, by the root's body.
pub(crate) fn prone(spec: &CreatureSpec, survey: &Survey) -> Turns {
    let place = |role: Role| survey.marks(role).next().map(|mark| survey.place(mark));
    let (Some(head), Some(tail)) = (place(Role::Head), place(Role::Tail)) else { return Turns::new() };
    let (none, some) = (survey.marks(Role::Foot).next().is_none(), survey.marks(Role::Hand).next().is_some());
    let called = |part: &dyn Fn(&str) -> bool| spec.bodies.iter().any(|body| part(&body.name));
    let swims = |name: &str| words_of_name(name).iter().any(|word| TAILS.contains(&word.as_str()));
    let upright = (head - tail).z > UPRIGHT * (head - tail).norm();
    if !(none && some && upright && called(&said_arm) && called(&swims)) {
        return Turns::new();
    }
    let down = Quat::from_axis_angle(&Vec3::y_axis(), std::f64::consts::FRAC_PI_2);
    Turns::from([(1, down)])
}

/// A snake that rears up or lies in a coil is laid straight along the ground: it slithers on its belly, and has to lie on it. Its head
/// stays level, and looks ahead. `masses` are those of the bodies, kg.
pub(crate) fn laid_down(survey: &Survey, masses: &[f64]) -> Turns {
    let of = |role: Role| survey.marks(role).next().map(|mark| mark.body);
    let known = of(Role::Head).zip(of(Role::Tail));
    let Some((head, tail)) = known.or_else(|| ends_of_row(survey, masses)) else { return Turns::new() };
    if of(Role::Foot).or(of(Role::Hand)).is_some() {
        return Turns::new();
    }
    let at = &survey.origins;
    let head = if known.is_some() { skull(survey, masses, head) } else { head };
    let (to_head, to_tail): (Vec<usize>, Vec<usize>) = (survey.up(head).collect(), survey.up(tail).collect());
    let Some(&fork) = to_head.iter().find(|body| to_tail.contains(body)) else { return Turns::new() };
    // From the fork to each end; the fork lies between the first joints of both.
    let way = |to_end: &[usize]| -> Vec<usize> {
        let mut way: Vec<usize> = to_end.iter().copied().take_while(|&body| body != fork).collect();
        way.reverse();
        way
    };
    let (front, back) = (way(&to_head), way(&to_tail));
    let line: Vec<Vec3> = back.iter().rev().chain([&fork]).chain(&front).map(|&body| at[body]).collect();
    let length: f64 = line.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum();
    let heights = line.iter().map(|place| place.z);
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
    let rears = known.is_some() && high - low >= REARS * length;
    let apart = line.first().zip(line.last()).map_or(0.0, |(tail, head)| (head - tail).norm());
    if !rears && apart >= COILED * length {
        return Turns::new();
    }
    // What points back is turned about the vertical, so that its belly stays below.
    let about = || Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::PI);
    let between = |from: Vec3, to: Vec3| Quat::rotation_between(&from, &to).unwrap_or_else(about);
    let mut turns = Turns::new();
    for (chain, ahead) in [(&front, Vec3::x()), (&back, -Vec3::x())] {
        for pair in chain.windows(2) {
            turns.insert(pair[0], between(at[pair[1]] - at[pair[0]], ahead));
        }
    }
    // The last bone of the tail goes with the one before it, a head stays as it is.
    if let [.., before, last] = back[..] {
        turns.extend(turns.get(&before).copied().map(|turn| (last, turn)));
    }
    let before_head = front[..].split_last().and_then(|(_, before)| turns.get(before.last()?)).copied();
    turns.insert(head, before_head.filter(|_| !rears).unwrap_or_else(Quat::identity));
    let first = |chain: &[usize]| chain.first().map_or(at[fork], |&body| at[body]);
    let across = first(&front) - first(&back);
    turns.insert(fork, between(across, Vec3::x()));
    // What lies between the fork and the root of the tree, and the root itself, go with the fork.
    let of_fork = turns.get(&fork).copied().unwrap_or_else(Quat::identity);
    turns.extend(survey.up(fork).skip(1).map(|body| (body, of_fork)));
    turns
}

/// The ends of somebody who is one row of bones, the heavier half's first: that is the head's.
fn ends_of_row(survey: &Survey, masses: &[f64]) -> Option<(usize, usize)> {
    let last = masses.len() - 1;
    if last < SNAKE_BONES || !(2..=last).all(|body| survey.parents[body] + 1 == body) {
        return None;
    }
    let (front, back) = masses[1..].split_at(last / 2);
    Some(if back.iter().sum::<f64>() > front.iter().sum() { (last, 1) } else { (1, last) })
}

/// The last heavy bone from `head` on: what is called head may be the end of the neck.
fn skull(survey: &Survey, masses: &[f64], head: usize) -> usize {
    let heavy = |&body: &usize| {
        let children = (1..masses.len()).filter(|&child| survey.parents[child] == body);
        let heaviest = children.max_by(|&a, &b| masses[a].total_cmp(&masses[b]));
        heaviest.filter(|&child| masses[child] > HEAVY * masses[body])
    };
    std::iter::successors(Some(head), heavy).last().unwrap_or(head)
}

/// Whether a body hangs by a single joint of one of these kinds.
fn can_turn(joints: &[JointSpec], kinds: &[JointKind]) -> bool {
    matches!(joints, [joint] if kinds.contains(&joint.kind))
}

/// Keeps how a creature stands now, as one of its poses.
pub(crate) fn remember(spec: &mut CreatureSpec, name: &str) {
    spec.poses.push(PoseSpec { name: name.to_owned(), qpos: reference_pose(spec) });
}

/// Turns bodies whose joints can. Poses stay where they were: with P the body's orientation in its parent before,
/// P R(old) = turn P R(new).
pub(crate) fn turn(spec: &mut CreatureSpec, turns: &Turns) {
    let mut in_world = vec![Quat::identity(); spec.bodies.len()];
    let mut q = 0;
    for (index, body) in spec.bodies.iter_mut().enumerate().skip(1) {
        let above = in_world[body.parent];
        let can = can_turn(&body.joints, &[JointKind::Free, JointKind::Ball]);
        in_world[index] = turns.get(&index).copied().filter(|_| can).unwrap_or(above);
        let turn = above.inverse() * in_world[index];
        let before = body.parent_from_body.rotation;
        body.parent_from_body.rotation = turn * before;
        for joint in &body.joints {
            if joint.kind == JointKind::Ball {
                let back = before.inverse() * turn.inverse() * before;
                spec.poses.iter_mut().for_each(|pose| turn_back(&mut pose.qpos[q..q + 4], &back));
            }
            q += joint.kind.nq();
        }
    }
}

fn turn_back(wxyz: &mut [f64], back: &Quat) {
    let old = UnitQuaternion::new_normalize(Quaternion::new(wxyz[0], wxyz[1], wxyz[2], wxyz[3]));
    let new = back * old;
    wxyz.copy_from_slice(&[new.w, new.i, new.j, new.k]);
}

/// The pose in which a description stands, as [`gambol_model::Creature::reference_pose`] has it.
fn reference_pose(spec: &CreatureSpec) -> Vec<f64> {
    let mut qpos = Vec::new();
    for body in &spec.bodies {
        for joint in &body.joints {
            match joint.kind {
                JointKind::Free => {
                    let (place, turn) =
                        (body.parent_from_body.translation.vector, body.parent_from_body.rotation);
                    qpos.extend([place.x, place.y, place.z, turn.w, turn.i, turn.j, turn.k]);
                }
                JointKind::Ball => qpos.extend([1.0, 0.0, 0.0, 0.0]),
                JointKind::Hinge | JointKind::Slide => qpos.push(joint.reference),
            }
        }
    }
    qpos
}

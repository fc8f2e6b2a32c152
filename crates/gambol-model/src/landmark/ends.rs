//! What is on each limb: foot and knee, hand and elbow.

use super::limb::{Kind, LEADS_DOWN, Limb, standing_body, tip};
use super::limbs::ancestors;
use super::words::{Parts, Words};
use super::{Anatomy, Found, Landmark, Role, Row, Side, Source};
use crate::{JointKind, Vec3, math};

/// A body is clearly lower than another by this part of the height.
const CLEARLY_LOWER: f64 = 0.005;

/// The body of a limb that names call by one of `ranks`, in this order, those that touch the ground first if asked.
fn named_body(a: &Anatomy, limb: &Limb, ranks: &[Parts], touching: bool) -> Option<usize> {
    let touches = |body: usize| !touching || a.stand.low[body] - limb.low <= LEADS_DOWN * a.stand.height;
    let lower = |x: usize, y: usize| a.stand.low[x] < a.stand.low[y] - CLEARLY_LOWER * a.stand.height;
    let called = |rank: Parts| limb.bodies.iter().copied().filter(move |&body| a.words[body].parts.has(rank));
    let of_rank = |rank: Parts, must_touch: bool| {
        let mut fits = called(rank).filter(|&body| touches(body) || !must_touch);
        match rank {
            // The joint words ankle and wrist mean the last of several bodies.
            Parts::ANKLE | Parts::WRIST => fits.next_back(),
            // Of `Foot01` and `Foot02` the one that stands.
            Parts::FOOT if must_touch => fits.reduce(|a, b| if lower(b, a) { b } else { a }),
            _ => fits.next(),
        }
    };
    let touching_first = ranks.iter().find_map(|&rank| of_rank(rank, true));
    touching_first.or_else(|| ranks.iter().find_map(|&rank| of_rank(rank, false)))
}

/// Where a limb ends: the body, the point in the world, and how that is known.
struct End {
    body: usize,
    point: Vec3,
    source: Source,
    reason: String,
}

fn foot(a: &Anatomy, limb: &Limb) -> End {
    let ranks = [Parts::FOOT, Parts::TOE, Parts::ANKLE, Parts::HAND, Parts::WRIST];
    let (body, source, which) = if let Some(body) = named_body(a, limb, &ranks, true) {
        (body, Source::File, " by its name")
    } else {
        let (body, which) = standing_body(a.creature, a.stand, limb);
        let shin = shin_below(a, limb, body).map(|shin| (shin, Source::Guess, ", the last called a shin,"));
        shin.unwrap_or((body, Source::Guess, which))
    };
    let above = a.stand.low[body] - a.stand.ground;
    let reason = format!(
        "body `{}`{which} ends {} above the lowest point in {}{}{}",
        a.creature.bodies[body].name,
        in_words(above),
        a.stand.pose,
        mirrored(a, limb),
        limb.note,
    );
    let base = a.stand.base(a.creature, body);
    let stands = limb.reaches && a.stand.low[body] - limb.low <= LEADS_DOWN * a.stand.height;
    let point = if stands { a.stand.sole(a.creature, body) } else { tip(a.creature, a.stand, body, base) };
    End { body, point, source, reason }
}

/// A shin by name below what was taken for the foot: in this pose the leg points up.
fn shin_below(a: &Anatomy, limb: &Limb, foot: usize) -> Option<usize> {
    let shin =
        limb.bodies.iter().rev().find(|&&body| a.words[body].parts.has(Parts::SHIN.or(Parts::KNEE)))?;
    ancestors(a.creature, *shin).any(|body| body == foot).then_some(*shin)
}

fn hand(a: &Anatomy, limb: &Limb) -> End {
    let last = limb.chain[limb.chain.len() - 1];
    let (body, source, which) = match named_body(a, limb, &[Parts::HAND, Parts::WRIST], false) {
        Some(body) => (body, Source::File, "is the hand by its name"),
        None => (last, Source::Guess, "is the end of a limb that does not reach the ground"),
    };
    // A hand is held by its middle; a forearm without one by its end.
    let own_body = source == Source::File || limb.chain.len() > 2;
    let point = if own_body {
        a.stand.com[body]
    } else {
        tip(a.creature, a.stand, body, a.stand.base(a.creature, body))
    };
    let reason = format!("body `{}` {which}{}", a.creature.bodies[body].name, mirrored(a, limb));
    End { body, point, source, reason }
}

fn mirrored(a: &Anatomy, limb: &Limb) -> String {
    match limb.mate {
        Some(mate) => {
            format!("; the limb mirrors that of `{}`", a.creature.bodies[a.limbs[mate].root()].name)
        }
        None => String::new(),
    }
}

/// 1.2 cm, 3.4 mm
fn in_words(length: f64) -> String {
    if length.abs() >= 0.01 {
        format!("{:.1} cm", 100.0 * length)
    } else {
        format!("{:.1} mm", 1000.0 * length.max(0.0))
    }
}

/// The joint in the middle of a limb that ends at `end`: the one that names call knee or elbow, the one above a shin or
/// forearm, else the one that brings the end nearest to the hip when it folds.
fn middle_joint(a: &Anatomy, limb: &Limb, end: &End, role: Role) -> Option<(usize, Source, String)> {
    let up = |&body: &usize| (body != limb.root()).then(|| a.creature.bodies[body].parent);
    let mut way: Vec<usize> = std::iter::successors(Some(end.body), up).collect();
    way.reverse();
    let named = named_joint(a, limb, end, &way);
    let knee =
        named.as_ref().filter(|_| role == Role::Knee).and_then(|(hock, ..)| knee_above(a, end, &way, *hock));
    knee.or(named).or_else(|| folding_joint(a, limb, end, &way))
}

/// Where artists stop counting at the knee and go on with upper and lower leg, the lower leg begins at the hock: it is
/// bent backwards, and the joint above it forwards, as no knee of a leg is and every knee above a hock is.
fn knee_above(a: &Anatomy, end: &End, way: &[usize], hock: usize) -> Option<(usize, Source, String)> {
    /// How far a bend stands out of the line of its neighbours, as a part of their distance, to be told.
    const BENT: f64 = 0.08;
    let place = |index: usize| way.get(index).map_or(end.point, |&body| a.stand.base(a.creature, body));
    // Forwards where positive.
    let bend = |index: usize| {
        let (above, below) = (place(index - 1), place(index + 1));
        let line = below - above;
        let out = place(index) - above;
        let out = out - line * (out.dot(&line) / line.norm_squared().max(f64::MIN_POSITIVE));
        out.dot(&a.facing.forward) / line.norm().max(f64::MIN_POSITIVE)
    };
    let index = way.iter().position(|&body| body == a.creature.joints[hock].body)?;
    let (knee, hip) = (index.checked_sub(1)?, index.checked_sub(2)?);
    let jointed = |index: usize| a.creature.bodies[way[index]].joints.clone().next();
    let joint = jointed(knee).filter(|_| jointed(hip).is_some())?;
    let name = |joint: usize| &a.creature.joints[joint].name;
    let reason = format!("joint `{}` bends forwards, above the hock `{}`", name(joint), name(hock));
    (bend(index) < -BENT && bend(knee) > BENT).then_some((joint, Source::Guess, reason))
}

fn joints_of<'b>(a: &'b Anatomy, bodies: &'b [usize]) -> impl Iterator<Item = usize> + 'b {
    bodies.iter().flat_map(|&body| a.creature.bodies[body].joints.clone())
}

fn named_joint(a: &Anatomy, limb: &Limb, end: &End, way: &[usize]) -> Option<(usize, Source, String)> {
    let fold = |joint: usize| folding(a, joint, limb.hip, end.point);
    let best_of = |joints: &mut dyn Iterator<Item = usize>| {
        joints.max_by(|&i, &j| fold(i).total_cmp(&fold(j)).then(j.cmp(&i)))
    };
    let name = |joint: usize| &a.creature.joints[joint].name;
    let knees = Parts::KNEE.or(Parts::ELBOW);
    let shins = Parts::SHIN.or(Parts::FOREARM);

    let mut called = joints_of(a, way).filter(|&joint| Words::read(name(joint)).parts.has(knees));
    if let Some(joint) = best_of(&mut called) {
        return Some((joint, Source::File, format!("joint `{}` by its name", name(joint))));
    }
    [knees, shins].into_iter().find_map(|parts| {
        let jointed = |body: usize| !a.creature.bodies[body].joints.is_empty();
        let body = way.iter().copied().find(|&body| a.words[body].parts.has(parts) && jointed(body))?;
        let joint = best_of(&mut joints_of(a, &[body]))?;
        let reason = format!("joint `{}` above `{}`", name(joint), a.creature.bodies[body].name);
        Some((joint, Source::File, reason))
    })
}

fn folding_joint(a: &Anatomy, limb: &Limb, end: &End, way: &[usize]) -> Option<(usize, Source, String)> {
    const LEAST: f64 = 0.05; // of the limb's length: a joint that changes less is no knee
    const NEARLY: f64 = 0.9; // of the best: then the one nearer the trunk is the knee, the other a hock
    let fold = |joint: usize| folding(a, joint, limb.hip, end.point);
    // The first body with joints hangs from the hip, whatever it has besides.
    let hip = way.iter().position(|&body| !a.creature.bodies[body].joints.is_empty())?;
    let below_hip = &way[hip + 1..];
    let best = joints_of(a, below_hip).map(fold).fold(0.0, f64::max);
    let joint = joints_of(a, below_hip).find(|&joint| fold(joint) >= NEARLY * best)?;
    let reach = (end.point - limb.hip).norm().max(limb.length);
    let reason = format!(
        "folding joint `{}` by a right angle shortens the limb most: by {} of {}",
        a.creature.joints[joint].name,
        in_words(fold(joint)),
        in_words(reach)
    );
    (best > LEAST * limb.length).then_some((joint, Source::Guess, reason))
}

/// How much nearer `end` comes to `hip` when a joint folds from straight to a right angle. With ρ₁ and ρ₂ their
/// distances from the joint's axis (from the point, for a ball) this is ρ₁ + ρ₂ − √(ρ₁² + ρ₂²): nothing for a hip
/// (ρ₁ = 0) or a twist (ρ₂ = 0), most where the limb is halved. It does not depend on how far the joint is bent now.
fn folding(a: &Anatomy, joint: usize, hip: Vec3, end: Vec3) -> f64 {
    let (anchor, axis) = (a.stand.anchor[joint], a.stand.axis[joint]);
    let distance = |point: Vec3| match a.creature.joints[joint].kind {
        JointKind::Hinge => (point - anchor).cross(&axis).norm(),
        JointKind::Ball => (point - anchor).norm(),
        JointKind::Free | JointKind::Slide => 0.0,
    };
    let (r1, r2) = (distance(hip), distance(end));
    r1 + r2 - math::hypot(r1, r2)
}

/// The landmarks of all limbs.
pub(super) fn landmarks(a: &Anatomy) -> Vec<Landmark> {
    let legs = rows(a, Kind::Leg, |a, limb| {
        let end = foot(a, limb).point;
        0.5 * (limb.hip + end).dot(&a.facing.forward)
    });
    let arms = rows(a, Kind::Arm, |a, limb| limb.hip.dot(&(a.stand.up + a.facing.forward)));
    let mut landmarks = Vec::new();
    for (index, row) in legs.iter().enumerate() {
        let foot_row = leg_row(index, legs.len());
        // Front legs have elbows, unless there are arms besides (a centaur) or many rows (an insect).
        let (role, row_of_joint) = match (legs.len(), arms.is_empty()) {
            (2, true) if index == 0 => (Role::Elbow, None),
            (1, _) | (2, true) => (Role::Knee, None),
            _ => (Role::Knee, foot_row),
        };
        for limb in row.iter().map(|&limb| &a.limbs[limb]) {
            push(a, limb, &foot(a, limb), [(Role::Foot, foot_row), (role, row_of_joint)], &mut landmarks);
        }
    }
    for (index, row) in arms.iter().enumerate() {
        let number = (arms.len() > 1).then(|| numbered(index));
        for limb in row.iter().map(|&limb| &a.limbs[limb]) {
            push(a, limb, &hand(a, limb), [(Role::Hand, number), (Role::Elbow, number)], &mut landmarks);
        }
    }
    landmarks
}

fn push(a: &Anatomy, limb: &Limb, end: &End, names: [(Role, Option<Row>); 2], landmarks: &mut Vec<Landmark>) {
    let [(end_role, end_row), (middle_role, middle_row)] = names;
    landmarks.push(Landmark {
        role: end_role,
        row: end_row,
        side: limb.side,
        body: end.body,
        point: a.stand.in_body(end.body, end.point),
        joint: None,
        source: end.source,
        reason: end.reason.clone(),
    });
    if let Some((joint, source, reason)) = middle_joint(a, limb, end, middle_role) {
        let body = a.creature.joints[joint].body;
        landmarks.push(Landmark {
            role: middle_role,
            row: middle_row,
            side: limb.side,
            body,
            point: a.creature.joints[joint].anchor,
            joint: Some(joint),
            source,
            reason,
        });
    }
}

fn leg_row(index: usize, rows: usize) -> Option<Row> {
    match (rows, index) {
        (1, _) => None,
        (2 | 3, 0) => Some(Row::Front),
        (2, 1) | (3, 2) => Some(Row::Hind),
        (3, 1) => Some(Row::Middle),
        _ => Some(numbered(index)),
    }
}

pub(super) fn numbered(index: usize) -> Row {
    Row::Number(u32::try_from(index + 1).unwrap_or(u32::MAX))
}

/// Limbs of a kind as rows of one or two, the first row first. `place` grows towards the first row.
fn rows(a: &Anatomy, kind: Kind, place: impl Fn(&Anatomy, &Limb) -> f64) -> Vec<Vec<usize>> {
    const SAME_ROW: f64 = 0.1; // of the size: unpaired limbs of opposite sides this near in place are a row
    let mut rows: Vec<(f64, Vec<usize>)> = Vec::new();
    for (index, limb) in a.limbs.iter().enumerate().filter(|(_, limb)| limb.kind == kind) {
        match limb.mate {
            Some(mate) if mate < index => {}
            Some(mate) => rows.push((0.5 * (place(a, limb) + place(a, &a.limbs[mate])), vec![index, mate])),
            None => rows.push((place(a, limb), vec![index])),
        }
    }
    rows.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut joined: Vec<(f64, Vec<usize>)> = Vec::new();
    for (at, row) in rows {
        match joined.last_mut() {
            Some((last, single))
                if single.len() == 1
                    && row.len() == 1
                    && (*last - at).abs() < SAME_ROW * a.stand.size
                    && opposite(a, single[0], row[0]) =>
            {
                single.extend(row);
            }
            _ => joined.push((at, row)),
        }
    }
    joined.into_iter().map(|(_, row)| row).collect()
}

fn opposite(a: &Anatomy, i: usize, j: usize) -> bool {
    match (a.limbs[i].side, a.limbs[j].side) {
        (Some(x), Some(y)) => x != y,
        _ => false,
    }
}

/// Feet and hands that only names show, where the geometry has no limbs: taken if both sides are named.
pub(super) fn named_only(a: &Anatomy, found: &Found) -> Vec<Landmark> {
    let mut landmarks = Vec::new();
    for (role, part) in [(Role::Foot, Parts::FOOT), (Role::Hand, Parts::HAND)] {
        let named: Vec<usize> = a
            .stand
            .bodies()
            .filter(|&b| a.limb_of[b].is_none() && a.words[b].parts.has(part) && a.words[b].side.is_some())
            .collect();
        let both =
            [Side::Left, Side::Right].iter().all(|&s| named.iter().any(|&b| a.words[b].side == Some(s)));
        if !both || found.keys().any(|name| name.role == role) {
            continue;
        }
        landmarks.extend(named.into_iter().map(|body| Landmark {
            role,
            row: a.words[body].row,
            side: a.words[body].side,
            body,
            point: a.stand.in_body(body, a.stand.sole(a.creature, body)),
            joint: None,
            source: Source::File,
            reason: format!(
                "body `{}` by its name alone: the geometry shows no limb there",
                a.creature.bodies[body].name
            ),
        }));
    }
    landmarks
}

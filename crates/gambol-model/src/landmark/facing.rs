//! Which way the creature faces. The plane of symmetry leaves two directions; names and shape vote between them.

use super::stand::Stand;
use super::symmetry::{Plane, Split, conventional_forward, left_by_name};
use super::words::{Parts, Words};
use super::{Row, Side, limbs};
use crate::{Creature, Vec3, Warning};

/// The creature's own directions, and what names say against them.
pub(super) struct Facing {
    pub(super) forward: Vec3,
    pub(super) left: Vec3,
    pub(super) plane: Plane,
    pub(super) tolerance: f64,
    pub(super) warnings: Vec<Warning>,
}

impl Facing {
    /// Side of a point; `None` on the plane.
    pub(super) fn side(&self, point: Vec3) -> Option<Side> {
        let distance = self.plane.distance(point) * self.plane.normal.dot(&self.left).signum();
        match distance {
            d if d > self.tolerance => Some(Side::Left),
            d if d < -self.tolerance => Some(Side::Right),
            _ => None,
        }
    }
}

/// One reason to face one way, in favour of the axis if positive.
struct Vote {
    weight: f64,
    why: &'static str,
}

/// How much each kind of evidence counts. Names of ends outweigh all geometry; toes with the convention outweigh
/// left and right, which are easily swapped; the convention decides where nothing else speaks, or only a raised end,
/// which may be the abdomen of an ant.
const ENDS_NAMED: f64 = 3.0;
const ROWS_NAMED: f64 = 3.0;
const SIDES_NAMED: f64 = 2.0;
const TOES: f64 = 2.0;
const CONVENTION: f64 = 0.5;
const HEAD_UP: f64 = 0.4;
/// There is no convention between the two directions across x.
const NO_CONVENTION: f64 = 0.2;

pub(super) fn find(creature: &Creature, stand: &Stand, words: &[Words], split: &Split) -> Facing {
    let axis = split.plane.normal.cross(&stand.up);
    let convention = conventional_forward(stand.up);
    // Across the convention's axis there is none: the left of a creature that faces x is taken.
    let (towards, trust) = if axis.dot(&convention).abs() > 0.5 {
        (convention, CONVENTION)
    } else {
        (stand.up.cross(&convention), NO_CONVENTION)
    };
    let votes = [
        vote(ENDS_NAMED, 0.05, named_ends(stand, words, split, axis), "its head and tail by name"),
        vote(ROWS_NAMED, 0.02, named_rows(stand, words, axis), "its front and hind limbs by name"),
        vote(SIDES_NAMED, 0.1, named_sides(stand, words, split, axis), "its left and right by name"),
        vote(TOES, 0.02, limbs::toes(creature, stand, split, axis), "its toes"),
        vote(HEAD_UP, 0.1, raised_end(stand, split, axis), "its higher end"),
        vote(trust, 0.0, Some(axis.dot(&towards)), "convention"),
    ];
    let sum: f64 = votes.iter().flatten().map(|vote| vote.weight).sum();
    let forward = if sum < 0.0 { -axis } else { axis };
    let left = stand.up.cross(&forward);
    let mut facing =
        Facing { forward, left, plane: split.plane, tolerance: split.tolerance, warnings: Vec::new() };

    let agree = |vote: &&Vote| vote.weight * sum >= 0.0;
    let why = votes.iter().flatten().filter(agree).map(|vote| vote.why).next().unwrap_or("convention");
    if forward.dot(&convention) < 0.9 && !split.seeds.is_empty() {
        facing.warnings.push(Warning::new(
            "landmarks",
            format!("the creature faces {}, not x: by {why}", in_words(forward)),
        ));
    }
    warn_of_sides(creature, stand, words, &mut facing, why);
    facing
}

fn vote(weight: f64, least: f64, evidence: Option<f64>, why: &'static str) -> Option<Vote> {
    evidence.filter(|x| x.abs() > least).map(|x| Vote { weight: weight * x.signum(), why })
}

/// How far the head is ahead of the middle and the tail behind it, relative to the size.
fn named_ends(stand: &Stand, words: &[Words], split: &Split, axis: Vec3) -> Option<f64> {
    let middle = stand.below[stand.root].com;
    let ahead = |part| {
        let named = stand.bodies().filter(move |&b| split.seed_of[b].is_none() && words[b].parts.has(part));
        named
            .map(|b| (stand.com[b] - middle).dot(&axis) / stand.size)
            .max_by(|a, b| a.abs().total_cmp(&b.abs()))
    };
    match (ahead(Parts::HEAD), ahead(Parts::TAIL)) {
        (None, None) => None,
        (head, tail) => Some(head.unwrap_or(0.0) - tail.unwrap_or(0.0)),
    }
}

/// How far what is named front is ahead of what is named hind, relative to the size.
fn named_rows(stand: &Stand, words: &[Words], axis: Vec3) -> Option<f64> {
    let mean = |row: Row| {
        let named: Vec<f64> =
            stand.bodies().filter(|&b| words[b].row == Some(row)).map(|b| stand.com[b].dot(&axis)).collect();
        (!named.is_empty()).then(|| named.iter().sum::<f64>() / named.len() as f64)
    };
    Some((mean(Row::Front)? - mean(Row::Hind)?) / stand.size)
}

/// How well left and right by name fit the left that goes with facing along the axis: 1 all, −1 all the wrong way
/// round. Chance letters on the midline (`L_1` for a lumbar vertebra) do not count.
fn named_sides(stand: &Stand, words: &[Words], split: &Split, axis: Vec3) -> Option<f64> {
    const AGREEMENT: f64 = 0.8; // of the names; less is chance
    let left = left_by_name(stand, words)?;
    let sign = stand.up.cross(&axis).dot(&split.plane.normal).signum();
    let mut fit = Vec::new();
    for body in stand.bodies().filter(|&body| split.seed_of[body].is_some()) {
        let distance = split.plane.distance(stand.com[body]) * sign;
        match words[body].side {
            Some(Side::Left) => fit.push(distance.signum()),
            Some(Side::Right) => fit.push(-distance.signum()),
            None => {}
        }
    }
    let mean = fit.iter().sum::<f64>() / fit.len().max(1) as f64;
    (mean.abs() >= 2.0 * AGREEMENT - 1.0 && left.dot(&split.plane.normal).abs() > 0.5).then_some(mean)
}

/// Of the two ends of the midline the head is held higher, or where both are level is the heavier one: height (or
/// mass) of the end ahead less that of the end behind, relative to the whole.
fn raised_end(stand: &Stand, split: &Split, axis: Vec3) -> Option<f64> {
    let middle = stand.com[stand.root].dot(&axis);
    let midline = || stand.bodies().filter(|&b| split.seed_of[b].is_none() && b != stand.root);
    let end = |sign: f64| {
        midline().max_by(|&a, &b| {
            let reach = |body: usize| sign * stand.com[body].dot(&axis);
            reach(a).total_cmp(&reach(b))
        })
    };
    let (ahead, behind) = (end(1.0)?, end(-1.0)?);
    let reach = |body: usize| (stand.com[body].dot(&axis) - middle).abs();
    // Both ends must stick out: a neck straight up says nothing.
    let sticks_out = |body: usize| reach(body) > 0.1 * stand.size;
    match (sticks_out(ahead), sticks_out(behind)) {
        (true, true) if ahead != behind => Some((stand.high[ahead] - stand.high[behind]) / stand.height),
        _ => None,
    }
}

/// One warning for all bodies off the midline whose name says the other side.
fn warn_of_sides(creature: &Creature, stand: &Stand, words: &[Words], facing: &mut Facing, why: &str) {
    let wrong = |&body: &usize| match (words[body].side, facing.side(stand.com[body])) {
        (Some(said), Some(seen)) => said != seen,
        _ => false,
    };
    let wrong: Vec<usize> = stand.bodies().filter(wrong).collect();
    let Some(&first) = wrong.first() else { return };
    let (said, seen) = match words[first].side {
        Some(Side::Left) => ("left", "right"),
        _ => ("right", "left"),
    };
    let others = match wrong.len() {
        1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    };
    facing.warnings.push(Warning::new(
        format!("body {:?}", creature.bodies[first].name),
        format!(
            "its name says {said}, but it is {seen} of a creature that faces {} by {why}{others}; sides follow the \
             geometry except where landmarks are given by their own names",
            in_words(facing.forward)
        ),
    ));
}

/// `+x`, `−y` or the numbers.
pub(super) fn in_words(direction: Vec3) -> String {
    let axes = [("x", Vec3::x()), ("y", Vec3::y()), ("z", Vec3::z())];
    for (name, axis) in axes {
        if direction.dot(&axis).abs() > 0.999 {
            return format!("{}{name}", if direction.dot(&axis) > 0.0 { "+" } else { "−" });
        }
    }
    format!("({:.2} {:.2} {:.2})", direction.x, direction.y, direction.z)
}

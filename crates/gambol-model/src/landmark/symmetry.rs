//! The plane of symmetry, and with it the limbs: what hangs off the midline, left and right.

use std::collections::{BTreeMap, HashMap};

use super::Side;
use super::stand::{Below, Stand};
use super::words::Words;
use crate::{Creature, Vec3, math};

/// A vertical plane through the creature.
#[derive(Clone, Copy)]
pub(super) struct Plane {
    /// Horizontal unit vector; which of its two ends is left is not known here.
    pub(super) normal: Vec3,
    /// Points x of the plane have normal · x = offset.
    pub(super) offset: f64,
}

impl Plane {
    pub(super) fn distance(&self, point: Vec3) -> f64 {
        point.dot(&self.normal) - self.offset
    }

    fn mirror(&self, point: Vec3) -> Vec3 {
        point - self.normal * (2.0 * self.distance(point))
    }
}

/// The creature cut into its midline and what hangs off it on either side.
pub(super) struct Split {
    pub(super) plane: Plane,
    /// Nearer than this to the plane is on the plane, m.
    pub(super) tolerance: f64,
    pub(super) seeds: Vec<Seed>,
    /// Seed of each body that is off the midline.
    pub(super) seed_of: Vec<Option<usize>>,
    /// Part of the mass that is on the midline or has a mirror image.
    matched: f64,
    /// Part of the mass that has a mirror image.
    paired: f64,
}

/// A subtree off the midline.
pub(super) struct Seed {
    /// Its topmost body.
    pub(super) root: usize,
    /// Its mirror image.
    pub(super) mate: Option<usize>,
}

/// Splits count as equally good when they differ by less than this part of the mass: a plane is not given up for the
/// sake of an asymmetric battery.
const SLACK: f64 = 0.05;
/// Creatures beyond this many bodies are looked at in the axes' directions only, to stay within a second.
const MANY_BODIES: usize = 20_000;

/// The split along the best plane of symmetry. Among equally good planes (a robot that is also symmetric fore and
/// aft) the one comes first that divides the names left and right, then the one of a creature that faces x.
pub(super) fn best_split(creature: &Creature, stand: &Stand, words: &[Words]) -> Split {
    let planes = candidates(creature, stand, words);
    let mut splits: Vec<Split> = planes.into_iter().map(|plane| split(creature, stand, plane)).collect();
    // A creature that lives in its plane (a runner in two dimensions) has nothing left and right of it.
    if splits[0].seeds.is_empty() {
        return splits.swap_remove(0);
    }
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let matched = most(&mut splits.iter().map(|s| s.matched)) - SLACK;
    let good = |s: &Split| s.matched >= matched;
    let paired = most(&mut splits.iter().filter(|s| good(s)).map(|s| s.paired)) - SLACK;
    let first = splits.iter().position(|s| good(s) && s.paired >= paired);
    splits.swap_remove(first.unwrap_or(0))
}

/// Forward by convention: the horizontal direction nearest to x.
pub(super) fn conventional_forward(up: Vec3) -> Vec3 {
    let flat = |axis: Vec3| (axis - up * up.dot(&axis)).try_normalize(1e-3);
    flat(Vec3::x()).or_else(|| flat(Vec3::z())).unwrap_or_else(Vec3::x)
}

fn candidates(creature: &Creature, stand: &Stand, words: &[Words]) -> Vec<Plane> {
    let forward = conventional_forward(stand.up);
    let mut normals = vec![stand.up.cross(&forward), forward];
    let mut offsets = vec![stand.origin(stand.root), stand.com[stand.root], stand.below[stand.root].com];
    if creature.bodies.len() <= MANY_BODIES {
        normals.extend(sibling_directions(creature, stand));
    } else {
        offsets.truncate(1);
    }
    if let Some(named) = left_by_name(stand, words) {
        // A direction averaged over names is rough: an exact one nearby is what was meant.
        let nearest = normals.iter().position(|n| n.dot(&named).abs() > 0.95);
        let first = nearest.map_or(named, |k| normals[k]);
        normals.insert(0, first);
    }
    let plane = |normal: Vec3, through: Vec3| Plane { normal, offset: through.dot(&normal) };
    normals.iter().flat_map(|&normal| offsets.iter().map(move |&through| plane(normal, through))).collect()
}

/// The horizontal direction from what is named right to what is named left, if the names agree on one.
pub(super) fn left_by_name(stand: &Stand, words: &[Words]) -> Option<Vec3> {
    let mean = |side: Side| {
        let named: Vec<Vec3> =
            stand.bodies().filter(|&b| words[b].side == Some(side)).map(|b| stand.com[b]).collect();
        (!named.is_empty()).then(|| named.iter().sum::<Vec3>() / named.len() as f64)
    };
    let across = mean(Side::Left)? - mean(Side::Right)?;
    let across = across - stand.up * stand.up.dot(&across);
    // Names that are dealt out at random leave both means in the middle.
    (across.norm() > 0.02 * stand.size).then(|| across.normalize())
}

/// Horizontal directions between siblings that could be mirror images, the heaviest first: a plane of symmetry is
/// perpendicular to one of them.
fn sibling_directions(creature: &Creature, stand: &Stand) -> Vec<Vec3> {
    const DIRECTIONS: usize = 6;
    let x = conventional_forward(stand.up);
    let y = stand.up.cross(&x);
    let mut votes: BTreeMap<i32, (f64, Vec3)> = BTreeMap::new();
    for [a, b] in alike_siblings(stand) {
        let across = stand.base(creature, a) - stand.base(creature, b);
        let across = across - stand.up * stand.up.dot(&across);
        let Some(across) = across.try_normalize(1e-3 * stand.size) else { continue };
        let across = if across.dot(&y) < -1e-6 { -across } else { across };
        let degrees = math::atan2(across.dot(&y), across.dot(&x)).to_degrees();
        #[allow(clippy::cast_possible_truncation, reason = "0 to 180 degrees")]
        let vote = votes.entry((degrees / 2.0).round() as i32).or_insert((0.0, across));
        vote.0 += stand.below[a].mass;
    }
    let mut votes: Vec<(f64, Vec3)> = votes.into_values().collect();
    votes.sort_by(|a, b| b.0.total_cmp(&a.0));
    votes.into_iter().take(DIRECTIONS).map(|(_, direction)| direction).collect()
}

/// Pairs of siblings of like mass and equal joints.
pub(super) fn alike_siblings(stand: &Stand) -> Vec<[usize; 2]> {
    const SIBLINGS: usize = 12; // more are a brush, not a set of limbs
    let mut pairs = Vec::new();
    for body in stand.bodies() {
        let children = &stand.children[body][..stand.children[body].len().min(SIBLINGS)];
        for (i, &a) in children.iter().enumerate() {
            let like_a = children[i + 1..].iter().filter(|&&b| alike(&stand.below[a], &stand.below[b]));
            pairs.extend(like_a.map(|&b| [a, b]));
        }
    }
    pairs
}

/// Two subtrees that could be mirror images.
fn alike(a: &Below, b: &Below) -> bool {
    const MASS_SLACK: f64 = 0.2; // a battery or a sensor on one side
    a.joints == b.joints && (a.mass - b.mass).abs() <= MASS_SLACK * a.mass.max(b.mass)
}

fn split(creature: &Creature, stand: &Stand, plane: Plane) -> Split {
    let half_width = stand.bodies().map(|b| plane.distance(stand.com[b]).abs()).fold(0.0, f64::max);
    // Hips are at least a few percent of the width away from the plane; what is built symmetric is much nearer.
    let tolerance = (0.04 * half_width).max(0.002 * stand.size);
    let mut seeds: Vec<Seed> = Vec::new();
    let mut seed_of = vec![None; creature.bodies.len()];
    for body in stand.bodies().filter(|&body| body != stand.root) {
        let parent = creature.bodies[body].parent;
        if seed_of[parent].is_some() {
            seed_of[body] = seed_of[parent];
        } else if is_off(creature, stand, plane, tolerance, body) {
            seed_of[body] = Some(seeds.len());
            seeds.push(Seed { root: body, mate: None });
        }
    }
    pair(creature, stand, plane, &mut seeds);
    let total = stand.below[stand.root].mass.max(f64::MIN_POSITIVE);
    let mass_of = |paired: bool| {
        let some = seeds.iter().filter(|seed| seed.mate.is_some() == paired);
        some.map(|seed| stand.below[seed.root].mass).sum::<f64>() / total
    };
    let (matched, paired) = (1.0 - mass_of(false), mass_of(true));
    Split { plane, tolerance, seeds, seed_of, matched, paired }
}

/// A limb starts where both the joint and the body are off the plane, or where at least the body and all that hangs
/// from it are (a hip bone that starts at the midline). What is fixed to the trunk is trunk.
fn is_off(creature: &Creature, stand: &Stand, plane: Plane, tolerance: f64, body: usize) -> bool {
    let off = |point| plane.distance(point).abs() > tolerance;
    !creature.bodies[body].joints.is_empty()
        && off(stand.com[body])
        && (off(stand.base(creature, body)) || off(stand.below[body].com))
}

/// Finds each limb's mirror image: same joints, like mass, joined at the mirrored place. Poses need not be mirrored
/// exactly.
fn pair(creature: &Creature, stand: &Stand, plane: Plane, seeds: &mut [Seed]) {
    const BASE_SLACK: f64 = 0.08; // of the size
    const COM_SLACK: f64 = 0.25; // of the size
    const TRIES: usize = 32; // neighbours looked at, so that a brush of a thousand limbs stays cheap
    let forward = plane.normal.cross(&stand.up);
    let base: Vec<Vec3> = seeds.iter().map(|seed| stand.base(creature, seed.root)).collect();
    let along = |seed: usize| base[seed].dot(&forward);

    let mut right: HashMap<[usize; 4], Vec<usize>> = HashMap::new();
    let mut left = Vec::new();
    for (index, seed) in seeds.iter().enumerate() {
        if plane.distance(stand.below[seed.root].com) > 0.0 {
            left.push(index);
        } else {
            right.entry(stand.below[seed.root].joints).or_default().push(index);
        }
    }
    for list in right.values_mut() {
        list.sort_by(|&a, &b| along(a).total_cmp(&along(b)));
    }

    for a in left {
        let below = &stand.below[seeds[a].root];
        let Some(list) = right.get(&below.joints) else { continue };
        let here = list.partition_point(|&b| along(b) < along(a));
        let near = &list[here.saturating_sub(TRIES)..(here + TRIES).min(list.len())];
        let mismatch = |b: usize| {
            let other = &stand.below[seeds[b].root];
            let apart = (plane.mirror(base[a]) - base[b]).norm();
            let com_apart = (plane.mirror(below.com) - other.com).norm();
            let fits = seeds[b].mate.is_none()
                && alike(below, other)
                && apart <= BASE_SLACK * stand.size
                && com_apart <= COM_SLACK * stand.size;
            fits.then_some(apart + com_apart)
        };
        let best = near.iter().filter_map(|&b| Some((mismatch(b)?, b))).min_by(|x, y| x.0.total_cmp(&y.0));
        if let Some((_, b)) = best {
            seeds[a].mate = Some(b);
            seeds[b].mate = Some(a);
        }
    }
}

//! A limb by its geometry: the way from the trunk to the tip, and what it stands on.

use std::collections::HashMap;

use super::stand::Stand;
use super::{Side, symmetry};
use crate::{Creature, Vec3, math};

/// A leg's lowest point is within this part of the creature's height from the ground.
pub(super) const REACHES_GROUND: f64 = 0.15;
/// A chain leads to the ground if it ends within this part of the creature's height from the limb's lowest point.
pub(super) const LEADS_DOWN: f64 = 0.05;
/// A body touches the ground if it is within this part of the creature's height from the limb's lowest point: less
/// than an ankle is high.
const TOUCHES_GROUND: f64 = 0.02;
/// What stands on the ground comes down to it by at least this part of the limb's length.
const COMES_DOWN: f64 = 0.1;
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Leg,
    Arm,
    /// Ears, antennae, rotors.
    Other,
}

/// A subtree that hangs off the trunk.
#[derive(Debug)]
pub(super) struct Limb {
    pub(super) kind: Kind,
    pub(super) side: Option<Side>,
    /// Index of its mirror image among the limbs.
    pub(super) mate: Option<usize>,
    /// All bodies, the topmost first.
    pub(super) bodies: Vec<usize>,
    /// The body of the trunk it hangs from.
    pub(super) attach: usize,
    /// From the topmost body towards the tip, before digits spread.
    pub(super) chain: Vec<usize>,
    /// Where it is joined to the trunk, m, world.
    pub(super) hip: Vec3,
    /// Along the chain to its tip, m.
    pub(super) length: f64,
    /// Lowest height.
    pub(super) low: f64,
    /// It comes down to the ground.
    pub(super) reaches: bool,
    /// Why it is a leg if it does not reach the ground, or other things worth telling.
    pub(super) note: String,
}

impl Limb {
    pub(super) fn root(&self) -> usize {
        self.bodies[0]
    }
}

pub(super) fn new_limb(creature: &Creature, stand: &Stand, bodies: Vec<usize>) -> Limb {
    let root = bodies[0];
    let hip = stand.base(creature, root);
    let low = stand.below[root].low;
    let attach = creature.bodies[root].parent;
    let mut chain = chain_out(creature, stand, &bodies);
    let end = chain[chain.len() - 1];
    let mut length = length(creature, stand, &chain, tip(creature, stand, end, stand.base(creature, end)));
    let near = low - stand.ground <= REACHES_GROUND * stand.height;
    let reaches = near && hip.dot(&stand.up) - low >= COMES_DOWN * length;
    if reaches {
        chain = chain_down(stand, root);
        length = self::length(creature, stand, &chain, stand.sole(creature, chain[chain.len() - 1]));
    }
    let (kind, note) = (Kind::Other, String::new());
    Limb { kind, side: None, mate: None, bodies, attach, chain, hip, length, low, reaches, note }
}

/// Along the joints of a chain and on to `tip`, m.
fn length(creature: &Creature, stand: &Stand, chain: &[usize], tip: Vec3) -> f64 {
    let mut way: Vec<Vec3> = chain.iter().map(|&body| stand.base(creature, body)).collect();
    way.push(tip);
    way.windows(2).map(|step| (step[1] - step[0]).norm()).sum()
}

/// Towards the ground: from body to the one child that leads to the lowest point, until several do (toes) or none.
fn chain_down(stand: &Stand, root: usize) -> Vec<usize> {
    let reaches = |body: usize| stand.below[body].low - stand.below[root].low <= LEADS_DOWN * stand.height;
    chain(stand, root, reaches)
}

/// Away from the trunk: from body to the one child that leads to the farthest point, until several do (fingers).
fn chain_out(creature: &Creature, stand: &Stand, bodies: &[usize]) -> Vec<usize> {
    const FAR: f64 = 0.85;
    let hip = stand.base(creature, bodies[0]);
    let mut far: HashMap<usize, f64> = HashMap::new();
    for &body in bodies.iter().rev() {
        let own = (stand.com[body] - hip).norm().max((stand.base(creature, body) - hip).norm());
        let reach = far.get(&body).map_or(own, |children| own.max(*children));
        far.insert(body, reach);
        let parent = far.entry(creature.bodies[body].parent).or_insert(0.0);
        *parent = parent.max(reach);
    }
    let most = far[&bodies[0]];
    chain(stand, bodies[0], |body| far.get(&body).is_some_and(|&reach| reach >= FAR * most))
}

fn chain(stand: &Stand, root: usize, leads_on: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut chain = vec![root];
    let mut body = root;
    loop {
        let mut on = stand.children[body].iter().copied().filter(|&child| leads_on(child));
        match (on.next(), on.next()) {
            (Some(child), None) => body = child,
            _ => return chain,
        }
        chain.push(body);
    }
}

/// The end of a body away from `from`.
pub(super) fn tip(creature: &Creature, stand: &Stand, body: usize, from: Vec3) -> Vec3 {
    let direction = (stand.com[body] - from).try_normalize(1e-9).unwrap_or(-stand.up);
    stand.extreme(creature, body, direction)
}

/// The body a leg stands on, and why it is that one: of the bodies on the way to the tip that touch the ground, the one
/// with the longest footprint (a foot, neither shank nor toe); of digits that spread before they touch it, the
/// heaviest.
pub(super) fn standing_body(creature: &Creature, stand: &Stand, limb: &Limb) -> (usize, &'static str) {
    let last = limb.chain[limb.chain.len() - 1];
    if !limb.reaches {
        return (last, ", the end of the limb,");
    }
    let touches = |body: &usize| stand.low[*body] - limb.low <= TOUCHES_GROUND * stand.height;
    let largest = |bodies: Vec<usize>, size: &dyn Fn(usize) -> f64| {
        bodies.into_iter().reduce(|a, b| if size(b) > size(a) { b } else { a })
    };
    let below_hip = if limb.chain.len() > 1 { &limb.chain[1..] } else { &limb.chain[..] };
    let touching: Vec<usize> = below_hip.iter().copied().filter(touches).collect();
    let which = if touching.len() > 1 { ", the longest that touches the ground," } else { "" };
    if let Some(foot) = largest(touching, &|body| footprint(creature, stand, body)) {
        return (foot, which);
    }
    let digits = limb.bodies.iter().copied().filter(touches).collect();
    match largest(digits, &|body| creature.bodies[body].mass.mass) {
        Some(foot) => (foot, ", the heaviest of several digits,"),
        None => (last, ""),
    }
}

/// Diagonal of a body's shadow at noon, m.
fn footprint(creature: &Creature, stand: &Stand, body: usize) -> f64 {
    let u = symmetry::conventional_forward(stand.up);
    let extent =
        |axis: Vec3| (stand.extreme(creature, body, axis) - stand.extreme(creature, body, -axis)).dot(&axis);
    math::hypot(extent(u), extent(stand.up.cross(&u)))
}

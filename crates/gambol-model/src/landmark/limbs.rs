//! Limbs: which are legs and which arms, and where on them foot, knee, hand and elbow are.

use super::facing::Facing;
use super::stand::Stand;
use super::symmetry::{self, Split};
use super::words::{Parts, Words};
use super::{Anatomy, Found, Landmark, Role, Row, Side, Source};
use crate::{Creature, JointKind, Vec3};

/// A leg's lowest point is within this part of the creature's height from the ground.
const REACHES_GROUND: f64 = 0.15;
/// A chain leads to the ground if it ends within this part of the creature's height from the limb's lowest point.
const LEADS_DOWN: f64 = 0.05;
/// A body touches the ground if it is within this part of the creature's height from the limb's lowest point: less
/// than an ankle is high.
const TOUCHES_GROUND: f64 = 0.02;
/// What stands on the ground comes down to it by at least this part of the limb's length.
const COMES_DOWN: f64 = 0.15;
/// Shorter than this, relative to a leg (or the size where there are none), is not an arm but an ear.
const ARM_LENGTH: f64 = 0.15;

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
    chain: Vec<usize>,
    /// Where it is joined to the trunk, m, world.
    hip: Vec3,
    /// Along the chain to its tip, m.
    length: f64,
    /// Lowest height.
    low: f64,
    /// It comes down to the ground.
    reaches: bool,
    /// Why it is a leg if it does not reach the ground, or other things worth telling.
    note: String,
}

impl Limb {
    fn root(&self) -> usize {
        self.bodies[0]
    }
}

/// Makes limbs of what hangs off the midline (or of midline legs, where there are no others) and tells their kind.
pub(super) fn sort_out(
    creature: &Creature,
    stand: &Stand,
    words: &[Words],
    split: &Split,
    facing: &Facing,
) -> Vec<Limb> {
    let mut limbs = from_seeds(creature, stand, split, facing);
    tell_legs(stand, words, &mut limbs);
    if !limbs.iter().any(|limb| limb.kind == Kind::Leg) {
        let midline_legs = midline_legs(creature, stand, words, split);
        if midline_legs.is_empty() {
            tell_legs_by_reach(stand, &mut limbs);
        }
        limbs.extend(midline_legs);
    }
    tell_arms(creature, stand, words, split, &mut limbs);
    part_twins(creature, stand, words, &mut limbs);
    join_parallel_legs(creature, stand, words, &mut limbs);
    limbs
}

fn from_seeds(creature: &Creature, stand: &Stand, split: &Split, facing: &Facing) -> Vec<Limb> {
    let mut bodies = vec![Vec::new(); split.seeds.len()];
    for body in stand.bodies() {
        split.seed_of[body].iter().for_each(|&seed| bodies[seed].push(body));
    }
    let limb = |(seed, bodies): (&symmetry::Seed, Vec<usize>)| {
        let mut limb = new_limb(creature, stand, bodies);
        limb.mate = seed.mate;
        limb.side = facing.side(stand.below[seed.root].com).or_else(|| facing.side(stand.com[seed.root]));
        limb
    };
    let mut limbs: Vec<Limb> = split.seeds.iter().zip(bodies).map(limb).collect();
    for index in 0..limbs.len() {
        if let Some(mate) = limbs[index].mate.filter(|&mate| mate > index) {
            let attach = common_ancestor(creature, limbs[index].attach, limbs[mate].attach);
            limbs[index].attach = attach;
            limbs[mate].attach = attach;
        }
    }
    limbs
}

fn new_limb(creature: &Creature, stand: &Stand, bodies: Vec<usize>) -> Limb {
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

/// Bodies come after their parents, so the larger index is never an ancestor of the smaller.
fn common_ancestor(creature: &Creature, mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = creature.bodies[a].parent;
        } else {
            b = creature.bodies[b].parent;
        }
    }
    a
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
    let mut far: std::collections::HashMap<usize, f64> = std::collections::HashMap::new();
    for &body in bodies.iter().rev() {
        let own = (stand.com[body] - hip).norm().max((stand.base(creature, body) - hip).norm());
        let reach = far.get(&body).map_or(own, |children| own.max(*children));
        far.insert(body, reach);
        let parent = far.entry(creature.bodies[body].parent).or_insert(0.0);
        *parent = parent.max(reach);
    }
    let most = far[&bodies[0]];
    chain(stand, bodies[0], |body| far[&body] >= FAR * most)
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
fn tip(creature: &Creature, stand: &Stand, body: usize, from: Vec3) -> Vec3 {
    let direction = (stand.com[body] - from).try_normalize(1e-9).unwrap_or(-stand.up);
    stand.extreme(creature, body, direction)
}

fn named(words: &[Words], limb: &Limb, parts: Parts) -> bool {
    limb.bodies.iter().any(|&body| words[body].parts.has(parts))
}

fn has_joints(stand: &Stand, limb: &Limb) -> bool {
    stand.below[limb.root()].joints.iter().sum::<usize>() > 0
}

/// Legs reach the ground, or are called so.
fn tell_legs(stand: &Stand, words: &[Words], limbs: &mut [Limb]) {
    let is_leg = |limb: &Limb| {
        let called_leg = named(words, limb, Parts::ANY_LEG) && !named(words, limb, Parts::ANY_ARM);
        let trinket = words[limb.root()].parts.has(Parts::TRINKET);
        has_joints(stand, limb) && !trinket && (limb.reaches || called_leg)
    };
    let legs: Vec<bool> = limbs.iter().map(is_leg).collect();
    for (index, limb) in limbs.iter_mut().enumerate() {
        if legs[index] || limb.mate.is_some_and(|mate| legs[mate]) {
            limb.kind = Kind::Leg;
        }
    }
}

/// Where nothing reaches the ground, paired limbs that are long enough to do so are legs: many robots are drawn with
/// their legs stretched out.
fn tell_legs_by_reach(stand: &Stand, limbs: &mut [Limb]) {
    for limb in limbs.iter_mut().filter(|limb| limb.mate.is_some()) {
        let joints: usize = stand.below[limb.root()].joints.iter().sum();
        if joints >= 2 && limb.length >= limb.hip.dot(&stand.up) - stand.ground {
            limb.kind = Kind::Leg;
            limb.note = "; nothing reaches the ground, but it is long enough to".into();
        }
    }
}

/// Legs in the plane of symmetry, for creatures that live in a plane: a trunk that is off the ground, and chains that
/// lead down from it.
fn midline_legs(creature: &Creature, stand: &Stand, words: &[Words], split: &Split) -> Vec<Limb> {
    const HIP_HEIGHT: f64 = 0.3; // of the height; lower chains are a belly
    let above_ground = |height: f64| (height - stand.ground) / stand.height.max(f64::MIN_POSITIVE);
    let midline = |body: &usize| split.seed_of[*body].is_none();
    let branches = midline_children(creature, stand, split);
    if above_ground(stand.low[stand.root]) < REACHES_GROUND {
        return Vec::new();
    }
    let mut limbs = Vec::new();
    for leaf in stand.bodies().filter(|body| midline(body) && *body != stand.root && branches[*body] == 0) {
        let mut root = leaf;
        let mut bodies = vec![leaf];
        loop {
            let parent = creature.bodies[root].parent;
            if parent == stand.root || branches[parent] > 1 {
                break;
            }
            root = parent;
            bodies.push(root);
        }
        bodies.reverse();
        let hip = stand.base(creature, root).dot(&stand.up);
        let tail = bodies.iter().any(|&body| words[body].parts.has(Parts::TAIL));
        if above_ground(stand.below[leaf].low) <= REACHES_GROUND && above_ground(hip) >= HIP_HEIGHT && !tail {
            let limb = Limb { kind: Kind::Leg, ..new_limb(creature, stand, bodies) };
            limbs.extend(has_joints(stand, &limb).then_some(limb));
        }
    }
    limbs
}

/// Number of children on the midline, for each body.
fn midline_children(creature: &Creature, stand: &Stand, split: &Split) -> Vec<usize> {
    let mut count = vec![0; creature.bodies.len()];
    for body in stand.bodies().filter(|&body| split.seed_of[body].is_none()) {
        count[creature.bodies[body].parent] += 1;
    }
    count
}

/// Arms are the other pairs, if they are long enough and not on the head.
fn tell_arms(creature: &Creature, stand: &Stand, words: &[Words], split: &Split, limbs: &mut [Limb]) {
    let legs = limbs.iter().filter(|limb| limb.kind == Kind::Leg);
    let least = ARM_LENGTH * legs.map(|leg| leg.length).reduce(f64::max).unwrap_or(stand.size);
    let is_arm = |limb: &Limb| {
        let called_arm = named(words, limb, Parts::ANY_ARM);
        let trinket = words[limb.root()].parts.has(Parts::TRINKET);
        let pair = limb.mate.is_some() && limb.length >= least;
        limb.kind == Kind::Other && has_joints(stand, limb) && !trinket && (called_arm || pair)
    };
    let arms: Vec<usize> = (0..limbs.len()).filter(|&index| is_arm(&limbs[index])).collect();
    arms.iter().for_each(|&index| limbs[index].kind = Kind::Arm);

    // Pairs at the very end of the trunk, with the true arms or the front legs further down: ears and antennae.
    let mut attaches: Vec<usize> =
        limbs.iter().filter(|limb| limb.kind != Kind::Other).map(|limb| limb.attach).collect();
    attaches.sort_unstable();
    attaches.dedup();
    let branches = midline_children(creature, stand, split);
    let leg_rows = limbs.iter().filter(|limb| limb.kind == Kind::Leg).count() / 2;
    for index in arms {
        let limb = &limbs[index];
        let at_end = branches[limb.attach] == 0;
        let further_down =
            ancestors(creature, limb.attach).filter(|body| attaches.binary_search(body).is_ok());
        let enough = if leg_rows > 1 { 1 } else { 2 };
        if at_end && !named(words, limb, Parts::ANY_ARM) && further_down.take(enough).count() == enough {
            limbs[index].kind = Kind::Other;
        }
    }
}

fn ancestors(creature: &Creature, body: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(Some(body), |&b| Some(creature.bodies[b].parent)).skip(1).take_while(|&b| b != 0)
}

/// Legs whose hips are nearer than this part of the size hang from one place.
const TWINS: f64 = 0.01;

/// Two midline legs that hang from one place are left and right, drawn in one plane. Only names can tell which.
fn part_twins(creature: &Creature, stand: &Stand, words: &[Words], limbs: &mut [Limb]) {
    let lone = |limb: &Limb| limb.kind == Kind::Leg && limb.side.is_none();
    let legs: Vec<usize> = (0..limbs.len()).filter(|&index| lone(&limbs[index])).collect();
    let &[a, b] = legs.as_slice() else { return };
    if (limbs[a].hip - limbs[b].hip).norm() > TWINS * stand.size {
        return;
    }
    let said = |limb: &Limb| limb.bodies.iter().find_map(|&body| words[body].side);
    let other = |side: Side| if side == Side::Left { Side::Right } else { Side::Left };
    let (side_of_a, how) = match (said(&limbs[a]), said(&limbs[b])) {
        (Some(side), _) => (side, "name"),
        (None, Some(side)) => (other(side), "name"),
        (None, None) => (Side::Left, "order in the file, left first"),
    };
    let twin = |of: &Limb| {
        format!("; in one place with `{}`, so its side is by {how}", creature.bodies[of.root()].name)
    };
    (limbs[a].note, limbs[b].note) = (twin(&limbs[b]), twin(&limbs[a]));
    (limbs[a].side, limbs[b].side) = (Some(side_of_a), Some(other(side_of_a)));
    (limbs[a].mate, limbs[b].mate) = (Some(b), Some(a));
}

/// Two chains that meet at the foot (a leg driven by two motors) are one leg; so are two whose names agree on row and
/// side while the file leaves it to a constraint to bring them together.
fn join_parallel_legs(creature: &Creature, stand: &Stand, words: &[Words], limbs: &mut [Limb]) {
    const MEET: f64 = 0.1; // of the length
    const NEIGHBOURS: usize = 8;
    let mut legs: Vec<usize> = (0..limbs.len()).filter(|&i| limbs[i].kind == Kind::Leg).collect();
    let end = |limb: &Limb| stand.sole(creature, limb.chain[limb.chain.len() - 1]);
    let ends: Vec<Vec3> = limbs.iter().map(end).collect();
    let claim = |limb: &Limb| words[limb.root()].row.zip(words[limb.root()].side);
    // Along any line, feet that meet stand next to each other.
    legs.sort_by(|&a, &b| ends[a].x.total_cmp(&ends[b].x));
    for k in 0..legs.len() {
        let a = legs[k];
        for &b in legs[k + 1..].iter().take(NEIGHBOURS) {
            let (one, other) = (&limbs[a], &limbs[b]);
            let both = one.kind == Kind::Leg && other.kind == Kind::Leg && one.side == other.side;
            let meet = (ends[a] - ends[b]).norm() < MEET * one.length.min(other.length);
            let named = claim(one).is_some() && claim(one) == claim(other);
            let twins = (one.hip - other.hip).norm() < TWINS * stand.size;
            if both && (meet || named) && !twins {
                let (kept, dropped) = (a.min(b), a.max(b));
                let name = &creature.bodies[limbs[dropped].root()].name;
                limbs[kept].note = format!("; one leg with that of `{name}`");
                limbs[dropped].kind = Kind::Other;
            }
        }
    }
    // Where not the same chain of both legs of a pair was kept, they stand alone until rows are made.
    for index in 0..limbs.len() {
        if limbs[index].mate.is_some_and(|mate| limbs[mate].kind != limbs[index].kind) {
            limbs[index].mate = None;
        }
    }
}

/// The direction that ought to be up, if the creature was drawn lying.
///
/// On its belly or back: its heaviest pair of limbs lies in the plane of symmetry and on the ground, as legs never do
/// in a creature that stands or sprawls. On its side: its heaviest pair lies one above the other.
pub(super) fn upright(creature: &Creature, stand: &Stand, split: &Split) -> Option<Vec3> {
    const FLAT: f64 = 0.3; // sine of the slope up to which a leg lies
    const ASIDE: f64 = 0.6; // sine of the angle up to which it is spread; those who sprawl spread more
    const FLATNESS: f64 = 0.5; // height over size
    let pairs = split.seeds.iter().filter_map(|seed| Some([seed.root, split.seeds[seed.mate?].root]));
    let stacked = symmetry::alike_siblings(stand).into_iter().filter(|&[a, b]| {
        let across = stand.base(creature, a) - stand.base(creature, b);
        across.dot(&stand.up).abs() > 0.9 * across.norm()
    });
    let jointed = |root: usize| stand.below[root].joints.iter().sum::<usize>() > 1;
    let [root, mate] = pairs
        .chain(stacked)
        .filter(|&[a, _]| jointed(a))
        .max_by(|x, y| stand.below[x[0]].mass.total_cmp(&stand.below[y[0]].mass).then(y.cmp(x)))?;

    // With more than arms and legs it is an insect, which may fold its legs any way.
    let heavy = |seed: &&symmetry::Seed| stand.below[seed.root].mass > 0.1 * stand.below[root].mass;
    let heavy_pairs = split.seeds.iter().filter(heavy).filter(|seed| seed.mate.is_some()).count() / 2;

    let hip = stand.base(creature, root);
    let across = (hip - stand.base(creature, mate)).try_normalize(1e-9)?;
    let along = (stand.below[root].com - hip).try_normalize(1e-9)?;
    let lies = along.dot(&stand.up).abs() < FLAT && along.dot(&across).abs() < ASIDE;
    if !lies || stand.height > FLATNESS * stand.size || heavy_pairs > 2 {
        return None;
    }
    // Files are drawn along axes.
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    let axis = axes.into_iter().max_by(|x, y| x.dot(&along).abs().total_cmp(&y.dot(&along).abs()))?;
    Some(if axis.dot(&along) > 0.0 { -axis } else { axis })
}

/// How far feet point ahead along `axis`, relative to the length of the leg: the mean over all legs that have a foot
/// with a length of its own.
pub(super) fn toes(creature: &Creature, stand: &Stand, split: &Split, axis: Vec3) -> Option<f64> {
    const FOOT_LENGTH: f64 = 0.4; // of the leg; longer is a shank
    let mut bodies = vec![Vec::new(); split.seeds.len()];
    for body in stand.bodies() {
        split.seed_of[body].iter().for_each(|&seed| bodies[seed].push(body));
    }
    let mut ahead = Vec::new();
    for limb in bodies.into_iter().map(|bodies| new_limb(creature, stand, bodies)) {
        if !limb.reaches || limb.chain.len() < 2 || !has_joints(stand, &limb) {
            continue;
        }
        let (foot, _) = standing_body(creature, stand, &limb);
        let ankle = stand.base(creature, foot);
        let goes_on = stand.children[foot].iter().any(|&child| !stand.children[child].is_empty());
        if goes_on || (stand.sole(creature, foot) - ankle).norm() > FOOT_LENGTH * limb.length {
            continue;
        }
        let reach = |sign: f64| {
            let below = stand.children[foot].iter().copied().chain([foot]);
            let points = below.map(|body| stand.extreme(creature, body, axis * sign).dot(&axis));
            points.reduce(|a, b| if sign > 0.0 { a.max(b) } else { a.min(b) }).unwrap_or(0.0)
        };
        ahead.push((0.5 * (reach(1.0) + reach(-1.0)) - ankle.dot(&axis)) / limb.length);
    }
    (!ahead.is_empty()).then(|| ahead.iter().sum::<f64>() / ahead.len() as f64)
}

/// The body a leg stands on, and why it is that one: of the bodies on the way to the tip that touch the ground, the one
/// with the longest footprint (a foot, neither shank nor toe); of digits that spread before they touch it, the
/// heaviest.
fn standing_body(creature: &Creature, stand: &Stand, limb: &Limb) -> (usize, &'static str) {
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
    extent(u).hypot(extent(stand.up.cross(&u)))
}

/// The body of a limb that names call by one of `ranks`, in this order, those that touch the ground first if asked.
fn named_body(a: &Anatomy, limb: &Limb, ranks: &[Parts], touching: bool) -> Option<usize> {
    let touches = |body: usize| !touching || a.stand.low[body] - limb.low <= LEADS_DOWN * a.stand.height;
    let called = |rank: Parts| limb.bodies.iter().copied().filter(move |&body| a.words[body].parts.has(rank));
    let of_rank = |rank: Parts, must_touch: bool| {
        let mut fits = called(rank).filter(|&body| touches(body) || !must_touch);
        // The joint words ankle and wrist mean the last of several bodies, the others the first.
        if rank == Parts::ANKLE || rank == Parts::WRIST { fits.last() } else { fits.next() }
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
    let (body, source, which) = match named_body(a, limb, &ranks, true) {
        Some(body) => (body, Source::File, " by its name"),
        None => {
            let (body, which) = standing_body(a.creature, a.stand, limb);
            match shin_below(a, limb, body) {
                Some(shin) => (shin, Source::Guess, ", the last called a shin,"),
                None => (body, Source::Guess, which),
            }
        }
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
fn middle_joint(a: &Anatomy, limb: &Limb, end: &End) -> Option<(usize, Source, String)> {
    let way: Vec<usize> = {
        let mut way: Vec<usize> = std::iter::successors(Some(end.body), |&body| {
            (body != limb.root()).then(|| a.creature.bodies[body].parent)
        })
        .collect();
        way.reverse();
        way
    };
    let fold = |joint: usize| folding(a, joint, limb.hip, end.point);
    let best_of = |joints: &mut dyn Iterator<Item = usize>| {
        joints.max_by(|&i, &j| fold(i).total_cmp(&fold(j)).then(j.cmp(&i)))
    };
    let joints_of = |body: usize| a.creature.bodies[body].joints.clone();
    let name = |joint: usize| &a.creature.joints[joint].name;

    let called = |joint: &usize| Words::read(name(*joint)).parts;
    let knees = Parts::KNEE.or(Parts::ELBOW);
    let shins = if limb.kind == Kind::Leg { Parts::SHIN.or(Parts::FOREARM) } else { Parts::FOREARM };
    let mut by_name = way.iter().flat_map(|&body| joints_of(body)).filter(|joint| called(joint).has(knees));
    if let Some(joint) = best_of(&mut by_name) {
        return Some((joint, Source::File, format!("joint `{}` by its name", name(joint))));
    }
    for parts in [knees, shins] {
        let body =
            way.iter().copied().find(|&body| a.words[body].parts.has(parts) && !joints_of(body).is_empty());
        if let Some((body, joint)) = body.and_then(|body| Some((body, best_of(&mut joints_of(body))?))) {
            let reason = format!("joint `{}` above `{}`", name(joint), a.creature.bodies[body].name);
            return Some((joint, Source::File, reason));
        }
    }

    const LEAST: f64 = 0.05; // of the limb's length: a joint that changes less is no knee
    const NEARLY: f64 = 0.9; // of the best: then the one nearer the trunk is the knee, the other a hock
    // The first body with joints hangs from the hip, whatever it has besides.
    let below_hip =
        || way.iter().filter(|&&body| !joints_of(body).is_empty()).skip(1).flat_map(|&b| joints_of(b));
    let best = below_hip().map(fold).fold(0.0, f64::max);
    let joint = below_hip().find(|&joint| fold(joint) >= NEARLY * best)?;
    let reach = (end.point - limb.hip).norm();
    (best > LEAST * limb.length).then(|| {
        let reason = format!(
            "folding joint `{}` by a right angle shortens the limb most: by {} of {}",
            name(joint),
            in_words(fold(joint)),
            in_words(reach.max(limb.length))
        );
        (joint, Source::Guess, reason)
    })
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
    r1 + r2 - r1.hypot(r2)
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
            (1, _) => (Role::Knee, None),
            (2, true) if index == 0 => (Role::Elbow, None),
            (2, true) => (Role::Knee, None),
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
    if let Some((joint, source, reason)) = middle_joint(a, limb, end) {
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

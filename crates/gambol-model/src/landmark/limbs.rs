//! Which limbs are legs, which are arms, and which are neither.

use super::Side;
use super::facing::Facing;
use super::limb::{Kind, Limb, REACHES_GROUND, new_limb, standing_body};
use super::stand::Stand;
use super::symmetry::{self, Split};
use super::words::{Parts, Words};
use crate::{Creature, Vec3};

/// Shorter than this, relative to a leg (or the size where there are none), is not an arm but an ear.
const ARM_LENGTH: f64 = 0.15;

/// Makes limbs of what hangs off the midline (or of midline legs, where there are no others) and tells their kind.
pub(super) fn sort_out(
    creature: &Creature,
    stand: &Stand,
    words: &[Words],
    split: &Split,
    facing: &Facing,
) -> Vec<Limb> {
    if is_cobra(creature, stand, words, split) {
        return Vec::new();
    }
    let mut limbs = from_seeds(creature, stand, split, facing);
    tell_legs(creature, stand, words, &mut limbs);
    if !limbs.iter().any(|limb| limb.kind == Kind::Leg) {
        let midline_legs = midline_legs(creature, stand, words, split);
        if midline_legs.is_empty() {
            tell_legs_by_reach(stand, words, &mut limbs);
        }
        limbs.extend(midline_legs);
    }
    tell_arms(creature, stand, words, split, &mut limbs);
    part_twins(creature, stand, words, &mut limbs);
    join_parallel_legs(creature, stand, words, &mut limbs);
    limbs
}

/// A body with a head and a tail by name, nothing called a limb, and nothing that has a twin: its bends aside are bends.
fn is_cobra(creature: &Creature, stand: &Stand, words: &[Words], split: &Split) -> bool {
    let has = |parts: Parts| stand.bodies().any(|body| words[body].parts.has(parts));
    let heavy = |seed: &&symmetry::Seed| stand.below[seed.root].mass > 0.01 * creature.mass();
    has(Parts::HEAD)
        && has(Parts::TAIL)
        && !has(Parts::ANY_LEG.or(Parts::ANY_ARM))
        && !split.seeds.iter().filter(heavy).any(|seed| seed.mate.is_some())
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

fn named(words: &[Words], limb: &Limb, parts: Parts) -> bool {
    limb.bodies.iter().any(|&body| words[body].parts.has(parts))
}

fn has_joints(stand: &Stand, limb: &Limb) -> bool {
    stand.below[limb.root()].joints.iter().sum::<usize>() > 0
}

/// What is called an arm is a leg if it comes within this part of the height of the ground: hands that hang low are not
/// feet, while the "arms" of many four-legged rigs are.
const ARM_STANDS: f64 = 0.05;
/// And if it ends at most this part of the height above where legs do that are called so: a skeleton's last bones are bare points.
/// Hands that hang are at 0.4.
const ARM_LEVEL: f64 = 0.12;
/// Sine of the slope from hips to shoulders, of those.
const LEVEL: f64 = 0.5;
/// Where other legs stand, what is called a leg ends below this part of the height: the "front legs" of a dinosaur that
/// dangle from its chest are arms.
const LEG_DANGLES: f64 = 0.25;

/// Legs reach the ground, or are called so.
fn tell_legs(creature: &Creature, stand: &Stand, words: &[Words], limbs: &mut [Limb]) {
    let above = |limb: &Limb| (limb.low - stand.ground) / stand.height.max(f64::MIN_POSITIVE);
    let others_stand =
        limbs.iter().any(|limb| limb.reaches && limb.mate.is_some() && has_joints(stand, limb));
    let named_legs = || {
        limbs.iter().filter(|limb| {
            named(words, limb, Parts::ANY_LEG) && !named(words, limb, Parts::ANY_ARM) && limb.mate.is_some()
        })
    };
    let legs_end = named_legs().map(|limb| limb.low).reduce(f64::min).unwrap_or(f64::NEG_INFINITY);
    // Shoulders that are farther ahead of the hips than above them: a trunk that lies level.
    let is_level = |limb: &Limb| {
        let base = |limb: &Limb| stand.base(creature, limb.root());
        named_legs().any(|leg| {
            let way = base(limb) - base(leg);
            way.dot(&stand.up).abs() < LEVEL * way.norm()
        })
    };
    let is_leg = |limb: &Limb| {
        let (leg, arm) = (named(words, limb, Parts::ANY_LEG), named(words, limb, Parts::ANY_ARM));
        let called_leg = leg && !arm && (above(limb) < LEG_DANGLES || !others_stand);
        // An arm that stands does so on both sides: one that alone reaches the ground holds a gun.
        let arm_stands = |limb: &Limb| limb.reaches && above(limb) < ARM_STANDS;
        let both = arm_stands(limb) && limb.mate.is_none_or(|mate| arm_stands(&limbs[mate]));
        // A skeleton without flesh ends where its last bones begin, legs and "arms" alike.
        let level = |limb: &Limb| limb.low - legs_end < ARM_LEVEL * stand.height && is_level(limb);
        let level = limb.mate.is_some_and(|mate| level(&limbs[mate])) && level(limb);
        let stands = limb.reaches && (leg || !arm || both) || arm && level;
        let trinket = words[limb.root()].parts.has(Parts::TRINKET);
        let fin = named(words, limb, Parts::FIN) && !leg;
        has_joints(stand, limb) && !trinket && !fin && (stands || called_leg)
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
fn tell_legs_by_reach(stand: &Stand, words: &[Words], limbs: &mut [Limb]) {
    let beats = |limb: &Limb| named(words, limb, Parts::FIN.or(Parts::WING));
    for limb in limbs.iter_mut().filter(|limb| limb.mate.is_some() && !beats(limb)) {
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
    const STEEP: f64 = 0.6; // drop over distance from hip to end; flatter chains are the tail of a fish
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
            let along = limb.hip - stand.com[leaf];
            let steep = along.dot(&stand.up) >= STEEP * along.norm();
            limbs.extend((has_joints(stand, &limb) && steep).then_some(limb));
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
        let trinket = words[limb.root()].parts.has(Parts::TRINKET.or(Parts::FIN));
        let pair = limb.mate.is_some() && limb.length >= least;
        limb.kind == Kind::Other && has_joints(stand, limb) && !trinket && (called_arm || pair)
    };
    let arms: Vec<usize> = (0..limbs.len()).filter(|&index| is_arm(&limbs[index])).collect();
    for &index in &arms {
        limbs[index].kind = Kind::Arm;
    }

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

pub(super) fn ancestors(creature: &Creature, body: usize) -> impl Iterator<Item = usize> + '_ {
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
    lying_pair(creature, stand, split).map(|(_, up)| up)
}

/// The same, if what lies are legs: by their names, or since they are a fair part of the body. Fins that trail are neither.
pub(super) fn raised(creature: &Creature, stand: &Stand, words: &[Words], split: &Split) -> Option<Vec3> {
    if let Some(up) = legs_agree(creature, stand, words) {
        return Some(up);
    }
    let (root, up) = lying_pair(creature, stand, split)?;
    let below = |body: &usize| std::iter::once(*body).chain(ancestors(creature, *body)).any(|at| at == root);
    let said = |parts: Parts| stand.bodies().filter(below).any(|body| words[body].parts.has(parts));
    let heavy = 2.0 * stand.below[root].mass > LEGS_MASS * creature.mass();
    let swims = said(Parts::FIN.or(Parts::WING));
    (!swims && (said(Parts::ANY_LEG) || heavy)).then_some(up)
}

/// Of the whole, of legs that nobody calls so; a person's are a third, a dolphin's flippers a twentieth.
const LEGS_MASS: f64 = 0.1;

/// The direction that ought to be up if all legs point one way and that is not down: across the line of their hips where there are
/// several pairs, away from the trunk where there is one. Legs that are folded or spread point no way.
fn legs_agree(creature: &Creature, stand: &Stand, words: &[Words]) -> Option<Vec3> {
    const LARGE: f64 = 0.2; // of the heaviest limb: others are fingers and ears
    const AGREE: f64 = 0.8; // length of the mean of unit vectors along legs
    const DOWN: f64 = 0.5; // cosine: legs that point down by this much are drawn as they stand
    const ACROSS: f64 = 0.5; // cosine of the angle to the line of hips, at most
    const AWAY: f64 = 0.7; // cosine of the angle to the way from the trunk to the hips, at least
    let below = |root: usize| {
        let is_below =
            move |body: &usize| std::iter::once(*body).chain(ancestors(creature, *body)).any(|at| at == root);
        stand.bodies().filter(is_below)
    };
    let said = |root: usize, parts: Parts| below(root).any(|body| words[body].parts.has(parts));
    let along = |root: usize| (stand.below[root].com - stand.base(creature, root)).try_normalize(1e-9);
    let way = |[a, b]: [usize; 2]| Some((along(a)? + along(b)?) * 0.5).filter(|way| way.norm() > AGREE);
    let jointed = |root: usize| stand.below[root].joints.iter().sum::<usize>() > 1;
    let limbs: Vec<[usize; 2]> = symmetry::alike_siblings(stand)
        .into_iter()
        .filter(|&[a, _]| jointed(a) && !said(a, Parts::FIN.or(Parts::WING)))
        .collect();
    let most = limbs.iter().map(|[a, _]| stand.below[*a].mass).fold(0.0, f64::max);
    let large = limbs.iter().filter(|[a, _]| stand.below[*a].mass > LARGE * most);
    // With more than arms and legs it is an insect or a spider, which may arch its legs any way.
    if distinct(large.flatten()) > 4 {
        return None;
    }
    let mut legs: Vec<([usize; 2], Vec3)> =
        limbs.into_iter().filter_map(|pair| Some((pair, way(pair)?))).collect();
    let each: std::collections::BTreeSet<usize> = legs.iter().flat_map(|(pair, _)| *pair).collect();
    let heavy = each.iter().map(|&leg| stand.below[leg].mass).sum::<f64>() > LEGS_MASS * creature.mass();
    let any_said = legs.iter().any(|([a, _], _)| said(*a, Parts::ANY_LEG));
    // Where some are called legs, what is called an arm is one only beside them.
    if any_said && legs.iter().filter(|([a, _], _)| said(*a, Parts::ANY_LEG)).count() == 1 {
        let own: Vec<_> = legs.iter().filter(|([a, _], _)| said(*a, Parts::ANY_LEG)).copied().collect();
        let others: Vec<_> =
            legs.iter().filter(|(_, way)| way.dot(&own[0].1) > AGREE * AGREE).copied().collect();
        legs = if others.len() > 1 { others } else { own };
    }
    if !any_said && (!heavy || legs.len() < 2) {
        return None;
    }
    let mean = legs.iter().map(|(_, way)| way).sum::<Vec3>() / legs.len().max(1) as f64;
    if mean.norm() < AGREE || mean.dot(&stand.up) < -DOWN * mean.norm() {
        return None;
    }
    let way = mean.normalize();
    let hips: Vec<Vec3> =
        legs.iter().map(|([a, b], _)| (stand.base(creature, *a) + stand.base(creature, *b)) * 0.5).collect();
    let middle = hips.iter().sum::<Vec3>() / hips.len() as f64;
    let line = hips.iter().map(|hip| hip - middle).max_by(|a, b| a.norm().total_cmp(&b.norm()))?;
    let across = legs.len() > 1 && line.norm() > 0.0 && way.dot(&line).abs() < ACROSS * line.norm();
    let mut roots: Vec<usize> = legs.iter().flat_map(|(pair, _)| *pair).collect();
    roots.sort_unstable();
    roots.dedup();
    let [whole, own] = [&[stand.root][..], &roots[..]].map(|roots| {
        let of = |&root: &usize| (stand.below[root].mass, stand.below[root].com * stand.below[root].mass);
        roots.iter().map(of).fold((0.0, Vec3::zeros()), |(m, c), (mass, moment)| (m + mass, c + moment))
    });
    let trunk = middle - (whole.1 - own.1) / (whole.0 - own.0).max(f64::MIN_POSITIVE);
    let away = way.dot(&trunk) > AWAY * trunk.norm();
    // Files are drawn along axes.
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    let axis = axes.into_iter().max_by(|x, y| x.dot(&way).abs().total_cmp(&y.dot(&way).abs()))?;
    (across || any_said && away).then(|| if axis.dot(&way) > 0.0 { -axis } else { axis })
}

/// How many different ones there are.
fn distinct<'a>(all: impl Iterator<Item = &'a usize>) -> usize {
    all.collect::<std::collections::HashSet<_>>().len()
}

/// The limb that lies, and the direction that ought to be up.
fn lying_pair(creature: &Creature, stand: &Stand, split: &Split) -> Option<(usize, Vec3)> {
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
    Some((root, if axis.dot(&along) > 0.0 { -axis } else { axis }))
}

/// How far feet point ahead along `axis`, relative to the length of the leg: the mean over all legs that have a foot
/// with a length of its own.
pub(super) fn toes(creature: &Creature, stand: &Stand, split: &Split, axis: Vec3) -> Option<f64> {
    const FOOT_LENGTH: f64 = 0.4; // of the leg; longer is a shank
    const STANDS: f64 = 0.3; // of the leg: of a single pair, what comes down by less from where it begins is a flipper that trails
    let mut bodies = vec![Vec::new(); split.seeds.len()];
    for body in stand.bodies() {
        split.seed_of[body].iter().for_each(|&seed| bodies[seed].push(body));
    }
    let mut ahead = Vec::new();
    let limbs: Vec<Limb> = bodies.into_iter().map(|bodies| new_limb(creature, stand, bodies)).collect();
    let single = limbs.iter().filter(|limb| limb.reaches).count() <= 2;
    for limb in limbs {
        if !limb.reaches || limb.chain.len() < 2 || !has_joints(stand, &limb) {
            continue;
        }
        let (foot, _) = standing_body(creature, stand, &limb);
        let ankle = stand.base(creature, foot);
        if single && (limb.hip - stand.sole(creature, foot)).dot(&stand.up) < STANDS * limb.length {
            continue;
        }
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

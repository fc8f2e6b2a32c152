//! What lies in the plane of symmetry: head, tail and the joints of the spine.

use std::collections::{HashSet, VecDeque};

use super::ends::numbered;
use super::explicit::default_point;
use super::limb::Kind;
use super::symmetry::conventional_forward;
use super::words::{Parts, Words};
use super::{Anatomy, Landmark, Role, Row, Source};
use crate::{ConstraintKind, JointKind, Vec3};

/// Bodies of the midline seen from one of them, whatever the direction of the tree.
struct Walk {
    /// The body before, on the way from the start.
    before: Vec<Option<usize>>,
    /// Length of the way, m; negative where there is none.
    length: Vec<f64>,
    /// Bodies in the order of steps.
    order: Vec<usize>,
}

impl Walk {
    fn new(a: &Anatomy, start: usize) -> Self {
        let count = a.creature.bodies.len();
        let mut walk = Self { before: vec![None; count], length: vec![-1.0; count], order: Vec::new() };
        let mut queue = VecDeque::from([start]);
        walk.length[start] = 0.0;
        while let Some(body) = queue.pop_front() {
            walk.order.push(body);
            for next in neighbours(a, body) {
                if walk.length[next] < 0.0 {
                    walk.before[next] = Some(body);
                    // A step leads from joint to joint; a body just counts as a step of its own where they coincide.
                    let step = (a.stand.com[next] - a.stand.com[body]).norm();
                    walk.length[next] = walk.length[body] + step;
                    queue.push_back(next);
                }
            }
        }
        walk
    }

    /// From the start to `end`.
    fn path(&self, end: usize) -> Vec<usize> {
        let mut path: Vec<usize> = std::iter::successors(Some(end), |&body| self.before[body]).collect();
        path.reverse();
        path
    }

    /// The body farthest away; the first of several.
    fn farthest(&self) -> usize {
        let farther = |&a: &usize, &b: &usize| self.length[a].total_cmp(&self.length[b]).then(b.cmp(&a));
        self.order.iter().copied().max_by(farther).unwrap_or(self.order[0])
    }
}

fn on_midline(a: &Anatomy, body: usize) -> bool {
    body != 0 && a.stand.in_tree[body] && a.limb_of[body].is_none()
}

fn neighbours<'b>(a: &'b Anatomy, body: usize) -> impl Iterator<Item = usize> + 'b {
    let parent = std::iter::once(a.creature.bodies[body].parent);
    parent.chain(a.stand.children[body].iter().copied()).filter(|&next| on_midline(a, next))
}

/// The joints between two neighbours that turn.
fn joints_between<'b>(a: &'b Anatomy, x: usize, y: usize) -> impl Iterator<Item = usize> + 'b {
    let child = if a.creature.bodies[x].parent == y { x } else { y };
    let turns = |&joint: &usize| matches!(a.creature.joints[joint].kind, JointKind::Hinge | JointKind::Ball);
    a.creature.bodies[child].joints.clone().filter(turns)
}

pub(super) fn landmarks(a: &Anatomy) -> Vec<Landmark> {
    match trunk(a) {
        Some(trunk) => with_limbs(a, &trunk),
        None => legless(a),
    }
}

/// The midline from the hindmost limbs to the foremost, and the walk from the former.
struct Trunk {
    path: Vec<usize>,
    walk: Walk,
}

fn trunk(a: &Anatomy) -> Option<Trunk> {
    let ahead = |point: Vec3| point.dot(&a.facing.forward);
    let hip = |limb: &super::Limb| a.stand.base(a.creature, limb.bodies[0]);
    let legs = a.limbs.iter().filter(|limb| limb.kind == Kind::Leg);
    let hind = legs.min_by(|x, y| ahead(hip(x)).total_cmp(&ahead(hip(y))))?.attach;
    if !on_midline(a, hind) {
        return None;
    }
    let walk = Walk::new(a, hind);
    let limbs = a.limbs.iter().filter(|limb| limb.kind != Kind::Other && on_midline(a, limb.attach));
    let front = limbs
        .map(|limb| limb.attach)
        .max_by(|&x, &y| walk.length[x].total_cmp(&walk.length[y]).then(y.cmp(&x)))?;
    Some(Trunk { path: walk.path(front), walk })
}

fn with_limbs(a: &Anatomy, trunk: &Trunk) -> Vec<Landmark> {
    let ends = appendages(a, trunk);
    let head = named_head(a, trunk).or_else(|| guess_head(a, &ends));
    let tail = named_tail(a, trunk).or_else(|| guess_tail(a, trunk, &ends, head.as_ref()));
    let mut landmarks = spine(a, trunk, head.as_ref().map(|head| head.body));
    landmarks.extend(head);
    landmarks.extend(tail);
    landmarks
}

/// A part of the midline beyond the trunk.
struct Appendage {
    /// First body.
    start: usize,
    /// Its body farthest from the trunk.
    last: usize,
    base: Vec3,
    tip: Vec3,
    mass: f64,
    jointed: bool,
    /// It hangs from the hind end of a trunk that has two ends.
    at_hind: bool,
}

impl Appendage {
    /// What begins with `start` next to `before` on the trunk.
    fn new(a: &Anatomy, trunk: &Trunk, before: usize, start: usize) -> Self {
        let child = if a.creature.bodies[before].parent == start { before } else { start };
        let base = a.stand.base(a.creature, child);
        let at_hind = trunk.path.len() > 1 && before == trunk.path[0];
        Self { start, last: start, base, tip: base, mass: 0.0, jointed: false, at_hind }
    }
}

fn appendages(a: &Anatomy, trunk: &Trunk) -> Vec<Appendage> {
    let mut owner: Vec<Option<usize>> = vec![None; a.creature.bodies.len()];
    let mut on_trunk = vec![false; a.creature.bodies.len()];
    trunk.path.iter().for_each(|&body| on_trunk[body] = true);
    let mut ends: Vec<Appendage> = Vec::new();
    for &body in trunk.walk.order.iter().filter(|&&body| !on_trunk[body]) {
        let Some(before) = trunk.walk.before[body] else { continue };
        let index = owner[before].unwrap_or_else(|| {
            ends.push(Appendage::new(a, trunk, before, body));
            ends.len() - 1
        });
        owner[body] = Some(index);
        let end = &mut ends[index];
        end.mass += a.creature.bodies[body].mass.mass;
        end.jointed |= joints_between(a, before, body).next().is_some();
        let direction = (a.stand.com[body] - end.base).try_normalize(1e-9).unwrap_or(a.stand.up);
        let tip = a.stand.extreme(a.creature, body, direction);
        if (tip - end.base).norm() > (end.tip - end.base).norm() {
            end.tip = tip;
            end.last = body;
        }
    }
    let total = a.stand.below[a.stand.root].mass;
    // A sensor on the trunk is not a head: too short, or too light.
    ends.retain(|end| end.jointed || a.facing.side(a.stand.com[end.last]).is_none());
    ends.retain(|end| (end.tip - end.base).norm() > 0.04 * a.stand.size && end.mass > 0.002 * total);
    ends
}

fn named_head(a: &Anatomy, trunk: &Trunk) -> Option<Landmark> {
    let body = trunk.walk.order.iter().copied().find(|&body| a.words[body].parts.has(Parts::HEAD))?;
    Some(point_landmark(a, Role::Head, body, Source::File, format!("body `{}` by its name", name(a, body))))
}

/// The head is the end of what points forward or up.
fn guess_head(a: &Anatomy, ends: &[Appendage]) -> Option<Landmark> {
    let ahead = a.facing.forward + a.stand.up;
    let towards = |end: &&Appendage| (end.tip - end.base).normalize().dot(&ahead) > 0.2;
    let not_tail = |end: &&Appendage| !a.words[end.start].parts.has(Parts::TAIL);
    let head = ends
        .iter()
        .filter(|end| !end.at_hind)
        .filter(towards)
        .filter(not_tail)
        .max_by(|x, y| x.tip.dot(&ahead).total_cmp(&y.tip.dot(&ahead)).then(y.start.cmp(&x.start)))?;
    let body = without_jaw(a, head);
    let reason = format!("body `{}` ends the midline towards the front and top", name(a, body));
    Some(point_landmark(a, Role::Head, body, Source::Guess, reason))
}

/// A jaw has less than this part of the mass of its head.
const JAW: f64 = 0.4;

/// The farthest body of a head is often its jaw or nose: much lighter than the one it hangs from.
fn without_jaw(a: &Anatomy, head: &Appendage) -> usize {
    let mut body = head.last;
    while body != head.start {
        let parent = a.creature.bodies[body].parent;
        let mass = |body: usize| a.creature.bodies[body].mass.mass;
        if !on_midline(a, parent) || mass(body) >= JAW * mass(parent) {
            break;
        }
        body = parent;
    }
    body
}

fn named_tail(a: &Anatomy, trunk: &Trunk) -> Option<Landmark> {
    let called = |&&body: &&usize| a.words[body].parts.has(Parts::TAIL);
    let first = *trunk.walk.order.iter().find(called)?;
    // The tip is the end of the chain, whether all of it is called a tail or only its root.
    let mut below = vec![false; a.creature.bodies.len()];
    below[first] = true;
    for &body in &trunk.walk.order {
        below[body] |= trunk.walk.before[body].is_some_and(|before| below[before]);
    }
    let farther =
        |&x: &usize, &y: &usize| trunk.walk.length[x].total_cmp(&trunk.walk.length[y]).then(y.cmp(&x));
    let last = trunk.walk.order.iter().copied().filter(|&body| below[body]).max_by(farther)?;
    let reason =
        format!("body `{}` ends the chain that `{}` begins by its name", name(a, last), name(a, first));
    Some(point_landmark(a, Role::Tail, last, Source::File, reason))
}

/// The tail points back, or hangs from the hind end of the trunk.
fn guess_tail(a: &Anatomy, trunk: &Trunk, ends: &[Appendage], head: Option<&Landmark>) -> Option<Landmark> {
    let forward = a.facing.forward;
    let hind = a.stand.com[trunk.path[0]].dot(&forward);
    let points_back = |end: &&Appendage| {
        let back = (end.tip - end.base).normalize().dot(&forward) < -0.3;
        end.jointed && (back || end.at_hind && end.tip.dot(&forward) < hind)
    };
    let to_head: HashSet<usize> = head.iter().flat_map(|head| trunk.walk.path(head.body)).collect();
    let is_head = |end: &&Appendage| to_head.contains(&end.start);
    let behind = |x: &&Appendage, y: &&Appendage| x.tip.dot(&forward).total_cmp(&y.tip.dot(&forward));
    let tail = ends.iter().filter(|end| points_back(end) && !is_head(end)).min_by(behind)?;
    let reason = format!("body `{}` ends the midline towards the back", name(a, tail.last));
    Some(point_landmark(a, Role::Tail, tail.last, Source::Guess, reason))
}

/// Joints between the hindmost and the foremost limbs; between the limbs and the head where all limbs hang from one
/// body. Beyond the foremost limbs only what is called a spine belongs to it: the rest is neck.
fn spine(a: &Anatomy, trunk: &Trunk, head: Option<usize>) -> Vec<Landmark> {
    let mut to_head = head.map_or_else(Vec::new, |head| trunk.walk.path(head));
    to_head.pop(); // the head's own joint is the neck
    let one_body = trunk.path.len() == 1;
    let (certain, only_named): (&[usize], &[usize]) = match to_head.strip_prefix(trunk.path.as_slice()) {
        Some(_) if one_body => (&to_head, &[]),
        Some(_) => (&trunk.path, &to_head[trunk.path.len() - 1..]),
        None => (&trunk.path, &[]),
    };
    let called = |joint: usize| {
        let body = a.creature.joints[joint].body;
        a.words[body].parts.has(Parts::SPINE)
            || Words::read(&a.creature.joints[joint].name).parts.has(Parts::SPINE)
    };
    let joints = |path: &'_ [usize]| -> Vec<usize> {
        path.windows(2).flat_map(|step| joints_between(a, step[0], step[1])).collect()
    };
    let mut all = joints(certain);
    all.extend(joints(only_named).into_iter().filter(|&joint| called(joint)));
    let landmark = |(index, joint): (usize, usize)| {
        let (source, why) = match called(joint) {
            true => (Source::File, "by its name"),
            false if one_body => (Source::Guess, "on the midline between the limbs and the head"),
            false => (Source::Guess, "on the midline between the hindmost and the foremost limbs"),
        };
        spine_landmark(a, numbered(index), joint, source, why)
    };
    all.into_iter().enumerate().map(landmark).collect()
}

/// The ends of a body without legs: the longest way through its midline.
fn longest_path(a: &Anatomy) -> Vec<usize> {
    if !on_midline(a, a.stand.root) {
        return Vec::new();
    }
    let from = Walk::new(a, a.stand.root).farthest();
    let walk = Walk::new(a, from);
    walk.path(walk.farthest())
}

/// Whether a body without limbs is closed to a ring: then it has no ends.
pub(super) fn is_ring(a: &Anatomy) -> bool {
    let path = longest_path(a);
    let ends = [path.first().copied(), path.last().copied()];
    a.creature.constraints.iter().any(|constraint| {
        let (x, y) = match &constraint.kind {
            ConstraintKind::Connect { a, b } | ConstraintKind::Hinge { a, b, .. } => (a.body, b.body),
            ConstraintKind::Weld { a, b, .. } => (*a, *b),
            _ => return false,
        };
        ends == [Some(x), Some(y)] || ends == [Some(y), Some(x)]
    })
}

/// A snake: head and tail are the ends, and every joint between them is spine. What is fixed to the world is a
/// machine, what is as high as long is not lying on its belly, and a ring has no ends.
fn legless(a: &Anatomy) -> Vec<Landmark> {
    const LEAST_BODIES: usize = 3;
    const MOST_HEIGHT: f64 = 0.35; // of the length
    const LEAST_MASS: f64 = 0.6; // of the whole
    let mut path = longest_path(a);
    let moves = !a.creature.bodies[a.stand.root].joints.is_empty();
    let length: f64 = path.windows(2).map(|step| (a.stand.com[step[1]] - a.stand.com[step[0]]).norm()).sum();
    let mass: f64 = path.iter().map(|&body| a.creature.bodies[body].mass.mass).sum();
    // Its middle line, not its fins, tells whether it lies. A cobra rises, but has a head and a tail by name.
    let heights = || path.iter().map(|&body| a.stand.com[body].dot(&a.stand.up));
    let rises = heights().fold(f64::NEG_INFINITY, f64::max) - heights().fold(f64::INFINITY, f64::min);
    let named = |part| path.iter().any(|&body| a.words[body].parts.has(part));
    let lies = rises <= MOST_HEIGHT * length || named(Parts::HEAD) && named(Parts::TAIL);
    let is_snake =
        path.len() >= LEAST_BODIES && moves && lies && mass >= LEAST_MASS * a.stand.below[a.stand.root].mass;
    if !is_snake || is_ring(a) {
        return Vec::new();
    }
    let (head_is_first, source, why) = which_end_is_head(a, &path);
    if head_is_first {
        path.reverse();
    }
    let neck = named_head_on(a, &path).unwrap_or_else(|| trim_jaw(a, &path));
    path.truncate(neck);
    let (tail, head) = (path[0], path[path.len() - 1]);
    let joints = path.windows(2).flat_map(|step| joints_between(a, step[0], step[1]));
    let between =
        |(index, joint)| spine_landmark(a, numbered(index), joint, Source::Guess, "between head and tail");
    let mut landmarks: Vec<Landmark> = joints.enumerate().map(between).collect();
    for (role, body) in [(Role::Head, head), (Role::Tail, tail)] {
        let reason = format!("body `{}` is an end of a body without legs, {why}", name(a, body));
        landmarks.push(point_landmark(a, role, body, source, reason));
    }
    landmarks
}

/// Length of a path up to what is called a head, in its front half: beyond it are mouth and tongue.
fn named_head_on(a: &Anatomy, path: &[usize]) -> Option<usize> {
    let head = path.iter().rposition(|&body| a.words[body].parts.has(Parts::HEAD))?;
    (2 * head >= path.len()).then_some(head + 1)
}

/// Length of a path without the jaw at its end.
fn trim_jaw(a: &Anatomy, path: &[usize]) -> usize {
    let mass = |body: usize| a.creature.bodies[body].mass.mass;
    match path {
        [.., head, jaw] if mass(*jaw) < JAW * mass(*head) => path.len() - 1,
        _ => path.len(),
    }
}

fn which_end_is_head(a: &Anatomy, path: &[usize]) -> (bool, Source, &'static str) {
    let half = path.len() / 2;
    let named = |part, bodies: &[usize]| bodies.iter().any(|&body| a.words[body].parts.has(part));
    let says = |bodies: &[usize], others: &[usize]| named(Parts::HEAD, bodies) || named(Parts::TAIL, others);
    let (first, last) = path.split_at(half);
    match (says(first, last), says(last, first)) {
        (true, false) => return (true, Source::File, "by its name"),
        (false, true) => return (false, Source::File, "by its name"),
        _ => {}
    }
    let along = a.stand.com[path[path.len() - 1]] - a.stand.com[path[0]];
    let forward = conventional_forward(a.stand.up);
    let ahead = along.dot(&forward);
    let sideways = along.dot(&a.stand.up.cross(&forward));
    let towards_head = if ahead.abs() > 1e-3 * a.stand.size { ahead } else { sideways };
    (towards_head < 0.0, Source::Guess, "the head is the one ahead by convention")
}

fn name<'b>(a: &'b Anatomy, body: usize) -> &'b str {
    &a.creature.bodies[body].name
}

fn point_landmark(a: &Anatomy, role: Role, body: usize, source: Source, reason: String) -> Landmark {
    let point = default_point(a.creature, a.stand, role, body);
    Landmark { role, row: None, side: None, body, point, joint: None, source, reason }
}

fn spine_landmark(a: &Anatomy, row: Row, joint: usize, source: Source, why: &str) -> Landmark {
    let body = a.creature.joints[joint].body;
    let point = a.creature.joints[joint].anchor;
    let reason = format!("joint `{}` {why}", a.creature.joints[joint].name);
    Landmark {
        role: Role::Spine,
        row: Some(row),
        side: None,
        body,
        point,
        joint: Some(joint),
        source,
        reason,
    }
}

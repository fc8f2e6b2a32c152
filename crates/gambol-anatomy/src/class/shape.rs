//! What can be seen of a body that nobody names: the row that is its back, rows that hang from it, and wheels.

use gambol_dynamics::BodyFrame;
use gambol_model::{Creature, JointKind, Vec3};

use super::ClassSettings;
use crate::Heading;

/// The longest row of bodies without a mate, from end to end.
pub(super) struct Back {
    /// Joints that bend it.
    pub(super) bends: usize,
    /// From joint to joint, m.
    pub(super) length: f64,
    /// From its lowest joint to its highest, m.
    pub(super) rises: f64,
    /// Joints of each row that hangs from it.
    side: Vec<usize>,
}

impl Back {
    pub(super) fn find(creature: &Creature, frames: &[BodyFrame], unpaired: &[bool], up: Vec3) -> Self {
        let count = creature.bodies().len();
        let parent = |body: usize| creature.bodies()[body].parent;
        let joints = |body: usize| {
            let all = creature.joints()[creature.bodies()[body].joints.clone()].iter();
            let bending =
                all.filter(|joint| matches!(joint.kind, JointKind::Hinge | JointKind::Ball)).count();
            if unpaired[body] { bending } else { 0 }
        };
        let bends = |body: usize| joints(body) > 0;
        // Children come after their parents: the two deepest rows below each body.
        let mut below = vec![[(0_usize, 0_usize); 2]; count];
        for body in (1..count).rev().filter(|&body| bends(body)) {
            let own = (below[body][0].0 + joints(body), body);
            let above = &mut below[parent(body)];
            if own.0 > above[0].0 {
                *above = [own, above[0]];
            } else if own.0 > above[1].0 {
                above[1] = own;
            }
        }
        let top =
            (1..count).max_by_key(|&body| (below[body][0].0 + below[body][1].0, count - body)).unwrap_or(0);
        let row = |start: usize| {
            std::iter::successors(Some(start).filter(|&body| body != 0), |&body| {
                Some(below[body][0].1).filter(|&next| next != 0)
            })
        };
        let mut bodies: Vec<usize> = row(below[top][1].1).collect();
        bodies.reverse();
        bodies.push(top);
        bodies.extend(row(below[top][0].1));
        let at: Vec<Vec3> = bodies.iter().map(|&body| frames[body].position).collect();
        let heights = || at.iter().map(|at| at.dot(&up));
        let side = (1..count)
            .filter(|&body| bends(body) && !bodies.contains(&body) && bodies.contains(&parent(body)));
        Self {
            bends: below[top][0].0 + below[top][1].0,
            length: at.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum(),
            rises: heights().fold(f64::NEG_INFINITY, f64::max) - heights().fold(f64::INFINITY, f64::min),
            side: side.map(|body| below[body][0].0 + joints(body)).collect(),
        }
    }

    /// Rows that hang from it and are as long as a back is.
    pub(super) fn branches(&self, settings: &ClassSettings) -> usize {
        let least = (settings.branch * self.bends as f64).max(2.0);
        self.side.iter().filter(|&&joints| joints as f64 >= least).count()
    }
}

/// Rows of parts that spread from one body as fingers do from a palm: side by side in a plane, all one way, each a part of its own width away
/// from the next. Legs of a trunk in one piece stand in pairs, arms of a squid in a ring. Their count; 0 of what is no hand.
pub(super) fn fingers(creature: &Creature, frames: &[BodyFrame], settings: &ClassSettings) -> usize {
    let bodies = creature.bodies();
    let count = bodies.len();
    let children =
        |body: usize| (1..count).filter(move |&child| child != body && bodies[child].parent == body);
    let place = |body: usize| {
        let joint = creature.joints()[bodies[body].joints.clone()].first();
        joint.map_or(frames[body].position, |joint| frames[body].point_in_world(joint.anchor))
    };
    // From a root on while there is one way to go; the tip is as far beyond the last centre of mass as that is from its joint.
    let row = |root: usize| -> Option<(usize, Vec3, Vec3)> {
        let mut way = vec![root];
        while let Some(next) = children(way[way.len() - 1]).next() {
            if children(way[way.len() - 1]).count() > 1 {
                return None;
            }
            way.push(next);
        }
        let last = way[way.len() - 1];
        let com = frames[last].point_in_world(bodies[last].mass.com);
        (way.len() >= 2).then(|| (way.len(), place(root), 2.0 * com - place(last)))
    };
    let moving = (1..count).filter(|&body| !bodies[body].joints.is_empty()).count();
    let of_hub = |hub: usize| {
        let rows: Vec<(usize, Vec3, Vec3)> = children(hub).filter_map(row).collect();
        let parts: usize = rows.iter().map(|(parts, ..)| parts).sum();
        let (fewest, most) = (settings.fewest_fingers, settings.most_fingers);
        if rows.len() < fewest
            || rows.len() > most
            || (parts as f64) < settings.fingers * (moving.saturating_sub(1)) as f64
        {
            return 0;
        }
        let ways: Vec<Vec3> = rows.iter().map(|(_, root, tip)| tip - root).collect();
        let length = ways.iter().map(Vec3::norm).fold(0.0, f64::max);
        let alike = ways.iter().all(|way| way.norm() > settings.short_finger * length);
        let mean = ways.iter().filter_map(|way| way.try_normalize(1e-9)).sum::<Vec3>() / ways.len() as f64;
        let Some(ahead) = mean.try_normalize(settings.fingers_agree) else { return 0 };
        // Where rows end across their common way: along a line, and no two at one place.
        let middle = rows.iter().map(|(_, _, tip)| tip).sum::<Vec3>() / rows.len() as f64;
        let across: Vec<Vec3> =
            rows.iter().map(|(_, _, tip)| tip - middle).map(|x| x - ahead * x.dot(&ahead)).collect();
        let spread = across.iter().map(|x| x * x.transpose()).sum::<gambol_model::Mat3>().symmetric_eigen();
        let mut sizes: Vec<f64> = spread.eigenvalues.iter().map(|x| x.max(0.0).sqrt()).collect();
        sizes.sort_by(f64::total_cmp);
        let line = spread.eigenvectors.column(spread.eigenvalues.imax()).into_owned();
        let mut along: Vec<f64> = across.iter().map(|x| x.dot(&line)).collect();
        along.sort_by(f64::total_cmp);
        let gaps = along.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        let even = (along[along.len() - 1] - along[0]) / (along.len() - 1) as f64;
        let in_a_row = sizes[1] < settings.finger_plane * sizes[2] && gaps > settings.finger_gap * even;
        if alike && in_a_row { rows.len() } else { 0 }
    };
    (1..count).map(of_hub).max().unwrap_or(0)
}

/// Round parts at the ground that turn about their middle and hang from the middle of the whole; what lies lower than its joint is a leg.
pub(super) fn wheels(
    creature: &Creature,
    frames: &[BodyFrame],
    unpaired: &[bool],
    heading: &Heading,
    [low, high]: [f64; 2],
    settings: &ClassSettings,
) -> usize {
    let is_wheel = |&body: &usize| {
        let bodies = creature.bodies();
        let (own, frame) = (&bodies[body], &frames[body]);
        let Some(joint) = creature.joints()[own.joints.clone()].first() else { return false };
        let last = !bodies.iter().any(|other| other.parent == body);
        let com = frame.point_in_world(own.mass.com);
        // The radius of a disc with this second moment, m: what is fitted to a disc is no disc.
        let radius = |axis: Vec3| {
            let inner = frame.orientation.inverse() * axis;
            let moment = 0.5 * own.mass.inertia.trace() - (own.mass.inertia * inner).dot(&inner);
            2.0 * (moment / own.mass.mass.max(f64::MIN_POSITIVE)).max(0.0).sqrt()
        };
        let [ahead, up] = [heading.forward, heading.up].map(radius);
        let off = com - frame.point_in_world(joint.anchor);
        let off = (off - heading.left * off.dot(&heading.left)).norm();
        let lowest = com.dot(&heading.up) - up;
        joint.kind != JointKind::Free
            && last
            && unpaired[own.parent]
            && up > 0.0
            && (ahead - up).abs() < settings.round * up
            && off < settings.off_axle * up
            && lowest < low + settings.clearance * (high - low)
    };
    (1..creature.bodies().len()).filter(is_wheel).count()
}

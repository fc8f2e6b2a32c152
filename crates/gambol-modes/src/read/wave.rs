//! Bends along a body without legs and arms: a snake, a chain, a ring.

use gambol_anatomy::Limbs;
use gambol_model::{ConstraintKind, Creature, Role, Row, Vec3, math};

use super::act::{changes_of_sign, largest};
use super::motion::{Motion, Scene};
use super::nouns::times;
use super::settings::ReadSettings;

/// Joints of a body without limbs in their order along it.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    joints: Vec<usize>,
    /// +1 where the way along it leads away from the root, −1 where it leads there.
    signs: Vec<f64>,
    ring: Option<Ring>,
    /// It has hinges about one direction only.
    planar: bool,
}

/// A chain whose ends are joined.
#[derive(Clone, Debug)]
struct Ring {
    /// Angle of each joint around it, from the top, rad.
    angles: Vec<f64>,
    /// Axis of its plane.
    axis: Vec3,
}

impl Chain {
    /// The chain of a creature that is one: all of its spine, or nearly all of its joints on one way.
    pub(super) fn find(
        creature: &Creature,
        limbs: &Limbs,
        scene: &Scene,
        settings: &ReadSettings,
    ) -> Option<Self> {
        if limbs.has_extremities() {
            return None;
        }
        let joints = spine_joints(creature)
            .filter(|joints| joints.len() > 1)
            .or_else(|| longest_way(creature, settings.chain))?;
        let axis = |joint: usize| {
            let joint = &creature.joints()[joint];
            (joint.kind.nv() == 1).then(|| Vec3::new(joint.axis.x, joint.axis.y, joint.axis.z))
        };
        let first = axis(joints[0]);
        // Axes are in the body frames: equal there is enough for chains written link by link about one axis.
        let planar = joints.iter().all(|&joint| match (axis(joint), first) {
            (Some(a), Some(b)) => a.cross(&b).norm() < 1e-6,
            _ => false,
        });
        let ring = is_closed(creature, &joints).then(|| Ring::new(creature, scene, &joints)).flatten();
        let signs = directions(creature, &joints);
        Some(Self { joints, signs, ring, planar })
    }

    /// "bends twice sideways", "wave with 4 nodes".
    pub(super) fn name(&self, motion: &Motion, settings: &ReadSettings) -> String {
        if let Some(ring) = &self.ring {
            return ring.name(motion, &self.joints, &self.signs, settings);
        }
        let heading = &motion.scene.heading;
        let along = self.direction(motion);
        let side = heading.left.cross(&along);
        let component = |about: Vec3| -> Vec<f64> {
            self.joints
                .iter()
                .zip(&self.signs)
                .map(|(&joint, sign)| sign * motion.turns[joint].dot(&about))
                .collect()
        };
        let turns = [component(heading.left), component(side), component(along)];
        let energy = |turns: &Vec<f64>| -> f64 {
            turns.iter().zip(&self.joints).map(|(x, &joint)| x * x * motion.elastic[joint]).sum()
        };
        let main = largest(&[energy(&turns[0]), energy(&turns[1]), energy(&turns[2])]);
        let count = times(changes_of_sign(&turns[main], settings.bends_back) + 1);
        match main {
            2 => format!("twists {count}"),
            _ if self.planar => format!("bends {count}"),
            0 => format!("bends {count} up and down"),
            _ => format!("bends {count} sideways"),
        }
    }

    fn direction(&self, motion: &Motion) -> Vec3 {
        let anchors = &motion.scene.anchors;
        let ends = anchors[self.joints[self.joints.len() - 1]] - anchors[self.joints[0]];
        ends.try_normalize(1e-9).unwrap_or(motion.scene.heading.forward)
    }
}

impl Ring {
    fn new(creature: &Creature, scene: &Scene, joints: &[usize]) -> Option<Self> {
        let centre = joints.iter().map(|&joint| scene.anchors[joint]).sum::<Vec3>() / joints.len() as f64;
        let spokes: Vec<Vec3> = joints.iter().map(|&joint| scene.anchors[joint] - centre).collect();
        let axis = spokes.windows(2).map(|two| two[0].cross(&two[1])).sum::<Vec3>().try_normalize(1e-12)?;
        let up = -creature.gravity();
        let top =
            (up - axis * up.dot(&axis)).try_normalize(1e-6).or_else(|| spokes[0].try_normalize(1e-12))?;
        let across = axis.cross(&top);
        let angles = spokes.iter().map(|spoke| math::atan2(spoke.dot(&across), spoke.dot(&top))).collect();
        Some(Self { angles, axis })
    }

    /// Nodes of the bending around the ring, and whether a crest or a node is on top.
    fn name(&self, motion: &Motion, joints: &[usize], signs: &[f64], settings: &ReadSettings) -> String {
        let turn = |(&joint, sign): (&usize, &f64)| sign * motion.turns[joint].dot(&self.axis);
        let mut turns: Vec<f64> = joints.iter().zip(signs).map(turn).collect();
        let (mut cosine, mut sine) = (0.0, 0.0);
        // The angles of a closed ring add up to zero: that gives the joint which closes it.
        turns.push(-turns.iter().sum::<f64>());
        let start = (0..turns.len()).max_by(|&a, &b| turns[a].abs().total_cmp(&turns[b].abs())).unwrap_or(0);
        let around: Vec<f64> = (0..=turns.len()).map(|k| turns[(start + k) % turns.len()]).collect();
        let nodes = changes_of_sign(&around, settings.bends_back);
        let wave = nodes as f64 / 2.0;
        for (turn, angle) in turns.iter().zip(&self.angles) {
            cosine += turn * math::cos(wave * angle);
            sine += turn * math::sin(wave * angle);
        }
        let top = match (cosine.abs(), sine.abs()) {
            (c, s) if c > settings.crest * s => ", crest on top",
            (c, s) if s > settings.crest * c => ", node on top",
            _ => "",
        };
        if nodes == 0 { "ring bends".to_owned() } else { format!("wave with {nodes} nodes{top}") }
    }
}

/// Whether the way along `joints` leads away from the root (+1) or towards it (−1), per joint: a joint turns the outer
/// body against the inner one, whichever comes first on the way.
pub(super) fn directions(creature: &Creature, joints: &[usize]) -> Vec<f64> {
    let body = |joint: usize| creature.joints()[joint].body;
    let (Some(&first), Some(&last)) = (joints.first(), joints.last()) else { return Vec::new() };
    let (first, last) = (body(first), body(last));
    let way_up = |from: usize| {
        let parents =
            std::iter::successors(Some(from), |&b| Some(creature.bodies()[b].parent).filter(|&p| p != 0));
        parents.collect::<std::collections::HashSet<usize>>()
    };
    let (above_first, above_last) = (way_up(first), way_up(last));
    let outwards = |&joint: &usize| {
        let own = body(joint);
        above_last.contains(&own) && (!above_first.contains(&own) || own == first && first != last)
    };
    joints.iter().map(|joint| if outwards(joint) { 1.0 } else { -1.0 }).collect()
}

/// Spine joints from tail to head.
pub(super) fn spine_joints(creature: &Creature) -> Option<Vec<usize>> {
    let number = |row: Option<Row>| match row {
        Some(Row::Number(number)) => number,
        _ => 0,
    };
    let mut joints: Vec<(u32, usize)> = creature
        .landmarks()
        .iter()
        .filter(|landmark| landmark.role == Role::Spine)
        .filter_map(|landmark| Some((number(landmark.row), landmark.joint?)))
        .collect();
    joints.sort_unstable();
    (!joints.is_empty()).then(|| joints.into_iter().map(|(_, joint)| joint).collect())
}

/// The joints of a tree that is nearly one way: from the end of its longest branch over the root to that of the next.
fn longest_way(creature: &Creature, chain: f64) -> Option<Vec<usize>> {
    let bodies = creature.bodies();
    let own = |body: usize| bodies[body].joints.len();
    // Longest branch below each body, in joints, and the child it starts with; then the second of the root.
    let mut depth: Vec<usize> = (0..bodies.len()).map(own).collect();
    let mut deepest: Vec<Option<usize>> = vec![None; bodies.len()];
    for body in (1..bodies.len()).rev() {
        let parent = bodies[body].parent;
        let reach = depth[body] + own(parent);
        if parent != 0 && reach > depth[parent] {
            depth[parent] = reach;
            deepest[parent] = Some(body);
        }
    }
    let root =
        (1..bodies.len()).filter(|&b| bodies[b].parent == 0).max_by_key(|&b| (depth[b], usize::MAX - b))?;
    let down = |from: usize| std::iter::successors(Some(from), |&body| deepest[body]);
    let first: Vec<usize> = deepest[root].map_or_else(Vec::new, |child| down(child).collect());
    let others = (1..bodies.len()).filter(|&b| bodies[b].parent == root && Some(b) != deepest[root]);
    let second = others.max_by_key(|&b| (depth[b], usize::MAX - b));
    let mut way: Vec<usize> = second.map_or_else(Vec::new, |child| down(child).collect());
    way.reverse();
    way.extend(first);
    let joints: Vec<usize> = way.iter().flat_map(|&body| bodies[body].joints.clone()).collect();
    let all = creature.joints().iter().filter(|joint| bodies[joint.body].parent != 0).count();
    (joints.len() > 1 && joints.len() as f64 >= chain * all as f64).then_some(joints)
}

/// Whether a constraint joins the bodies at the two ends of a chain.
fn is_closed(creature: &Creature, joints: &[usize]) -> bool {
    let body = |joint: usize| creature.joints()[joint].body;
    let (first, last) = (body(joints[0]), body(joints[joints.len() - 1]));
    let first = [first, creature.bodies()[first].parent];
    creature.constraints().iter().any(|constraint| {
        let (a, b) = match &constraint.kind {
            ConstraintKind::Connect { a, b } | ConstraintKind::Hinge { a, b, .. } => (a.body, b.body),
            ConstraintKind::Weld { a, b, .. } => (*a, *b),
            _ => return false,
        };
        a == last && first.contains(&b) || b == last && first.contains(&a)
    })
}

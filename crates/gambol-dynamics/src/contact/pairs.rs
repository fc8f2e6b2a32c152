//! Which shapes of a creature may touch each other, and which of them are near.
//!
//! Every solid is compared with every later body by balls around them: a thousand comparisons for a dog, a few
//! microseconds. The cost is quadratic in the number of bodies.

use gambol_model::ConstraintKind;

use super::narrow::{Placed, meet};
use super::{Cluster, Collider, Contact, key};
use crate::{BodyFrame, Creature, Data, Vec3, forward_kinematics};

/// Which shapes may touch.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// Per cluster.
    members: Vec<Member>,
    /// Pairs of rigid groups that a constraint joins, smaller first, sorted.
    joined: Vec<(usize, usize)>,
    /// Pairs of solids that overlap from the start, smaller first, sorted.
    overlapping: Vec<(usize, usize)>,
}

/// What is known of a cluster.
#[derive(Clone, Debug)]
struct Member {
    body: usize,
    /// Radius of the ball around the body's origin that holds it, m.
    radius: f64,
    /// Bodies without joints between them are one rigid group: the index of its first body.
    group: usize,
    /// The group it hangs on.
    parent: usize,
}

/// Two solids that may be near each other.
struct Near<'a> {
    bodies: [usize; 2],
    /// Indices among the collider's.
    solids: (usize, usize),
    /// Seen from the first body's origin, so that far from the world's no digits are lost.
    placed: [&'a Placed<'a>; 2],
    reach: f64,
}

impl Pairs {
    pub(super) fn new(creature: &Creature, collider: &Collider) -> Self {
        let bodies = creature.bodies();
        let mut group: Vec<usize> = (0..bodies.len()).collect();
        for (index, body) in bodies.iter().enumerate().skip(1) {
            if body.dofs.is_empty() {
                group[index] = group[body.parent];
            }
        }
        let member = |cluster: &Cluster| {
            let own = group[cluster.body];
            let radius = cluster.bounds.center.norm() + cluster.bounds.radius;
            Member { body: cluster.body, radius, group: own, parent: group[bodies[own].parent] }
        };
        let joins = |kind: &ConstraintKind| match kind {
            ConstraintKind::Connect { a, b } | ConstraintKind::Hinge { a, b, .. } => Some((a.body, b.body)),
            ConstraintKind::Weld { a, b, .. } => Some((*a, *b)),
            _ => None,
        };
        let mut joined: Vec<_> = creature
            .constraints()
            .iter()
            .filter_map(|constraint| joins(&constraint.kind))
            .map(|(a, b)| (group[a].min(group[b]), group[a].max(group[b])))
            .collect();
        joined.sort_unstable();
        let members = collider.clusters.iter().map(member).collect();
        let mut pairs = Self { members, joined, overlapping: Vec::new() };
        pairs.overlapping = pairs.overlapping_at_rest(creature, collider);
        pairs
    }

    /// Pairs that overlap in the pose that was drawn or in the one where the springs are at rest.
    fn overlapping_at_rest(&self, creature: &Creature, collider: &Collider) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let mut data = Data::new(creature);
        let reach = vec![0.0; creature.bodies().len()];
        for pose in [creature.reference_pose(), creature.rest_pose()] {
            let frames = forward_kinematics(creature, &mut data, pose);
            self.each_near(collider, frames, &reach, |near| {
                meet(near.placed[0], near.placed[1], near.reach, |_| found.push(near.solids));
            });
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// All contacts between shapes.
    pub(super) fn find(
        &self,
        collider: &Collider,
        frames: &[BodyFrame],
        reach: &[f64],
        found: &mut Vec<Contact>,
    ) {
        self.each_near(collider, frames, reach, |near| {
            let Near { bodies, solids, placed: [a, b], reach } = near;
            let shape = |solid: usize| collider.solids[solid].shape + 1;
            meet(a, b, *reach, |meeting| {
                found.push(Contact {
                    bodies: *bodies,
                    point: frames[bodies[0]].position + meeting.point,
                    normal: meeting.normal,
                    gap: meeting.gap,
                    key: key(shape(solids.0), shape(solids.1), meeting.feature),
                });
            });
        });
    }

    /// Calls `visit` for all pairs of solids that may touch and whose bounding balls are within reach. Comparisons
    /// are false where a place is not a number.
    fn each_near(
        &self,
        collider: &Collider,
        frames: &[BodyFrame],
        reach: &[f64],
        mut visit: impl FnMut(&Near),
    ) {
        for (i, a) in self.members.iter().enumerate() {
            let seen_from = frames[a.body].position;
            let place = |member: &Member, solid: usize| {
                Placed::new(&collider.solids[solid], &frames[member.body], seen_from)
            };
            for first in collider.clusters[i].solids.clone() {
                let placed = place(a, first);
                let (center, radius) = placed.bounds();
                for (j, b) in self.members.iter().enumerate().skip(i + 1) {
                    let reach = reach[a.body] + reach[b.body];
                    let near = |other: Vec3, its_radius: f64| {
                        let room = radius + its_radius + reach;
                        (other - center).norm_squared() < room * room && room > 0.0
                    };
                    if !near(frames[b.body].position - seen_from, b.radius) || self.linked(a, b) {
                        continue;
                    }
                    for second in collider.clusters[j].solids.clone() {
                        let other = place(b, second);
                        let (its_center, its_radius) = other.bounds();
                        let solids = (first, second);
                        if near(its_center, its_radius) && self.overlapping.binary_search(&solids).is_err() {
                            visit(&Near {
                                bodies: [a.body, b.body],
                                solids,
                                placed: [&placed, &other],
                                reach,
                            });
                        }
                    }
                }
            }
        }
    }

    /// Whether two clusters are one rigid thing or next to each other.
    fn linked(&self, a: &Member, b: &Member) -> bool {
        a.group == b.group
            || a.parent == b.group
            || b.parent == a.group
            || self.joined.binary_search(&(a.group.min(b.group), a.group.max(b.group))).is_ok()
    }
}

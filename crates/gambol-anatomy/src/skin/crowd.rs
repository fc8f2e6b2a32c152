//! Several characters in one file: a crowd, a herd, a rider's horse beside him. The largest becomes the creature, the
//! others stay as they are.

use std::collections::HashMap;

use gambol_model::Vec3;

use super::nodes::RigNodes;
use super::settings::CrowdSettings;
use super::surface::{Skin, heaviest};

/// Bones that hang together, and the skin on them.
struct Group {
    nodes: Vec<usize>,
    area: f64,
    low: Vec3,
    high: Vec3,
}

impl Group {
    /// Whether one stands above the other: a head without a neck belongs to the body below it.
    fn overlaps(&self, other: &Self) -> bool {
        [0, 2].iter().all(|&k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }

    fn join(&mut self, other: Self) {
        self.nodes.extend(other.nodes);
        self.area += other.area;
        (self.low, self.high) = (self.low.inf(&other.low), self.high.sup(&other.high));
    }
}

/// Leaves out all but the largest of several characters that stand apart, and says so.
pub(super) fn keep_largest(
    nodes: &mut RigNodes,
    skin: &mut Skin,
    settings: &CrowdSettings,
) -> Option<String> {
    let mut groups = groups(nodes, skin);
    groups.sort_by(|a, b| b.area.total_cmp(&a.area));
    let largest = groups.first()?;
    let is_character = |group: &&Group| {
        group.nodes.len() >= settings.fewest_bones
            && group.nodes.len() as f64 >= settings.least_bones * largest.nodes.len() as f64
            && group.area >= settings.least_area * largest.area
    };
    let others: Vec<&Group> = groups[1..].iter().filter(is_character).collect();
    if others.is_empty() {
        return None;
    }
    let top = nodes.order.iter().find(|node| largest.nodes.contains(node))?;
    let note = format!(
        "{} characters stand apart in the file: the largest, that of {}, is taken, and the others stay as they are",
        1 + others.len(),
        nodes.names[*top]
    );
    let mut left_out = vec![false; nodes.is_joint.len()];
    others.iter().flat_map(|group| &group.nodes).for_each(|&node| left_out[node] = true);
    for (joint, left_out) in nodes.is_joint.iter_mut().zip(&left_out) {
        *joint &= !left_out;
    }
    skin.leave_out(&left_out);
    Some(note)
}

/// Bones that one node in the file moves or that move one vertex are one group; so are groups that stand in one place.
fn groups(nodes: &RigNodes, skin: &Skin) -> Vec<Group> {
    let mut group_of: Vec<usize> = (0..nodes.parent.len()).collect();
    for &node in nodes.order.iter().filter(|&&node| nodes.is_joint[node]) {
        if let Some(above) = nodes.up(node).skip(1).find(|&above| nodes.is_joint[above]) {
            join(&mut group_of, node, above);
        }
    }
    for weights in &skin.weights {
        for pair in weights.windows(2) {
            join(&mut group_of, pair[0].0, pair[1].0);
        }
    }
    let mut found: HashMap<usize, Group> = HashMap::new();
    for node in (0..nodes.parent.len()).filter(|&node| nodes.is_joint[node]) {
        let none = || Group {
            nodes: Vec::new(),
            area: 0.0,
            low: Vec3::repeat(f64::INFINITY),
            high: Vec3::repeat(f64::NEG_INFINITY),
        };
        found.entry(top(&group_of, node)).or_insert_with(none).nodes.push(node);
    }
    for &triangle in &skin.triangles {
        let owner = heaviest(&skin.weights[triangle[0]]);
        let Some(group) = found.get_mut(&top(&group_of, owner)) else { continue };
        group.area += 0.5 * skin.normal(triangle).norm();
        for vertex in triangle {
            let point = skin.points[vertex];
            (group.low, group.high) = (group.low.inf(&point), group.high.sup(&point));
        }
    }
    let mut groups: Vec<Group> = found.into_values().filter(|group| group.area > 0.0).collect();
    groups.sort_by_key(|group| group.nodes[0]);
    merge(groups)
}

/// Joins groups until no two overlap.
fn merge(mut groups: Vec<Group>) -> Vec<Group> {
    let mut apart: Vec<Group> = Vec::new();
    while let Some(mut group) = groups.pop() {
        match apart.iter().position(|other| other.overlaps(&group)) {
            // What was joined is larger, and looked at again.
            Some(index) => {
                group.join(apart.swap_remove(index));
                groups.push(group);
            }
            None => apart.push(group),
        }
    }
    apart
}

/// The node that stands for the group of a node.
fn top(group_of: &[usize], node: usize) -> usize {
    let mut at = node;
    while group_of[at] != at {
        at = group_of[at];
    }
    at
}

fn join(group_of: &mut [usize], a: usize, b: usize) {
    let (a, b) = (top(group_of, a), top(group_of, b));
    group_of[a.max(b)] = a.min(b);
}

impl Skin {
    /// Without the triangles of some nodes.
    fn leave_out(&mut self, nodes: &[bool]) {
        let stays: Vec<bool> = self.weights.iter().map(|weights| !nodes[heaviest(weights)]).collect();
        let mut new_index = vec![0; stays.len()];
        let mut next = 0;
        for (index, stays) in new_index.iter_mut().zip(&stays) {
            *index = next;
            next += usize::from(*stays);
        }
        let mut keep = stays.iter();
        self.points.retain(|_| *keep.next().unwrap_or(&false));
        let mut keep = stays.iter();
        self.weights.retain(|_| *keep.next().unwrap_or(&false));
        self.triangles.retain(|triangle| triangle.iter().all(|&vertex| stays[vertex]));
        for triangle in &mut self.triangles {
            *triangle = triangle.map(|vertex| new_index[vertex]);
        }
    }
}

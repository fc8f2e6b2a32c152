//! Which joints of a rig matter. A rig has bones for the artist's hands besides those of the animal: controls, targets
//! of inverse kinematics, poles, ends, twists, fingers. What carries hardly any skin goes with its parent. What carries
//! skin and hangs elsewhere in the file for the sake of inverse kinematics (a foot beside its leg) is hung where the skin
//! says it belongs.

use std::collections::HashMap;

use gambol_model::Vec3;

use super::nodes::{NodePlaces, RigNodes};
use super::surface::{Skin, heaviest};
use super::wishes::RigWishes;

/// A body to be: bones that move as one.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// The node whose origin is its joint.
    pub(super) node: usize,
    /// The segment it hangs from; smaller than its own index.
    pub(super) parent: Option<usize>,
    /// All nodes that must be told to move with it; others follow their parents.
    pub(super) nodes: Vec<usize>,
}

/// The segments of a rig, parents first.
pub(super) struct Segments {
    pub(super) all: Vec<Segment>,
    /// The segment that each node moves with; `None` above all of them.
    pub(super) segment_of: Vec<Option<usize>>,
    /// What was done to the rig, in words.
    pub(super) notes: Vec<String>,
}

/// The rig while it is looked at.
struct Rigging<'a> {
    nodes: &'a RigNodes,
    places: &'a NodePlaces,
    skin: &'a Skin,
    wishes: &'a RigWishes,
    /// Of the box around the skin.
    size: f64,
    /// Whether the node is a body of its own.
    kept: Vec<bool>,
    /// The kept node that a kept node hangs from.
    above: Vec<Option<usize>>,
    /// Part of the area that each node carries, by the largest weight.
    area: Vec<f64>,
    /// How far each node's skin reaches from its origin.
    reach: Vec<f64>,
    /// Height of the lowest point of each node's skin.
    lowest: Vec<f64>,
    /// The node with the largest weight, per vertex.
    owner: Vec<usize>,
    notes: Vec<String>,
}

impl Segments {
    pub(super) fn find(nodes: &RigNodes, places: &NodePlaces, skin: &Skin, wishes: &RigWishes) -> Self {
        let mut rig = Rigging::new(nodes, places, skin, wishes);
        rig.keep_what_carries_skin();
        rig.fold_helpers();
        rig.fold_held();
        rig.fold_small_ends();
        rig.fold_as_told();
        rig.hang_by_nodes();
        rig.hang_loose_ends();
        let merged = rig.join_hubs();
        rig.segments(&merged)
    }
}

impl<'a> Rigging<'a> {
    fn new(nodes: &'a RigNodes, places: &'a NodePlaces, skin: &'a Skin, wishes: &'a RigWishes) -> Self {
        let count = nodes.parent.len();
        let owner: Vec<usize> = skin.weights.iter().map(|weights| heaviest(weights)).collect();
        let mut area = vec![0.0; count];
        for &triangle in &skin.triangles {
            let third = skin.normal(triangle).norm() / 6.0;
            for &vertex in &triangle {
                area[owner[vertex]] += third;
            }
        }
        let total = area.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        for area in &mut area {
            *area /= total;
        }
        let mut reach: Vec<f64> = vec![0.0; count];
        let mut lowest = vec![f64::INFINITY; count];
        for (point, &node) in skin.points.iter().zip(&owner) {
            reach[node] = reach[node].max((point - places.origin(node)).norm());
            lowest[node] = lowest[node].min(point.y);
        }
        let (low, high) = skin.bounds();
        let size = (high - low).norm();
        let (kept, above) = (vec![false; count], vec![None; count]);
        Self { nodes, places, skin, wishes, size, kept, above, area, reach, lowest, owner, notes: Vec::new() }
    }

    fn keep_what_carries_skin(&mut self) {
        for node in 0..self.kept.len() {
            let least = if self.wishes.fold(node) == Some(false) {
                f64::MIN_POSITIVE
            } else {
                self.wishes.settings.segments.hardly_any
            };
            self.kept[node] = self.nodes.is_joint[node] && self.area[node] >= least;
        }
        // A rig of many equal, tiny bones keeps them all.
        if !self.kept.contains(&true) {
            self.kept = (0..self.kept.len()).map(|node| self.area[node] > 0.0).collect();
        }
        let bare = (0..self.kept.len()).filter(|&node| self.nodes.is_joint[node] && !self.kept[node]).count();
        self.tell(bare, "carry hardly any skin and go with their parents");
    }

    fn tell(&mut self, count: usize, what: &str) {
        if count > 0 {
            self.notes.push(format!("bones that {what}: {count}"));
        }
    }

    /// Gives what a node carries to its nearest kept ancestor.
    fn fold(&mut self, node: usize) {
        self.kept[node] = false;
        if let Some(above) = self.nodes.up(node).skip(1).find(|&above| self.kept[above]) {
            self.area[above] += self.area[node];
            let far = (self.places.origin(node) - self.places.origin(above)).norm();
            self.reach[above] = self.reach[above].max(self.reach[node] + far);
            self.lowest[above] = self.lowest[above].min(self.lowest[node]);
            self.area[node] = 0.0;
        }
    }

    fn kept_parent(&self, node: usize) -> Option<usize> {
        self.nodes.up(node).skip(1).find(|&above| self.kept[above])
    }

    /// Number of kept nodes right below each kept node, in the file.
    fn kept_children(&self) -> Vec<usize> {
        let mut children = vec![0; self.kept.len()];
        for node in (0..self.kept.len()).filter(|&node| self.kept[node]) {
            if let Some(parent) = self.kept_parent(node) {
                children[parent] += 1;
            }
        }
        children
    }

    /// Twists and the pieces of a bone that bends like a hose: they lie along the bone they belong to.
    fn fold_helpers(&mut self) {
        let helpers: Vec<usize> = self
            .nodes
            .order
            .iter()
            .rev()
            .copied()
            .filter(|&node| self.wishes.fold(node) != Some(false))
            .filter(|&node| {
                self.kept[node] && self.kept_parent(node).is_some_and(|parent| self.helps(node, parent))
            })
            .collect();
        for &node in &helpers {
            self.fold(node);
        }
        self.tell(helpers.len(), "twist or bend along their parents and go with them");
    }

    fn helps(&self, node: usize, parent: usize) -> bool {
        let words = words(&self.nodes.names[node]);
        let is = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        if is(&["twist", "roll", "helper", "corrective", "volume", "muscle", "bulge"]) {
            return true;
        }
        // `thigh.L.001` after `thigh.L`: one bone in two pieces. In a back or tail every piece is a vertebra.
        let base = |name: &str| self::words(name);
        let limb = is(&["thigh", "shin", "calf", "arm", "forearm", "leg", "upperarm", "lowerarm", "upleg"]);
        limb && base(&self.nodes.names[node]) == base(&self.nodes.names[parent])
            && self.is_straight(node, parent)
            && self.nodes.names[node].ends_with(|c: char| c.is_ascii_digit())
            && !self.nodes.names[parent].ends_with(|c: char| c.is_ascii_digit())
    }

    /// What is held or worn goes with who holds it: a sword is no limb, and leans no plane of symmetry.
    fn fold_held(&mut self) {
        let held: Vec<usize> =
            self.nodes.order.iter().rev().copied().filter(|&node| self.is_held(node)).collect();
        for &node in &held {
            self.fold(node);
        }
        self.tell(held.len(), "are held or worn and go with their parents");
    }

    fn is_held(&self, node: usize) -> bool {
        let said = words(&self.nodes.names[node]);
        let may = self.kept[node] && self.wishes.fold(node) != Some(false);
        may && self.kept_parent(node).is_some() && said.iter().any(|word| HELD.contains(&word.as_str()))
    }

    /// Whether the joint lies on the way from its parent's joint to its own child's.
    fn is_straight(&self, node: usize, parent: usize) -> bool {
        let in_line = self.wishes.settings.segments.in_line;
        let at = |node: usize| self.places.origin(node);
        let children = self.nodes.order.iter().filter(|&&child| self.nodes.parent[child] == Some(node));
        let before = (at(node) - at(parent)).try_normalize(1e-9 * self.size);
        children.copied().any(|child| {
            let after = (at(child) - at(node)).try_normalize(1e-9 * self.size);
            before.zip(after).is_some_and(|(a, b)| a.dot(&b) > in_line)
        })
    }

    /// Fingers, ears and toes: last bones that are both small and light, from the tips inwards. What alone of its limb
    /// stands on the ground is a foot, however small.
    fn fold_small_ends(&mut self) {
        let settings = &self.wishes.settings.segments;
        let mut folded = 0;
        let mut children = self.kept_children();
        let (low, high) = self.skin.bounds();
        let floor = low.y + self.wishes.settings.shapes.stands * (high.y - low.y);
        let order: Vec<usize> = self.nodes.order.iter().rev().copied().collect();
        for node in order {
            let may = self.kept[node] && self.wishes.fold(node) != Some(false);
            let small = may
                && self.area[node] < settings.small_area
                && self.reach[node] < settings.small_reach * self.size;
            // Legs are light on a spider, and their last pieces short: what is as long as its parent is no trinket.
            if !small || children[node] > 0 {
                continue;
            }
            let Some(parent) = self.kept_parent(node) else { continue };
            let stands = self.lowest[node] < floor && self.lowest[parent] >= floor;
            if self.reach[node] < self.reach[parent] && !stands {
                self.fold(node);
                children[parent] -= 1;
                folded += 1;
            }
        }
        self.tell(folded, "are small ends (fingers, ears, hooves) and go with their parents");
    }

    fn fold_as_told(&mut self) {
        let order: Vec<usize> = self.nodes.order.iter().rev().copied().collect();
        for node in order {
            if self.kept[node] && self.wishes.fold(node) == Some(true) {
                self.fold(node);
            }
        }
    }

    fn hang_by_nodes(&mut self) {
        for node in 0..self.kept.len() {
            self.above[node] = if self.kept[node] { self.kept_parent(node) } else { None };
        }
    }

    /// The kept node that each node goes with.
    fn carriers(&self) -> Vec<Option<usize>> {
        let mut carriers = vec![None; self.kept.len()];
        for &node in &self.nodes.order {
            let above = self.nodes.parent[node].and_then(|parent| carriers[parent]);
            carriers[node] = if self.kept[node] { Some(node) } else { above };
        }
        carriers
    }

    /// Triangles that lie across two kept nodes.
    fn borders(&self) -> HashMap<[usize; 2], usize> {
        let mut borders = HashMap::new();
        let carriers = self.carriers();
        for triangle in &self.skin.triangles {
            let [a, b, c] = triangle.map(|vertex| carriers[self.owner[vertex]]);
            for (x, y) in [(a, b), (b, c), (c, a)] {
                if let (Some(x), Some(y)) = (x, y)
                    && x != y
                {
                    *borders.entry([x.min(y), x.max(y)]).or_insert(0) += 1;
                }
            }
        }
        borders
    }

    /// Feet of rigs with inverse kinematics hang beside their legs: where a bone does not border on what it hangs from,
    /// it is hung on the bone that ends where it begins, or on the last bone of a chain that it borders on.
    fn hang_loose_ends(&mut self) {
        let borders = self.borders();
        let border = |a: usize, b: usize| borders.get(&[a.min(b), a.max(b)]).copied().unwrap_or(0);
        let nodes: Vec<usize> = self.nodes.order.iter().copied().filter(|&node| self.kept[node]).collect();
        let trunk = nodes.iter().copied().filter(|&node| self.above[node].is_none());
        let trunk = trunk.max_by(|&a, &b| self.area_below(a).total_cmp(&self.area_below(b)));
        // Nodes without skin that go with a bone end it.
        let mut ends = vec![Vec::new(); self.kept.len()];
        for (node, carrier) in self.carriers().into_iter().enumerate().filter(|(node, _)| !self.kept[*node]) {
            if let Some(bone) = carrier {
                ends[bone].push(self.places.origin(node));
            }
        }
        let mut last = vec![true; self.kept.len()];
        nodes.iter().filter_map(|&node| self.above[node]).for_each(|above| last[above] = false);
        let mut hung = 0;
        for &node in &nodes {
            if Some(node) == trunk || self.above[node].is_some_and(|above| border(node, above) > 0) {
                continue;
            }
            let others =
                || nodes.iter().copied().filter(|&other| other != node && !self.is_above(node, other));
            let at = self.places.origin(node);
            let from_end =
                |other: usize| ends[other].iter().map(|end| (end - at).norm()).fold(f64::INFINITY, f64::min);
            let by_end = others()
                .map(|other| (from_end(other), other))
                .filter(|(distance, _)| *distance < self.wishes.settings.segments.same_end * self.size)
                .min_by(|x, y| x.0.total_cmp(&y.0));
            let is_end =
                self.kept_below(node) <= 2 && self.area_below(node) < self.wishes.settings.segments.end_area;
            let by_skin = others()
                .filter(|&other| is_end && border(node, other) > 0 && last[other])
                .max_by_key(|&other| (border(node, other), std::cmp::Reverse(other)));
            // A bone that is merely apart (a shoe) stays where it is unless another ends exactly there.
            let found = by_end.map(|(_, other)| other).or(by_skin.filter(|_| self.above[node] != by_skin));
            if let Some(other) = found.filter(|&other| self.above[node] != Some(other)) {
                self.above[node] = Some(other);
                last[other] = false;
                hung += 1;
            }
        }
        self.tell(
            hung,
            "hang elsewhere in the file (feet of inverse kinematics) and were joined to their limbs",
        );
    }

    fn area_below(&self, top: usize) -> f64 {
        (0..self.kept.len())
            .filter(|&node| self.nodes.up(node).any(|above| above == top))
            .map(|node| self.area[node])
            .sum()
    }

    fn kept_below(&self, top: usize) -> usize {
        (0..self.kept.len()).filter(|&node| self.kept[node] && self.is_above(top, node)).count()
    }

    /// Whether `node` is on the way from `other` to its root.
    fn is_above(&self, node: usize, other: usize) -> bool {
        std::iter::successors(Some(other), |&at| self.above[at]).take(self.kept.len()).any(|at| at == node)
    }

    /// Where several parts hang from a node without a body (or with hardly any), it is one with the part that is nearest
    /// to the others. Returns the hubs' nodes by the kept node that they were joined to.
    fn join_hubs(&mut self) -> HashMap<usize, usize> {
        let mut joined = HashMap::new();
        loop {
            let tops: Vec<usize> = self.children_of(None);
            let Some(&first) = tops.first() else { return joined };
            if tops.len() > 1 {
                let core = self.nearest_to_others(&tops);
                tops.iter().filter(|&&top| top != core).for_each(|&top| self.above[top] = Some(core));
                continue;
            }
            let parts = self.children_of(Some(first));
            let told = self.wishes.fold(first) == Some(false);
            if told || self.area[first] >= self.wishes.settings.segments.light_hub || parts.len() < 2 {
                return joined;
            }
            let core = self.nearest_to_others(&parts);
            for &part in &parts {
                self.above[part] = (part != core).then_some(core);
            }
            self.kept[first] = false;
            self.area[core] += self.area[first];
            joined.insert(first, core);
        }
    }

    fn children_of(&self, parent: Option<usize>) -> Vec<usize> {
        self.nodes
            .order
            .iter()
            .copied()
            .filter(|&node| self.kept[node] && self.above[node] == parent)
            .collect()
    }

    /// The part whose skin is nearest to where the other parts begin; of equals, the one that carries more.
    fn nearest_to_others(&self, parts: &[usize]) -> usize {
        let carriers = self.carriers();
        let distance = |part: usize| -> f64 {
            let skin: Vec<Vec3> = (0..self.skin.points.len())
                .filter(|&vertex| carriers[self.owner[vertex]] == Some(part))
                .map(|vertex| self.skin.points[vertex])
                .collect();
            let others = parts.iter().filter(|&&other| other != part);
            let nearest = |other: &usize| {
                let at = self.places.origin(*other);
                skin.iter().map(|point| (point - at).norm()).fold(self.size, f64::min)
            };
            others.map(nearest).sum::<f64>() / (parts.len().max(2) - 1) as f64
        };
        // Left and right come in pairs, and neither is the trunk.
        let looks: Vec<(usize, f64, f64)> = parts
            .iter()
            .map(|&part| (self.kept_below(part), self.area_below(part), self.places.origin(part).y))
            .collect();
        let is_paired = |k: usize| {
            let (bones, area, height) = looks[k];
            looks.iter().enumerate().any(|(other, &(other_bones, other_area, other_height))| {
                other != k
                    && bones == other_bones
                    && (area - other_area).abs()
                        < self.wishes.settings.segments.twin_area * area.max(other_area)
                    && (height - other_height).abs() < self.wishes.settings.segments.same_end * self.size
            })
        };
        let lone: Vec<usize> = (0..parts.len()).filter(|&k| !is_paired(k)).map(|k| parts[k]).collect();
        let candidates = if lone.is_empty() { parts } else { &lone };
        // A tenth of the size nearer outweighs a tenth of the area more.
        let cost = |&part: &usize| (distance(part) / self.size - self.area[part], part);
        candidates.iter().map(cost).min_by(|a, b| a.0.total_cmp(&b.0)).map_or(parts[0], |(_, part)| part)
    }

    fn segments(self, joined: &HashMap<usize, usize>) -> Segments {
        // Parents first, by what hangs from what now, not in the file.
        let mut order: Vec<usize> = self.children_of(None);
        let mut next = 0;
        while next < order.len() {
            order.extend(self.children_of(Some(order[next])));
            next += 1;
        }
        let index_of: HashMap<usize, usize> =
            order.iter().enumerate().map(|(index, &node)| (node, index)).collect();
        let mut segments: Vec<Segment> = order
            .iter()
            .map(|&node| Segment {
                node,
                parent: self.above[node].map(|above| index_of[&above]),
                nodes: vec![node],
            })
            .collect();
        let follow = |mut node: usize| {
            while let Some(&core) = joined.get(&node) {
                node = core;
            }
            index_of.get(&node).copied()
        };
        let count = self.kept.len();
        let mut segment_of: Vec<Option<usize>> = vec![None; count];
        for &node in &self.nodes.order {
            let own = follow(node);
            segment_of[node] = own.or_else(|| self.nodes.parent[node].and_then(|parent| segment_of[parent]));
            if let (Some(own), false) = (own, index_of.contains_key(&node)) {
                segments[own].nodes.push(node);
            }
        }
        // Skin above all bodies would stay behind: it goes with the root.
        for node in (0..count).filter(|&node| segment_of[node].is_none() && self.area[node] > 0.0) {
            if let Some(root) = segments.first_mut() {
                root.nodes.push(node);
            }
        }
        for &node in &self.nodes.order {
            if segments.first().is_some_and(|root| root.nodes.contains(&node)) {
                segment_of[node] = Some(0);
            } else if segment_of[node].is_none() {
                segment_of[node] = self.nodes.parent[node].and_then(|parent| segment_of[parent]);
            }
        }
        Segments { all: segments, segment_of, notes: self.notes }
    }
}

/// Words of what characters hold and wear.
const HELD: [&str; 21] = [
    "sword", "weapon", "gun", "rifle", "pistol", "shield", "bow", "axe", "staff", "spear", "knife", "dagger",
    "hammer", "mace", "lance", "katana", "wand", "scythe", "quiver", "helmet", "backpack",
];

/// Lower-case words of a name: cut at punctuation, before capitals, around digits.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphabetic() || c.is_uppercase() && small {
            words.push(String::new());
        }
        small = c.is_lowercase();
        if c.is_alphabetic() {
            words.last_mut().into_iter().for_each(|word| word.extend(c.to_lowercase()));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

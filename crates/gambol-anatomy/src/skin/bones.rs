//! A skin for a skeleton that has none, as files of motion alone are: flesh around its bones, as a recording's skeleton has it.

use gambol_model::{Quat, Shape, ShapeSpec, Transform, Vec3, math};
use nalgebra::Point3;

use super::nodes::{NodePlaces, RigNodes};
use super::segments::words;
use super::surface::Skin;
use crate::recording::{BoneFleshSettings, RecordedJoint, RecordedSkeleton, flesh_of_bones};

/// Corners around a bone: enough for a volume within a tenth of a round one.
const SIDES: usize = 8;
/// Rings from the pole of an end to its widest.
const CAP_RINGS: usize = 2;

/// Words of bones that are an artist's handles and no part of the animal.
const HANDLES: [&str; 11] =
    ["ik", "pole", "target", "ctrl", "control", "controller", "ctl", "mch", "master", "handle", "goal"];
/// A root that is farther than this from all that hangs from it, as a share of the extent, is a handle for the whole: hips have thighs and
/// a back near them.
const FAR_ROOT: f64 = 0.2;
/// Bones that begin this near to where another ends, as a share of the extent, belong there.
const SAME_END: f64 = 0.03;
/// Joints below a root that may be a handle: of fewer nothing is known.
const FEWEST_BELOW: usize = 4;

/// Flesh around the joints of `nodes` where they stand in `places`, as thick as bones of their length and place have it. Handles for
/// artists' hands have none.
pub fn skin_of_bones(nodes: &RigNodes, places: &NodePlaces) -> Skin {
    let bones = Bones::find(nodes, places);
    let index_of = |node: usize| bones.joints.iter().position(|&joint| joint == node);
    let joint = |&node: &usize| {
        let above = bones.above[node];
        let is_end = |end: &usize| nodes.is_bare_end[*end] && !nodes.is_joint[*end];
        let ends = (0..nodes.parent.len()).filter(is_end).filter(|&end| nodes.parent[end] == Some(node));
        RecordedJoint {
            name: nodes.names[node].clone(),
            parent: above.and_then(index_of),
            offset: places.origin(node) - above.map_or_else(Vec3::zeros, |above| places.origin(above)),
            ends: ends.map(|end| places.origin(end) - places.origin(node)).collect(),
            axes: Quat::identity(),
            channels: Vec::new(),
            whole_place: false,
            fixed: false,
        }
    };
    let skeleton = RecordedSkeleton { joints: bones.joints.iter().map(joint).collect() };
    let flesh = flesh_of_bones(&skeleton, extent(&bones.joints, places), &BoneFleshSettings::default());
    let (mut points, mut weights, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for (&node, shapes) in bones.joints.iter().zip(flesh) {
        let mut next = bones.below(node).peekable();
        let before_end = next.peek().is_some() && next.all(|next| bones.below(next).next().is_none());
        for shape in shapes {
            let first = points.len();
            points.extend(outline(&shape, before_end).into_iter().map(|point| point + places.origin(node)));
            weights.resize(points.len(), vec![(node, 1.0)]);
            triangles.extend(faces((points.len() - first) / SIDES).map(|face| face.map(|k| first + k)));
        }
    }
    Skin::new(points, weights, triangles)
}

/// The joints that are bones of the animal, parents first, and what each hangs from.
struct Bones {
    joints: Vec<usize>,
    /// Per node.
    above: Vec<Option<usize>>,
}

impl Bones {
    /// Handles go by name, then roots that stand away from the body; what hung from them hangs from what is above them, and feet
    /// from where their legs end.
    fn find(nodes: &RigNodes, places: &NodePlaces) -> Self {
        let all: Vec<usize> = nodes.order.iter().copied().filter(|&node| nodes.is_joint[node]).collect();
        let is_handle =
            |&node: &usize| words(&nodes.names[node]).iter().any(|word| HANDLES.contains(&word.as_str()));
        let mut joints: Vec<usize> = all.iter().copied().filter(|node| !is_handle(node)).collect();
        if joints.len() < FEWEST_BELOW {
            joints = all;
        }
        let mut bones = Self { above: vec![None; nodes.parent.len()], joints };
        bones.hang(nodes);
        bones.rehang_feet(nodes, places);
        bones.drop_roots(places);
        bones.sort();
        bones
    }

    /// Everything hangs from the nearest bone above it.
    fn hang(&mut self, nodes: &RigNodes) {
        let mut is_bone = vec![false; nodes.parent.len()];
        self.joints.iter().for_each(|&node| is_bone[node] = true);
        for &node in &self.joints {
            self.above[node] = nodes.up(node).skip(1).find(|&above| is_bone[above]);
        }
    }

    fn below(&self, node: usize) -> impl Iterator<Item = usize> {
        self.joints.iter().copied().filter(move |&joint| self.above[joint] == Some(node))
    }

    fn is_above(&self, node: usize, other: usize) -> bool {
        std::iter::successors(Some(other), |&at| self.above[at]).any(|at| at == node)
    }

    /// What hangs from a root, and begins where another bone ends, belongs to that.
    fn rehang_feet(&mut self, nodes: &RigNodes, places: &NodePlaces) {
        let near = SAME_END * extent(&self.joints, places);
        let is_end = |end: &usize| nodes.is_bare_end[*end] && !nodes.is_joint[*end];
        for k in 0..self.joints.len() {
            let node = self.joints[k];
            if self.above[node].is_none_or(|above| self.above[above].is_some()) {
                continue;
            }
            let at = places.origin(node);
            let here = |other: usize| (places.origin(other) - at).norm() < near;
            let ends_here = |&other: &usize| {
                let ends = (0..nodes.parent.len()).filter(is_end);
                here(other) || ends.filter(|&end| nodes.parent[end] == Some(other)).any(here)
            };
            let others = self.joints.iter().copied();
            let is_other = |&other: &usize| self.above[other].is_some() && !self.is_above(node, other);
            let mut deepest = others.filter(is_other).filter(|other| self.above[*other] != self.above[node]);
            if let Some(leg) = deepest.rfind(ends_here) {
                self.above[node] = Some(leg);
            }
        }
    }

    /// Roots that are far from all that hangs from them, or lie where the only part does that has parts of its own, and lone points that hung
    /// from those; then the same of what was below them, as artists put one handle for the whole under another.
    fn drop_roots(&mut self, places: &NodePlaces) {
        let size = extent(&self.joints, places);
        let (far, near) = (FAR_ROOT * size, SAME_END * size);
        let heights = self.joints.iter().map(|&node| places.origin(node).y);
        let floor = heights.fold(f64::INFINITY, f64::min);
        let mut tops: Vec<usize> =
            self.joints.iter().copied().filter(|&node| self.above[node].is_none()).collect();
        while let Some(top) = tops.pop() {
            let (parts, lone): (Vec<usize>, Vec<usize>) =
                self.below(top).partition(|&part| self.below(part).next().is_some());
            let below = self.joints.iter().filter(|&&node| node != top && self.is_above(top, node)).count();
            let way = |part: &usize| (places.origin(*part) - places.origin(top)).norm();
            let away = parts.iter().chain(&lone).all(|part| way(part) > far);
            // One in the same place is its double; one at the ground has the targets of feet beside it.
            let grounded = places.origin(top).y < floor + near && !lone.is_empty();
            let same = matches!(parts.as_slice(), [part] if way(part) < near || grounded && way(part) > far);
            if parts.is_empty() || below < FEWEST_BELOW || !away && !same {
                continue;
            }
            self.joints.retain(|node| *node != top && !lone.contains(node));
            for part in parts {
                self.above[part] = None;
                tops.push(part);
            }
        }
    }

    /// Parents first.
    fn sort(&mut self) {
        let deep = |node: usize| std::iter::successors(Some(node), |&at| self.above[at]).count();
        let mut joints = self.joints.clone();
        joints.sort_by_key(|&node| deep(node));
        self.joints = joints;
    }
}

/// The longest side of the box around all joints.
fn extent(joints: &[usize], places: &NodePlaces) -> f64 {
    let bounds = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    let around = |(low, high): (Vec3, Vec3), &joint: &usize| {
        (low.inf(&places.origin(joint)), high.sup(&places.origin(joint)))
    };
    let (low, high) = joints.iter().fold(bounds, around);
    (high - low).max()
}

/// Rings of corners around a capsule or a ball, from its lower end to its upper one. The ends of the one
/// `before_end`, a shin or a forearm, are flat: a round one would reach below the foot.
fn outline(shape: &ShapeSpec, before_end: bool) -> Vec<Vec3> {
    let (radius, half) = match shape.shape {
        Shape::Capsule { radius, half_length } => (radius, half_length),
        Shape::Sphere { radius } => (radius, 0.0),
        _ => return Vec::new(),
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    let bulge = if before_end && half > 0.0 { 0.0 } else { radius };
    let rise = |k: usize| quarter * (0.1 + 0.9 * k as f64 / CAP_RINGS as f64); // a pole would be one point
    let lower = (0..=CAP_RINGS).map(|k| (-half, rise(k) - quarter));
    let upper = (0..=CAP_RINGS).rev().map(|k| (half, quarter - rise(k)));
    let ring = |(middle, slope): (f64, f64)| {
        let (sine, cosine) = math::sin_cos(slope);
        (0..SIDES).map(move |side| {
            let (across, along) = math::sin_cos(std::f64::consts::TAU * side as f64 / SIDES as f64);
            Vec3::new(radius * cosine * along, radius * cosine * across, middle + bulge * sine)
        })
    };
    let at: &Transform = &shape.body_from_shape;
    lower.chain(upper).flat_map(ring).map(|point| (at * Point3::from(point)).coords).collect()
}

/// The closed surface over so many rings.
fn faces(rings: usize) -> impl Iterator<Item = [usize; 3]> {
    let at = |ring: usize, side: usize| ring * SIDES + side % SIDES;
    let between = (1..rings).flat_map(move |ring| {
        (0..SIDES).flat_map(move |side| {
            let [a, b] = [at(ring - 1, side), at(ring - 1, side + 1)];
            let [c, d] = [at(ring, side), at(ring, side + 1)];
            [[a, b, c], [b, d, c]]
        })
    });
    let ends = (2..if rings > 0 { SIDES } else { 0 }).flat_map(move |side| {
        let last = rings - 1;
        [[at(0, 0), at(0, side), at(0, side - 1)], [at(last, 0), at(last, side - 1), at(last, side)]]
    });
    between.chain(ends)
}

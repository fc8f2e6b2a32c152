//! A skin for a skeleton that has none, as files of motion alone are: flesh around its bones, as a recording's skeleton has it.

use gambol_model::{Quat, Shape, ShapeSpec, Transform, Vec3, math};
use nalgebra::Point3;

use super::nodes::{NodePlaces, RigNodes};
use super::surface::Skin;
use crate::recording::{BoneFleshSettings, RecordedJoint, RecordedSkeleton, flesh_of_bones};

/// Corners around a bone: enough for a volume within a tenth of a round one.
const SIDES: usize = 8;
/// Rings from the pole of an end to its widest.
const CAP_RINGS: usize = 2;

/// Flesh around the joints of `nodes` where they stand in `places`, as thick as bones of their length and place have it.
pub fn skin_of_bones(nodes: &RigNodes, places: &NodePlaces) -> Skin {
    let joints: Vec<usize> = nodes.order.iter().copied().filter(|&node| nodes.is_joint[node]).collect();
    let index_of = |node: usize| joints.iter().position(|&joint| joint == node);
    let joint = |&node: &usize| {
        let above = nodes.up(node).skip(1).find(|&above| nodes.is_joint[above]);
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
    let skeleton = RecordedSkeleton { joints: joints.iter().map(joint).collect() };
    let flesh = flesh_of_bones(&skeleton, extent(&joints, places), &BoneFleshSettings::default());
    let (mut points, mut weights, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for (&node, shapes) in joints.iter().zip(flesh) {
        for shape in shapes {
            let first = points.len();
            points.extend(outline(&shape).into_iter().map(|point| point + places.origin(node)));
            weights.resize(points.len(), vec![(node, 1.0)]);
            triangles.extend(faces((points.len() - first) / SIDES).map(|face| face.map(|k| first + k)));
        }
    }
    Skin::new(points, weights, triangles)
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

/// Rings of corners around a capsule or a ball, from its lower end to its upper one.
fn outline(shape: &ShapeSpec) -> Vec<Vec3> {
    let (radius, half) = match shape.shape {
        Shape::Capsule { radius, half_length } => (radius, half_length),
        Shape::Sphere { radius } => (radius, 0.0),
        _ => return Vec::new(),
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    let rise = |k: usize| quarter * (0.1 + 0.9 * k as f64 / CAP_RINGS as f64); // a pole would be one point
    let lower = (0..=CAP_RINGS).map(|k| (-half, rise(k) - quarter));
    let upper = (0..=CAP_RINGS).rev().map(|k| (half, quarter - rise(k)));
    let ring = |(middle, slope): (f64, f64)| {
        let (sine, cosine) = math::sin_cos(slope);
        (0..SIDES).map(move |side| {
            let (across, along) = math::sin_cos(std::f64::consts::TAU * side as f64 / SIDES as f64);
            Vec3::new(radius * cosine * along, radius * cosine * across, middle + radius * sine)
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

//! The long axes of the bodies: along the chain, from joint to joint.

use gambol_model::{Creature, JointKind, Vec3};

/// A body as a rod.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// Where it starts and ends, body frame, m.
    pub(super) ends: [Vec3; 2],
    /// From one end to the other, unit length; `None` for a body that joins nothing.
    pub(super) axis: Option<Vec3>,
    /// m
    pub(super) length: f64,
}

impl Segment {
    fn new(a: Vec3, b: Vec3) -> Self {
        let along = b - a;
        Self { ends: [a, b], axis: along.try_normalize(1e-9), length: along.norm() }
    }

    /// Two points that stand for the whole rod, each for half of it: what is linear along it has the same mean, and
    /// what is quadratic too (Gauss).
    pub(super) fn points(&self) -> [Vec3; 2] {
        let [a, b] = self.ends;
        let (middle, reach) = ((a + b) * 0.5, (b - a) * (0.5 / 3.0_f64.sqrt()));
        [middle - reach, middle + reach]
    }
}

/// The segment of every body: between the two joints on it that are farthest apart. At the end of a chain, from its
/// one joint through the centre of mass and as far beyond.
pub(super) fn segments(creature: &Creature) -> Vec<Segment> {
    let mut joints: Vec<Vec<Vec3>> = vec![Vec::new(); creature.bodies().len()];
    for joint in creature.joints().iter().filter(|joint| joint.kind != JointKind::Free) {
        let body = &creature.bodies()[joint.body];
        let in_parent = body.parent_from_body.transform_point(&joint.anchor.into()).coords;
        joints[joint.body].push(joint.anchor);
        joints[body.parent].push(in_parent);
    }
    let segment = |(anchors, body): (&Vec<Vec3>, &gambol_model::Body)| {
        let com = body.mass.com;
        let pairs = anchors.iter().flat_map(|a| anchors.iter().map(move |b| (*a, *b)));
        match pairs.max_by(|(a, b), (c, d)| (a - b).norm().total_cmp(&(c - d).norm())) {
            Some((a, b)) if (a - b).norm() > 1e-9 => Segment::new(a, b),
            Some((a, _)) => Segment::new(a, com * 2.0 - a),
            None => Segment::new(com, com),
        }
    };
    joints.iter().zip(creature.bodies()).map(segment).collect()
}

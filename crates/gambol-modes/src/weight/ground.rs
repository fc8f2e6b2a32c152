//! What can touch the ground.
//!
//! Every shape is reduced to a few *features*: corners, and round pieces that roll. Both are ellipsoids, a corner one
//! of size zero, so one formula serves all. An ellipsoid with centre c and shape matrix B (semi-axes squared, turned
//! into the world) has its lowest point at c − B u / h with h = √(uᵀ B u), u pointing up.

use gambol_dynamics::BodyFrame;
use gambol_model::{Creature, JointKind, Mat3, Role, Shape, ShapeSpec, TriMesh, Vec3};

use super::WeightError;

/// A corner or a round piece of a shape.
#[derive(Clone, Debug)]
pub(super) struct Feature {
    pub(super) body: usize,
    /// In the body frame, m.
    center: Vec3,
    /// Semi-axes squared, body frame, m².
    ellipsoid: Mat3,
    /// The point that is lowest in the pose, body frame, m.
    pub(super) sole: Vec3,
    /// Where that point stands in the pose, m.
    pub(super) anchor: Vec3,
    /// Whether it stands on the ground in the pose, so that friction holds it there.
    pub(super) grips: bool,
}

/// The lowest point of a feature.
pub(super) struct Lowest {
    /// In the world, m.
    pub(super) point: Vec3,
    /// (B − y yᵀ)/h with y = B u / h: how the lowest point wanders as the feature turns, m.
    pub(super) roundness: Mat3,
}

impl Feature {
    fn new(body: usize, center: Vec3, ellipsoid: Mat3) -> Self {
        let (sole, anchor) = (Vec3::zeros(), Vec3::zeros());
        Self { body, center, ellipsoid, sole, anchor, grips: false }
    }

    pub(super) fn lowest(&self, frame: &BodyFrame, up: Vec3) -> Lowest {
        let center = frame.point_in_world(self.center);
        let b = frame.rotation * self.ellipsoid * frame.rotation.transpose();
        let h = up.dot(&(b * up)).max(0.0).sqrt();
        if h == 0.0 {
            return Lowest { point: center, roundness: Mat3::zeros() };
        }
        let y = b * up / h;
        Lowest { point: center - y, roundness: (b - y * y.transpose()) / h }
    }
}

/// The plane the creature stands on, and all that can touch it.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    /// Against gravity.
    pub(super) up: Vec3,
    /// Height of the plane along `up`, m.
    pub(super) level: f64,
    /// Empty for a creature that hangs on the world.
    pub(super) features: Vec<Feature>,
}

/// Features higher above the ground than this share of the centre of mass do not reach it before the creature has long
/// ceased to stand.
const REACH: f64 = 0.4;

/// Friction holds what is this close to the ground in the pose, as a share of the height of the centre of mass: feet
/// in files are level to a few millimetres.
const GRIP: f64 = 0.01;

impl Ground {
    /// The ground under the creature in its pose. `frames` and `com` are those of the pose.
    pub(super) fn new(
        creature: &Creature,
        frames: &[BodyFrame],
        com: Vec3,
        up: Vec3,
    ) -> Result<Self, WeightError> {
        let mut ground = Self { up, level: 0.0, features: Vec::new() };
        let falling = falling_bodies(creature, up);
        for body in (1..frames.len()).filter(|&body| falling[body]) {
            ground.features.extend(features(creature, body, &frames[body], up));
        }
        if ground.features.is_empty() && falling.contains(&true) {
            return Err(WeightError::NothingToStandOn);
        }
        let height = |feature: &Feature| feature.lowest(&frames[feature.body], up).point.dot(&up);
        ground.level = ground.features.iter().map(height).fold(f64::INFINITY, f64::min);
        let com_height = com.dot(&up) - ground.level;
        for feature in &mut ground.features {
            let frame = &frames[feature.body];
            feature.anchor = feature.lowest(frame, up).point;
            feature.sole = frame.rotation.tr_mul(&(feature.anchor - frame.position));
            feature.grips = feature.anchor.dot(&up) - ground.level <= GRIP * com_height;
        }
        let level = ground.level;
        ground.features.retain(|feature| feature.anchor.dot(&up) - level <= REACH * com_height);
        Ok(ground)
    }
}

/// Whether a body would fall if nothing were below it: its root floats, or slides down without a spring.
fn falling_bodies(creature: &Creature, up: Vec3) -> Vec<bool> {
    let mut falling = vec![false; creature.bodies().len()];
    for (index, body) in creature.bodies().iter().enumerate().skip(1) {
        let down = creature.joints()[body.joints.clone()].iter().any(|joint| match joint.kind {
            JointKind::Free => joint.stiffness == 0.0,
            JointKind::Slide => body.parent == 0 && joint.stiffness == 0.0 && joint.axis.dot(&up).abs() > 0.5,
            JointKind::Ball | JointKind::Hinge => false,
        });
        falling[index] = down || falling[body.parent];
    }
    falling
}

/// All features of a body. A body without shapes touches with its foot landmark, if it has one.
fn features(creature: &Creature, body: usize, frame: &BodyFrame, up: Vec3) -> Vec<Feature> {
    let shapes = &creature.shapes()[creature.bodies()[body].shapes.clone()];
    // What only decorates does not touch the ground, unless there is nothing else.
    let solid = shapes.iter().any(|shape| shape.collides);
    let mut found = Vec::new();
    for shape in shapes.iter().filter(|shape| shape.collides || !solid) {
        add_features(&mut found, body, shape, frame.rotation.tr_mul(&up));
    }
    if shapes.is_empty() {
        let feet = creature.landmarks().iter().filter(|mark| mark.role == Role::Foot && mark.body == body);
        found.extend(feet.map(|foot| Feature::new(body, foot.point, Mat3::zeros())));
    }
    found
}

fn add_features(found: &mut Vec<Feature>, body: usize, spec: &ShapeSpec, up_in_body: Vec3) {
    let rotation = spec.body_from_shape.rotation.to_rotation_matrix().into_inner();
    let position = spec.body_from_shape.translation.vector;
    let down = -rotation.tr_mul(&up_in_body);
    let mut add = |at: Vec3, squares: Vec3| {
        let ellipsoid = rotation * Mat3::from_diagonal(&squares) * rotation.transpose();
        found.push(Feature::new(body, position + rotation * at, ellipsoid));
    };
    match &spec.shape {
        Shape::Sphere { radius } => add(Vec3::zeros(), Vec3::repeat(radius * radius)),
        Shape::Ellipsoid { radii } => add(Vec3::zeros(), radii.component_mul(radii)),
        Shape::Capsule { radius, half_length } => {
            for end in [-half_length, *half_length] {
                add(Vec3::z() * end, Vec3::repeat(radius * radius));
            }
        }
        Shape::Box { half } => {
            for corner in 0..8 {
                let sign = |axis: usize| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
                add(half.component_mul(&Vec3::new(sign(0), sign(1), sign(2))), Vec3::zeros());
            }
        }
        Shape::Cylinder { radius, half_length } => {
            // The lowest point of each rim and seven more.
            let lowest = Vec3::new(down.x, down.y, 0.0).try_normalize(1e-9).unwrap_or_else(Vec3::x);
            let across = Vec3::z().cross(&lowest);
            for end in [-half_length, *half_length] {
                for (cosine, sine) in eight_directions() {
                    add(Vec3::z() * end + (lowest * cosine + across * sine) * *radius, Vec3::zeros());
                }
            }
        }
        Shape::Mesh { mesh, .. } => {
            for vertex in lowest_vertices(mesh, down) {
                add(vertex, Vec3::zeros());
            }
        }
    }
}

/// (cos, sin) of multiples of 45°.
fn eight_directions() -> [(f64, f64); 8] {
    let d = std::f64::consts::FRAC_1_SQRT_2;
    [(1.0, 0.0), (d, d), (0.0, 1.0), (-d, d), (-1.0, 0.0), (-d, -d), (0.0, -1.0), (d, -d)]
}

/// The vertices of a mesh that are lowest on level ground, and on ground tilted to eight sides by a little (the
/// corners of a sole), by 6° and by 30°.
fn lowest_vertices(mesh: &TriMesh, down: Vec3) -> Vec<Vec3> {
    let side = down.cross(&Vec3::ith(down.iamin(), 1.0)).normalize();
    let other = down.cross(&side);
    let mut vertices = vec![mesh.support(down)];
    for tilt in [0.001, 0.1, 0.5] {
        for (cosine, sine) in eight_directions() {
            let vertex = mesh.support(down + (side * cosine + other * sine) * tilt);
            if !vertices.contains(&vertex) {
                vertices.push(vertex);
            }
        }
    }
    vertices
}

/// The name under which the force on a body is reported: the foot it belongs to, else its own.
pub(super) fn name_of(creature: &Creature, body: usize) -> String {
    let mut above = body;
    while above != 0 {
        if let Some(foot) =
            creature.landmarks().iter().find(|mark| mark.role == Role::Foot && mark.body == above)
        {
            return foot.name();
        }
        above = creature.bodies()[above].parent;
    }
    creature.bodies()[body].name.clone()
}

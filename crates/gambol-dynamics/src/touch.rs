//! What can touch the ground.
//!
//! Every shape is reduced to a few *touches*: corners, and round pieces that roll. Both are ellipsoids, a corner one
//! of size zero, so one formula serves all. An ellipsoid with centre c and shape matrix B (semi-axes squared, turned
//! into the world) has its lowest point at c − B u / h with h = √(uᵀ B u), u pointing up.

use gambol_model::{Role, Shape, ShapeSpec, TriMesh};

use crate::{BodyFrame, Creature, Mat3, Vec3};

/// A corner or a round piece of a shape.
#[derive(Clone, Debug)]
pub struct Touch {
    /// The body it is on.
    pub body: usize,
    /// In the body frame, m.
    pub center: Vec3,
    /// Semi-axes squared, body frame, m².
    pub ellipsoid: Mat3,
}

/// The lowest point of a touch.
#[derive(Clone, Copy, Debug)]
pub struct Lowest {
    /// In the world, m.
    pub point: Vec3,
    /// (B − y yᵀ)/h with y = B u / h: how the lowest point wanders as the body turns, m.
    pub roundness: Mat3,
}

impl Touch {
    fn new(body: usize, center: Vec3, ellipsoid: Mat3) -> Self {
        Self { body, center, ellipsoid }
    }

    /// Its lowest point against `up`, a unit vector of the world. `frame` is that of its body.
    pub fn lowest(&self, frame: &BodyFrame, up: Vec3) -> Lowest {
        let center = frame.point_in_world(self.center);
        if self.ellipsoid == Mat3::zeros() {
            return Lowest { point: center, roundness: Mat3::zeros() };
        }
        let b = frame.rotation * self.ellipsoid * frame.rotation.transpose();
        let (y, h) = rise(&b, up);
        let roundness = if h == 0.0 { Mat3::zeros() } else { (b - y * y.transpose()) / h };
        Lowest { point: center - y, roundness }
    }

    /// The point of [`Touch::lowest`] alone, which is a third of the work, m.
    pub fn lowest_point(&self, frame: &BodyFrame, up: Vec3) -> Vec3 {
        let center = frame.point_in_world(self.center);
        if self.ellipsoid == Mat3::zeros() {
            return center;
        }
        let along = frame.rotation * (self.ellipsoid * frame.rotation.tr_mul(&up));
        let h = up.dot(&along).max(0.0).sqrt();
        if h == 0.0 { center } else { center - along / h }
    }

    /// Whether all of it is more than `height` m above the level z = 0 of the world, by its longest semi-axis or more. Quick where that
    /// is not so by far.
    pub fn is_above(&self, frame: &BodyFrame, height: f64) -> bool {
        frame.point_in_world(self.center).z - self.ellipsoid.trace().sqrt() > height
    }
}

/// From the centre of an ellipsoid to its highest point, y = B u / h, and how much higher that is, h = √(uᵀ B u), m.
pub(crate) fn rise(b: &Mat3, up: Vec3) -> (Vec3, f64) {
    let along = b * up;
    let h = up.dot(&along).max(0.0).sqrt();
    if h == 0.0 { (Vec3::zeros(), 0.0) } else { (along / h, h) }
}

/// All touches of a body that may come near the ground while `up` of the world stays roughly what it is to the body in
/// `frame`. A body without shapes touches with its foot landmark, if it has one.
pub fn touches(creature: &Creature, body: usize, frame: &BodyFrame, up: Vec3) -> Vec<Touch> {
    let shapes = &creature.shapes()[creature.bodies()[body].shapes.clone()];
    // What only decorates does not touch the ground, unless there is nothing else.
    let solid = shapes.iter().any(|shape| shape.collides);
    let mut found = Vec::new();
    for shape in shapes.iter().filter(|shape| shape.collides || !solid) {
        add_touches(&mut found, body, shape, frame.rotation.tr_mul(&up));
    }
    if shapes.is_empty() {
        let feet = creature.landmarks().iter().filter(|mark| mark.role == Role::Foot && mark.body == body);
        found.extend(feet.map(|foot| Touch::new(body, foot.point, Mat3::zeros())));
    }
    found
}

fn add_touches(found: &mut Vec<Touch>, body: usize, spec: &ShapeSpec, up_in_body: Vec3) {
    let rotation = spec.body_from_shape.rotation.to_rotation_matrix().into_inner();
    let position = spec.body_from_shape.translation.vector;
    let down = -rotation.tr_mul(&up_in_body);
    let mut add = |at: Vec3, squares: Vec3| {
        let ellipsoid = rotation * Mat3::from_diagonal(&squares) * rotation.transpose();
        found.push(Touch::new(body, position + rotation * at, ellipsoid));
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
pub(crate) fn eight_directions() -> [(f64, f64); 8] {
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

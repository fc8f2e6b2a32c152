//! Shapes in the frame of their body, with what contacts need worked out.

use gambol_model::{Shape, ShapeSpec};

use super::hull::Hull;
use crate::{Mat3, Vec3};

/// A ball.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    /// m
    pub(super) center: Vec3,
    /// m
    pub(super) radius: f64,
}

impl Ball {
    /// One that holds them all, centred on the box around them; `None` if there are none.
    pub(super) fn around(balls: impl Iterator<Item = Ball> + Clone) -> Option<Self> {
        let corners =
            |ball: Ball| (ball.center.add_scalar(-ball.radius), ball.center.add_scalar(ball.radius));
        let (low, high) = balls.clone().map(corners).reduce(|a, b| (a.0.inf(&b.0), a.1.sup(&b.1)))?;
        let center = (low + high) / 2.0;
        let radius = balls.map(|ball| (ball.center - center).norm() + ball.radius).fold(0.0, f64::max);
        Some(Self { center, radius })
    }
}

/// A shape in the frame of its body.
#[derive(Clone, Debug)]
pub(super) struct Solid {
    /// Index among the creature's shapes.
    pub(super) shape: usize,
    /// Holds it all.
    pub(super) bounds: Ball,
    pub(super) form: Form,
}

/// What a solid is made of. Lengths in m, body frame.
#[derive(Clone, Debug)]
pub(super) enum Form {
    Ball(Ball),
    /// Two balls and what is between.
    Capsule {
        ends: [Vec3; 2],
        radius: f64,
    },
    /// Centre, and from there to the middle of three faces.
    Box {
        center: Vec3,
        arms: [Vec3; 3],
    },
    /// Centre, and semi-axes squared as a matrix.
    Ellipsoid {
        center: Vec3,
        squares: Mat3,
    },
    Cylinder(Cylinder),
    Hull(Hull),
}

#[derive(Clone, Debug)]
pub(super) struct Cylinder {
    pub(super) center: Vec3,
    /// Unit.
    pub(super) axis: Vec3,
    /// From the axis to the rim, at right angles.
    pub(super) spokes: [Vec3; 2],
    pub(super) radius: f64,
    pub(super) half_length: f64,
}

impl Solid {
    pub(super) fn new(spec: &ShapeSpec, shape: usize) -> Self {
        let rotation = spec.body_from_shape.rotation.to_rotation_matrix().into_inner();
        let center = spec.body_from_shape.translation.vector;
        let axis = rotation.column(2).into_owned();
        let (form, radius) = match &spec.shape {
            Shape::Sphere { radius } => (Form::Ball(Ball { center, radius: *radius }), *radius),
            Shape::Capsule { radius, half_length } => {
                let ends = [-half_length, *half_length].map(|z| center + axis * z);
                (Form::Capsule { ends, radius: *radius }, half_length + radius)
            }
            Shape::Box { half } => {
                let arms = [0, 1, 2].map(|k| rotation.column(k) * half[k]);
                (Form::Box { center, arms }, half.norm())
            }
            Shape::Ellipsoid { radii } => {
                let squares =
                    rotation * Mat3::from_diagonal(&radii.component_mul(radii)) * rotation.transpose();
                (Form::Ellipsoid { center, squares }, radii.max())
            }
            Shape::Cylinder { radius, half_length } => {
                let spokes = [0, 1].map(|k| rotation.column(k) * *radius);
                let cylinder = Cylinder { center, axis, spokes, radius: *radius, half_length: *half_length };
                (Form::Cylinder(cylinder), radius.hypot(*half_length))
            }
            Shape::Mesh { mesh, .. } => {
                let hull = Hull::new(mesh, |vertex| center + rotation * vertex);
                let bounds = hull.bounds();
                return Self { shape, bounds, form: Form::Hull(hull) };
            }
        };
        Self { shape, bounds: Ball { center, radius }, form }
    }
}

//! Shapes in the frame of their body, with what contacts need worked out.

use gambol_model::{Shape, ShapeSpec, math};

use super::hull::Hull;
use crate::touch::rise;
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
                (Form::Cylinder(cylinder), math::hypot(*radius, *half_length))
            }
            Shape::Mesh { mesh, .. } => {
                let hull = Hull::new(mesh, |vertex| center + rotation * vertex);
                let bounds = hull.bounds();
                return Self { shape, bounds, form: Form::Hull(hull) };
            }
        };
        Self { shape, bounds: Ball { center, radius }, form }
    }

    /// Points and segments with a skin of this thickness are balls and capsules; all else has none.
    pub(super) fn skin(&self) -> f64 {
        match &self.form {
            Form::Ball(ball) => ball.radius,
            Form::Capsule { radius, .. } => *radius,
            _ => 0.0,
        }
    }

    /// The segment within the skin of a ball or capsule.
    pub(super) fn segment(&self) -> Option<[Vec3; 2]> {
        match &self.form {
            Form::Ball(ball) => Some([ball.center; 2]),
            Form::Capsule { ends, .. } => Some(*ends),
            _ => None,
        }
    }

    /// The point within the skin that is farthest in `direction`.
    pub(super) fn farthest(&self, direction: Vec3) -> Vec3 {
        match &self.form {
            Form::Ball(ball) => ball.center,
            Form::Capsule { ends, .. } => {
                ends[usize::from(direction.dot(&ends[1]) > direction.dot(&ends[0]))]
            }
            Form::Box { center, arms } => {
                arms.iter().fold(*center, |point, arm| point + arm * 1f64.copysign(arm.dot(&direction)))
            }
            Form::Ellipsoid { center, squares } => center + rise(squares, direction).0,
            Form::Cylinder(Cylinder { center, axis, radius, half_length, .. }) => {
                let along = axis.dot(&direction);
                let across = direction - axis * along;
                let rim = across.try_normalize(f64::MIN_POSITIVE).unwrap_or_default() * *radius;
                center + axis * half_length.copysign(along) + rim
            }
            Form::Hull(hull) => hull.corner(hull.farthest(direction)),
        }
    }
}

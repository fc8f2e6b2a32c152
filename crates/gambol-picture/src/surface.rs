//! A solid seen by a far eye: its outline on the picture plane and the depth of what is seen of it.

use std::f64::consts::TAU;

use gambol_model::{Mat3, Shape, Transform, Vec3, math};

/// Points on a round outline; a ball of 200 px is within a tenth of a pixel of round.
const ROUND: usize = 64;

/// A shape in eye coordinates: right, up, towards the eye, m.
pub(crate) struct Surface<'c> {
    shape: &'c Shape,
    eye_from_shape: Mat3,
    centre: Vec3,
}

impl<'c> Surface<'c> {
    pub(crate) fn new(shape: &'c Shape, world_from_shape: &Transform, eye_from_world: &Mat3) -> Self {
        Self {
            shape,
            eye_from_shape: eye_from_world * world_from_shape.rotation.to_rotation_matrix().matrix(),
            centre: eye_from_world * world_from_shape.translation.vector,
        }
    }

    /// Middle of the shape's own box, eye coordinates; a mesh need not be about its origin.
    pub(crate) fn centre(&self) -> Vec3 {
        self.centre + self.eye_from_shape * self.shape.bounds().1
    }

    /// The outline of a convex shape: its farthest points all around the picture plane, spanned by `right` and `up`.
    pub(crate) fn outline(&self, right: Vec3, up: Vec3) -> Vec<Vec3> {
        let mut outline: Vec<Vec3> = Vec::with_capacity(ROUND);
        for k in 0..ROUND {
            let (sine, cosine) = math::sin_cos(TAU * k as f64 / ROUND as f64);
            let direction = self.eye_from_shape.tr_mul(&(right * cosine + up * sine));
            let point = self.centre + self.eye_from_shape * self.shape.support(direction);
            // A box has a few corners, each the farthest in many directions.
            if outline.last() != Some(&point) {
                outline.push(point);
            }
        }
        outline
    }

    /// Depth of the nearest point seen at (`right`, `up`), if the shape is there. A mesh counts as an ellipsoid.
    pub(crate) fn front(&self, right: f64, up: f64) -> Option<f64> {
        let from = self.eye_from_shape.tr_mul(&(Vec3::new(right, up, 0.0) - self.centre));
        let along = self.eye_from_shape.row(2).transpose();
        match self.shape {
            Shape::Sphere { radius } => ellipsoid(from, along, Vec3::repeat(*radius)),
            Shape::Ellipsoid { radii } => ellipsoid(from, along, *radii),
            Shape::Box { half } => slabs(from, along, *half).map(|[_, exit]| exit),
            Shape::Cylinder { radius, half_length } => cylinder(from, along, *radius, *half_length),
            Shape::Capsule { radius, half_length } => {
                let ball = |z: f64| ellipsoid(from - Vec3::z() * z, along, Vec3::repeat(*radius));
                [ball(*half_length), ball(-half_length), cylinder(from, along, *radius, *half_length)]
                    .into_iter()
                    .flatten()
                    .reduce(f64::max)
            }
            Shape::Mesh { mesh, .. } => {
                let (half, middle) = mesh.bounds();
                ellipsoid(from - middle, along, half)
            }
        }
    }
}

/// Where the line `from + t along` leaves an ellipsoid.
fn ellipsoid(from: Vec3, along: Vec3, radii: Vec3) -> Option<f64> {
    let (from, along) = (from.component_div(&radii), along.component_div(&radii));
    roots(along.norm_squared(), from.dot(&along), from.norm_squared() - 1.0).map(|[_, exit]| exit)
}

/// Where the line leaves a cylinder along z: the nearer of leaving its tube and its two ends.
fn cylinder(from: Vec3, along: Vec3, radius: f64, half_length: f64) -> Option<f64> {
    let (f, a) = (from.xy(), along.xy());
    let [tube_in, tube_out] = roots(a.norm_squared(), f.dot(&a), f.norm_squared() - radius * radius)?;
    let [ends_in, ends_out] = slabs(from, along, Vec3::new(f64::INFINITY, f64::INFINITY, half_length))?;
    (tube_in.max(ends_in) <= tube_out.min(ends_out)).then(|| tube_out.min(ends_out))
}

/// Where the line enters and leaves a box.
fn slabs(from: Vec3, along: Vec3, half: Vec3) -> Option<[f64; 2]> {
    let (mut enter, mut exit) = (f64::NEG_INFINITY, f64::INFINITY);
    for k in 0..3 {
        if along[k].abs() < 1e-12 {
            if from[k].abs() > half[k] {
                return None;
            }
            continue;
        }
        let (a, b) = ((half[k] - from[k]) / along[k], (-half[k] - from[k]) / along[k]);
        enter = enter.max(a.min(b));
        exit = exit.min(a.max(b));
    }
    (enter <= exit).then_some([enter, exit])
}

/// Roots of a t² + 2 b t + c; all t or none where the line runs along the surface.
fn roots(a: f64, b: f64, c: f64) -> Option<[f64; 2]> {
    if a < 1e-12 {
        return (c <= 0.0).then_some([f64::NEG_INFINITY, f64::INFINITY]);
    }
    let inside = b * b - a * c;
    (inside >= 0.0).then(|| [(-b - inside.sqrt()) / a, (-b + inside.sqrt()) / a])
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_model::Quat;

    /// The front of every shape is where its support is, looked at along any direction.
    #[test]
    fn the_front_is_on_the_surface() {
        let shapes = [
            Shape::Sphere { radius: 0.4 },
            Shape::Capsule { radius: 0.2, half_length: 0.5 },
            Shape::Cylinder { radius: 0.3, half_length: 0.4 },
            Shape::Box { half: Vec3::new(0.2, 0.3, 0.5) },
            Shape::Ellipsoid { radii: Vec3::new(0.2, 0.3, 0.5) },
        ];
        for shape in &shapes {
            for k in 0..20 {
                let turn = Quat::from_euler_angles(0.3 * f64::from(k), 1.1 + 0.7 * f64::from(k), 0.4);
                let place = Transform::from_parts(Vec3::new(0.1, -0.2, 0.3).into(), turn);
                let surface = Surface::new(shape, &place, &Mat3::identity());
                let nearest = place.translation.vector + turn * shape.support(turn.inverse() * Vec3::z());
                let found = surface.front(nearest.x * 0.999_999 + 0.1e-6, nearest.y * 0.999_999 - 0.2e-6);
                assert!(found.is_some_and(|z| (z - nearest.z).abs() < 1e-5), "{shape:?} {k}: {found:?}");
                assert_eq!(surface.front(2.0, 0.0), None, "{shape:?}");
            }
        }
    }
}

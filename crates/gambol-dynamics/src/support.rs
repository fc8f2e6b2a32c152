//! The forces at points of support, inside their friction cones, that explain a wrench best.
//!
//! ```text
//! minimise ½ ‖w − G f‖² + ½ ε ‖f‖²   over   f_i in K_i = {|tangential| ≤ μ · normal}
//! ```
//!
//! w is the wrench in body weights, and body weights times a length; G f the wrench of the forces. ε is so small that it only
//! decides how feet share what many shares explain alike: as evenly as they can.
//!
//! The wrench has six numbers, however many the points. The dual of the problem has six unknowns too, y = w − G f:
//!
//! ```text
//! maximise −½ ‖y‖² + y·w − ‖Π(Gᵀ y)‖² / 2ε,   f = Π(Gᵀ y) / ε,   Π the projection onto the cones
//! ```
//!
//! It is concave with a piecewise smooth gradient, and Newton's method with a line search ends after a few steps.

use nalgebra::{Matrix3, Matrix6, Vector6};

use crate::{Vec3, Wrench};

/// A point that may be pushed from below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupportPoint {
    /// In the world, m.
    pub point: Vec3,
    /// Unit normal of the ground, out of it.
    pub normal: Vec3,
}

/// What the ground can do, and in which units a wrench is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupportSettings {
    /// Coefficient of friction μ.
    pub friction: f64,
    /// Unit of force, N: the weight of the creature.
    pub weight: f64,
    /// Unit of length, m: the height of the centre of mass. A moment counts in weight × length.
    pub length: f64,
}

/// How a wrench comes about.
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    /// Per point: the force on the creature, N.
    pub forces: Vec<Vec3>,
    /// What no force at the points explains, N and N·m about the centre of mass.
    pub residual: Wrench,
}

/// ε: forces that differ by less than this share of the weight are as good as one another.
const SHARING: f64 = 1e-6;

/// Newton steps; five to ten are usual, and none gets worse by ending early.
const STEPS: usize = 50;

/// The gradient of the dual, in weights, at which it is solved.
const SOLVED: f64 = 1e-12;

/// The forces at `points` that explain `wrench` best.
pub fn explain(wrench: &Wrench, points: &[SupportPoint], settings: &SupportSettings) -> Support {
    let SupportSettings { friction, weight, length } = *settings;
    let w = stack(wrench.force / weight, wrench.moment / (weight * length));
    let arms: Vec<Vec3> = points.iter().map(|point| (point.point - wrench.center) / length).collect();
    // Gᵀ y at a point: its velocity if the creature moved by y.
    let pull = |y: &Vector6<f64>, arm: &Vec3| {
        let (force, moment) = split(y);
        force + moment.cross(arm)
    };
    let forces = |y: &Vector6<f64>| -> Vec<Vec3> {
        let of = |(point, arm): (&SupportPoint, &Vec3)| {
            project(&pull(y, arm), &point.normal, friction).0 / SHARING
        };
        points.iter().zip(&arms).map(of).collect()
    };
    let value = |y: &Vector6<f64>| {
        let inside: f64 = points
            .iter()
            .zip(&arms)
            .map(|(point, arm)| project(&pull(y, arm), &point.normal, friction).0.norm_squared())
            .sum();
        -0.5 * y.norm_squared() + y.dot(&w) - inside / (2.0 * SHARING)
    };
    let mut y = Vector6::zeros();
    for _ in 0..STEPS {
        let mut gradient = w - y;
        let mut hessian = Matrix6::identity();
        for (point, arm) in points.iter().zip(&arms) {
            let (f, derivative) = project(&pull(&y, arm), &point.normal, friction);
            let f = f / SHARING;
            gradient -= stack(f, arm.cross(&f));
            // G D Gᵀ/ε with Gᵀ = [1, −[arm]×].
            let cross = arm.cross_matrix();
            let d = derivative / SHARING;
            let blocks = [[d, -d * cross], [cross * d, -cross * d * cross]];
            for (i, row) in blocks.iter().enumerate() {
                for (j, block) in row.iter().enumerate() {
                    let mut part = hessian.fixed_view_mut::<3, 3>(3 * i, 3 * j);
                    part += block;
                }
            }
        }
        if gradient.norm() <= SOLVED {
            break;
        }
        let Some(factor) = hessian.cholesky() else { break };
        let step = factor.solve(&gradient);
        let (before, slope) = (value(&y), gradient.dot(&step));
        let mut share = 1.0;
        while value(&(y + step * share)) < before + 1e-4 * share * slope && share > 1e-9 {
            share *= 0.5;
        }
        y += step * share;
    }
    let forces = forces(&y);
    // Of the forces as they are, not of y: what is told adds up.
    let mut residual = *wrench;
    for (force, point) in forces.iter().zip(points) {
        residual.force -= force * weight;
        residual.moment -= (point.point - wrench.center).cross(force) * weight;
    }
    Support { forces: forces.into_iter().map(|force| force * weight).collect(), residual }
}

fn stack(a: Vec3, b: Vec3) -> Vector6<f64> {
    Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
}

fn split(y: &Vector6<f64>) -> (Vec3, Vec3) {
    (Vec3::new(y[0], y[1], y[2]), Vec3::new(y[3], y[4], y[5]))
}

/// The nearest point of the friction cone about `normal`, and how it moves with `f`: all of it inside, nothing in the
/// polar cone, and between the two along the nearest edge of the cone.
fn project(f: &Vec3, normal: &Vec3, friction: f64) -> (Vec3, Matrix3<f64>) {
    let n = f.dot(normal);
    let tangential = f - normal * n;
    let t = tangential.norm();
    if t <= friction * n {
        return (*f, Matrix3::identity());
    }
    if friction * t <= -n {
        return (Vec3::zeros(), Matrix3::zeros());
    }
    // Along the edge e = (normal + μ direction)/√(1 + μ²), of length e·f; around the cone it turns with the direction.
    let scale = 1.0 / (1.0 + friction * friction);
    let along = (n + friction * t) * scale;
    if t == 0.0 {
        return (normal * along, normal * normal.transpose());
    }
    let direction = tangential / t;
    let edge = normal + direction * friction;
    let across = Matrix3::identity() - normal * normal.transpose() - direction * direction.transpose();
    let derivative = edge * edge.transpose() * scale + across * (friction * along / t);
    (edge * along, derivative)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_projection_is_the_nearest_point_and_its_derivative_the_difference_quotient() {
        let normal = Vec3::new(0.2, -0.1, 1.0).normalize();
        for f in [
            Vec3::new(0.3, 0.1, 2.0),
            Vec3::new(2.0, -1.0, 0.4),
            Vec3::new(0.1, 0.2, -3.0),
            Vec3::new(1.0, 1.0, -0.5),
        ] {
            let (p, derivative) = project(&f, &normal, 0.8);
            // Moreau: f = p + rest with p in the cone, rest in the polar cone, and p ⊥ rest.
            let rest = f - p;
            assert!(p.dot(&rest).abs() < 1e-12);
            let n = p.dot(&normal);
            assert!((p - normal * n).norm() <= 0.8 * n + 1e-12);
            assert!(0.8 * (rest - normal * rest.dot(&normal)).norm() <= -rest.dot(&normal) + 1e-12);
            for k in 0..3 {
                let h = 1e-6;
                let moved = project(&(f + Vec3::ith(k, h)), &normal, 0.8).0;
                assert!(((moved - p) / h - derivative.column(k)).norm() < 1e-5, "{f}");
            }
        }
    }
}

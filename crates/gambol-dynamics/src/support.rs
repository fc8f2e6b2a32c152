//! The forces at points of support, inside their friction cones, that explain a wrench best.
//!
//! ```text
//! minimise ½ ‖w − G f‖² + ½ ε Σ c_i ‖f_i‖²   over   f_i in K_i = {|tangential| ≤ μ · normal}
//! ```
//!
//! w is the wrench in body weights, and body weights times a length; G f the wrench of the forces, c_i the price of a force. ε is
//! so small that it only decides how feet share what many shares explain alike: as evenly as they can.
//!
//! The wrench has six numbers, however many the points. The dual of the problem has six unknowns too, y = w − G f:
//!
//! ```text
//! maximise −½ ‖y‖² + y·w − Σ ‖Π(Gᵀ y)_i‖² / 2ε c_i,   f_i = Π(Gᵀ y)_i / ε c_i,   Π the projection onto the cones
//! ```
//!
//! It is concave with a piecewise smooth gradient. Newton's method with a line search ends after a few steps if it starts near
//! by: ε begins at the size of the forces and shrinks, and each solution is the start of the next.

use nalgebra::{Matrix3, Matrix6, Vector6};

use crate::{Vec3, Wrench};

/// A point that may be pushed from below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupportPoint {
    /// In the world, m.
    pub point: Vec3,
    /// Unit normal of the ground, out of it.
    pub normal: Vec3,
    /// Price of its force where many shares explain the wrench alike: above 0. With the number of points of its foot here, feet
    /// share as evenly as they can, however many points they have.
    pub price: f64,
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

/// ε at first and at last, each a hundredth of the one before. What the last one leaves of what could be explained is about as large,
/// in weights.
const SHARING: [f64; 4] = [1.0, 1e-2, 1e-4, 1e-6];

/// Newton steps for each ε; two to six are usual.
const STEPS: usize = 30;

/// The gradient of the dual, as a share of the wrench, at which it is solved: what rounding leaves at the last ε.
const SOLVED: f64 = 1e-8;

/// A step of Newton's method must gain this share of what its slope promises (Armijo), or it is halved, …
const GAIN: f64 = 1e-4;

/// … down to this share of it. Gains below rounding, a share of the value, are not asked for.
const SHORTEST_STEP: f64 = 1e-6;
const ROUNDING: f64 = 1e-13;

/// Writes to `forces`, per point, N, what explains `wrench` best. Returns the rest, which no forces at the points explain: about
/// the same centre, and zero where all is explained.
pub fn explain(
    wrench: &Wrench,
    points: &[SupportPoint],
    settings: &SupportSettings,
    forces: &mut [Vec3],
) -> Wrench {
    assert_eq!(forces.len(), points.len(), "there is a force for every point");
    let mut problem = Explained { wrench, points, settings, sharing: SHARING[0] };
    let w = problem.target();
    let mut y = Vector6::zeros();
    // Where a smaller ε cannot be solved any more, the larger one is the answer.
    let mut solved = (y, SHARING[0]);
    for sharing in SHARING {
        problem.sharing = sharing;
        if !problem.solve(&w, &mut y) {
            break;
        }
        solved = (y, sharing);
    }
    (y, problem.sharing) = solved;
    // Of the forces as they are, not of y: what is told adds up.
    let mut residual = *wrench;
    for (force, point) in forces.iter_mut().zip(points) {
        *force = problem.force(&y, point).0 * settings.weight;
        residual.force -= *force;
        residual.moment -= (point.point - wrench.center).cross(force);
    }
    residual
}

/// The dual problem of one wrench.
struct Explained<'p> {
    wrench: &'p Wrench,
    points: &'p [SupportPoint],
    settings: &'p SupportSettings,
    /// ε
    sharing: f64,
}

impl Explained<'_> {
    /// Newton's method from `y` on; whether it got there.
    fn solve(&self, w: &Vector6<f64>, y: &mut Vector6<f64>) -> bool {
        for _ in 0..STEPS {
            let (gradient, hessian) = self.derivatives(w, y);
            if gradient.norm() <= SOLVED * (1.0 + w.norm()) {
                return true;
            }
            // It is the identity and what the points add: positive definite, unless a number is not one.
            let Some(factor) = hessian.cholesky() else { return false };
            let step = factor.solve(&gradient);
            let (before, slope) = (self.value(w, y), gradient.dot(&step));
            let least = |share: f64| before + GAIN * share * slope - ROUNDING * (1.0 + before.abs());
            let mut share = 1.0;
            while self.value(w, &(*y + step * share)) < least(share) && share > SHORTEST_STEP {
                share *= 0.5;
            }
            *y += step * share;
        }
        false
    }

    /// w, in weights and weights × length.
    fn target(&self) -> Vector6<f64> {
        let SupportSettings { weight, length, .. } = *self.settings;
        stack(self.wrench.force / weight, self.wrench.moment / (weight * length))
    }

    /// From the centre of mass, in lengths.
    fn arm(&self, point: &SupportPoint) -> Vec3 {
        (point.point - self.wrench.center) / self.settings.length
    }

    /// Gᵀ y at a point: its velocity if the creature moved by y.
    fn pull(&self, y: &Vector6<f64>, point: &SupportPoint) -> Vec3 {
        let (force, moment) = split(y);
        force + moment.cross(&self.arm(point))
    }

    /// The force at a point, in weights, and how it moves with the pull there.
    fn force(&self, y: &Vector6<f64>, point: &SupportPoint) -> (Vec3, Matrix3<f64>) {
        let (nearest, derivative) = project(&self.pull(y, point), &point.normal, self.settings.friction);
        let scale = 1.0 / (self.sharing * point.price);
        (nearest * scale, derivative * scale)
    }

    /// −½ ‖y‖² + y·w − Σ ‖Π(Gᵀ y)‖² / 2ε
    fn value(&self, w: &Vector6<f64>, y: &Vector6<f64>) -> f64 {
        let inside = |point: &SupportPoint| {
            let nearest = project(&self.pull(y, point), &point.normal, self.settings.friction).0;
            nearest.norm_squared() / (2.0 * self.sharing * point.price)
        };
        -0.5 * y.norm_squared() + y.dot(w) - self.points.iter().map(inside).sum::<f64>()
    }

    /// w − y − G f, and 1 + G D Gᵀ with D the derivative of the forces and Gᵀ = [1, −[arm]×]: the Hessian but for its sign.
    fn derivatives(&self, w: &Vector6<f64>, y: &Vector6<f64>) -> (Vector6<f64>, Matrix6<f64>) {
        let mut gradient = w - y;
        let mut hessian = Matrix6::identity();
        for point in self.points {
            let (f, d) = self.force(y, point);
            let arm = self.arm(point);
            gradient -= stack(f, arm.cross(&f));
            let cross = arm.cross_matrix();
            let blocks = [[d, -d * cross], [cross * d, -cross * d * cross]];
            for (i, row) in blocks.iter().enumerate() {
                for (j, block) in row.iter().enumerate() {
                    let mut part = hessian.fixed_view_mut::<3, 3>(3 * i, 3 * j);
                    part += block;
                }
            }
        }
        (gradient, hessian)
    }
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
    fn point(x: f64, y: f64, z: f64, normal: Vec3) -> SupportPoint {
        SupportPoint { point: Vec3::new(x, y, z), normal: normal.normalize(), price: 1.0 }
    }

    const UNIT: SupportSettings = SupportSettings { friction: 0.8, weight: 1.0, length: 1.0 };

    fn weight_of(mass_times_g: f64) -> Wrench {
        Wrench { force: Vec3::z() * mass_times_g, moment: Vec3::zeros(), center: Vec3::new(0.0, 0.0, 1.0) }
    }

    /// A table on four legs with its centre of mass off the middle: the law of the lever, along both sides.
    #[test]
    fn feet_share_a_weight_by_the_lever() {
        let settings = SupportSettings { weight: 50.0, ..UNIT };
        let points: Vec<SupportPoint> = [(-1.0, 0.5), (3.0, 0.5), (-1.0, -0.5), (3.0, -0.5)]
            .map(|(x, y)| point(x, y, 0.0, Vec3::z()))
            .into();
        let mut forces = vec![Vec3::zeros(); 4];
        let rest = explain(&weight_of(50.0), &points, &settings, &mut forces);
        assert!(rest.force.norm() < 50.0 * 1e-6 && rest.moment.norm() < 50.0 * 1e-6, "{rest:?}");
        for (force, share) in forces.iter().zip([0.375, 0.125, 0.375, 0.125]) {
            assert!((force - Vec3::z() * 50.0 * share).norm() < 50.0 * 1e-5, "{force}");
        }
    }

    /// Two feet alike, one with a point and one with many: each carries half.
    #[test]
    fn feet_share_evenly_however_many_points_they_have() {
        let mut points = vec![point(-1.0, 0.0, 0.0, Vec3::z())];
        let many = [-0.02, -0.01, 0.0, 0.01, 0.02];
        points.extend(many.map(|x| SupportPoint { price: 5.0, ..point(1.0 + x, 0.0, 0.0, Vec3::z()) }));
        let mut forces = vec![Vec3::zeros(); points.len()];
        explain(&weight_of(1.0), &points, &UNIT, &mut forces);
        assert!((forces[0].z - 0.5).abs() < 1e-6);
        // A sideways push changes no moment by much of what it could: both feet take their half of it.
        let push =
            Wrench { force: Vec3::new(0.0, 0.2, 1.0), moment: Vec3::new(0.2, 0.0, 0.0), ..weight_of(1.0) };
        explain(&push, &points, &UNIT, &mut forces);
        assert!((forces[0].y - 0.1).abs() < 1e-6, "{}", forces[0]);
    }

    /// On a slope steeper than friction holds, the nearest force lies along the edge of the cone, and sin(slope − arctan μ)
    /// of the weight is left. Within the cone nothing is.
    #[test]
    fn a_slope_beyond_the_cone_leaves_what_friction_cannot_hold() {
        for degrees in [10.0_f64, 30.0, 38.0, 40.0, 60.0, 80.0] {
            let slope = degrees.to_radians();
            let normal = Vec3::new(-gambol_model::math::sin(slope), 0.0, gambol_model::math::cos(slope));
            let mut forces = [Vec3::zeros()];
            let rest = explain(&weight_of(1.0), &[point(0.0, 0.0, 1.0, normal)], &UNIT, &mut forces);
            let left = gambol_model::math::sin((slope - gambol_model::math::atan2(0.8, 1.0)).max(0.0));
            assert!((rest.force.norm() - left).abs() < 1e-6, "{degrees}°: {} but {left}", rest.force.norm());
        }
    }

    #[test]
    fn nothing_pulls_and_nothing_holds_in_the_air() {
        let mut forces = [Vec3::zeros()];
        let rest = explain(&weight_of(-2.0), &[point(0.0, 0.0, 0.0, Vec3::z())], &UNIT, &mut forces);
        assert_eq!((rest.force.z, forces[0].norm()), (-2.0, 0.0));
        let rest = explain(&weight_of(1.0), &[], &UNIT, &mut []);
        assert_eq!(rest, weight_of(1.0));
    }

    /// A second algorithm: accelerated projected gradients on the forces themselves, slow and plain. Both must leave equally
    /// much, on random feet, normals and wrenches, most of which cannot be explained in full.
    #[test]
    fn projected_gradients_on_the_forces_leave_as_much() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for count in [1, 2, 3, 5, 9] {
            for _ in 0..10 {
                let mut vector = || Vec3::new(random(), random(), random());
                let wrench = Wrench {
                    force: vector() + Vec3::z(),
                    moment: vector() * 0.3,
                    center: Vec3::new(0.1, -0.2, 1.0),
                };
                let points: Vec<SupportPoint> = (0..count)
                    .map(|_| {
                        let (at, tilt) = (vector(), vector() * 0.3);
                        point(at.x, at.y, 0.1 * at.z, Vec3::z() + tilt)
                    })
                    .collect();
                let mut forces = vec![Vec3::zeros(); count];
                let rest = explain(&wrench, &points, &UNIT, &mut forces);
                let own = rest.force.norm_squared() + rest.moment.norm_squared();
                let slow = descend(&wrench, &points);
                assert!((own - slow).abs() < 1e-5 * (1.0 + slow), "{count} points: {own} and {slow}");
                for (force, point) in forces.iter().zip(&points) {
                    let n = force.dot(&point.normal);
                    assert!((force - point.normal * n).norm() <= 0.8 * n + 1e-9);
                }
            }
        }
    }

    /// Squared residual after many steps of Nesterov's method on the forces, restarted where it climbs.
    fn descend(wrench: &Wrench, points: &[SupportPoint]) -> f64 {
        let arms: Vec<Vec3> = points.iter().map(|point| point.point - wrench.center).collect();
        let left = |forces: &[Vec3]| {
            let mut rest = *wrench;
            for (force, arm) in forces.iter().zip(&arms) {
                rest.force -= force;
                rest.moment -= arm.cross(force);
            }
            rest
        };
        let cost = |rest: &Wrench| rest.force.norm_squared() + rest.moment.norm_squared();
        // ‖G‖² is at most the sum of those of its columns.
        let step = 1.0 / arms.iter().map(|arm| 1.0 + arm.norm_squared()).sum::<f64>();
        let mut forces = vec![Vec3::zeros(); points.len()];
        let mut ahead = forces.clone();
        let (mut momentum, mut best) = (1.0_f64, cost(wrench));
        for _ in 0..20_000 {
            let rest = left(&ahead);
            let next: Vec<Vec3> = ahead
                .iter()
                .zip(&arms)
                .zip(points)
                .map(|((force, arm), point)| {
                    project(&(force + (rest.force + rest.moment.cross(arm)) * step), &point.normal, 0.8).0
                })
                .collect();
            let now = cost(&left(&next));
            let later = if now > best { 1.0 } else { 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) };
            let keep = if now > best { 0.0 } else { (momentum - 1.0) / later };
            ahead = next.iter().zip(&forces).map(|(new, old)| new + (new - old) * keep).collect();
            (forces, momentum, best) = (next, later, now);
        }
        cost(&left(&forces))
    }
}

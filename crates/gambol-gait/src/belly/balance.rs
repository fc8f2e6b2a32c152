//! The motion at which drag adds up to nothing.

use gambol_model::{Mat3, Vec3};
use nalgebra::{DMatrix, DVector};

/// A point that something holds back: the force on it is −`resistance` × velocity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drag {
    /// m
    pub(super) at: Vec3,
    /// Of the point while the frame stands still, m/s.
    pub(super) velocity: Vec3,
    /// Symmetric.
    pub(super) resistance: Mat3,
}

/// A rigid motion: angular, and linear at the origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Twist {
    pub(super) angular: Vec3,
    pub(super) linear: Vec3,
}

impl Twist {
    pub(super) fn slide(linear: Vec3) -> Self {
        Self { angular: Vec3::zeros(), linear }
    }

    pub(super) fn turn(angular: Vec3) -> Self {
        Self { angular, linear: Vec3::zeros() }
    }

    /// Velocity of the point `x`.
    pub(super) fn at(&self, x: Vec3) -> Vec3 {
        self.linear + self.angular.cross(&x)
    }

    /// Σ cᵢ · freeᵢ
    pub(super) fn sum(free: &[Self], c: &[f64]) -> Self {
        let angular = free.iter().zip(c).map(|(twist, c)| twist.angular * *c).sum();
        let linear = free.iter().zip(c).map(|(twist, c)| twist.linear * *c).sum();
        Self { angular, linear }
    }
}

/// Drag of a slender piece: 1 along its axis, `across` times that across it, in all `load` times.
pub(super) fn resistance(axis: Option<Vec3>, across: f64, load: f64) -> Mat3 {
    // A piece without an axis resists alike in all directions, and no less than others do on the mean.
    let along = axis.map_or_else(Mat3::zeros, |axis| axis * axis.transpose());
    (Mat3::identity() * across + along * (1.0 - across)) * load
}

/// Resistance A = Σ Jᵀ D J against the rigid motions `free`, and the force −Σ Jᵀ D v of the given velocities along
/// them. Every point counts as a patch of radius `patch`, so that even a single one resists turning.
pub(super) fn system(drags: &[Drag], free: &[Twist], patch: f64) -> (DMatrix<f64>, DVector<f64>) {
    let n = free.len();
    let (mut a, mut b) = (DMatrix::zeros(n, n), DVector::zeros(n));
    for drag in drags {
        let held = drag.resistance * drag.velocity;
        let spin = patch * patch * drag.resistance.trace() / 3.0;
        for (i, first) in free.iter().enumerate() {
            let pushed = first.at(drag.at);
            b[i] -= pushed.dot(&held);
            let pushed = drag.resistance * pushed;
            for (j, second) in free.iter().enumerate() {
                a[(i, j)] += pushed.dot(&second.at(drag.at)) + spin * first.angular.dot(&second.angular);
            }
        }
    }
    (a, b)
}

/// Derivative over time of samples `step` apart, from two on either side: exact for polynomials of degree 4.
pub(super) fn derivative(around: [Vec3; 4], step: f64) -> Vec3 {
    let [a, b, c, d] = around;
    (a - d + (c - b) * 8.0) / (12.0 * step)
}

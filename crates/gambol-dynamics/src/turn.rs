//! A rotation by a vector, and how it goes on: the derivative of the exponential of SO(3), its inverse, and how both change.
//!
//! ```text
//! ω = D(θ) θ̇      D = 1 − a [θ] + b [θ]²      a = (1 − cos θ)/θ²   b = (θ − sin θ)/θ³
//! θ̇ = D(θ)⁻¹ ω    D⁻¹ = 1 + ½ [θ] + c [θ]²    c = (1 − ½ θ cot ½θ)/θ²
//! ```
//!
//! ω is along the axes of the turned body. Along the axes that it turned from, both are transposed: D(−θ) = D(θ)ᵀ.

use gambol_model::math;

use crate::Vec3;

/// A rotation by the vector θ and how it goes on.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    theta: Vec3,
    /// a = (1 − cos θ)/θ²
    first: f64,
    /// b = (θ − sin θ)/θ³
    second: f64,
}

/// Below, rad, the series are right to the last digit, and the closed forms are not.
const SMALL: f64 = 0.1;

impl Turn {
    /// Of a rotation vector, rad.
    pub fn new(theta: Vec3) -> Self {
        let squared = theta.norm_squared();
        let angle = squared.sqrt();
        // 1 − cos θ = 2 sin²(θ/2), which loses no digits.
        let half = 0.5 * angle;
        let sinc = if half < 1e-4 { 1.0 - half * half / 6.0 } else { math::sin(half) / half };
        let second = if angle < SMALL {
            let series = 1.0 - squared / 42.0 * (1.0 - squared / 72.0);
            (1.0 - squared / 20.0 * series) / 6.0
        } else {
            (angle - math::sin(angle)) / (angle * squared)
        };
        Self { theta, first: 0.5 * sinc * sinc, second }
    }

    /// D θ̇: the angular velocity, along the axes of the turned body, where θ grows at `rate`.
    pub fn velocity(&self, rate: Vec3) -> Vec3 {
        let across = self.theta.cross(&rate);
        rate - across * self.first + self.theta.cross(&across) * self.second
    }

    /// Dᵀ, the transpose of [`Self::velocity`].
    pub fn transposed(&self, moment: Vec3) -> Vec3 {
        let across = self.theta.cross(&moment);
        moment + across * self.first + self.theta.cross(&across) * self.second
    }

    /// Ḋᵀ m while θ grows at `rate`.
    pub(crate) fn transposed_drift(&self, rate: Vec3, moment: Vec3) -> Vec3 {
        let (theta, growth) = (self.theta, 2.0 * self.theta.dot(&rate));
        let (first, second) = self.slopes();
        let (across, along) = (theta.cross(&moment), rate.cross(&moment));
        across * (first * growth)
            + along * self.first
            + theta.cross(&across) * (second * growth)
            + (theta.cross(&along) + rate.cross(&across)) * self.second
    }

    /// How a and b change with θ²: (1 − b θ² − 2a)/2θ² and (a − 3b)/2θ².
    fn slopes(&self) -> (f64, f64) {
        let squared = self.theta.norm_squared();
        if squared < SMALL * SMALL {
            let first = -1.0 / 24.0 + squared / 360.0 - squared * squared / 13440.0;
            let second = -1.0 / 120.0 + squared / 2520.0 - squared * squared / 120_960.0;
            return (first, second);
        }
        let first = (1.0 - self.second * squared - 2.0 * self.first) / (2.0 * squared);
        (first, (self.first - 3.0 * self.second) / (2.0 * squared))
    }

    /// D⁻¹ ω: how fast θ grows while the body turns at `velocity`, along its own axes.
    pub fn rate(&self, velocity: Vec3) -> Vec3 {
        let across = self.theta.cross(&velocity);
        velocity + across * 0.5 + self.theta.cross(&across) * self.third()
    }

    /// D⁻ᵀ, the transpose of [`Self::rate`].
    pub fn transposed_rate(&self, moment: Vec3) -> Vec3 {
        let across = self.theta.cross(&moment);
        moment - across * 0.5 + self.theta.cross(&across) * self.third()
    }

    /// How D⁻¹ m changes with θ along `change`.
    pub(crate) fn rate_slope(&self, change: Vec3, moment: Vec3) -> Vec3 {
        let theta = self.theta;
        let (across, along) = (theta.cross(&moment), change.cross(&moment));
        along * 0.5
            + theta.cross(&across) * (self.third_slope() * 2.0 * theta.dot(&change))
            + (theta.cross(&along) + change.cross(&across)) * self.third()
    }

    /// c, with ½ θ cot ½θ = (1 − b θ²)/2a.
    fn third(&self) -> f64 {
        let squared = self.theta.norm_squared();
        if squared < SMALL * SMALL {
            return 1.0 / 12.0 + squared / 720.0 + squared * squared / 30_240.0;
        }
        (1.0 - (1.0 - self.second * squared) / (2.0 * self.first)) / squared
    }

    /// How c changes with θ².
    fn third_slope(&self) -> f64 {
        let squared = self.theta.norm_squared();
        if squared < SMALL * SMALL {
            return 1.0 / 720.0 + squared / 15_120.0 + squared * squared / 403_200.0;
        }
        let (first, second) = self.slopes();
        let sine = 1.0 - self.second * squared;
        let cotangent = (-(self.second + squared * second) - sine * first / self.first) / (2.0 * self.first);
        (-cotangent - self.third()) / squared
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_model::{Quat, Random};

    /// Against the exponential itself, by central differences: their own error is 1e-10 of third derivatives of order 1.
    #[test]
    fn derivatives_of_rotations_are_those_of_the_exponential() {
        let mut random = Random::new(3);
        for size in [1e-3, 0.05, 0.1, 0.8, 2.5] {
            let theta = random.vector(size);
            let (rate, moment) = (random.vector(1.0), random.vector(1.0));
            let turn = Turn::new(theta);
            let h = 1e-5;
            let exp = |x: f64| Quat::from_scaled_axis(theta + rate * x);
            let velocity = (exp(-h).inverse() * exp(h)).scaled_axis() / (2.0 * h);
            assert!((turn.velocity(rate) - velocity).norm() < 1e-9, "{theta}");
            assert!((turn.rate(turn.velocity(rate)) - rate).norm() < 1e-13);
            let transposed = turn.transposed(moment).dot(&rate) - turn.velocity(rate).dot(&moment);
            assert!(transposed.abs() < 1e-14);
            assert!((turn.transposed_rate(moment).dot(&rate) - turn.rate(rate).dot(&moment)).abs() < 1e-14);
            let at = |x: f64| Turn::new(theta + rate * x);
            let drift = (at(h).transposed(moment) - at(-h).transposed(moment)) / (2.0 * h);
            assert!((turn.transposed_drift(rate, moment) - drift).norm() < 1e-9, "{theta}");
            let slope = (at(h).rate(moment) - at(-h).rate(moment)) / (2.0 * h);
            assert!((turn.rate_slope(rate, moment) - slope).norm() < 1e-9, "{theta}");
        }
    }
}

//! The usual test functions of black-box search; all have their least value 0.

use gambol_model::math;

/// A function of a list of numbers.
pub(crate) type Function = fn(&[f64]) -> f64;

/// Σ x².
pub(crate) fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// Axes from 1 to 1000: condition 1e6.
pub(crate) fn ellipsoid(x: &[f64]) -> f64 {
    let last = (x.len() - 1) as f64;
    x.iter().enumerate().map(|(i, x)| math::powf(1e6, i as f64 / last) * x * x).sum()
}

/// A bent valley that ends at (1, 1, …).
pub(crate) fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|w| 100.0 * math::square(w[0] * w[0] - w[1]) + math::square(w[0] - 1.0)).sum()
}

/// A bowl with a pit at every whole number.
pub(crate) fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|x| 10.0 + x * x - 10.0 * math::cos(std::f64::consts::TAU * x)).sum()
}

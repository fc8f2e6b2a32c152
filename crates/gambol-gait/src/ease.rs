//! From one thing to another, smoothly.

/// From 0 to 1, flat to second order at both ends.
pub(crate) fn ease(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    s * s * s * (10.0 + s * (6.0 * s - 15.0))
}

/// Its derivative.
pub(crate) fn ease_rate(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    30.0 * s * s * (1.0 - s) * (1.0 - s)
}

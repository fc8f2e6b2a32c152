//! Sine and its like, the same bits on every machine.
//!
//! IEEE 754 fixes the four operations, the square root and `mul_add` to the last bit, and leaves everything else open:
//! `f64::sin` is the system's, which differs between C libraries, and `f64::powi` depends on how far the compiler
//! unrolls it. These functions are plain arithmetic in Rust, from the crate `libm`, so that one creature has the same
//! modes, gaits and falls on every machine; nalgebra is told to use the same ones (its feature `libm-force`).
//! `clippy.toml` in the root bans the methods of `f64`, and `cargo xtask bits` compares machines.

use nalgebra::Complex;

/// The sine of an angle in radians.
#[inline]
pub fn sin(angle: f64) -> f64 {
    libm::sin(angle)
}

/// The cosine of an angle in radians.
#[inline]
pub fn cos(angle: f64) -> f64 {
    libm::cos(angle)
}

/// Sine and cosine of an angle in radians: the bits of [`sin`] and [`cos`], cheaper than both.
#[inline]
pub fn sin_cos(angle: f64) -> (f64, f64) {
    libm::sincos(angle)
}

/// The tangent of an angle in radians.
#[inline]
pub fn tan(angle: f64) -> f64 {
    libm::tan(angle)
}

/// The angle in radians, from −π/2 to π/2, with this sine.
#[inline]
pub fn asin(sine: f64) -> f64 {
    libm::asin(sine)
}

/// The angle in radians, from 0 to π, with this cosine.
#[inline]
pub fn acos(cosine: f64) -> f64 {
    libm::acos(cosine)
}

/// The angle in radians, from −π/2 to π/2, with this tangent.
#[inline]
pub fn atan(tangent: f64) -> f64 {
    libm::atan(tangent)
}

/// The angle in radians, from −π to π, of the point (x, y) seen from the origin.
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// The hyperbolic sine.
#[inline]
pub fn sinh(x: f64) -> f64 {
    libm::sinh(x)
}

/// The hyperbolic cosine.
#[inline]
pub fn cosh(x: f64) -> f64 {
    libm::cosh(x)
}

/// The hyperbolic tangent.
#[inline]
pub fn tanh(x: f64) -> f64 {
    libm::tanh(x)
}

/// The inverse of [`sinh`].
#[inline]
pub fn asinh(x: f64) -> f64 {
    libm::asinh(x)
}

/// The inverse of [`cosh`], from 0 up.
#[inline]
pub fn acosh(x: f64) -> f64 {
    libm::acosh(x)
}

/// The inverse of [`tanh`].
#[inline]
pub fn atanh(x: f64) -> f64 {
    libm::atanh(x)
}

/// eˣ
#[inline]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// 2ˣ
#[inline]
pub fn exp2(x: f64) -> f64 {
    libm::exp2(x)
}

/// eˣ − 1, also where x is small.
#[inline]
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// The natural logarithm.
#[inline]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// ln(1 + x), also where x is small.
#[inline]
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// The logarithm to base 2.
#[inline]
pub fn log2(x: f64) -> f64 {
    libm::log2(x)
}

/// The logarithm to base 10.
#[inline]
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// xʸ
#[inline]
pub fn powf(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// xⁿ by repeated squaring, always in the same order; x⁻ⁿ is 1 / xⁿ.
#[inline]
pub fn powi(x: f64, n: i32) -> f64 {
    let (mut power, mut square, mut left) = (1.0, x, n.unsigned_abs());
    while left > 0 {
        if left % 2 == 1 {
            power *= square;
        }
        square *= square;
        left /= 2;
    }
    if n < 0 { 1.0 / power } else { power }
}

/// x²
#[inline]
pub fn square(x: f64) -> f64 {
    x * x
}

/// The cube root, also of negative numbers.
#[inline]
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// √(x² + y²) without overflow on the way.
#[inline]
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

/// The complex number with this length and this angle in radians.
#[inline]
pub fn polar(length: f64, angle: f64) -> Complex<f64> {
    let (sine, cosine) = sin_cos(angle);
    Complex::new(length * cosine, length * sine)
}

/// The length of a complex number.
#[inline]
pub fn length(z: Complex<f64>) -> f64 {
    hypot(z.re, z.im)
}

/// The angle of a complex number in radians, from −π to π.
#[inline]
pub fn angle(z: Complex<f64>) -> f64 {
    atan2(z.im, z.re)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole powers of small whole numbers are exact in 53 bits, whatever the order; others lose one rounding a
    /// product, of which there are at most 2 log₂ n.
    #[test]
    fn whole_powers() {
        for (x, n, exact) in [(3.0, 0, 1.0), (3.0, 1, 3.0), (-3.0, 3, -27.0), (7.0, 11, 1_977_326_743.0)] {
            assert_eq!(powi(x, n), exact);
            assert_eq!(powi(x, -n), 1.0 / exact);
        }
        assert_eq!(powi(10.0, 22), 1e22);
        assert_eq!(powi(2.0, -1022), f64::MIN_POSITIVE);
        assert_eq!(powi(0.5, i32::MAX), 0.0);
        assert_eq!(powi(0.5, i32::MIN), f64::INFINITY);
        for n in -40..=40 {
            let exact = powf(1.1, f64::from(n));
            assert!((powi(1.1, n) / exact - 1.0).abs() < 24.0 * f64::EPSILON, "1.1^{n}");
        }
    }

    /// One evaluation of both gives the bits of each, over many turns and near multiples of a quarter turn.
    #[test]
    fn sine_and_cosine_together() {
        for k in -2000..2000 {
            let angle = 0.013 * f64::from(k) + std::f64::consts::FRAC_PI_2 * f64::from(k % 7);
            assert_eq!(sin_cos(angle), (sin(angle), cos(angle)));
        }
    }

    /// nalgebra, and what is built on it, turns by this module's sine: an angle on which the system's functions
    /// and these differ would otherwise turn a creature differently on another machine.
    #[test]
    fn nalgebra_uses_these() {
        for k in 1..4000 {
            let angle = 0.003_7 * f64::from(k);
            let turn = crate::Quat::from_axis_angle(&crate::Vec3::z_axis(), angle);
            assert_eq!((turn.k, turn.w), sin_cos(0.5 * angle));
            assert_eq!(nalgebra::ComplexField::exp(angle), exp(angle));
            assert_eq!(nalgebra::ComplexField::hypot(angle, 1.0), hypot(angle, 1.0));
        }
    }
}

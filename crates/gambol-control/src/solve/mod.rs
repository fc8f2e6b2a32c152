//! Small dense programs that a controller solves at every step: quadratic ones by a dual active set
//! ([`QuadraticProgram`]), linear ones by the simplex method ([`LinearProgram`]).
//!
//! ```
//! use gambol_control::solve::{QuadraticProgram, SolveStatus};
//!
//! // The point of the half plane x + y ≥ 2 that is nearest to (0, 1).
//! let mut program = QuadraticProgram::new(2, 1);
//! program.begin(2);
//! program.hessian_mut().copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
//! program.gradient_mut().copy_from_slice(&[0.0, -1.0]);
//! program.at_least(2.0).copy_from_slice(&[1.0, 1.0]);
//! assert_eq!(program.solve(), SolveStatus::Optimal);
//! assert!((program.x()[0] - 0.5).abs() < 1e-15 && (program.x()[1] - 1.5).abs() < 1e-15);
//! ```
//!
//! A program is made once, for the largest problem that is expected, and filled anew for each: `begin`, costs, rows,
//! `solve`. Up to those sizes nothing is allocated; beyond, it grows. There is nothing but the four operations and the square
//! root in here, in one order, so that every machine finds the same bits. A program that cannot be solved is a
//! [`SolveStatus`] and no panic, whatever numbers were filled in.

mod basis;
mod linear;
mod quadratic;
mod rows;
mod working;

pub use linear::{LinearProgram, LinearSettings};
pub use quadratic::{QuadraticProgram, QuadraticSettings};

/// How solving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveStatus {
    /// Solved.
    Optimal,
    /// No numbers satisfy all rows.
    Infeasible,
    /// The cost of a linear program has no end downwards.
    Unbounded,
    /// The Hessian of a quadratic program is not positive definite, as far as rounding can tell.
    NotConvex,
    /// A number of the program is not one, or has no end.
    NotFinite,
    /// It took more steps than were allowed, or rounding was all that was left.
    Limit,
}

impl SolveStatus {
    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Optimal => "optimal",
            Self::Infeasible => "infeasible",
            Self::Unbounded => "unbounded",
            Self::NotConvex => "not convex",
            Self::NotFinite => "not finite",
            Self::Limit => "limit",
        }
    }
}

/// Σ a b, in four sums side by side: the processor adds four at once, and every processor in the same order.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

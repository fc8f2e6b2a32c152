//! Quadratic and linear programs: solutions are proved, not compared. The conditions of Karush, Kuhn and Tucker hold at a point if
//! and only if it is the least one of a convex program; a linear program whose cost equals that of its dual is solved. What has no
//! solution is made so by construction.

mod linear;
mod quadratic;

use gambol_model::Random;

/// Random numbers of normal distribution.
fn normal(random: &mut Random, count: usize) -> Vec<f64> {
    let mut numbers = vec![0.0; count];
    random.fill_normal(&mut numbers);
    numbers
}

fn times(a: &[f64], x: &[f64]) -> f64 {
    a.iter().zip(x).map(|(a, x)| a * x).sum()
}

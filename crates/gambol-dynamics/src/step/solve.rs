//! Contacts and limits by block Gauss–Seidel: each block is solved exactly while the others rest, again and again.
//!
//! A contact with normal impulse p, tangential impulse t and velocity w = B (p, t) + c obeys
//!
//! ```text
//! Signorini:  0 ≤ p  ⊥  w_n + bias + compliance p ≥ 0
//! Coulomb:    |t| ≤ μ p, and t = −μ p w_t / |w_t| where it slides
//! ```
//!
//! This is Coulomb's law itself, not a convex relaxation of it: a sliding foot is not lifted.

use super::blocks::{Block, Blocks};
use super::newton::Newton;

/// How far the sweeps went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sweeps {
    /// Number of sweeps over all contacts and limits.
    pub count: usize,
    /// Largest change of a velocity in the last one, m/s or rad/s.
    pub residual: f64,
}

/// Newton's method is tried before this sweep, and then before every one that is twice as late.
const PATIENCE: usize = 4;

/// Blocks that are looked at in one step before a larger pile has to do with [`FEWEST`] sweeps. A few contacts can take their time: the
/// sweep that finds which of them bear the load may be the hundredth.
const VISITS: usize = 1000;
const FEWEST: usize = 12;

/// Solves all blocks for `z`, from the impulses they have: sweeps, and Newton's method where these crawl.
pub(super) fn solve(
    newton: &mut Newton,
    limits: &mut Blocks<1>,
    contacts: &mut Blocks<3>,
    z: &mut [f64],
    (most, tolerance): (usize, f64),
) -> Sweeps {
    for index in 0..limits.list.len() {
        limits.apply(index, &limits.list[index].impulse, z);
    }
    for index in 0..contacts.list.len() {
        contacts.apply(index, &contacts.list[index].impulse, z);
    }
    let mut sweeps = Sweeps::default();
    let blocks = limits.list.len() + contacts.list.len();
    let most = most.min(FEWEST.max(VISITS / blocks.max(1)));
    while sweeps.count < most {
        if sweeps.count + 1 >= PATIENCE && (sweeps.count + 1).is_power_of_two() {
            newton.solve(limits, contacts, z, tolerance);
        }
        let residual = sweep(limits, contacts, z, sweeps.count % 2 == 0);
        sweeps = Sweeps { count: sweeps.count + 1, residual };
        if residual <= tolerance {
            break;
        }
    }
    sweeps
}

/// Solves every block once; returns the largest change of a velocity. Back and forth in turn: what one sweep carries
/// outwards, the next carries home.
fn sweep(limits: &mut Blocks<1>, contacts: &mut Blocks<3>, z: &mut [f64], forth: bool) -> f64 {
    let mut residual = 0.0_f64;
    for index in 0..limits.list.len() {
        residual = residual.max(relax(limits, index, z, limit_impulse));
    }
    let n = contacts.list.len();
    for k in 0..n {
        let index = if forth { k } else { n - 1 - k };
        residual = residual.max(relax(contacts, index, z, contact_impulse));
    }
    residual
}

/// Solves one block; returns the largest change of its own velocities.
#[inline(always)]
fn relax<const N: usize>(
    blocks: &mut Blocks<N>,
    index: usize,
    z: &mut [f64],
    law: impl Fn(&Block<N>, [f64; N]) -> [f64; N],
) -> f64 {
    let velocity = blocks.velocity(index, z);
    let block = &blocks.list[index];
    // Velocity without the block's own impulse.
    let mut free = velocity;
    for a in 0..N {
        for b in 0..N {
            free[a] -= block.matrix[a][b] * block.impulse[b];
        }
    }
    let impulse = law(block, free);
    let mut change = [0.0; N];
    let mut largest = 0.0_f64;
    for n in 0..N {
        change[n] = impulse[n] - block.impulse[n];
        largest = largest.max((block.matrix[n][n] * change[n]).abs());
    }
    if largest > 0.0 {
        blocks.apply(index, &change, z);
        blocks.list[index].impulse = impulse;
    }
    largest
}

fn limit_impulse(block: &Block<1>, free: [f64; 1]) -> [f64; 1] {
    [(-(free[0] + block.bias[0]) / (block.matrix[0][0] + block.compliance[0])).max(0.0)]
}

fn contact_impulse(block: &Block<3>, free: [f64; 3]) -> [f64; 3] {
    let b = &block.matrix;
    let c = [free[0] + block.bias[0], free[1] + block.bias[1], free[2] + block.bias[2]];
    if c[0] >= 0.0 {
        return [0.0; 3];
    }
    let diagonal = [0, 1, 2].map(|k| b[k][k] + block.compliance[k]);
    let stick = solve_symmetric(diagonal, [b[0][1], b[0][2], b[1][2]], [-c[0], -c[1], -c[2]]);
    let friction = block.friction;
    if stick[0] >= 0.0 && length(stick[1], stick[2]) <= friction * stick[0] {
        return stick;
    }
    if friction == 0.0 {
        return [-c[0] / diagonal[0], 0.0, 0.0];
    }
    slide(block, diagonal, c, unit(stick[1], stick[2]))
}

/// Steps of Newton's method for the direction of sliding, and the accuracy at which it ends, rad.
const TURNS: usize = 12;
const STRAIGHT: f64 = 1e-10;

/// Largest turn in one of these steps, as the tangent of an angle.
const SHARPEST: f64 = 0.7;

/// The impulse of a contact that slides: t = μ p d with a unit vector d against the velocity w_t, from a first guess of d.
///
/// f(d) = d⊥ · w_t vanishes there. Along the circle, with b and T the parts of the matrix and a = B_nn + μ b·d:
///
/// ```text
/// p = −c_n/a,   p' = −μ p (b·d⊥)/a,   w_t = b p + μ p T d + c_t,   f' = −d·w_t + d⊥·(b p' + μ (p' T d + p T d⊥))
/// ```
fn slide(block: &Block<3>, diagonal: [f64; 3], c: [f64; 3], mut d: [f64; 2]) -> [f64; 3] {
    let (matrix, friction) = (&block.matrix, block.friction);
    let b = [matrix[0][1], matrix[0][2]];
    let times =
        |v: [f64; 2]| [diagonal[1] * v[0] + matrix[1][2] * v[1], matrix[1][2] * v[0] + diagonal[2] * v[1]];
    let mut p = 0.0;
    for _ in 0..TURNS {
        let across = [-d[1], d[0]];
        // Where friction wedges the body in (Painlevé), the normal alone decides.
        let wedged = diagonal[0] + friction * dot(b, d);
        let (a, slope) =
            if wedged > 0.1 * diagonal[0] { (wedged, friction * dot(b, across)) } else { (diagonal[0], 0.0) };
        p = -c[0] / a;
        let p_slope = -p * slope / a;
        let (along, aside) = (times(d), times(across));
        let w = [0, 1].map(|k| b[k] * p + friction * p * along[k] + c[1 + k]);
        let w_slope = [0, 1].map(|k| b[k] * p_slope + friction * (p_slope * along[k] + p * aside[k]));
        let (f, f_slope) = (dot(across, w), dot(across, w_slope) - dot(d, w));
        let turn = if f_slope > 0.0 { -f / f_slope } else { -f.signum() * SHARPEST };
        if turn.abs() <= STRAIGHT {
            break;
        }
        let turn = turn.clamp(-SHARPEST, SHARPEST);
        d = unit(d[0] + turn * across[0], d[1] + turn * across[1]);
    }
    [p, friction * p * d[0], friction * p * d[1]]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn unit(x: f64, y: f64) -> [f64; 2] {
    let length = length(x, y);
    if length > 0.0 { [x / length, y / length] } else { [1.0, 0.0] }
}

fn length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// Solves a symmetric positive definite 3 × 3 system; `off` holds entries (0,1), (0,2), (1,2).
fn solve_symmetric(d: [f64; 3], off: [f64; 3], r: [f64; 3]) -> [f64; 3] {
    let l10 = off[0] / d[0];
    let l20 = off[1] / d[0];
    let d1 = d[1] - l10 * off[0];
    let e = off[2] - l10 * off[1];
    let l21 = e / d1;
    let d2 = d[2] - l20 * off[1] - l21 * e;
    let y1 = r[1] - l10 * r[0];
    let y2 = r[2] - l20 * r[0] - l21 * y1;
    let x2 = y2 / d2;
    let x1 = y1 / d1 - l21 * x2;
    [r[0] / d[0] - l10 * x1 - l20 * x2, x1, x2]
}

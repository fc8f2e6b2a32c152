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

/// Sweeps before Newton's method is tried, and between two tries.
const PATIENCE: usize = 4;

/// Newton's method is taken back if the sweep after it moves more than this much of what the sweep before it moved.
const MISLED: f64 = 4.0;

/// Scratch memory of the solver.
#[derive(Clone, Debug, Default)]
pub(super) struct Solver {
    newton: Newton,
    /// z and the impulses before Newton's method, in case it misleads.
    z: Vec<f64>,
    limits: Vec<[f64; 1]>,
    contacts: Vec<[f64; 3]>,
}

impl Solver {
    /// Solves all blocks for `z`, from the impulses they have: sweeps, and Newton's method where these crawl.
    pub(super) fn solve(
        &mut self,
        limits: &mut Blocks<1>,
        contacts: &mut Blocks<3>,
        z: &mut [f64],
        most: usize,
        tolerance: f64,
    ) -> Sweeps {
        for index in 0..limits.list.len() {
            limits.apply(index, &limits.list[index].impulse, z);
        }
        for index in 0..contacts.list.len() {
            contacts.apply(index, &contacts.list[index].impulse, z);
        }
        let mut sweeps = Sweeps::default();
        while sweeps.count < most {
            let before = sweeps.residual;
            let leap = sweeps.count % PATIENCE == PATIENCE - 1 && self.leap(limits, contacts, z);
            let mut residual = sweep(limits, contacts, z, sweeps.count % 2 == 0);
            if leap && residual > MISLED * before {
                self.back(limits, contacts, z);
                residual = sweep(limits, contacts, z, sweeps.count % 2 == 0);
            }
            sweeps = Sweeps { count: sweeps.count + 1, residual };
            if residual <= tolerance {
                break;
            }
        }
        sweeps
    }

    fn leap(&mut self, limits: &mut Blocks<1>, contacts: &mut Blocks<3>, z: &mut [f64]) -> bool {
        self.z.clear();
        self.z.extend_from_slice(z);
        self.limits.clear();
        self.limits.extend(limits.list.iter().map(|block| block.impulse));
        self.contacts.clear();
        self.contacts.extend(contacts.list.iter().map(|block| block.impulse));
        self.newton.solve(limits, contacts, z)
    }

    fn back(&self, limits: &mut Blocks<1>, contacts: &mut Blocks<3>, z: &mut [f64]) {
        z.copy_from_slice(&self.z);
        for (block, impulse) in limits.list.iter_mut().zip(&self.limits) {
            block.impulse = *impulse;
        }
        for (block, impulse) in contacts.list.iter_mut().zip(&self.contacts) {
            block.impulse = *impulse;
        }
    }
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

/// Turns of the direction of sliding towards the velocity it answers to; each gains a digit or so.
const TURNS: usize = 4;

fn contact_impulse(block: &Block<3>, free: [f64; 3]) -> [f64; 3] {
    let b = &block.matrix;
    let c = [free[0] + block.bias[0], free[1] + block.bias[1], free[2] + block.bias[2]];
    if c[0] >= 0.0 {
        return [0.0; 3];
    }
    let diagonal =
        [b[0][0] + block.compliance[0], b[1][1] + block.compliance[1], b[2][2] + block.compliance[2]];
    let stick = solve_symmetric(diagonal, [b[0][1], b[0][2], b[1][2]], [-c[0], -c[1], -c[2]]);
    let friction = block.friction;
    if stick[0] >= 0.0 && length(stick[1], stick[2]) <= friction * stick[0] {
        return stick;
    }
    if friction == 0.0 {
        return [-c[0] / diagonal[0], 0.0, 0.0];
    }
    // It slides: t = μ p d with a unit vector d against the velocity. d is the fixed point of d ∝ ρ t − w_t, which does not move
    // where t already opposes w_t.
    let rho = 0.5 * (diagonal[1] + diagonal[2]);
    let mut direction = unit(stick[1], stick[2]);
    let mut impulse = [0.0; 3];
    for _ in 0..TURNS {
        // Where friction wedges the body in (Painlevé), the normal alone decides.
        let along = diagonal[0] + friction * (b[0][1] * direction[0] + b[0][2] * direction[1]);
        let p = if along > 0.1 * diagonal[0] { -c[0] / along } else { -c[0] / diagonal[0] };
        let t = [friction * p * direction[0], friction * p * direction[1]];
        impulse = [p, t[0], t[1]];
        let w = [
            b[0][1] * p + diagonal[1] * t[0] + b[1][2] * t[1] + c[1],
            b[0][2] * p + b[1][2] * t[0] + diagonal[2] * t[1] + c[2],
        ];
        direction = unit(rho * t[0] - w[0], rho * t[1] - w[1]);
    }
    impulse
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

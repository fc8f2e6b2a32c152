//! Newton's method on the contacts and limits that bear a load, all at once: where sweeps crawl, because a light foot
//! with many corners carries a heavy body.
//!
//! The laws of contact are two equations between impulse and velocity (Alart and Curnier 1991), with any ρ > 0:
//!
//! ```text
//! p = max(0, p − ρ u),      t = the point of the disc of radius μ p nearest to t − ρ w
//! ```
//!
//! Both are smooth but for the seams between open, sticking and sliding; Newton's method takes the side it is on, and of
//! all places it comes to the best is kept.

use super::blocks::Blocks;

/// Beyond this many unknowns a sweep is cheaper than what it saves.
const MOST_UNKNOWNS: usize = 48;

/// Most steps of Newton's method from one start.
const STEPS: usize = 8;

/// Corners of one foot repeat each other. This share of the diagonal decides between them: the least change wins.
const REGULARISATION: f64 = 1e-9;

#[derive(Clone, Copy, Debug)]
enum Member {
    Limit(usize),
    Contact(usize),
}

/// What an equation needs to know of one block.
#[derive(Clone, Copy, Debug, Default)]
struct Law {
    bias: [f64; 3],
    compliance: [f64; 3],
    friction: f64,
}

/// Scratch memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    /// Blocks, and the first unknown of each.
    members: Vec<(Member, usize)>,
    laws: Vec<Law>,
    /// Velocities of all unknowns' rows per unit of each impulse, row by row.
    matrix: Vec<f64>,
    /// Impulses, and velocities without bias and compliance.
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    /// Impulses at the start, the best so far, and changes in the last step.
    start: Vec<f64>,
    best: Vec<f64>,
    change: Vec<f64>,
    /// Equations, with the right-hand side as last column.
    system: Vec<f64>,
    response: Vec<f64>,
}

impl Newton {
    /// Moves the impulses of blocks and `z` to where the laws of contact are missed by less, if it finds such a place: from
    /// where they are, or else from no impulse at all, since contacts that held a moment ago may mislead.
    pub(super) fn solve(
        &mut self,
        limits: &mut Blocks<1>,
        contacts: &mut Blocks<3>,
        z: &mut [f64],
        tolerance: f64,
    ) {
        self.gather(limits, contacts, z);
        let n = self.impulse.len();
        if n == 0 || n > MOST_UNKNOWNS {
            return;
        }
        self.fill_matrix(limits, contacts, z.len());
        self.best.clear();
        self.best.extend_from_slice(&self.impulse);
        let mut least = self.miss();
        self.descend(&mut least, tolerance);
        if least > tolerance {
            self.change.clear();
            self.change.extend(self.impulse.iter().map(|impulse| -impulse));
            self.impulse.fill(0.0);
            self.follow();
            self.descend(&mut least, tolerance);
        }
        for k in 0..self.members.len() {
            let (member, at) = self.members[k];
            let change = |j: usize| self.best[at + j] - self.start[at + j];
            match member {
                Member::Limit(index) => {
                    limits.apply(index, &[change(0)], z);
                    limits.list[index].impulse = [self.best[at]];
                }
                Member::Contact(index) => {
                    contacts.apply(index, &[0, 1, 2].map(change), z);
                    contacts.list[index].impulse = [0, 1, 2].map(|j| self.best[at + j]);
                }
            }
        }
    }

    /// Newton's method from where the impulses are; keeps the best in `self.best`, which misses by `least`.
    fn descend(&mut self, least: &mut f64, tolerance: f64) {
        let n = self.impulse.len();
        for _ in 0..STEPS {
            self.linearise();
            if !eliminate(&mut self.system, n) {
                return;
            }
            self.advance();
            let miss = self.miss();
            if miss < *least {
                *least = miss;
                self.best.copy_from_slice(&self.impulse);
            }
            if miss <= tolerance {
                return;
            }
        }
    }

    /// By how much the two equations of the module's text are missed at worst, as a velocity.
    fn miss(&self) -> f64 {
        let n = self.impulse.len();
        let mut worst = 0.0_f64;
        for (&(member, at), law) in self.members.iter().zip(&self.laws) {
            let stiff = |k: usize| self.matrix[(at + k) * n + at + k] + law.compliance[k];
            let velocity =
                |k: usize| self.velocity[at + k] + law.bias[k] + law.compliance[k] * self.impulse[at + k];
            let p = self.impulse[at];
            worst = worst.max((p * stiff(0)).min(velocity(0)).abs());
            if matches!(member, Member::Contact(_)) {
                let rho = 2.0 / (stiff(1) + stiff(2));
                let t = [self.impulse[at + 1], self.impulse[at + 2]];
                let s = [t[0] - rho * velocity(1), t[1] - rho * velocity(2)];
                let (length, most) = ((s[0] * s[0] + s[1] * s[1]).sqrt(), law.friction * p);
                let share = if length > most { most / length } else { 1.0 };
                worst = worst.max((t[0] - share * s[0]).abs() / rho).max((t[1] - share * s[1]).abs() / rho);
            }
        }
        worst
    }

    /// Takes in all blocks that push or are about to.
    fn gather(&mut self, limits: &Blocks<1>, contacts: &Blocks<3>, z: &[f64]) {
        self.members.clear();
        self.laws.clear();
        self.impulse.clear();
        self.velocity.clear();
        for (index, block) in limits.list.iter().enumerate() {
            let velocity = limits.velocity(index, z);
            if block.impulse[0] > 0.0 || velocity[0] + block.bias[0] < 0.0 {
                self.members.push((Member::Limit(index), self.impulse.len()));
                let compliance = [block.compliance[0], 0.0, 0.0];
                self.laws.push(Law { bias: [block.bias[0], 0.0, 0.0], compliance, friction: 0.0 });
                self.impulse.extend(block.impulse);
                self.velocity.extend(velocity);
            }
        }
        for (index, block) in contacts.list.iter().enumerate() {
            let velocity = contacts.velocity(index, z);
            if block.impulse[0] > 0.0 || velocity[0] + block.bias[0] < 0.0 {
                self.members.push((Member::Contact(index), self.impulse.len()));
                let (bias, compliance, friction) = (block.bias, block.compliance, block.friction);
                self.laws.push(Law { bias, compliance, friction });
                self.impulse.extend(block.impulse);
                self.velocity.extend(velocity);
            }
        }
        self.start.clear();
        self.start.extend_from_slice(&self.impulse);
    }

    fn fill_matrix(&mut self, limits: &Blocks<1>, contacts: &Blocks<3>, nv: usize) {
        let n = self.impulse.len();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        for k in 0..self.members.len() {
            let (member, at) = self.members[k];
            let rows = if matches!(member, Member::Limit(_)) { 1 } else { 3 };
            for j in 0..rows {
                self.response.clear();
                self.response.resize(nv, 0.0);
                match member {
                    Member::Limit(index) => limits.apply(index, &[1.0], &mut self.response),
                    Member::Contact(index) => {
                        let mut unit = [0.0; 3];
                        unit[j] = 1.0;
                        contacts.apply(index, &unit, &mut self.response);
                    }
                }
                // The matrix is symmetric: a column is needed from the diagonal down.
                for &(other, row) in &self.members[k..] {
                    match other {
                        Member::Limit(index) => {
                            self.matrix[row * n + at + j] = limits.velocity(index, &self.response)[0];
                        }
                        Member::Contact(index) => {
                            let velocity = contacts.velocity(index, &self.response);
                            for (i, velocity) in velocity.into_iter().enumerate() {
                                self.matrix[(row + i) * n + at + j] = velocity;
                            }
                        }
                    }
                }
            }
        }
        for row in 0..n {
            self.matrix[row * n + row] *= 1.0 + REGULARISATION;
            for column in 0..row {
                self.matrix[column * n + row] = self.matrix[row * n + column];
            }
        }
    }

    /// The equations of a Newton step: for each unknown one row over all changes of impulses, and the right-hand side.
    fn linearise(&mut self) {
        let n = self.impulse.len();
        let width = n + 1;
        self.system.clear();
        self.system.resize(n * width, 0.0);
        for k in 0..self.members.len() {
            let ((member, at), law) = (self.members[k], self.laws[k]);
            let u = self.velocity[at] + law.bias[0] + law.compliance[0] * self.impulse[at];
            let stiff = self.matrix[at * n + at] + law.compliance[0];
            let pushes = self.impulse[at] - u / stiff;
            if pushes <= 0.0 {
                let rows = if matches!(member, Member::Limit(_)) { 1 } else { 3 };
                for k in at..at + rows {
                    self.system[k * width + k] = 1.0;
                    self.system[k * width + n] = -self.impulse[k];
                }
                continue;
            }
            self.velocity_row(at, at, 1.0, law.compliance[0]);
            self.system[at * width + n] = -u;
            if matches!(member, Member::Contact(_)) {
                self.friction_rows(at, law, pushes);
            }
        }
    }

    /// Two rows of a contact that pushes with about `pushes`.
    fn friction_rows(&mut self, at: usize, law: Law, pushes: f64) {
        let n = self.impulse.len();
        let width = n + 1;
        let t = [self.impulse[at + 1], self.impulse[at + 2]];
        let w =
            [1, 2].map(|k| self.velocity[at + k] + law.bias[k] + law.compliance[k] * self.impulse[at + k]);
        let diagonal = |k: usize| self.matrix[(at + k) * n + at + k] + law.compliance[k];
        let rho = 2.0 / (diagonal(1) + diagonal(2));
        let s = [t[0] - rho * w[0], t[1] - rho * w[1]];
        let length = (s[0] * s[0] + s[1] * s[1]).sqrt();
        if length <= law.friction * pushes {
            for k in 0..2 {
                self.velocity_row(at + 1 + k, at + 1 + k, 1.0, law.compliance[1 + k]);
                self.system[(at + 1 + k) * width + n] = -w[k];
            }
            return;
        }
        // t = μ p d with d = s/|s|:  δt − μ d δp − α P (δt − ρ δw) = μ p d − t,  P = 1 − d dᵀ, α = μ p/|s|
        let d = [s[0] / length, s[1] / length];
        let radius = law.friction * self.impulse[at].max(0.0);
        let alpha = (radius / length).min(1.0);
        let across = [-d[1], d[0]];
        for k in 0..2 {
            for j in 0..2 {
                let weight = alpha * across[k] * across[j];
                self.velocity_row(at + 1 + k, at + 1 + j, weight * rho, law.compliance[1 + j]);
                self.system[(at + 1 + k) * width + at + 1 + j] -= weight;
            }
            self.system[(at + 1 + k) * width + at + 1 + k] += 1.0;
            self.system[(at + 1 + k) * width + at] -= law.friction * d[k];
            self.system[(at + 1 + k) * width + n] = radius * d[k] - t[k];
        }
    }

    /// Adds `weight` times the change of velocity `row`, with its compliance, to `equation`.
    fn velocity_row(&mut self, equation: usize, row: usize, weight: f64, compliance: f64) {
        let n = self.impulse.len();
        let into = &mut self.system[equation * (n + 1)..][..n];
        for (x, g) in into.iter_mut().zip(&self.matrix[row * n..(row + 1) * n]) {
            *x += weight * g;
        }
        into[row] += weight * compliance;
    }

    /// Takes the step and brings the impulses to where they may be.
    fn advance(&mut self) {
        let n = self.impulse.len();
        self.change.clear();
        self.change.extend_from_slice(&self.impulse);
        for k in 0..n {
            self.impulse[k] += self.system[k * (n + 1) + n];
        }
        for (&(member, at), law) in self.members.iter().zip(&self.laws) {
            let p = self.impulse[at].max(0.0);
            self.impulse[at] = p;
            if matches!(member, Member::Contact(_)) {
                let [a, b] = [self.impulse[at + 1], self.impulse[at + 2]];
                let (most, length) = (law.friction * p, (a * a + b * b).sqrt());
                if length > most {
                    self.impulse[at + 1] *= most / length;
                    self.impulse[at + 2] *= most / length;
                }
            }
        }
        for (change, impulse) in self.change.iter_mut().zip(&self.impulse) {
            *change = impulse - *change;
        }
        self.follow();
    }

    /// Velocities after `self.change` of the impulses.
    fn follow(&mut self) {
        let n = self.impulse.len();
        for (velocity, row) in self.velocity.iter_mut().zip(self.matrix.chunks_exact(n)) {
            *velocity += row.iter().zip(&self.change).map(|(g, change)| g * change).sum::<f64>();
        }
    }
}

/// Solves the system of `n` rows with its right-hand side as last column, in place, by elimination with pivots from the
/// column. The solution replaces the right-hand side. `false` if it is singular.
fn eliminate(system: &mut [f64], n: usize) -> bool {
    let width = n + 1;
    for k in 0..n {
        let size = |row: &usize| system[row * width + k].abs();
        let pivot_row = (k..n).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(k);
        if pivot_row != k {
            for column in k..width {
                system.swap(k * width + column, pivot_row * width + column);
            }
        }
        let (above, below) = system.split_at_mut((k + 1) * width);
        let row_k = &above[k * width..];
        let pivot = row_k[k];
        if pivot.abs() <= f64::MIN_POSITIVE || pivot.is_nan() {
            return false;
        }
        for row in below.chunks_exact_mut(width) {
            let factor = row[k] / pivot;
            if factor != 0.0 {
                for (x, y) in row[k + 1..].iter_mut().zip(&row_k[k + 1..]) {
                    *x -= factor * y;
                }
            }
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| system[k * width + j] * system[j * width + n]).sum();
        system[k * width + n] = (system[k * width + n] - known) / system[k * width + k];
    }
    (0..n).all(|k| system[k * width + n].is_finite())
}

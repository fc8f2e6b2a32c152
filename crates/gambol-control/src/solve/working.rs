//! The rows that hold with equality, and the factors that a step of the dual method needs (Goldfarb and Idnani 1983,
//! section 4).
//!
//! ```text
//! H = L Lᵀ,   J = L⁻ᵀ Q = [J₁ J₂],   Jᵀ N = (R, 0),   N the normals of the working set, by columns
//! ```
//!
//! J and R are by columns, so that nearly every inner loop runs down one and needs no order of summation.

use super::dot;
use crate::cma::factor::{Lower, add};

/// A normal of which this share is left outside of those of the working set depends on them: what rounding makes of zero at a
/// condition of about 1e4 in the metric of the Hessian, squared norms apart.
const DEPENDENT: f64 = 1e-11;

/// A row of the working set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) row: usize,
    /// Of equalities, which are never dropped.
    pub(super) stays: bool,
    /// Right-hand side, of the normal as it is added: with its sign.
    pub(super) bound: f64,
    /// u, the multiplier.
    pub(super) multiplier: f64,
}

/// The working set and its factors.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Working {
    n: usize,
    pub(super) members: Vec<Member>,
    /// J, n × n.
    basis: Vec<f64>,
    /// R: column k has k + 1 numbers, n apart.
    triangle: Vec<f64>,
    factor: Lower,
    scratch: Vec<f64>,
    /// Jᵀ g
    slope: Vec<f64>,
    /// d = Jᵀ a of the normal that was last looked at.
    seen: Vec<f64>,
    /// z = J₂ d₂: where the least point moves if that normal is pushed.
    pub(super) step: Vec<f64>,
    /// r = R⁻¹ d₁: what that takes from the multipliers.
    pub(super) release: Vec<f64>,
}

impl Working {
    pub(super) fn with_capacity(n: usize) -> Self {
        let (square, line) = (|| Vec::with_capacity(n * n), || Vec::with_capacity(n));
        Self {
            n: 0,
            members: Vec::with_capacity(n),
            basis: square(),
            triangle: square(),
            factor: Lower::with_capacity(n),
            scratch: square(),
            slope: line(),
            seen: line(),
            step: line(),
            release: line(),
        }
    }

    /// The empty set for a Hessian and a gradient; `false` if that is not positive definite.
    pub(super) fn begin(&mut self, hessian: &Lower, gradient: &[f64]) -> bool {
        let n = gradient.len();
        self.n = n;
        self.members.clear();
        self.triangle.resize(n * n, 0.0);
        self.release.resize(n, 0.0);
        self.seen.resize(n, 0.0);
        self.step.resize(n, 0.0);
        self.factor.reset(n);
        if !self.factor.factor(hessian, &mut self.scratch) {
            return false;
        }
        self.invert_factor();
        self.slope.clear();
        self.slope.extend(self.basis.chunks_exact(n.max(1)).map(|column| dot(column, gradient)));
        true
    }

    /// J = L⁻ᵀ: its column i is row i of L⁻¹, which is (eᵢ − Σₖ Lᵢₖ rowₖ) / Lᵢᵢ over k < i.
    fn invert_factor(&mut self) {
        let n = self.n;
        self.basis.clear();
        self.basis.resize(n * n, 0.0);
        for i in 0..n {
            let (done, rest) = self.basis.split_at_mut(i * n);
            let row = &mut rest[..=i];
            row[i] = 1.0;
            for k in 0..i {
                add(&mut row[..=k], -self.factor.column(k)[i - k], &done[k * n..=k * n + k]);
            }
            let pivot = self.factor.at_diagonal(i);
            for x in row {
                *x /= pivot;
            }
        }
    }

    pub(super) fn has(&self, row: usize) -> bool {
        self.members.iter().any(|member| member.row == row)
    }

    fn column(&self, i: usize) -> &[f64] {
        &self.basis[i * self.n..(i + 1) * self.n]
    }

    /// Looks at a normal, of which only the numbers from `first` on are given: d, z and r of it. Returns zᵀa = ‖d₂‖², or zero if the
    /// normal depends on those of the working set.
    pub(super) fn look(&mut self, first: usize, normal: &[f64], sign: f64) -> f64 {
        let (n, q) = (self.n, self.members.len());
        for (d, column) in self.seen.iter_mut().zip(self.basis.chunks_exact(n.max(1))) {
            *d = sign * dot(normal, &column[first..first + normal.len()]);
        }
        let outside = dot(&self.seen[q..], &self.seen[q..]);
        self.step.fill(0.0);
        for (d, column) in self.seen.iter().zip(self.basis.chunks_exact(n.max(1))).skip(q) {
            add(&mut self.step, *d, column);
        }
        self.release.clear();
        self.release.extend_from_slice(&self.seen[..q]);
        self.solve_triangle();
        let all = dot(&self.seen[..q], &self.seen[..q]) + outside;
        if outside <= DEPENDENT * DEPENDENT * all { 0.0 } else { outside }
    }

    /// r ← R⁻¹ r.
    fn solve_triangle(&mut self) {
        for k in (0..self.release.len()).rev() {
            let column = &self.triangle[k * self.n..=k * self.n + k];
            self.release[k] /= column[k];
            let (head, tail) = self.release.split_at_mut(k);
            add(head, -tail[0], &column[..k]);
        }
    }

    /// Adds the normal that was last looked at, which depends on no other: a reflection of J₂ turns d₂ into one number.
    pub(super) fn add(&mut self, member: Member) {
        let (n, q) = (self.n, self.members.len());
        let length = dot(&self.seen[q..], &self.seen[q..]).sqrt();
        let corner = if self.seen[q] > 0.0 { -length } else { length };
        // I − v vᵀ / β with v = d₂ − corner e, β = ‖v‖² / 2; J₂ v = z − corner J₂ e.
        let beta = length * (length + self.seen[q].abs());
        let (head, rest) = self.basis.split_at_mut((q + 1) * n);
        let first = &mut head[q * n..];
        add(&mut self.step, -corner, first);
        self.seen[q] -= corner;
        add(first, -self.seen[q] / beta, &self.step);
        for (v, column) in self.seen[q + 1..].iter().zip(rest.chunks_exact_mut(n)) {
            add(column, -v / beta, &self.step);
        }
        let v = &self.seen[q..];
        let scale = -dot(v, &self.slope[q..]) / beta;
        add(&mut self.slope[q..], scale, v);
        let column = &mut self.triangle[q * n..=q * n + q];
        column[..q].copy_from_slice(&self.seen[..q]);
        column[q] = corner;
        self.members.push(member);
    }

    /// Drops the k-th member; rotations of neighbouring columns make R a triangle again.
    pub(super) fn drop_member(&mut self, k: usize) {
        let n = self.n;
        self.members.remove(k);
        for j in k..self.members.len() {
            let (before, after) = self.triangle.split_at_mut((j + 1) * n);
            before[j * n..].copy_from_slice(&after[..n]);
        }
        for i in k..self.members.len() {
            self.rotate_away(i);
        }
    }

    /// Rotates columns i and i + 1 of J so that R has no number below the diagonal in column i.
    fn rotate_away(&mut self, i: usize) {
        let n = self.n;
        let (a, b) = (self.triangle[i * n + i], self.triangle[i * n + i + 1]);
        let length = (a * a + b * b).sqrt();
        if length == 0.0 {
            return;
        }
        let (c, s) = (a / length, b / length);
        for j in i..self.members.len() {
            let column = &mut self.triangle[j * n..(j + 1) * n];
            (column[i], column[i + 1]) =
                (c * column[i] + s * column[i + 1], c * column[i + 1] - s * column[i]);
        }
        let (left, right) = self.basis.split_at_mut((i + 1) * n);
        for (x, y) in left[i * n..].iter_mut().zip(&mut right[..n]) {
            (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
        }
        let (x, y) = (self.slope[i], self.slope[i + 1]);
        (self.slope[i], self.slope[i + 1]) = (c * x + s * y, c * y - s * x);
    }

    /// The least point on the working set and its multipliers, afresh from the factors:
    /// x = J₁ y − J₂ J₂ᵀ g and u = R⁻¹ (y + J₁ᵀ g), with y = R⁻ᵀ b.
    pub(super) fn place(&mut self, x: &mut [f64]) {
        let (n, q) = (self.n, self.members.len());
        self.seen.fill(0.0);
        for k in 0..q {
            let column = &self.triangle[k * n..=k * n + k];
            self.seen[k] = (self.members[k].bound - dot(&column[..k], &self.seen[..k])) / column[k];
        }
        self.release.clear();
        self.release.extend(self.seen[..q].iter().zip(&self.slope).map(|(y, slope)| y + slope));
        self.solve_triangle();
        for (member, u) in self.members.iter_mut().zip(&self.release) {
            member.multiplier = *u;
        }
        x.fill(0.0);
        for i in 0..n {
            add(x, if i < q { self.seen[i] } else { -self.slope[i] }, self.column(i));
        }
    }
}

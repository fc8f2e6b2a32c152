//! The dual active-set method (Goldfarb and Idnani 1983, "A numerically stable dual method for solving strictly convex quadratic
//! programs").
//!
//! ```text
//! minimise ½ xᵀHx + gᵀx   subject to rows   a·x = b,   a·x ≥ b,   a·x ≤ b
//!
//! start at the least point on the equalities
//! while a row is violated:
//!     push towards it, as far as the multipliers of the rows that hold stay positive;
//!     a row whose multiplier becomes zero on the way is dropped
//! ```
//!
//! It starts below the least value that is allowed and climbs, so that no point that satisfies all rows has to be found first; and any
//! set of rows whose multipliers are positive is a start. So the rows that held the last time are taken first: from one step of a
//! simulation to the next few change.

use super::SolveStatus;
use super::rows::{Relation, Rows};
use super::working::{Member, Working};
use crate::cma::factor::{Lower, add};

gambol_model::settings! {
    /// How quadratic programs are solved.
    pub struct QuadraticSettings {
        /// Largest violation of a row that counts as none, as a share of ‖a‖ ‖x‖ + |b|. Rounding alone makes some 1e-14 of it where
        /// rows depend on each other, and more at bad conditions; forces of a foot matter at 1e-6.
        feasible: f64 = 1e-11, Positive;
        /// Most steps, rows added and dropped together. Programs of a dog's feet take 5 to 60; this is an end for what rounding
        /// alone could keep going.
        steps: usize = 1000, AtLeastOne;
    }
}

/// A multiplier that changes by less than this share of what others do does not change: rounding.
const NOTHING: f64 = 1e-13;

/// A quadratic program, and what is needed to solve it again and again.
#[derive(Clone, Debug, PartialEq)]
pub struct QuadraticProgram {
    settings: QuadraticSettings,
    hessian: Lower,
    gradient: Vec<f64>,
    rows: Rows,
    working: Working,
    x: Vec<f64>,
    /// Per row.
    multipliers: Vec<f64>,
    /// Rows that held with equality the last time.
    remembered: Vec<usize>,
    steps: usize,
}

/// What became of a row that was pushed towards.
enum Pushed {
    Holds,
    CannotHold,
    TooManySteps,
}

impl QuadraticProgram {
    /// For programs of at most so many unknowns and rows without allocation; larger ones make it grow.
    pub fn new(unknowns: usize, rows: usize) -> Self {
        let line = || Vec::with_capacity(unknowns);
        Self {
            settings: QuadraticSettings::default(),
            hessian: Lower::with_capacity(unknowns),
            gradient: line(),
            rows: Rows::with_capacity(unknowns, rows),
            working: Working::with_capacity(unknowns),
            x: line(),
            multipliers: Vec::with_capacity(rows),
            remembered: Vec::with_capacity(unknowns),
            steps: 0,
        }
    }

    /// With other settings.
    pub fn with_settings(self, settings: QuadraticSettings) -> Self {
        Self { settings, ..self }
    }

    /// A new program of so many unknowns: no cost, no rows. What it remembers of the last one stays.
    pub fn begin(&mut self, unknowns: usize) {
        self.hessian.reset(unknowns);
        self.rows.clear(unknowns);
        for numbers in [&mut self.gradient, &mut self.x] {
            numbers.clear();
            numbers.resize(unknowns, 0.0);
        }
        self.multipliers.clear();
    }

    /// H, row by row; what is below its diagonal is not looked at.
    pub fn hessian_mut(&mut self) -> &mut [f64] {
        self.hessian.entries_mut()
    }

    /// g
    pub fn gradient_mut(&mut self) -> &mut [f64] {
        &mut self.gradient
    }

    /// A further row a·x = `bound`: a, to be filled in, zero until then.
    pub fn equal(&mut self, bound: f64) -> &mut [f64] {
        self.rows.push(Relation::Equal, bound)
    }

    /// A further row a·x ≥ `bound`: a, to be filled in, zero until then.
    pub fn at_least(&mut self, bound: f64) -> &mut [f64] {
        self.rows.push(Relation::AtLeast, bound)
    }

    /// A further row a·x ≤ `bound`: a, to be filled in, zero until then.
    pub fn at_most(&mut self, bound: f64) -> &mut [f64] {
        self.rows.push(Relation::AtMost, bound)
    }

    /// Solves it. The rows that held the last time, by their numbers, are tried first: where nothing is known of the last time any
    /// more, or it was about other things, [`forget`](Self::forget) it.
    pub fn solve(&mut self) -> SolveStatus {
        self.steps = 0;
        let status = self.run();
        self.remembered.clear();
        self.multipliers.clear();
        self.multipliers.resize(self.rows.len(), 0.0);
        if matches!(status, SolveStatus::Optimal | SolveStatus::Limit) {
            for member in &self.working.members {
                self.multipliers[member.row] = self.rows.sign(member.row) * member.multiplier;
                if !member.stays {
                    self.remembered.push(member.row);
                }
            }
        }
        status
    }

    /// Forgets which rows held the last time.
    pub fn forget(&mut self) {
        self.remembered.clear();
    }

    /// The solution; the least point of some of the rows where there is none; zero if not even that was found.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// What each row pushes: Hx + g = Σ uᵢ aᵢ, where uᵢ ≥ 0 for rows with ≥, ≤ 0 for those with ≤, and 0 where a row does
    /// not hold with equality.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// Rows added and dropped by the last [`solve`](Self::solve), beyond those that it started with.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    fn run(&mut self) -> SolveStatus {
        let diagonal_is_finite = (0..self.x.len()).all(|i| self.hessian.at_diagonal(i).is_finite());
        if !self.rows.seal() || !diagonal_is_finite || self.gradient.iter().any(|g| !g.is_finite()) {
            return SolveStatus::NotFinite;
        }
        if !self.working.begin(&self.hessian, &self.gradient) {
            return SolveStatus::NotConvex;
        }
        self.take_equalities();
        self.take_remembered();
        if !self.satisfies_equalities() {
            return SolveStatus::Infeasible;
        }
        while let Some(row) = self.most_violated() {
            match self.push(row) {
                Pushed::Holds => {}
                Pushed::CannotHold => return SolveStatus::Infeasible,
                Pushed::TooManySteps => return SolveStatus::Limit,
            }
        }
        self.polish();
        if self.x.iter().all(|x| x.is_finite()) { SolveStatus::Optimal } else { SolveStatus::Limit }
    }

    /// ‖d₂‖² of a row, as [`Working::look`] says.
    fn look(&mut self, row: usize) -> f64 {
        let (first, normal) = self.rows.part(row);
        self.working.look(first, normal, self.rows.sign(row))
    }

    fn member(&self, row: usize, multiplier: f64) -> Member {
        let bound = self.rows.sign(row) * self.rows.bound(row);
        Member { row, stays: self.rows.is_equality(row), bound, multiplier }
    }

    /// All that do not depend on others before them.
    fn take_equalities(&mut self) {
        for row in 0..self.rows.len() {
            if self.rows.is_equality(row) && self.look(row) > 0.0 {
                self.working.add(self.member(row, 0.0));
            }
        }
    }

    /// Those that held the last time, until the multipliers of all that are left are positive.
    fn take_remembered(&mut self) {
        for k in 0..self.remembered.len() {
            let row = self.remembered[k];
            let known = row < self.rows.len() && !self.rows.is_equality(row);
            if known && self.rows.bound(row).is_finite() && self.look(row) > 0.0 {
                self.working.add(self.member(row, 0.0));
            }
        }
        loop {
            self.working.place(&mut self.x);
            let pulls = |member: &Member| !member.stays && member.multiplier < 0.0;
            let members = self.working.members.iter().enumerate().filter(|(_, member)| pulls(member));
            let Some((k, _)) = members.min_by(|a, b| a.1.multiplier.total_cmp(&b.1.multiplier)) else {
                return;
            };
            self.working.drop_member(k);
        }
    }

    /// Those that depend on others may contradict them.
    fn satisfies_equalities(&self) -> bool {
        let length = norm(&self.x);
        let holds = |row| self.rows.slack(row, &self.x).abs() <= self.allowance(row, length);
        (0..self.rows.len()).all(|row| !self.rows.is_equality(row) || self.working.has(row) || holds(row))
    }

    /// What rounding alone may violate.
    fn allowance(&self, row: usize, length: f64) -> f64 {
        self.settings.feasible * (self.rows.norm(row) * length + self.rows.bound(row).abs())
    }

    /// The inequality that x is farthest from, m or whatever x is in.
    fn most_violated(&self) -> Option<usize> {
        let length = norm(&self.x);
        let mut most = (0.0, None);
        for row in (0..self.rows.len()).filter(|row| !self.rows.is_equality(*row)) {
            let slack = self.rows.slack(row, &self.x);
            if slack < -self.allowance(row, length)
                && slack < most.0 * self.rows.norm(row)
                && !self.working.has(row)
            {
                let norm = self.rows.norm(row);
                most = (if norm > 0.0 { slack / norm } else { f64::NEG_INFINITY }, Some(row));
            }
        }
        most.1
    }

    /// Steps 1 and 2 of the paper for one violated row: until it holds.
    fn push(&mut self, row: usize) -> Pushed {
        let mut multiplier = 0.0;
        loop {
            self.steps += 1;
            if self.steps > self.settings.steps {
                return Pushed::TooManySteps;
            }
            let outside = self.look(row);
            let (partial, blocking) = self.longest_release();
            let full = if outside > 0.0 { -self.rows.slack(row, &self.x) / outside } else { f64::INFINITY };
            let t = partial.min(full);
            if !t.is_finite() {
                return Pushed::CannotHold;
            }
            for (member, r) in self.working.members.iter_mut().zip(&self.working.release) {
                member.multiplier -= t * r;
            }
            multiplier += t;
            if outside > 0.0 {
                add(&mut self.x, t, &self.working.step);
            }
            if full <= partial {
                self.working.add(self.member(row, multiplier));
                return Pushed::Holds;
            }
            self.working.drop_member(blocking);
        }
    }

    /// How far the multipliers of the working set allow to push, and which of them becomes zero then.
    fn longest_release(&self) -> (f64, usize) {
        let least = NOTHING * self.working.release.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
        let mut longest = (f64::INFINITY, 0);
        for (k, (member, r)) in self.working.members.iter().zip(&self.working.release).enumerate() {
            let t = member.multiplier.max(0.0) / r;
            if !member.stays && *r > least && t < longest.0 {
                longest = (t, k);
            }
        }
        longest
    }

    /// The solution afresh from the working set: without what many small steps have added up.
    fn polish(&mut self) {
        self.working.place(&mut self.x);
        for member in self.working.members.iter_mut().filter(|member| !member.stays) {
            member.multiplier = member.multiplier.max(0.0);
        }
    }
}

fn norm(x: &[f64]) -> f64 {
    super::dot(x, x).sqrt()
}

//! The rows of a program: a·x =, ≥ or ≤ b.

use super::dot;

/// What a row asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Relation {
    /// a·x = b
    Equal,
    /// a·x ≥ b
    AtLeast,
    /// a·x ≤ b
    AtMost,
    /// |a·x − b| costs this much for each unit; linear programs alone.
    Near(f64),
}

/// What a row is, its numbers apart.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Head {
    relation: Relation,
    /// b
    bound: f64,
    /// From the first to behind the last number that is not zero: forces of one foot touch few unknowns.
    span: (usize, usize),
    /// ‖a‖
    norm: f64,
}

/// Dense rows of one width.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rows {
    width: usize,
    entries: Vec<f64>,
    heads: Vec<Head>,
}

impl Rows {
    pub(super) fn with_capacity(width: usize, count: usize) -> Self {
        Self { width, entries: Vec::with_capacity(width * count), heads: Vec::with_capacity(count) }
    }

    /// No rows, of this width.
    pub(super) fn clear(&mut self, width: usize) {
        self.width = width;
        self.entries.clear();
        self.heads.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    /// A further row, to be filled by the caller; zero until then.
    pub(super) fn push(&mut self, relation: Relation, bound: f64) -> &mut [f64] {
        self.heads.push(Head { relation, bound, span: (0, 0), norm: 0.0 });
        let start = self.entries.len();
        self.entries.resize(start + self.width, 0.0);
        &mut self.entries[start..]
    }

    /// Finds spans and norms, once all is filled in; whether all numbers are finite. A bound that asks for nothing may be
    /// infinite.
    pub(super) fn seal(&mut self) -> bool {
        let mut finite = true;
        for (i, head) in self.heads.iter_mut().enumerate() {
            let row = &self.entries[i * self.width..(i + 1) * self.width];
            let first = row.iter().position(|a| *a != 0.0).unwrap_or(0);
            let end = row.iter().rposition(|a| *a != 0.0).map_or(first, |last| last + 1);
            head.span = (first, end);
            head.norm = dot(&row[first..end], &row[first..end]).sqrt();
            let idle = match head.relation {
                Relation::AtLeast => head.bound == f64::NEG_INFINITY,
                Relation::AtMost => head.bound == f64::INFINITY,
                Relation::Near(weight) => {
                    finite &= weight.is_finite() && weight >= 0.0;
                    false
                }
                Relation::Equal => false,
            };
            finite &= head.norm.is_finite() && (head.bound.is_finite() || idle);
        }
        finite
    }

    pub(super) fn relation(&self, i: usize) -> Relation {
        self.heads[i].relation
    }

    pub(super) fn is_equality(&self, i: usize) -> bool {
        self.heads[i].relation == Relation::Equal
    }

    pub(super) fn bound(&self, i: usize) -> f64 {
        self.heads[i].bound
    }

    pub(super) fn norm(&self, i: usize) -> f64 {
        self.heads[i].norm
    }

    /// Where its numbers are not zero, and these.
    pub(super) fn part(&self, i: usize) -> (usize, &[f64]) {
        let (first, end) = self.heads[i].span;
        (first, &self.entries[i * self.width + first..i * self.width + end])
    }

    /// One number.
    pub(super) fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.width + j]
    }

    /// a·x
    pub(super) fn times(&self, i: usize, x: &[f64]) -> f64 {
        let (first, a) = self.part(i);
        dot(a, &x[first..first + a.len()])
    }

    /// −1 for a row that is at most its bound, which is at least its negative.
    pub(super) fn sign(&self, i: usize) -> f64 {
        if self.heads[i].relation == Relation::AtMost { -1.0 } else { 1.0 }
    }

    /// How far the row is from its bound, on the side that is allowed: below 0 where it is violated.
    pub(super) fn slack(&self, i: usize, x: &[f64]) -> f64 {
        self.sign(i) * (self.times(i, x) - self.heads[i].bound)
    }
}

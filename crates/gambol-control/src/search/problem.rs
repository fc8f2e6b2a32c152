//! What can be searched for.

use std::fmt::Debug;

use crate::cma::Bounds;

/// One of the numbers that are searched for.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// What it is.
    pub name: String,
    /// Where the search begins.
    pub mean: f64,
    /// About a third of how far off that may be: steps and slopes are measured by it.
    pub deviation: f64,
    /// Where it has to stay.
    pub bounds: Bounds,
}

/// Something that is to be zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equality {
    /// What it is; several may have one name.
    pub name: &'static str,
    /// It counts as zero below this.
    pub tolerance: f64,
}

/// What a candidate is worth.
pub trait Verdict: Clone + Debug + PartialEq + Send {
    /// Of a candidate that came to nothing, of a problem with so many inequalities and equalities: none of it is a number.
    fn nothing(inequalities: usize, equalities: usize) -> Self;

    /// What is to be least, of all candidates that break no constraint.
    fn objective(&self) -> f64;

    /// The objective as it counts beside constraints that are broken: a candidate that is as good as one can hope for should
    /// have about 1 or less, or rounds of sampling would sooner leave constraints broken.
    fn price(&self) -> f64 {
        self.objective()
    }

    /// How far each inequality is broken; 0 where it holds. It may jump.
    fn violations(&self) -> &[f64];

    /// How far each inequality is from a margin inside of it, in units of what matters; 0 beyond the margin. It should have no
    /// jumps, so that it can be followed where inequalities nearly hold.
    fn shortages(&self) -> &[f64];

    /// What is to be zero.
    fn gaps(&self) -> &[f64];
}

/// From a candidate and its verdict to the next one.
pub type Lead<'a, V> = Box<dyn FnMut(&[f64], &V) -> Option<Vec<f64>> + 'a>;

/// Numbers to be found, an objective to be made least, and constraints.
pub trait Problem: Sync {
    /// What it says of a candidate: as many violations and shortages as there are inequalities, as many gaps as equalities.
    type Verdict: Verdict;

    /// A text that no other problem has, to know a checkpoint by.
    fn identity(&self) -> String;

    /// What would have to differ for it to be another problem, as users call it.
    fn kind(&self) -> &'static str {
        "problem"
    }

    /// What is searched for.
    fn numbers(&self) -> &[Number];

    /// Names of what has to hold.
    fn inequalities(&self) -> &[&'static str] {
        &[]
    }

    /// What has to be zero.
    fn equalities(&self) -> &[Equality] {
        &[]
    }

    /// One thread's judge. The same candidate has the same verdict from any of them, whatever it has judged before. An objective
    /// that is not a number says that the candidate came to nothing, and so does a panic.
    fn judge(&self) -> Judging<'_, Self::Verdict>;

    /// A way that leads on by itself from a good candidate to better ones, if there is such a thing: where a machine that runs
    /// comes to, a fixed point of an iteration.
    fn lead(&self, _from: &[f64]) -> Option<Lead<'_, Self::Verdict>> {
        None
    }
}

/// What one thread judges candidates with.
pub type Judging<'p, V> = Box<dyn FnMut(&[f64]) -> V + 'p>;

/// A plain verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    objective: f64,
    violations: Vec<f64>,
    shortages: Vec<f64>,
    gaps: Vec<f64>,
}

/// Where an inequality begins to be followed, in units inside of it.
const MARGIN: f64 = 0.5;

impl Values {
    /// Of a candidate with this objective; constraints are added in the order of the problem.
    pub fn new(objective: f64) -> Self {
        Self { objective, violations: Vec::new(), shortages: Vec::new(), gaps: Vec::new() }
    }

    /// Adds an inequality: x may be `most`, and `unit` is what matters of it.
    #[must_use]
    pub fn at_most(mut self, x: f64, most: f64, unit: f64) -> Self {
        let excess = (x - most) / unit;
        self.violations.push(excess.max(0.0));
        self.shortages.push((excess + MARGIN).max(0.0));
        self
    }

    /// Adds an inequality from the other side.
    #[must_use]
    pub fn at_least(self, x: f64, least: f64, unit: f64) -> Self {
        self.at_most(-x, -least, unit)
    }

    /// Adds an equality: `gap` is to be zero.
    #[must_use]
    pub fn equal(mut self, gap: f64) -> Self {
        self.gaps.push(gap);
        self
    }
}

impl Verdict for Values {
    fn nothing(inequalities: usize, equalities: usize) -> Self {
        let nothing = |count| vec![f64::NAN; count];
        Self {
            objective: f64::NAN,
            violations: nothing(inequalities),
            shortages: nothing(inequalities),
            gaps: nothing(equalities),
        }
    }

    fn objective(&self) -> f64 {
        self.objective
    }

    fn violations(&self) -> &[f64] {
        &self.violations
    }

    fn shortages(&self) -> &[f64] {
        &self.shortages
    }

    fn gaps(&self) -> &[f64] {
        &self.gaps
    }
}

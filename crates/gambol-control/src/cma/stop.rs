//! When to stop.

/// Why a run of CMA-ES ended. The best it found counts in every case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A value at or below the target was found.
    Target,
    /// The best values of many generations, and all of the last one, differ by less than the tolerance.
    TolFun,
    /// All coordinates vary by less than the tolerance times their first deviation, or by less than rounding.
    TolX,
    /// The covariance is too long and thin for numbers with sixteen digits.
    Condition,
    /// For many generations neither the best nor the median value became better.
    Stagnation,
    /// Steps became ten thousand times the first ones: there is no minimum nearby, or the first steps were far too small.
    Diverged,
    /// As many evaluations as allowed were made.
    Budget,
}

impl Stop {
    /// One word, as files and reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::TolFun => "tolfun",
            Self::TolX => "tolx",
            Self::Condition => "condition",
            Self::Stagnation => "stagnation",
            Self::Diverged => "diverged",
            Self::Budget => "budget",
        }
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Self::Target => "the target was reached",
            Self::TolFun => "values no longer differ",
            Self::TolX => "steps became too small to matter",
            Self::Condition => "the covariance degenerated",
            Self::Stagnation => "nothing became better for long",
            Self::Diverged => "steps grew beyond all bounds",
            Self::Budget => "the budget is spent",
        })
    }
}

/// Best and median value of every generation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct History {
    pub(super) best: Vec<f64>,
    pub(super) median: Vec<f64>,
}

/// Most generations that are looked back on.
const LONGEST: usize = 20_000;

impl History {
    /// All of the last generations, 10 + 30 n/λ of them, lie within `tolerance`, and `spread`, that of the last generation,
    /// too.
    pub(super) fn is_flat(&self, dimension: usize, population: usize, spread: f64, tolerance: f64) -> bool {
        let window = 10 + (30 * dimension).div_ceil(population);
        let Some(start) = self.best.len().checked_sub(window) else { return false };
        let range = |values: &[f64]| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            most - least
        };
        spread <= tolerance && range(&self.best[start..]) <= tolerance
    }

    /// Over the last fifth of all generations, at least 120 + 30 n/λ, the last three tenths are no better than the first:
    /// of the best values and of the medians (Hansen 2009, "Benchmarking a BI-population CMA-ES").
    pub(super) fn stagnates(&self, dimension: usize, population: usize) -> bool {
        let length = self.best.len();
        let window = (120 + 30 * dimension / population + length / 5).min(LONGEST);
        let Some(start) = length.checked_sub(window) else { return false };
        let part = 3 * window / 10;
        let worse = |values: &[f64]| {
            let (first, last) = (&values[start..start + part], &values[length - part..]);
            middle(last) >= middle(first)
        };
        worse(&self.best) && worse(&self.median)
    }
}

/// The median.
fn middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    let at = sorted.len() / 2;
    *sorted.select_nth_unstable_by(at, f64::total_cmp).1
}

//! Closing a cycle that nearly repeats itself, by Newton's method.
//!
//! φ(x) = 0, with easy constraints that are short of their margin as further rows, has fewer rows than x has numbers. Each step solves φ + J d = 0 for the shortest d, in parts of the first
//! deviations, with J from differences: a cycle for each number. Levenberg's μ keeps steps short where φ is not straight; a
//! whole range of μ is tried at once, since trials are cheap beside J.

use super::Score;
use super::search::{Judged, Search};
use crate::cma::factor::Lower;

/// Most steps. Where twenty did not help, the place is wrong.
const STEPS: usize = 20;

/// Length of the differences in parts of the first deviations: 10 mrad. Far more than contacts are solved to, and
/// short beside what a stride bends.
const DIFFERENCE: f64 = 0.1;

/// μ that are tried, in parts of the mean diagonal of J Jᵀ.
const DAMPINGS: [f64; 10] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 10.0];

/// Closed well within the tolerance: there is no use in more.
const WELL: f64 = 0.5;

/// A step must lessen the merit by this share.
const LEAST_GAIN: f64 = 0.003;

/// What a unit of an easy constraint counts, in tolerances of a gap.
const EASY: f64 = 1.5;

impl Search<'_> {
    /// Closes the cycle of the best candidate as far as Newton's method can, and remembers where it got to.
    pub(super) fn close(&mut self, threads: usize) {
        let Some(mut at) = self.best.clone() else { return };
        for _ in 0..STEPS {
            if self.largest_gap(&at.score) < WELL && at.score.is_easy() {
                return;
            }
            let Some(next) = self.newton(&at, threads) else { return };
            let gained = 1.0 - self.merit(&next.score) / self.merit(&at.score);
            self.remember(next.clone());
            at = next;
            if gained < LEAST_GAIN {
                return;
            }
        }
    }

    /// What is to vanish: gaps in parts of their tolerances, and what easy constraints are short of.
    fn residual<'s>(&self, score: &'s Score) -> impl Iterator<Item = f64> + use<'s> {
        self.gaps(score).chain(score.short.iter().map(|short| EASY * short))
    }

    /// What a step is to lessen.
    pub(super) fn merit(&self, score: &Score) -> f64 {
        self.residual(score).map(|x| x * x).sum()
    }

    /// The best of one step with all dampings; none if none is better.
    fn newton(&mut self, at: &Judged, threads: usize) -> Option<Judged> {
        let residual: Vec<f64> = self.residual(&at.score).collect();
        let columns = self.differences(at, &residual, threads);

        // (J Jᵀ + μ) y = −φ, d = Jᵀ y
        let rows = residual.len();
        let terms: Vec<(f64, &[f64])> = columns.iter().map(|column| (1.0, column.as_slice())).collect();
        let mut square = Lower::diagonal(vec![0.0; rows].into_iter());
        square.update(0.0, &terms);
        let mean = (0..rows).map(|row| square.at_diagonal(row)).sum::<f64>() / rows as f64;
        let mut trials = Vec::new();
        for damping in DAMPINGS {
            let mut damped = square.clone();
            damped.add_diagonal(damping * mean);
            let mut factor = damped.clone();
            if !factor.factor(&damped, &mut Vec::new()) {
                continue;
            }
            let mut y: Vec<f64> = residual.iter().map(|x| -x).collect();
            factor.solve(&mut y);
            let step = columns.iter().map(|column| column.iter().zip(&y).map(|(j, y)| j * y).sum::<f64>());
            trials.push(self.moved(&at.x, step));
        }
        let scores = self.judge(&trials, threads);
        self.evaluations += trials.len();
        let judged = trials.into_iter().zip(scores).map(|(x, score)| Judged { x, score });
        let best = judged.min_by(|a, b| self.merit(&a.score).total_cmp(&self.merit(&b.score)))?;
        (self.merit(&best.score) < self.merit(&at.score)).then_some(best)
    }

    /// J by columns, in parts of tolerances and of first deviations.
    fn differences(&mut self, at: &Judged, residual: &[f64], threads: usize) -> Vec<Vec<f64>> {
        let n = at.x.len();
        let lengths: Vec<f64> = (0..n)
            .map(|k| {
                let length = DIFFERENCE * self.space.deviation[k];
                // Away from the bound.
                if at.x[k] + length <= self.space.bounds[k].most { length } else { -length }
            })
            .collect();
        let shifted = |k: usize| {
            let mut x = at.x.clone();
            x[k] += lengths[k];
            x
        };
        let candidates: Vec<Vec<f64>> = (0..n).map(shifted).collect();
        let scores = self.judge(&candidates, threads);
        self.evaluations += n;
        let column = |(k, score): (usize, &Score)| {
            let scale = self.space.deviation[k] / lengths[k];
            self.residual(score).zip(residual).map(|(there, here)| scale * (there - here)).collect()
        };
        scores.iter().enumerate().map(column).collect()
    }

    /// A step in parts of the first deviations, within bounds.
    fn moved(&self, x: &[f64], step: impl Iterator<Item = f64>) -> Vec<f64> {
        let space = &self.space;
        let numbers = x.iter().zip(step).enumerate();
        numbers
            .map(|(k, (x, step))| {
                (x + space.deviation[k] * step).clamp(space.bounds[k].least, space.bounds[k].most)
            })
            .collect()
    }
}

//! Closing a cycle that nearly repeats itself, by Newton's method, and then making it cheaper along the cycles that stay closed.
//!
//! φ(x) = 0, with easy constraints that are short of their margin as further rows, has fewer rows than x has numbers. Each
//! step solves φ + J d = 0 for the shortest d, in parts of the first deviations, with J from differences: two cycles for
//! each number. Levenberg's μ keeps steps short where φ is not straight; a whole range of μ is tried at once, since trials are
//! cheap beside J. What J leaves free is used to descend: d = −(1 − J⁺J) ∇ ln E_v E_e.

use super::search::{Judged, Search};
use gambol_model::math;
use std::sync::Arc;

use super::{Balance, Score};
use crate::cma::Bounds;
use crate::cma::factor::{Lower, add};

/// Length of the differences in parts of the first deviations: 10 mrad. Far more than contacts are solved to, and
/// short beside what a stride bends.
const DIFFERENCE: f64 = 0.1;

/// μ that are tried, in parts of the mean diagonal of J Jᵀ.
const DAMPINGS: [f64; 10] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 10.0];

/// μ of the way that leaves a closed cycle closed: little, since it is straight for a short while at least.
const DAMPING_CLOSED: f64 = 1e-4;

/// Lengths of descents that are tried, in first deviations of all numbers together.
const DESCENTS: [f64; 10] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 1.8, 2.7];

/// Half cycles for which a good stride runs with corrections, to find one that repeats itself better.
const SEALS: usize = 40;

/// What a unit of an easy constraint counts, in tolerances of a gap.
const EASY: f64 = 1.5;

/// Numbers that run into their bounds one after the other are held there, at most this many times over.
const HELD: usize = 4;

/// What differences say about a place.
struct Slopes {
    /// What is to vanish.
    residual: Vec<f64>,
    /// J by columns, in parts of tolerances and of first deviations.
    columns: Vec<Vec<f64>>,
    /// Of ln E_v E_e.
    objective: Vec<f64>,
}

impl Search {
    /// What is to vanish: gaps in parts of their tolerances, and what easy constraints are short of.
    fn residual<'s>(&self, score: &'s Score) -> impl Iterator<Item = f64> + use<'s> {
        self.gaps(score).chain(score.short.iter().map(|short| EASY * short))
    }

    /// What a step is to lessen.
    pub(super) fn merit(&self, score: &Score) -> f64 {
        self.residual(score).map(|x| x * x).sum()
    }

    /// The best of one step of Newton's method with all dampings; none if none is better.
    pub(super) fn newton(&mut self, at: &Judged, threads: usize) -> Option<Judged> {
        let slopes = self.slopes(at, threads);
        let steps = DAMPINGS.iter().filter_map(|damping| self.bounded(&slopes, &at.x, *damping));
        let trials = steps.map(|step| self.moved(&at.x, &step)).collect();
        let judged = self.judge_all(trials, threads);
        let best = judged.into_iter().min_by(|a, b| self.merit(&a.score).total_cmp(&self.merit(&b.score)))?;
        (self.merit(&best.score) < self.merit(&at.score)).then_some(best)
    }

    /// Lets a good cycle run with corrections that keep it up, and takes the half cycle that repeats itself best: what Newton's
    /// method cannot reach because slopes are not the same on both sides of a footfall, the creature runs into by itself.
    pub(super) fn seal(&mut self, at: &Judged) -> Option<Judged> {
        let stage = &Arc::clone(&self.stage);
        let reference = self.space.stride(stage, &at.x);
        let balance = Balance::linear(stage, self.world(), &reference);
        let mut best = at.clone();
        let mut now = at.clone();
        for _ in 0..SEALS {
            let next = balance.next(stage, &reference, &self.space.stride(stage, &now.x), &now.score);
            let x = self.space.place(stage, &next)?;
            now = self.judge_all(vec![x], 1).swap_remove(0);
            if self.is_good(&now.score) && self.largest_gap(&now.score) < self.largest_gap(&best.score) {
                best = now.clone();
            }
        }
        (best != *at).then_some(best)
    }

    /// The cheapest closed cycle of one descent from a closed one; none if none is cheaper.
    pub(super) fn descend(&mut self, at: &Judged, threads: usize) -> Option<Judged> {
        let slopes = self.slopes(at, threads);
        let n = at.x.len();
        // Numbers at a bound that the slope pushes outwards stay.
        let bounds = &self.space.bounds;
        let free: Vec<bool> = (0..n)
            .map(|k| {
                let (at, slope) = (at.x[k], slopes.objective[k]);
                !(at <= bounds[k].least && slope > 0.0 || at >= bounds[k].most && slope < 0.0)
            })
            .collect();
        let factor = Factor::new(&slopes.columns, &free, DAMPING_CLOSED)?;
        let close = factor.shortest(&slopes.columns, &free, &slopes.residual);
        // What of the slope changes φ is taken out of it.
        let rows = slopes.residual.len();
        let mut changed = vec![0.0; rows];
        for (column, slope) in slopes.columns.iter().zip(&slopes.objective).zip(&free).filter_map(only_free) {
            add(&mut changed, *slope, column);
        }
        let taken = factor.shortest(&slopes.columns, &free, &changed);
        let mut along: Vec<f64> =
            (0..n).map(|k| if free[k] { -(slopes.objective[k] + taken[k]) } else { 0.0 }).collect();
        let length = along.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length <= 0.0 {
            return None;
        }
        for x in &mut along {
            *x /= length;
        }

        let step = |length: &f64| -> Vec<f64> {
            close.iter().zip(&along).map(|(close, along)| close + length * along).collect()
        };
        let trials = DESCENTS.iter().map(|length| self.moved(&at.x, &step(length))).collect();
        let judged = self.judge_all(trials, threads);
        // One that is good but not well closed gets closed first.
        let gap = |judged: &Judged| self.largest_gap(&judged.score);
        if !self.is_closed(&at.score) {
            let good = judged.into_iter().filter(|judged| self.is_good(&judged.score));
            return good.min_by(|a, b| gap(a).total_cmp(&gap(b))).filter(|best| gap(best) < gap(at));
        }
        let closed = judged.into_iter().filter(|judged| self.is_closed(&judged.score));
        let best = closed.min_by(|a, b| a.score.product().total_cmp(&b.score.product()))?;
        (best.score.product() < at.score.product()).then_some(best)
    }

    /// The shortest step that makes what is to vanish do so, within bounds: numbers that would leave theirs are held there,
    /// and the others do the rest.
    fn bounded(&self, slopes: &Slopes, x: &[f64], damping: f64) -> Option<Vec<f64>> {
        let (bounds, deviation) = (&self.space.bounds, &self.space.deviation);
        let n = x.len();
        let mut free = vec![true; n];
        let mut held = vec![0.0; n];
        let mut residual = slopes.residual.clone();
        for _ in 0..HELD {
            let factor = Factor::new(&slopes.columns, &free, damping)?;
            let step = factor.shortest(&slopes.columns, &free, &residual);
            let mut all = true;
            for k in (0..n).filter(|k| step[*k] != 0.0) {
                let to = x[k] + deviation[k] * step[k];
                let within = to.clamp(bounds[k].least, bounds[k].most);
                if free[k] && within != to {
                    free[k] = false;
                    all = false;
                    held[k] = (within - x[k]) / deviation[k];
                    add(&mut residual, held[k], &slopes.columns[k]);
                }
            }
            if all {
                return Some(step.iter().zip(&held).map(|(step, held)| step + held).collect());
            }
        }
        None
    }

    /// Slopes of all there is, by differences to both sides, or to one where a bound is in the way: a foot that lands on its
    /// inner edge if it is tilted by a little, and on its outer one if by a little less, has two slopes.
    fn slopes(&mut self, at: &Judged, threads: usize) -> Slopes {
        let n = at.x.len();
        let shifted = |k: usize, sign: f64| {
            let mut x = at.x.clone();
            let Bounds { least, most } = self.space.bounds[k];
            x[k] = (x[k] + sign * DIFFERENCE * self.space.deviation[k]).clamp(least, most);
            x
        };
        let places = (0..n).flat_map(|k| [shifted(k, -1.0), shifted(k, 1.0)]).collect();
        let judged = self.judge_all(places, threads);
        let price = |score: &Score| math::ln(score.product().max(f64::MIN_POSITIVE));
        let (mut columns, mut objective) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for (k, pair) in judged.chunks_exact(2).enumerate() {
            let (below, above) = (&pair[0], &pair[1]);
            let per = self.space.deviation[k] / (above.x[k] - below.x[k]);
            let rows = self.residual(&above.score).zip(self.residual(&below.score));
            columns.push(rows.map(|(above, below)| per * (above - below)).collect());
            objective.push(per * (price(&above.score) - price(&below.score)));
        }
        Slopes { residual: self.residual(&at.score).collect(), columns, objective }
    }

    /// Judges candidates, which counts.
    fn judge_all(&mut self, candidates: Vec<Vec<f64>>, threads: usize) -> Vec<Judged> {
        let scores = self.judge(&candidates, threads);
        self.evaluations += candidates.len();
        candidates.into_iter().zip(scores).map(|(x, score)| Judged { x, score }).collect()
    }

    /// A step in parts of the first deviations, within bounds.
    fn moved(&self, x: &[f64], step: &[f64]) -> Vec<f64> {
        let space = &self.space;
        let to = |k: usize| {
            (x[k] + space.deviation[k] * step[k]).clamp(space.bounds[k].least, space.bounds[k].most)
        };
        (0..x.len()).map(to).collect()
    }
}

/// Of J Jᵀ + μ, over columns that are free.
struct Factor(Lower);

impl Factor {
    /// With μ in parts of the mean diagonal.
    fn new(columns: &[Vec<f64>], free: &[bool], damping: f64) -> Option<Self> {
        let rows = columns.first()?.len();
        let terms: Vec<(f64, &[f64])> =
            columns.iter().zip(free).filter(|(_, free)| **free).map(|(c, _)| (1.0, c.as_slice())).collect();
        let mut square = Lower::diagonal(vec![0.0; rows].into_iter());
        square.update(0.0, &terms);
        let mean = (0..rows).map(|row| square.at_diagonal(row)).sum::<f64>() / rows as f64;
        square.add_diagonal(damping * mean);
        let mut factor = square.clone();
        factor.factor(&square, &mut Vec::new()).then_some(Self(factor))
    }

    /// d = −Jᵀ (J Jᵀ + μ)⁻¹ r, zero where not free.
    fn shortest(&self, columns: &[Vec<f64>], free: &[bool], residual: &[f64]) -> Vec<f64> {
        let mut y: Vec<f64> = residual.iter().map(|x| -x).collect();
        self.0.solve(&mut y);
        let along = |column: &Vec<f64>| column.iter().zip(&y).map(|(j, y)| j * y).sum::<f64>();
        columns.iter().zip(free).map(|(column, free)| if *free { along(column) } else { 0.0 }).collect()
    }
}

fn only_free<T>((pair, free): (T, &bool)) -> Option<T> {
    free.then_some(pair)
}

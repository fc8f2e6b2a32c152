//! Closing the gaps of a candidate by Newton's method, and then making it cheaper along those that stay closed.
//!
//! φ(x) = 0, with inequalities that are short of their margin as further rows, has fewer rows than x has numbers. Each
//! step solves φ + J d = 0 for the shortest d, in parts of the deviations, with J from differences: two candidates for
//! each number. Levenberg's μ keeps steps short where φ is not straight; a whole range of μ is tried at once, since trials are
//! cheap beside J. What J leaves free is used to descend: d = −(1 − J⁺J) ∇f, with ln f for f where shares of it count.

use gambol_model::math;

use super::algorithm::{Judged, Search};
use super::settings::Measure;
use super::{Executor, Problem, Verdict};
use crate::cma::Bounds;
use crate::cma::factor::{Lower, add};

/// What differences say about a place.
struct Slopes {
    /// What is to vanish.
    residual: Vec<f64>,
    /// J by columns, in parts of tolerances and of deviations.
    columns: Vec<Vec<f64>>,
    /// Of the objective.
    objective: Vec<f64>,
}

impl<P: Problem> Search<P> {
    /// The best of one step of Newton's method with all dampings; none if none is better.
    pub(super) fn newton(
        &mut self,
        at: &Judged<P::Verdict>,
        executor: &mut dyn Executor<P>,
    ) -> Option<Judged<P::Verdict>> {
        let slopes = self.slopes(at, executor);
        let dampings = self.settings.closing.newton.dampings;
        let steps = dampings.iter().filter_map(|damping| self.bounded(&slopes, &at.x, *damping));
        let trials = steps.map(|step| self.moved(&at.x, &step)).collect();
        let judged = self.judge(trials, executor);
        let best = judged.into_iter().min_by(|a, b| self.merit(&a.score).total_cmp(&self.merit(&b.score)))?;
        (self.merit(&best.score) < self.merit(&at.score)).then_some(best)
    }

    /// The cheapest closed candidate of one descent from a closed one; none if none is cheaper.
    pub(super) fn descend(
        &mut self,
        at: &Judged<P::Verdict>,
        executor: &mut dyn Executor<P>,
    ) -> Option<Judged<P::Verdict>> {
        let slopes = self.slopes(at, executor);
        let (close, along) = self.downhill(&slopes, &at.x)?;
        let step = |length: &f64| -> Vec<f64> {
            close.iter().zip(&along).map(|(close, along)| close + length * along).collect()
        };
        let lengths = self.settings.closing.descent.lengths;
        let trials = lengths.iter().map(|length| self.moved(&at.x, &step(length))).collect();
        let judged = self.judge(trials, executor);
        // One that is good but not well closed gets closed first.
        let gap = |judged: &Judged<P::Verdict>| self.largest_gap(&judged.score);
        if !self.is_closed(&at.score) {
            let good = judged.into_iter().filter(|judged| self.is_good(&judged.score));
            return good.min_by(|a, b| gap(a).total_cmp(&gap(b))).filter(|best| gap(best) < gap(at));
        }
        let closed = judged.into_iter().filter(|judged| self.is_closed(&judged.score));
        let best = closed.min_by(|a, b| a.score.objective().total_cmp(&b.score.objective()))?;
        (best.score.objective() < at.score.objective()).then_some(best)
    }

    /// The step that closes what is still open, and the unit direction in which the objective falls most and φ does not change.
    /// None on level ground.
    fn downhill(&self, slopes: &Slopes, x: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let n = x.len();
        // Numbers at a bound that the slope pushes outwards stay.
        let numbers = self.problem.numbers();
        let free: Vec<bool> = (0..n)
            .map(|k| {
                let (at, slope, bounds) = (x[k], slopes.objective[k], numbers[k].bounds);
                !(at <= bounds.least && slope > 0.0 || at >= bounds.most && slope < 0.0)
            })
            .collect();
        let factor = Factor::new(&slopes.columns, &free, self.settings.closing.descent.damping)?;
        let close = factor.shortest(&slopes.columns, &free, &slopes.residual);
        // What of the slope changes φ is taken out of it.
        let mut changed = vec![0.0; slopes.residual.len()];
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
        Some((close, along))
    }

    /// The shortest step that makes what is to vanish do so, within bounds: numbers that would leave theirs are held there,
    /// and the others do the rest.
    fn bounded(&self, slopes: &Slopes, x: &[f64], damping: f64) -> Option<Vec<f64>> {
        let numbers = self.problem.numbers();
        let n = x.len();
        let mut free = vec![true; n];
        let mut held = vec![0.0; n];
        let mut residual = slopes.residual.clone();
        for _ in 0..self.settings.closing.newton.held {
            let factor = Factor::new(&slopes.columns, &free, damping)?;
            let step = factor.shortest(&slopes.columns, &free, &residual);
            let mut all = true;
            for k in (0..n).filter(|k| step[*k] != 0.0) {
                let (deviation, Bounds { least, most }) = (numbers[k].deviation, numbers[k].bounds);
                let to = x[k] + deviation * step[k];
                let within = to.clamp(least, most);
                if free[k] && within != to {
                    free[k] = false;
                    all = false;
                    held[k] = (within - x[k]) / deviation;
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
    fn slopes(&mut self, at: &Judged<P::Verdict>, executor: &mut dyn Executor<P>) -> Slopes {
        let n = at.x.len();
        let length = self.settings.closing.newton.difference;
        let numbers = self.problem.numbers();
        let shifted = |k: usize, sign: f64| {
            let mut x = at.x.clone();
            let Bounds { least, most } = numbers[k].bounds;
            x[k] = (x[k] + sign * length * numbers[k].deviation).clamp(least, most);
            x
        };
        let places = (0..n).flat_map(|k| [shifted(k, -1.0), shifted(k, 1.0)]).collect();
        let judged = self.judge(places, executor);
        let worth = |score: &P::Verdict| match self.settings.measure {
            Measure::Share => math::ln(score.objective().max(f64::MIN_POSITIVE)),
            Measure::Difference => score.objective(),
        };
        let (mut columns, mut objective) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for (k, pair) in judged.chunks_exact(2).enumerate() {
            let (below, above) = (&pair[0], &pair[1]);
            let per = self.problem.numbers()[k].deviation / (above.x[k] - below.x[k]);
            let rows = self.residual(&above.score).into_iter().zip(self.residual(&below.score));
            columns.push(rows.map(|(above, below)| per * (above - below)).collect());
            objective.push(per * (worth(&above.score) - worth(&below.score)));
        }
        Slopes { residual: self.residual(&at.score), columns, objective }
    }

    /// A step in parts of the deviations, within bounds.
    fn moved(&self, x: &[f64], step: &[f64]) -> Vec<f64> {
        let to = |k: usize| {
            let number = &self.problem.numbers()[k];
            (x[k] + number.deviation * step[k]).clamp(number.bounds.least, number.bounds.most)
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
        // Where nothing depends on any number there is nothing to do, by any μ.
        square.add_diagonal(if mean > 0.0 { damping * mean } else { 1.0 });
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

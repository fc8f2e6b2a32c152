//! The search (Nunes et al. 2012, section 6.2): CMA-ES inside, and around it the method of multipliers or Newton's method.
//!
//! ```text
//! sample until all inequalities hold                                       initialisation, round 0
//! for each round:
//!     sample for some generations about the place the line has come to     CMA-ES
//!     method of multipliers:
//!         done if the best breaks no constraint; else λ ← λ + 2 k φ
//!     closing:
//!         from the best, Newton's method until gaps are closed well or it stalls
//!         stalled: the line goes on from here if it is nearer than before;
//!             after some hops in vain what is good is taken, else a new line begins
//!         closed or taken: descend along what stays closed, follow the problem's own lead, done
//! ```

use super::progress::{Doing, Outcome, Progress};
use super::settings::{Measure, Method, SearchSettings};
use super::{Executor, OneThread, Problem, Verdict};
use crate::cma::{Bounds, Cma, CmaError, Settings};
use crate::text::CheckpointError;

/// What cannot be searched for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The numbers or the settings.
    #[error(transparent)]
    Cma(#[from] CmaError),
    /// What it should go on from.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

/// A candidate that was judged.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judged<V> {
    pub(super) x: Vec<f64>,
    pub(super) score: V,
}

/// Where the algorithm is, and what it needs there.
#[derive(Clone, Debug)]
pub(super) enum SearchStage<V> {
    /// The best candidate of this round so far.
    Sampling { cma: Box<Cma>, best: Option<Judged<V>> },
    /// Steps of Newton's method made in this round.
    Closing { at: Judged<V>, made: usize },
    /// Descents made.
    Improving { at: Judged<V>, made: usize },
    /// Closed, and as cheap as descents make it.
    Sealing { at: Judged<V> },
    /// With what it came to.
    Done { at: Option<Judged<V>> },
}

/// A search for the best candidate of a problem.
#[derive(Clone, Debug)]
pub struct Search<P: Problem> {
    pub(super) problem: P,
    pub(super) settings: SearchSettings,
    pub(super) round: usize,
    pub(super) evaluations: usize,
    pub(super) stage: SearchStage<P::Verdict>,
    /// λ
    pub(super) multipliers: Vec<f64>,
    /// Where the line of rounds got to, and hops in a row that did not help.
    pub(super) line: Option<Judged<P::Verdict>>,
    pub(super) idle: usize,
    /// The nearest to what is wanted of all.
    pub(super) nearest: Option<Judged<P::Verdict>>,
}

impl<P: Problem> Search<P> {
    /// A search that begins where the problem's numbers do.
    pub fn new(problem: P, settings: SearchSettings) -> Result<Self, SearchError> {
        if settings.budget == 0 || settings.rounds == 0 {
            let what = if settings.budget == 0 { "budget" } else { "rounds" };
            return Err(CmaError { what, reason: "nothing may be tried".into() }.into());
        }
        let cma = Box::new(sampler(&problem, &settings, None, 1.0, 0)?);
        Ok(Self {
            round: 0,
            evaluations: 0,
            stage: SearchStage::Sampling { cma, best: None },
            multipliers: vec![0.0; problem.equalities().len()],
            line: None,
            idle: 0,
            nearest: None,
            problem,
            settings,
        })
    }

    /// A search that begins at a candidate, and closes its gaps first. Not for the method of multipliers, which begins as it
    /// always does.
    pub fn starting_at(problem: P, settings: SearchSettings, x: Vec<f64>) -> Result<Self, SearchError> {
        let mut search = Self::new(problem, settings)?;
        if search.settings.method == Method::Closing {
            search.round = 1;
            let at = search.judge(vec![x], &mut OneThread).swap_remove(0);
            let sound = search.keep_nearest(&at);
            search.stage = if sound { SearchStage::Closing { at, made: 0 } } else { search.hop(None) };
        }
        Ok(search)
    }

    /// Goes on until the search ends or `go_on`, which is asked before every step, says no. It may keep a
    /// [checkpoint](Self::checkpoint) of the search it is given.
    pub fn run(&mut self, executor: &mut dyn Executor<P>, go_on: &mut dyn FnMut(&Self) -> bool) -> Outcome {
        loop {
            if let Some(outcome) = self.ended() {
                return outcome;
            }
            if !go_on(self) {
                return Outcome::Stopped;
            }
            self.step(executor);
        }
    }

    /// Goes on by a little: a generation, a step of Newton's method or a descent. Nothing once it has [ended](Self::ended).
    pub fn step(&mut self, executor: &mut dyn Executor<P>) {
        if self.ended().is_some() {
            return;
        }
        self.stage = match std::mem::replace(&mut self.stage, SearchStage::Done { at: None }) {
            SearchStage::Sampling { cma, best } => self.sample(cma, best, executor),
            SearchStage::Closing { at, made } => self.close(at, made + 1, executor),
            SearchStage::Improving { at, made } => self.improve(at, made + 1, executor),
            SearchStage::Sealing { at } => SearchStage::Done { at: Some(self.seal(at, executor)) },
            done @ SearchStage::Done { .. } => done,
        };
    }

    /// One generation of CMA-ES, and what comes after the last.
    fn sample(
        &mut self,
        mut cma: Box<Cma>,
        mut best: Option<Judged<P::Verdict>>,
        executor: &mut dyn Executor<P>,
    ) -> SearchStage<P::Verdict> {
        let judged = self.judge(cma.ask().to_vec(), executor);
        let values: Vec<f64> = judged.iter().map(|judged| self.weighed(&judged.score)).collect();
        let stop = cma.tell(&values);
        for (judged, value) in judged.into_iter().zip(values) {
            let sound = self.keep_nearest(&judged);
            if sound && best.as_ref().is_none_or(|best| value < self.weighed(&best.score)) {
                best = Some(judged);
            }
        }
        if stop.is_none() && !self.is_sampled(&cma, best.as_ref()) {
            return SearchStage::Sampling { cma, best };
        }
        match self.settings.method {
            _ if self.round == 0 => {
                // An initialisation in which inequalities did not come to hold is repeated with other random numbers.
                let reached = best.filter(|best| holds(&best.score));
                self.round += usize::from(reached.is_some());
                self.sample_about(reached, self.settings.shrink)
            }
            Method::Multipliers if best.as_ref().is_some_and(|best| self.is_good(&best.score)) => {
                SearchStage::Done { at: best }
            }
            Method::Multipliers => {
                self.multiply(best.as_ref());
                self.round += 1;
                self.sample_about(best, self.settings.shrink)
            }
            Method::Closing => match best {
                Some(at) if self.merit(&at.score) == 0.0 => SearchStage::Improving { at, made: 0 },
                Some(at) => SearchStage::Closing { at, made: 0 },
                None => self.hop(None),
            },
        }
    }

    /// Whether a round has had its generations; the initialisation ends when all inequalities hold.
    fn is_sampled(&self, cma: &Cma, best: Option<&Judged<P::Verdict>>) -> bool {
        if self.round == 0 {
            return best.is_some_and(|best| holds(&best.score));
        }
        let hops = self.settings.method == Method::Closing && self.line.is_some();
        cma.generation()
            >= if hops { self.settings.closing.hop_generations } else { self.settings.generations }
    }

    /// Another round of CMA-ES, about a candidate with deviations in parts of the problem's, or about where the problem
    /// begins.
    fn sample_about(&mut self, about: Option<Judged<P::Verdict>>, shrink: f64) -> SearchStage<P::Verdict> {
        let shrink = if about.is_some() { shrink } else { 1.0 };
        let place = about.as_ref().map(|judged| judged.x.as_slice());
        let cma = sampler(&self.problem, &self.settings, place, shrink, self.evaluations as u64);
        let best = about.filter(|_| self.settings.method == Method::Multipliers || self.round == 1);
        SearchStage::Sampling { cma: Box::new(cma.expect("as sound as the first round")), best }
    }

    /// λ ← λ + 2 k φ at the best of the round.
    fn multiply(&mut self, best: Option<&Judged<P::Verdict>>) {
        let Some(best) = best else { return };
        for (multiplier, gap) in self.multipliers.iter_mut().zip(best.score.gaps()) {
            *multiplier += 2.0 * self.settings.multipliers.penalty * gap;
        }
    }

    /// One step of Newton's method, the so many-th, and what comes after the last.
    fn close(
        &mut self,
        mut at: Judged<P::Verdict>,
        made: usize,
        executor: &mut dyn Executor<P>,
    ) -> SearchStage<P::Verdict> {
        let mut gained = 0.0;
        if let Some(next) = self.newton(&at, executor) {
            gained = 1.0 - self.merit(&next.score) / self.merit(&at.score);
            self.keep_nearest(&next);
            at = next;
        }
        let newton = &self.settings.closing.newton;
        if self.is_closed(&at.score) {
            SearchStage::Improving { at, made: 0 }
        } else if gained < newton.least_gain || made >= newton.steps {
            self.hop(Some(at))
        } else {
            SearchStage::Closing { at, made }
        }
    }

    /// After steps of Newton's method that came to `at` and did not close it well: the line hops on from its best place. When
    /// hops no longer help, what is good is taken as it is, or else a new line begins.
    fn hop(&mut self, at: Option<Judged<P::Verdict>>) -> SearchStage<P::Verdict> {
        let merit = |judged: &Option<Judged<P::Verdict>>| {
            judged.as_ref().map_or(f64::INFINITY, |judged| self.merit(&judged.score))
        };
        if merit(&at) < merit(&self.line) {
            self.line = at;
            self.idle = 0;
        } else {
            self.idle += 1;
        }
        if self.idle >= self.settings.closing.hops {
            self.idle = 0;
            if let Some(at) = self.line.take().filter(|line| self.is_good(&line.score)) {
                return SearchStage::Improving { at, made: 0 };
            }
        }
        self.round += 1;
        self.sample_about(self.line.clone(), self.settings.closing.hop)
    }

    /// One descent, the so many-th.
    fn improve(
        &mut self,
        mut at: Judged<P::Verdict>,
        made: usize,
        executor: &mut dyn Executor<P>,
    ) -> SearchStage<P::Verdict> {
        let mut gained = 0.0;
        if let Some(next) = self.descend(&at, executor) {
            gained = if self.is_closed(&at.score) {
                self.gained(at.score.objective(), next.score.objective())
            } else {
                1.0 - self.largest_gap(&next.score) / self.largest_gap(&at.score)
            };
            at = next;
            self.nearest = Some(at.clone());
        }
        let descent = &self.settings.closing.descent;
        if gained < descent.least_gain || made >= descent.steps {
            SearchStage::Sealing { at }
        } else {
            SearchStage::Improving { at, made }
        }
    }

    /// By how much an objective is better than another.
    fn gained(&self, from: f64, to: f64) -> f64 {
        match self.settings.measure {
            Measure::Share => 1.0 - to / from,
            Measure::Difference => from - to,
        }
    }

    /// Follows the problem's own lead from a good candidate, and takes the one with the smallest gaps: what Newton's method
    /// cannot reach, because slopes are not the same on both sides of a corner, may be run into.
    fn seal(&mut self, at: Judged<P::Verdict>, executor: &mut dyn Executor<P>) -> Judged<P::Verdict> {
        let Some(mut lead) = self.problem.lead(&at.x) else { return at };
        let (mut best, mut now) = (at.clone(), at.clone());
        for _ in 0..self.settings.closing.seals {
            let Some(x) = lead(&now.x, &now.score) else { break };
            let score = executor.judge(&self.problem, std::slice::from_ref(&x)).swap_remove(0);
            self.evaluations += 1;
            now = Judged { x, score };
            if self.is_good(&now.score) && self.largest_gap(&now.score) < self.largest_gap(&best.score) {
                best = now.clone();
            }
        }
        drop(lead);
        if best != at {
            self.nearest = Some(best.clone());
        }
        best
    }

    /// Judges candidates, which counts.
    ///
    /// # Panics
    /// If the executor does not give a verdict for each.
    pub(super) fn judge(
        &mut self,
        candidates: Vec<Vec<f64>>,
        executor: &mut dyn Executor<P>,
    ) -> Vec<Judged<P::Verdict>> {
        let scores = executor.judge(&self.problem, &candidates);
        assert_eq!(scores.len(), candidates.len(), "a verdict for each candidate");
        self.evaluations += candidates.len();
        candidates.into_iter().zip(scores).map(|(x, score)| Judged { x, score }).collect()
    }

    /// Keeps a candidate that is the nearest of all. False if it came to nothing, which would be nearer than anything.
    fn keep_nearest(&mut self, judged: &Judged<P::Verdict>) -> bool {
        if self.weighed(&judged.score).is_nan() {
            return false;
        }
        let farness = self.farness(&judged.score);
        if self.nearest.as_ref().is_none_or(|nearest| farness < self.farness(&nearest.score)) {
            self.nearest = Some(judged.clone());
        }
        true
    }

    /// What is minimised in this round.
    fn weighed(&self, score: &P::Verdict) -> f64 {
        match self.settings.method {
            _ if self.round == 0 => penalised(score, self.settings.weight_violations),
            Method::Multipliers => augmented(score, &self.multipliers, &self.settings),
            Method::Closing => score.price() + self.settings.closing.weight_merit * self.merit(score),
        }
    }

    /// How far from what is wanted: inequalities first, then equalities; among those that are good, what they cost.
    fn farness(&self, score: &P::Verdict) -> (f64, f64, f64) {
        let gap = self.largest_gap(score);
        (score.violations().iter().sum(), if gap < 1.0 { 0.0 } else { gap }, score.objective())
    }

    /// What Newton's method is to make vanish: gaps in parts of their tolerances, and what inequalities are short of.
    pub(super) fn residual(&self, score: &P::Verdict) -> Vec<f64> {
        let short = score.shortages().iter().map(|short| self.settings.closing.weight_short * short);
        self.gaps(score).chain(short).collect()
    }

    /// What a step of it is to lessen.
    pub(super) fn merit(&self, score: &P::Verdict) -> f64 {
        self.residual(score).iter().map(|x| x * x).sum()
    }

    /// All gaps in parts of their tolerances.
    fn gaps<'s>(&'s self, score: &'s P::Verdict) -> impl Iterator<Item = f64> + 's {
        score.gaps().iter().zip(self.problem.equalities()).map(|(gap, equality)| gap / equality.tolerance)
    }

    /// The largest gap in parts of its tolerance.
    pub fn largest_gap(&self, score: &P::Verdict) -> f64 {
        self.gaps(score).map(f64::abs).fold(0.0, f64::max)
    }

    /// Whether no constraint is broken.
    pub fn is_good(&self, score: &P::Verdict) -> bool {
        holds(score) && self.largest_gap(score) < 1.0
    }

    /// Good, and well within the tolerances.
    pub(super) fn is_closed(&self, score: &P::Verdict) -> bool {
        holds(score) && self.largest_gap(score) < self.settings.closing.well
    }

    /// How it ended, if it did: converged, or all rounds made, or the budget spent. A search that has found a good candidate
    /// and has no budget left to make it cheaper has converged too.
    pub fn ended(&self) -> Option<Outcome> {
        let spent = self.evaluations >= self.settings.budget || self.round > self.settings.rounds;
        if !spent && !matches!(self.stage, SearchStage::Done { .. }) {
            return None;
        }
        let names = self.problem.inequalities();
        let equalities = self.problem.equalities();
        let Some(nearest) = &self.nearest else {
            let first = equalities.first().map(|equality| equality.name).or(names.first().copied());
            return Some(Outcome::Stalled { constraint: first.unwrap_or("objective"), by: f64::INFINITY });
        };
        if self.is_good(&nearest.score) {
            return Some(Outcome::Converged);
        }
        let broken = names.iter().copied().zip(nearest.score.violations().iter().copied());
        let open =
            equalities.iter().map(|equality| equality.name).zip(self.gaps(&nearest.score).map(f64::abs));
        let worst = |all: &mut dyn Iterator<Item = (&'static str, f64)>| {
            all.reduce(|worst, next| if next.1.total_cmp(&worst.1).is_lt() { worst } else { next })
        };
        let broken = worst(&mut { broken }).filter(|(_, by)| *by > 0.0);
        let (constraint, by) = broken.or_else(|| worst(&mut { open })).unwrap_or(("objective", f64::NAN));
        Some(Outcome::Stalled { constraint, by })
    }

    /// Where it is; none before the first step.
    pub fn progress(&self) -> Option<Progress<'_, P::Verdict>> {
        let (doing, best) = match &self.stage {
            SearchStage::Sampling { best, .. } => (Doing::Sampling, best.as_ref()),
            SearchStage::Closing { at, .. } => (Doing::Closing, Some(at)),
            SearchStage::Improving { at, .. } => (Doing::Improving, Some(at)),
            SearchStage::Sealing { at } => (Doing::Sealing, Some(at)),
            SearchStage::Done { at } => (Doing::Done, at.as_ref()),
        };
        let best = best.or(self.nearest.as_ref())?;
        Some(Progress {
            round: self.round,
            doing,
            evaluations: self.evaluations,
            value: self.weighed(&best.score),
            score: &best.score,
            gap: self.largest_gap(&best.score),
        })
    }

    /// The candidate that is nearest to what is wanted, and its verdict; none before the first generation.
    pub fn nearest(&self) -> Option<(&[f64], &P::Verdict)> {
        self.nearest.as_ref().map(|nearest| (nearest.x.as_slice(), &nearest.score))
    }

    /// What is searched for.
    pub fn problem(&self) -> &P {
        &self.problem
    }

    /// How it searches.
    pub fn settings(&self) -> &SearchSettings {
        &self.settings
    }

    /// Candidates judged so far.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }
}

/// f = price + w_s Σ violations.
fn penalised<V: Verdict>(score: &V, weight: f64) -> f64 {
    score.price() + weight * score.violations().iter().sum::<f64>()
}

/// W = f + λᵀφ + k φᵀφ, what the method of multipliers minimises.
pub fn augmented<V: Verdict>(score: &V, multipliers: &[f64], settings: &SearchSettings) -> f64 {
    let linear: f64 = score.gaps().iter().zip(multipliers).map(|(gap, multiplier)| gap * multiplier).sum();
    let square: f64 = score.gaps().iter().map(|gap| gap * gap).sum();
    penalised(score, settings.weight_violations) + linear + settings.multipliers.penalty * square
}

/// Whether all inequalities do.
fn holds<V: Verdict>(score: &V) -> bool {
    score.violations().iter().all(|violation| *violation == 0.0)
}

/// CMA-ES for one round: about a place or where the problem begins, with deviations in parts of the problem's.
fn sampler<P: Problem>(
    problem: &P,
    settings: &SearchSettings,
    about: Option<&[f64]>,
    shrink: f64,
    salt: u64,
) -> Result<Cma, CmaError> {
    let numbers = problem.numbers();
    let mean: Vec<f64> = match about {
        Some(x) => x.to_vec(),
        None => numbers.iter().map(|number| number.mean).collect(),
    };
    let deviation: Vec<f64> = numbers.iter().map(|number| shrink * number.deviation).collect();
    let bounds: Vec<Bounds> = numbers.iter().map(|number| number.bounds).collect();
    let settings = Settings {
        population: settings.population,
        // Near seeds and near salts have nothing in common.
        seed: settings.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(salt),
        bounds,
        tol_fun: settings.tolerance_value,
        tol_x: settings.tolerance_step,
        ..Settings::default()
    };
    Cma::new(&mean, &deviation, settings)
}

//! The search (Nunes et al. 2012, section 6.2): CMA-ES inside, and around it the method of multipliers or Newton's method.

mod progress;
mod saved;
mod settings;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use gambol_dynamics::{StepError, World};

use self::saved::fingerprint;
use super::cycle::world;
use super::{CONSTRAINTS, Cycle, Judge, Score, Space, Stride};
use crate::cma::{Cma, CmaError, Settings};
use crate::sketch::{Sketch, Stage, to_toml};
use crate::text::CheckpointError;

pub use self::progress::{Doing, Outcome, Progress};
pub use self::settings::{Method, SearchSettings, Tolerance};

/// What cannot be searched for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// The simulation.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The search.
    #[error(transparent)]
    Cma(#[from] CmaError),
    /// What it should go on from.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

/// A candidate that was judged.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judged {
    pub(super) x: Vec<f64>,
    pub(super) score: Score,
}

/// A search for a stride.
#[derive(Clone, Debug)]
pub struct Search {
    pub(super) stage: Arc<Stage>,
    pub(super) space: Space,
    world: World,
    pub(super) settings: SearchSettings,
    /// Of the sketch and the creature, to know a checkpoint by.
    name: u64,
    round: usize,
    /// λ
    multipliers: Vec<f64>,
    cma: Cma,
    pub(super) evaluations: usize,
    doing: Doing,
    /// Steps of Newton's method or descents made in this round.
    steps: usize,
    /// Hops in a row that did not help.
    idle: usize,
    /// The best of this round; where steps are taken from.
    best: Option<Judged>,
    /// Where the line of rounds got to.
    line: Option<Judged>,
    /// The nearest to what is wanted of all.
    nearest: Option<Judged>,
}

impl Search {
    /// A search for a stride of `sketch`, for which `stage` was prepared.
    pub fn new(sketch: &Sketch, stage: &Arc<Stage>, settings: SearchSettings) -> Result<Self, SearchError> {
        if settings.budget == 0 || settings.rounds == 0 {
            let what = if settings.budget == 0 { "budget" } else { "rounds" };
            return Err(CmaError { what, reason: "nothing may be tried".into() }.into());
        }
        let space = match settings.method {
            Method::Multipliers => Space::canonical(sketch, stage),
            Method::Closing => Space::modal(sketch, stage),
        };
        let world = world(stage, settings.step)?;
        let name = fingerprint(&format!("{}{:?}", to_toml(sketch), stage.creature));
        let cma = Cma::new(&space.mean, &space.deviation, inner(&space, &settings, 0))?;
        let gaps = 2 * stage.creature.nv() - super::space::PLACE;
        Ok(Self {
            stage: Arc::clone(stage),
            world,
            name,
            round: 0,
            multipliers: vec![0.0; gaps],
            cma,
            evaluations: 0,
            doing: Doing::Sampling,
            steps: 0,
            idle: 0,
            best: None,
            line: None,
            nearest: None,
            space,
            settings,
        })
    }

    /// A search that begins at a stride, of this sketch or of one like it, and closes its cycle first. The same as [`Self::new`]
    /// if the stride is of another creature or of other modes. Not for the method of multipliers, which is left as it is.
    pub fn warm(
        sketch: &Sketch,
        stage: &Arc<Stage>,
        settings: SearchSettings,
        stride: &Stride,
    ) -> Result<Self, SearchError> {
        let mut search = Self::new(sketch, stage, settings)?;
        let place = search.space.place(stage, stride);
        if let Some(x) = place.filter(|_| search.settings.method == Method::Closing) {
            let score = search.judge(std::slice::from_ref(&x), 1).swap_remove(0);
            search.round = 1;
            search.evaluations = 1;
            search.remember(Judged { x, score });
            search.begin(Doing::Closing);
        }
        Ok(search)
    }

    /// Goes on until the search ends or `stop` is set, on up to `threads` threads; the result does not depend on how many.
    /// `heard` hears of every step, and may keep a [checkpoint](Self::checkpoint) of the search it is given.
    pub fn run(
        &mut self,
        threads: usize,
        stop: &AtomicBool,
        heard: &mut dyn FnMut(&Self, &Progress),
    ) -> Outcome {
        let (began, before) = (Instant::now(), self.evaluations);
        loop {
            if let Some(outcome) = self.ended() {
                return outcome;
            }
            if stop.load(Ordering::Relaxed) {
                return Outcome::Stopped;
            }
            self.step(threads);
            let seconds = began.elapsed().as_secs_f64().max(1e-9);
            let per_second = (self.evaluations - before) as f64 / seconds;
            if let Some(progress) = self.progress(per_second) {
                heard(self, &progress);
            }
        }
    }

    /// Goes on by a little: a generation, a step of Newton's method or a descent. Nothing once it has [ended](Self::ended).
    pub fn step(&mut self, threads: usize) {
        if self.ended().is_some() {
            return;
        }
        match self.doing {
            Doing::Sampling => self.generation(threads),
            Doing::Closing => self.close(threads),
            Doing::Improving => self.improve(threads),
            Doing::Sealing => self.seal_further(),
            Doing::Done => {}
        }
    }

    /// Where it is; none before the first step. The caller knows the time.
    pub fn progress(&self, per_second: f64) -> Option<Progress<'_>> {
        let best = self.best.as_ref().or(self.nearest.as_ref())?;
        Some(Progress {
            round: self.round,
            generation: self.cma.generation(),
            doing: self.doing,
            evaluations: self.evaluations,
            per_second,
            value: self.weighed(&best.score),
            score: &best.score,
            gap: self.largest_gap(&best.score),
        })
    }

    /// How it ended, if it did: converged, or all rounds made, or the budget spent. A search that has found a good cycle and
    /// has no budget left to make it cheaper has converged too.
    pub fn ended(&self) -> Option<Outcome> {
        let spent = self.evaluations >= self.settings.budget || self.round > self.settings.rounds;
        if !(spent || self.doing == Doing::Done) {
            return None;
        }
        let Some(nearest) = &self.nearest else {
            return Some(Outcome::Stalled { constraint: "cycle", by: f64::INFINITY });
        };
        if self.is_good(&nearest.score) {
            return Some(Outcome::Converged);
        }
        let easy = nearest.score.easy;
        let worst = (0..easy.len()).max_by(|a, b| easy[*a].total_cmp(&easy[*b])).unwrap_or(0);
        Some(if easy[worst] > 0.0 {
            Outcome::Stalled { constraint: CONSTRAINTS[worst], by: easy[worst] }
        } else {
            Outcome::Stalled { constraint: "cycle", by: self.largest_gap(&nearest.score) }
        })
    }

    /// One generation of CMA-ES.
    fn generation(&mut self, threads: usize) {
        let candidates = self.cma.ask().to_vec();
        let scores = self.judge(&candidates, threads);
        self.evaluations += scores.len();
        let values: Vec<f64> = scores.iter().map(|score| self.weighed(score)).collect();
        let stop = self.cma.tell(&values);
        for (x, score) in candidates.into_iter().zip(scores) {
            self.remember(Judged { x, score });
        }
        let hop = self.settings.method == Method::Closing && self.line.is_some();
        let most = if hop { self.settings.hop_generations } else { self.settings.generations };
        let easy = self.best.as_ref().is_some_and(|best| best.score.is_easy());
        let over = if self.round == 0 { easy } else { self.cma.generation() >= most };
        if stop.is_some() || over {
            self.sampled();
        }
    }

    /// After the last generation of a round.
    fn sampled(&mut self) {
        match self.settings.method {
            _ if self.round == 0 => {
                // An initialisation that did not reach the easy constraints is repeated with other random numbers.
                let reached = self.best.clone().filter(|best| best.score.is_easy());
                self.round += usize::from(reached.is_some());
                self.sample_from(reached, self.settings.shrink);
            }
            Method::Multipliers => {
                let best = self.best.clone();
                if best.as_ref().is_some_and(|best| self.is_good(&best.score)) {
                    self.doing = Doing::Done;
                    return;
                }
                self.multiply();
                self.round += 1;
                self.sample_from(best, self.settings.shrink);
            }
            Method::Closing => self.begin(Doing::Closing),
        }
    }

    fn begin(&mut self, doing: Doing) {
        self.doing = doing;
        self.steps = 0;
    }

    /// Another round of CMA-ES, about a candidate or about where the sketch begins.
    fn sample_from(&mut self, about: Option<Judged>, shrink: f64) {
        self.begin(Doing::Sampling);
        let shrink = if about.is_some() { shrink } else { 1.0 };
        let deviation: Vec<f64> = self.space.deviation.iter().map(|deviation| shrink * deviation).collect();
        let settings = inner(&self.space, &self.settings, self.evaluations as u64);
        let mean = about.as_ref().map_or(&self.space.mean, |judged| &judged.x);
        self.cma = Cma::new(mean, &deviation, settings).expect("as sound as the first round");
        self.best = about.filter(|_| self.settings.method == Method::Multipliers || self.round == 1);
    }

    /// One step of Newton's method, and what comes after the last.
    fn close(&mut self, threads: usize) {
        let Some(at) = self.best.clone() else { return self.closed() };
        self.steps += 1;
        let next = self.newton(&at, threads);
        let gained = next.as_ref().map_or(0.0, |next| 1.0 - self.merit(&next.score) / self.merit(&at.score));
        if let Some(next) = next {
            self.remember(next.clone());
            self.best = Some(next);
        }
        let last = gained < LEAST_GAIN || self.steps >= STEPS;
        match &self.best {
            Some(best) if self.is_closed(&best.score) => self.begin(Doing::Improving),
            _ if last => self.closed(),
            _ => {}
        }
    }

    /// After the last step of Newton's method that did not close the cycle well: the line hops on from its best place. When hops
    /// no longer help, what is good is taken as it is, or else a new line begins.
    fn closed(&mut self) {
        let merit = |judged: &Option<Judged>| judged.as_ref().map_or(f64::INFINITY, |j| self.merit(&j.score));
        if merit(&self.best) < merit(&self.line) {
            self.line = self.best.take();
            self.idle = 0;
        } else {
            self.idle += 1;
        }
        if self.idle >= self.settings.hops {
            self.idle = 0;
            if let Some(line) = self.line.take().filter(|line| self.is_good(&line.score)) {
                self.best = Some(line);
                return self.begin(Doing::Improving);
            }
        }
        self.round += 1;
        self.sample_from(self.line.clone(), self.settings.hop);
    }

    /// One descent, and the end after the last.
    fn improve(&mut self, threads: usize) {
        let Some(at) = self.best.clone() else { return };
        self.steps += 1;
        let next = self.descend(&at, threads);
        let open = !self.is_closed(&at.score);
        let worth =
            |judged: &Judged| if open { self.largest_gap(&judged.score) } else { judged.score.product() };
        let gained = next.as_ref().map_or(0.0, |next| 1.0 - worth(next) / worth(&at));
        if let Some(next) = next {
            self.nearest = Some(next.clone());
            self.best = Some(next);
        }
        if gained < LEAST_IMPROVEMENT || self.steps >= DESCENTS {
            self.begin(Doing::Sealing);
        }
    }

    /// A smaller gap, and the end.
    fn seal_further(&mut self) {
        let Some(at) = self.best.clone() else { return };
        if let Some(next) = self.seal(&at) {
            self.nearest = Some(next.clone());
            self.best = Some(next);
        }
        self.doing = Doing::Done;
    }

    /// Keeps a candidate that is the best of this round or the nearest of all.
    pub(super) fn remember(&mut self, judged: Judged) {
        let value = self.weighed(&judged.score);
        if value.is_nan() {
            return; // its simulation came to nothing, and nothing would be less than that
        }
        let farness = self.farness(&judged.score);
        if self.nearest.as_ref().is_none_or(|nearest| farness < self.farness(&nearest.score)) {
            self.nearest = Some(judged.clone());
        }
        if self.best.as_ref().is_none_or(|best| value < self.weighed(&best.score)) {
            self.best = Some(judged);
        }
    }

    /// λ ← λ + 2 k φ at the best of the round.
    fn multiply(&mut self) {
        let Some(best) = &self.best else { return };
        for (multiplier, gap) in self.multipliers.iter_mut().zip(&best.score.gap) {
            *multiplier += 2.0 * self.settings.penalty * gap;
        }
    }

    /// What is minimised in this round.
    fn weighed(&self, score: &Score) -> f64 {
        match self.settings.method {
            _ if self.round == 0 => score.value(),
            Method::Multipliers => score.augmented(&self.multipliers, self.settings.penalty),
            Method::Closing => score.price() + WEIGHT_MERIT * self.merit(score),
        }
    }

    /// How far from what is wanted: easy constraints first, then the cycle; among those that are good, what they cost.
    fn farness(&self, score: &Score) -> (f64, f64, f64) {
        let gap = self.largest_gap(score);
        (score.easy.iter().sum(), if gap < 1.0 { 0.0 } else { gap }, score.product())
    }

    /// The largest gap in parts of its tolerance.
    pub fn largest_gap(&self, score: &Score) -> f64 {
        self.gaps(score).map(f64::abs).fold(0.0, f64::max)
    }

    /// All gaps in parts of their tolerances.
    pub(super) fn gaps<'s>(&self, score: &'s Score) -> impl Iterator<Item = f64> + use<'s> {
        let poses = self.stage.creature.nv() - super::space::PLACE;
        let Tolerance { pose, rate } = self.settings.tolerance;
        score.gap.iter().enumerate().map(move |(k, gap)| gap / if k < poses { pose } else { rate })
    }

    pub(super) fn is_good(&self, score: &Score) -> bool {
        score.is_easy() && self.largest_gap(score) < 1.0
    }

    /// Good, and well within the tolerance.
    pub(super) fn is_closed(&self, score: &Score) -> bool {
        score.is_easy() && self.largest_gap(score) < WELL
    }

    /// Scores in the order of the candidates. Each is a computation of its own, so that they do not depend on the threads.
    pub(super) fn judge(&self, candidates: &[Vec<f64>], threads: usize) -> Vec<Score> {
        let next = AtomicUsize::new(0);
        let done: Vec<Mutex<Option<Score>>> = candidates.iter().map(|_| Mutex::new(None)).collect();
        std::thread::scope(|scope| {
            for _ in 0..threads.clamp(1, candidates.len().max(1)) {
                scope.spawn(|| {
                    let mut judge = Judge::new(&self.stage, &self.world);
                    while let Some((x, slot)) = {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        candidates.get(index).zip(done.get(index))
                    } {
                        let cycle = judge.cycle(&self.space.stride(&self.stage, x), false);
                        *slot.lock().expect("nobody panics while holding it") = Some(cycle.score);
                    }
                });
            }
        });
        let take = |slot: Mutex<Option<Score>>| slot.into_inner().expect("no thread panicked");
        done.into_iter().map(|slot| take(slot).expect("every candidate was judged")).collect()
    }

    /// The stride that is nearest to what is wanted, and its score; none before the first generation.
    pub fn nearest(&self) -> Option<(Stride, &Score)> {
        self.nearest.as_ref().map(|nearest| (self.space.stride(&self.stage, &nearest.x), &nearest.score))
    }

    /// Simulates the nearest stride again, and keeps its poses.
    pub fn show(&self) -> Option<Cycle> {
        let (stride, _) = self.nearest()?;
        Some(Judge::new(&self.stage, &self.world).cycle(&stride, true))
    }

    /// What is searched.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The world in which it is simulated.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// How it searches.
    pub fn settings(&self) -> &SearchSettings {
        &self.settings
    }
}

/// What a square of a tolerance counts in rounds between closings: a gap of three tolerances as much as a run costs.
const WEIGHT_MERIT: f64 = 1e-2;

/// Most steps of Newton's method in a round. Where twenty did not help, the place is wrong.
const STEPS: usize = 20;

/// A step must lessen the merit by this share.
const LEAST_GAIN: f64 = 0.003;

/// Closed well within the tolerance, in parts of it.
const WELL: f64 = 0.5;

/// Most descents, and the least share by which one must lessen E_v E_e.
const DESCENTS: usize = 40;
const LEAST_IMPROVEMENT: f64 = 0.01;

/// Settings of one round.
fn inner(space: &Space, settings: &SearchSettings, salt: u64) -> Settings {
    Settings {
        population: settings.population,
        seed: settings.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(salt),
        bounds: space.bounds.clone(),
        tol_fun: TOL_FUN,
        tol_x: TOL_X,
        ..Settings::default()
    }
}

/// Differences of W, and steps in parts of the first ones, that do not matter.
const TOL_FUN: f64 = 1e-6;
const TOL_X: f64 = 1e-5;

//! The search: CMA-ES inside, the method of multipliers around it (Nunes et al. 2012, section 6.2).

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use gambol_dynamics::{StepError, World};

use super::cycle::world;
use super::{CONSTRAINTS, Cycle, Judge, Limits, Score, Space, Stride, WEIGHT_OBJECTIVE};
use crate::cma::{Cma, CmaError, Settings};
use crate::sketch::{Sketch, Stage, to_toml};
use crate::text::{CheckpointError, END, Fields, Record};

/// How far a cycle may be from repeating itself, of each coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Of a pose, rad or m.
    pub pose: f64,
    /// Of a velocity, rad/s or m/s.
    pub rate: f64,
}

/// How the cycle is made to repeat itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By the method of multipliers alone, as in the paper.
    Multipliers,
    /// Rounds minimise squares of gaps and of what easy constraints are short of, besides the objective. After each round
    /// Newton's method closes the cycle from the best candidate, and the next one starts where it ends. The default: what
    /// takes CMA-ES a hundred thousand cycles takes this a few thousand.
    Closing,
}

/// How to search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// How the cycle is made to repeat itself.
    pub method: Method,
    /// Of all random numbers.
    pub seed: u64,
    /// Of the simulation, s. Default: 2 ms.
    pub step: f64,
    /// Candidates in a generation. Default: 4 + ⌊3 ln n⌋.
    pub population: Option<usize>,
    /// Most evaluations in all. Default: a million.
    pub budget: usize,
    /// Most rounds. Default: 100; the paper has 20, and far longer ones.
    pub rounds: usize,
    /// Most generations in a round. Default: 60.
    pub generations: usize,
    /// k. Default: 0.1, as in the paper.
    pub penalty: f64,
    /// φ_tol. Default: 0.02 rad or m, and 0.2 rad/s or m/s: less than an eye sees from one stride to the next.
    pub tolerance: Tolerance,
    /// Thresholds of the easy constraints.
    pub limits: Limits,
    /// First deviations of a round in parts of those of the sketch. Default: 0.05; a round starts from a good place.
    pub shrink: f64,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            method: Method::Closing,
            seed: 1,
            step: 0.002,
            population: None,
            budget: 1_000_000,
            rounds: 100,
            generations: 60,
            penalty: 0.1,
            tolerance: Tolerance { pose: 0.02, rate: 0.2 },
            limits: Limits::default(),
            shrink: 0.05,
        }
    }
}

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

/// How a search ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// All easy constraints are met and the cycle repeats itself within the tolerance.
    Converged,
    /// It made all its rounds or spent its budget, and what is named is still violated most.
    Stalled {
        /// One of [`CONSTRAINTS`], or "cycle".
        constraint: &'static str,
        /// Its value: of the cycle, the largest gap in parts of the tolerance.
        by: f64,
    },
    /// It was told to stop.
    Stopped,
}

/// Where a search is.
#[derive(Clone, Debug)]
pub struct Progress<'s> {
    /// 0 is the initialisation, which looks for the easy constraints alone.
    pub round: usize,
    /// Within the round.
    pub generation: usize,
    /// Cycles simulated so far, and most.
    pub evaluations: usize,
    /// Cycles simulated per second since this search began or went on.
    pub per_second: f64,
    /// W of the best candidate of this round.
    pub value: f64,
    /// The best candidate of this round.
    pub score: &'s Score,
    /// Its largest gap in parts of the tolerance.
    pub gap: f64,
}

/// A candidate that was judged.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judged {
    pub(super) x: Vec<f64>,
    pub(super) score: Score,
}

/// A search for a stride.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    pub(super) stage: &'a Stage,
    pub(super) space: Space,
    world: World,
    pub(super) settings: SearchSettings,
    /// Of the sketch, to know a checkpoint by.
    name: u64,
    round: usize,
    /// λ
    multipliers: Vec<f64>,
    cma: Cma,
    pub(super) evaluations: usize,
    /// Whether the round is over.
    over: bool,
    /// The best of this round.
    pub(super) best: Option<Judged>,
    /// The best of all rounds that were closed.
    elite: Option<Judged>,
    /// The nearest to what is wanted of all.
    nearest: Option<Judged>,
}

impl<'a> Search<'a> {
    /// A search for a stride of `sketch`, for which `stage` was prepared.
    pub fn new(sketch: &Sketch, stage: &'a Stage, settings: SearchSettings) -> Result<Self, SearchError> {
        if settings.budget == 0 || settings.rounds == 0 {
            let what = if settings.budget == 0 { "budget" } else { "rounds" };
            return Err(CmaError { what, reason: "nothing may be tried".into() }.into());
        }
        let space = Space::new(sketch, stage);
        let world = world(stage, settings.step)?;
        let name = fingerprint(&to_toml(sketch));
        let cma = Cma::new(&space.mean, &space.deviation, inner(&space, &settings, 0))?;
        let gaps = 2 * stage.creature.nv() - super::space::PLACE;
        Ok(Self {
            stage,
            world,
            name,
            round: 0,
            multipliers: vec![0.0; gaps],
            cma,
            evaluations: 0,
            over: false,
            best: None,
            elite: None,
            nearest: None,
            space,
            settings,
        })
    }

    /// Goes on until the search ends or `stop` is set, on up to `threads` threads; the result does not depend on how many.
    /// `progress` hears of every generation, and may keep a [checkpoint](Self::checkpoint) of the search it is given.
    pub fn run(
        &mut self,
        threads: usize,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(&Self, &Progress),
    ) -> Outcome {
        let (began, before) = (Instant::now(), self.evaluations);
        loop {
            if let Some(outcome) = self.ended() {
                return outcome;
            }
            if stop.load(Ordering::Relaxed) {
                return Outcome::Stopped;
            }
            if std::mem::take(&mut self.over) {
                self.next_round(threads);
                continue;
            }
            self.generation(threads);
            if let Some(best) = &self.best {
                let seconds = began.elapsed().as_secs_f64().max(1e-9);
                progress(
                    self,
                    &Progress {
                        round: self.round,
                        generation: self.cma.generation(),
                        evaluations: self.evaluations,
                        per_second: (self.evaluations - before) as f64 / seconds,
                        value: self.weighed(&best.score),
                        score: &best.score,
                        gap: self.largest_gap(&best.score),
                    },
                );
            }
        }
    }

    /// Converged, or all rounds made, or the budget spent.
    fn ended(&self) -> Option<Outcome> {
        if self.nearest.as_ref().is_some_and(|nearest| self.is_good(&nearest.score)) {
            return Some(Outcome::Converged);
        }
        let spent = self.evaluations >= self.settings.budget || self.round > self.settings.rounds;
        spent.then(|| {
            let score = self.nearest.as_ref().map(|nearest| &nearest.score);
            let easy = score.map_or([0.0; 9], |score| score.easy);
            let worst = (0..easy.len()).max_by(|a, b| easy[*a].total_cmp(&easy[*b])).unwrap_or(0);
            if easy[worst] > 0.0 {
                return Outcome::Stalled { constraint: CONSTRAINTS[worst], by: easy[worst] };
            }
            Outcome::Stalled { constraint: "cycle", by: score.map_or(f64::INFINITY, |s| self.largest_gap(s)) }
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
        let easy = self.best.as_ref().is_some_and(|best| best.score.is_easy());
        let long = self.cma.generation() >= self.settings.generations;
        self.over = stop.is_some() || if self.round == 0 { easy } else { long };
    }

    /// Keeps a candidate that is the best of this round or the nearest of all.
    pub(super) fn remember(&mut self, judged: Judged) {
        let value = self.weighed(&judged.score);
        let farness = self.farness(&judged.score);
        if self.nearest.as_ref().is_none_or(|nearest| farness < self.farness(&nearest.score)) {
            self.nearest = Some(judged.clone());
        }
        if self.best.as_ref().is_none_or(|best| value < self.weighed(&best.score)) {
            self.best = Some(judged);
        }
    }

    /// Begins the next round, from where the last one ended or afresh.
    fn next_round(&mut self, threads: usize) {
        let easy = self.best.as_ref().is_some_and(|best| best.score.is_easy());
        let (mean, shrink) = match self.settings.method {
            // An initialisation that did not reach the easy constraints is repeated with other random numbers.
            _ if self.round == 0 && !easy => (None, 1.0),
            _ if self.round == 0 => (self.best.clone(), self.settings.shrink),
            Method::Multipliers => {
                self.multiply();
                (self.best.clone(), self.settings.shrink)
            }
            Method::Closing => {
                self.close(threads);
                self.choose();
                // One round from the best place known, one from anywhere.
                let afresh = self.round % 2 == 1;
                if afresh { (None, 1.0) } else { (self.elite.clone(), self.settings.shrink) }
            }
        };
        if easy || self.round > 0 {
            self.round += 1;
        }
        let deviation: Vec<f64> = self.space.deviation.iter().map(|deviation| shrink * deviation).collect();
        let settings = inner(&self.space, &self.settings, self.evaluations as u64);
        let start = mean.as_ref().map_or(&self.space.mean, |judged| &judged.x);
        self.cma = Cma::new(start, &deviation, settings).expect("as sound as the first round");
        self.best = mean;
    }

    /// λ ← λ + 2 k φ at the best of the round.
    fn multiply(&mut self) {
        let Some(best) = &self.best else { return };
        for (multiplier, gap) in self.multipliers.iter_mut().zip(&best.score.gap) {
            *multiplier += 2.0 * self.settings.penalty * gap;
        }
    }

    /// Keeps the best of this round if it is the best of all that were closed.
    fn choose(&mut self) {
        let Some(best) = &self.best else { return };
        if self.elite.as_ref().is_none_or(|elite| self.weighed(&best.score) < self.weighed(&elite.score)) {
            self.elite.clone_from(&self.best);
        }
    }

    /// What is minimised in this round.
    fn weighed(&self, score: &Score) -> f64 {
        match self.settings.method {
            _ if self.round == 0 => score.value(),
            Method::Multipliers => score.augmented(&self.multipliers, self.settings.penalty),
            Method::Closing => WEIGHT_OBJECTIVE * score.product() + WEIGHT_MERIT * self.merit(score),
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

    fn is_good(&self, score: &Score) -> bool {
        score.is_easy() && self.largest_gap(score) < 1.0
    }

    /// Scores in the order of the candidates. Each is a computation of its own, so that they do not depend on the threads.
    pub(super) fn judge(&self, candidates: &[Vec<f64>], threads: usize) -> Vec<Score> {
        let next = AtomicUsize::new(0);
        let done: Vec<Mutex<Option<Score>>> = candidates.iter().map(|_| Mutex::new(None)).collect();
        std::thread::scope(|scope| {
            for _ in 0..threads.clamp(1, candidates.len().max(1)) {
                scope.spawn(|| {
                    let mut judge = Judge::new(self.stage, &self.world, self.settings.limits);
                    while let Some((x, slot)) = {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        candidates.get(index).zip(done.get(index))
                    } {
                        let cycle = judge.cycle(&self.space.stride(self.stage, x), false);
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
        self.nearest.as_ref().map(|nearest| (self.space.stride(self.stage, &nearest.x), &nearest.score))
    }

    /// Simulates the nearest stride again, and keeps its poses.
    pub fn show(&self) -> Option<Cycle> {
        let (stride, _) = self.nearest()?;
        Some(Judge::new(self.stage, &self.world, self.settings.limits).cycle(&stride, true))
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

    /// All that it goes on from, as text.
    pub fn checkpoint(&self) -> String {
        let mut out = Fields::default();
        out.put(KIND, &[1]);
        out.put("sketch", &[self.name]);
        out.put("settings", &[fingerprint(&lasting(&self.settings))]);
        out.put("round", &[self.round]);
        out.put("evaluations", &[self.evaluations]);
        out.put("over", &[self.over]);
        out.put("multipliers", &self.multipliers);
        for (name, judged) in [("best", &self.best), ("elite", &self.elite), ("nearest", &self.nearest)] {
            out.put(name, judged.as_ref().map_or(&[], |judged| judged.x.as_slice()));
        }
        out.put::<u8>(END, &[]);
        out.0 + INNER + &self.cma.checkpoint()
    }

    /// Goes on from a checkpoint of the same sketch and settings, bit for bit. The budget may be another one.
    pub fn resume(
        sketch: &Sketch,
        stage: &'a Stage,
        settings: SearchSettings,
        text: &str,
    ) -> Result<Self, SearchError> {
        let mut search = Self::new(sketch, stage, settings)?;
        let (outer, inner) = text.split_once(INNER).unwrap_or((text, ""));
        let record = Record::parse(KIND, outer)?;
        let other = |reason: &str| CheckpointError::Other { reason: reason.to_owned() };
        if record.one::<u64>("sketch")? != search.name {
            return Err(other("it was made from another sketch").into());
        }
        if record.one::<u64>("settings")? != fingerprint(&lasting(&search.settings)) {
            return Err(other("it was made with other settings").into());
        }
        search.round = record.one("round")?;
        search.evaluations = record.one("evaluations")?;
        search.over = record.one("over")?;
        search.multipliers = record.vector("multipliers", search.multipliers.len())?;
        search.cma = Cma::resume(inner)?;
        let n = search.space.dimension();
        if search.cma.mean().len() != n {
            return Err(other("its creature has other coordinates").into());
        }
        let judged = |name: &str| -> Result<Option<Judged>, SearchError> {
            if record.list::<f64>(name)?.is_empty() {
                return Ok(None);
            }
            let x = record.vector(name, n)?;
            let score = search.judge(std::slice::from_ref(&x), 1).swap_remove(0);
            Ok(Some(Judged { x, score }))
        };
        let (best, elite, nearest) = (judged("best")?, judged("elite")?, judged("nearest")?);
        (search.best, search.elite, search.nearest) = (best, elite, nearest);
        Ok(search)
    }
}

/// What a square of a tolerance counts in rounds between closings: a gap of three tolerances as much as a run costs.
const WEIGHT_MERIT: f64 = 1e-2;

const KIND: &str = "search";

/// Between the search and its CMA-ES.
const INNER: &str = "--- cma\n";

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

/// All settings that a search goes on with; its budget and rounds may be raised.
fn lasting(settings: &SearchSettings) -> String {
    format!("{:?}", SearchSettings { budget: 0, rounds: 0, ..settings.clone() })
}

/// FNV-1a.
fn fingerprint(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

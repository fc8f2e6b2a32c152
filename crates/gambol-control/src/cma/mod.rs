//! CMA-ES, a search for the least value of a function of some dozens of numbers that knows nothing of the function but its
//! values, and of these only which is less (Hansen 2016, "The CMA Evolution Strategy: A Tutorial").
//!
//! ```
//! use gambol_control::cma::{Cma, Settings};
//!
//! let mut cma = Cma::new(&[3.0, -2.0], &[1.0, 1.0], Settings { target: 1e-10, ..Settings::default() })?;
//! let stop = loop {
//!     let values: Vec<f64> = cma.ask().iter().map(|x| x[0] * x[0] + 100.0 * x[1] * x[1]).collect();
//!     if let Some(stop) = cma.tell(&values) {
//!         break stop;
//!     }
//! };
//! assert_eq!(stop.name(), "target");
//! # Ok::<(), gambol_control::cma::CmaError>(())
//! ```
//!
//! Ask for candidates, compute their values in any way and order, tell them. There are no threads, clocks or files in here, so
//! that the same seed gives the same bits everywhere, and a [checkpoint](Cma::checkpoint) goes on as if nothing had
//! happened.
//!
//! C = A Aᵀ is factored by Cholesky and not into eigenvectors: samples have the same distribution, and at 88 coordinates it
//! costs a small part of that. The path of the step size then adds up what was drawn, ⟨z⟩, which is C^-½ (m' − m)/σ but for a
//! rotation that changes as slowly as C (Krause, Arbonès and Igel 2016).

mod bounds;
pub(crate) mod factor;
mod restart;
mod saved;
mod stop;
mod weights;

pub use bounds::Bounds;
use gambol_model::{Random, math};
pub use restart::{Policy, Restarts};
pub use stop::Stop;
pub use weights::default_population;

use factor::Lower;
use stop::History;
use weights::Weights;

/// How to search.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Candidates in a generation, at least 4. Default: 4 + ⌊3 ln n⌋.
    pub population: Option<usize>,
    /// Of all random numbers.
    pub seed: u64,
    /// Whether bad candidates shrink the covariance. Default: yes; on long thin valleys that saves a fifth.
    pub active: bool,
    /// Where each coordinate has to stay; empty: anywhere.
    pub bounds: Vec<Bounds>,
    /// Most evaluations. Default: no end.
    pub budget: usize,
    /// A value that is good enough. Default: none.
    pub target: f64,
    /// Differences of values that do not matter. Default: 1e-12.
    pub tol_fun: f64,
    /// Variation of a coordinate that does not matter, in parts of its first deviation. Default: 1e-12.
    pub tol_x: f64,
    /// Largest condition of the covariance. Default: 1e14.
    pub condition: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            population: None,
            seed: 1,
            active: true,
            bounds: Vec::new(),
            budget: usize::MAX,
            target: f64::NEG_INFINITY,
            tol_fun: 1e-12,
            tol_x: 1e-12,
            condition: 1e14,
        }
    }
}

/// What cannot be searched.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what}: {reason}")]
pub struct CmaError {
    /// Which setting.
    pub what: &'static str,
    /// Why.
    pub reason: String,
}

/// The best candidate so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Within bounds.
    pub x: Vec<f64>,
    /// Its value.
    pub value: f64,
    /// Which evaluation it was, counted from 1.
    pub evaluation: usize,
}

/// One run of CMA-ES.
///
/// Inside, all coordinates are in parts of their first deviations and lie on an endless line that is folded into the
/// bounds.
#[derive(Clone, Debug)]
pub struct Cma {
    settings: Settings,
    weights: Weights,
    scale: Vec<f64>,
    /// m
    mean: Vec<f64>,
    /// σ
    sigma: f64,
    /// C
    covariance: Lower,
    /// A, of C as it was some generations ago.
    factor: Lower,
    factored: usize,
    /// p_σ and p_c
    path_sigma: Vec<f64>,
    path: Vec<f64>,
    generation: usize,
    evaluations: usize,
    best: Option<Best>,
    history: History,
    random: Random,
    /// Before the pending generation was drawn.
    random_before: Random,
    /// Of the pending generation: z, y = A z, and the candidates themselves.
    drawn: Vec<Vec<f64>>,
    steps: Vec<Vec<f64>>,
    candidates: Vec<Vec<f64>>,
    pending: bool,
    stopped: Option<Stop>,
    scratch: Vec<f64>,
}

/// Steps that are so many times the first ones have lost their way.
const MOST_GROWTH: f64 = 1e4;

impl Cma {
    /// A search that starts around `mean`, with a standard deviation for each coordinate: about a third of how far off the
    /// minimum may be.
    pub fn new(mean: &[f64], deviation: &[f64], settings: Settings) -> Result<Self, CmaError> {
        check(mean, deviation, &settings)?;
        let n = mean.len();
        let population = settings.population.unwrap_or_else(|| default_population(n));
        let inside = |i: usize| settings.bounds.get(i).map_or(mean[i], |bounds| bounds.unfold(mean[i]));
        let random = Random::new(settings.seed);
        Ok(Self {
            weights: Weights::new(n, population, settings.active),
            scale: deviation.to_vec(),
            mean: (0..n).map(|i| inside(i) / deviation[i]).collect(),
            sigma: 1.0,
            covariance: Lower::diagonal(vec![1.0; n].into_iter()),
            factor: Lower::diagonal(vec![1.0; n].into_iter()),
            factored: 0,
            path_sigma: vec![0.0; n],
            path: vec![0.0; n],
            generation: 0,
            evaluations: 0,
            best: None,
            history: History::default(),
            random,
            random_before: random,
            drawn: vec![vec![0.0; n]; population],
            steps: vec![vec![0.0; n]; population],
            candidates: vec![vec![0.0; n]; population],
            pending: false,
            stopped: None,
            scratch: Vec::new(),
            settings,
        })
    }

    /// The candidates of this generation, within bounds; the same until their values are told.
    pub fn ask(&mut self) -> &[Vec<f64>] {
        if !self.pending {
            self.random_before = self.random;
            for ((z, y), x) in self.drawn.iter_mut().zip(&mut self.steps).zip(&mut self.candidates) {
                self.random.fill_normal(z);
                self.factor.multiply(z, y);
                for (i, x) in x.iter_mut().enumerate() {
                    let line = self.scale[i] * (self.mean[i] + self.sigma * y[i]);
                    *x = self.settings.bounds.get(i).map_or(line, |bounds| bounds.fold(line));
                }
            }
            self.pending = true;
        }
        &self.candidates
    }

    /// Learns from the values of the candidates that were asked for, in their order. A value that is not a number is worse
    /// than all others. Says whether it is time to stop; one may go on nevertheless.
    ///
    /// # Panics
    /// If there are not as many values as candidates.
    pub fn tell(&mut self, values: &[f64]) -> Option<Stop> {
        self.ask();
        assert_eq!(values.len(), self.candidates.len(), "a value for each candidate");
        let value = |k: usize| if values[k].is_nan() { f64::INFINITY } else { values[k] };
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));

        self.remember_best(order[0], value(order[0]));
        self.evaluations += values.len();
        self.generation += 1;
        self.history.best.push(value(order[0]));
        self.history.median.push(value(order[order.len() / 2]));

        self.move_mean(&order);
        self.adapt_covariance(&order);
        self.adapt_step();
        self.refactor();
        self.pending = false;
        let spread = value(order[order.len() - 1]) - value(order[0]);
        self.stopped = self.judge(spread);
        self.stopped
    }

    fn remember_best(&mut self, k: usize, value: f64) {
        if self.best.as_ref().is_none_or(|best| value < best.value) {
            let x = self.candidates[k].clone();
            self.best = Some(Best { x, value, evaluation: self.evaluations + k + 1 });
        }
    }

    /// m ← m + σ ⟨y⟩, and the path of the step size.
    fn move_mean(&mut self, order: &[usize]) {
        let Weights { by_rank, parents, effective, c_sigma, .. } = &self.weights;
        let keep = 1.0 - c_sigma;
        let gain = (c_sigma * (2.0 - c_sigma) * effective).sqrt();
        for p in &mut self.path_sigma {
            *p *= keep;
        }
        for (&k, w) in order.iter().zip(by_rank).take(*parents) {
            for i in 0..self.mean.len() {
                self.mean[i] += self.sigma * w * self.steps[k][i];
                self.path_sigma[i] += gain * w * self.drawn[k][i];
            }
        }
    }

    /// C ← (1 − c₁ − c_μ Σw) C + c₁ p pᵀ + c_μ Σ w y yᵀ, and p, the path of the mean.
    fn adapt_covariance(&mut self, order: &[usize]) {
        let w = &self.weights;
        let n = self.mean.len() as f64;
        // While the step size grows fast, the path would only say so too; hence it waits.
        let memory = 1.0 - math::powf(1.0 - w.c_sigma, 2.0 * self.generation as f64);
        let waits = norm_squared(&self.path_sigma) / memory / n >= 2.0 + 4.0 / (n + 1.0);
        let gain = if waits { 0.0 } else { (w.c_path * (2.0 - w.c_path) * w.effective).sqrt() };
        for p in &mut self.path {
            *p *= 1.0 - w.c_path;
        }
        for (&k, weight) in order.iter().zip(&w.by_rank).take(w.parents) {
            for (p, y) in self.path.iter_mut().zip(&self.steps[k]) {
                *p += gain * weight * y;
            }
        }
        let lost = if waits { w.c_one * w.c_path * (2.0 - w.c_path) } else { 0.0 };
        let scale = 1.0 + lost - w.c_one - w.c_mu * w.sum;
        let mut terms: Vec<(f64, &[f64])> = vec![(w.c_one, &self.path)];
        for (&k, &weight) in order.iter().zip(&w.by_rank).filter(|(_, weight)| **weight != 0.0) {
            // A bad step counts as if it had the length that is expected of it.
            let length =
                if weight < 0.0 { n / norm_squared(&self.drawn[k]).max(f64::MIN_POSITIVE) } else { 1.0 };
            terms.push((w.c_mu * weight * length, &self.steps[k]));
        }
        self.covariance.update(scale, &terms);
    }

    fn adapt_step(&mut self) {
        let w = &self.weights;
        let longer = norm_squared(&self.path_sigma).sqrt() / w.expected_norm - 1.0;
        self.sigma *= math::exp((w.c_sigma / w.d_sigma * longer).min(1.0));
    }

    fn refactor(&mut self) {
        if self.generation < self.factored + self.weights.lazy {
            return;
        }
        self.factored = self.generation;
        if !self.factor.factor(&self.covariance, &mut self.scratch) {
            self.covariance = self.factor.square(); // what it was when it last was sound
        }
    }

    fn judge(&self, spread: f64) -> Option<Stop> {
        let (n, population) = (self.mean.len(), self.candidates.len());
        let settings = &self.settings;
        let deviation = |i: usize| self.sigma * self.covariance.at_diagonal(i).sqrt();
        let stays = |i: usize| {
            deviation(i).max(self.sigma * self.path[i].abs()) < settings.tol_x
                || self.mean[i] + 0.2 * deviation(i) == self.mean[i]
        };
        if self.best.as_ref().is_some_and(|best| best.value <= settings.target) {
            Some(Stop::Target)
        } else if self.evaluations >= settings.budget {
            Some(Stop::Budget)
        } else if self.history.is_flat(n, population, spread, settings.tol_fun) {
            Some(Stop::TolFun)
        } else if (0..n).all(stays) {
            Some(Stop::TolX)
        } else if self.least_condition() > settings.condition {
            Some(Stop::Condition)
        } else if !((0..n).all(|i| deviation(i) < MOST_GROWTH)) {
            Some(Stop::Diverged)
        } else if self.history.stagnates(n, population) {
            Some(Stop::Stagnation)
        } else {
            None
        }
    }

    /// A lower bound of the condition of C, without eigenvalues: its largest diagonal entry over the smallest pivot.
    fn least_condition(&self) -> f64 {
        let n = self.mean.len();
        let most = (0..n).map(|i| self.covariance.at_diagonal(i)).fold(0.0, f64::max);
        let least = (0..n).map(|i| self.factor.at_diagonal(i)).fold(f64::INFINITY, f64::min);
        most / (least * least)
    }

    /// The best candidate so far; none before the first values are told.
    pub fn best(&self) -> Option<&Best> {
        self.best.as_ref()
    }

    /// Where the search stands: the mean, within bounds.
    pub fn mean(&self) -> Vec<f64> {
        let fold = |(i, m): (usize, &f64)| {
            let line = self.scale[i] * m;
            self.settings.bounds.get(i).map_or(line, |bounds| bounds.fold(line))
        };
        self.mean.iter().enumerate().map(fold).collect()
    }

    /// The standard deviation of each coordinate.
    pub fn deviation(&self) -> Vec<f64> {
        let of = |i: usize| self.scale[i] * self.sigma * self.covariance.at_diagonal(i).sqrt();
        (0..self.mean.len()).map(of).collect()
    }

    /// How many generations were told.
    pub fn generation(&self) -> usize {
        self.generation
    }

    /// How many values were told.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// Candidates in a generation.
    pub fn population(&self) -> usize {
        self.candidates.len()
    }

    /// Whether the last generation was a reason to stop.
    pub fn stopped(&self) -> Option<Stop> {
        self.stopped
    }

    /// How it searches.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

fn norm_squared(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn check(mean: &[f64], deviation: &[f64], settings: &Settings) -> Result<(), CmaError> {
    let error = |what, reason: String| Err(CmaError { what, reason });
    if mean.is_empty() {
        return error("mean", "there is nothing to search for".into());
    }
    if let Some(x) = mean.iter().find(|x| !x.is_finite()) {
        return error("mean", format!("{x} is not a finite number"));
    }
    if deviation.len() != mean.len() {
        return error("deviation", format!("{} deviations for {} coordinates", deviation.len(), mean.len()));
    }
    if let Some(x) = deviation.iter().find(|x| !(x.is_finite() && **x > 0.0)) {
        return error("deviation", format!("{x} is not a finite number above 0"));
    }
    if let Some(population) = settings.population.filter(|population| *population < 4) {
        return error("population", format!("{population} candidates are too few; it takes 4"));
    }
    if settings.budget == 0 {
        return error("budget", "no evaluation is allowed".into());
    }
    if !settings.bounds.is_empty() && settings.bounds.len() != mean.len() {
        let (bounds, n) = (settings.bounds.len(), mean.len());
        return error("bounds", format!("{bounds} bounds for {n} coordinates"));
    }
    let empty =
        |bounds: &&Bounds| bounds.least.is_nan() || bounds.most.is_nan() || bounds.least >= bounds.most;
    if let Some(bounds) = settings.bounds.iter().find(empty) {
        return error("bounds", format!("there is nothing between {} and {}", bounds.least, bounds.most));
    }
    Ok(())
}

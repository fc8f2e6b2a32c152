//! Starting again where a run is stuck.

use super::{Best, Bounds, Cma, CmaError, Settings, Stop, default_population};
use crate::text::{CheckpointError, END, Fields, Record};
use gambol_model::{Random, math};

/// How populations grow from run to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Each run has twice as many candidates as the one before (Auger and Hansen 2005).
    Ipop,
    /// Runs that double, and small ones with small first steps between them, so that both have had about as many
    /// evaluations (Hansen 2009).
    Bipop,
}

/// Runs of CMA-ES one after the other, each from another random place, until the target is reached or the budget is spent.
#[derive(Clone, Debug)]
pub struct Restarts {
    policy: Policy,
    settings: Settings,
    mean: Vec<f64>,
    deviation: Vec<f64>,
    random: Random,
    /// Candidates of the largest run so far.
    largest: usize,
    /// Evaluations of the runs that doubled and of the small ones.
    spent: [usize; 2],
    /// Whether the present run is a small one.
    small: bool,
    runs: usize,
    run: Cma,
    best: Option<Best>,
    evaluations: usize,
}

const KIND: &str = "restarts";

/// Between the restarts and the present run.
const RUN: &str = "--- run\n";

impl Restarts {
    /// Runs that start around `mean`; the first one starts at it.
    pub fn new(
        mean: &[f64],
        deviation: &[f64],
        settings: Settings,
        policy: Policy,
    ) -> Result<Self, CmaError> {
        let run = Cma::new(mean, deviation, settings.clone())?;
        Ok(Self {
            policy,
            // Another stream than that of the first run.
            random: Random::new(settings.seed ^ 0x5eed_0000_0000_0000),
            settings,
            mean: mean.to_vec(),
            deviation: deviation.to_vec(),
            largest: run.population(),
            spent: [0, 0],
            small: false,
            runs: 1,
            run,
            best: None,
            evaluations: 0,
        })
    }

    /// The candidates of this generation.
    pub fn ask(&mut self) -> &[Vec<f64>] {
        self.run.ask()
    }

    /// Learns from their values. Stops at the target or when the budget is spent; other ends of a run begin a new one.
    ///
    /// # Panics
    /// If there are not as many values as candidates.
    pub fn tell(&mut self, values: &[f64]) -> Option<Stop> {
        let stop = self.run.tell(values);
        self.evaluations += values.len();
        self.spent[usize::from(self.small)] += values.len();
        if let Some(best) = self.run.best()
            && self.best.as_ref().is_none_or(|known| best.value < known.value)
        {
            let evaluation = self.evaluations - self.run.evaluations() + best.evaluation;
            self.best = Some(Best { evaluation, ..best.clone() });
        }
        match stop {
            Some(Stop::Target) => Some(Stop::Target),
            _ if self.evaluations >= self.settings.budget => Some(Stop::Budget),
            None => None,
            Some(_) => {
                self.restart();
                None
            }
        }
    }

    /// All that it goes on from, as text.
    pub fn checkpoint(&self) -> String {
        let mut out = Fields::default();
        out.put(KIND, &[1]);
        out.put("random", &self.random.state());
        out.put("largest", &[self.largest]);
        out.put("spent", &self.spent);
        out.put("small", &[self.small]);
        out.put("runs", &[self.runs]);
        out.put("evaluations", &[self.evaluations]);
        let best = self.best.as_ref();
        out.put("best_x", best.map_or(&[], |best| best.x.as_slice()));
        out.put("best_value", best.map(|best| best.value).as_slice());
        out.put("best_evaluation", best.map(|best| best.evaluation).as_slice());
        out.put::<u8>(END, &[]);
        out.0 + RUN + &self.run.checkpoint()
    }

    /// Goes on, bit for bit, from a checkpoint of a search that was begun with the same arguments.
    pub fn resume(
        mean: &[f64],
        deviation: &[f64],
        settings: Settings,
        policy: Policy,
        text: &str,
    ) -> Result<Self, CheckpointError> {
        let (outer, run) = text.split_once(RUN).unwrap_or((text, ""));
        let record = Record::parse(KIND, outer)?;
        let other = |reason: &str| CheckpointError::Other { reason: reason.to_owned() };
        let mut search =
            Self::new(mean, deviation, settings, policy).map_err(|error| other(&error.to_string()))?;
        search.run = Cma::resume(run)?;
        if search.run.mean().len() != mean.len() {
            return Err(other("it has other coordinates"));
        }
        let state = <[u64; 4]>::try_from(record.list("random")?);
        search.random = Random::from_state(state.map_err(|_| record.broken("random has a wrong length"))?);
        let spent = <[usize; 2]>::try_from(record.list("spent")?);
        search.spent = spent.map_err(|_| record.broken("spent has a wrong length"))?;
        search.largest = record.one("largest")?;
        search.small = record.one("small")?;
        search.runs = record.one("runs")?;
        search.evaluations = record.one("evaluations")?;
        if search.evaluations > 0 {
            search.best = Some(Best {
                x: record.vector("best_x", mean.len())?,
                value: record.one("best_value")?,
                evaluation: record.one("best_evaluation")?,
            });
        }
        Ok(search)
    }

    fn restart(&mut self) {
        let least = self.settings.population.unwrap_or_else(|| default_population(self.mean.len()));
        self.small = self.policy == Policy::Bipop && self.spent[1] < self.spent[0] && self.runs > 1;
        let mut shrink = 1.0;
        let population = if self.small {
            // λ = λ₀ (λ_large / 2 λ₀)^(u²), and first steps down to a hundredth.
            shrink = math::powf(10.0, -2.0 * self.random.unit());
            let u = self.random.unit();
            let growth = math::powf(0.5 * self.largest as f64 / least as f64, u * u);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between λ₀ and the largest
            let population = (least as f64 * growth.max(1.0)) as usize;
            population
        } else {
            self.largest *= 2;
            self.largest
        };
        let mean: Vec<f64> = (0..self.mean.len()).map(|i| self.place(i)).collect();
        let deviation: Vec<f64> = self.deviation.iter().map(|s| s * shrink).collect();
        let settings = Settings {
            population: Some(population),
            seed: self.random.next(),
            budget: self.settings.budget - self.evaluations,
            ..self.settings.clone()
        };
        self.runs += 1;
        self.run = Cma::new(&mean, &deviation, settings).expect("as sound as the first run");
    }

    /// A random place for coordinate `i`: anywhere in its box, or a deviation or so from the first mean.
    fn place(&mut self, i: usize) -> f64 {
        match self.settings.bounds.get(i) {
            Some(Bounds { least, most }) if least.is_finite() && most.is_finite() => {
                least + (most - least) * self.random.unit()
            }
            _ => {
                let mut z = [0.0];
                self.random.fill_normal(&mut z);
                self.mean[i] + self.deviation[i] * z[0]
            }
        }
    }

    /// The best candidate of all runs.
    pub fn best(&self) -> Option<&Best> {
        self.best.as_ref()
    }

    /// Values told in all runs.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// Runs begun.
    pub fn runs(&self) -> usize {
        self.runs
    }

    /// The present run.
    pub fn run(&self) -> &Cma {
        &self.run
    }
}

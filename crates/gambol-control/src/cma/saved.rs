//! Checkpoints of a run.

use super::{Best, Bounds, Cma, History, Lower, Settings};
use gambol_model::Random;

use crate::text::{CheckpointError, END, Fields, Record};

const KIND: &str = "cma";

impl Cma {
    /// All that it goes on from, as text. A generation that was asked for and not told is asked for again.
    pub fn checkpoint(&self) -> String {
        let mut out = Fields::default();
        let settings = &self.settings;
        out.put(KIND, &[1]);
        out.put("population", &[self.candidates.len()]);
        out.put("seed", &[settings.seed]);
        out.put("active", &[settings.active]);
        out.put("least", &settings.bounds.iter().map(|bounds| bounds.least).collect::<Vec<_>>());
        out.put("most", &settings.bounds.iter().map(|bounds| bounds.most).collect::<Vec<_>>());
        // Without end is the same word on machines of 32 and of 64 bits.
        let budget = if settings.budget == usize::MAX { u64::MAX } else { settings.budget as u64 };
        out.put("budget", &[budget]);
        out.put("tolerances", &[settings.target, settings.tol_fun, settings.tol_x, settings.condition]);
        out.put("scale", &self.scale);
        out.put("mean", &self.mean);
        out.put("sigma", &[self.sigma]);
        out.put("covariance", &self.covariance.to_list());
        out.put("factor", &self.factor.to_list());
        out.put("factored", &[self.factored]);
        out.put("path_sigma", &self.path_sigma);
        out.put("path", &self.path);
        out.put("generation", &[self.generation]);
        out.put("evaluations", &[self.evaluations]);
        let random = if self.pending { self.random_before } else { self.random };
        out.put("random", &random.state());
        out.put("history_best", &self.history.best);
        out.put("history_median", &self.history.median);
        let best = self.best.as_ref();
        out.put("best_x", best.map_or(&[], |best| best.x.as_slice()));
        out.put("best_value", best.map(|best| best.value).as_slice());
        out.put("best_evaluation", best.map(|best| best.evaluation).as_slice());
        out.put::<u8>(END, &[]);
        out.0
    }

    /// Goes on from a checkpoint, bit for bit.
    pub fn resume(text: &str) -> Result<Self, CheckpointError> {
        let record = Record::parse(KIND, text)?;
        if record.one::<u32>(KIND)? != 1 {
            return Err(record.broken("it is of a later version"));
        }
        let scale: Vec<f64> = record.list("scale")?;
        let n = scale.len();
        let bounds: Vec<Bounds> = record
            .list("least")?
            .into_iter()
            .zip(record.list("most")?)
            .map(|(least, most)| Bounds { least, most })
            .collect();
        let tolerances = record.vector("tolerances", 4)?;
        let settings = Settings {
            population: Some(record.one("population")?),
            seed: record.one("seed")?,
            active: record.one("active")?,
            bounds,
            budget: usize::try_from(record.one::<u64>("budget")?).unwrap_or(usize::MAX),
            target: tolerances[0],
            tol_fun: tolerances[1],
            tol_x: tolerances[2],
            condition: tolerances[3],
        };
        let lower = |name: &str| {
            let list = record.list(name)?;
            Lower::from_list(n, &list).ok_or_else(|| record.broken(format!("{name} has a wrong length")))
        };
        let mut cma = Self::new(&vec![0.0; n], &scale, settings).map_err(|e| record.broken(e.to_string()))?;
        cma.mean = record.vector("mean", n)?;
        cma.sigma = record.one("sigma")?;
        cma.covariance = lower("covariance")?;
        cma.factor = lower("factor")?;
        cma.factored = record.one("factored")?;
        cma.path_sigma = record.vector("path_sigma", n)?;
        cma.path = record.vector("path", n)?;
        cma.generation = record.one("generation")?;
        cma.evaluations = record.one("evaluations")?;
        let state = <[u64; 4]>::try_from(record.list("random")?);
        cma.random = Random::from_state(state.map_err(|_| record.broken("random has a wrong length"))?);
        let history = |name: &str| record.vector(name, cma.generation);
        cma.history = History { best: history("history_best")?, median: history("history_median")? };
        if cma.evaluations > 0 {
            cma.best = Some(Best {
                x: record.vector("best_x", n)?,
                value: record.one("best_value")?,
                evaluation: record.one("best_evaluation")?,
            });
        }
        Ok(cma)
    }
}

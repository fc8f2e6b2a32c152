//! What a search found, for people and for programs.

use std::io::Write;
use std::path::Path;

use gambol_control::locomotion::{CONSTRAINTS, Score, Stride, StrideSearch};
use gambol_control::search::{Method, Outcome};
use gambol_control::sketch::{Active, Sketch, Stage};
use serde::Serialize;

use super::progress::violated;
use crate::Failure;

/// A search that has ended.
pub(super) struct Ended<'a> {
    pub(super) sketch: &'a Sketch,
    pub(super) stage: &'a Stage,
    pub(super) search: &'a StrideSearch,
    pub(super) outcome: &'a Outcome,
    /// Of the clock, since it began or went on, s.
    pub(super) seconds: f64,
    /// Cycles simulated in that time, and in all.
    pub(super) cycles: [usize; 2],
    /// Kept to go on from.
    pub(super) checkpoint: Option<&'a Path>,
    /// What was written.
    pub(super) files: Vec<&'a Path>,
}

#[derive(Serialize)]
struct ReportJson<'a> {
    sketch: &'a str,
    creature: &'a str,
    /// `converged`, `stalled` or `stopped`
    status: &'static str,
    stalled: Option<StalledJson>,
    method: &'static str,
    seed: u64,
    /// s
    step: f64,
    budget: usize,
    /// How many numbers are searched for.
    numbers: usize,
    /// Cycles simulated in all.
    evaluations: usize,
    /// Of the clock, since it began or was resumed, s.
    seconds: f64,
    evaluations_per_second: f64,
    best: Option<BestJson>,
    files: Vec<&'a Path>,
    checkpoint: Option<&'a Path>,
}

#[derive(Serialize)]
struct StalledJson {
    constraint: &'static str,
    by: f64,
}

#[derive(Serialize)]
struct BestJson {
    /// m/s
    speed: f64,
    /// N²m²
    effort: f64,
    /// E_v E_e
    product: f64,
    /// The largest, in tolerances.
    gap: f64,
    constraints: Vec<ConstraintJson>,
    stride: StrideJson,
}

#[derive(Serialize)]
struct ConstraintJson {
    name: &'static str,
    value: f64,
}

#[derive(Serialize)]
struct StrideJson {
    /// s
    period: f64,
    flight_share: f64,
    /// s
    bursts: [f64; 2],
    pose: Vec<f64>,
    velocity: Vec<f64>,
    flight: Vec<ModeJson>,
    ground: Vec<ModeJson>,
}

#[derive(Serialize)]
struct ModeJson {
    mode: usize,
    /// rad
    amplitude: f64,
    /// The least amplitude of a mode with priority, rad.
    least: Option<f64>,
}

impl Ended<'_> {
    pub(super) fn json(&self) -> impl Serialize + '_ {
        let settings = self.search.settings();
        let stalled = match self.outcome {
            Outcome::Stalled { constraint, by } => Some(StalledJson { constraint, by: *by }),
            _ => None,
        };
        ReportJson {
            sketch: &self.sketch.name,
            creature: self.stage.creature.name(),
            status: match self.outcome {
                Outcome::Converged => "converged",
                Outcome::Stalled { .. } => "stalled",
                Outcome::Stopped => "stopped",
            },
            stalled,
            method: match settings.method {
                Method::Closing => "closing",
                Method::Multipliers => "multipliers",
            },
            seed: settings.seed,
            step: self.search.problem().settings().step,
            budget: settings.budget,
            numbers: self.search.problem().space().dimension(),
            evaluations: self.cycles[1],
            seconds: self.seconds,
            evaluations_per_second: self.cycles[0] as f64 / self.seconds.max(1e-9),
            best: self.search.nearest_stride().map(|(stride, score)| self.best(stride, score)),
            files: self.files.clone(),
            checkpoint: self.checkpoint,
        }
    }

    fn best(&self, stride: Stride, score: &Score) -> BestJson {
        let modes = |amplitudes: &[f64], active: &[Active]| {
            let mode = |(active, amplitude): (&Active, &f64)| ModeJson {
                mode: active.mode,
                amplitude: *amplitude,
                least: active.priority,
            };
            active.iter().zip(amplitudes).map(mode).collect()
        };
        let constraint = |(name, value): (&&'static str, &f64)| ConstraintJson { name, value: *value };
        BestJson {
            speed: score.speed,
            effort: score.effort,
            product: score.product(),
            gap: self.search.largest_gap(score),
            constraints: CONSTRAINTS.iter().zip(&score.easy).map(constraint).collect(),
            stride: StrideJson {
                period: stride.period,
                flight_share: stride.flight_share,
                bursts: stride.bursts,
                flight: modes(&stride.flight, &self.stage.active[0]),
                ground: modes(&stride.ground, &self.stage.active[1]),
                pose: stride.q,
                velocity: stride.v,
            },
        }
    }

    /// In one line.
    pub(super) fn headline(&self) -> String {
        let how = match self.outcome {
            Outcome::Converged => "converged".to_owned(),
            Outcome::Stopped => "stopped".to_owned(),
            Outcome::Stalled { constraint: "cycle", by } => {
                format!("stalled: the cycle does not close, by {by:.3} tolerances")
            }
            Outcome::Stalled { constraint, by } => format!("stalled: {constraint} is violated by {by:.3}"),
        };
        let [_, cycles] = self.cycles;
        format!("{} {how}, after {cycles} cycles; {:.1} s", self.sketch.name, self.seconds)
    }

    pub(super) fn write(&self, out: &mut impl Write) -> Result<(), Failure> {
        writeln!(out, "{}", self.headline())?;
        if let Some((stride, score)) = self.search.nearest_stride() {
            let gap = self.search.largest_gap(score);
            let (speed, effort, product) = (score.speed, score.effort, score.product());
            writeln!(
                out,
                "  {speed:.3} m/s, effort {effort:.0} N²m², effort over speed squared {product:.0}"
            )?;
            let limit = if gap < 1.0 { "it repeats itself" } else { "it does not repeat itself" };
            writeln!(out, "  largest gap {gap:.3} tolerances: {limit}; {}", violated(score))?;
            let Stride { period, flight_share, bursts: [flight, ground], .. } = stride;
            writeln!(
                out,
                "  period {period:.4} s, flight share {flight_share:.3}, bursts {flight:.4} s and {ground:.4} s"
            )?;
        }
        for file in &self.files {
            writeln!(out, "  written: {}", file.display())?;
        }
        if let Some(checkpoint) = self.checkpoint {
            writeln!(out, "  to go on: --resume, from {}", checkpoint.display())?;
        }
        Ok(())
    }
}

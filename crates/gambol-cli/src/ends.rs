//! `gambol compress --method ik`: what is chosen of it, and what came of it.

use std::io::Write;

use clap::Args;
use gambol_model::{BodyPoint, Creature};
use gambol_motion::{
    Basis, Clip, EndsChoice, EndsReport, EndsSettings, Metric, PackError, level_sizes, pack_ends,
};
use serde::Serialize;

use super::compare::{ComparisonJson, tell};
use super::pose::point;
use super::settings::{at_least_0, count};
use super::{Failure, write_json, written};

#[derive(Args)]
pub(super) struct EndsArguments {
    /// With --method ik, levels of detail that are kept of the root and of the ends, from the coarsest of one sample on; all but three if
    /// not given
    #[arg(long, value_name = "ROOT,ENDS", value_parser = levels)]
    levels: Option<[usize; 2]>,

    /// With --method ik, the ends that are kept: landmarks or bodies; head, hands and feet if not given
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    ends: Vec<String>,

    /// With --method ik, how near a pose keeps to the one before it; 0.001 if not given
    #[arg(long, value_name = "λ", value_parser = at_least_0)]
    lambda: Option<f64>,

    /// With --method ik, what counts as far for the directions: joint (the paper's) or position, which is taken if nothing is given
    #[arg(long, value_name = "M", value_parser = ["joint", "position", "mass"])]
    metric: Option<String>,

    /// With --method ik, cut a long clip into so many parts with a basis each
    #[arg(long, value_name = "N", value_parser = count)]
    parts: Option<usize>,
}

fn levels(text: &str) -> Result<[usize; 2], String> {
    let numbers: Vec<usize> = text.split(',').map(count).collect::<Result<_, _>>()?;
    <[usize; 2]>::try_from(numbers).map_err(|_| "expected ROOT,ENDS, for example 8,9".to_owned())
}

#[derive(Serialize)]
struct EndsJson<'a> {
    bytes: usize,
    keys: usize,
    /// Levels of detail that the clip has.
    levels: usize,
    samples_root: usize,
    samples_ends: usize,
    ends: usize,
    /// Numbers of the clip and of what is packed, as the paper counts them.
    numbers: [usize; 2],
    ratio: f64,
    comparison: ComparisonJson<'a>,
}

impl EndsArguments {
    pub(super) fn is_given(&self) -> bool {
        let Self { levels, ends, lambda, metric, parts } = self;
        levels.is_some() || !ends.is_empty() || lambda.is_some() || metric.is_some() || parts.is_some()
    }

    pub(super) fn pack(
        &self,
        creature: &Creature,
        clip: &Clip,
        count: Option<usize>,
        shared: Option<(&Basis, &str)>,
    ) -> Result<EndsReport, PackError> {
        let own = EndsSettings::default();
        let settings = EndsSettings {
            count: count.unwrap_or(own.count),
            smooth: self.lambda.unwrap_or(own.smooth),
            parts: self.parts.unwrap_or(own.parts),
            ..own
        };
        let end = |name: &String| -> Result<BodyPoint, PackError> {
            point(creature, name).map_err(|error| match error {
                Failure::Failed(told) => PackError::Settings(told),
                _ => PackError::Settings(format!("there is no end {name}")),
            })
        };
        let choice = EndsChoice {
            levels: self.levels,
            ends: self.ends.iter().map(end).collect::<Result<_, _>>()?,
            metric: self.metric.as_deref().map(|name| match name {
                "joint" => Metric::Joint,
                "mass" => Metric::Mass,
                _ => Metric::position(creature),
            }),
            shared,
        };
        pack_ends(creature, clip, &settings, &choice)
    }

    pub(super) fn tell(
        out: &mut impl Write,
        creature: &Creature,
        clip: &Clip,
        report: &EndsReport,
        json: bool,
    ) -> Result<(), Failure> {
        let keys = clip.times.len();
        let levels = level_sizes(keys).len();
        let [samples_root, samples_ends] = report.samples;
        let ratio = report.floats[0] as f64 / report.floats[1] as f64;
        if json {
            let comparison = ComparisonJson::new(creature, &report.comparison);
            // The head and checksum of the file come to it.
            let (bytes, ends, numbers) = (report.bytes.len() + 12, report.ends.len(), report.floats);
            return write_json(
                out,
                &EndsJson {
                    bytes,
                    keys,
                    levels,
                    samples_root,
                    samples_ends,
                    ends,
                    numbers,
                    ratio,
                    comparison,
                },
            );
        }
        let ends = written::count(report.ends.len(), "end");
        writeln!(
            out,
            "{samples_root} samples of the root and {samples_ends} of {ends}, of {keys} keys ({levels} levels)"
        )?;
        writeln!(out, "{} numbers of {}, 1:{ratio:.1}", report.floats[1], report.floats[0])?;
        tell(out, creature, &report.comparison)
    }
}

//! A search for a controller: it goes on as far as the page asks.

use std::sync::Arc;

use gambol::control::locomotion::{
    CONSTRAINTS, Found, Stride, StrideSearch, StrideSettings, controller_to_toml,
};
use gambol::control::search::{Doing, Outcome, SearchSettings, Threads};
use gambol::control::sketch::{Sketch, Stage};

use super::controller::shown as cycle_of;
use super::creature::clip_part;
use super::sketch::Staged;
use super::{Answer, Trouble};
use crate::protocol::{CandidatePart, KeptSearch, MOST_STEPS, OutcomePart, SearchAnswer};

/// A search, and what was told of it.
pub(super) struct Seeker {
    sketch: Sketch,
    stage: Arc<Stage>,
    search: StrideSearch,
    threads: usize,
    /// The stride whose cycle the page has.
    shown: Option<Stride>,
}

impl Seeker {
    /// Begins a search as the command line would, or goes on from a checkpoint.
    pub(super) fn start(
        Staged { sketch, stage, .. }: Staged,
        seed: u64,
        checkpoint: Option<&str>,
        threads: usize,
    ) -> Result<(Self, Answer), Trouble> {
        let step = StrideSettings::default().step;
        let settings = SearchSettings { seed, ..SearchSettings::default() };
        let search = match checkpoint {
            Some(text) => StrideSearch::of_checkpoint(&sketch, &stage, step, settings, text),
            None => StrideSearch::of_sketch(&sketch, &stage, step, settings),
        };
        let search = search.map_err(Trouble::from_error)?;
        let mut seeker = Self { sketch, stage, search, threads, shown: None };
        let answer = seeker.tell(false)?;
        Ok((seeker, answer))
    }

    /// Goes on by some steps.
    pub(super) fn improve(&mut self, steps: usize, keep: bool) -> Result<Answer, Trouble> {
        if steps > MOST_STEPS {
            return Err(Trouble(format!(
                "a search goes on by at most {MOST_STEPS} steps at once, not {steps}"
            )));
        }
        for _ in 0..steps {
            self.search.step(&mut Threads(self.threads));
        }
        self.tell(keep)
    }

    /// Tells where it is; of the best candidate only what was not told before.
    fn tell(&mut self, keep: bool) -> Result<Answer, Trouble> {
        let Self { sketch, stage, search, shown, .. } = self;
        let progress = search.progress();
        let nearest = search.nearest_stride();
        let best = nearest.as_ref().map(|(_, score)| CandidatePart {
            value: finite(score.value()),
            product: finite(score.product()),
            speed: score.speed,
            gap: finite(search.largest_gap(score)),
            constraints: CONSTRAINTS.into_iter().zip(score.easy.map(finite)).collect(),
        });
        let ended = search.ended();
        let kept = keep.then(|| KeptSearch {
            controller: nearest.as_ref().map(|(stride, _)| {
                let found = Found::of(search, ended.as_ref().unwrap_or(&Outcome::Stopped));
                controller_to_toml(sketch, stage, stride, search.problem().settings().step, found.as_ref())
            }),
            checkpoint: search.checkpoint(),
        });
        let stride = nearest.map(|(stride, _)| stride);
        let news = stride.as_ref().filter(|stride| Some(*stride) != shown.as_ref());
        let clip = news.map(|stride| cycle_of(stage, search.problem().world(), stride));
        *shown = stride;
        let mut bytes = Vec::new();
        let head = SearchAnswer {
            doing: progress.as_ref().map_or(Doing::Sampling, |progress| progress.doing),
            round: progress.as_ref().map_or(0, |progress| progress.round),
            evaluations: progress.as_ref().map_or(0, |progress| progress.evaluations),
            round_gap: progress.and_then(|progress| finite(progress.gap)),
            best,
            outcome: ended.as_ref().and_then(outcome),
            clip: clip.map(|clip| clip_part(&clip, &mut bytes)),
            kept,
        };
        Answer::new(head, bytes)
    }
}

/// JSON has no other numbers.
fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

fn outcome(outcome: &Outcome) -> Option<OutcomePart> {
    match outcome {
        Outcome::Converged => Some(OutcomePart::Converged),
        Outcome::Stalled { constraint, by } => {
            Some(OutcomePart::Stalled { constraint: (*constraint).to_owned(), by: finite(*by) })
        }
        Outcome::Stopped => None,
    }
}

//! A search for a controller: it goes on as far as the page asks.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use gambol::control::locomotion::{
    CONSTRAINTS, Found, Outcome, Search, SearchError, SearchSettings, Stride, controller_to_toml,
};
use gambol::control::sketch::{Sketch, Stage};
use gambol::motion::Clip;

use super::controller::shown as cycle_of;
use super::creature::clip_part;
use super::sketch::Staged;
use super::{Answer, Trouble};
use crate::protocol::{CandidatePart, KeptSearch, MOST_STEPS, OutcomePart, SearchAnswer};

/// A search borrows its stage, and so both live on the stack of a thread, which does nothing but what it is told and ends
/// with this.
pub(super) struct Seeker {
    orders: Sender<Order>,
    reports: Receiver<Result<Report, String>>,
}

/// Go on by so many steps, then tell.
struct Order {
    steps: usize,
    keep: bool,
}

/// Where the search is, and how the best candidate moves if that is news.
struct Report {
    head: SearchAnswer,
    clip: Option<Clip>,
}

impl Seeker {
    /// Begins a search, or goes on from a checkpoint.
    pub(super) fn start(
        Staged { sketch, stage, .. }: Staged,
        seed: u64,
        checkpoint: Option<String>,
        threads: usize,
    ) -> Result<(Self, Answer), Trouble> {
        let (orders, told) = channel();
        let (telling, reports) = channel();
        let name = std::thread::Builder::new().name("search".to_owned());
        let live = move || live(&sketch, &stage, seed, checkpoint.as_deref(), threads, &told, &telling);
        name.spawn(live).map_err(|_| Trouble("the system has no thread left for a search".to_owned()))?;
        let seeker = Self { orders, reports };
        let answer = seeker.hear()?;
        Ok((seeker, answer))
    }

    /// Goes on by some steps.
    pub(super) fn improve(&self, steps: usize, keep: bool) -> Result<Answer, Trouble> {
        if steps > MOST_STEPS {
            return Err(Trouble(format!(
                "a search goes on by at most {MOST_STEPS} steps at once, not {steps}"
            )));
        }
        self.orders.send(Order { steps, keep }).map_err(|_| ended())?;
        self.hear()
    }

    fn hear(&self) -> Result<Answer, Trouble> {
        let Report { mut head, clip } = self.reports.recv().map_err(|_| ended())?.map_err(Trouble)?;
        let mut bytes = Vec::new();
        head.clip = clip.map(|clip| clip_part(&clip, &mut bytes));
        Answer::new(head, bytes)
    }
}

fn ended() -> Trouble {
    Trouble("the search stumbled; change the sketch, or optimise again".to_owned())
}

/// The life of a search.
fn live(
    sketch: &Sketch,
    stage: &Arc<Stage>,
    seed: u64,
    checkpoint: Option<&str>,
    threads: usize,
    orders: &Receiver<Order>,
    reports: &Sender<Result<Report, String>>,
) {
    let mut search = match begin(sketch, stage, seed, checkpoint) {
        Ok(search) => search,
        Err(error) => {
            let _ = reports.send(Err(error.to_string()));
            return;
        }
    };
    let mut shown = None;
    let mut order = Order { steps: 0, keep: false };
    loop {
        for _ in 0..order.steps {
            search.step(threads);
        }
        let report = tell(sketch, stage, &search, order.keep, &mut shown);
        // Whoever asked may be gone.
        if reports.send(Ok(report)).is_err() {
            return;
        }
        match orders.recv() {
            Ok(next) => order = next,
            Err(_) => return,
        }
    }
}

/// The search as the command line would make it.
fn begin<'s>(
    sketch: &Sketch,
    stage: &'s Stage,
    seed: u64,
    checkpoint: Option<&str>,
) -> Result<Search<'s>, SearchError> {
    let settings = SearchSettings { seed, ..SearchSettings::default() };
    match checkpoint {
        Some(text) => Search::resume(sketch, stage, settings, text),
        None => Search::new(sketch, stage, settings),
    }
}

/// Tells where it is; of the best candidate only what was not told before.
fn tell(sketch: &Sketch, stage: &Stage, search: &Search, keep: bool, shown: &mut Option<Stride>) -> Report {
    let progress = search.progress(0.0);
    let nearest = search.nearest();
    let best = nearest.as_ref().map(|(_, score)| CandidatePart {
        value: score.value(),
        product: score.product(),
        speed: score.speed,
        gap: search.largest_gap(score),
        constraints: CONSTRAINTS.into_iter().zip(score.easy).collect(),
    });
    let ended = search.ended();
    let kept = keep.then(|| KeptSearch {
        controller: nearest.as_ref().map(|(stride, _)| {
            let found = Found::of(search, ended.as_ref().unwrap_or(&Outcome::Stopped));
            controller_to_toml(sketch, stage, stride, search.settings().step, found.as_ref())
        }),
        checkpoint: search.checkpoint(),
    });
    let stride = nearest.map(|(stride, _)| stride);
    let news = stride.as_ref().filter(|stride| Some(*stride) != shown.as_ref());
    let clip = news.map(|stride| cycle_of(stage, search.world(), stride));
    *shown = stride;
    let head = SearchAnswer {
        doing: progress.as_ref().map_or("sampling", |progress| progress.doing.name()),
        round: progress.as_ref().map_or(0, |progress| progress.round),
        evaluations: progress.as_ref().map_or(0, |progress| progress.evaluations),
        round_gap: progress.map(|progress| progress.gap),
        best,
        outcome: ended.as_ref().and_then(outcome),
        clip: None,
        kept,
    };
    Report { head, clip }
}

fn outcome(outcome: &Outcome) -> Option<OutcomePart> {
    match outcome {
        Outcome::Converged => Some(OutcomePart::Converged),
        Outcome::Stalled { constraint, by } => {
            Some(OutcomePart::Stalled { constraint: (*constraint).to_owned(), by: *by })
        }
        Outcome::Stopped => None,
    }
}

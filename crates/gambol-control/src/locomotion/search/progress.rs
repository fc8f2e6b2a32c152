//! Where a search is, and how it ended.

use crate::locomotion::Score;

/// How a search ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// All easy constraints are met and the cycle repeats itself within the tolerance.
    Converged,
    /// It made all its rounds or spent its budget, and what is named is still violated most.
    Stalled {
        /// One of [`CONSTRAINTS`](crate::locomotion::CONSTRAINTS), or "cycle".
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
    /// What it is at.
    pub doing: Doing,
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

/// What a search is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Generations of CMA-ES.
    Sampling,
    /// Newton's method makes the cycle repeat itself.
    Closing,
    /// Descents make a cycle that repeats itself cheaper.
    Improving,
    /// It runs with corrections until it repeats itself even better, since what is left of a gap grows from cycle to cycle.
    Sealing,
    /// Nothing more: it has converged.
    Done,
}

impl Doing {
    pub(super) const ALL: [Self; 5] =
        [Self::Sampling, Self::Closing, Self::Improving, Self::Sealing, Self::Done];

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sampling => "sampling",
            Self::Closing => "closing",
            Self::Improving => "improving",
            Self::Sealing => "sealing",
            Self::Done => "done",
        }
    }
}

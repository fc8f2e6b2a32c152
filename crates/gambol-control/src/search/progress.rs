//! Where a search is, and how it ended.

use serde::{Deserialize, Serialize};

/// How a search ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// All inequalities hold and all equalities are within their tolerances.
    Converged,
    /// It made all its rounds or spent its budget, and what is named is still broken most.
    Stalled {
        /// Name of an inequality or of an equality.
        constraint: &'static str,
        /// How far an inequality is broken; an equality's gap in parts of its tolerance.
        by: f64,
    },
    /// It was told to stop.
    Stopped,
}

/// Where a search is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Progress<'s, V> {
    /// 0 is the initialisation, which looks for the inequalities alone.
    pub round: usize,
    /// What it is at.
    pub doing: Doing,
    /// Candidates judged so far.
    pub evaluations: usize,
    /// What is minimised in this round, of the best candidate of it.
    pub value: f64,
    /// The best candidate of this round.
    pub score: &'s V,
    /// Its largest gap in parts of the tolerance.
    pub gap: f64,
}

/// What a search is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Doing {
    /// Generations of CMA-ES.
    Sampling,
    /// Newton's method closes the gaps.
    Closing,
    /// Descents make a candidate cheaper that breaks no constraint.
    Improving,
    /// The problem's own lead makes the gaps even smaller.
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

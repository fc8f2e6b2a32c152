//! What the page is told of sketches and of searches for controllers.

use gambol::control::search::Doing;
use serde::Serialize;

use super::{ClipPart, ModePart, Numbers, SketchWork};

/// See [`super::Request::Sketch`].
#[derive(Clone, Debug, Serialize)]
pub struct SketchAnswer {
    /// The sketch: that of the request with its modes counted anew, or one that suits the creature.
    pub sketch: SketchWork,
    /// Modes of the free creature.
    pub flight: BasisPart,
    /// Modes with the toes of the stance pinned.
    pub ground: BasisPart,
    /// Names of all feet.
    pub feet: Vec<String>,
    /// How many numbers a search looks for.
    pub numbers: usize,
}

/// The modes of one phase: what [`super::BodyAnswer`] says of a body's.
#[derive(Clone, Debug, Serialize)]
pub struct BasisPart {
    /// All modes, rigid ones first, then by frequency.
    pub modes: Vec<ModePart>,
    /// `nv` numbers per mode.
    pub shapes: Numbers,
    /// Of each mode the root at [`super::SWINGS`].
    pub roots: Numbers,
    /// Amplitude that shows a mode well, rad.
    pub swing: f64,
    /// The rest pose.
    pub pose: Vec<f64>,
    /// Modes that a search may use, green ones first.
    pub active: Vec<usize>,
}

/// See [`super::Request::Preview`].
#[derive(Clone, Debug, Serialize)]
pub struct PreviewAnswer {
    /// It floats.
    pub clip: ClipPart,
}

/// See [`super::Request::Search`].
#[derive(Clone, Debug, Serialize)]
pub struct SearchAnswer {
    /// What it is at.
    pub doing: Doing,
    /// 0 is the initialisation.
    pub round: usize,
    /// Cycles simulated so far.
    pub evaluations: usize,
    /// Largest gap of the best candidate of this round, in parts of the tolerance.
    pub round_gap: Option<f64>,
    /// The best candidate of all; none before the first step.
    pub best: Option<CandidatePart>,
    /// How the search ended, if it did.
    pub outcome: Option<OutcomePart>,
    /// What the best candidate does, if it is another one than when the page was told last.
    pub clip: Option<ClipPart>,
    /// The best candidate as a controller file, and all that the search goes on from; if it was asked for.
    pub kept: Option<KeptSearch>,
}

/// The best candidate of a search.
#[derive(Clone, Debug, Serialize)]
pub struct CandidatePart {
    /// f = w₀ E_v E_e + w_s Σ E; none where that is not finite.
    pub value: Option<f64>,
    /// E_v E_e, the objective.
    pub product: Option<f64>,
    /// Mean, forward, m/s.
    pub speed: f64,
    /// Largest gap in parts of the tolerance; below 1 the cycle repeats itself.
    pub gap: Option<f64>,
    /// The easy constraints by name; 0 where one is met.
    pub constraints: Vec<(&'static str, Option<f64>)>,
}

/// How a search ended.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "how", rename_all = "kebab-case")]
pub enum OutcomePart {
    /// All constraints are met.
    Converged,
    /// It spent what it had.
    Stalled {
        /// What is short.
        constraint: String,
        /// By how much; none where that is not finite.
        by: Option<f64>,
    },
}

/// What outlives an engine.
#[derive(Clone, Debug, Serialize)]
pub struct KeptSearch {
    /// The best candidate.
    pub controller: Option<String>,
    /// For [`super::Request::Search`].
    pub checkpoint: String,
}

//! Sketches of controllers: what the user makes of them, what the page asks about them, and what it is told.

use serde::{Deserialize, Serialize};

use super::{ClipPart, ModePart, Numbers};

/// A sketch: [`gambol::control::sketch::Sketch`], of the creature of the work.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SketchWork {
    /// What it is called.
    pub name: String,
    /// Name of the rest pose; none: the reference pose.
    pub pose: Option<String>,
    /// How the legs take turns.
    pub legs: LegsWork,
    /// Names of the feet that stand first.
    pub stance: Vec<String>,
    /// Times the creature's own.
    pub stiffness: f64,
    /// k_d / k_s, s
    pub damping: f64,
    /// s
    pub period: f64,
    /// Of a foot's cycle.
    pub flight_share: f64,
    /// In flight and on the ground, s.
    pub bursts: [f64; 2],
    /// Forward, to begin with, m/s.
    pub speed: f64,
    /// On average, m/s.
    pub least_speed: f64,
    /// Mean of the sum of squared torques, N²m².
    pub most_effort: f64,
    /// Of a swinging foot.
    pub flight: PaletteWork,
    /// Of a standing foot.
    pub ground: PaletteWork,
    /// What was found of it.
    #[serde(default)]
    pub found: Option<FoundWork>,
}

/// See [`SketchWork::legs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LegsWork {
    /// Left and right half a cycle apart.
    Alternate,
    /// All at the same time.
    Together,
}

/// The modes of one phase.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct PaletteWork {
    /// Green.
    pub priority: Vec<PriorityWork>,
    /// What may help besides; none: the twelve lowest vibrations.
    pub permissible: Option<Vec<usize>>,
    /// Red.
    pub excluded: Vec<usize>,
}

/// A green mode.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct PriorityWork {
    /// Index in the basis of its phase.
    pub mode: usize,
    /// Least amplitude with its sign, rad.
    pub amplitude: f64,
}

/// The best stride of a search, as the page keeps it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct FoundWork {
    /// Of the search.
    pub seed: u64,
    /// A controller file: all numbers of the stride, bit for bit. None before the first candidate.
    pub controller: Option<String>,
    /// `running`, `stopped`, `converged` or `stalled`; what is left is for people.
    pub status: String,
    /// Of a search that stalled: what is short, and by how much.
    #[serde(default)]
    pub short: Option<(String, f64)>,
    /// Cycles simulated.
    pub evaluations: usize,
    /// m/s
    pub speed: f64,
    /// Largest gap in parts of the tolerance.
    pub gap: Option<f64>,
}

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
#[serde(rename_all = "camelCase")]
pub struct SearchAnswer {
    /// `sampling`, `closing`, `improving`, `sealing` or `done`
    pub doing: &'static str,
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
    /// f = w₀ E_v E_e + w_s Σ E
    pub value: f64,
    /// E_v E_e, the objective.
    pub product: f64,
    /// Mean, forward, m/s.
    pub speed: f64,
    /// Largest gap in parts of the tolerance; below 1 the cycle repeats itself.
    pub gap: f64,
    /// The easy constraints by name; 0 where one is met.
    pub constraints: Vec<(&'static str, f64)>,
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
        /// By how much.
        by: f64,
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

/// A sketch of the gallery.
#[derive(Clone, Debug, Serialize)]
pub struct GallerySketch {
    /// Name.
    pub name: String,
    /// Of which creature.
    pub creature: String,
    /// The file.
    pub text: String,
}

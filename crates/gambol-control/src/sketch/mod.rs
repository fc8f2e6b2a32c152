//! A sketch of a gait: a few natural vibrations to be seen in flight and on the ground (Nunes et al. 2012, section 5).
//!
//! A [`Sketch`] says what is wanted; it is a small file that a person can edit. A [`Stage`] is what it means for one
//! creature: its rest pose and damping, the two modal bases, the feet, the mirror.

mod check;
mod file;
mod likeness;
mod preview;
mod stage;
mod suggest;

pub use check::Misfit;
pub(crate) use check::SHARE;
pub(crate) use file::{PAPER_EFFORT, PAPER_SIZE, written};
pub use file::{creature_of, is_sketch, read, to_toml};
pub use gambol_formats::toml_file::FileError;
pub use likeness::suggest_after;
pub use preview::preview;
pub use stage::{Active, Stage};
pub use suggest::{RunningPose, SuggestSettings, suggest};

use serde::{Deserialize, Serialize};

/// A part of the cycle of a foot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// It swings: modes of the free creature.
    Flight,
    /// It stands: modes with the toe pinned.
    Ground,
}

impl Phase {
    /// Both, in the order in which a cycle has them.
    pub const BOTH: [Self; 2] = [Self::Flight, Self::Ground];

    /// As files have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flight => "flight",
            Self::Ground => "ground",
        }
    }
}

/// How the legs take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Legs {
    /// Left and right do the same half a cycle apart: running.
    Alternate,
    /// All feet that stand do so at the same time: hopping on one leg or on two.
    Together,
}

/// A mode that is to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Priority {
    /// Index in the basis of its phase; in flight the first vibration is 6.
    pub mode: usize,
    /// The least amplitude, with its sign, rad: see [`Active::torque`].
    pub amplitude: f64,
}

/// The modes of one phase.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Palette {
    /// What is to be seen.
    pub priority: Vec<Priority>,
    /// What may help besides; none: the twelve lowest vibrations that are not excluded.
    pub permissible: Option<Vec<usize>>,
    /// What must not be seen.
    pub excluded: Vec<usize>,
}

/// A sketch of a gait.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Sketch {
    /// What it is called.
    pub name: String,
    /// A name of the gallery or a file.
    pub creature: String,
    /// The pose in which the springs are at rest; none: the creature's reference pose.
    pub pose: Option<String>,
    /// How the legs take turns.
    pub legs: Legs,
    /// Names of the feet that stand; the first half cycle is theirs. None: the first foot.
    pub stance: Vec<String>,
    /// k_s in parts of the creature's own stiffness.
    pub stiffness: f64,
    /// k_d / k_s of every joint, s. The paper's 0.1 s overdamps all that is faster than 3.2 Hz.
    pub damping: f64,
    /// T to begin with, s.
    pub period: f64,
    /// α to begin with: the share of a foot's cycle that it flies.
    pub flight_share: f64,
    /// δ to begin with, in flight and on the ground, s.
    pub bursts: [f64; 2],
    /// Forward, to begin with, m/s.
    pub speed: f64,
    /// Least mean speed, m/s; the paper's 2. A quarter of it is the least at any time.
    pub least_speed: f64,
    /// Most effort, N²m²: mean of the sum of squared active torques; the paper's 500 000. It goes with the square of the weight
    /// and of the length of the legs.
    pub most_effort: f64,
    /// Height of the centre of mass by which the paper's other thresholds are measured, m: 1 of its runner. Lengths go with it,
    /// speeds with its square root, rates with the inverse of that.
    #[serde(default = "paper_size")]
    pub size: f64,
    /// Of a swinging foot.
    pub flight: Palette,
    /// Of a standing foot.
    pub ground: Palette,
}

fn paper_size() -> f64 {
    PAPER_SIZE
}

/// A preview shows this many cycles: enough to see what repeats itself, ...
const PREVIEWED: f64 = 4.0;

/// ... and no more than this, s: who looks longer sees nothing new.
const LONGEST_PREVIEW: f64 = 8.0;

impl Sketch {
    /// How long a [`preview()`] is worth watching, s.
    pub fn preview_seconds(&self) -> f64 {
        (PREVIEWED * self.period).min(LONGEST_PREVIEW)
    }

    /// The modes of one phase.
    pub fn palette(&self, phase: Phase) -> &Palette {
        match phase {
            Phase::Flight => &self.flight,
            Phase::Ground => &self.ground,
        }
    }
}

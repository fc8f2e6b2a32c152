//! What the user made.

use gambol::anatomy::skin::JointType;
use gambol::control::sketch::Sketch;
use gambol::gait::{ModeEdit, Wish};
use serde::{Deserialize, Serialize};

use super::WindWork;

/// A creature, and what the user set right about it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct CreatureWork {
    /// Where it comes from.
    pub source: Source,
    /// Landmarks: `foot.front.left` and the body, site or joint that it is; an empty target removes it.
    #[serde(default)]
    pub landmarks: Vec<(String, String)>,
    /// glTF and BVH: height in the pose of the file, m.
    #[serde(default)]
    pub height: Option<f64>,
    /// glTF and BVH: mass of all of it, kg.
    #[serde(default)]
    pub mass: Option<f64>,
    /// glTF: where it looks, in the axes of the file.
    #[serde(default)]
    pub forward: Option<[f64; 3]>,
    /// glTF: bones (by body name) and what they can do: `ball`, `hinge` or `fixed`.
    #[serde(default)]
    pub joints: Vec<(String, JointType)>,
    /// What hangs from the world floats instead.
    #[serde(default)]
    pub free_root: bool,
    /// glTF: goes in step with the gaits among the clips of its file, rather than as its size has it.
    #[serde(default)]
    pub own_tempo: bool,
}

impl CreatureWork {
    /// As it comes.
    pub fn new(source: Source) -> Self {
        Self {
            source,
            landmarks: Vec::new(),
            height: None,
            mass: None,
            forward: None,
            joints: Vec::new(),
            free_root: false,
            own_tempo: false,
        }
    }
}

/// Where a creature comes from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum Source {
    /// By name.
    Gallery {
        /// E.g. `dog`.
        name: String,
    },
    /// A file that is kept.
    File {
        /// Where.
        bundle: String,
        /// Which of the files there is the creature.
        name: String,
    },
}

/// How the creature moves.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct GaitWork {
    /// A gait of the list; none: only the modes of `edits` move.
    pub name: Option<String>,
    /// A gait file's text, which stands instead of a designed gait; `name` is its name.
    pub file: Option<String>,
    /// What is asked of it: pace, and green and red modes.
    #[serde(flatten)]
    pub wish: Wish,
    /// rad/s to the left
    pub turn: f64,
    /// Of the ground, up along x, rad.
    pub slope: f64,
    /// Whether feet meet the ground; else the modes alone, in the air.
    pub ground: bool,
    /// Modes that the user moved by hand, on top of the designed gait.
    pub edits: Vec<ModeEdit>,
}

impl Default for GaitWork {
    fn default() -> Self {
        Self {
            name: None,
            file: None,
            wish: Wish::default(),
            turn: 0.0,
            slope: 0.0,
            ground: true,
            edits: Vec::new(),
        }
    }
}

/// A sketch of a controller, and what was found of it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct SketchWork {
    /// Of the creature of the work, whatever name stands there.
    #[serde(flatten)]
    pub sketch: Sketch,
    /// None: nothing yet.
    #[serde(default)]
    pub found: Option<FoundWork>,
}

/// The best stride of a search, as the page keeps it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct FoundWork {
    /// Of the search.
    pub seed: u64,
    /// A controller file: all numbers of the stride, bit for bit. None before the first candidate.
    pub controller: Option<String>,
    /// How far the search came.
    pub status: FoundStatus,
    /// Of a search that stalled: what is short, and by how much; without a number where that is not finite.
    #[serde(default)]
    pub short: Option<(String, Option<f64>)>,
    /// Cycles simulated.
    pub evaluations: usize,
    /// m/s
    pub speed: f64,
    /// Largest gap in parts of the tolerance.
    pub gap: Option<f64>,
}

/// How a stride was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FoundStatus {
    /// The search goes on.
    Running,
    /// The user stopped it.
    Stopped,
    /// All constraints are met.
    Converged,
    /// The search spent what it had.
    Stalled,
    /// It came in a file, and does not meet all constraints.
    Opened,
}

/// What moves a simulated creature.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum DriveWork {
    /// Springs alone.
    Passive,
    /// The springs' rest pose follows a gait.
    Gait {
        /// Which.
        gait: GaitWork,
    },
    /// The springs' rest pose swings along modes.
    Pump {
        /// Amplitude, phase and frequency are suggested where not given.
        modes: Vec<PumpedMode>,
    },
    /// A controller: the stride that was found of a sketch.
    Controller {
        /// Which.
        sketch: Box<SketchWork>,
    },
}

/// One mode that is pumped.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct PumpedMode {
    /// Index.
    pub mode: usize,
    /// rad
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amplitude: Option<f64>,
    /// rad
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<f64>,
    /// Hz
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<f64>,
}

/// What is taken home.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "of", rename_all = "kebab-case")]
pub enum ExportWork {
    /// The set that was made, as GLB.
    Set {
        /// As [`super::Request::Set`] was asked for it.
        gait: Option<String>,
    },
    /// A gait.
    Gait {
        /// Which.
        gait: Box<GaitWork>,
    },
    /// Several gaits of one body, as a clip each in one glTF.
    Gaits {
        /// In this order, at most [`MOST_GAITS`](super::MOST_GAITS).
        gaits: Vec<GaitWork>,
    },
    /// The last minute of the simulation.
    Simulation,
    /// A plant in a wind, as `gambol wind` has it.
    Wind {
        /// Which.
        wind: WindWork,
    },
    /// The stride that was found of a sketch.
    Controller {
        /// Which.
        sketch: Box<SketchWork>,
    },
}

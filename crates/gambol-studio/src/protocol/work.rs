//! What the user made.

use serde::{Deserialize, Serialize};

use super::SketchWork;

/// A creature, and what the user set right about it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
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
    pub joints: Vec<(String, String)>,
    /// What hangs from the world floats instead.
    #[serde(default)]
    pub free_root: bool,
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

/// What is changed of a body: [`gambol::gait::Style`].
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct StyleWork {
    /// Name of the rest pose.
    pub pose: Option<String>,
    /// Joints bent by hand on top of it.
    pub bend: Vec<(String, Vec<f64>)>,
    /// One for all joints, N·m/rad or N/m.
    pub stiffness: Option<f64>,
    /// Patterns over joint names, and factors.
    pub scale: Vec<(String, f64)>,
    /// As `gambol modes --constrain` takes them.
    pub constraints: Vec<String>,
    /// Times the mass.
    pub weight: f64,
    /// Times the stiffness at the same energy.
    pub tension: f64,
    /// Feet.
    pub injured: Vec<String>,
}

impl Default for StyleWork {
    fn default() -> Self {
        Self {
            pose: None,
            bend: Vec::new(),
            stiffness: None,
            scale: Vec::new(),
            constraints: Vec::new(),
            weight: 1.0,
            tension: 1.0,
            injured: Vec::new(),
        }
    }
}

/// How the creature moves.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct GaitWork {
    /// A gait of the list; none: only the modes of `edits` move.
    pub name: Option<String>,
    /// A gait file's text, which stands instead of a designed gait; `name` is its name.
    pub file: Option<String>,
    /// m/s
    pub speed: Option<f64>,
    /// m per cycle
    pub stride: Option<f64>,
    /// Cycles per second.
    pub frequency: Option<f64>,
    /// Share of the cycle that a foot stands.
    pub duty: Option<f64>,
    /// rad/s to the left
    pub turn: f64,
    /// Of the ground, up along x, rad.
    pub slope: f64,
    /// Whether feet meet the ground; else the modes alone, in the air.
    pub ground: bool,
    /// Green modes.
    pub prefer: Vec<usize>,
    /// Red modes.
    pub avoid: Vec<usize>,
    /// Modes that the user moved by hand, on top of the designed gait.
    pub edits: Vec<ModeEdit>,
}

impl Default for GaitWork {
    fn default() -> Self {
        Self {
            name: None,
            file: None,
            speed: None,
            stride: None,
            frequency: None,
            duty: None,
            turn: 0.0,
            slope: 0.0,
            ground: true,
            prefer: Vec::new(),
            avoid: Vec::new(),
            edits: Vec::new(),
        }
    }
}

/// What the user says about one mode of a gait; what is not said stays.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct ModeEdit {
    /// Index.
    pub mode: usize,
    /// rad of the joint that moves most.
    #[serde(default)]
    pub amplitude: Option<f64>,
    /// rad
    #[serde(default)]
    pub phase: Option<f64>,
    /// A lasting offset, rad.
    #[serde(default)]
    pub offset: Option<f64>,
    /// Multiple of the gait's frequency: 1 or 2.
    #[serde(default)]
    pub harmonic: Option<u32>,
}

/// A point of a body and the place in the world that it is pulled to.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Pull {
    /// Index.
    pub body: usize,
    /// In the body frame, m.
    pub point: [f64; 3],
    /// In the world, m.
    pub target: [f64; 3],
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
    #[serde(default)]
    pub amplitude: Option<f64>,
    /// rad
    #[serde(default)]
    pub phase: Option<f64>,
    /// Hz
    #[serde(default)]
    pub frequency: Option<f64>,
}

/// What is taken home.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "of", rename_all = "kebab-case")]
pub enum ExportWork {
    /// A gait.
    Gait {
        /// Which.
        gait: Box<GaitWork>,
    },
    /// The last minute of the simulation.
    Simulation,
    /// The stride that was found of a sketch.
    Controller {
        /// Which.
        sketch: Box<SketchWork>,
    },
}

//! What a gait is: a few modes with amplitudes, phases and frequencies, and how it meets the ground.

use std::collections::BTreeMap;

use gambol_dynamics::Terrain;
use serde::{Deserialize, Serialize};

/// A gait of one creature. Small enough to read; see `docs/gaits.md` for its file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Gait {
    /// What it is called, e.g. `trot`.
    pub name: String,
    /// The creature it was made for: a name of the gallery or a file.
    pub creature: Option<String>,
    /// The body whose modes are meant.
    pub style: Style,
    /// Cycles per second: f̃ of the slowest component.
    pub frequency: f64,
    /// The modes that move.
    pub components: Vec<Component>,
    /// How it meets the ground.
    pub ground: Ground,
}

/// One term of equation 4: α u sin(2π f̃ t + γ) + β u.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Component {
    /// Index of the mode; rigid motions come first (2 is the body's rise, 4 its pitch).
    pub mode: usize,
    /// α, rad of the joint that moves most; of a rigid mode m or rad.
    pub amplitude: f64,
    /// γ, rad
    pub phase: f64,
    /// f̃ as a multiple of the gait's frequency: 1, or 2 for what happens at every step.
    pub harmonic: u32,
    /// β, rad: a lasting offset of posture along this mode.
    pub offset: f64,
}

/// What is changed of the body before its modes are computed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Style {
    /// Name of the rest pose; the creature's reference pose if not given.
    pub pose: Option<String>,
    /// Joints by name, bent by hand on top of that pose: one number of a hinge (rad) or a slide (m), three of a ball, a
    /// rotation vector along the axes of its body (rad), as [`gambol_model::Creature::integrate`] takes it.
    pub bend: Vec<(String, Vec<f64>)>,
    /// One stiffness for all joints, N·m/rad or N/m; the creature's own if not given.
    pub stiffness: Option<f64>,
    /// Pattern over joint names, and the factor of their stiffness; in this order, after `stiffness`.
    pub scale: Vec<(String, f64)>,
    /// Constraints of the analysis, as `gambol modes --constrain` takes them.
    pub constraints: Vec<String>,
    /// Factor of every mass. A heavier body with the same springs sags, and stands longer on each foot.
    pub weight: f64,
    /// Factor of every stiffness at the same elastic energy: above 1 tense (stiffer springs; shorter, quicker steps), below
    /// 1 relaxed.
    pub tension: f64,
    /// Feet whose leg is hurt: its joints are stiff and it stands for a shorter time.
    pub injured: Vec<String>,
}

impl Default for Style {
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

/// How a gait meets the ground.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Ground {
    /// What carries the body.
    pub support: Support,
    /// Share of the cycle that a foot stands, 0 to 1.
    pub duty: f64,
    /// m/s along the path; if not given, as fast as the modal motion moves its feet back.
    pub speed: Option<f64>,
    /// rad/s to the left
    pub turn: f64,
    /// Least height of a swinging foot in the middle of its swing, as a share of the leg's length.
    pub clearance: f64,
    /// Time of mid-stance of each foot by its name, in cycles; feet that are not named stand when the modal motion has
    /// them low and moving back.
    pub footfalls: BTreeMap<String, f64>,
    /// What it stands on.
    pub terrain: Terrain,
}

/// What carries the body, and so what decides when a foot stands.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Support {
    /// Nothing: equation 4 alone, in the air.
    Air,
    /// Each foot stands while it moves back and is low.
    Feet,
    /// All feet stand while the legs are bent, as in a jump.
    Crouch,
    /// The whole body lies on the ground; friction across it is this many times that along it.
    Belly {
        /// 1 where friction does not care for direction.
        across: f64,
    },
    /// The body swims; drag across it is this many times that along it.
    Water {
        /// About 2 for a slender body at low speed, more for one with fins.
        across: f64,
        /// Way per cycle, m, at which the push of its tail equals its drag; as drag across and along alone has it if not given.
        advance: Option<f64>,
    },
    /// Wings beat air or water and carry the body, or push it; legs of whoever walks row through water.
    Wings {
        /// Mean speed ahead, m/s.
        speed: f64,
        /// How far the body points up, rad.
        pitch: f64,
        /// Of what is beaten, kg/m³: 1.2 of air, 1000 of water, which carries the weight too.
        density: f64,
    },
    /// Wings take the body from the ground to level flight, or back; it happens once.
    Launch {
        /// Of level flight, m/s.
        speed: f64,
        /// Of the air, kg/m³.
        density: f64,
        /// Whether it comes down.
        lands: bool,
    },
}

//! What a body does: its modes, its gaits, its simulation.

use gambol::gait::{Component, Counterpart, Report as GaitReport, Style};
use gambol::modes::Symmetry;
use serde::Serialize;

use super::{ClipPart, Numbers};

/// See [`super::Request::Body`].
#[derive(Clone, Debug, Serialize)]
pub struct BodyAnswer {
    /// All modes, rigid ones first, then by frequency.
    pub modes: Vec<ModePart>,
    /// `nv` numbers per mode: its shape, largest joint angle 1.
    pub shapes: Numbers,
    /// Of each mode the root at [`SWINGS`] times `swing`: position, quaternion w x y z (7 numbers each). Joints go
    /// straight along the shape; the root between these.
    pub roots: Numbers,
    /// Amplitude that shows a mode well, rad.
    pub swing: f64,
    /// The rest pose with bends, `nq` numbers.
    pub pose: Vec<f64>,
    /// Of each joint as it is now, N·m/rad or N/m.
    pub stiffness: Vec<f64>,
    /// kg
    pub mass: f64,
    /// Of each of the request's marks.
    pub follows: Vec<Counterpart>,
}

/// Where the root of a swinging mode is told.
pub const SWINGS: [f64; 5] = [-1.0, -0.5, 0.0, 0.5, 1.0];

/// A mode.
#[derive(Clone, Debug, Serialize)]
pub struct ModePart {
    /// Position in the list.
    pub index: usize,
    /// Hz; 0 for a rigid motion.
    pub frequency: f64,
    /// What it looks like.
    pub name: String,
    /// Whether it moves the body as a whole.
    pub rigid: bool,
    /// How left and right go together.
    pub symmetry: Symmetry,
}

/// See [`super::Request::Gaits`].
#[derive(Clone, Debug, Serialize)]
pub struct GaitsAnswer {
    /// All of them.
    pub gaits: Vec<GaitChoice>,
}

/// A gait of the list.
#[derive(Clone, Debug, Serialize)]
pub struct GaitChoice {
    /// Name.
    pub name: String,
    /// Whether it suits this body.
    pub suits: bool,
    /// Why not.
    pub reason: Option<String>,
    /// A gait of the paper asks for a body of its own: pose, stiffness, constraints.
    pub style: Option<Style>,
}

/// See [`super::Request::Motion`].
#[derive(Clone, Debug, Serialize)]
pub struct MotionAnswer {
    /// One cycle, or what the ground needs.
    pub clip: ClipPart,
    /// What was measured.
    pub report: GaitReport,
    /// The gait that was played: its modes.
    pub components: Vec<Component>,
    /// Cycles per second.
    pub frequency: f64,
    /// The forces that it takes; null where no feet carry it.
    pub forces: Option<ForcePart>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// See [`super::Request::Set`].
#[derive(Clone, Debug, Serialize)]
pub struct SetAnswer {
    /// Clips that were made or left out.
    pub done: usize,
    /// How many there are in all, at most.
    pub most: usize,
    /// The clip that is made next; null when all are made.
    pub next: Option<String>,
}

/// Forces over one cycle, or what the ground needs. All in body weights.
#[derive(Clone, Debug, Serialize)]
pub struct ForcePart {
    /// s, one per key that was measured.
    pub times: Numbers,
    /// From front to hind, left before right.
    pub feet: Vec<FootPush>,
    /// The force that no foot could give.
    pub residual_force: Numbers,
    /// The moment that no foot could give, body weights × height of the centre of mass.
    pub residual_moment: Numbers,
    /// When the motion cannot be believed: from, to, from, to …, s.
    pub unbelieved: Numbers,
    /// A residual above this cannot be believed.
    pub believed: f64,
}

/// What pushes a foot.
#[derive(Clone, Debug, Serialize)]
pub struct FootPush {
    /// Name of its landmark.
    pub name: String,
    /// Up, one per key.
    pub up: Numbers,
}

/// See [`super::Request::Stand`].
#[derive(Clone, Debug, Serialize)]
pub struct StandAnswer {
    /// Times the stiffness of the request's style.
    pub factor: f64,
    /// The style with that stiffness.
    pub style: Style,
    /// What was found, in a sentence.
    pub text: String,
}

/// See [`super::Request::Reach`].
#[derive(Clone, Debug, Serialize)]
pub struct ReachAnswer {
    /// `nq` numbers.
    pub pose: Vec<f64>,
    /// The style's bends that make this pose.
    pub bend: Vec<(String, Vec<f64>)>,
    /// How far the worst point is from its place, m.
    pub miss: f64,
}

/// See [`super::Request::Simulate`].
#[derive(Clone, Debug, Serialize)]
pub struct SimulationAnswer {
    /// s
    pub time: f64,
    /// `nq` numbers.
    pub pose: Vec<f64>,
    /// m/s of the centre of mass along the ground
    pub speed: f64,
    /// Names of bodies that touch the ground.
    pub touching: Vec<String>,
    /// Kinetic, elastic and of weight, J.
    pub energy: [f64; 3],
    /// Why it cannot go on, if it cannot.
    pub diverged: Option<String>,
    /// What a user should know; at the start only.
    pub warnings: Vec<String>,
}

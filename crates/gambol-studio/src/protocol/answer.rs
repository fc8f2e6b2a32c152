//! What the engine answers.

use serde::Serialize;
use serde_json::Value;

use super::{CreatureWork, GaitWork, GallerySketch, SketchWork, StyleWork};

/// Numbers in the bytes of a message: f32, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Numbers {
    /// Where the first is, in bytes from the end of the head.
    pub offset: usize,
    /// How many.
    pub count: usize,
}

/// See [`super::Request::Hello`].
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// [`super::VERSION`].
    pub version: u32,
    /// Of gambol.
    pub program: String,
    /// In order.
    pub gallery: Vec<GalleryEntry>,
    /// In order.
    pub sketches: Vec<GallerySketch>,
    /// What the studio was started with.
    pub start: CreatureWork,
    /// And with which gait: the text of a gait file, if it was one.
    pub start_gait: Option<String>,
    /// Largest upload, bytes.
    pub most_bytes: usize,
}

/// A creature of the gallery.
#[derive(Clone, Debug, Serialize)]
pub struct GalleryEntry {
    /// Name.
    pub name: String,
    /// One line.
    pub about: String,
    /// SVG, three quarters.
    pub picture: String,
}

/// See [`super::Request::Keep`].
#[derive(Clone, Debug, Serialize)]
pub struct Kept {
    /// Where they are kept, together.
    pub bundle: String,
    /// Which of them is the creature.
    pub name: String,
}

/// A creature as the page draws it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreatureAnswer {
    /// Name.
    pub name: String,
    /// mjcf, urdf, gltf or recording.
    pub kind: String,
    /// kg
    pub mass: f64,
    /// From the lowest to the highest point in the reference pose, m.
    pub height: f64,
    /// Length of a pose.
    pub nq: usize,
    /// Length of a velocity.
    pub nv: usize,
    /// The world is body 0.
    pub bodies: Vec<BodyPart>,
    /// In the order of pose coordinates.
    pub joints: Vec<JointPart>,
    /// What it is drawn with where it has no skin.
    pub shapes: Vec<ShapePart>,
    /// Feet, knees, hands, head.
    pub landmarks: Vec<LandmarkPart>,
    /// Limbs and the joints in them, for a slider each.
    pub limbs: Vec<LimbPart>,
    /// Names of rest poses.
    pub poses: Vec<String>,
    /// Unit vector in the world, level.
    pub forward: [f64; 3],
    /// `nq` numbers.
    pub reference: Vec<f64>,
    /// What was guessed, in words.
    pub notes: Vec<String>,
    /// What a user should know.
    pub warnings: Vec<String>,
    /// glTF: how nodes follow bodies.
    pub skin: Option<SkinPart>,
    /// A recording's own motion: of a creature of its own, which may have other joints.
    pub recording: Option<Box<RecordingPart>>,
}

/// A body: MJCF's.
#[derive(Clone, Debug, Serialize)]
pub struct BodyPart {
    /// Unique.
    pub name: String,
    /// Index; of the world itself 0.
    pub parent: usize,
    /// Of its frame in the parent's, m.
    pub position: [f64; 3],
    /// The same.
    pub orientation: [f64; 4],
    /// Range of its joints: first, and one past the last.
    pub joints: [usize; 2],
    /// kg
    pub mass: f64,
    /// Centre of mass in its frame, m.
    pub com: [f64; 3],
}

/// A joint.
#[derive(Clone, Debug, Serialize)]
pub struct JointPart {
    /// Unique.
    pub name: String,
    /// Which it moves.
    pub body: usize,
    /// free, ball, hinge or slide
    pub kind: &'static str,
    /// In the body frame, m.
    pub anchor: [f64; 3],
    /// In the body frame.
    pub axis: [f64; 3],
    /// First pose coordinate.
    pub q: usize,
    /// First velocity coordinate.
    pub v: usize,
    /// Pose coordinate at which a hinge or slide is as the file drew it: angles count from there.
    pub reference: f64,
    /// rad or m
    pub limit: Option<[f64; 2]>,
    /// As the file has it, N·m/rad or N/m.
    pub stiffness: f64,
}

/// A shape on a body.
#[derive(Clone, Debug, Serialize)]
pub struct ShapePart {
    /// On which.
    pub body: usize,
    /// sphere, capsule, cylinder, box, ellipsoid or mesh
    pub kind: &'static str,
    /// sphere: radius; capsule, cylinder: radius and half length along z; box, ellipsoid: half sizes; mesh: none.
    pub size: Vec<f64>,
    /// In the body frame, m.
    pub position: [f64; 3],
    /// The same.
    pub orientation: [f64; 4],
    /// 0 to 1
    pub colour: [f32; 4],
    /// Of a mesh: corners, three numbers each.
    pub vertices: Option<Numbers>,
    /// Of a mesh: corners of triangles, as whole f32 numbers.
    pub triangles: Option<Numbers>,
}

/// A landmark.
#[derive(Clone, Debug, Serialize)]
pub struct LandmarkPart {
    /// `foot.front.left`
    pub name: String,
    /// foot, knee, hand, elbow, head, spine, tail...
    pub role: String,
    /// On which.
    pub body: usize,
    /// In the body frame, m.
    pub point: [f64; 3],
    /// Index.
    pub joint: Option<usize>,
    /// user, file or guess
    pub source: String,
    /// Why, in words.
    pub reason: String,
}

/// A limb.
#[derive(Clone, Debug, Serialize)]
pub struct LimbPart {
    /// `leg.front.left`, `spine`, `tail`
    pub name: String,
    /// Names.
    pub joints: Vec<String>,
    /// For [`StyleWork::scale`]: matches these joints and no others.
    pub pattern: String,
}

/// How the nodes of a glTF file follow bodies.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkinPart {
    /// Where the file is kept, and its name there: `None` for an uploaded one is never.
    pub bundle: String,
    /// The same.
    pub file: String,
    /// The creature's world from the file's scene: scale, then turn, then shift.
    pub scale: f64,
    /// The same.
    pub orientation: [f64; 4],
    /// The same, m.
    pub position: [f64; 3],
    /// Parents first.
    pub bones: Vec<BonePart>,
    /// Animations that the file came with.
    pub clips: Vec<String>,
}

/// A node that follows a body.
#[derive(Clone, Debug, Serialize)]
pub struct BonePart {
    /// Index of the file.
    pub node: usize,
    /// Index.
    pub body: usize,
    /// Of the node's frame (without its scale) in the body's, m of the creature.
    pub position: [f64; 3],
    /// The same.
    pub orientation: [f64; 4],
}

/// A recording's own motion.
#[derive(Clone, Debug, Serialize)]
pub struct RecordingPart {
    /// Who moves in it: for drawing.
    pub creature: CreatureAnswer,
    /// How.
    pub clip: ClipPart,
}

/// Poses over time.
#[derive(Clone, Debug, Serialize)]
pub struct ClipPart {
    /// Name.
    pub name: String,
    /// Number.
    pub keys: usize,
    /// s, one per key.
    pub times: Numbers,
    /// `nq` per key.
    pub poses: Numbers,
    /// s
    pub duration: f64,
    /// Of a loop: where the last pose is as seen from the first: rad about z, and m.
    pub stride: Option<StridePart>,
    /// When feet stand.
    pub contacts: Vec<ContactPart>,
}

/// A motion along the ground.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StridePart {
    /// rad about z through the world's origin
    pub yaw: f64,
    /// then m
    pub shift: [f64; 3],
}

/// When a foot stands.
#[derive(Clone, Debug, Serialize)]
pub struct ContactPart {
    /// Name of the landmark.
    pub name: String,
    /// On which.
    pub body: usize,
    /// In the body frame, m.
    pub point: [f64; 3],
    /// s, start and end.
    pub intervals: Vec<[f64; 2]>,
}

/// See [`super::Request::Body`].
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
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
    pub follows: Vec<Follow>,
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
    /// symmetric, antisymmetric or neither
    pub symmetry: &'static str,
}

/// What a mode of another body is on this one.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Follow {
    /// There.
    pub old: usize,
    /// Here.
    pub new: usize,
    /// Amplitude here for amplitude 1 there.
    pub factor: f64,
    /// 0 to 1
    pub likeness: f64,
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
    pub style: Option<StyleWork>,
}

/// See [`super::Request::Motion`].
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MotionAnswer {
    /// One cycle, or what the ground needs.
    pub clip: ClipPart,
    /// What was measured.
    pub report: MotionReport,
    /// The gait that was played: its modes.
    pub components: Vec<ComponentPart>,
    /// Cycles per second.
    pub frequency: f64,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// One mode of the gait that was played.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ComponentPart {
    /// Index.
    pub mode: usize,
    /// rad
    pub amplitude: f64,
    /// rad
    pub phase: f64,
    /// Multiple of the gait's frequency.
    pub harmonic: u32,
    /// rad
    pub offset: f64,
}

/// [`gambol::gait::Report`].
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MotionReport {
    /// m/s
    pub speed: f64,
    /// m
    pub stride_length: f64,
    /// Hz
    pub stride_frequency: f64,
    /// mm
    pub slip: Option<f64>,
    /// mm
    pub penetration: Option<f64>,
    /// v²/(g h)
    pub froude: Option<f64>,
    /// Per foot: name and share of the cycle that it stands.
    pub duty: Vec<(String, f64)>,
    /// What the ground changed, as a share of the energy of the modes.
    pub ground_correction: Option<f64>,
}

/// See [`super::Request::Stand`].
#[derive(Clone, Debug, Serialize)]
pub struct StandAnswer {
    /// Times the stiffness of the request's style.
    pub factor: f64,
    /// The style with that stiffness.
    pub style: StyleWork,
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

/// See [`super::Request::Export`].
#[derive(Clone, Debug, Serialize)]
pub struct ExportAnswer {
    /// A name for the file.
    pub name: String,
    /// What it is.
    pub mime: &'static str,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// See [`super::Request::ReadGait`].
#[derive(Clone, Debug, Serialize)]
pub struct GaitFileAnswer {
    /// The creature it was made for, as it says.
    pub creature: Option<CreatureWork>,
    /// Its body.
    pub style: StyleWork,
    /// The gait, with the file in it.
    pub gait: GaitWork,
    /// If it was no gait: the sketch, with the controller in it if it was one.
    pub sketch: Option<SketchWork>,
}

/// See [`super::Request::Share`].
#[derive(Clone, Debug, Serialize)]
pub struct Shared {
    /// Of the gait.
    pub name: String,
    /// Where the file is, for people.
    pub path: String,
}

/// See [`super::Request::Load`].
#[derive(Clone, Debug, Serialize)]
pub struct Loaded {
    /// What [`super::Request::Save`] kept, if it did.
    pub work: Option<Value>,
}

/// Adds numbers to the bytes of a message.
pub(crate) fn push(bytes: &mut Vec<u8>, numbers: impl IntoIterator<Item = f64>) -> Numbers {
    let offset = bytes.len();
    #[allow(clippy::cast_possible_truncation)] // a screen shows no more digits
    for number in numbers {
        bytes.extend((number as f32).to_le_bytes());
    }
    Numbers { offset, count: (bytes.len() - offset) / 4 }
}

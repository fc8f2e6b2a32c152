//! What a creature is, as the page draws it.

use gambol::model::{JointKind, Source as LandmarkSource};
use gambol::motion::{Contact, Stride};
use serde::Serialize;

use super::Numbers;

/// A creature as the page draws it.
#[derive(Clone, Debug, Serialize)]
pub struct CreatureAnswer {
    /// Name.
    pub name: String,
    /// What its file was.
    pub kind: FileKind,
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
    /// m/s²; other than the earth's where it goes in step with its own clips, or its file says so.
    pub gravity: f64,
    /// glTF: how nodes follow bodies.
    pub skin: Option<SkinPart>,
    /// glTF: what the gaits among the clips of its file say about its tempo.
    pub tempo: Option<TempoPart>,
    /// A recording's own motion: of a creature of its own, which may have other joints.
    pub recording: Option<Box<RecordingPart>>,
}

/// What a creature's file was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// Of the gallery, or MuJoCo's.
    Mjcf,
    /// Of ROS.
    Urdf,
    /// A skinned model.
    Gltf,
    /// BVH, ASF or AMC.
    Recording,
    /// MTG, SWC or a table; or of the gallery.
    Plant,
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
    /// What it lets move.
    pub kind: JointKind,
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
    /// Of what form.
    pub kind: ShapeKind,
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

/// The form of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShapeKind {
    /// A ball.
    Sphere,
    /// A cylinder with half balls at its ends.
    Capsule,
    /// Along z.
    Cylinder,
    /// With edges along the axes.
    Box,
    /// With axes along the axes.
    Ellipsoid,
    /// Triangles.
    Mesh,
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
    /// Who says so.
    pub source: LandmarkSource,
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
    /// For [`gambol::gait::Style::scale`]: matches these joints and no others.
    pub pattern: String,
}

/// How the nodes of a glTF file follow bodies.
#[derive(Clone, Debug, Serialize)]
pub struct SkinPart {
    /// Where the file is kept, and its name there.
    pub bundle: String,
    /// The same.
    pub file: String,
    /// The creature's world from the file's scene: scale, then turn, then shift.
    pub scale: f64,
    /// The same.
    pub orientation: [f64; 4],
    /// The same, m.
    pub position: [f64; 3],
    /// The node that travels. Where it follows no body it goes along the creature's way over the ground, with all that hangs on it.
    pub root: usize,
    /// Parents first.
    pub bones: Vec<BonePart>,
    /// Animations that the file came with.
    pub clips: Vec<String>,
}

/// The tempo of a file's own clips.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TempoPart {
    /// How many times as fast they are as its size has them.
    pub faster: f64,
    /// Whether an eye sees that.
    pub differs: bool,
    /// What they say; where it goes in step with them, what was taken.
    pub said: String,
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
    pub stride: Option<Stride>,
    /// When feet stand.
    pub contacts: Vec<Contact>,
}

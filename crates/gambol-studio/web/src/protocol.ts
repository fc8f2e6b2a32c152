// What the page and the engine say to each other. Written by `cargo xtask protocol` from crates/gambol-studio/src/protocol and
// the types of the library: change those.
// Lengths in metres, angles in radians, x forward, z up, quaternions w x y z.

export type Vec3 = [number, number, number]
export type Quat = [number, number, number, number]

/** Of the words below and of what the page saves; a page of another version is asked to reload. */
export const VERSION = 2

/** Where the root of a swinging mode is told. */
export const SWINGS = [-1, -0.5, 0, 0.5, 1]

/** Most time that a simulation goes on at once, s. */
export const MOST_ADVANCE = 0.25

/** Most trees of a forest. */
export const MOST_TREES = 20000

/** Most nodes of a tree that have displacements: the width of a texture that every card has. */
export const MOST_NODES = 2048

/** How many modes of a plant the page is told. */
export const PLANT_MODES = 25

/** Keys per second of a clip: from what is jerky to what no screen shows. */
export const FEWEST_KEYS = 5

/** The same. */
export const MOST_KEYS = 240

/** Most gaits in one file. */
export const MOST_GAITS = 32

/** Most steps of a search at once. */
export const MOST_STEPS = 100

/** Most bytes of the files of one `Request::Keep`: characters with large textures have 300 MB. */
export const MOST_BYTES = 512 << 20

/** See `Request::Hello`. */
export interface Hello {
  /** `VERSION`. */
  version: number
  /** Of gambol. */
  program: string
  /** In order. */
  gallery: GalleryEntry[]
  /** In order. */
  sketches: GallerySketch[]
  /** What the studio was started with. */
  start: CreatureWork
  /** And with which gait: the text of a gait file, if it was one. */
  start_gait: string | null
  /** Largest upload, bytes. */
  most_bytes: number
}

/** A file to keep. */
export interface NewFile {
  /** As dropped, perhaps with folders: `textures/fur.png`. */
  name: string
  /** Bytes. */
  size: number
}

/** See `Request::Keep`. */
export interface Kept {
  /** Where they are kept, together. */
  bundle: string
  /** Which of them is the creature. */
  name: string
}

/** A creature, and what the user set right about it. */
export interface CreatureWork {
  /** Where it comes from. */
  source: Source
  /** Landmarks: `foot.front.left` and the body, site or joint that it is; an empty target removes it. */
  landmarks: [string, string][]
  /** glTF and BVH: height in the pose of the file, m. */
  height: number | null
  /** glTF and BVH: mass of all of it, kg. */
  mass: number | null
  /** glTF: where it looks, in the axes of the file. */
  forward: Vec3 | null
  /** glTF: bones (by body name) and what they can do: `ball`, `hinge` or `fixed`. */
  joints: [string, JointType][]
  /** What hangs from the world floats instead. */
  free_root: boolean
  /** glTF: goes in step with the gaits among the clips of its file, rather than as its size has it. */
  own_tempo: boolean
}

/** A creature as the page draws it. */
export interface CreatureAnswer {
  /** Name. */
  name: string
  /** What its file was. */
  kind: FileKind
  /** kg */
  mass: number
  /** From the lowest to the highest point in the reference pose, m. */
  height: number
  /** Length of a pose. */
  nq: number
  /** Length of a velocity. */
  nv: number
  /** The world is body 0. */
  bodies: BodyPart[]
  /** In the order of pose coordinates. */
  joints: JointPart[]
  /** What it is drawn with where it has no skin. */
  shapes: ShapePart[]
  /** Feet, knees, hands, head. */
  landmarks: LandmarkPart[]
  /** Limbs and the joints in them, for a slider each. */
  limbs: LimbPart[]
  /** Names of rest poses. */
  poses: string[]
  /** Unit vector in the world, level. */
  forward: Vec3
  /** `nq` numbers. */
  reference: number[]
  /** What was guessed, in words. */
  notes: string[]
  /** What a user should know. */
  warnings: string[]
  /** m/s²; other than the earth's where it goes in step with its own clips, or its file says so. */
  gravity: number
  /** glTF: how nodes follow bodies. */
  skin: SkinPart | null
  /** glTF: what the gaits among the clips of its file say about its tempo. */
  tempo: TempoPart | null
  /** A recording's own motion: of a creature of its own, which may have other joints. */
  recording: RecordingPart | null
}

/** What is changed of the body before its modes are computed. */
export interface Style {
  /** Name of the rest pose; the creature's reference pose if not given. */
  pose: string | null
  /**
   * Joints by name, bent by hand on top of that pose: one number of a hinge (rad) or a slide (m), three of a ball, a
   * rotation vector along the axes of its body (rad), as `gambol_model::Creature::integrate` takes it.
   */
  bend: [string, number[]][]
  /** One stiffness for all joints, N·m/rad or N/m; the creature's own if not given. */
  stiffness: number | null
  /** Pattern over joint names, and the factor of their stiffness; in this order, after `stiffness`. */
  scale: [string, number][]
  /** Constraints of the analysis, as `gambol modes --constrain` takes them. */
  constraints: string[]
  /** Factor of every mass. A heavier body with the same springs sags, and stands longer on each foot. */
  weight: number
  /**
   * Factor of every stiffness at the same elastic energy: above 1 tense (stiffer springs; shorter, quicker steps),
   * below 1 relaxed.
   */
  tension: number
  /** Feet whose leg is hurt: its joints are stiff and it stands for a shorter time. */
  injured: string[]
}

/** See `Request::Body`. */
export interface BodyAnswer {
  /** All modes, rigid ones first, then by frequency. */
  modes: ModePart[]
  /** `nv` numbers per mode: its shape, largest joint angle 1. */
  shapes: Numbers
  /**
   * Of each mode the root at `SWINGS` times `swing`: position, quaternion w x y z (7 numbers each). Joints go straight
   * along the shape; the root between these.
   */
  roots: Numbers
  /** Amplitude that shows a mode well, rad. */
  swing: number
  /** The rest pose with bends, `nq` numbers. */
  pose: number[]
  /** Of each joint as it is now, N·m/rad or N/m. */
  stiffness: number[]
  /** kg */
  mass: number
  /** Of each of the request's marks. */
  follows: Counterpart[]
}

/** See `Request::Gaits`. */
export interface GaitsAnswer {
  /** All of them. */
  gaits: GaitChoice[]
}

/** How the creature moves. */
export interface GaitWork extends Wish {
  /** A gait of the list; none: only the modes of `edits` move. */
  name: string | null
  /** A gait file's text, which stands instead of a designed gait; `name` is its name. */
  file: string | null
  /** rad/s to the left */
  turn: number
  /** Of the ground, up along x, rad. */
  slope: number
  /** Whether feet meet the ground; else the modes alone, in the air. */
  ground: boolean
  /** Modes that the user moved by hand, on top of the designed gait. */
  edits: ModeEdit[]
}

/** See `Request::Motion`. */
export interface MotionAnswer {
  /** One cycle, or what the ground needs. */
  clip: ClipPart
  /** What was measured. */
  report: GaitReport
  /** The gait that was played: its modes. */
  components: Component[]
  /** Cycles per second. */
  frequency: number
  /** The forces that it takes; null where no feet carry it. */
  forces: ForcePart | null
  /** What a user should know. */
  warnings: string[]
}

/** See `Request::Stand`. */
export interface StandAnswer {
  /** Times the stiffness of the request's style. */
  factor: number
  /** The style with that stiffness. */
  style: Style
  /** What was found, in a sentence. */
  text: string
}

/** A point and where it shall be. */
export interface Goal extends BodyPoint {
  /** In the world, m. */
  target: Vec3
}

/** See `Request::Reach`. */
export interface ReachAnswer {
  /** `nq` numbers. */
  pose: number[]
  /** The style's bends that make this pose. */
  bend: [string, number[]][]
  /** How far the worst point is from its place, m. */
  miss: number
}

/**
 * See `Request::Plant`. All that moves a forest of it: matrices P and Φ of Diener et al. 2009, figure 5, and what is
 * drawn.
 */
export interface PlantAnswer {
  /** Name. */
  name: string
  /** Of the whole plant. */
  nodes: number
  /** kg */
  mass: number
  /** m */
  height: number
  /** The larger of its two widths, m. */
  width: number
  /** Middle of its crown, m. */
  middle: Vec3
  /** What grows on its twigs. */
  foliage: Foliage
  /** What was guessed or left out, in words. */
  notes: string[]
  /** Damping of the wood, C = α M + β K: 1/s and s. */
  damping: [number, number]
  /** The slowest first. */
  modes: PlantModePart[]
  /** Nodes that have displacements, the root first: places at rest, three numbers each, m. */
  places: Numbers
  /** Of each of these its parent among them; the root's is 0. */
  parents: Numbers
  /** Of each of these the radius of what ends there, m. */
  radii: Numbers
  /** v of equation 18 for each mode and then each of these nodes: x, y, z. */
  shapes: Numbers
  /** w of equation 18, the same. */
  bends: Numbers
  /**
   * What modes leave of the displacement under steady wind along each axis, then for each of these nodes: m per (m/s)².
   */
  residual: Numbers
  /** The finest first. */
  levels: LevelPart[]
  /** Gusts that a wind carries along. */
  gusts: GustPart
}

/** See `Request::Forest`. */
export interface ForestAnswer {
  /**
   * T: x, y, z (m), turn (rad) and size of each tree. Turns and sizes are of a few kinds, so that trees share their
   * oscillators' steps.
   */
  trees: Numbers
}

/** What moves a simulated creature. */
export type DriveWork =
  /** Springs alone. */
  | { by: 'passive' }
  /** The springs' rest pose follows a gait. */
  | { by: 'gait'; gait: GaitWork }
  /** The springs' rest pose swings along modes. */
  | { by: 'pump'; modes: PumpedMode[] }
  /** A controller: the stride that was found of a sketch. */
  | { by: 'controller'; sketch: SketchWork }

/** See `Request::Simulate`. */
export interface SimulationAnswer {
  /** s */
  time: number
  /** `nq` numbers. */
  pose: number[]
  /** m/s of the centre of mass along the ground */
  speed: number
  /** Names of bodies that touch the ground. */
  touching: string[]
  /** Kinetic, elastic and of weight, J. */
  energy: Vec3
  /** Why it cannot go on, if it cannot. */
  diverged: string | null
  /** What a user should know; at the start only. */
  warnings: string[]
}

/** A sketch of a controller, and what was found of it. */
export interface SketchWork extends Sketch {
  /** None: nothing yet. */
  found: FoundWork | null
}

/** See `Request::Sketch`. */
export interface SketchAnswer {
  /** The sketch: that of the request with its modes counted anew, or one that suits the creature. */
  sketch: SketchWork
  /** Modes of the free creature. */
  flight: BasisPart
  /** Modes with the toes of the stance pinned. */
  ground: BasisPart
  /** Names of all feet. */
  feet: string[]
  /** How many numbers a search looks for. */
  numbers: number
}

/** See `Request::Preview`. */
export interface PreviewAnswer {
  /** It floats. */
  clip: ClipPart
}

/** See `Request::Search`. */
export interface SearchAnswer {
  /** What it is at. */
  doing: Doing
  /** 0 is the initialisation. */
  round: number
  /** Cycles simulated so far. */
  evaluations: number
  /** Largest gap of the best candidate of this round, in parts of the tolerance. */
  round_gap: number | null
  /** The best candidate of all; none before the first step. */
  best: CandidatePart | null
  /** How the search ended, if it did. */
  outcome: OutcomePart | null
  /** What the best candidate does, if it is another one than when the page was told last. */
  clip: ClipPart | null
  /** The best candidate as a controller file, and all that the search goes on from; if it was asked for. */
  kept: KeptSearch | null
}

/** See `Request::Set`. */
export interface SetAnswer {
  /** Clips that were made or left out. */
  done: number
  /** How many there are in all, at most. */
  most: number
  /** The clip that is made next; null when all are made. */
  next: string | null
}

/** What is taken home. */
export type ExportWork =
  /** The set that was made, as GLB. */
  | { of: 'set'; gait: string | null }
  /** A gait. */
  | { of: 'gait'; gait: GaitWork }
  /** Several gaits of one body, as a clip each in one glTF. */
  | { of: 'gaits'; gaits: GaitWork[] }
  /** The last minute of the simulation. */
  | { of: 'simulation' }
  /** A plant in a wind, as `gambol wind` has it. */
  | { of: 'wind'; wind: WindWork }
  /** The stride that was found of a sketch. */
  | { of: 'controller'; sketch: SketchWork }

/** See `Request::Export`. */
export interface ExportAnswer {
  /** A name for the file. */
  name: string
  /** What it is. */
  mime: string
  /** What a user should know. */
  warnings: string[]
}

/** See `Request::ReadGait`. */
export interface GaitFileAnswer {
  /** The creature it was made for, as it says. */
  creature: CreatureWork | null
  /** Its body. */
  style: Style
  /** The gait, with the file in it. */
  gait: GaitWork
  /** If it was no gait: the sketch, with the controller in it if it was one. */
  sketch: SketchWork | null
}

/** See `Request::Share`. */
export interface Shared {
  /** Of the gait. */
  name: string
  /** Where the file is, for people. */
  path: string
}

/** See `Request::Load`. */
export interface Loaded {
  /** What `Request::Save` kept, if it did. */
  work: unknown | null
}

/** A creature of the gallery. */
export interface GalleryEntry {
  /** Name. */
  name: string
  /** One line. */
  about: string
  /** SVG, three quarters. */
  picture: string
  /** Whether wind moves it. */
  plant: boolean
}

/** A sketch of the gallery. */
export interface GallerySketch {
  /** Name. */
  name: string
  /** Of which creature. */
  creature: string
  /** The file. */
  text: string
}

/** Where a creature comes from. */
export type Source =
  /** By name. */
  | { from: 'gallery'; name: string }
  /** A file that is kept. */
  | { from: 'file'; bundle: string; name: string }

/** What a bone can do. */
export type JointType =
  /** Float: the root. */
  | 'free'
  /** Turn about every axis. */
  | 'ball'
  /** Turn about one axis. */
  | 'hinge'
  /** Nothing. */
  | 'fixed'

/** What a creature's file was. */
export type FileKind =
  /** Of the gallery, or MuJoCo's. */
  | 'mjcf'
  /** Of ROS. */
  | 'urdf'
  /** A skinned model. */
  | 'gltf'
  /** BVH, ASF or AMC. */
  | 'recording'
  /** MTG, SWC or a table; or of the gallery. */
  | 'plant'

/** A body: MJCF's. */
export interface BodyPart {
  /** Unique. */
  name: string
  /** Index; of the world itself 0. */
  parent: number
  /** Of its frame in the parent's, m. */
  position: Vec3
  /** The same. */
  orientation: Quat
  /** Range of its joints: first, and one past the last. */
  joints: [number, number]
  /** kg */
  mass: number
  /** Centre of mass in its frame, m. */
  com: Vec3
}

/** A joint. */
export interface JointPart {
  /** Unique. */
  name: string
  /** Which it moves. */
  body: number
  /** What it lets move. */
  kind: JointKind
  /** In the body frame, m. */
  anchor: Vec3
  /** In the body frame. */
  axis: Vec3
  /** First pose coordinate. */
  q: number
  /** First velocity coordinate. */
  v: number
  /** Pose coordinate at which a hinge or slide is as the file drew it: angles count from there. */
  reference: number
  /** rad or m */
  limit: [number, number] | null
  /** As the file has it, N·m/rad or N/m. */
  stiffness: number
}

/** A shape on a body. */
export interface ShapePart {
  /** On which. */
  body: number
  /** Of what form. */
  kind: ShapeKind
  /** sphere: radius; capsule, cylinder: radius and half length along z; box, ellipsoid: half sizes; mesh: none. */
  size: number[]
  /** In the body frame, m. */
  position: Vec3
  /** The same. */
  orientation: Quat
  /** 0 to 1 */
  colour: [number, number, number, number]
  /** Of a mesh: corners, three numbers each. */
  vertices: Numbers | null
  /** Of a mesh: corners of triangles, as whole f32 numbers. */
  triangles: Numbers | null
}

/** A landmark. */
export interface LandmarkPart {
  /** `foot.front.left` */
  name: string
  /** foot, knee, hand, elbow, head, spine, tail... */
  role: string
  /** On which. */
  body: number
  /** In the body frame, m. */
  point: Vec3
  /** Index. */
  joint: number | null
  /** Who says so. */
  source: LandmarkSource
  /** Why, in words. */
  reason: string
}

/** A limb. */
export interface LimbPart {
  /** `leg.front.left`, `spine`, `tail` */
  name: string
  /** Names. */
  joints: string[]
  /** For `gambol::gait::Style::scale`: matches these joints and no others. */
  pattern: string
}

/** How the nodes of a glTF file follow bodies. */
export interface SkinPart {
  /** Where the file is kept, and its name there. */
  bundle: string
  /** The same. */
  file: string
  /** The creature's world from the file's scene: scale, then turn, then shift. */
  scale: number
  /** The same. */
  orientation: Quat
  /** The same, m. */
  position: Vec3
  /**
   * The node that travels. Where it follows no body it goes along the creature's way over the ground, with all that
   * hangs on it.
   */
  root: number
  /** Parents first. */
  bones: BonePart[]
  /** Animations that the file came with. */
  clips: string[]
}

/** The tempo of a file's own clips. */
export interface TempoPart {
  /** How many times as fast they are as its size has them. */
  faster: number
  /** Whether an eye sees that. */
  differs: boolean
  /** What they say; where it goes in step with them, what was taken. */
  said: string
}

/** A recording's own motion. */
export interface RecordingPart {
  /** Who moves in it: for drawing. */
  creature: CreatureAnswer
  /** How. */
  clip: ClipPart
}

/** A mode. */
export interface ModePart {
  /** Position in the list. */
  index: number
  /** Hz; 0 for a rigid motion. */
  frequency: number
  /** What it looks like. */
  name: string
  /** Whether it moves the body as a whole. */
  rigid: boolean
  /** How left and right go together. */
  symmetry: Symmetry
}

/** Numbers in the bytes of a message: f32, little-endian. */
export interface Numbers {
  /** Where the first is, in bytes from the end of the head. */
  offset: number
  /** How many. */
  count: number
}

/** A mode of one body, found again on another. */
export interface Counterpart {
  /** Its number on the body that it comes from. */
  old: number
  /** The number of the mode that is most like it. */
  new: number
  /**
   * Amplitude of the new mode per amplitude of the old one, at the same kinetic energy; negative where the shapes point
   * opposite ways.
   */
  factor: number
  /**
   * |cosine| of the two shapes in the metric of the mass: 1 for the same shape. Below 0.7 the eye sees another motion.
   */
  likeness: number
}

/** A gait of the list. */
export interface GaitChoice {
  /** Name. */
  name: string
  /** Whether it suits this body. */
  suits: boolean
  /** Why not. */
  reason: string | null
  /** A gait of the paper asks for a body of its own: pose, stiffness, constraints. */
  style: Style | null
}

/** What the user asks of a gait; everything else follows from the body. */
export interface Wish {
  /** m/s */
  speed: number | null
  /** Cycles per second. */
  frequency: number | null
  /** m per cycle */
  stride_length: number | null
  /** Share of the cycle that a foot stands. */
  duty: number | null
  /**
   * Vibrations to be seen in the gait, the green ones of Nunes et al. 2012, section 4.3: favoured where they serve the
   * legs, and added where they do not.
   */
  prefer: number[]
  /** Vibrations that the gait must not use, the red ones. */
  avoid: number[]
}

/** What a user says about one mode of a gait; what is not said stays. */
export interface ModeEdit {
  /** Index. */
  mode: number
  /** rad of the joint that moves most */
  amplitude?: number | null
  /** rad */
  phase?: number | null
  /** A lasting offset, rad. */
  offset?: number | null
  /** Multiple of the gait's frequency: 1 or 2. */
  harmonic?: number | null
}

/** Poses over time. */
export interface ClipPart {
  /** Name. */
  name: string
  /** Number. */
  keys: number
  /** s, one per key. */
  times: Numbers
  /** `nq` per key. */
  poses: Numbers
  /** s */
  duration: number
  /** Of a loop: where the last pose is as seen from the first: rad about z, and m. */
  stride: Stride | null
  /** When feet stand. */
  contacts: Contact[]
}

/** Measured on the finished poses, not taken from the parameters. */
export interface GaitReport {
  /** m/s */
  speed: number
  /** m per cycle */
  stride_length: number
  /** Cycles per second. */
  stride_frequency: number
  /** From front to hind, left before right. */
  feet: FootReport[]
  /** Way of a standing foot along the ground: the worst, mm; `None` without feet on the ground. */
  slip_mm: number | null
  /** The mean over all stances, mm. */
  mean_slip_mm: number | null
  /** The worst slip in percent of the leg's length. */
  slip_percent_leg: number | null
  /** How far a foot is at most from where it should be, mm: more than a little where legs do not reach. */
  foot_miss_mm: number | null
  /** Depth of the lowest point below the ground, mm. */
  penetration_mm: number | null
  /** Distance of last and first pose, less the stride: rad and m, the largest. */
  loop_gap: number
  /** How far a joint is past its limit at most, rad (or m). */
  limit_overshoot_rad: number
  /** Elastic energy of what the ground changed, as a share of that of the modal motion. */
  ground_correction_energy: number | null
  /**
   * Elastic energy of the motion along the vibrations of the gait, as a share of that of the whole motion: how much of
   * its style comes from the body.
   */
  modal_share: number | null
  /** v²/(g h); `None` for a legless creature. */
  froude: number | null
  /**
   * Force that no foot could give, body weights, root mean square (`crate::ForceFigures::residual_force`); this and all
   * that follows is `None` without feet on the ground.
   */
  residual_force: number | null
  /** Moment that no foot could give, body weights × height of the centre of mass, root mean square. */
  residual_moment: number | null
  /** The largest residual force, and when. */
  worst_force: WorstResidual | null
  /** The largest residual moment, and when. */
  worst_moment: WorstResidual | null
  /** The centre of mass from its lowest to its highest, as a share of its mean height. */
  com_swing: number | null
  /**
   * When it is lowest, in cycles of its own from the middle of the stances: 0 in a run, ±0.5 in a stiff-legged walk.
   */
  com_phase: number | null
  /** The heaviest body from its lowest to its highest, as a share of its mean height. */
  trunk_swing: number | null
  /** What the joints give, J per cycle. */
  positive_work: number | null
  /** What the joints take, J per cycle. */
  negative_work: number | null
  /** What the joints give per weight and way. */
  cost_of_transport: number | null
}

/** One term of equation 4: α u sin(2π f̃ t + γ) + β u. */
export interface Component {
  /** Index of the mode; rigid motions come first (2 is the body's rise, 4 its pitch). */
  mode: number
  /** α, rad of the joint that moves most; of a rigid mode m or rad. */
  amplitude: number
  /** γ, rad */
  phase: number
  /** f̃ as a multiple of the gait's frequency: 1, or 2 for what happens at every step. */
  harmonic: number
  /** β, rad: a lasting offset of posture along this mode. */
  offset: number
}

/** Forces over one cycle, or what the ground needs. All in body weights. */
export interface ForcePart {
  /** s, one per key that was measured. */
  times: Numbers
  /** From front to hind, left before right. */
  feet: FootPush[]
  /** The force that no foot could give. */
  residual_force: Numbers
  /** The moment that no foot could give, body weights × height of the centre of mass. */
  residual_moment: Numbers
  /** When the motion cannot be believed: from, to, from, to …, s. */
  unbelieved: Numbers
  /** A residual above this cannot be believed. */
  believed: number
}

/** A point fixed to a body. */
export interface BodyPoint {
  /** Index of the body; 0 is the world. */
  body: number
  /** In the body frame, m. */
  point: Vec3
}

/** What grows on the twigs of a plant. */
export type Foliage =
  /** Leaves at the tips and along the last twigs. */
  | 'broad'
  /** Sprays of needles along all branches. */
  | 'needles'
  /** Leaflets on both sides of every branch. */
  | 'fronds'
  /** None: the blades are the stems. */
  | 'blades'

/** A mode of a plant as an oscillator. */
export interface PlantModePart {
  /** Hz */
  frequency: number
  /** What it looks like. */
  name: string
  /** ω², rad²/s² */
  omega_squared: number
  /** p of equation 16. */
  projection: Vec3
  /** C ∫ D φ φᵀ, row by row, of which the air's damping follows. */
  drag: [Vec3, Vec3, Vec3]
  /** a, b and the largest coordinate of equation 18: s = a arctan(b q). */
  bend: Vec3
  /** Largest displacement of a node per unit of its coordinate. */
  reach: number
}

/** The plant as it is drawn at some distance. */
export interface LevelPart {
  /** Of the tubes: corners, three numbers each, m. */
  positions: Numbers
  /** The same. */
  normals: Numbers
  /** Of each corner: the two nodes that it follows, and how much the second counts. */
  joints: Numbers
  /** Corners of triangles, as whole f32 numbers. */
  triangles: Numbers
  /**
   * Nine numbers each: middle x, y, z and half length (m), flutter's phase (rad) and rate (Hz), two nodes and the share
   * of the second.
   */
  leaves: Numbers
  /** Of each leaf, from stalk to tip: x, y, z. */
  outs: Numbers
}

/** Gusts on a square that repeats itself. */
export interface GustPart {
  /** Cells along a side. */
  side: number
  /** Of a side, m. */
  length: number
  /** Along, across and up, row by row across the wind: standard deviation along it 1. */
  field: Numbers
}

/** One mode that is pumped. */
export interface PumpedMode {
  /** Index. */
  mode: number
  /** rad */
  amplitude?: number | null
  /** rad */
  phase?: number | null
  /** Hz */
  frequency?: number | null
}

/** A sketch of a gait. */
export interface Sketch {
  /** What it is called. */
  name: string
  /** A name of the gallery or a file. */
  creature: string
  /** The pose in which the springs are at rest; none: the creature's reference pose. */
  pose: string | null
  /** How the legs take turns. */
  legs: Legs
  /** Names of the feet that stand; the first half cycle is theirs. None: the first foot. */
  stance: string[]
  /** k_s in parts of the creature's own stiffness. */
  stiffness: number
  /** k_d / k_s of every joint, s. The paper's 0.1 s overdamps all that is faster than 3.2 Hz. */
  damping: number
  /** T to begin with, s. */
  period: number
  /** α to begin with: the share of a foot's cycle that it flies. */
  flight_share: number
  /** δ to begin with, in flight and on the ground, s. */
  bursts: [number, number]
  /** Forward, to begin with, m/s. */
  speed: number
  /** Least mean speed, m/s; the paper's 2. A quarter of it is the least at any time. */
  least_speed: number
  /**
   * Most effort, N²m²: mean of the sum of squared active torques; the paper's 500 000. It goes with the square of the
   * weight and of the length of the legs.
   */
  most_effort: number
  /**
   * Height of the centre of mass by which the paper's other thresholds are measured, m: 1 of its runner. Lengths go
   * with it, speeds with its square root, rates with the inverse of that.
   */
  size: number
  /** Of a swinging foot. */
  flight: Palette
  /** Of a standing foot. */
  ground: Palette
}

/** The best stride of a search, as the page keeps it. */
export interface FoundWork {
  /** Of the search. */
  seed: number
  /** A controller file: all numbers of the stride, bit for bit. None before the first candidate. */
  controller: string | null
  /** How far the search came. */
  status: FoundStatus
  /** Of a search that stalled: what is short, and by how much; without a number where that is not finite. */
  short: [string, number | null] | null
  /** Cycles simulated. */
  evaluations: number
  /** m/s */
  speed: number
  /** Largest gap in parts of the tolerance. */
  gap: number | null
}

/** The modes of one phase: what `BodyAnswer` says of a body's. */
export interface BasisPart {
  /** All modes, rigid ones first, then by frequency. */
  modes: ModePart[]
  /** `nv` numbers per mode. */
  shapes: Numbers
  /** Of each mode the root at `SWINGS`. */
  roots: Numbers
  /** Amplitude that shows a mode well, rad. */
  swing: number
  /** The rest pose. */
  pose: number[]
  /** Modes that a search may use, green ones first. */
  active: number[]
}

/** What a search is at. */
export type Doing =
  /** Generations of CMA-ES. */
  | 'sampling'
  /** Newton's method closes the gaps. */
  | 'closing'
  /** Descents make a candidate cheaper that breaks no constraint. */
  | 'improving'
  /** The problem's own lead makes the gaps even smaller. */
  | 'sealing'
  /** Nothing more: it has converged. */
  | 'done'

/** The best candidate of a search. */
export interface CandidatePart {
  /** f = w₀ E_v E_e + w_s Σ E; none where that is not finite. */
  value: number | null
  /** E_v E_e, the objective. */
  product: number | null
  /** Mean, forward, m/s. */
  speed: number
  /** Largest gap in parts of the tolerance; below 1 the cycle repeats itself. */
  gap: number | null
  /** The easy constraints by name; 0 where one is met. */
  constraints: [string, number | null][]
}

/** How a search ended. */
export type OutcomePart =
  /** All constraints are met. */
  | { how: 'converged' }
  /** It spent what it had. */
  | { how: 'stalled'; constraint: string; by: number | null }

/** What outlives an engine. */
export interface KeptSearch {
  /** The best candidate. */
  controller: string | null
  /** For `Request::Search`. */
  checkpoint: string
}

/** A wind to take home: `gambol wind`'s options. */
export interface WindWork {
  /** m/s, east and north. */
  wind: [number, number]
  /** Strength of gusts in parts of the mean speed. */
  gusts: number
  /** Of the gusts. */
  seed: number
  /** How many modes move. */
  modes: number
  /** How many times as stiff as wood usually is. */
  stiffness: number
  /** How many times as much the wood damps. */
  damping: number
}

/** What a joint lets move. */
export type JointKind =
  /** Three translations in the world and three rotations in the body. */
  | 'free'
  /** Three rotations in the body. */
  | 'ball'
  /** One translation. */
  | 'slide'
  /** One rotation. */
  | 'hinge'

/** The form of a shape. */
export type ShapeKind =
  /** A ball. */
  | 'sphere'
  /** A cylinder with half balls at its ends. */
  | 'capsule'
  /** Along z. */
  | 'cylinder'
  /** With edges along the axes. */
  | 'box'
  /** With axes along the axes. */
  | 'ellipsoid'
  /** Triangles. */
  | 'mesh'

/** How a landmark came to be known. */
export type LandmarkSource =
  /** The file names it. */
  | 'file'
  /** Found from the tree, the geometry and the symmetry of the body. */
  | 'guess'
  /** The user said so. */
  | 'user'

/** A node that follows a body. */
export interface BonePart {
  /** Index of the file. */
  node: number
  /** Index. */
  body: number
  /** Of the node's frame (without its scale) in the body's, m of the creature. */
  position: Vec3
  /** The same. */
  orientation: Quat
}

/** How left and right go together. */
export type Symmetry =
  /** Both sides do the same, reflected: bounding, splaying. */
  | 'symmetric'
  /** One side does the opposite of the other's reflection: alternating legs, twists, sideways bends. */
  | 'antisymmetric'
  /** Neither, or the creature has no mirror symmetry. */
  | 'neither'

/** A motion along the ground: a turn about the vertical through the world's origin, then a shift. */
export interface Stride {
  /** rad about z */
  yaw: number
  /** m */
  shift: Vec3
}

/** A foot and the times at which it stands. */
export interface Contact {
  /** Name of the landmark, e.g. `foot.front.left`. */
  name: string
  /** The body that stands. */
  body: number
  /** The point of it that stays where it is, in the body frame, m. */
  point: Vec3
  /** Start and end, s, within the clip; of a looping clip, one that runs over the end appears as two. */
  intervals: [number, number][]
}

/** How one foot stands. */
export interface FootReport {
  /** Name of its landmark. */
  name: string
  /** Share of the cycle that it stands. */
  duty: number
  /** Start and end in cycle fractions, 0 ≤ start < 1, start < end; the end is above 1 where it runs over the end. */
  stance: [number, number][]
  /** Worst way along the ground in stance, mm. */
  slip_mm: number
  /** Largest force that it would take, body weights; `None` where none was measured. */
  peak_force: number | null
  /** Its share of all vertical push. */
  load: number | null
}

/** Where a residual is largest. */
export interface WorstResidual {
  /** Body weights, or body weights × height of the centre of mass. */
  value: number
  /** s */
  time: number
  /** Share of the clip, 0 to 1. */
  cycle: number
}

/** What pushes a foot. */
export interface FootPush {
  /** Name of its landmark. */
  name: string
  /** Up, one per key. */
  up: Numbers
}

/** How the legs take turns. */
export type Legs =
  /** Left and right do the same half a cycle apart: running. */
  | 'alternate'
  /** All feet that stand do so at the same time: hopping on one leg or on two. */
  | 'together'

/** The modes of one phase. */
export interface Palette {
  /** What is to be seen. */
  priority: Priority[]
  /** What may help besides; none: the twelve lowest vibrations that are not excluded. */
  permissible: number[] | null
  /** What must not be seen. */
  excluded: number[]
}

/** How a stride was found. */
export type FoundStatus =
  /** The search goes on. */
  | 'running'
  /** The user stopped it. */
  | 'stopped'
  /** All constraints are met. */
  | 'converged'
  /** The search spent what it had. */
  | 'stalled'
  /** It came in a file, and does not meet all constraints. */
  | 'opened'

/** A mode that is to be seen. */
export interface Priority {
  /** Index in the basis of its phase; in flight the first vibration is 6. */
  mode: number
  /** The least amplitude, with its sign, rad: see `Active::torque`. */
  amplitude: number
}

/** Requests, and what answers them. */
export interface Requests {
  /** Who is there: the gallery, and what the studio was started with. */
  'hello': {
    ask: {}
    answer: Hello
  }
  /** Keep files: their contents are the bytes, one after the other. */
  'keep': {
    ask: {
      /** In the order of the bytes. */
      files: NewFile[]
    }
    answer: Kept
  }
  /** The bytes of a kept file. */
  'file': {
    ask: {
      /** Where it is kept. */
      bundle: string
      /** Its name there. */
      name: string
    }
    answer: {}
  }
  /** Read a creature. */
  'creature': {
    ask: {
      /** Which. */
      creature: CreatureWork
    }
    answer: CreatureAnswer
  }
  /** The modes of a body. */
  'body': {
    ask: {
      /** Whose. */
      creature: CreatureWork
      /** As it is now. */
      style: Style
      /** As it was when `marks` were made. */
      from?: Style | null
      /** Modes of the body as it was; the answer says which they are now. */
      marks?: number[]
    }
    answer: BodyAnswer
  }
  /** Which gaits suit a body. */
  'gaits': {
    ask: {
      /** Whose. */
      creature: CreatureWork
      /** Of its body. */
      style: Style
    }
    answer: GaitsAnswer
  }
  /** Play a gait. */
  'motion': {
    ask: {
      /** Whose. */
      creature: CreatureWork
      /** Of its body. */
      style: Style
      /** Which. */
      gait: GaitWork
    }
    answer: MotionAnswer
  }
  /** The least stiffness that carries the weight. */
  'stand': {
    ask: {
      /** Whose. */
      creature: CreatureWork
      /** Of its body; its stiffness is replaced. */
      style: Style
    }
    answer: StandAnswer
  }
  /** Pull points of the body to places: inverse kinematics from the rest pose. */
  'reach': {
    ask: {
      /** Whose. */
      creature: CreatureWork
      /** Of its body, with the bends so far. */
      style: Style
      /** What is pulled where. */
      pulls: Goal[]
    }
    answer: ReachAnswer
  }
  /** A plant as what wind moves. */
  'plant': {
    ask: {
      /** Which. */
      creature: CreatureWork
      /** How many nodes have displacements; the others follow them. */
      nodes: number
    }
    answer: PlantAnswer
  }
  /** Where the trees of a forest stand. */
  'forest': {
    ask: {
      /** Of which plant. */
      creature: CreatureWork
      /** How many, at most `MOST_TREES`. */
      trees: number
      /** In one row, and not in a wood. */
      row: boolean
      /** Of their places. */
      seed: number
    }
    answer: ForestAnswer
  }
  /** Begin a simulation; one at a time. */
  'simulate': {
    ask: {
      /** Whose. */
      creature: CreatureWork
      /** Of its body. */
      style: Style
      /** What moves it. */
      drive: DriveWork
      /** Whether there is a ground. */
      ground: boolean
      /** Of the ground, up along x, rad. */
      slope?: number
      /** Whether springs are made stiff enough to carry it, and a hand holds its trunk upright. */
      help?: boolean
    }
    answer: SimulationAnswer
  }
  /** Go on with the simulation. */
  'advance': {
    ask: {
      /** s of the creature's time, at most `MOST_ADVANCE`. */
      seconds: number
      /** What the mouse pulls. */
      pull?: Goal | null
    }
    answer: SimulationAnswer
  }
  /** The modes of a sketch's two phases. */
  'sketch': {
    ask: {
      /** Whose. */
      creature: CreatureWork
      /** None: one that suits the creature. */
      sketch: SketchWork | null
      /** As it was when its modes were marked: the answer's sketch has them as they are counted now. */
      from?: SketchWork | null
    }
    answer: SketchAnswer
  }
  /** What the bursts of a sketch alone do, without gravity and ground. */
  'preview': {
    ask: {
      /** Whose. */
      creature: CreatureWork
      /** Which. */
      sketch: SketchWork
    }
    answer: PreviewAnswer
  }
  /** The cycle that was found of a sketch. */
  'cycle': {
    ask: {
      /** Whose. */
      creature: CreatureWork
      /** Which. */
      sketch: SketchWork
    }
    answer: PreviewAnswer
  }
  /** Begin a search for a controller, or go on with one; one at a time. */
  'search': {
    ask: {
      /** Whose. */
      creature: CreatureWork
      /** Of what. */
      sketch: SketchWork
      /** Of all random numbers. */
      seed: number
      /** Of a search with the same sketch and seed. */
      checkpoint?: string | null
    }
    answer: SearchAnswer
  }
  /** Go on with the search. */
  'improve': {
    ask: {
      /** At most `MOST_STEPS`; each takes up to a few tenths of a second. */
      steps: number
      /** Whether to tell all that outlives the engine. */
      keep?: boolean
    }
    answer: SearchAnswer
  }
  /** End the search. */
  'stop': {
    ask: {}
    answer: {}
  }
  /** Go on with a set of clips for a game, by one clip; or begin it, where another was asked for last. */
  'set': {
    ask: {
      /** Whose. */
      creature: CreatureWork
      /** Of its body. */
      style: Style
      /** The gait that the style belongs to: what came with that is not for the others. */
      gait?: string | null
    }
    answer: SetAnswer
  }
  /** A file to take home. */
  'export': {
    ask: {
      /** Whose. */
      creature: CreatureWork
      /** Of its body. */
      style: Style
      /** What moves. */
      what: ExportWork
      /** As what: glb, gltf, bvh, json, npz, png, svg, gif, apng, gait, rig, sketch or controller. */
      format: string
      /** Whether it stays in place. */
      in_place?: boolean
      /** s, made whole cycles; one cycle if not given. */
      seconds?: number | null
      /** What the clip of a gait or controller is called; as that is if not given. */
      name?: string | null
      /** Keys per second of gaits, `FEWEST_KEYS` to `MOST_KEYS`; 60 if not given. */
      keys?: number | null
    }
    answer: ExportAnswer
  }
  /** Read a gait, a sketch or a controller. */
  'read-gait': {
    ask: {
      /** Its text. */
      text: string
      /** What a sketch is of that names no creature of the gallery. */
      creature?: CreatureWork | null
    }
    answer: GaitFileAnswer
  }
  /** Keep the gait as a file of its own that a link opens. */
  'share': {
    ask: {
      /** A wish; letters, digits, `-`, `_` and `.`. */
      name: string
      /** Whose. */
      creature: CreatureWork
      /** Of its body. */
      style: Style
      /** Which. */
      gait: GaitWork
      /** The sketch, if it is that and not the gait that is kept. */
      sketch?: SketchWork | null
    }
    answer: Shared
  }
  /** The gait that a link names. */
  'open-shared': {
    ask: {
      /** As `Shared::name` has it. */
      name: string
      /** As in `Self::ReadGait`. */
      creature?: CreatureWork | null
    }
    answer: GaitFileAnswer
  }
  /** Keep the user's work. */
  'save': {
    ask: {
      /** Of the tab: letters and digits. */
      tab: string
      /** All of it, as the page likes: the engine does not look inside. */
      work: unknown
    }
    answer: {}
  }
  /** What was kept. */
  'load': {
    ask: {
      /** Of the tab. */
      tab: string
    }
    answer: Loaded
  }
}

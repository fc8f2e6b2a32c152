// What the page and the engine say to each other: crates/gambol-studio/src/protocol in TypeScript.
// Lengths in metres, angles in radians, x forward, z up, quaternions w x y z.

export const VERSION = 1

export type Vec3 = [number, number, number]
export type Quat = [number, number, number, number]

/** Numbers (f32) in the bytes of a message. */
export interface Numbers { offset: number; count: number }

// --- what the user made ---

export type Source = { from: 'gallery'; name: string } | { from: 'file'; bundle: string; name: string }

export interface CreatureWork {
  source: Source
  /** Landmark name and target (body, site or joint); an empty target removes it. */
  landmarks: [string, string][]
  height: number | null
  mass: number | null
  /** In the axes of the glTF file. */
  forward: Vec3 | null
  /** Body name and 'ball' | 'hinge' | 'fixed'. */
  joints: [string, string][]
  freeRoot: boolean
}

export interface StyleWork {
  pose: string | null
  bend: [string, number[]][]
  stiffness: number | null
  /** Pattern over joint names and factor. */
  scale: [string, number][]
  constraints: string[]
  weight: number
  tension: number
  injured: string[]
}

export interface ModeEdit {
  mode: number
  amplitude?: number | null
  phase?: number | null
  offset?: number | null
  harmonic?: number | null
}

export interface GaitWork {
  name: string | null
  /** Text of a gait file that stands instead of a designed gait. */
  file: string | null
  speed: number | null
  stride: number | null
  frequency: number | null
  duty: number | null
  turn: number
  slope: number
  ground: boolean
  prefer: number[]
  avoid: number[]
  edits: ModeEdit[]
}

export type PhaseName = 'flight' | 'ground'

export interface PaletteWork {
  /** Green: least amplitude with its sign, rad. */
  priority: { mode: number; amplitude: number }[]
  /** What may help besides; null: the twelve lowest vibrations. */
  permissible: number[] | null
  /** Red. */
  excluded: number[]
}

/** The best stride of a search. */
export interface FoundWork {
  seed: number
  /** A controller file. */
  controller: string | null
  status: 'running' | 'stopped' | 'converged' | 'stalled' | 'opened'
  /** Of a search that stalled: what is short, and by how much. */
  short: [string, number] | null
  evaluations: number
  speed: number
  gap: number | null
}

export interface SketchWork {
  name: string
  pose: string | null
  legs: 'alternate' | 'together'
  stance: string[]
  stiffness: number
  damping: number
  period: number
  flightShare: number
  bursts: [number, number]
  speed: number
  leastSpeed: number
  /** N²m² */
  mostEffort: number
  flight: PaletteWork
  ground: PaletteWork
  found: FoundWork | null
}

export interface Work { version: number; creature: CreatureWork; style: StyleWork; gait: GaitWork; sketch: SketchWork | null }

export interface Pull { body: number; point: Vec3; target: Vec3 }

export interface PumpedMode { mode: number; amplitude?: number | null; phase?: number | null; frequency?: number | null }

export type DriveWork =
  | { by: 'passive' }
  | { by: 'gait'; gait: GaitWork }
  | { by: 'pump'; modes: PumpedMode[] }
  | { by: 'controller'; sketch: SketchWork }

export type ExportWork = { of: 'gait'; gait: GaitWork } | { of: 'simulation' } | { of: 'controller'; sketch: SketchWork }

// --- answers ---

export interface Hello {
  version: number
  program: string
  gallery: { name: string; about: string; picture: string }[]
  sketches: { name: string; creature: string; text: string }[]
  start: CreatureWork
  /** Text of the gait file that the studio was started with. */
  startGait: string | null
  mostBytes: number
}

export interface Kept { bundle: string; name: string }

export interface BodyPart {
  name: string
  parent: number
  position: Vec3
  orientation: Quat
  joints: [number, number]
  mass: number
  com: Vec3
}

export interface JointPart {
  name: string
  body: number
  kind: 'free' | 'ball' | 'hinge' | 'slide'
  anchor: Vec3
  axis: Vec3
  q: number
  v: number
  reference: number
  limit: [number, number] | null
  stiffness: number
}

export interface ShapePart {
  body: number
  kind: 'sphere' | 'capsule' | 'cylinder' | 'box' | 'ellipsoid' | 'mesh'
  size: number[]
  position: Vec3
  orientation: Quat
  colour: [number, number, number, number]
  vertices: Numbers | null
  triangles: Numbers | null
}

export interface LandmarkPart {
  name: string
  role: string
  body: number
  point: Vec3
  joint: number | null
  source: string
  reason: string
}

export interface LimbPart { name: string; joints: string[]; pattern: string }

export interface BonePart { node: number; body: number; position: Vec3; orientation: Quat }

export interface SkinPart {
  bundle: string
  file: string
  scale: number
  orientation: Quat
  position: Vec3
  bones: BonePart[]
  clips: string[]
}

export interface CreatureAnswer {
  name: string
  kind: 'mjcf' | 'urdf' | 'gltf' | 'recording'
  mass: number
  height: number
  nq: number
  nv: number
  bodies: BodyPart[]
  joints: JointPart[]
  shapes: ShapePart[]
  landmarks: LandmarkPart[]
  limbs: LimbPart[]
  poses: string[]
  forward: Vec3
  reference: number[]
  notes: string[]
  warnings: string[]
  skin: SkinPart | null
  recording: { creature: CreatureAnswer; clip: ClipPart } | null
}

export interface ClipPart {
  name: string
  keys: number
  times: Numbers
  poses: Numbers
  duration: number
  stride: { yaw: number; shift: Vec3 } | null
  contacts: { name: string; body: number; point: Vec3; intervals: [number, number][] }[]
}

export interface ModePart {
  index: number
  frequency: number
  name: string
  rigid: boolean
  symmetry: 'symmetric' | 'antisymmetric' | 'neither'
}

/** Where the root of a swinging mode is told, in parts of the swing. */
export const SWINGS = [-1, -0.5, 0, 0.5, 1]

export interface BodyAnswer {
  modes: ModePart[]
  /** nv per mode */
  shapes: Numbers
  /** SWINGS.length × 7 per mode: position, quaternion */
  roots: Numbers
  swing: number
  pose: number[]
  stiffness: number[]
  mass: number
  follows: { old: number; new: number; factor: number; likeness: number }[]
}

export interface GaitsAnswer {
  gaits: { name: string; suits: boolean; reason: string | null; style: StyleWork | null }[]
}

export interface ComponentPart { mode: number; amplitude: number; phase: number; harmonic: number; offset: number }

export interface MotionReport {
  speed: number
  strideLength: number
  strideFrequency: number
  slip: number | null
  penetration: number | null
  froude: number | null
  duty: [string, number][]
  groundCorrection: number | null
}

export interface MotionAnswer {
  clip: ClipPart
  report: MotionReport
  components: ComponentPart[]
  frequency: number
  warnings: string[]
}

export interface StandAnswer { factor: number; style: StyleWork; text: string }
export interface ReachAnswer { pose: number[]; bend: [string, number[]][]; miss: number }

export interface SimulationAnswer {
  time: number
  pose: number[]
  speed: number
  touching: string[]
  energy: Vec3
  diverged: string | null
  warnings: string[]
}

export interface ExportAnswer { name: string; mime: string; warnings: string[] }
export interface GaitFileAnswer { creature: CreatureWork | null; style: StyleWork; gait: GaitWork; sketch: SketchWork | null }
export interface Shared { name: string; path: string }
export interface BasisPart {
  modes: ModePart[]
  shapes: Numbers
  roots: Numbers
  swing: number
  pose: number[]
  /** Modes that a search may use, green ones first. */
  active: number[]
}

export interface SketchAnswer {
  /** With its modes counted anew, if it was asked for. */
  sketch: SketchWork
  flight: BasisPart
  ground: BasisPart
  feet: string[]
  /** How many numbers a search looks for. */
  numbers: number
}

export interface PreviewAnswer { clip: ClipPart }

/** Numbers that are not finite come as null. */
export interface CandidatePart {
  value: number | null
  product: number | null
  speed: number
  /** In parts of the tolerance: below 1 the cycle repeats itself. */
  gap: number | null
  constraints: [string, number | null][]
}

export interface SearchAnswer {
  doing: 'sampling' | 'closing' | 'improving' | 'sealing' | 'done'
  round: number
  evaluations: number
  roundGap: number | null
  best: CandidatePart | null
  outcome: { how: 'converged' } | { how: 'stalled'; constraint: string; by: number | null } | null
  clip: ClipPart | null
  kept: { controller: string | null; checkpoint: string } | null
}

export interface Loaded { work: unknown | null }

// --- requests, and what answers them ---

interface Of { creature: CreatureWork; style: StyleWork }

export interface Requests {
  'hello': { ask: {}; answer: Hello }
  'keep': { ask: { files: { name: string; size: number }[] }; answer: Kept }
  'file': { ask: { bundle: string; name: string }; answer: {} }
  'creature': { ask: { creature: CreatureWork }; answer: CreatureAnswer }
  'body': { ask: Of & { from?: StyleWork; marks?: number[] }; answer: BodyAnswer }
  'gaits': { ask: Of; answer: GaitsAnswer }
  'motion': { ask: Of & { gait: GaitWork }; answer: MotionAnswer }
  'stand': { ask: Of; answer: StandAnswer }
  'reach': { ask: Of & { pulls: Pull[] }; answer: ReachAnswer }
  'simulate': { ask: Of & { drive: DriveWork; ground: boolean; slope?: number; help?: boolean }; answer: SimulationAnswer }
  'advance': { ask: { seconds: number; pull?: Pull | null }; answer: SimulationAnswer }
  'sketch': { ask: { creature: CreatureWork; sketch: SketchWork | null; from?: SketchWork }; answer: SketchAnswer }
  'preview': { ask: { creature: CreatureWork; sketch: SketchWork }; answer: PreviewAnswer }
  'cycle': { ask: { creature: CreatureWork; sketch: SketchWork }; answer: PreviewAnswer }
  'search': { ask: { creature: CreatureWork; sketch: SketchWork; seed: number; checkpoint?: string | null }; answer: SearchAnswer }
  'improve': { ask: { steps: number; keep?: boolean }; answer: SearchAnswer }
  'stop': { ask: {}; answer: {} }
  'export': {
    ask: Of & { what: ExportWork; format: string; inPlace?: boolean; seconds?: number | null }
    answer: ExportAnswer
  }
  'read-gait': { ask: { text: string; creature?: CreatureWork }; answer: GaitFileAnswer }
  'share': { ask: Of & { name: string; gait: GaitWork; sketch?: SketchWork | null }; answer: Shared }
  'open-shared': { ask: { name: string; creature?: CreatureWork }; answer: GaitFileAnswer }
  'save': { ask: { tab: string; work: unknown }; answer: {} }
  'load': { ask: { tab: string }; answer: Loaded }
}

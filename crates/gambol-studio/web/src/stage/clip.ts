import type { ClipPart, CreatureAnswer, Vec3 } from '../protocol'
import { type Bytes, numbersOf } from './bytes'
import { multiply, type Out, slerp } from './rigid'

/** A foot that stands. */
export interface Standing { name: string; body: number; pointInBody: Vec3 }

/** A motion along the ground: rad about z through the world's origin, then m. */
export interface Way { yaw: number; shift: Vec3 }

/** Plays a clip at any time: a loop goes on for ever, a stride further with every cycle. */
export class ClipPlayer {
  readonly creature: CreatureAnswer
  readonly clip: ClipPart
  private readonly times: Float32Array
  private readonly poses: Float32Array
  /** Coordinates that are not quaternions, and where quaternions start. */
  private readonly scalars: number[] = []
  private readonly quaternions: number[] = []

  constructor(creature: CreatureAnswer, clip: ClipPart, bytes: Bytes) {
    this.creature = creature
    this.clip = clip
    this.times = numbersOf(bytes, clip.times)
    this.poses = numbersOf(bytes, clip.poses)
    for (const joint of creature.joints) {
      if (joint.kind === 'ball') this.quaternions.push(joint.q)
      else this.scalars.push(joint.q)
      if (joint.kind === 'free') {
        this.scalars.push(joint.q + 1, joint.q + 2)
        this.quaternions.push(joint.q + 3)
      }
    }
  }

  /** s */
  get duration(): number {
    return this.clip.duration
  }

  get loops(): boolean {
    return this.clip.stride !== null && this.clip.duration > 0
  }

  /**
   * out ← the pose at a time in seconds. In place: without its way over the ground, so that the creature stays near
   * where it starts and the ground may pass by.
   */
  at(time: number, out: Out, options: { inPlace?: boolean } = {}): Out {
    const cycles = this.loops ? Math.floor(time / this.duration) : 0
    this.between(time - cycles * this.duration, out)
    if (cycles !== 0) this.moveOn(this.wayAfter(cycles), out)
    if (options.inPlace) this.moveOn(inverse(this.wayAfter(this.loops ? time / this.duration : this.shareOf(time))), out)
    return out
  }

  /**
   * How far the creature has come after a number of cycles, which need not be whole: the steady turn and shift (a
   * screw about the vertical) that leads to the stride. A clip that does not loop goes straight from its first pose to
   * its last.
   */
  wayAfter(cycles: number): Way {
    const { yaw, shift } = this.clip.stride ?? { yaw: 0, shift: this.shiftOverall() }
    const [ux, uy] = divide([shift[0], shift[1]], meanTurn(yaw))
    const [vx, vy] = meanTurn(yaw * cycles)
    const whole = Math.abs(yaw) > Math.PI && Math.abs(Math.sin(yaw / 2)) < WHOLE_TURN
    const level = whole ? [shift[0], shift[1]] : [vx * ux - vy * uy, vx * uy + vy * ux]
    return { yaw: yaw * cycles, shift: [level[0]! * cycles, level[1]! * cycles, shift[2] * cycles] }
  }

  /** Feet that stand at a time in seconds. */
  contactsAt(time: number): Standing[] {
    const inCycle = this.inCycle(time)
    return this.clip.contacts
      .filter(({ intervals }) => intervals.some(([start, end]) => start <= inCycle && inCycle <= end))
      .map(({ name, body, point }) => ({ name, body, pointInBody: point }))
  }

  /** The time within the clip that stands for any time: wrapped in a loop, else kept at the ends. */
  inCycle(time: number): number {
    if (!this.loops) return Math.min(Math.max(time, 0), this.duration)
    return time - Math.floor(time / this.duration) * this.duration
  }

  private shareOf(time: number): number {
    return this.duration > 0 ? this.inCycle(time) / this.duration : 0
  }

  private shiftOverall(): Vec3 {
    const root = this.creature.joints.find((joint) => joint.kind === 'free')
    const last = (this.clip.keys - 1) * this.creature.nq
    if (!root || last <= 0) return [0, 0, 0]
    const along = (k: number) => this.poses[last + root.q + k]! - this.poses[root.q + k]!
    return [along(0), along(1), 0]
  }

  /** out ← the pose at a time within the clip, on the shortest way between its neighbouring keys. */
  private between(time: number, out: Out): void {
    const { times, poses } = this
    const nq = this.creature.nq
    let before = 0
    let after = Math.max(this.clip.keys - 1, 0)
    while (after - before > 1) {
      const middle = (before + after) >> 1
      if (times[middle]! <= time) before = middle
      else after = middle
    }
    const span = times[after]! - times[before]!
    const share = span > 0 ? Math.min(Math.max((time - times[before]!) / span, 0), 1) : 0
    const a = before * nq
    const b = after * nq
    for (const k of this.scalars) out[k] = poses[a + k]! + share * (poses[b + k]! - poses[a + k]!)
    for (const k of this.quaternions) slerp(poses, a + k, poses, b + k, share, out, k)
  }

  private moveOn(way: Way, out: Out): void {
    const cosine = Math.cos(way.yaw)
    const sine = Math.sin(way.yaw)
    const turn = [Math.cos(way.yaw / 2), 0, 0, Math.sin(way.yaw / 2)]
    for (const { kind, q } of this.creature.joints) {
      if (kind !== 'free') continue
      const x = out[q]!
      const y = out[q + 1]!
      out[q] = cosine * x - sine * y + way.shift[0]
      out[q + 1] = sine * x + cosine * y + way.shift[1]
      out[q + 2]! += way.shift[2]
      multiply(turn, 0, out, q + 3, out, q + 3)
    }
  }
}

/** How far a pose has come from the reference pose over the ground: where its root went, and turned about the vertical. */
export function wayOfRoot(creature: CreatureAnswer, pose: ArrayLike<number>): Way {
  const root = creature.joints.find((joint) => joint.kind === 'free')
  if (!root) return { yaw: 0, shift: [0, 0, 0] }
  const { q } = root
  // The turn nearest to a turn about the vertical: of r = pose · reference⁻¹ the parts w and z.
  const [aw, ax, ay, az] = [0, 1, 2, 3].map((k) => pose[q + 3 + k]!) as [number, number, number, number]
  const [bw, bx, by, bz] = [0, 1, 2, 3].map((k) => creature.reference[q + 3 + k]! * (k ? -1 : 1)) as [number, number, number, number]
  const yaw = 2 * Math.atan2(aw * bz + az * bw + ax * by - ay * bx, aw * bw - ax * bx - ay * by - az * bz)
  const [x, y] = [creature.reference[q]!, creature.reference[q + 1]!]
  const [cosine, sine] = [Math.cos(yaw), Math.sin(yaw)]
  return { yaw, shift: [pose[q]! - cosine * x + sine * y, pose[q + 1]! - sine * x - cosine * y, 0] }
}

/** A stride whose turn is closer than this to whole turns has no centre, rad: the same as gambol-motion's. */
const WHOLE_TURN = 1e-9

function inverse({ yaw, shift }: Way): Way {
  const cosine = Math.cos(yaw)
  const sine = Math.sin(yaw)
  const [x, y, z] = shift
  return { yaw: -yaw, shift: [-cosine * x - sine * y, sine * x - cosine * y, -z] }
}

/** The mean of all turns from 0 to ψ as a complex number: sin(ψ/2)/(ψ/2) · e^{iψ/2}. */
function meanTurn(yaw: number): [number, number] {
  const length = yaw === 0 ? 1 : Math.sin(yaw / 2) / (yaw / 2)
  return [length * Math.cos(yaw / 2), length * Math.sin(yaw / 2)]
}

function divide([ax, ay]: [number, number], [bx, by]: [number, number]): [number, number] {
  const square = bx * bx + by * by
  return square > 0 ? [(ax * bx + ay * by) / square, (ay * bx - ax * by) / square] : [0, 0]
}

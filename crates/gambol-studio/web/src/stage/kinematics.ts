import type { CreatureAnswer, JointPart } from '../protocol'
import { multiply, normalise, type Out, type Reals, rotate } from './rigid'

/** Where the bodies of a creature are: gambol-dynamics' forward kinematics and gambol-model's integrate. */
export class Kinematics {
  readonly creature: CreatureAnswer
  private readonly inWorld: Float64Array

  constructor(creature: CreatureAnswer) {
    this.creature = creature
    this.inWorld = new Float64Array(7 * creature.bodies.length)
    this.inWorld[3] = 1
  }

  /**
   * Frames of all bodies in the world, seven numbers each: position, quaternion w x y z. The array belongs to this
   * object and is written anew by the next call.
   */
  frames(q: Reals): Float64Array {
    const { bodies, joints } = this.creature
    const frames = this.inWorld
    for (let index = 1; index < bodies.length; index++) {
      const body = bodies[index]!
      const own = 7 * index
      const parent = 7 * body.parent
      rotate(frames, parent + 3, body.position, 0, frames, own)
      for (let k = 0; k < 3; k++) frames[own + k]! += frames[parent + k]!
      multiply(frames, parent + 3, body.orientation, 0, frames, own + 3)
      for (let j = body.joints[0]; j < body.joints[1]; j++) move(frames, own, joints[j]!, q)
    }
    return frames
  }

  /** out ← q ⊕ v dt. `out` may be `q`. Free joints shift along the world axes and turn about the body axes. */
  integrate(q: Reals, v: Reals, dt: number, out: Out): void {
    for (const joint of this.creature.joints) {
      switch (joint.kind) {
        case 'free':
          for (let k = 0; k < 3; k++) out[joint.q + k] = q[joint.q + k]! + v[joint.v + k]! * dt
          turn(q, joint.q + 3, v, joint.v + 3, dt, out)
          break
        case 'ball':
          turn(q, joint.q, v, joint.v, dt, out)
          break
        default:
          out[joint.q] = q[joint.q]! + v[joint.v]! * dt
      }
    }
  }

  /** The first free joint: the one whose coordinates are the creature's place in the world. */
  get root(): JointPart | null {
    return this.creature.joints.find((joint) => joint.kind === 'free') ?? null
  }
}

const turning = new Float64Array(4)
const lever = new Float64Array(3)

/** Moves the frame at `own` along a joint. */
function move(frames: Float64Array, own: number, joint: JointPart, q: Reals): void {
  switch (joint.kind) {
    case 'free':
      for (let k = 0; k < 7; k++) frames[own + k] = q[joint.q + k]!
      normalise(frames, own + 3)
      return
    case 'slide': {
      rotate(frames, own + 3, joint.axis, 0, lever, 0)
      const distance = q[joint.q]! - joint.reference
      for (let k = 0; k < 3; k++) frames[own + k]! += lever[k]! * distance
      return
    }
    case 'hinge': {
      const half = (q[joint.q]! - joint.reference) / 2
      turning[0] = Math.cos(half)
      for (let k = 0; k < 3; k++) turning[k + 1] = joint.axis[k]! * Math.sin(half)
      break
    }
    case 'ball':
      for (let k = 0; k < 4; k++) turning[k] = q[joint.q + k]!
      normalise(turning, 0)
  }
  // The anchor stays where it is: position ← anchor − turned anchor.
  rotate(frames, own + 3, joint.anchor, 0, lever, 0)
  for (let k = 0; k < 3; k++) frames[own + k]! += lever[k]!
  multiply(frames, own + 3, turning, 0, frames, own + 3)
  rotate(frames, own + 3, joint.anchor, 0, lever, 0)
  for (let k = 0; k < 3; k++) frames[own + k]! -= lever[k]!
}

const unturned = new Float64Array(4)

/** Turns a quaternion by the angular velocity at `vi`, in the body frame, for `dt`. */
function turn(q: Reals, qi: number, v: Reals, vi: number, dt: number, out: Out): void {
  const x = v[vi]! * dt / 2, y = v[vi + 1]! * dt / 2, z = v[vi + 2]! * dt / 2
  const half = Math.hypot(x, y, z)
  // sin x / x = 1 − x²/6 to double precision below 1e-4.
  const sinc = half < 1e-4 ? 1 - half * half / 6 : Math.sin(half) / half
  turning[0] = Math.cos(half)
  turning[1] = x * sinc
  turning[2] = y * sinc
  turning[3] = z * sinc
  for (let k = 0; k < 4; k++) unturned[k] = q[qi + k]!
  multiply(unturned, 0, turning, 0, out, qi)
  normalise(out, qi)
}

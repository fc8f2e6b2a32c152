import { type BodyAnswer, type CreatureAnswer, SWINGS } from '../protocol'
import { type Bytes, numbersOf } from './bytes'
import { Kinematics } from './kinematics'
import { normalise, type Out, type Reals } from './rigid'

/** What is told of modes. */
export type Basis = Pick<BodyAnswer, 'modes' | 'shapes' | 'roots' | 'swing' | 'pose'>

/** Poses of swinging modes. */
export class ModeSwings {
  readonly kinematics: Kinematics
  readonly body: Basis
  private readonly shapes: Float32Array
  private readonly roots: Float32Array

  constructor(creature: CreatureAnswer, body: Basis, bytes: Bytes) {
    this.kinematics = new Kinematics(creature)
    this.body = body
    this.shapes = numbersOf(bytes, body.shapes)
    this.roots = numbersOf(bytes, body.roots)
  }

  get count(): number {
    return this.body.modes.length
  }

  /** The shape of a mode: nv numbers, largest joint angle 1. */
  shape(mode: number): Float32Array {
    const { nv } = this.kinematics.creature
    return this.shapes.subarray(mode * nv, (mode + 1) * nv)
  }

  /**
   * out ← the rest pose moved along a mode by `share` (−1 to 1) of the amplitude that shows it well. Joints go straight
   * along the shape; the root goes through the places that the engine tells.
   */
  pose(mode: number, share: number, out: Out): Out {
    this.kinematics.integrate(this.body.pose, this.shape(mode), share * this.body.swing, out)
    const root = this.kinematics.root
    if (root) through(this.roots, 7 * SWINGS.length * mode, share, out, root.q)
    return out
  }
}

/** Weights of the polynomial of least degree through values at `SWINGS`: Lagrange's. */
function weights(share: number): number[] {
  return SWINGS.map((own) =>
    SWINGS.reduce((product, other) => (other === own ? product : product * (share - other) / (own - other)), 1),
  )
}

/**
 * out ← the frame at `share` on the smooth curve through five frames. They lie close together, within the swing of one
 * mode, so the quaternions may be blended and scaled back to length 1: the error against a path on the sphere is of the
 * same order as that of the curve.
 */
function through(frames: Reals, first: number, share: number, out: Out, at: number): void {
  const weight = weights(share)
  for (let k = 0; k < 7; k++) out[at + k] = 0
  for (let i = 0; i < weight.length; i++) {
    const frame = first + 7 * i
    const middle = first + 7 * 2
    let alike = 0
    for (let k = 3; k < 7; k++) alike += frames[frame + k]! * frames[middle + k]!
    // q and −q are one turn: take that near the middle one.
    const sign = alike < 0 ? -1 : 1
    for (let k = 0; k < 7; k++) out[at + k]! += weight[i]! * frames[frame + k]! * (k < 3 ? 1 : sign)
  }
  normalise(out, at + 3)
}

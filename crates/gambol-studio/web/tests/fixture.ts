import type { BodyAnswer, ClipPart, CreatureAnswer, Vec3 } from '../src/protocol'
import told from './fixture.json'

/** What the library computes: written by crates/gambol-studio/tests/all/page_fixture.rs. */
export interface Fixture {
  creature: CreatureAnswer
  poses: { velocity: number[]; time: number; pose: number[]; frames: number[] }[]
  clip: {
    times: number[]
    poses: number[][]
    stride: { yaw: number; shift: Vec3 }
    at: number[]
    sampled: number[][]
    keysInPlace: number[][]
  }
  modes: { shape: number[]; roots: number[]; swing: number; pose: number[]; shares: number[]; poses: number[][] }
}

export const FIXTURES = told as unknown as Record<'odd' | 'dog', Fixture>

/** A clip as the engine sends it. */
export function clipOf({ clip, creature }: Fixture): { part: ClipPart; bytes: Uint8Array<ArrayBuffer> } {
  const numbers = new Float32Array([...clip.times, ...clip.poses.flat()])
  const keys = clip.times.length
  const part: ClipPart = {
    name: 'wander',
    keys,
    times: { offset: 0, count: keys },
    poses: { offset: 4 * keys, count: keys * creature.nq },
    duration: clip.times.at(-1)!,
    stride: clip.stride,
    contacts: [
      { name: 'one', body: 1, point: [0, 0, 0], intervals: [[0, 0.25], [0.75, 1]] },
      { name: 'other', body: 2, point: [0, 0, 0], intervals: [[0.3, 0.6]] },
    ],
  }
  return { part, bytes: new Uint8Array(numbers.buffer) }
}

/** A body with one mode, as the engine sends it. */
export function bodyOf({ modes }: Fixture): { body: BodyAnswer; bytes: Uint8Array<ArrayBuffer> } {
  const numbers = new Float32Array([...modes.shape, ...modes.roots])
  const body: BodyAnswer = {
    modes: [{ index: 0, frequency: 1, name: '', rigid: false, symmetry: 'neither' }],
    shapes: { offset: 0, count: modes.shape.length },
    roots: { offset: 4 * modes.shape.length, count: modes.roots.length },
    swing: modes.swing,
    pose: modes.pose,
    stiffness: [],
    mass: 1,
    follows: [],
  }
  return { body, bytes: new Uint8Array(numbers.buffer) }
}

/** Largest difference of two poses or lists of frames; a quaternion and its negative are one turn. */
export function difference(creature: CreatureAnswer, a: ArrayLike<number>, b: ArrayLike<number>): number {
  let largest = 0
  const compare = (from: number, count: number) => {
    let [same, opposite] = [0, 0]
    for (let k = from; k < from + count; k++) {
      same = Math.max(same, Math.abs(a[k]! - b[k]!))
      opposite = Math.max(opposite, Math.abs(a[k]! + b[k]!))
    }
    largest = Math.max(largest, count === 4 ? Math.min(same, opposite) : same)
  }
  for (const { kind, q } of creature.joints) {
    if (kind === 'ball') compare(q, 4)
    else compare(q, kind === 'free' ? 3 : 1)
    if (kind === 'free') compare(q + 3, 4)
  }
  return largest
}

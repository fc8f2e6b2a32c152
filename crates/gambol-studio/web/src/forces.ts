import type { ForcePart } from './protocol'
import { type Bytes, numbersOf } from './stage'

/** Forces over a cycle as a chart draws them: body weights at times, s. */
export interface ForceCurves {
  times: number[]
  feet: { name: string; up: ArrayLike<number> }[]
  /** Of all feet. */
  sum: number[]
  /** What no foot could give: the force, or the moment where that is larger. */
  residual: number[]
  /** When the motion cannot be believed, s. */
  unbelieved: [number, number][]
  /** A residual above this cannot be believed. */
  believed: number
  /** The largest residual. */
  worst: number
  /** Upper end of the chart: whole body weights, two at least. */
  most: number
}

/** A chart goes up to at least two body weights, so that who stands is not at its edge, and never to more than this. */
const SHOWN = { least: 2, most: 20 }

/** `end`, s, of a loop, whose last key is its first again. */
export function forceCurves(part: ForcePart, bytes: Bytes, end: number | null): ForceCurves {
  const plain = (numbers: ForcePart['times']) => Array.from(numbersOf(bytes, numbers))
  const list = (numbers: ForcePart['times']) => {
    const values = plain(numbers)
    return end === null ? values : [...values, values[0]!]
  }
  const times = end === null ? plain(part.times) : [...plain(part.times), end]
  const feet = part.feet.map(({ name, up }) => ({ name, up: list(up) }))
  const sum = times.map((_, key) => feet.reduce((all, { up }) => all + up[key]!, 0))
  const moment = list(part.residual_moment)
  const residual = list(part.residual_force).map((force, key) => Math.max(force, moment[key]!))
  const ends = plain(part.unbelieved)
  const unbelieved = ends.flatMap((from, k): [number, number][] => (k % 2 === 0 ? [[from, ends[k + 1]!]] : []))
  const worst = Math.max(0, ...residual)
  const most = Math.min(Math.max(SHOWN.least, Math.ceil(Math.max(worst, ...sum))), SHOWN.most)
  return { times, feet, sum, residual, unbelieved, believed: part.believed, worst, most }
}

// Solids of a body: how far away, and where a ray meets them. All in the frame of the shape unless said otherwise.

import type { CreatureAnswer, ShapePart, Vec3 } from '../protocol'
import { multiply, type Reals, rotate } from './rigid'

/** Solids whose surface is smooth everywhere: they flow together into one skin. */
export function isRound(shape: ShapePart): boolean {
  return shape.kind === 'sphere' || shape.kind === 'capsule' || shape.kind === 'ellipsoid'
}

/** Half the thickness of a solid where it is thinnest, m. */
export function thickness(shape: ShapePart): number {
  switch (shape.kind) {
    case 'box':
    case 'ellipsoid':
      return Math.min(shape.size[0]!, shape.size[1]!, shape.size[2]!)
    default:
      return shape.size[0] ?? 0
  }
}

/** The farthest a solid reaches from its own origin along each of its axes, m; of a mesh see its vertices. */
export function halfSizes(shape: ShapePart): Vec3 {
  const [a = 0, b = 0, c = 0] = shape.size
  switch (shape.kind) {
    case 'sphere': return [a, a, a]
    case 'capsule': return [a, a, a + b]
    case 'cylinder': return [a, a, b]
    default: return [a, b, c]
  }
}

const local = new Float64Array(3)
const inverse = new Float64Array(4)

/** out ← frame of a shape in the world. */
export function shapeFrame(shape: ShapePart, frames: Reals, out: Float64Array): void {
  const f = 7 * shape.body
  rotate(frames, f + 3, shape.position, 0, out, 0)
  for (let k = 0; k < 3; k++) out[k]! += frames[f + k]!
  multiply(frames, f + 3, shape.orientation, 0, out, 3)
}

function toLocal(frame: Float64Array, x: number, y: number, z: number): void {
  inverse[0] = frame[3]!
  for (let k = 1; k < 4; k++) inverse[k] = -frame[3 + k]!
  local[0] = x - frame[0]!
  local[1] = y - frame[1]!
  local[2] = z - frame[2]!
  rotate(inverse, 0, local, 0, local, 0)
}

const start = new Float64Array(3)
const way = new Float64Array(3)

/**
 * How far along a ray (unit direction) in the world it meets a shape whose frame in the world is given; null if it
 * misses. `margin` thickens the shape, m, so that thin limbs can be hit.
 */
export function rayMeets(shape: ShapePart, frame: Float64Array, from: Reals, direction: Reals, margin: number): number | null {
  toLocal(frame, from[0]!, from[1]!, from[2]!)
  start.set(local)
  rotate(inverse, 0, direction, 0, way, 0)
  const [a = 0, b = 0, c = 0] = shape.size.map((size) => size + margin)
  switch (shape.kind) {
    case 'sphere': return meetsEllipsoid(start, way, [a, a, a])
    case 'ellipsoid': return meetsEllipsoid(start, way, [a, b, c])
    case 'box': return meetsBox(start, way, [a, b, c])
    case 'capsule': return meetsTube(start, way, a, shape.size[1]!, true)
    case 'cylinder': return meetsTube(start, way, a, b, false)
    default: return null
  }
}

/** The smaller root in front of the start of a t² + 2 b t + c = 0. */
function firstRoot(a: number, b: number, c: number): number | null {
  const square = b * b - a * c
  if (square < 0 || a === 0) return null
  const root = Math.sqrt(square)
  const near = (-b - root) / a
  const far = (-b + root) / a
  return near >= 0 ? near : far >= 0 ? far : null
}

function meetsEllipsoid(from: Reals, along: Reals, radii: Vec3): number | null {
  let a = 0, b = 0, c = -1
  for (let k = 0; k < 3; k++) {
    const o = from[k]! / radii[k]!
    const d = along[k]! / radii[k]!
    a += d * d
    b += o * d
    c += o * o
  }
  return firstRoot(a, b, c)
}

function meetsBox(from: Reals, along: Reals, half: Vec3): number | null {
  let near = -Infinity
  let far = Infinity
  for (let k = 0; k < 3; k++) {
    const one = (-half[k]! - from[k]!) / along[k]!
    const other = (half[k]! - from[k]!) / along[k]!
    // A ray along a face gives 0/0: it is then inside that slab or misses it altogether.
    if (Number.isNaN(one) || Number.isNaN(other)) continue
    near = Math.max(near, Math.min(one, other))
    far = Math.min(far, Math.max(one, other))
  }
  return near > far || far < 0 ? null : Math.max(near, 0)
}

/** A cylinder along z, with round ends (a capsule) or flat ones. */
function meetsTube(from: Reals, along: Reals, radius: number, half: number, round: boolean): number | null {
  const [ox, oy, oz] = [from[0]!, from[1]!, from[2]!]
  const [dx, dy, dz] = [along[0]!, along[1]!, along[2]!]
  const hits: number[] = []
  const side = firstRoot(dx * dx + dy * dy, ox * dx + oy * dy, ox * ox + oy * oy - radius * radius)
  if (side !== null && Math.abs(oz + side * dz) <= half) hits.push(side)
  for (const end of [-half, half]) {
    if (round) {
      const cap = meetsEllipsoid([ox, oy, oz - end], along, [radius, radius, radius])
      if (cap !== null) hits.push(cap)
    } else {
      const lid = (end - oz) / dz
      if (lid >= 0 && Math.hypot(ox + lid * dx, oy + lid * dy) <= radius) hits.push(lid)
    }
  }
  return hits.length > 0 ? Math.min(...hits) : null
}

/** Corners of the box around everything a creature has, at the given frames, in the world: least and greatest. */
export function boundsOf(creature: CreatureAnswer, meshHalf: (shape: ShapePart) => { centre: Vec3; half: Vec3 }, frames: Reals): { least: Vec3; greatest: Vec3 } {
  const least: Vec3 = [Infinity, Infinity, Infinity]
  const greatest: Vec3 = [-Infinity, -Infinity, -Infinity]
  const frame = new Float64Array(7)
  const corner = new Float64Array(3)
  const include = (x: number, y: number, z: number, margin = 0) => {
    ;[x, y, z].forEach((value, k) => {
      least[k] = Math.min(least[k]!, value - margin)
      greatest[k] = Math.max(greatest[k]!, value + margin)
    })
  }
  for (const shape of creature.shapes) {
    if (shape.body === 0) continue
    shapeFrame(shape, frames, frame)
    if (shape.kind === 'capsule' || shape.kind === 'sphere') {
      for (const end of [-1, 1]) {
        rotate(frame, 3, [0, 0, end * (shape.kind === 'capsule' ? shape.size[1]! : 0)], 0, corner, 0)
        include(frame[0]! + corner[0]!, frame[1]! + corner[1]!, frame[2]! + corner[2]!, shape.size[0]!)
      }
      continue
    }
    const { centre, half } = shape.kind === 'mesh' ? meshHalf(shape) : { centre: [0, 0, 0] as Vec3, half: halfSizes(shape) }
    for (let bits = 0; bits < 8; bits++) {
      const at = centre.map((value, k) => value + (bits & (1 << k) ? 1 : -1) * half[k]!)
      rotate(frame, 3, at, 0, corner, 0)
      include(frame[0]! + corner[0]!, frame[1]! + corner[1]!, frame[2]! + corner[2]!)
    }
  }
  // A creature without shapes is where its bodies are.
  if (!(least[0] <= greatest[0])) {
    creature.bodies.forEach((_, body) => include(frames[7 * body]!, frames[7 * body + 1]!, frames[7 * body + 2]!, 0.05))
  }
  return { least, greatest }
}

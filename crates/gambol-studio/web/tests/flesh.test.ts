// The skin over a creature's shapes is worked out here, and nothing but a look at it would tell if it were torn. So:
// its corners must lie on the shapes or just off them, face outwards, and bend with bodies that are near.

import { describe, expect, test } from 'vitest'
import { type Flesh, growFlesh } from '../src/stage/flesh'
import { Kinematics } from '../src/stage/kinematics'
import { rayMeets, shapeFrame } from '../src/stage/shapes'
import type { BodyPart, CreatureAnswer, ShapePart } from '../src/protocol'
import { FIXTURES } from './fixture'

const dog = FIXTURES.dog.creature
const frames = new Kinematics(dog).frames(dog.reference)

function corner(flesh: Flesh, n: number): number[] {
  return [0, 1, 2].map((k) => flesh.positions[3 * n + k]!)
}

describe('the skin of the dog', () => {
  const flesh = growFlesh(dog, 6000)
  const count = flesh.openness.length

  test('weighs every corner in full and names bodies that exist', () => {
    expect(count).toBeGreaterThan(2000)
    for (let n = 0; n < count; n++) {
      const sum = [0, 1, 2, 3].reduce((sum, k) => sum + flesh.weights[4 * n + k]!, 0)
      expect(sum).toBeCloseTo(1, 5)
      for (let k = 0; k < 4; k++) expect(flesh.bodies[4 * n + k]).toBeLessThan(dog.bodies.length)
    }
  })

  test('lies on the shapes: a ray inwards meets the nearest one at once', () => {
    const frame = new Float64Array(7)
    let far = 0
    for (let n = 0; n < count; n += 7) {
      const shape = dog.shapes[flesh.shapes[2 * n]!]!
      shapeFrame(shape, frames, frame)
      const normal = [0, 1, 2].map((k) => flesh.normals[3 * n + k]!)
      // From a little outside, 2 cm; skins bulge between shapes by up to a quarter of how far these flow, and more where
      // several meet.
      const off = 0.02
      const from = corner(flesh, n).map((value, k) => value + off * normal[k]!)
      const distance = rayMeets(shape, frame, from, normal.map((value) => -value), 0)
      if (distance === null || Math.abs(distance - off) > 0.015) far++
    }
    // At sharp folds the normal of the smooth skin may pass by the shape.
    expect(far).toBeLessThan(0.03 * count / 7)
  })

  test('faces outwards: triangles turn the way their normals point', () => {
    let wrong = 0
    for (let t = 0; t < flesh.triangles.length; t += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => flesh.triangles[t + k]!) as [number, number, number]
      const [pa, pb, pc] = [a, b, c].map((n) => corner(flesh, n)) as [number[], number[], number[]]
      const u = pb.map((value, k) => value - pa[k]!)
      const v = pc.map((value, k) => value - pa[k]!)
      const turn = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!]
      const alike = turn.reduce((sum, value, k) => sum + value * flesh.normals[3 * a + k]!, 0)
      if (alike < 0) wrong++
    }
    // Slivers at the borders of patches may lie either way.
    expect(wrong).toBeLessThan(0.02 * flesh.triangles.length / 3)
  })
})

test('two thighs that touch stay two', () => {
  const body = (name: string, y: number): BodyPart => ({
    name, parent: name.startsWith('thigh') ? 1 : 0, position: [0, y, 0], orientation: [1, 0, 0, 0], joints: [0, 0], mass: 1, com: [0, 0, 0],
  })
  const thigh = (number: number): ShapePart => ({ ...shape('capsule', [0.06, 0.2]), body: number, position: [0, 0, -0.25] })
  const creature: CreatureAnswer = {
    ...dog,
    bodies: [body('world', 0), body('pelvis', 0), body('thigh.left', 0.055), body('thigh.right', -0.055)],
    joints: [],
    shapes: [{ ...shape('sphere', [0.12]), body: 1 }, thigh(2), thigh(3)],
    reference: [],
  }
  const flesh = growFlesh(creature, 6000)
  const [left, right] = [2, 3].map((body) => flesh.bodies.map((other, n) => (other === body && flesh.weights[n]! > 0 ? 1 : 0)))
  const corners = [...flesh.openness.keys()]
  const follows = (mask: Uint16Array, n: number) => [0, 1, 2, 3].some((k) => mask[4 * n + k] === 1)
  expect(corners.filter((n) => follows(left!, n)).length).toBeGreaterThan(100)
  expect(corners.filter((n) => follows(left!, n) && follows(right!, n) && flesh.positions[3 * n + 2]! < -0.15)).toEqual([])
})

function shape(kind: ShapePart['kind'], size: number[]): ShapePart {
  return { body: 1, kind, size, position: [0, 0, 0], orientation: [1, 0, 0, 0], colour: [1, 1, 1, 1], vertices: null, triangles: null }
}

describe('a ray meets a shape where its equation says', () => {
  const still = Float64Array.of(1, 2, 3, 1, 0, 0, 0)

  test.each([
    ['sphere', [0.5], [1, 2, 5], 1.5],
    ['ellipsoid', [0.5, 0.4, 0.3], [1, 2, 5], 1.7],
    ['box', [0.5, 0.4, 0.3], [1.4, 2.3, 5], 1.7],
    ['capsule', [0.2, 0.5], [1, 2, 5], 1.3],
    ['cylinder', [0.2, 0.5], [1.1, 2, 5], 1.5],
  ] as const)('%s', (kind, size, from, distance) => {
    expect(rayMeets(shape(kind, [...size]), still, from, [0, 0, -1], 0)).toBeCloseTo(distance, 12)
    expect(rayMeets(shape(kind, [...size]), still, from, [0, 0, 1], 0)).toBeNull()
    expect(rayMeets(shape(kind, [...size]), still, [3, 2, 5], [0, 0, -1], 0)).toBeNull()
  })
})

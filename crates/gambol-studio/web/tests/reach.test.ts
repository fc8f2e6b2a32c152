// Posture sliders end where the body does.

import { describe, expect, it } from 'vitest'
import type { JointPart } from '../src/protocol'
import { offsetRange } from '../src/work/reach'

/** A chain of so many joints of a kind, each with the same limit. */
function chain(count: number, kind: 'ball' | 'hinge', limit: [number, number] | null) {
  const width = kind === 'ball' ? 3 : 1
  return {
    bodies: Array.from({ length: count + 1 }, (_, k) => ({ parent: Math.max(k - 1, 0) })),
    joints: Array.from({ length: count }, (_, k) => ({ body: k + 1, kind, q: k * (kind === 'ball' ? 4 : 1), v: k * width, limit }) as Pick<JointPart, 'body' | 'kind' | 'q' | 'v' | 'limit'>),
  }
}

describe('the range of a posture', () => {
  it('is a radian each way where nothing is in the way', () => {
    expect(offsetRange(chain(3, 'hinge', null), [1, 0, 0], [0, 0, 0])).toEqual([-1, 1])
  })

  it('ends where the first joint is at its limit, from the rest pose on', () => {
    expect(offsetRange(chain(2, 'hinge', [-0.5, 0.25]), [1, 0.1], [0.05, 0])).toEqual([-0.55, 0.2])
    // The other way round for a joint that turns the other way.
    const [least, most] = offsetRange(chain(1, 'hinge', [-0.5, 0.25]), [-1], [0])
    expect([least, most]).toEqual([-0.25, 0.5])
    expect(offsetRange(chain(1, 'ball', [0, 0.4]), [0, 0.5, 0], [1, 0, 0, 0])).toEqual([-0.8, 0.8])
  })

  it('ends before a chain has gone once round', () => {
    const shape = Array.from({ length: 16 * 3 }, (_, k) => (k % 3 === 2 ? 1 : 0))
    const rest = Array.from({ length: 16 * 4 }, (_, k) => (k % 4 === 0 ? 1 : 0))
    const [least, most] = offsetRange(chain(16, 'ball', null), shape, rest)
    expect(most).toBeCloseTo((0.9 * 2 * Math.PI) / 16, 9)
    expect(least).toBeCloseTo(-most, 9)
  })

  it('is a slider still where a joint is at its limit already', () => {
    const [least, most] = offsetRange(chain(1, 'hinge', [0, 0.5]), [1], [0])
    expect(least).toBeLessThan(0)
    expect(most).toBeCloseTo(0.5, 9)
  })
})

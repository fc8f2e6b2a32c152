// Which way a creature looks is said in the axes of its file; the user turns it in those of the world. A wrong sign here
// lets creatures walk backwards.
import { describe, expect, it } from 'vitest'
import type { Quat, Vec3 } from '../src/protocol'
import { turned, worldToFile } from '../src/ui/turning'

const close = (actual: Vec3, expected: Vec3) => actual.forEach((value, k) => expect(value).toBeCloseTo(expected[k]!))

describe('forward', () => {
  it('turns to the left by quarters', () => {
    close(turned([1, 0, 0], 1), [0, 1, 0])
    close(turned([1, 0, 0], -1), [0, -1, 0])
    close(turned([0, 1, 0], 2), [0, -1, 0])
  })

  it('is in the axes of the file', () => {
    // A file that is y up and looks along z: the world's z is its y, and the world's x its z.
    const half = 0.5
    const worldFromFile: Quat = [half, half, half, half]
    close(worldToFile(worldFromFile, [1, 0, 0]), [0, 0, 1])
    close(worldToFile(worldFromFile, [0, 0, 1]), [0, 1, 0])
    close(worldToFile([1, 0, 0, 0], [0.6, 0.8, 0]), [0.6, 0.8, 0])
  })
})

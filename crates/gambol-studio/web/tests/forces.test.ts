import { expect, test } from 'vitest'
import { forceCurves } from '../src/forces'

/** Numbers one after another, and where each list is. */
function packed(lists: number[][]) {
  const all = new Float32Array(lists.flat())
  let offset = 0
  const places = lists.map((list) => {
    const place = { offset, count: list.length }
    offset += 4 * list.length
    return place
  })
  return { bytes: new Uint8Array(all.buffer), places }
}

test('curves of all feet add up, and a loop closes', () => {
  const { bytes, places } = packed([[0, 0.25], [1, 0], [0.5, 0.25], [0.125, 2.5], [0.25, 0.125], [0.125, 0.5]])
  const [times, left, right, force, moment, unbelieved] = places as [typeof places[0], ...typeof places] & typeof places
  const part = {
    times, feet: [{ name: 'foot.left', up: left! }, { name: 'foot.right', up: right! }],
    residual_force: force!, residual_moment: moment!, unbelieved: unbelieved!, believed: 0.3,
  }
  const loop = forceCurves(part, bytes, 0.5)
  expect(loop.times).toEqual([0, 0.25, 0.5])
  expect(loop.sum).toEqual([1.5, 0.25, 1.5])
  expect(loop.residual).toEqual([0.25, 2.5, 0.25])
  expect(loop.unbelieved).toEqual([[0.125, 0.5]])
  expect([loop.worst, loop.most]).toEqual([2.5, 3])
  expect(forceCurves(part, bytes, null).times).toEqual([0, 0.25])
})

import { expect, test } from 'vitest'
import { Follower } from '../src/stage/follow'
import { niceLength } from '../src/stage/set'
import { outsideFiles } from '../src/stage/skin-puppet'
import { bestView, VIEWS } from '../src/stage/view'

test('a motion is looked at from where it shows', () => {
  const [habit, front, top] = VIEWS
  // Forwards and up shows from the side, sideways from the front or from above.
  expect(bestView([1, 0, 0.5, -1, 0, 0.5])).toBe(habit)
  expect(bestView([0, 1, 0, 0, -1, 0])).toBe(front)
  // Towards the viewer of the habitual view and of the one in front.
  const inward = [habit![0] + front![0], habit![1] + front![1], 0]
  expect(bestView(inward)).toBe(top)
})

test('a view at hand is kept until another shows far more', () => {
  const front = VIEWS[1]!
  const ways = [1, 0.4, 0]
  expect(bestView(ways)).not.toBe(front)
  expect(bestView(ways, front)).toBe(front)
  // Along the line of sight nothing is seen of it.
  expect(bestView(front, front)).not.toBe(front)
})

test('the camera keeps up with a steady walk and evens out its sway', () => {
  const follower = new Follower()
  follower.size = 0.5
  const [speed, sway] = [1.4, 0.02]
  let lag = 0
  let swing = 0
  for (let frame = 0; frame < 600; frame++) {
    const time = frame / 60
    follower.advance([speed * time, 0, 0.6 + sway * Math.sin(2 * Math.PI * 4 * time)], 1 / 60)
    if (frame < 300) continue
    lag = Math.max(lag, Math.abs(speed * time - follower.at[0]!))
    swing = Math.max(swing, Math.abs(follower.at[2]! - 0.6))
  }
  expect(lag).toBeLessThan(0.01)
  expect(swing).toBeLessThan(0.6 * sway)
})

test('the camera comes to rest, and goes along with a jump', () => {
  const follower = new Follower()
  follower.size = 0.5
  follower.advance([0, 0, 0], 1 / 60)
  let frames = 0
  while (follower.advance([0.3, 0, 0], 1 / 60) && frames < 1000) frames++
  expect(frames).toBeGreaterThan(5)
  expect(frames).toBeLessThan(300)
  expect(follower.at[0]).toBeCloseTo(0.3, 2)
  expect(follower.advance([40, 0, 0], 1 / 60)).toBe(false)
  expect(follower.at[0]).toBe(40)
  expect(follower.shift[0]).toBeCloseTo(39.7, 1)
})

test('grid lines have round distances', () => {
  expect([0.13, 0.02, 0.7, 3.9, 8].map(niceLength)).toEqual([0.1, 0.02, 0.5, 5, 10].map((value) => expect.closeTo(value, 12)))
})

test('files beside a glTF file are found, and nothing else', () => {
  const json = JSON.stringify({
    buffers: [{ uri: 'skin%20a.bin' }, { uri: 'data:application/octet-stream;base64,AA==' }, {}],
    images: [{ uri: 'fur.png' }, { uri: 'fur.png' }, { bufferView: 0 }],
  })
  const text = new TextEncoder().encode(json)
  expect(outsideFiles(text.buffer as ArrayBuffer)).toEqual(['skin%20a.bin', 'fur.png'])
  const padded = json.padEnd(Math.ceil(json.length / 4) * 4)
  const glb = new Uint8Array(20 + padded.length)
  const view = new DataView(glb.buffer)
  ;[0x46546c67, 2, glb.length, padded.length, 0x4e4f534a].forEach((value, n) => view.setUint32(4 * n, value, true))
  glb.set(new TextEncoder().encode(padded), 20)
  expect(outsideFiles(glb.buffer)).toEqual(['skin%20a.bin', 'fur.png'])
})

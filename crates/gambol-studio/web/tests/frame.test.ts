// A message is one piece on its way, and the engine's `Message::to_bytes` makes the other end: the layout must be exactly
// that, and numbers after the head must be aligned or the stage cannot view them without a copy.
import { describe, expect, it } from 'vitest'
import { fromFrame, toFrame } from '../src/engine/frame'

describe('a message', () => {
  it('is laid out as the engine has it', () => {
    // {"id":7} is 8 bytes: nothing to pad.
    expect([...toFrame({ id: 7 })]).toEqual([8, 0, 0, 0, ...[...'{"id":7}'].map((c) => c.charCodeAt(0))])
    // {"id":77} is 9 bytes: three spaces.
    const frame = toFrame({ id: 77 }, new Uint8Array([1, 2, 3]))
    expect([...frame.slice(0, 4)]).toEqual([12, 0, 0, 0])
    expect([...frame.slice(13)]).toEqual([32, 32, 32, 1, 2, 3])
  })

  it('comes back as it was, whatever the length of its head in UTF-8', () => {
    for (const name of ['', 'a', 'ab', 'äöü', '🐕', 'dog 🐕🐕']) {
      const bytes = new Uint8Array([9, 8, 7])
      const { head, bytes: back } = fromFrame(toFrame({ name }, bytes).buffer)
      expect(head).toEqual({ name })
      expect([...back]).toEqual([9, 8, 7])
      expect(back.byteOffset % 4).toBe(0)
    }
  })

  it('that is cut short is refused', () => {
    const { buffer } = toFrame({ id: 1 })
    expect(() => fromFrame(buffer.slice(0, 3))).toThrow('four bytes')
    expect(() => fromFrame(buffer.slice(0, 8))).toThrow('shorter')
  })
})

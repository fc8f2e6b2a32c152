// A file goes to an engine in the page without its pictures. What comes of it must be what the engine would have made of the whole
// file: all that was in it byte for byte, with what is new behind it.

import { describe, expect, it } from 'vitest'
import { partsOf, toGlb, withoutPictures, withPictures } from '../src/engine/glb'
import { sumOf } from '../src/engine/local'

/** Pieces of data in order, some of them pictures; lengths that are no multiples of anything. */
const PIECES = [['numbers', 24], ['picture', 1001], ['numbers', 16], ['picture', 5], ['packed', 40], ['picture', 333], ['numbers', 8]] as const

function file() {
  const bufferViews: { buffer: number; byteOffset?: number; byteLength: number; extensions?: Record<string, object> }[] = []
  let at = 0
  for (const [kind, length] of PIECES) {
    if (kind === 'packed') {
      // Unpacked it would lie in a buffer of its own.
      bufferViews.push({ buffer: 1, byteOffset: 0, byteLength: 80, extensions: { EXT_meshopt_compression: { buffer: 0, byteOffset: at, byteLength: length, mode: 'ATTRIBUTES' } } })
    } else bufferViews.push({ buffer: 0, ...(at ? { byteOffset: at } : {}), byteLength: length })
    at = 8 * Math.ceil((at + length) / 8)
  }
  const binary = Uint8Array.from({ length: at }, (_, k) => (k * 37 + (k >> 5)) % 251)
  const json = {
    asset: { version: '2.0' }, buffers: [{ byteLength: at }, { byteLength: 80 }], bufferViews,
    images: [{ bufferView: 1, mimeType: 'image/png' }, { bufferView: 3 }, { bufferView: 5 }, { uri: 'beside.png' }],
    accessors: [{ bufferView: 0 }, { bufferView: 2 }, { bufferView: 6 }, { bufferView: 4 }],
  }
  return toGlb({ json, binary })
}

/** What a view, or what it packs, points at. */
function contents(glb: Uint8Array, view: number): number[] {
  const { json, binary } = partsOf(glb)!
  const found = json.bufferViews![view]!
  const { byteOffset = 0, byteLength = 0 } = Object.values(found.extensions ?? {})[0] ?? found
  return [...binary.subarray(byteOffset, byteOffset + byteLength)]
}

describe('a file without its pictures', () => {
  it('is smaller, and all else points at the same bytes', () => {
    const whole = file()
    const lean = withoutPictures(whole)!
    expect(lean.length).toBeLessThan(whole.length - 1000)
    for (const view of [0, 2, 4, 6]) expect(contents(lean, view)).toEqual(contents(whole, view))
    for (const { byteOffset = 0, buffer } of partsOf(lean)!.json.bufferViews!) if (buffer === 0) expect(byteOffset % 8).toBe(0)
    const { json, binary } = partsOf(lean)!
    expect(binary.length).toBe(json.buffers![0]!.byteLength)
  })

  it('gets them back with what was made of it', () => {
    const whole = file()
    const { json, binary } = partsOf(withoutPictures(whole)!)!
    const clip = Uint8Array.from({ length: 64 }, (_, k) => 200 + (k % 50))
    const made = toGlb({
      json: {
        ...json,
        bufferViews: [...json.bufferViews!, { buffer: 0, byteOffset: binary.length, byteLength: clip.length }],
        buffers: [{ byteLength: binary.length + clip.length }, ...json.buffers!.slice(1)],
        animations: [{ name: 'walk' }],
      } as typeof json,
      binary: new Uint8Array([...binary, ...clip]),
    })
    const home = withPictures(made, whole)
    const [was, now] = [partsOf(whole)!, partsOf(home)!]
    expect(now.binary.subarray(0, was.binary.length)).toEqual(was.binary)
    expect(now.json.bufferViews!.slice(0, PIECES.length)).toEqual(was.json.bufferViews)
    expect(contents(home, PIECES.length)).toEqual([...clip])
    expect(now.json).toMatchObject({ images: was.json.images, accessors: was.json.accessors, animations: [{ name: 'walk' }] })
  })

  it('is the file itself where there are none, and nothing where it is no GLB', () => {
    const { json, binary } = partsOf(file())!
    expect(withoutPictures(toGlb({ json: { ...json, images: [] }, binary }))).toBeNull()
    expect(withoutPictures(new TextEncoder().encode('{"asset":{}}'))).toBeNull()
    expect(withoutPictures(file().subarray(0, 100))).toBeNull()
    expect(withoutPictures(new Uint8Array())).toBeNull()
  })

  it('keeps a picture that something else is made of too', () => {
    const { json, binary } = partsOf(file())!
    const shared = toGlb({ json: { ...json, accessors: [...json.accessors!, { bufferView: 1 }] }, binary })
    const lean = withoutPictures(shared)!
    expect(contents(lean, 1)).toEqual(contents(shared, 1))
  })

  it('is told from one with other pictures', () => {
    const [whole, other] = [file(), file()]
    other[other.length - 60] = other[other.length - 60]! ^ 1
    expect(sumOf(whole)).not.toBe(sumOf(other))
    expect(sumOf(whole)).toBe(sumOf(file()))
  })
})

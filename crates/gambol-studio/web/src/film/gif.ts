// A GIF (version 89a) of pictures: one palette for all of them, so that nothing flickers, and a looping that has no end.

import { join } from './join'

type Bytes = Uint8Array<ArrayBuffer>

export interface Loop { width: number; height: number; /** Of each, hundredths of a second. */ delay: number; /** RGBA of each. */ pictures: Uint8ClampedArray[] }

/** Colours of the palette; one more place is for what is seen through. */
const COLOURS = 255
const CLEAR = 255
/** Less than this share is seen through. */
const OPAQUE = 128
/** Bits per channel that tell colours apart. */
const BITS = 5
/** A pattern of thresholds hides the steps between shades (Bayer 1973), this many levels wide. */
const PATTERN = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
const DITHER = 8

export function gif({ width, height, delay, pictures }: Loop): Bytes {
  const palette = paletteOf(pictures)
  const nearest = nearestIn(palette)
  const clear = pictures.some((picture) => picture.some((value, k) => k % 4 === 3 && value < OPAQUE))
  const out: number[] = [...letters('GIF89a'), ...two(width), ...two(height), 0xf7, 0, 0]
  for (let k = 0; k < 3 * 256; k++) out.push(palette[k] ?? 0)
  out.push(0x21, 0xff, 11, ...letters('NETSCAPE2.0'), 3, 1, 0, 0, 0)
  const pieces: Bytes[] = [Uint8Array.from(out)]
  for (const picture of pictures) {
    // Each takes the place of the one before, of which nothing may be left to be seen through it.
    const control = [0x21, 0xf9, 4, (clear ? 2 : 1) << 2 | Number(clear), ...two(delay), clear ? CLEAR : 0, 0]
    pieces.push(Uint8Array.from([...control, 0x2c, 0, 0, 0, 0, ...two(width), ...two(height), 0, 8]), blocks(compressed(indexed(picture, width, nearest))))
  }
  pieces.push(Uint8Array.of(0x3b))
  return join(pieces)
}

const letters = (text: string) => [...text].map((letter) => letter.charCodeAt(0))
const two = (value: number) => [value & 255, value >> 8]

/** Colours that stand for all: boxes of colours are cut in halves of as many pixels, the most uneven first (Heckbert 1982). */
function paletteOf(pictures: Uint8ClampedArray[]): number[] {
  const counts = new Map<number, number>()
  for (const picture of pictures)
    for (let k = 0; k < picture.length; k += 4) {
      if (picture[k + 3]! < OPAQUE) continue
      const colour = key(picture[k]!, picture[k + 1]!, picture[k + 2]!)
      counts.set(colour, (counts.get(colour) ?? 0) + 1)
    }
  type Box = { colours: number[]; channel: number; spread: number }
  const boxOf = (colours: number[]): Box => {
    const spreads = [0, 1, 2].map((channel) => {
      let [least, most] = [255, 0]
      for (const colour of colours) {
        const value = part(colour, channel)
        least = Math.min(least, value)
        most = Math.max(most, value)
      }
      return most - least
    })
    const channel = spreads.indexOf(Math.max(...spreads))
    const pixels = colours.reduce((sum, colour) => sum + counts.get(colour)!, 0)
    return { colours, channel, spread: colours.length > 1 ? spreads[channel]! * Math.sqrt(pixels) : 0 }
  }
  const boxes = counts.size > 0 ? [boxOf([...counts.keys()])] : []
  while (boxes.length > 0 && boxes.length < COLOURS) {
    const index = boxes.reduce((best, box, k) => (box.spread > boxes[best]!.spread ? k : best), 0)
    const { colours, channel, spread } = boxes[index]!
    if (spread === 0) break
    colours.sort((a, b) => part(a, channel) - part(b, channel))
    const half = colours.reduce((sum, colour) => sum + counts.get(colour)!, 0) / 2
    let [cut, sum] = [0, 0]
    while (cut < colours.length - 1 && (sum < half || cut === 0)) sum += counts.get(colours[cut++]!)!
    boxes.splice(index, 1, boxOf(colours.slice(0, cut)), boxOf(colours.slice(cut)))
  }
  return boxes.flatMap(({ colours }) => {
    const pixels = colours.reduce((sum, colour) => sum + counts.get(colour)!, 0)
    return [0, 1, 2].map((channel) => Math.round(colours.reduce((sum, colour) => sum + counts.get(colour)! * part(colour, channel), 0) / pixels))
  })
}

function key(r: number, g: number, b: number): number {
  const cut = 8 - BITS
  return ((r >> cut) << (2 * BITS)) | ((g >> cut) << BITS) | (b >> cut)
}

/** A channel of a key, in the middle of what it stands for. */
function part(colour: number, channel: number): number {
  const value = (colour >> ((2 - channel) * BITS)) & ((1 << BITS) - 1)
  return (value << (8 - BITS)) | (1 << (7 - BITS))
}

/** The number in the palette of what is most like a colour; looked up once for each that is told apart. */
function nearestIn(palette: number[]): (r: number, g: number, b: number) => number {
  const known = new Int16Array(1 << (3 * BITS)).fill(-1)
  return (r, g, b) => {
    const colour = key(r, g, b)
    if (known[colour]! >= 0) return known[colour]!
    let [best, least] = [0, Infinity]
    for (let k = 0; 3 * k < palette.length; k++) {
      const apart = (palette[3 * k]! - r) ** 2 + (palette[3 * k + 1]! - g) ** 2 + (palette[3 * k + 2]! - b) ** 2
      if (apart < least) [best, least] = [k, apart]
    }
    return (known[colour] = best)
  }
}

function indexed(picture: Uint8ClampedArray, width: number, nearest: (r: number, g: number, b: number) => number): Uint8Array {
  const numbers = new Uint8Array(picture.length / 4)
  for (let n = 0; n < numbers.length; n++) {
    const k = 4 * n
    if (picture[k + 3]! < OPAQUE) {
      numbers[n] = CLEAR
      continue
    }
    const [x, y] = [n % width, Math.floor(n / width)]
    const step = (PATTERN[4 * (y & 3) + (x & 3)]! / 16 - 0.47) * DITHER
    const shade = (value: number) => Math.min(Math.max(Math.round(value + step), 0), 255)
    numbers[n] = nearest(shade(picture[k]!), shade(picture[k + 1]!), shade(picture[k + 2]!))
  }
  return numbers
}

/** LZW with codes of 9 to 12 bits, as GIF has it for 256 colours. */
function compressed(numbers: Uint8Array): Bytes {
  const [begin, end, most] = [256, 257, 4096]
  const out: number[] = []
  let [bits, held, width, next] = [0, 0, 9, 258]
  let known = new Map<number, number>()
  const put = (code: number) => {
    held |= code << bits
    bits += width
    for (; bits >= 8; bits -= 8, held >>>= 8) out.push(held & 255)
  }
  put(begin)
  let code = numbers[0] ?? 0
  for (let k = 1; k < numbers.length; k++) {
    const longer = (code << 8) | numbers[k]!
    const found = known.get(longer)
    if (found !== undefined) {
      code = found
      continue
    }
    put(code)
    if (next < most) {
      known.set(longer, next)
      // The reader is one behind.
      if (next === 1 << width && width < 12) width++
      next++
    } else {
      put(begin)
      known = new Map()
      ;[width, next] = [9, 258]
    }
    code = numbers[k]!
  }
  put(code)
  put(end)
  if (bits > 0) out.push(held & 255)
  return Uint8Array.from(out)
}

/** In blocks of 255, and an empty one. */
function blocks(data: Bytes): Bytes {
  const out = new Uint8Array(data.length + Math.ceil(data.length / 255) + 1)
  let at = 0
  for (let k = 0; k < data.length; k += 255) {
    const block = data.subarray(k, k + 255)
    out[at++] = block.length
    out.set(block, at)
    at += block.length
  }
  return out
}

import type { Numbers } from '../protocol'

/** What follows the head of a message. Starts on a multiple of four, as the protocol pads its heads. */
export type Bytes = Uint8Array<ArrayBuffer>

/** Reads a file of the creature's own bundle by its name there. */
export type FetchFile = (name: string) => Promise<ArrayBuffer>

/** A view of numbers in a message: nothing is copied. */
export function numbersOf(bytes: Bytes, numbers: Numbers): Float32Array {
  return new Float32Array(bytes.buffer, bytes.byteOffset + numbers.offset, numbers.count)
}

/** Bytes that are not shared. */
type Bytes = Uint8Array<ArrayBuffer>

/** Spaces, so that the padded head is still JSON. */
const PADDING = 0x20

/** A head and bytes as one piece: the same as `Message::to_bytes` of the engine. */
export function toFrame(head: object, bytes?: Uint8Array): Bytes {
  const text = new TextEncoder().encode(JSON.stringify(head))
  const padded = Math.ceil(text.length / 4) * 4
  const frame = new Uint8Array(4 + padded + (bytes?.length ?? 0))
  new DataView(frame.buffer).setUint32(0, padded, true)
  frame.fill(PADDING, 4, 4 + padded)
  frame.set(text, 4)
  if (bytes) frame.set(bytes, 4 + padded)
  return frame
}

/** One piece taken apart. Throws if it is none. */
export function fromFrame(frame: ArrayBuffer): { head: unknown; bytes: Bytes } {
  if (frame.byteLength < 4) throw new Error('a message is at least four bytes long')
  const length = new DataView(frame).getUint32(0, true)
  if (4 + length > frame.byteLength) throw new Error('a message is shorter than its head')
  const head: unknown = JSON.parse(new TextDecoder().decode(new Uint8Array(frame, 4, length)))
  return { head, bytes: new Uint8Array(frame, 4 + length) }
}

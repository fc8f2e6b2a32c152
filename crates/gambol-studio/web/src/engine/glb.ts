// A GLB file without its pictures, and the way back. Of a character of 300 MB all but a few are textures, and the engine looks at
// none: in the page it gets the file without them, and what it made of that gets them back.

/** What is looked at here of a glTF document; all else stays as it is. */
interface Document {
  buffers?: { uri?: string; byteLength: number }[]
  bufferViews?: View[]
  images?: { bufferView?: number }[]
  accessors?: { bufferView?: number; sparse?: { indices: { bufferView: number }; values: { bufferView: number } } }[]
}

/** A piece of a buffer. Extensions that pack it tell the packed piece in the same words. */
interface View { buffer: number; byteOffset?: number; byteLength: number; extensions?: Record<string, Partial<View>> }

interface Parts { json: Document; binary: Uint8Array }

type Bytes = Uint8Array<ArrayBuffer>

const MAGIC = 0x46546c67
const VERSION = 2
const JSON_CHUNK = 0x4e4f534a
const BINARY_CHUNK = 0x004e4942
const HEADER = 12
const CHUNK_HEADER = 8
/** What is cut out keeps the rest aligned as it was, for the widest numbers there are, bytes. */
const ALIGNED = 8

/** Takes a GLB apart; null where it is none, or has no data of its own. */
export function partsOf(file: Uint8Array): Parts | null {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if (file.length < HEADER + CHUNK_HEADER || view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== VERSION) return null
  const jsonLength = view.getUint32(HEADER, true)
  const binaryAt = HEADER + CHUNK_HEADER + jsonLength
  if (view.getUint32(HEADER + 4, true) !== JSON_CHUNK || file.length < binaryAt + CHUNK_HEADER) return null
  const binaryLength = view.getUint32(binaryAt, true)
  if (view.getUint32(binaryAt + 4, true) !== BINARY_CHUNK || file.length < binaryAt + CHUNK_HEADER + binaryLength) return null
  try {
    const json = JSON.parse(new TextDecoder().decode(file.subarray(HEADER + CHUNK_HEADER, binaryAt))) as Document
    return { json, binary: file.subarray(binaryAt + CHUNK_HEADER, binaryAt + CHUNK_HEADER + binaryLength) }
  } catch {
    return null
  }
}

export function toGlb({ json, binary }: Parts): Bytes {
  const text = new TextEncoder().encode(JSON.stringify(json))
  const [jsonLength, binaryLength] = [text.length, binary.length].map((length) => 4 * Math.ceil(length / 4)) as [number, number]
  const file = new Uint8Array(HEADER + 2 * CHUNK_HEADER + jsonLength + binaryLength)
  const view = new DataView(file.buffer)
  const binaryAt = HEADER + CHUNK_HEADER + jsonLength
  const words: [number, number][] = [[0, MAGIC], [4, VERSION], [8, file.length], [HEADER, jsonLength], [HEADER + 4, JSON_CHUNK], [binaryAt, binaryLength], [binaryAt + 4, BINARY_CHUNK]]
  for (const [at, word] of words) view.setUint32(at, word, true)
  file.fill(0x20, HEADER + CHUNK_HEADER, binaryAt)
  file.set(text, HEADER + CHUNK_HEADER)
  file.set(binary, binaryAt + CHUNK_HEADER)
  return file
}

/** The file without the bytes of its pictures; null where there are none to leave out. */
export function withoutPictures(file: Uint8Array): Bytes | null {
  const parts = partsOf(file)
  if (!parts || parts.json.buffers?.[0]?.uri !== undefined) return null
  const { json, binary } = parts
  const views = json.bufferViews ?? []
  const used = new Set((json.accessors ?? []).flatMap(({ bufferView, sparse }) => [bufferView, sparse?.indices.bufferView, sparse?.values.bufferView]))
  const pictures = new Set((json.images ?? []).flatMap(({ bufferView: n }) => (n === undefined || used.has(n) || views[n]?.buffer !== 0 ? [] : [n])))
  const cuts = gaps([...pictures].map((n) => views[n]!), views.filter((_, n) => !pictures.has(n)))
  const cut = cuts.reduce((sum, [start, end]) => sum + end - start, 0)
  if (cut === 0) return null
  const moved = (at: number) => at - cuts.reduce((sum, [start, end]) => sum + (end <= at ? end - start : 0), 0)
  const shift = <V extends Partial<View>>(view: V): V => (view.buffer === 0 ? { ...view, byteOffset: moved(view.byteOffset ?? 0) } : view)
  const bufferViews = views.map((view, n) => {
    // Something must be there for the picture's number.
    if (pictures.has(n)) return { buffer: 0, byteOffset: 0, byteLength: 1 }
    const packed = Object.entries(view.extensions ?? {}).map(([name, extension]) => [name, shift(extension)])
    return { ...shift(view), ...(packed.length ? { extensions: Object.fromEntries(packed) as View['extensions'] } : {}) }
  })
  const [first, ...others] = json.buffers!
  const lean = new Uint8Array(binary.length - cut)
  let [from, to] = [0, 0]
  for (const [start, end] of [...cuts, [binary.length, binary.length] as const]) {
    lean.set(binary.subarray(from, start), to)
    to += start - from
    from = end
  }
  return toGlb({ json: { ...json, bufferViews, buffers: [{ ...first!, byteLength: first!.byteLength - cut }, ...others] }, binary: lean })
}

/** What `pictures` take and nothing else does, in order, cut so that what follows stays aligned. */
function gaps(pictures: View[], others: View[]): [number, number][] {
  const span = ({ byteOffset = 0, byteLength = 0 }: Partial<View>): [number, number] => [byteOffset, byteOffset + byteLength]
  const keeps = others.flatMap((view) => [view, ...Object.values(view.extensions ?? {})]).filter(({ buffer }) => buffer === 0).map(span)
  const cuts: [number, number][] = []
  for (const [start, end] of pictures.map(span).sort(([a], [b]) => a - b)) {
    const from = ALIGNED * Math.ceil(Math.max(start, cuts.at(-1)?.[1] ?? 0) / ALIGNED)
    const to = ALIGNED * Math.floor(end / ALIGNED)
    if (to > from && !keeps.some(([first, last]) => first < to && last > from)) cuts.push([from, to])
  }
  return cuts
}

/** What was made of the file without its pictures, with the pictures: `made` has more at its end, and nothing else is other. */
export function withPictures(made: Uint8Array, whole: Uint8Array): Bytes {
  const [lean, mine, theirs] = [withoutPictures(whole), partsOf(made), partsOf(whole)].map((part) => (part instanceof Uint8Array ? partsOf(part) : part))
  if (!lean || !mine || !theirs) throw new Error('the file and what was made of it do not belong together')
  const old = theirs.json.bufferViews!
  const shift = theirs.binary.length - lean.binary.length
  const added = mine.json.bufferViews!.slice(old.length).map((view) => (view.buffer === 0 ? { ...view, byteOffset: (view.byteOffset ?? 0) + shift } : view))
  const [first, ...others] = mine.json.buffers!
  const binary = new Uint8Array(mine.binary.length + shift)
  binary.set(theirs.binary)
  binary.set(mine.binary.subarray(lean.binary.length), theirs.binary.length)
  return toGlb({ json: { ...mine.json, bufferViews: [...old, ...added], buffers: [{ ...first!, byteLength: first!.byteLength + shift }, ...others] }, binary })
}

/** The same as a glTF text with its data in it. */
export async function toText(file: Uint8Array): Promise<Bytes> {
  const { json, binary } = partsOf(file)!
  const [first, ...others] = json.buffers!
  const uri = await new Promise<string>((settle) => {
    const reader = new FileReader()
    reader.onload = () => settle(reader.result as string)
    reader.readAsDataURL(new Blob([binary.slice(0, first!.byteLength)], { type: 'application/octet-stream' }))
  })
  return new TextEncoder().encode(JSON.stringify({ ...json, buffers: [{ ...first!, uri }, ...others] })) as Bytes
}

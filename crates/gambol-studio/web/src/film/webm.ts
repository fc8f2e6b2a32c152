// A WebM file of encoded frames (Matroska's container, RFC 9559), with transparency as players of VP8 and VP9 take it: a second
// picture beside each, the brightness of which is how much is seen (BlockAdditional 1, AlphaMode 1).

import { join } from './join'

type Bytes = Uint8Array<ArrayBuffer>

/** A frame as an encoder gives it. */
export interface Chunk { data: Bytes; key: boolean }

/** A film: frames of the same length. `clear` are those of its transparency, as many. */
export interface Film { codec: 'V_VP8' | 'V_VP9'; width: number; height: number; framesPerSecond: number; frames: Chunk[]; clear?: Chunk[] }

const ID = {
  ebml: 0x1a45dfa3, version: 0x4286, readVersion: 0x42f7, longestId: 0x42f2, longestSize: 0x42f3, docType: 0x4282, docVersion: 0x4287, docReadVersion: 0x4285,
  segment: 0x18538067, info: 0x1549a966, scale: 0x2ad7b1, duration: 0x4489, muxer: 0x4d80, writer: 0x5741,
  tracks: 0x1654ae6b, track: 0xae, number: 0xd7, uid: 0x73c5, type: 0x83, lacing: 0x9c, codec: 0x86, frameLength: 0x23e383, mostAddition: 0x55ee,
  video: 0xe0, width: 0xb0, height: 0xba, alphaMode: 0x53c0,
  cues: 0x1c53bb6b, cue: 0xbb, cueTime: 0xb3, cuePlaces: 0xb7, cueTrack: 0xf7, cueCluster: 0xf1,
  cluster: 0x1f43b675, time: 0xe7, simpleBlock: 0xa3, group: 0xa0, block: 0xa1, additions: 0x75a1, more: 0xa6, additionId: 0xee, addition: 0xa5, before: 0xfb,
}

/** ms per unit of time, as ns. */
const SCALE = 1_000_000
/** Times within a cluster are 16-bit numbers, ms; each begins with a frame that needs no other. */
const LONGEST_CLUSTER = 30_000

export function webm(film: Film): Bytes {
  const { frames, framesPerSecond, clear } = film
  const time = (frame: number) => Math.round((frame * 1000) / framesPerSecond)
  const groups: number[][] = []
  frames.forEach(({ key }, frame) => {
    const group = groups.at(-1)
    if (!group || (key && frame > 0)) groups.push([frame])
    else group.push(frame)
  })
  if (groups.some((group) => time(group.at(-1)!) - time(group[0]!) > LONGEST_CLUSTER)) throw new Error('a film needs a key frame every half minute')
  const clusters = groups.map((group) => {
    const start = time(group[0]!)
    return element(ID.cluster, whole(ID.time, start), ...group.map((frame) => blockOf(frames[frame]!, clear?.[frame], time(frame) - start)))
  })
  const video = element(ID.video, whole(ID.width, film.width), whole(ID.height, film.height), ...(clear ? [whole(ID.alphaMode, 1)] : []))
  const head = join([
    element(ID.info, whole(ID.scale, SCALE), float(ID.duration, (frames.length * 1000) / framesPerSecond), text(ID.muxer, 'gambol'), text(ID.writer, 'gambol studio')),
    element(ID.tracks, element(ID.track, whole(ID.number, 1), whole(ID.uid, 1), whole(ID.type, 1), whole(ID.lacing, 0), text(ID.codec, film.codec),
      whole(ID.frameLength, Math.round(1e9 / framesPerSecond)), ...(clear ? [whole(ID.mostAddition, 1)] : []), video)),
  ])
  // Where clusters are, from the start of the segment: numbers of eight bytes, so that how long this is does not depend on them.
  const cues = (from: number) => {
    let at = from
    return element(ID.cues, ...clusters.map((cluster, k) => {
      const place = element(ID.cuePlaces, whole(ID.cueTrack, 1), element(ID.cueCluster, wide(at)))
      at += cluster.length
      return element(ID.cue, whole(ID.cueTime, time(groups[k]![0]!)), place)
    }))
  }
  const seek = cues(head.length + cues(0).length)
  return join([
    element(ID.ebml, whole(ID.version, 1), whole(ID.readVersion, 1), whole(ID.longestId, 4), whole(ID.longestSize, 8), text(ID.docType, 'webm'), whole(ID.docVersion, 4), whole(ID.docReadVersion, 2)),
    element(ID.segment, head, seek, ...clusters),
  ])
}

function blockOf({ data, key }: Chunk, clear: Chunk | undefined, at: number): Bytes {
  const block = (flags: number) => join([Uint8Array.of(0x81, at >> 8, at & 255, flags), data])
  if (!clear) return element(ID.simpleBlock, block(key ? 0x80 : 0))
  const addition = element(ID.additions, element(ID.more, whole(ID.additionId, 1), element(ID.addition, clear.data)))
  // That it needs the one before is said of those that do.
  return element(ID.group, element(ID.block, block(0)), addition, ...(key ? [] : [element(ID.before, Uint8Array.of(0xff))]))
}

function element(id: number, ...inside: Bytes[]): Bytes {
  const length = inside.reduce((sum, part) => sum + part.length, 0)
  return join([numberOf(id), sizeOf(length), ...inside])
}

/** The fewest bytes that hold it. */
function numberOf(value: number): Bytes {
  const bytes = [value & 255]
  for (let rest = Math.floor(value / 256); rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest & 255)
  return Uint8Array.from(bytes)
}

/** A length, whose first bits tell how long it is itself; all ones would mean that it is unknown. */
function sizeOf(value: number): Bytes {
  let width = 1
  while (value >= 2 ** (7 * width) - 1) width++
  const bytes = new Uint8Array(width)
  for (let k = width - 1, rest = value; k >= 0; k--, rest = Math.floor(rest / 256)) bytes[k] = rest & 255
  bytes[0]! |= 0x80 >> (width - 1)
  return bytes
}

const whole = (id: number, value: number) => element(id, numberOf(value))
const text = (id: number, value: string) => element(id, new TextEncoder().encode(value) as Bytes)

function float(id: number, value: number): Bytes {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setFloat64(0, value)
  return element(id, bytes)
}

function wide(value: number): Bytes {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

import { type ClipPlayer, filmStrip, type Stage, type Way } from '../stage'
import { gif } from './gif'
import { type Chunk, webm } from './webm'

/** How a film is wanted. */
export interface Wanted {
  /** px; as wide as the stage is for its height. */
  height: number
  /** s */
  seconds: number
  /** The creature alone, on nothing. */
  clear: boolean
  /** It stays in place, or goes over the ground. */
  inPlace: boolean
  /** The camera goes along. */
  follows: boolean
  /** Where the stage is in the clip, s, and whether the creature there has gone over the ground: the camera is with it. */
  now: number
  travels: boolean
  /** Share of the film that is done, 0 to 1. */
  told: (share: number) => void
}

const FRAMES_PER_SECOND = 60
/** A GIF counts hundredths of a second, and few programs show one faster than this. */
const GIF_DELAY = 4
/** Sharp for a picture of a million pixels, bit/s; more or less with its size. */
const QUALITY = 8_000_000
/** Frames between those that need no other. */
const KEY_EVERY = 120
/** The encoder is not given more frames than this at once. */
const AHEAD = 8
/** Pictures of a strip, and how wide each is for its height. */
const PICTURES = 8
const PICTURE_ASPECT = 1.25
/** The widest picture that browsers draw, px. */
const WIDEST = 8192
/** VP9 with eight bits; where it is not, VP8. */
const CODECS = [['vp09.00.41.08', 'V_VP9'], ['vp8', 'V_VP8']] as const

/** Frames of the clip as the stage shows it, each drawn for itself: how fast this machine draws does not matter. */
function* frames(stage: Stage, player: ClipPlayer, wanted: Wanted, count: number): Generator<HTMLCanvasElement> {
  const { height, seconds, clear, inPlace, follows, now, travels } = wanted
  const wayAt = (time: number, travels: boolean): Way => (travels && player.duration > 0 ? player.wayAfter(time / player.duration) : { yaw: 0, shift: [0, 0, 0] })
  // The cycle that is seen.
  const start = player.loops ? Math.floor(now / player.duration) * player.duration : 0
  const seen = wayAt(now, travels).shift
  const from = stage.eye()
  const width = widthOf(stage, height)
  const pose = new Float64Array(player.creature.nq)
  for (let frame = 0; frame < count; frame++) {
    const time = start + (frame / count) * seconds
    player.at(time, pose, { inPlace })
    const way = wayAt(time, !inPlace)
    // Steadily along, so that a film of whole cycles ends as it began.
    const along = follows || inPlace ? way.shift : seen
    yield stage.filmFrame(from, width, height, pose, way, [along[0] - seen[0], along[1] - seen[1], along[2] - seen[2]], clear)
    wanted.told((frame + 1) / count)
  }
}

/** Encoders take even numbers. */
function widthOf(stage: Stage, height: number): number {
  return 2 * Math.round((height * stage.aspect) / 2)
}

export async function filmGif(stage: Stage, player: ClipPlayer, wanted: Wanted): Promise<Blob> {
  const count = Math.max(Math.round((wanted.seconds * 100) / GIF_DELAY), 1)
  const pictures: Uint8ClampedArray[] = []
  for (const canvas of frames(stage, player, wanted, count)) {
    pictures.push(pixels(canvas))
    await breath()
  }
  // Where the length is no multiple of the delay, the delay gives way a little.
  const delay = Math.max(Math.round((wanted.seconds * 100) / count), 2)
  return new Blob([gif({ width: widthOf(stage, wanted.height), height: wanted.height, delay, pictures })], { type: 'image/gif' })
}

export async function filmWebm(stage: Stage, player: ClipPlayer, wanted: Wanted): Promise<Blob> {
  const width = widthOf(stage, wanted.height)
  const count = Math.max(Math.round(wanted.seconds * FRAMES_PER_SECOND), 1)
  const config = await codecFor(width, wanted.height)
  const seen = new Encoder(config)
  const clear = wanted.clear ? new Encoder(config) : null
  let frame = 0
  for (const canvas of frames(stage, player, wanted, count)) {
    const rgba = clear ? pixels(canvas) : null
    await Promise.all([
      seen.add(rgba ? solid(rgba, width) : canvas, frame),
      clear && rgba ? clear.add(coverage(rgba, width), frame) : null,
    ])
    frame++
    await breath()
  }
  const film = { codec: config.name, width, height: wanted.height, framesPerSecond: FRAMES_PER_SECOND, frames: await seen.finish() }
  const covers = await clear?.finish()
  if (film.frames.length !== count || (covers && covers.length !== count)) throw new Error(`The film has ${film.frames.length} frames instead of ${count}; take the GIF.`)
  return new Blob([webm(covers ? { ...film, clear: covers } : film)], { type: 'video/webm' })
}

/** One cycle as pictures side by side. */
export async function filmPng(stage: Stage, player: ClipPlayer, wanted: Pick<Wanted, 'height' | 'clear'>, paper: string): Promise<Blob> {
  const height = Math.min(wanted.height, Math.floor(WIDEST / PICTURES / PICTURE_ASPECT))
  const strip = await filmStrip(stage, player, PICTURES, { width: height * PICTURE_ASPECT, height, pixelRatio: 1 })
  const canvas = document.createElement('canvas')
  canvas.width = strip.width
  canvas.height = strip.height
  const brush = canvas.getContext('2d')!
  if (!wanted.clear) {
    brush.fillStyle = paper
    brush.fillRect(0, 0, canvas.width, canvas.height)
  }
  brush.drawImage(strip, 0, 0)
  return new Promise((settle, fail) => canvas.toBlob((blob) => (blob ? settle(blob) : fail(new Error('The picture could not be written.'))), 'image/png'))
}

/** The page stays alive between frames. */
function breath(): Promise<void> {
  return new Promise((resume) => setTimeout(resume))
}

function pixels(canvas: HTMLCanvasElement): Uint8ClampedArray<ArrayBuffer> {
  return canvas.getContext('2d', { willReadFrequently: true })!.getImageData(0, 0, canvas.width, canvas.height).data as Uint8ClampedArray<ArrayBuffer>
}

/** Colours without their transparency: what is not seen costs nothing if it is black. */
function solid(rgba: Uint8ClampedArray<ArrayBuffer>, width: number): ImageData {
  const opaque = rgba.slice()
  for (let k = 3; k < opaque.length; k += 4) {
    if (opaque[k] === 0) opaque.fill(0, k - 3, k)
    opaque[k] = 255
  }
  return new ImageData(opaque, width)
}

/** How much of each pixel is seen, as a brightness. */
function coverage(rgba: Uint8ClampedArray<ArrayBuffer>, width: number): ImageData {
  const grey = new Uint8ClampedArray(rgba.length)
  for (let k = 0; k < grey.length; k += 4) grey.fill(rgba[k + 3]!, k, k + 3).fill(255, k + 3, k + 4)
  return new ImageData(grey, width)
}

type Config = VideoEncoderConfig & { name: 'V_VP8' | 'V_VP9' }

async function codecFor(width: number, height: number): Promise<Config> {
  if (typeof VideoEncoder === 'undefined') throw new Error('This browser cannot make films; take the GIF instead.')
  for (const [codec, name] of CODECS) {
    const config = { codec, width, height, framerate: FRAMES_PER_SECOND, bitrate: Math.round(QUALITY * Math.max(width * height / 1e6, 0.2)) }
    const { supported } = await VideoEncoder.isConfigSupported(config).catch(() => ({ supported: false }))
    if (supported) return { ...config, name }
  }
  throw new Error(`This browser cannot make a film of ${width} × ${height}; choose a smaller one, or take the GIF.`)
}

/** An encoder that waits for its frames. */
class Encoder {
  private readonly chunks: Chunk[] = []
  private trouble: Error | null = null
  private readonly encoder: VideoEncoder

  constructor({ name: _, ...config }: Config) {
    this.encoder = new VideoEncoder({
      output: (chunk) => {
        const data = new Uint8Array(chunk.byteLength)
        chunk.copyTo(data)
        this.chunks.push({ data, key: chunk.type === 'key' })
      },
      error: (error) => { this.trouble = error },
    })
    this.encoder.configure(config)
  }

  async add(picture: HTMLCanvasElement | ImageData, number: number): Promise<void> {
    if (this.trouble) throw this.trouble
    const image = await createImageBitmap(picture)
    const frame = new VideoFrame(image, { timestamp: Math.round((number * 1e6) / FRAMES_PER_SECOND), duration: Math.round(1e6 / FRAMES_PER_SECOND), alpha: 'discard' })
    this.encoder.encode(frame, { keyFrame: number % KEY_EVERY === 0 })
    frame.close()
    image.close()
    while (this.encoder.encodeQueueSize > AHEAD) await breath()
  }

  async finish(): Promise<Chunk[]> {
    await this.encoder.flush()
    this.encoder.close()
    if (this.trouble) throw this.trouble
    return this.chunks
  }
}

import { playback } from '../studio'
import { stage } from './StageView'

/** Of films. */
const FRAMES_PER_SECOND = 60
/** Sharp enough for a stage of any size, bit/s. */
const QUALITY = 8_000_000
/** A film has at least so many frames: a busy machine may draw none for a while. */
const FEWEST_FRAMES = 4
/** One that has not drawn them after this time, s, never will. */
const PATIENCE = 20

/** A film of the stage from the start of a cycle, in real time. */
export async function recordWebm(seconds: number): Promise<Blob> {
  if (!stage.value || typeof MediaRecorder === 'undefined') throw new Error('This browser cannot film the stage; take the GIF instead.')
  const before = { time: playback.time.value, playing: playback.playing.value, speed: playback.speed.value }
  const recorder = new MediaRecorder(stage.value.stream(FRAMES_PER_SECOND), { mimeType: 'video/webm', videoBitsPerSecond: QUALITY })
  const pieces: Blob[] = []
  recorder.ondataavailable = ({ data }) => pieces.push(data)
  const ended = new Promise((resume) => { recorder.onstop = resume })
  playback.speed.value = 1
  playback.time.value = 0
  playback.playing.value = true
  const drawn = stage.value.stats().frames
  recorder.start()
  await pause(seconds)
  for (let waited = 0; waited < PATIENCE && (stage.value?.stats().frames ?? 0) < drawn + FEWEST_FRAMES; waited += 0.1) await pause(0.1)
  recorder.stop()
  await ended
  playback.time.value = before.time
  playback.playing.value = before.playing
  playback.speed.value = before.speed
  return new Blob(pieces, { type: 'video/webm' })
}

function pause(seconds: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, seconds * 1000))
}

import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { ClipPlayer } from './stage'

export const SPEEDS = { least: 0.1, most: 2 }

/** The clock of the clip on the stage. */
export class Playback {
  readonly playing = signal(true)
  readonly speed = signal(1)
  /** s since the start of the first cycle; goes on over the cycles, so that a walk goes on too. */
  readonly time = signal(0)
  /** Whether it walks over the ground, or in place. */
  readonly travels = signal(true)
  /** Within the cycle, 0 to 1. */
  readonly phase = computed(() => {
    const player = this.player.value
    return player && player.duration > 0 ? player.inCycle(this.time.value) / player.duration : 0
  })

  constructor(readonly player: ReadonlySignal<ClipPlayer | null>) {
    let duration = 0
    player.subscribe((player) => {
      // A slider that changes the tempo must not make the legs jump: the phase stays.
      if (player && duration > 0) this.time.value *= player.duration / duration
      if (player) duration = player.duration
    })
  }

  /** A frame of the screen passed, s. */
  tick(seconds: number): void {
    const player = this.player.peek()
    if (!this.playing.peek() || !player) return
    const time = this.time.peek() + seconds * this.speed.peek()
    this.time.value = player.loops ? time : time % Math.max(player.duration, 1e-3)
  }

  toggle(): void {
    this.playing.value = !this.playing.value
  }

  /** Frames forward, or back; it stands still then. */
  step(frames: number): void {
    const player = this.player.peek()
    if (!player) return
    this.playing.value = false
    const frame = player.duration / Math.max(player.clip.keys - 1, 1)
    // Onto the keys, and never before the beginning.
    const now = Math.round(this.time.peek() / frame)
    this.time.value = Math.max(now + frames, 0) * frame
  }

  /** To a place within the cycle, 0 to 1. */
  seek(phase: number): void {
    const player = this.player.peek()
    if (!player) return
    const cycle = player.loops ? Math.floor(this.time.peek() / player.duration) : 0
    this.time.value = (cycle + Math.min(Math.max(phase, 0), 1)) * player.duration
  }
}

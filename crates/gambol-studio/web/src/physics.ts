import { signal } from '@preact/signals'
import { type Engine, Refusal, words } from './engine/engine'
import type { DriveWork, Goal, SimulationAnswer } from './protocol'
import type { Document } from './work/document'

/** The engine goes on by this much at once at most, s. */
const MOST_ADVANCE = 0.25

/** What touched the ground is known for this long, s. */
export const TRACED = 4
/** It fell when its centre of mass is below this share of its height at the start for this long, s. */
const FALLEN = 0.6
const LOW_FOR = 0.25

/** Bodies on the ground at a moment. */
export interface Touch { time: number; touching: string[] }

/** Slower than this share of the wanted pace is told to the user, and over how long it is measured, s. */
const SLOW = 0.85
const MEASURED_OVER = 1

export type DriveKind = DriveWork['by']

/** The creature as a live simulation. The page drives it: each frame of the screen asks for as much time as passed. */
export class Physics {
  readonly state = signal<'off' | 'running' | 'paused'>('off')
  readonly drive = signal<DriveKind>('gait')
  readonly ground = signal(true)
  readonly slope = signal(0)
  /** Strong springs, and a hand that keeps the trunk upright. */
  readonly help = signal(true)
  /** Slow motion: 1 is real time. */
  readonly pace = signal(1)
  readonly reading = signal<SimulationAnswer | null>(null)
  readonly warnings = signal<string[]>([])
  /** Share of the wanted pace that is reached. */
  readonly keepsUp = signal(1)
  readonly trouble = signal<string | null>(null)
  /** When it fell, s; null while it is up, and where nothing was to stay up. */
  readonly fell = signal<number | null>(null)
  /** What touched the ground in the last seconds, the latest last. */
  readonly trace = signal<Touch[]>([])
  /** How high it was at the start, m, and since when it is low, s. */
  private height = 0
  private low: number | null = null
  private pull: Goal | null = null
  private asking = false
  /** Time that passed on the screen since the last request, s. */
  private due = 0
  private measured = { wanted: 0, done: 0 }

  /** `height` of a pose above the ground, of its centre of mass; null where that is not known. */
  constructor(private readonly engine: Engine, private readonly document: Document, private readonly heightOf: (pose: number[]) => number | null = () => null) {}

  /** From the rest pose, at rest. */
  async begin(): Promise<void> {
    const { creature, style, gait } = this.document.work.peek()
    this.trouble.value = null
    this.fell.value = null
    this.trace.value = []
    this.low = null
    this.height = 0
    this.asking = true
    try {
      const { answer } = await this.engine.ask('simulate', {
        creature, style, drive: this.driveWork(), ground: this.ground.peek(), slope: this.slope.peek() || gait.slope,
        help: this.help.peek(),
      })
      this.warnings.value = answer.warnings
      this.take(answer)
      this.due = 0
      this.measured = { wanted: 0, done: 0 }
      if (this.state.peek() === 'off') this.state.value = 'running'
    } catch (error) {
      this.fail(error)
    } finally {
      this.asking = false
    }
  }

  stop(): void {
    this.fell.value = null
    this.trace.value = []
    this.state.value = 'off'
    this.reading.value = null
    this.trouble.value = null
  }

  toggle(): void {
    if (this.state.value === 'off') void this.begin()
    else this.state.value = this.state.value === 'running' ? 'paused' : 'running'
  }

  /** The mouse pulls, or lets go (null). */
  pulls(pull: Goal | null): void {
    this.pull = pull
  }

  /** A frame of the screen passed, s. */
  tick(seconds: number): void {
    if (this.state.peek() !== 'running') return
    const wanted = seconds * this.pace.peek()
    this.measured.wanted += wanted
    this.due = Math.min(this.due + wanted, MOST_ADVANCE)
    if (this.measured.wanted > MEASURED_OVER) {
      this.keepsUp.value = this.measured.done / this.measured.wanted
      this.measured = { wanted: 0, done: 0 }
    }
    if (!this.asking) void this.advance()
  }

  get slow(): boolean {
    return this.keepsUp.value < SLOW
  }

  private async advance(): Promise<void> {
    const seconds = this.due
    this.due = 0
    this.asking = true
    try {
      const { answer } = await this.engine.ask('advance', { seconds, pull: this.pull })
      this.measured.done += seconds
      if (this.state.peek() !== 'off') this.take(answer)
    } catch (error) {
      this.fail(error)
    } finally {
      this.asking = false
    }
  }

  private take(answer: SimulationAnswer): void {
    this.reading.value = answer
    const { time, touching } = answer
    this.trace.value = [...this.trace.peek().filter((touch) => touch.time > time - TRACED), { time, touching }]
    this.watch(answer)
    if (answer.diverged) {
      this.state.value = 'paused'
      this.trouble.value = answer.diverged
    }
  }

  /** What goes by a gait or a controller is up, until it stays far below where it began. */
  private watch({ time, pose }: SimulationAnswer): void {
    const goes = this.ground.peek() && (this.drive.peek() === 'gait' || this.drive.peek() === 'controller')
    const now = this.heightOf(pose)
    if (!goes || now === null || this.fell.peek() !== null) return
    if (time === 0 || this.height === 0) this.height = now
    if (now > FALLEN * this.height) this.low = null
    else this.low ??= time
    if (this.low !== null && time - this.low >= LOW_FOR) this.fell.value = this.low
  }

  private fail(error: unknown): void {
    // An engine that came back has forgotten the simulation: it begins anew.
    if (error instanceof Refusal && error.message.startsWith('no simulation') && this.state.peek() === 'running') {
      void this.begin()
      return
    }
    this.state.value = 'off'
    this.trouble.value = words(error)
  }

  private driveWork(): DriveWork {
    const { gait, sketch } = this.document.work.peek()
    switch (this.drive.peek()) {
      case 'passive': return { by: 'passive' }
      case 'gait': return { by: 'gait', gait }
      case 'controller': return sketch ? { by: 'controller', sketch } : { by: 'passive' }
      case 'pump': {
        const modes = gait.prefer.map((mode) => {
          const edit = gait.edits.find((edit) => edit.mode === mode)
          return { mode, amplitude: edit?.amplitude ?? null, phase: edit?.phase ?? null, frequency: null }
        })
        return { by: 'pump', modes }
      }
    }
  }
}

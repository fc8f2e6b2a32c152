import { type ForceCurves, forceCurves } from './forces'
import { effect, signal } from '@preact/signals'
import { type Engine, type Kind, words } from './engine/engine'
import type {
  BodyAnswer, CreatureAnswer, CreatureWork, GaitsAnswer, GaitWork, MotionAnswer, Style,
} from './protocol'
import { type Bytes, ClipPlayer, type FetchFile, ModeSwings } from './stage'
import type { Document } from './work/document'
import { emptyStyle, same } from './work/empty'
import { marksOf } from './work/marks'

export interface Creature { of: CreatureWork; answer: CreatureAnswer; bytes: Bytes; fetchFile: FetchFile }
export interface Body { of: CreatureWork; style: Style; creature: Creature; answer: BodyAnswer; swings: ModeSwings; waited: number }
export interface Gaits { of: CreatureWork; style: Style; list: GaitsAnswer['gaits'] }
export interface Motion { of: CreatureWork; style: Style; gait: GaitWork; answer: MotionAnswer; player: ClipPlayer; forces: ForceCurves | null }

/** Why one of the pictures above is not that of the present work. */
export interface Trouble { at: Kind; text: string }

/** What each request depends on. */
type Inputs = Record<'creature' | 'body' | 'gaits' | 'motion', unknown>

/** While a body's slider moves, its motion waits for a pause of this length: the palette comes first. ms */
const PAUSE = 120

/** Gaits that a creature begins with, if they suit it: the first of these. */
const FIRST_GAITS = ['trot', 'walk', 'slither']

/**
 * From the work to what is seen: creature → body → gaits and motion. Each is asked for when what it depends on changed,
 * one request at a time, always for the newest work.
 */
export class Flow {
  readonly creature = signal<Creature | null>(null)
  readonly body = signal<Body | null>(null)
  readonly gaits = signal<Gaits | null>(null)
  readonly motion = signal<Motion | null>(null)
  readonly trouble = signal<Trouble | null>(null)
  /** What is being asked for. */
  readonly busy = signal<Kind | null>(null)
  /** Of the creature that shall begin with a gait of its own. */
  private beginner: CreatureWork | null = null
  private readonly files = new Map<string, Promise<ArrayBuffer>>()
  private readonly asked: Inputs = { creature: null, body: null, gaits: null, motion: null }
  private running = false
  private timer: ReturnType<typeof setTimeout> | undefined

  /** `idle` while the creature is shown in another way, for which nothing is asked here. */
  constructor(private readonly engine: Engine, private readonly document: Document, private readonly idle: () => boolean = () => false) {}

  start(): void {
    effect(() => {
      this.document.history.value
      this.idle()
      void this.run()
    })
  }

  /** The creature is new: it begins with the first gait that suits it. */
  beginWithGait(creature: CreatureWork): void {
    this.beginner = creature
  }

  /** What is seen is what the work says. */
  get settled(): boolean {
    if (this.idle()) return true
    const { creature, style, gait } = this.document.present.work
    const [body, motion] = [this.body.value, this.motion.value]
    const moves = still(gait) ? motion === null : same([motion?.of, motion?.style, motion?.gait], [creature, style, gait])
    return this.busy.value === null && this.beginner === null && same([body?.of, body?.style], [creature, style]) && moves
  }

  private async run(): Promise<void> {
    if (this.running) return
    this.running = true
    for (let next = this.next(); next; next = this.next()) await next()
    this.busy.value = null
    this.running = false
  }

  /** The first arrow whose beginning changed. One that failed stays as it is until it does. */
  private next(): (() => Promise<void>) | null {
    if (this.idle()) return null
    const { work: { creature, style, gait }, counted } = this.document.present
    const inputs: Inputs = {
      creature,
      // Without marks there is nothing to count.
      body: [creature, style, marksOf(gait).length ? counted : style],
      gaits: [creature, style],
      motion: [creature, style, gait],
    }
    if (this.changed('creature', inputs)) return () => this.askCreature(creature)
    if (!same(this.creature.peek()?.of, creature)) return null
    if (this.changed('body', inputs)) return () => this.askBody(creature, style)
    if (!same(this.body.peek()?.style, style)) return null
    if (this.document.dragging && !same(this.asked.gaits, inputs.gaits)) {
      const pause = performance.now() - this.document.touched
      if (pause < PAUSE) {
        clearTimeout(this.timer)
        this.timer = setTimeout(() => void this.run(), PAUSE - pause)
        return null
      }
    } else if (this.changed('gaits', inputs)) return () => this.askGaits(creature, style)
    if (this.beginner && this.begin(this.beginner)) return () => Promise.resolve()
    if (!still(gait) && this.changed('motion', inputs)) return () => this.askMotion(creature, style, gait)
    if (still(gait) && this.motion.peek()) this.motion.value = null
    if (still(gait)) this.asked.motion = null
    return null
  }

  private changed(kind: keyof Inputs, inputs: Inputs): boolean {
    const changed = !same(this.asked[kind], inputs[kind])
    this.asked[kind] = inputs[kind]
    return changed
  }

  private async askCreature(of: CreatureWork): Promise<void> {
    await this.attempt('creature', async () => {
      const { answer, bytes } = await this.engine.ask('creature', { creature: of })
      const fetchFile: FetchFile = (name) => this.file(answer.skin!.bundle, name)
      this.creature.value = { of, answer, bytes, fetchFile }
      this.asked.body = this.asked.gaits = this.asked.motion = null
    })
  }

  /** A file of the creature: stage and palette both want it, and again after each correction. */
  private file(bundle: string, name: string): Promise<ArrayBuffer> {
    const known = this.files.get(`${bundle}/${name}`)
    if (known) return known
    for (const path of this.files.keys()) if (!path.startsWith(`${bundle}/`)) this.files.delete(path)
    const file = this.engine.ask('file', { bundle, name }).then(({ bytes }) => bytes.slice().buffer)
    this.files.set(`${bundle}/${name}`, file)
    file.catch(() => this.files.delete(`${bundle}/${name}`))
    return file
  }

  private async askBody(of: CreatureWork, style: Style): Promise<void> {
    const creature = this.creature.peek()!
    const from = this.document.counting
    const marks = marksOf(from.work.gait)
    const counts = marks.length > 0 && !same(from.counted, style)
    await this.attempt('body', async () => {
      const asked = performance.now()
      const { answer, bytes } = await this.engine.ask('body', {
        creature: of, style, ...(counts ? { from: from.counted, marks } : {}),
      })
      const swings = new ModeSwings(creature.answer, answer, bytes)
      this.body.value = { of, style, creature, answer, swings, waited: performance.now() - asked }
      this.document.count(from, style, answer.follows)
      // What was just counted is no reason to ask again.
      this.asked.body = [of, style, style]
    })
  }

  private async askGaits(of: CreatureWork, style: Style): Promise<void> {
    await this.attempt('gaits', async () => {
      const { answer } = await this.engine.ask('gaits', { creature: of, style })
      this.gaits.value = { of, style, list: answer.gaits }
    })
  }

  private async askMotion(of: CreatureWork, style: Style, gait: GaitWork): Promise<void> {
    const creature = this.creature.peek()!
    await this.attempt('motion', async () => {
      const { answer, bytes } = await this.engine.ask('motion', { creature: of, style, gait })
      const forces = answer.forces && forceCurves(answer.forces, bytes, answer.clip.stride && answer.clip.duration)
      this.motion.value = { of, style, gait, answer, player: new ClipPlayer(creature.answer, answer.clip, bytes), forces }
    })
  }

  private async attempt(at: Kind, work: () => Promise<void>): Promise<void> {
    this.busy.value = at
    try {
      await work()
      if (this.trouble.peek()?.at === at) this.trouble.value = null
    } catch (error) {
      this.trouble.value = { at, text: words(error) }
    }
  }

  /** Gives a new creature its first gait, as part of having chosen it. Whether there was one to give. */
  private begin(beginner: CreatureWork): boolean {
    const gaits = this.gaits.peek()
    if (!same(gaits?.of, beginner)) return false
    this.beginner = null
    const { gait } = this.document.present.work
    const suiting = gaits!.list.filter((choice) => choice.suits)
    const choice = FIRST_GAITS.flatMap((name) => suiting.filter((choice) => choice.name === name))[0] ?? suiting[0]
    if (!choice || gait.name !== null || gait.file !== null) return false
    this.document.settle((work) => ({ ...work, style: choice.style ?? work.style, gait: { ...gait, name: choice.name } }))
    return true
  }
}

/** Nothing moves: no gait, and no mode moved by hand. */
export function still(gait: GaitWork): boolean {
  return gait.name === null && gait.file === null && !gait.edits.some((edit) => edit.amplitude || edit.offset)
}

/**
 * The style that a gait asks for. A gait of the paper brings a body of its own; the next gait without one finds the
 * creature as it was, unless the user changed that body.
 */
export function styleFor(choice: GaitsAnswer['gaits'][number], list: GaitsAnswer['gaits'], now: Style): Style {
  if (choice.style) return choice.style
  return list.some((other) => other.style && same(other.style, now)) ? emptyStyle() : now
}

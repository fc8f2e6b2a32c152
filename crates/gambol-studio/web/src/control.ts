import { computed, effect, signal } from '@preact/signals'
import { type Engine, Refusal, words } from './engine/engine'
import { Latest } from './engine/latest'
import type { Creature, Flow } from './flow'
import type { CreatureWork, FoundWork, SearchAnswer, SketchAnswer, SketchWork } from './protocol'
import { type Bytes, ClipPlayer, ModeSwings } from './stage'
import type { Document } from './work/document'
import { same } from './work/empty'
import { bare, grown, type Phase, type Point } from './work/sketch'

/** The palettes of a sketch on its creature. */
export interface Sketched { of: CreatureWork; sketch: SketchWork; creature: Creature; answer: SketchAnswer; swings: Record<Phase, ModeSwings> }

/** A clip, and what it is of. */
interface Played { of: unknown; player: ClipPlayer }

/** What outlives an engine and a page: a search goes on from it. */
interface Kept { seed: number; sketch: SketchWork; checkpoint: string }

/** How often what was found is kept while a search runs, ms. */
const KEEP_EVERY = 3000
/** Over how long the pace of a search is measured, ms. */
const MEASURED_OVER = 1500

/** From a sketch to a controller. The page drives the search: it asks for one step after the other. */
export class Control {
  /** The panel is in front: palette and stage are the sketch's. */
  readonly front = signal(false)
  readonly phase = signal<Phase>('flight')
  readonly sketched = signal<Sketched | null>(null)
  /** Why the sketch does not work. */
  readonly trouble = signal<string | null>(null)
  /** What the stage plays: the bursts alone, what was found, or nothing. */
  readonly view = signal<'rest' | 'preview' | 'best'>('preview')
  private readonly previewed = signal<Played | null>(null)
  private readonly found = signal<Played | null>(null)
  readonly running = signal(false)
  readonly progress = signal<SearchAnswer | null>(null)
  readonly curve = signal<Point[]>([])
  /** Cycles per second. */
  readonly pace = signal(0)
  /** Of the sketch on the stage. */
  readonly basis = computed(() => this.sketched.value?.answer[this.phase.value] ?? null)
  readonly swings = computed(() => this.sketched.value?.swings[this.phase.value] ?? null)
  /** The clip on the stage, while the panel is in front. */
  readonly player = computed(() => {
    const { sketch } = this.document.work.value
    if (!sketch) return null
    if (this.view.value === 'best') return sketch.found ? this.found.value?.player ?? null : null
    return this.view.value === 'preview' ? this.previewed.value?.player ?? null : null
  })
  private readonly sketches: Latest<'sketch'>
  private readonly previews: Latest<'preview'>
  /** Ends a search: the next has another number. */
  private turn = 0
  private kept: Kept | null = null
  /** What is being looked for. */
  private wanted: Omit<Kept, 'checkpoint'> | null = null
  private measured = { at: 0, evaluations: 0 }

  constructor(
    private readonly engine: Engine,
    private readonly document: Document,
    private readonly flow: Flow,
    /** Where a search is kept. */
    private readonly place: () => string,
  ) {
    this.sketches = new Latest(engine, 'sketch')
    this.previews = new Latest(engine, 'preview')
    effect(() => void this.askSketch())
    effect(() => void this.askPreview())
    effect(() => void this.askCycle())
    effect(() => {
      // Undone, or another sketch: what is being looked for is not wanted any more.
      if (this.running.value && !this.searched()) this.halt()
    })
  }

  /** What is shown is of the present sketch. */
  get settled(): boolean {
    const { creature, sketch } = this.document.present.work
    if (!this.front.value || !sketch) return true
    const now = [creature, bare(sketch)]
    const { value } = this.sketched
    return same([value?.of, value?.sketch], now) && (this.view.value !== 'preview' || same(this.previewed.value?.of, now))
  }

  private async askSketch(): Promise<void> {
    const { creature: of, sketch } = this.document.work.value
    const creature = this.flow.creature.value
    if (!this.front.value || !sketch || !creature || !same(creature.of, of)) return
    const now = bare(sketch)
    if (same([this.sketched.peek()?.of, this.sketched.peek()?.sketch], [of, now])) return
    await this.attempt(async () => {
      const reply = await this.sketches.ask({ creature: of, sketch: now })
      if (reply) this.sketched.value = sketchedOf(of, now, creature, reply.answer, reply.bytes)
    })
  }

  private async askPreview(): Promise<void> {
    const sketched = this.sketched.value
    const { creature: of, sketch } = this.document.work.value
    if (!this.front.value || this.view.value !== 'preview' || !sketch || !sketched || !same([sketched.of, sketched.sketch], [of, bare(sketch)])) return
    const now = [of, bare(sketch)]
    if (same(this.previewed.peek()?.of, now)) return
    await this.attempt(async () => {
      const reply = await this.previews.ask({ creature: of, sketch: bare(sketch) })
      if (reply) this.previewed.value = { of: now, player: new ClipPlayer(sketched.creature.answer, reply.answer.clip, reply.bytes) }
    })
  }

  /** What was found before the page was loaded, or before undo. */
  private async askCycle(): Promise<void> {
    const { creature: of, sketch } = this.document.work.value
    const creature = this.flow.creature.value
    const text = sketch?.found?.controller
    if (!this.front.value || !sketch || !text || this.running.value || !creature || !same(creature.of, of)) return
    if (this.found.peek()?.of === text) return
    await this.attempt(async () => {
      const { answer, bytes } = await this.engine.ask('cycle', { creature: of, sketch })
      this.found.value = { of: text, player: new ClipPlayer(creature.answer, answer.clip, bytes) }
    })
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.trouble.value = null
    } catch (error) {
      this.trouble.value = words(error)
    }
  }

  /** A change that counts modes anew: marks follow their modes. As one step. */
  async reshape(label: string, change: Partial<SketchWork>): Promise<void> {
    const { creature, sketch } = this.document.work.peek()
    if (!sketch) return
    await this.attempt(async () => {
      const { answer } = await this.engine.ask('sketch', { creature, sketch: { ...bare(sketch), ...change }, from: bare(sketch) })
      if (this.document.work.peek().sketch === sketch) this.document.change(label, (work) => ({ ...work, sketch: answer.sketch }))
    })
  }

  /** A new search, with other random numbers than the last. */
  optimise(): void {
    const { sketch } = this.document.work.peek()
    if (!sketch) return
    const found: FoundWork = { seed: (sketch.found?.seed ?? 0) + 1, controller: null, status: 'running', short: null, evaluations: 0, speed: 0, gap: null }
    this.document.change('optimise', (work) => ({ ...work, sketch: { ...sketch, found } }))
    this.curve.value = []
    this.progress.value = null
    this.found.value = null
    this.kept = null
    void this.run(found.seed)
  }

  /** On with the search that was stopped. */
  goOn(): void {
    const { sketch } = this.document.work.peek()
    if (!sketch?.found) return
    this.tellFound({ status: 'running' })
    void this.run(sketch.found.seed)
  }

  /** Ends the search; its best stays. */
  stop(): void {
    if (!this.running.peek()) return
    void this.finish()
  }

  /** Ends it without a word. */
  private halt(): void {
    this.turn++
    this.running.value = false
  }

  private async run(seed: number): Promise<void> {
    const turn = ++this.turn
    const { creature, sketch } = this.document.work.peek()
    const wanted = { seed, sketch: bare(sketch!) }
    this.wanted = wanted
    this.running.value = true
    this.view.value = 'best'
    this.measured = { at: performance.now(), evaluations: -1 }
    let keptAt = performance.now()
    try {
      await this.begin(creature, wanted)
      while (turn === this.turn) {
        const keep = performance.now() - keptAt > KEEP_EVERY
        const { answer, bytes } = await this.engine.ask('improve', { steps: 1, keep }).catch(async (error: unknown) => {
          // An engine that came back has forgotten the search.
          if (!(error instanceof Refusal && error.message.startsWith('no search'))) throw error
          return this.begin(creature, wanted)
        })
        if (turn !== this.turn) return
        this.take(answer, bytes)
        if (keep) {
          keptAt = performance.now()
          this.keep(answer, wanted, 'running')
        }
        if (answer.outcome) await this.finish()
      }
    } catch (error) {
      if (turn !== this.turn) return
      this.halt()
      this.trouble.value = words(error)
      this.tellFound({ status: 'stopped' })
    }
  }

  /** Tells the engine what to look for, from where it was if that is known. */
  private async begin(creature: CreatureWork, wanted: Omit<Kept, 'checkpoint'>) {
    if (!this.fits(this.kept, wanted)) this.kept = await this.load(wanted)
    const ask = { creature, ...wanted }
    const kept = this.kept
    if (kept && this.document.work.peek().sketch?.found?.controller) {
      try {
        const reply = await this.engine.ask('search', { ...ask, checkpoint: kept.checkpoint })
        this.take(reply.answer, reply.bytes)
        return reply
      } catch (error) {
        // A checkpoint of another version: from the beginning, with the same seed, comes to the same place.
        if (!(error instanceof Refusal)) throw error
        this.kept = null
      }
    }
    const reply = await this.engine.ask('search', ask)
    this.take(reply.answer, reply.bytes)
    return reply
  }

  private fits(kept: Kept | null, wanted: Omit<Kept, 'checkpoint'>): boolean {
    return kept !== null && same([kept.seed, kept.sketch], [wanted.seed, wanted.sketch])
  }

  private async load(wanted: Omit<Kept, 'checkpoint'>): Promise<Kept | null> {
    const { answer } = await this.engine.ask('load', { tab: this.place() })
    const kept = answer.work as Kept | null
    return this.fits(kept, wanted) ? kept : null
  }

  private take(answer: SearchAnswer, bytes: Bytes): void {
    this.progress.value = answer
    const { best, evaluations } = answer
    const now = performance.now()
    if (this.measured.evaluations < 0) this.measured = { at: now, evaluations }
    else if (now - this.measured.at > MEASURED_OVER) {
      this.pace.value = (evaluations - this.measured.evaluations) / ((now - this.measured.at) / 1000)
      this.measured = { at: now, evaluations }
    }
    if (best && evaluations > (this.curve.value.at(-1)?.evaluations ?? 0)) {
      this.curve.value = grown(this.curve.value, { evaluations, value: best.value ?? NaN, gap: best.gap ?? NaN, roundGap: answer.round_gap ?? NaN })
    }
    const creature = this.flow.creature.peek()
    if (answer.clip && creature) this.found.value = { of: null, player: new ClipPlayer(creature.answer, answer.clip, bytes) }
  }

  /** The last word of a search: what it found is kept. */
  private async finish(): Promise<void> {
    const { sketch } = this.document.work.peek()
    const seed = sketch?.found?.seed
    this.halt()
    if (!sketch || seed === undefined) return
    try {
      const { answer, bytes } = await this.engine.ask('improve', { steps: 0, keep: true })
      this.take(answer, bytes)
      this.keep(answer, { seed, sketch: bare(sketch) }, answer.outcome?.how ?? 'stopped')
      await this.engine.ask('stop', {})
    } catch {
      // The engine is another one: what was kept last stays.
      this.tellFound({ status: 'stopped' })
    }
  }

  private keep(answer: SearchAnswer, wanted: Omit<Kept, 'checkpoint'>, status: FoundWork['status']): void {
    const { kept, best, outcome, evaluations } = answer
    const now = this.document.work.peek().sketch
    if (!kept || !best || !now?.found || now.found.seed !== wanted.seed || !same(bare(now), wanted.sketch)) return
    if (evaluations < now.found.evaluations) {
      // It began anew, and is not yet where it was.
      this.tellFound({ status })
      return
    }
    this.kept = { ...wanted, checkpoint: kept.checkpoint }
    // It is also in the page; a reload goes on from the next one.
    this.engine.ask('save', { tab: this.place(), work: this.kept }).catch(() => null)
    if (this.found.peek() && kept.controller) this.found.value = { ...this.found.peek()!, of: kept.controller }
    this.tellFound({
      controller: kept.controller, status, evaluations, speed: best.speed, gap: best.gap,
      short: outcome?.how === 'stalled' ? [outcome.constraint, outcome.by] : null,
    })
  }

  /** Part of having pressed Optimise, and undone with it. */
  private tellFound(change: Partial<FoundWork>): void {
    this.document.settle((work) => (work.sketch?.found ? { ...work, sketch: { ...work.sketch, found: { ...work.sketch.found, ...change } } } : work))
  }

  /** The present work is what the search is of. */
  private searched(): boolean {
    const { sketch } = this.document.work.value
    return sketch?.found?.seed === this.wanted?.seed && same(sketch && bare(sketch), this.wanted?.sketch)
  }
}

function sketchedOf(of: CreatureWork, sketch: SketchWork, creature: Creature, answer: SketchAnswer, bytes: Bytes): Sketched {
  const swings = (phase: Phase) => new ModeSwings(creature.answer, answer[phase], bytes)
  return { of, sketch, creature, answer, swings: { flight: swings('flight'), ground: swings('ground') } }
}

import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { type Engine, words } from './engine/engine'
import { Latest } from './engine/latest'
import { Breeze, windFrom } from './forest/breeze'
import { type Climate, Oscillators, TREE } from './forest/oscillators'
import type { Grove, GroveStats } from './forest/grove'
import { WIDTH } from './forest/shaders'
import type { CreatureWork, PlantAnswer, Source } from './protocol'
import { type Bytes, numbersOf } from './stage/bytes'
import type { Document } from './work/document'
import { same } from './work/empty'

/** Of the places of trees. */
const SEED = 1
/** Trees that a forest begins with, on a card and in software. */
const FIRST_TREES = { card: 1000, software: 120 }
/** Nodes of a tree that have displacements, to begin with. */
const FIRST_NODES = 300
/** Wind to begin with: a fresh breeze from the west, m/s and degrees; and gusts among trees. */
const FIRST_WIND = windFrom(7, 250)
const FIRST_GUSTS = 0.35
/** A mode that is shown swings so far at the node that moves most, in heights of the plant. */
const SWING = 0.09
/** Longest step, s: below, a wind that changes is followed. */
const LONGEST = 0.1
/** A plant with fewer nodes may be looked at as a creature: others have too many joints for the stage. */
const SMALL = 260

interface Stand { of: CreatureWork; row: boolean; trees: Float32Array }

export interface Plant { of: CreatureWork; nodes: number; answer: PlantAnswer; bytes: Bytes }

/** The forest that is shown while the creature is a plant: what is asked of the engine, wind, and oscillators. */
export class Planting {
  readonly trees = signal<number | null>(null)
  readonly modes = signal(25)
  readonly nodes = signal(FIRST_NODES)
  readonly stiffness = signal(1)
  readonly damping = signal(1)
  readonly gusts = signal(FIRST_GUSTS)
  /** m/s, what the hand wants. */
  readonly wind = signal<[number, number]>(FIRST_WIND)
  /** Trees stand in one row, as along a road. */
  readonly row = signal(false)
  readonly leaves = signal(true)
  readonly playing = signal(true)
  /** The mode that sways alone. */
  readonly shown = signal<number | null>(null)
  readonly plant = signal<Plant | null>(null)
  /** T of the forest. */
  readonly stand = signal<Stand | null>(null)
  readonly trouble = signal<string | null>(null)
  readonly busy = signal(false)
  /** It is looked at as links on hinges instead. */
  readonly asCreature = signal(false)
  readonly isPlant: ReadonlySignal<boolean> = computed(() => this.plantSource(this.document.work.value.creature.source))
  readonly on: ReadonlySignal<boolean> = computed(() => this.isPlant.value && !this.asCreature.value)
  readonly small: ReadonlySignal<boolean> = computed(() => (this.plant.value?.answer.nodes ?? Infinity) < SMALL)
  readonly stats = signal<GroveStats | null>(null)
  private grove: Grove | null = null
  private oscillators: Oscillators | null = null
  private breeze: Breeze | null = null
  /** s */
  private time = 0
  private swung = 0
  private told = 0
  private prepared: unknown = null
  private readonly plants: Latest<'plant'>
  private readonly forests: Latest<'forest'>

  constructor(private readonly engine: Engine, private readonly document: Document) {
    this.plants = new Latest(engine, 'plant')
    this.forests = new Latest(engine, 'forest')
  }

  /** Whether a source is a plant: by its ending, as the engine tells them apart. */
  plantSource(source: Source): boolean {
    if (source.from === 'file') return /\.(mtg|swc|csv|tsv|txt)$/i.test(source.name)
    return this.engine.greeting.value?.gallery.some((entry) => entry.plant && entry.name === source.name) ?? false
  }

  /** What is seen is what was asked for. */
  get settled(): boolean {
    const { creature } = this.document.present.work
    return !this.busy.value && same(this.plant.value?.of, creature) && this.plant.value?.nodes === this.nodes.value &&
      same(this.stand.value?.of, creature) && this.stand.value!.row === this.row.value && this.stand.value!.trees.length === 5 * (this.trees.value ?? 0)
  }

  /** From now on the forest is drawn there. */
  attach(grove: Grove): () => void {
    this.grove = grove
    // A new picture has nothing in it yet.
    this.shownPlant = null
    if (this.trees.peek() === null) this.trees.value = grove.software ? FIRST_TREES.software : FIRST_TREES.card
    const ends = [
      effect(() => void this.askPlant(this.document.work.value.creature, this.nodes.value)),
      effect(() => void this.askForest(this.document.work.value.creature, this.trees.value!, this.row.value)),
      effect(() => this.begin(this.plant.value, this.stand.value)),
      effect(() => {
        if (this.oscillators) this.oscillators.quieten(this.modes.value)
      }),
      effect(() => grove.setLeaves(this.leaves.value)),
      effect(() => {
        if (this.shown.value !== null) this.swung = 0
      }),
    ]
    return () => {
      for (const end of ends) end()
      this.grove = null
    }
  }

  /** Goes on by so many seconds, and draws. */
  frame(now: number, elapsed: number): void {
    const { grove, oscillators, breeze } = this
    if (!grove || !oscillators || !breeze) return
    const seconds = Math.min(elapsed, LONGEST)
    grove.walker.advance(elapsed)
    const start = performance.now()
    if (this.playing.peek() && seconds > 0) this.step(seconds)
    grove.draw(now, this.time, this.modes.peek(), performance.now() - start)
    if (now - this.told > 500) {
      this.told = now
      this.stats.value = grove.stats()
    }
  }

  /** Wind and oscillators, by so many seconds. */
  step(seconds: number): void {
    const { oscillators, breeze } = this
    if (!oscillators || !breeze) return
    this.time += seconds
    const shown = this.shown.peek()
    if (shown !== null) {
      const { frequency, reach, bend } = oscillators.modes[shown]!
      this.swung += seconds
      const swing = Math.min(SWING * this.plant.peek()!.answer.height / reach, bend[2])
      oscillators.show(shown, swing * Math.sin(2 * Math.PI * frequency * Math.sqrt(this.stiffness.peek()) * this.swung))
      return
    }
    breeze.wanted[0] = this.wind.peek()[0]
    breeze.wanted[1] = this.wind.peek()[1]
    breeze.gusts = this.gusts.peek()
    breeze.advance(seconds)
    const climate = this.climate(seconds)
    this.prepare(climate)
    oscillators.advance((x, y, out) => breeze.at(x, y, out), climate)
  }

  /** A gust from a place on the ground, m. */
  puff(x: number, y: number): void {
    this.shown.value = null
    this.breeze?.puff(x, y)
  }

  /** Displacement of the first tree's first modes, for tests. */
  coordinates(tree: number): number[] {
    const { oscillators } = this
    return oscillators ? oscillators.modes.map((_, mode) => oscillators.state(tree, mode)[0]) : []
  }

  /** Where trees stand, m, for tests. */
  get places(): [number, number][] {
    const trees = this.stand.value?.trees ?? new Float32Array(0)
    return Array.from({ length: trees.length / TREE }, (_, tree) => [trees[TREE * tree]!, trees[TREE * tree + 1]!])
  }

  /** The mean wind as it is now. */
  get mean(): [number, number] {
    return this.breeze ? [...this.breeze.mean] : [0, 0]
  }

  private climate(step: number): Climate {
    return { wind: this.breeze!.mean, step, modes: Math.min(this.modes.peek(), this.oscillators!.modes.length), stiffness: this.stiffness.peek(), damping: this.damping.peek() }
  }

  /** Steps are made anew only where something changed that an eye could see. */
  private prepare(climate: Climate): void {
    const key = [climate.step.toFixed(4), climate.wind[0].toFixed(1), climate.wind[1].toFixed(1), climate.modes, climate.stiffness, climate.damping].join()
    if (key === this.prepared) return
    this.prepared = key
    this.oscillators!.prepare(climate)
  }

  private async askPlant(creature: CreatureWork, nodes: number): Promise<void> {
    if (!this.plantSource(creature.source) || (same(this.plant.peek()?.of, creature) && this.plant.peek()!.nodes === nodes)) return
    await this.attempt(async () => {
      const reply = await this.plants.ask({ creature, nodes })
      if (reply) this.plant.value = { of: creature, nodes, answer: reply.answer, bytes: reply.bytes }
    })
  }

  private async askForest(creature: CreatureWork, trees: number, row: boolean): Promise<void> {
    if (!this.plantSource(creature.source)) return
    await this.attempt(async () => {
      const reply = await this.forests.ask({ creature, trees, row, seed: SEED })
      if (reply) this.stand.value = { of: creature, row, trees: numbersOf(reply.bytes, reply.answer.trees) }
    })
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    this.busy.value = true
    try {
      await work()
      this.trouble.value = null
    } catch (error) {
      this.trouble.value = words(error)
    } finally {
      this.busy.value = false
    }
  }

  /** A forest of what was told, at rest in the present wind. */
  private begin(plant: Plant | null, stand: Stand | null): void {
    const { grove } = this
    if (!grove || !plant || !stand || !same(plant.of, stand.of)) return
    const { answer, bytes } = plant
    const another = this.breeze === null || this.shownPlant !== plant
    if (another) grove.setPlant(answer, bytes)
    if (this.modes.peek() > answer.modes.length) this.modes.value = answer.modes.length
    if (this.shown.peek() !== null && this.shown.peek()! >= answer.modes.length) this.shown.value = null
    this.oscillators = new Oscillators(answer.modes, answer.damping, stand.trees, WIDTH)
    if (another) this.breeze = new Breeze(answer.gusts, numbersOf(bytes, answer.gusts.field), answer.height)
    this.shownPlant = plant
    const breeze = this.breeze!
    ;[breeze.wanted[0], breeze.wanted[1]] = this.wind.peek()
    breeze.gusts = this.gusts.peek()
    if (another) breeze.settle()
    this.prepared = null
    this.oscillators.settle((x, y, out) => breeze.at(x, y, out), this.climate(1 / 60))
    grove.setForest(this.oscillators)
    grove.setLeaves(this.leaves.peek())
  }

  private shownPlant: Plant | null = null
}

import { computed, signal } from '@preact/signals'
import type { BodyAnswer, GaitWork, Style } from '../protocol'
import type { Work } from './work'
import { same } from './empty'
import { advance, amend, begin, type History, redo, type Step, undo } from './history'
import { marksOf, recount } from './marks'

/** Releases of one slider within this time are one step: someone presses its arrow keys. ms */
const ONE_GESTURE = 1000

/** What the user made, with undo. */
export class Document {
  readonly history
  readonly work = computed(() => this.history.value.present.work)
  /** What undo and redo would do, or null. */
  readonly undoable = computed(() => (this.history.value.past.length ? this.history.value.present.label : null))
  readonly redoable = computed(() => this.history.value.future[0]?.label ?? null)
  /** The step at the start of a drag: what all of the drag is one change of. */
  private held: Step | null = null
  private released = { label: '', at: -Infinity }
  /** When the work last changed, ms. */
  touched = -Infinity

  constructor(work: Work, private readonly now: () => number = () => performance.now()) {
    this.history = signal<History>(begin(work))
  }

  get present(): Step {
    return this.history.value.present
  }

  get dragging(): boolean {
    return this.held !== null
  }

  /** One step. */
  change(label: string, change: (work: Work) => Work): void {
    this.release()
    const { work, counted } = this.present
    const next = change(work)
    if (same(next, work)) return
    // Another creature has other modes: nothing to count anew.
    const stays = same(next.creature, work.creature)
    this.set(advance(this.history.value, { work: next, counted: stays ? counted : next.style, label }))
  }

  /** Part of a drag: a step only when it is released. */
  drag(label: string, change: (work: Work) => Work): void {
    this.held ??= this.present
    const { work, counted } = this.present
    this.set(amend(this.history.value, { work: change(work), counted, label }))
  }

  /** The drag is over. */
  release(): void {
    if (!this.held) return
    const { held } = this
    const present = this.present
    this.held = null
    if (same(held.work, present.work)) {
      this.set(amend(this.history.value, held))
      return
    }
    const now = this.now()
    const goesOn = this.released.label === present.label && now - this.released.at < ONE_GESTURE
    this.released = { label: present.label, at: now }
    if (!goesOn) this.set(advance(amend(this.history.value, held), present))
  }

  /** Something that follows from what the user did, and is undone with it. */
  settle(change: (work: Work) => Work): void {
    const { present } = this
    const work = change(present.work)
    this.set(amend(this.history.value, { ...present, work, counted: marksOf(work.gait).length ? present.counted : work.style }))
  }

  undo(): void {
    this.release()
    this.set(undo(this.history.value))
  }

  redo(): void {
    this.release()
    this.set(redo(this.history.value))
  }

  replace(history: History): void {
    this.held = null
    this.set(history)
  }

  /** The step whose modes an engine shall find again on the present body: within a drag always the first. */
  get counting(): Step {
    return this.held ?? this.present
  }

  /** The modes of `from` as the body of `style` counts them. */
  count(from: Step, style: Style, follows: BodyAnswer['follows']): void {
    const { present } = this
    const asked = new Set(follows.map((follow) => follow.old))
    const source: GaitWork = this.held ? from.work.gait : present.work.gait
    // Marked while the engine counted: it is asked once more.
    if (marksOf(source).some((mode) => !asked.has(mode))) return
    const { prefer, avoid, edits } = recount(source, follows)
    const gait = { ...present.work.gait, prefer, avoid, edits }
    this.set(amend(this.history.value, { ...present, work: { ...present.work, gait }, counted: style }))
  }

  private set(history: History): void {
    this.touched = this.now()
    this.history.value = history
  }
}

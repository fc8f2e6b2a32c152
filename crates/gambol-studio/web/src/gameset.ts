import { signal } from '@preact/signals'
import { type Ask, type Engine, Refusal, type Reply, words } from './engine/engine'
import { download } from './files'
import type { Flow } from './flow'
import type { SetAnswer } from './protocol'
import type { Document } from './work/document'

/** How often it is looked whether the user is done with a slider, ms. */
const LOOK = 50

/** How the last set ended. */
export interface Ended { good: boolean; text: string; warnings: string[] }

/** A set of clips for a game. The page drives it: it asks for one clip after the other, and then for the file. */
export class GameSet {
  /** How far it is; null while none is made. */
  readonly making = signal<SetAnswer | null>(null)
  readonly ended = signal<Ended | null>(null)
  /** Ends a set: the next has another number. */
  private turn = 0

  constructor(private readonly engine: Engine, private readonly document: Document, private readonly flow: Flow,
    private readonly save: typeof download = download) {}

  /** Of the creature as it is now; what is changed meanwhile is not in it. */
  async make(inPlace: boolean): Promise<void> {
    const turn = ++this.turn
    const { creature, style, gait: { name: gait } } = this.document.work.peek()
    this.ended.value = null
    this.making.value = { done: 0, most: 1, next: null }
    try {
      let file: Reply<'export'> | null = null
      while (!file) {
        if (!(await this.makeClips({ creature, style, gait }, turn))) return
        const what = { of: 'set', gait } as const
        file = await this.engine.ask('export', { creature, style, what, format: 'glb', in_place: inPlace }).catch((error: unknown) => {
          // An engine that came back has forgotten the set: it is made anew.
          if (error instanceof Refusal && error.message.startsWith('the set is not made')) return null
          throw error
        })
        if (turn !== this.turn) return
      }
      this.finish(file)
    } catch (error) {
      if (turn !== this.turn) return
      this.making.value = null
      this.ended.value = { good: false, text: words(error), warnings: [] }
    }
  }

  /** Asks for one clip after the other; whether all are there, and wanted. */
  private async makeClips(wanted: Ask<'set'>, turn: number): Promise<boolean> {
    for (let next: string | null | undefined; next !== null;) {
      await this.others()
      if (turn !== this.turn) return false
      const { answer } = await this.engine.ask('set', wanted)
      if (turn !== this.turn) return false
      this.making.value = answer
      next = answer.next
    }
    return true
  }

  /** No file; the clip that is being made is the last. */
  cancel(): void {
    this.turn++
    this.making.value = null
  }

  private finish({ answer: { name, mime, warnings }, bytes }: Reply<'export'>): void {
    this.save(name, new Blob([bytes], { type: mime }))
    const { done } = this.making.peek()!
    this.making.value = null
    this.ended.value = { good: true, text: `Saved ${name}, ${done} clips`, warnings }
  }

  /** Who moves a slider comes first. */
  private async others(): Promise<void> {
    while (this.document.dragging || this.flow.busy.peek() !== null) await new Promise((resume) => setTimeout(resume, LOOK))
  }
}

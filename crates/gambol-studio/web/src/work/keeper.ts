import { effect } from '@preact/signals'
import type { Engine } from '../engine/engine'
import { Latest } from '../engine/latest'
import { type Requests, VERSION } from '../protocol'
import type { Document } from './document'
import type { History, Step } from './history'

/** A pause in the changes after which they are saved, ms. */
const PAUSE = 300

/** What is kept of a tab: by the engine, and in the browser for while the engine is away. */
interface Kept { version: number; at: number; history: History }

/** Saves the work of a tab whenever it changed. */
export class Keeper {
  private timer: ReturnType<typeof setTimeout> | undefined
  private dirty = false
  private readonly saves: Latest<'save'>

  constructor(private readonly engine: Engine, private readonly document: Document, private readonly tab: string) {
    this.saves = new Latest(engine, 'save')
    let first = true
    effect(() => {
      document.history.value
      if (first) first = false
      else this.soon()
    })
    // There is no later: past what may be waiting.
    addEventListener('pagehide', () => this.now((kept) => this.engine.ask('save', kept)))
  }

  private soon(): void {
    this.dirty = true
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.now((kept) => this.saves.ask(kept)), PAUSE)
  }

  private now(send: (kept: Requests['save']['ask']) => Promise<unknown>): void {
    if (!this.dirty) return
    this.dirty = false
    const kept: Kept = { version: VERSION, at: Date.now(), history: this.document.history.peek() }
    keepHere(this.tab, kept)
    // It is also here, and the next save has all of it again.
    send({ tab: this.tab, work: kept }).catch(() => null)
  }
}

/** The newest work of a tab: what the engine keeps, or what it missed while it was away. */
export async function loadWork(engine: Engine, tab: string): Promise<History | null> {
  const { answer } = await engine.ask('load', { tab })
  const found = [answer.work, keptHere(tab)].filter(isKept)
  const history = found.sort((a, b) => b.at - a.at)[0]?.history
  return history ? { past: history.past.map(whole), present: whole(history.present), future: history.future.map(whole) } : null
}

/** What fields were called in version 1. */
const EARLIER: Record<string, string> = {
  freeRoot: 'free_root', stride: 'stride_length', flightShare: 'flight_share', leastSpeed: 'least_speed', mostEffort: 'most_effort',
}

function renamed<T extends object>(part: T): T {
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [EARLIER[name] ?? name, value])) as T
}

/** As it is kept today: work that was kept before there were sketches or tempos of clips has none, and before version 2 they did not name their creature. */
export function whole(step: Step): Step {
  const { creature, gait, sketch } = step.work
  const named = sketch ? { ...renamed(sketch), creature: sketch.creature ?? creature.source.name } : null
  return { ...step, work: { ...step.work, version: VERSION, creature: { ...renamed(creature), own_tempo: creature.own_tempo ?? false }, gait: renamed(gait), sketch: named } }
}

function isKept(kept: unknown): kept is Kept {
  return typeof kept === 'object' && kept !== null && (kept as Kept).version <= VERSION && 'history' in kept
}

const PREFIX = 'gambol.work.'

function keepHere(tab: string, kept: Kept): void {
  // Full: first the work of other tabs goes, which the engine has too, then the way back.
  const attempts = [
    () => localStorage.setItem(PREFIX + tab, JSON.stringify(kept)),
    () => {
      for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX) && key !== PREFIX + tab) localStorage.removeItem(key)
      localStorage.setItem(PREFIX + tab, JSON.stringify(kept))
    },
    () => localStorage.setItem(PREFIX + tab, JSON.stringify({ ...kept, history: { ...kept.history, past: [], future: [] } })),
  ]
  for (const attempt of attempts) {
    try {
      attempt()
      return
    } catch {
      continue
    }
  }
}

function keptHere(tab: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + tab) ?? 'null')
  } catch {
    return null
  }
}

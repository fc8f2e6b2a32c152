import { type CreatureWork, type GaitWork, type Source, type StyleWork, VERSION, type Work } from '../protocol'

export function emptyStyle(): StyleWork {
  return { pose: null, bend: [], stiffness: null, scale: [], constraints: [], weight: 1, tension: 1, injured: [] }
}

export function emptyGait(): GaitWork {
  return {
    name: null, file: null, speed: null, stride: null, frequency: null, duty: null, turn: 0, slope: 0, ground: true,
    prefer: [], avoid: [], edits: [],
  }
}

export function creatureFrom(source: Source): CreatureWork {
  return { source, landmarks: [], height: null, mass: null, forward: null, joints: [], freeRoot: false }
}

export function workOn(creature: CreatureWork): Work {
  return { version: VERSION, creature, style: emptyStyle(), gait: emptyGait() }
}

/** Whether two documents say the same, in whatever order: the engine has another than the page. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const [keys, others] = [Object.keys(a), Object.keys(b)] as [(keyof typeof a)[], string[]]
  return keys.length === others.length && keys.every((key) => key in b && same(a[key], b[key]))
}

import { type CreatureWork, type GaitWork, type Source, type Style, VERSION } from '../protocol'
import type { Work } from './work'

export function emptyStyle(): Style {
  return { pose: null, bend: [], stiffness: null, scale: [], constraints: [], weight: 1, tension: 1, injured: [] }
}

export function emptyGait(): GaitWork {
  return {
    name: null, file: null, speed: null, stride_length: null, frequency: null, duty: null, turn: 0, slope: 0, ground: true,
    prefer: [], avoid: [], edits: [],
  }
}

export function creatureFrom(source: Source): CreatureWork {
  // A URDF file hangs its robot from the world, whatever it is; most of them are to walk.
  const freeRoot = /\.urdf$/i.test(source.name)
  return { source, landmarks: [], height: null, mass: null, forward: null, joints: [], free_root: freeRoot, own_tempo: false }
}

export function workOn(creature: CreatureWork): Work {
  return { version: VERSION, creature, style: emptyStyle(), gait: emptyGait(), sketch: null }
}

/** Whether two documents say the same, in whatever order: the engine has another than the page. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const [keys, others] = [Object.keys(a), Object.keys(b)] as [(keyof typeof a)[], string[]]
  return keys.length === others.length && keys.every((key) => key in b && same(a[key], b[key]))
}

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

/** Whether two documents say the same. They are plain JSON, made in one place, so keys have one order. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

import type { Style } from '../protocol'
import type { Work } from './work'

/** The work at one time. */
export interface Step {
  work: Work
  /** The body whose modes the gait's numbers count; other than `work.style` until the engine has counted anew. */
  counted: Style
  /** What the change that led here did: "stiffness". */
  label: string
}

/** The work, and the way to and from it. */
export interface History { past: Step[]; present: Step; future: Step[] }

/** As many steps as anyone goes back; a step is about a kilobyte. */
const MOST_STEPS = 200

export function begin(work: Work): History {
  return { past: [], present: { work, counted: work.style, label: '' }, future: [] }
}

/** The user did something: one more step, and no way forward any more. */
export function advance(history: History, present: Step): History {
  return { past: [...history.past, history.present].slice(-MOST_STEPS), present, future: [] }
}

/** Something follows from what the user did: no step of its own. */
export function amend(history: History, present: Step): History {
  return { ...history, present }
}

export function undo({ past, present, future }: History): History {
  const before = past.at(-1)
  return before ? { past: past.slice(0, -1), present: before, future: [present, ...future] } : { past, present, future }
}

export function redo({ past, present, future }: History): History {
  const [next, ...rest] = future
  return next ? { past: [...past, present], present: next, future: rest } : { past, present, future }
}

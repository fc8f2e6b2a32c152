import type { Vec3 } from '../protocol'
import type { MarkName } from './marks'

/** What a drag on the creature does. Ctrl or cmd makes it a push in every mode. */
export type Interaction = 'orbit' | 'pose' | 'push' | 'constrain' | 'landmark'

/** A place on the page, CSS pixels from the top left of the window. */
export interface OnPage { x: number; y: number }

export interface StageEvents {
  /** A click: on a mark, on a body, or on nothing. */
  pick: {
    mark: MarkName | null
    body: number | null
    pointInBody: Vec3 | null
    pointInWorld: Vec3 | null
    interaction: Interaction
    onPage: OnPage
  }
  /** What the mouse is over now; sent when it changes, and `body` null when it is over nothing. */
  hover: { mark: MarkName | null; body: number | null; name: string | null; onPage: OnPage }
  /** A point of a body dragged with the mouse. `end` repeats the last target. */
  pull: { phase: 'start' | 'move' | 'end'; purpose: 'push' | 'pose'; body: number; pointInBody: Vec3; targetInWorld: Vec3 }
  /** A click on a body in the mode `orbit`, or on nothing (null). */
  select: { body: number | null }
  /** The picture cannot be drawn, or can be drawn again. */
  trouble: { kind: 'unsupported' | 'lost' | 'restored' | 'skin'; text: string }
}

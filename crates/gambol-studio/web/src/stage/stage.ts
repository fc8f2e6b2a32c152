import type { CreatureAnswer, Vec3 } from '../protocol'
import type { Bytes, FetchFile } from './bytes'
import type { Standing } from './clip'
import { Emitter } from './emitter'
import type { MarkName, Marks } from './marks'
import type { Theme } from './theme'

/** What a drag on the creature does. Ctrl or cmd makes it a push in every mode. */
export type Interaction = 'orbit' | 'pose' | 'push' | 'constrain' | 'landmark'

export interface StageOptions {
  theme: Theme
  /** Smooth edges; true unless the page's address says `msaa=0`. */
  msaa?: boolean
}

/** A place on the page, CSS pixels from the top left of the window. */
export interface OnPage { x: number; y: number }

export interface StageEvents {
  /** A click: on a mark, on a body, on the ground, or on nothing. */
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

export interface StageStats {
  /** Of frames drawn lately; 0 at rest. */
  fps: number
  /** Frames drawn so far. */
  frames: number
  /** ms that drawing took the page, mean of lately. */
  millis: number
  drawCalls: number
  triangles: number
  /** As the graphics driver calls itself. */
  renderer: string
  /** Whether the user's own skin is what is seen. */
  skin: boolean
}

/** The big picture: creature, ground, marks, camera and mouse. Draws only when something changed. */
export class Stage extends Emitter<StageEvents> {
  constructor(canvas: HTMLCanvasElement, options: StageOptions) {
    super()
    void [canvas, options]
  }

  /** Shows a creature, in its reference pose until `setPose`. The camera frames it unless `keepView`. */
  async setCreature(creature: CreatureAnswer, bytes: Bytes, fetchFile: FetchFile, options: { keepView?: boolean } = {}): Promise<void> {
    void [creature, bytes, fetchFile, options]
  }
  setPose(q: ArrayLike<number>): void { void q }
  /** The body of the skeleton instead of the skin: to see joints and shapes. */
  setSkinVisible(visible: boolean): void { void visible }
  /** A second, translucent creature to compare with; null takes it away. Of the same creature unless told. */
  async setGhostCreature(creature: CreatureAnswer | null, bytes?: Bytes, fetchFile?: FetchFile): Promise<void> {
    void [creature, bytes, fetchFile]
  }
  setGhost(q: ArrayLike<number> | null): void { void q }
  /** Slope in rad, rising ahead (+x). */
  setGround(ground: { visible: boolean; slope: number }): void { void ground }
  setMarks(marks: Marks): void { void marks }
  /** Feet that stand now: discs under them. */
  setContacts(standing: Standing[]): void { void standing }
  setTheme(theme: Theme): void { void theme }
  /** Brings the whole creature into view from where the camera is (F). */
  frameAll(): void {}
  /** The three-quarter view of the start (R). */
  resetView(): void {}
  setFollow(follow: boolean): void { void follow }
  setInteraction(interaction: Interaction): void { void interaction }
  /** Highlights bodies from outside, e.g. while a slider of a limb is hovered. */
  highlight(bodies: number[] | null): void { void bodies }
  /** Where a point of a body is on the page: for labels. */
  onPage(body: number, pointInBody: Vec3): OnPage { void [body, pointInBody]; return { x: 0, y: 0 } }
  /** Draws now if something changed, rather than with the next frame: for tests and recordings. */
  renderNow(): void {}
  /** PNG. */
  async snapshot(width: number, height: number): Promise<Blob> { void [width, height]; return new Blob() }
  /** What is drawn, for a MediaRecorder. */
  stream(framesPerSecond?: number): MediaStream { void framesPerSecond; return new MediaStream() }
  stats(): StageStats {
    return { fps: 0, frames: 0, millis: 0, drawCalls: 0, triangles: 0, renderer: '', skin: false }
  }
  dispose(): void {}
}

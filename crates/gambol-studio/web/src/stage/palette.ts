import type { CreatureAnswer } from '../protocol'
import type { Bytes, FetchFile } from './bytes'
import type { ModeSwings } from './modes'
import type { Theme } from './theme'

export interface PaletteOptions {
  theme: Theme
  /** Two extremes as an onion skin instead of motion; from the system's setting unless told. */
  reducedMotion?: boolean
}

/**
 * The moving pictures of the mode palette: one canvas that covers the viewport of a scroller (pointer-events: none),
 * with a picture wherever a cell's element is.
 */
export class PaletteView {
  constructor(canvas: HTMLCanvasElement, scroller: HTMLElement, options: PaletteOptions) {
    void [canvas, scroller, options]
  }
  async setCreature(creature: CreatureAnswer, bytes: Bytes, fetchFile: FetchFile): Promise<void> {
    void [creature, bytes, fetchFile]
  }
  /** After every `body` answer: keeps the cameras and the clock. */
  setModes(swings: ModeSwings): void { void swings }
  setCells(cells: { mode: number; element: HTMLElement }[]): void { void cells }
  setTheme(theme: Theme): void { void theme }
  setReducedMotion(reduced: boolean): void { void reduced }
  /** Stops all motion, e.g. while the page is paused for a test; `phase` in rad. */
  setPaused(paused: boolean, phase?: number): void { void [paused, phase] }
  stats(): { fps: number; frames: number; millis: number; cells: number; drawnPerFrame: number } {
    return { fps: 0, frames: 0, millis: 0, cells: 0, drawnPerFrame: 0 }
  }
  dispose(): void {}
}

import type { CreatureWork, GaitWork, SketchWork, Style } from '../protocol'

/** What the user made: all that is kept. The engine keeps it for the page and does not look inside. */
export interface Work { version: number; creature: CreatureWork; style: Style; gait: GaitWork; sketch: SketchWork | null }

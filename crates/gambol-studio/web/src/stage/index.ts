// What is seen: the stage and the moving pictures of the mode palette. Nothing here knows the page around it.
// The world is z up, x forward, in metres; poses and quaternions are those of the protocol.

export { type Bytes, type FetchFile, numbersOf } from './bytes'
export { ClipPlayer, type Standing, type Way, wayOfRoot } from './clip'
export type { Interaction, OnPage, StageEvents } from './events'
export { Kinematics } from './kinematics'
export type { ConstraintMark, LandmarkMark, MarkName, Marks } from './marks'
export { ModeSwings } from './modes'
export { centreOfMass } from './overlay'
export { type PaletteOptions, PaletteView } from './palette'
export { type Look, type Puppet, puppetOf } from './puppet'
export { place, unplace } from './rigid'
export { Stage, type StageOptions, type StageStats } from './stage'
export { filmStrip } from './strip'
export type { Theme } from './theme'

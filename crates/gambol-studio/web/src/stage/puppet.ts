import type * as THREE from 'three'
import type { CreatureAnswer, Vec3 } from '../protocol'
import { bodyPuppet } from './body-puppet'
import type { Bytes, FetchFile } from './bytes'
import type { Way } from './clip'
import { skinPuppet } from './skin-puppet'
import type { Theme } from './theme'

/** Something that looks like the creature and follows its body frames. */
export interface Puppet {
  readonly object: THREE.Object3D
  /** Whether it is the user's own skin. */
  readonly skin: boolean
  readonly triangles: number
  /** Frames of `Kinematics.frames`, and how far it has come over the ground: what follows no body goes along that. */
  pose(frames: Float64Array, way?: Way): void
  /** Nodes of its file, and where they are. */
  places?(): { node: number; place: number[] }[]
  /** Instead of a pose: a clip of the file that the skin came from, at a time in s. */
  play?(clip: string, time: number): void
  /** The body under a ray and where it was hit, in the body frame. */
  pick(raycaster: THREE.Raycaster): { body: number; pointInBody: Vec3 } | null
  /** Shines some bodies, or none. */
  highlight(bodies: number[] | null, colour?: string): void
  /** Colours bodies, `null` where a body keeps its own. */
  tint(colours: (string | null)[] | null): void
  setTheme(theme: Theme): void
  dispose(): void
}

export interface Look {
  theme: Theme
  /** Few triangles and a plain material, for small pictures. */
  lowPoly?: boolean
  /** Translucent and of one colour, for comparing. */
  ghost?: boolean
}

/** The creature's own skin where it has one that can be read, its shapes otherwise; then `trouble` says why. */
export async function puppetOf(
  creature: CreatureAnswer,
  bytes: Bytes,
  fetchFile: FetchFile,
  look: Look,
): Promise<{ puppet: Puppet; trouble: string | null }> {
  if (!creature.skin) return { puppet: bodyPuppet(creature, bytes, look), trouble: null }
  try {
    return { puppet: await skinPuppet(creature, bytes, fetchFile, look), trouble: null }
  } catch (error) {
    const trouble = `The skin of ${creature.skin.file} cannot be shown, so its bones are: ${error instanceof Error ? error.message : error}`
    return { puppet: bodyPuppet(creature, bytes, look), trouble }
  }
}

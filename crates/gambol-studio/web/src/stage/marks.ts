import type { Vec3 } from '../protocol'

/** A mark that can be clicked. */
export interface MarkName { kind: 'landmark' | 'joint' | 'constraint'; name: string }

export interface LandmarkMark {
  name: string
  /** foot, knee, hand, elbow, head, spine, tail... */
  role: string
  body: number
  pointInBody: Vec3
  /** Hollow if guessed, solid if the user or the file says so. */
  guessed: boolean
  chosen?: boolean
}

export type ConstraintMark =
  | { kind: 'pin'; name: string; body: number; pointInBody: Vec3 }
  | { kind: 'lock'; name: string; body: number; pointInBody: Vec3 }
  | { kind: 'cart'; name: string; bodies: [number, number]; pointsInBodies: [Vec3, Vec3] }

/** What is drawn over the body. Everything that is left out is not drawn. */
export interface Marks {
  landmarks?: LandmarkMark[]
  /** Unit vector in the world. */
  forward?: Vec3
  joints?: boolean
  centreOfMass?: boolean
  constraints?: ConstraintMark[]
  /** Bodies of injured legs. */
  injured?: number[]
  /** Of each body 0 (soft) to 1 (stiff); NaN leaves a body as it is. */
  stiffness?: ArrayLike<number>
}

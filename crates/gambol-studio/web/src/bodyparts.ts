import type { CreatureAnswer, JointPart, LandmarkPart, LimbPart, Vec3 } from './protocol'
import type { ConstraintMark } from './stage'

/** A name of a part, as people say it: `foot.front.left` is "front left foot". */
export function spoken(name: string): string {
  const [what, ...where] = name.split('.')
  const number = where.filter((word) => /^\d+$/.test(word))
  return [...where.filter((word) => !/^\d+$/.test(word)), what, ...number].join(' ').replaceAll('_', ' ')
}

/** Which foot: "front left", "left 2". */
export function whichFoot(name: string): string {
  const where = name.split('.').slice(1)
  const isNumber = (word: string) => /^\d+$/.test(word)
  return capital([...where.filter((word) => !isNumber(word)), ...where.filter(isNumber)].join(' ') || name)
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Joints that move a body against its parent; the root's own freedom is none. */
export function jointsOf(creature: CreatureAnswer, body: number): JointPart[] {
  const [first, end] = creature.bodies[body]?.joints ?? [0, 0]
  return creature.joints.slice(first, end).filter((joint) => joint.kind !== 'free')
}

export function bodiesOf(creature: CreatureAnswer, limb: LimbPart): number[] {
  return creature.joints.filter((joint) => limb.joints.includes(joint.name)).map((joint) => joint.body)
}

/** The limb that a body is part of. */
export function limbOf(creature: CreatureAnswer, body: number): LimbPart | null {
  const names = jointsOf(creature, body).map((joint) => joint.name)
  return creature.limbs.find((limb) => limb.joints.some((joint) => names.includes(joint))) ?? null
}

export function feet(creature: CreatureAnswer): LandmarkPart[] {
  return creature.landmarks.filter((landmark) => landmark.role === 'foot')
}

/** The foot at the end of the leg that a body is part of: the one below it in the tree, or on its way to the trunk. */
export function footOf(creature: CreatureAnswer, body: number): LandmarkPart | null {
  const limb = limbOf(creature, body)
  if (!limb) return null
  const inLimb = new Set(bodiesOf(creature, limb))
  return feet(creature).find((foot) => inLimb.has(foot.body)) ?? null
}

/** Bodies from a foot up to its limb's first. */
export function legOf(creature: CreatureAnswer, foot: LandmarkPart): number[] {
  const limb = limbOf(creature, foot.body)
  return limb ? bodiesOf(creature, limb) : [foot.body]
}

interface Place { body: number; point: Vec3 }

function placeOf(creature: CreatureAnswer, name: string): Place | null {
  const landmark = creature.landmarks.find((landmark) => landmark.name === name)
  if (landmark) return landmark
  const body = creature.bodies.findIndex((body) => body.name === name)
  if (body >= 0) return { body, point: creature.bodies[body]!.com }
  const joint = creature.joints.find((joint) => joint.name === name)
  return joint ? { body: joint.body, point: joint.anchor } : null
}

/** How a constraint is drawn; what the page has no picture of is only listed. */
export function constraintMark(creature: CreatureAnswer, text: string): ConstraintMark | null {
  const [kind, argument = ''] = text.split(':')
  if (text === 'hands:cart') {
    const [left, right] = creature.landmarks.filter((landmark) => landmark.role === 'hand')
    if (!left || !right) return null
    return { kind: 'cart', name: text, bodies: [left.body, right.body], pointsInBodies: [left.point, right.point] }
  }
  const place = placeOf(creature, argument)
  if (!place || (kind !== 'ground' && kind !== 'orientation')) return null
  return { kind: kind === 'ground' ? 'pin' : 'lock', name: text, body: place.body, pointInBody: place.point }
}

/** A constraint in words. */
export function constraintText(text: string): string {
  const [kind, argument = ''] = text.split(':')
  switch (kind) {
    case 'ground': return `${capital(spoken(argument))} pinned to the ground`
    case 'orientation': return `${capital(spoken(argument))} keeps its orientation`
    case 'hands': return 'Hands on a cart'
    default: return text
  }
}

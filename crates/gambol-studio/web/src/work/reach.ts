import type { JointPart } from '../protocol'

/** A posture beyond this is none that anyone looks for, rad of the joint that moves most. */
const MOST = 1
/** A chain that bends by more than this in all has come round to itself, rad. */
const ROUND = 0.9 * 2 * Math.PI
/** A slider that could not move would be no slider. */
const LEAST = 0.05

type Jointed = { bodies: { parent: number }[]; joints: Pick<JointPart, 'body' | 'kind' | 'q' | 'v' | 'limit'>[] }

/**
 * How far a lasting share of a mode may go down and up, rad: until a joint is at its limit, or a chain of joints has bent once
 * round. `shape` are nv numbers, `pose` is the rest pose.
 */
export function offsetRange(creature: Jointed, shape: ArrayLike<number>, pose: ArrayLike<number>): [number, number] {
  let [least, most] = [-MOST, MOST]
  for (const { kind, q, v, limit } of creature.joints) {
    if (!limit || kind === 'free') continue
    const along = kind === 'ball' ? Math.hypot(shape[v]!, shape[v + 1]!, shape[v + 2]!) : shape[v]!
    if (Math.abs(along) < 1e-6) continue
    if (kind === 'ball') {
      // How far it is turned already does not say which way.
      const turned = 2 * Math.acos(Math.min(Math.abs(pose[q]!), 1))
      const room = Math.max(limit[1] - turned, 0) / along
      least = Math.max(least, -room)
      most = Math.min(most, room)
      continue
    }
    const [low, high] = limit.map((end) => (end - pose[q]!) / along).sort((a, b) => a - b) as [number, number]
    // What is beyond its limit already is not held back by it.
    if (high >= 0) most = Math.min(most, high)
    if (low <= 0) least = Math.max(least, low)
  }
  const round = ROUND / Math.max(longestBend(creature, shape), 1e-9)
  return [Math.min(Math.max(least, -round), -LEAST), Math.max(Math.min(most, round), LEAST)]
}

/** The most that all joints from the root to some end bend together at share 1, rad: turns about one axis add up. */
function longestBend(creature: Jointed, shape: ArrayLike<number>): number {
  const sums: [number, number, number][] = creature.bodies.map(() => [0, 0, 0])
  let most = 0
  creature.bodies.forEach(({ parent }, body) => {
    if (body === 0) return
    const sum = [...sums[parent]!] as [number, number, number]
    for (const { body: own, kind, v } of creature.joints) {
      if (own !== body) continue
      if (kind === 'ball') for (let k = 0; k < 3; k++) sum[k]! += shape[v + k]!
      // Axes of hinges in a chain that bends are alike; what is not turns less.
      else if (kind === 'hinge') sum[1] += shape[v]!
    }
    sums[body] = sum
    most = Math.max(most, Math.hypot(...sum))
  })
  return most
}

import type { Vec3 } from '../protocol'

/** Where a small picture may be looked at from, seen from the creature, the habit first. */
export const VIEWS: readonly Vec3[] = ([
  [0.55, -1, 0.4],
  [1, -0.5, 0.35],
  [0.35, -0.75, 1.25],
] as Vec3[]).map(unit)

/** Another view must show this much more of the motion than the habit: a palette of many views is hard to read. */
const WORTH_CHANGING = 1.3

/**
 * The view that shows a motion best: the one in which the points move most across the line of sight.
 * `ways` are the ways of points, three numbers each, m.
 */
export function bestView(ways: ArrayLike<number>): Vec3 {
  const seen = VIEWS.map((view) => {
    let sum = 0
    for (let at = 0; at < ways.length; at += 3) {
      const along = ways[at]! * view[0] + ways[at + 1]! * view[1] + ways[at + 2]! * view[2]
      const square = ways[at]! ** 2 + ways[at + 1]! ** 2 + ways[at + 2]! ** 2
      sum += Math.sqrt(Math.max(square - along * along, 0))
    }
    return sum
  })
  const best = seen.indexOf(Math.max(...seen))
  return VIEWS[seen[best]! > WORTH_CHANGING * seen[0]! ? best : 0]!
}

function unit(v: Vec3): Vec3 {
  const length = Math.hypot(...v)
  return [v[0] / length, v[1] / length, v[2] / length]
}

import type { Quat, Vec3 } from '../protocol'

/** A level vector turned to the left by quarters. */
export function turned([x, y, z]: Vec3, quarters: number): Vec3 {
  const [cosine, sine] = [[1, 0], [0, 1], [-1, 0], [0, -1]][((quarters % 4) + 4) % 4]!
  return [cosine! * x - sine! * y, sine! * x + cosine! * y, z]
}

/** A vector of the world in the axes of the file, where `world_from_file` is a turn: v ↦ q⁻¹ v q. */
export function worldToFile([w, x, y, z]: Quat, v: Vec3): Vec3 {
  // v + 2 u × (u × v + w v) with u = −(x, y, z).
  const u: Vec3 = [-x, -y, -z]
  const inner = cross(u, v).map((value, k) => value + w * v[k]!) as Vec3
  return cross(u, inner).map((value, k) => v[k]! + 2 * value) as Vec3
}

function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

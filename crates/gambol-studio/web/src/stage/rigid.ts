// Rigid motions on plain arrays of numbers. Quaternions are w x y z, as in the protocol; a frame is seven numbers:
// position, quaternion. Everything is written into `out` at `at`, so that nothing is allocated per frame.

export type Reals = ArrayLike<number>
export type Out = Float64Array | number[]

/** out ← a b, quaternions. */
export function multiply(a: Reals, ai: number, b: Reals, bi: number, out: Out, at: number): void {
  const aw = a[ai]!, ax = a[ai + 1]!, ay = a[ai + 2]!, az = a[ai + 3]!
  const bw = b[bi]!, bx = b[bi + 1]!, by = b[bi + 2]!, bz = b[bi + 3]!
  out[at] = aw * bw - ax * bx - ay * by - az * bz
  out[at + 1] = aw * bx + ax * bw + ay * bz - az * by
  out[at + 2] = aw * by - ax * bz + ay * bw + az * bx
  out[at + 3] = aw * bz + ax * by - ay * bx + az * bw
}

/** out ← q v q⁻¹ for a unit quaternion q. */
export function rotate(q: Reals, qi: number, v: Reals, vi: number, out: Out, at: number): void {
  const w = q[qi]!, x = q[qi + 1]!, y = q[qi + 2]!, z = q[qi + 3]!
  const vx = v[vi]!, vy = v[vi + 1]!, vz = v[vi + 2]!
  const tx = 2 * (y * vz - z * vy), ty = 2 * (z * vx - x * vz), tz = 2 * (x * vy - y * vx)
  out[at] = vx + w * tx + y * tz - z * ty
  out[at + 1] = vy + w * ty + z * tx - x * tz
  out[at + 2] = vz + w * tz + x * ty - y * tx
}

/** Scales a quaternion to length 1; a zero one becomes the identity. */
export function normalise(q: Out, at: number): void {
  const length = Math.hypot(q[at]!, q[at + 1]!, q[at + 2]!, q[at + 3]!)
  if (length < 1e-12) {
    q[at] = 1
    q[at + 1] = q[at + 2] = q[at + 3] = 0
    return
  }
  for (let k = 0; k < 4; k++) q[at + k]! /= length
}

/** The shortest turn between unit quaternions, `share` of the way. */
export function slerp(a: Reals, ai: number, b: Reals, bi: number, share: number, out: Out, at: number): void {
  let cosine = 0
  for (let k = 0; k < 4; k++) cosine += a[ai + k]! * b[bi + k]!
  // q and −q are the same turn: the nearer one is meant.
  const sign = cosine < 0 ? -1 : 1
  cosine *= sign
  let fromA = 1 - share
  let fromB = share
  // Nearer than this the chord and the arc are the same in double precision, and the sine would be lost.
  if (cosine < 1 - 1e-10) {
    const angle = Math.acos(cosine)
    const sine = Math.sin(angle)
    fromA = Math.sin((1 - share) * angle) / sine
    fromB = Math.sin(share * angle) / sine
  }
  for (let k = 0; k < 4; k++) out[at + k] = fromA * a[ai + k]! + sign * fromB * b[bi + k]!
  normalise(out, at)
}

/** out ← a point of a frame in the world: position + rotation · point. */
export function place(frames: Reals, frame: number, point: Reals, out: Out, at = 0): void {
  rotate(frames, 7 * frame + 3, point, 0, out, at)
  for (let k = 0; k < 3; k++) out[at + k]! += frames[7 * frame + k]!
}

/** out ← a point of the world in a frame: the inverse of `place`. */
export function unplace(frames: Reals, frame: number, point: Reals, out: Out, at = 0): void {
  const f = 7 * frame
  const inverse = [frames[f + 3]!, -frames[f + 4]!, -frames[f + 5]!, -frames[f + 6]!]
  const lever = [point[0]! - frames[f]!, point[1]! - frames[f + 1]!, point[2]! - frames[f + 2]!]
  rotate(inverse, 0, lever, 0, out, at)
}

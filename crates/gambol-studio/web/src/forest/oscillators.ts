import type { PlantModePart } from '../protocol'

/** Numbers of one step: q′ = a q + b q̇ + c f, q̇′ = d q + e q̇ + g f. */
export const STEP = 6

/**
 * An exact step of q̈ + γ q̇ + ω² q = f, for a force that stays the same meanwhile: the six numbers of the library's
 * `OscillatorStep`, written from `at` on. ω² in rad²/s², γ in 1/s, the step in s.
 */
export function exactStep(omegaSquared: number, gamma: number, step: number, out: Float64Array, at: number): void {
  const half = 0.5 * gamma
  const difference = omegaSquared - half * half
  // e^(−σh) cos and e^(−σh) sin/ω_d, or their hyperbolic brothers where damping is more than critical.
  let c: number
  let s: number
  if (difference > 0) {
    const damped = Math.sqrt(difference)
    const decay = Math.exp(-half * step)
    c = decay * Math.cos(damped * step)
    s = decay * Math.sin(damped * step) / damped
  } else if (difference < 0) {
    const k = Math.sqrt(-difference)
    const [slow, fast] = [Math.exp((k - half) * step), Math.exp(-(k + half) * step)]
    c = 0.5 * (slow + fast)
    s = 0.5 * (slow - fast) / k
  } else {
    c = Math.exp(-half * step)
    s = c * step
  }
  const [qq, vq] = [c + half * s, -omegaSquared * s]
  out[at] = qq
  out[at + 1] = s
  out[at + 2] = (1 - qq) / omegaSquared
  out[at + 3] = vq
  out[at + 4] = c - half * s
  out[at + 5] = -vq / omegaSquared
}

/**
 * The damping of a mode by the air, 1/s, about a mean wind in the plant's own axes: γ = ‖v‖ (tr S + v̂ᵀ S v̂). S row by row.
 */
export function airDamping([a, b, c]: PlantModePart['drag'], x: number, y: number, z: number): number {
  const speed = Math.hypot(x, y, z)
  if (speed === 0) return 0
  const along = x * (a[0] * x + a[1] * y + a[2] * z) + y * (b[0] * x + b[1] * y + b[2] * z) + z * (c[0] * x + c[1] * y + c[2] * z)
  return speed * (a[0] + b[1] + c[2] + along / (speed * speed))
}

/** What all oscillators of a forest have in common for a while. */
export interface Climate {
  /** Mean wind, m/s. */
  wind: readonly [number, number]
  /** s */
  step: number
  /** How many modes move. */
  modes: number
  /** How many times as stiff, and how many times as much damped, as wood usually is. */
  stiffness: number
  damping: number
}

/** Numbers of a tree in T: x, y, z, turn, size. */
export const TREE = 5

/** The wind at a place, m/s: written to `out`. */
export type WindAt = (x: number, y: number, out: Float64Array) => void

/**
 * Step 1 of a forest (Diener et al. 2009, figure 5): the wind at each tree, and an exact step of all its modes. A tree that is s
 * times as large has ω/s, and goes s times as far in the same wind.
 *
 * Trees of one turn and size share the numbers of their steps: these are made anew whenever the wind changes.
 */
export class Oscillators {
  readonly count: number
  /** Texels of four numbers of each tree in `texels`: coordinates of all modes, then ‖v‖ v in its own axes and ‖v‖. */
  readonly stride: number
  /** Of the vertex shader's texture. */
  readonly texels: Float32Array
  /** q and q̇ of each mode of each tree. */
  private readonly states: Float64Array
  private readonly kindOf: Uint16Array
  /** cos, sin of the turn, and size. */
  private readonly kinds: { cos: number; sin: number; size: number }[] = []
  private readonly steps: Float64Array
  private readonly projection: Float64Array
  private readonly load = new Float64Array(3)

  constructor(readonly modes: readonly PlantModePart[], private readonly wood: readonly [number, number], readonly trees: Float32Array, width: number) {
    this.count = trees.length / TREE
    this.stride = Math.ceil(modes.length / 4) + 1
    const rows = Math.max(Math.ceil(this.count * this.stride / width), 1)
    this.texels = new Float32Array(4 * rows * width)
    this.states = new Float64Array(2 * this.count * modes.length)
    this.kindOf = new Uint16Array(this.count)
    const known = new Map<string, number>()
    for (let tree = 0; tree < this.count; tree++) {
      const [turn, size] = [trees[TREE * tree + 3]!, trees[TREE * tree + 4]!]
      const key = `${turn} ${size}`
      let kind = known.get(key)
      if (kind === undefined) {
        kind = this.kinds.length
        known.set(key, kind)
        this.kinds.push({ cos: Math.cos(turn), sin: Math.sin(turn), size })
      }
      this.kindOf[tree] = kind
    }
    this.steps = new Float64Array(this.kinds.length * modes.length * STEP)
    this.projection = Float64Array.from(modes.flatMap((mode) => [...mode.projection]))
  }

  /** Numbers of the steps of all kinds of trees. */
  prepare({ wind, step, modes, stiffness, damping }: Climate): void {
    const [alpha, beta] = this.wood
    this.kinds.forEach(({ cos, sin, size }, kind) => {
      const [x, y] = [cos * wind[0] + sin * wind[1], cos * wind[1] - sin * wind[0]]
      for (let mode = 0; mode < modes; mode++) {
        const { omega_squared, drag } = this.modes[mode]!
        const omegaSquared = omega_squared * stiffness / (size * size)
        const gamma = damping * (alpha + beta * omegaSquared) + airDamping(drag, x, y, 0) / size
        exactStep(omegaSquared, gamma, step, this.steps, (kind * this.modes.length + mode) * STEP)
      }
    })
  }

  /** One step on. Prepare it first. */
  advance(windAt: WindAt, { modes, stiffness }: Climate): void {
    const { load, states, steps, projection, texels, trees } = this
    const all = this.modes.length
    const wide = 4 * this.stride
    for (let tree = 0; tree < this.count; tree++) {
      windAt(trees[TREE * tree]!, trees[TREE * tree + 1]!, load)
      const kind = this.kindOf[tree]!
      const { cos, sin, size } = this.kinds[kind]!
      const x = cos * load[0]! + sin * load[1]!
      const y = cos * load[1]! - sin * load[0]!
      const z = load[2]!
      const speed = Math.sqrt(x * x + y * y + z * z)
      const share = speed / (size * size)
      const [fx, fy, fz] = [x * share, y * share, z * share]
      let at = 2 * tree * all
      let from = kind * all * STEP
      const texel = tree * wide
      for (let mode = 0, p = 0; mode < modes; mode++, at += 2, from += STEP, p += 3) {
        const f = projection[p]! * fx + projection[p + 1]! * fy + projection[p + 2]! * fz
        const [q, v] = [states[at]!, states[at + 1]!]
        const next = steps[from]! * q + steps[from + 1]! * v + steps[from + 2]! * f
        states[at + 1] = steps[from + 3]! * q + steps[from + 4]! * v + steps[from + 5]! * f
        states[at] = next
        texels[texel + mode] = next
      }
      // Steady wind beyond the modes, softer or stiffer.
      const last = texel + wide - 4
      texels[last] = x * speed / stiffness
      texels[last + 1] = y * speed / stiffness
      texels[last + 2] = z * speed / stiffness
      texels[last + 3] = speed
    }
  }

  /** At rest where the wind of each tree has bent it to. */
  settle(windAt: WindAt, { modes, stiffness }: Climate): void {
    const { load, states, projection } = this
    this.states.fill(0)
    this.texels.fill(0)
    for (let tree = 0; tree < this.count; tree++) {
      windAt(this.trees[TREE * tree]!, this.trees[TREE * tree + 1]!, load)
      const { cos, sin } = this.kinds[this.kindOf[tree]!]!
      const [x, y, z] = [cos * load[0]! + sin * load[1]!, cos * load[1]! - sin * load[0]!, load[2]!]
      const speed = Math.hypot(x, y, z)
      for (let mode = 0; mode < modes; mode++) {
        const f = speed * (projection[3 * mode]! * x + projection[3 * mode + 1]! * y + projection[3 * mode + 2]! * z)
        states[2 * (tree * this.modes.length + mode)] = f / (this.modes[mode]!.omega_squared * stiffness)
      }
    }
  }

  /** Modes from `modes` on stand still. */
  quieten(modes: number): void {
    const all = this.modes.length
    for (let tree = 0; tree < this.count; tree++) {
      this.states.fill(0, 2 * (tree * all + modes), 2 * (tree + 1) * all)
      this.texels.fill(0, 4 * tree * this.stride + modes, 4 * tree * this.stride + all)
    }
  }

  /** One mode alone at a coordinate, in all trees, in no wind. */
  show(mode: number, q: number): void {
    this.texels.fill(0)
    for (let tree = 0; tree < this.count; tree++) this.texels[4 * tree * this.stride + mode] = q
  }

  /** q and q̇ of a mode of a tree. */
  state(tree: number, mode: number): [number, number] {
    const at = 2 * (tree * this.modes.length + mode)
    return [this.states[at]!, this.states[at + 1]!]
  }
}

import type { GustPart } from '../protocol'

/** The mean wind follows the hand within about this time, s: air has inertia too. */
const FOLLOWS = 0.5
/** A puff is over after so many of its decays. */
const OVER = 4
/** Most puffs at once. */
const MOST_PUFFS = 6

/** A gust that a click sets off: a ring that spreads from there. */
interface Puff { x: number; y: number; age: number }

/** Wind over a forest: a mean, gusts that it carries along (Taylor's frozen turbulence), and puffs. */
export class Breeze {
  /** What the hand wants, m/s. */
  readonly wanted: [number, number] = [0, 0]
  /** What it is now, m/s. */
  readonly mean: [number, number] = [0, 0]
  /** Standard deviation of gusts along the wind, in parts of the mean speed. */
  gusts = 0
  private readonly carried: [number, number] = [0, 0]
  private puffs: Puff[] = []
  private along: [number, number] = [1, 0]
  private speed = 0
  /** Of a puff: m/s of its ring, m of its width, m/s of its wind, s until a third of it is left. */
  private readonly ring: { spreads: number; width: number; strength: number; lasts: number }

  constructor(private readonly patch: GustPart, private readonly field: Float32Array, height: number) {
    this.ring = { spreads: Math.min(Math.max(1.2 * height, 1.5), 14), width: 1.3 * height, strength: 14, lasts: 1.6 }
  }

  /** Stands still at what is wanted. */
  settle(): void {
    this.mean[0] = this.wanted[0]
    this.mean[1] = this.wanted[1]
    this.measure()
  }

  /** A gust from a place, m. */
  puff(x: number, y: number): void {
    this.puffs = [...this.puffs.slice(1 - MOST_PUFFS), { x, y, age: 0 }]
  }

  /** Some puff is still under way. */
  get puffing(): boolean {
    return this.puffs.length > 0
  }

  /** Goes on by so many seconds. */
  advance(seconds: number): void {
    const share = 1 - Math.exp(-seconds / FOLLOWS)
    for (const axis of [0, 1] as const) {
      this.mean[axis] += (this.wanted[axis] - this.mean[axis]) * share
      this.carried[axis] = (this.carried[axis] + this.mean[axis] * seconds) % this.patch.length
    }
    for (const puff of this.puffs) puff.age += seconds
    this.puffs = this.puffs.filter((puff) => puff.age < OVER * this.ring.lasts)
    this.measure()
  }

  /** m/s at a place, m. */
  at(x: number, y: number, out: Float64Array): void {
    const { mean, along, speed } = this
    const strength = this.gusts * speed
    out[0] = mean[0]
    out[1] = mean[1]
    out[2] = 0
    if (strength > 0) {
      const { side, length } = this.patch
      const u = this.cell((x - this.carried[0]) / length) * side
      const v = this.cell((y - this.carried[1]) / length) * side
      const [i, j] = [Math.floor(u), Math.floor(v)]
      const [a, b] = [u - i, v - j]
      const [left, right, low, high] = [i % side, (i + 1) % side, (j % side) * side, ((j + 1) % side) * side]
      const { field } = this
      const [k, l, m, n] = [3 * (low + left), 3 * (low + right), 3 * (high + left), 3 * (high + right)]
      const [wk, wl, wm, wn] = [(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b]
      const forth = strength * (wk * field[k]! + wl * field[l]! + wm * field[m]! + wn * field[n]!)
      const aside = strength * (wk * field[k + 1]! + wl * field[l + 1]! + wm * field[m + 1]! + wn * field[n + 1]!)
      out[0] += along[0] * forth - along[1] * aside
      out[1] += along[1] * forth + along[0] * aside
      out[2] = strength * (wk * field[k + 2]! + wl * field[l + 2]! + wm * field[m + 2]! + wn * field[n + 2]!)
    }
    for (const puff of this.puffs) this.addPuff(puff, x - puff.x, y - puff.y, out)
  }

  private addPuff({ age }: Puff, x: number, y: number, out: Float64Array): void {
    const { spreads, width, strength, lasts } = this.ring
    const distance = Math.hypot(x, y)
    const late = (distance - spreads * age) / (width * (1 + 0.5 * age))
    if (late > 2.5 || late < -2.5) return
    const push = strength * Math.exp(-late * late - age / lasts) / Math.max(distance, 0.3 * width)
    out[0] = out[0]! + push * x
    out[1] = out[1]! + push * y
  }

  /** 0 to 1. */
  private cell(share: number): number {
    return share - Math.floor(share)
  }

  private measure(): void {
    this.speed = Math.hypot(...this.mean)
    if (this.speed > 1e-3) this.along = [this.mean[0] / this.speed, this.mean[1] / this.speed]
  }
}

/** Where a wind comes from, degrees as in weather reports: 0 from the north (+y), 270 from the west and along +x. */
export function bearingOf([x, y]: readonly [number, number]): number {
  return (Math.atan2(-x, -y) * 180 / Math.PI + 360) % 360
}

/** A wind of so many m/s from a bearing. */
export function windFrom(speed: number, bearing: number): [number, number] {
  const angle = bearing * Math.PI / 180
  return [-Math.sin(angle) * speed, -Math.cos(angle) * speed]
}

const QUARTERS = ['north', 'north-east', 'east', 'south-east', 'south', 'south-west', 'west', 'north-west']

/** “from the south-west” */
export function quarter(bearing: number): string {
  return QUARTERS[Math.round(bearing / 45) % 8]!
}

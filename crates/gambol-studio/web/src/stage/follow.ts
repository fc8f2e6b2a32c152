/** How soon the camera follows, s. */
const SETTLES_IN = 0.22
/** A jump by more than this many sizes of the creature is no motion: a scrub, another clip. */
const JUMP = 1.5
/** At rest when it moves by less than this share of the creature's size per second. */
const REST = 1e-3

/**
 * Follows a point smoothly, one number per axis. Keeps an estimate of the velocity (an α-β filter), so that it does not
 * lag behind a steady walk, while the sway of each step is left to be seen.
 */
export class Follower {
  readonly at: number[] = [0, 0, 0]
  /** By how much it moved in the last step; nothing in the first one. */
  readonly shift: number[] = [0, 0, 0]
  /** Of what it follows, m. */
  size = 1
  private readonly velocity: number[] = [0, 0, 0]
  private started = false

  /** The next step is the first. */
  reset(): void {
    this.started = false
  }

  /** Goes on by `dt` seconds towards `target`; says whether it still moves. */
  advance(target: ArrayLike<number>, dt: number): boolean {
    const away = this.at.map((value, k) => target[k]! - value)
    if (!this.started || Math.hypot(...away) > JUMP * this.size) {
      for (let k = 0; k < 3; k++) {
        this.at[k] = target[k]!
        this.shift[k] = this.started ? away[k]! : 0
        this.velocity[k] = 0
      }
      this.started = true
      return false
    }
    // Critically damped: the error and the velocity's error both die as e^{−t/τ}.
    const decay = Math.exp(-dt / SETTLES_IN)
    const alpha = 1 - decay * decay
    const beta = (1 - decay) ** 2
    let speed = 0
    for (let k = 0; k < 3; k++) {
      const before = this.at[k]!
      this.at[k]! += this.velocity[k]! * dt
      const error = target[k]! - this.at[k]!
      this.at[k]! += alpha * error
      if (dt > 0) this.velocity[k]! += beta * error / dt
      this.shift[k] = this.at[k]! - before
      speed = Math.max(speed, Math.abs(this.velocity[k]!), Math.abs(error) / SETTLES_IN)
    }
    return speed > REST * this.size
  }
}

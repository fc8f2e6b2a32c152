import * as THREE from 'three'

/** Vertical angle of view, degrees. */
const FIELD_OF_VIEW = 46
/** rad per pixel of a drag. */
const TURNING = 0.0045
/** Steepest look up and down, rad. */
const STEEPEST = 1.45
/** Heights of the plant that a walker goes in a second, and m/s at least; running is so many times as fast. */
const PACE = 0.35
const SLOWEST = 0.8
const RUNNING = 4
/** Heights of the plant that the wheel goes for a notch. */
const WHEEL = 0.35
/** The first view stands so far before the trees and so high, in heights of the plant, and looks down so much, rad. */
const BEFORE = 2.4
const ABOVE = 1.05
const DOWN = 0.13

/** Keys and what they do: right, forward, up. */
const WAYS: Record<string, [number, number, number]> = {
  w: [0, 1, 0], arrowup: [0, 1, 0], s: [0, -1, 0], arrowdown: [0, -1, 0],
  a: [-1, 0, 0], d: [1, 0, 0], e: [0, 0, 1], q: [0, 0, -1], pageup: [0, 0, 1], pagedown: [0, 0, -1],
}
/** Keys that turn instead. */
const TURNS: Record<string, number> = { arrowleft: 1, arrowright: -1 }

/** A camera to walk with. */
export class Walker {
  readonly camera = new THREE.PerspectiveCamera(FIELD_OF_VIEW, 1, 0.1, 1000)
  private yaw = Math.PI / 2
  private pitch = 0
  private height = 1
  private half = 1
  private deep = 1
  private readonly held = new Set<string>()
  private runs = false

  constructor() {
    this.camera.up.set(0, 0, 1)
  }

  /** Takes on a forest of plants of this height whose trees stand at most `half` from the middle, and `deep` along the first view, m. */
  setSize(height: number, half: number, deep: number): void {
    this.height = height
    this.half = half
    this.deep = deep
    this.camera.near = 0.02 * height
    this.camera.far = 60 * height + 6 * half
    this.camera.updateProjectionMatrix()
  }

  /** Before the trees, a little above them. */
  start(): void {
    this.yaw = Math.PI / 2
    // A wood is looked over; one tree and a row are looked at.
    const wood = this.deep > 0.5 * this.height
    this.pitch = wood ? -DOWN : 0.03
    this.camera.position.set(0, -this.deep - (wood ? 0.45 : 0.75) * BEFORE * this.height, (wood ? ABOVE : 0.42) * this.height)
    this.place()
  }

  /** Whether the key is one to walk with. */
  key(key: string, down: boolean, shift: boolean): boolean {
    const name = key.toLowerCase()
    if (!(name in WAYS) && !(name in TURNS)) return false
    this.runs = shift
    if (down) this.held.add(name)
    else this.held.delete(name)
    return true
  }

  /** No key is held any more. */
  halt(): void {
    this.held.clear()
  }

  look(dx: number, dy: number): void {
    this.yaw += TURNING * dx
    this.pitch = Math.min(Math.max(this.pitch + TURNING * dy, -STEEPEST), STEEPEST)
    this.place()
  }

  wheel(notches: number): void {
    this.go([0, -notches * WHEEL * this.height, 0])
  }

  /** Goes on by so many seconds; whether it moved. */
  advance(seconds: number): boolean {
    if (this.held.size === 0) return false
    const pace = Math.max(PACE * this.height, SLOWEST) * (this.runs ? RUNNING : 1) * seconds
    const way: [number, number, number] = [0, 0, 0]
    for (const key of this.held) {
      WAYS[key]?.forEach((part, axis) => { way[axis]! += part * pace })
      this.yaw += (TURNS[key] ?? 0) * 1.2 * seconds
    }
    this.go(way)
    return true
  }

  /** Level unit vectors of the view: to the right, and ahead. */
  axes(): { right: [number, number]; ahead: [number, number] } {
    const [sin, cos] = [Math.sin(this.yaw), Math.cos(this.yaw)]
    return { right: [sin, -cos], ahead: [cos, sin] }
  }

  /** Where a point of the picture (−1 to 1, up) meets the ground, m; some heights ahead where it does not. */
  onGround(x: number, y: number): [number, number] {
    const ray = new THREE.Vector3(x, y, 0.5).unproject(this.camera).sub(this.camera.position).normalize()
    const farthest = 25 * this.height
    const way = ray.z < -1e-3 ? Math.min(-this.camera.position.z / ray.z, farthest) : 6 * this.height
    return [this.camera.position.x + way * ray.x, this.camera.position.y + way * ray.y]
  }

  private go([right, ahead, up]: [number, number, number]): void {
    const axes = this.axes()
    const { position } = this.camera
    position.x += axes.right[0] * right + axes.ahead[0] * ahead
    position.y += axes.right[1] * right + axes.ahead[1] * ahead
    // With the wheel and the keys one goes where one looks, but never into the ground.
    position.z = Math.max(position.z + up + (this.pitch < -0.25 || this.pitch > 0.25 ? Math.sin(this.pitch) * ahead : 0), 0.1 * this.height)
    const far = 3 * this.half + 12 * this.height
    position.clamp(new THREE.Vector3(-far, -far, 0), new THREE.Vector3(far, far, far))
    this.place()
  }

  private place(): void {
    const { position } = this.camera
    const level = Math.cos(this.pitch)
    this.camera.lookAt(position.x + Math.cos(this.yaw) * level, position.y + Math.sin(this.yaw) * level, position.z + Math.sin(this.pitch))
    this.camera.updateMatrixWorld()
  }
}

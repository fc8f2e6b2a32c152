import * as THREE from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import { Follower } from './follow'

/** Vertical angle of view, degrees: a long lens, which keeps the body's proportions. */
const FIELD_OF_VIEW = 28
/** Where the camera looks from at the start, seen from the creature: from its right, a little ahead and above. */
const FIRST_VIEW = new THREE.Vector3(0.62, -1, 0.36).normalize()
/** Where views are from, seen from a creature that looks along x. From above it looks up the picture. */
const VIEWS = { start: FIRST_VIEW, front: new THREE.Vector3(1, 0, 0.02), side: new THREE.Vector3(0, -1, 0.02), top: new THREE.Vector3(-0.004, 0, 1) }
/** A camera nearer to the floor than this share of the creature's size would look along it. */
const OFF_FLOOR = 0.03
/** Room around the creature in the picture. */
const ROOM = 1.22
/** A view is changed over this time, ms. */
const GLIDE = 260

export type Standpoint = 'here' | keyof typeof VIEWS

/** Where the camera is, and what it looks at. */
type View = [position: THREE.Vector3, target: THREE.Vector3]

/** Moves the camera: with the mouse, along with the creature, and to the views that keys ask for. */
export class CameraWork {
  readonly camera = new THREE.PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100)
  readonly controls: OrbitControls
  /** The creature's centre of mass, evened out. */
  readonly followed = new THREE.Vector3()
  follow = true
  /** How high the floor is at a place, m; null where there is none, and all can be seen from below. */
  floor: ((x: number) => number) | null = null
  /** Half the length of the diagonal of the creature's box, m. */
  radius = 1
  /** The box around the creature in its reference pose: its middle from the centre of mass, and half its sizes. */
  readonly middle = new THREE.Vector3()
  readonly half = new THREE.Vector3(0.5, 0.5, 0.5)
  private readonly follower = new Follower()
  private readonly gentle: boolean
  private glide: { from: View; to: View; start: number } | null = null

  constructor(canvas: HTMLCanvasElement, changed: () => void) {
    this.gentle = !matchMedia('(prefers-reduced-motion: reduce)').matches
    this.camera.up.set(0, 0, 1)
    this.controls = new OrbitControls(this.camera, canvas)
    this.controls.mouseButtons = { LEFT: THREE.MOUSE.ROTATE, MIDDLE: THREE.MOUSE.PAN, RIGHT: THREE.MOUSE.PAN }
    this.controls.dampingFactor = 0.16
    this.controls.enableDamping = this.gentle
    this.controls.addEventListener('change', changed)
    this.controls.addEventListener('start', () => (this.glide = null))
    this.start(new THREE.Vector3(0, 0, 0.4))
  }

  /** Takes on another creature, from where the camera is. */
  setBox(half: THREE.Vector3, middle: THREE.Vector3): void {
    this.half.copy(half)
    this.middle.copy(middle)
    this.radius = Math.max(half.length(), 1e-3)
    this.follower.size = this.radius
    this.camera.near = this.radius / 50
    this.camera.far = this.radius * 60
    this.camera.updateProjectionMatrix()
    this.controls.minDistance = this.radius / 4
    this.controls.maxDistance = this.radius * 30
  }

  setAspect(aspect: number): void {
    this.camera.aspect = aspect
    this.camera.updateProjectionMatrix()
  }

  /** The first view of a creature with this centre of mass, at once. */
  start(com: THREE.Vector3): void {
    this.glide = null
    this.set(this.viewFrom(FIRST_VIEW, com))
    this.follower.reset()
  }

  /** Glides to a view: the first, from where the camera is with all of the creature in it, or along one of its own axes. */
  glideTo(from: Standpoint, com: THREE.Vector3, ahead = 0): void {
    const direction = from === 'here' ? this.camera.position.clone().sub(this.controls.target) : VIEWS[from].clone().applyAxisAngle(this.camera.up, from === 'start' ? 0 : ahead)
    const to = this.viewFrom(direction, com)
    if (!this.gentle) return this.set(to)
    this.glide = { from: [this.camera.position.clone(), this.controls.target.clone()], to, start: performance.now() }
  }

  /**
   * Moves on by `dt` seconds while the creature's centre of mass is there. Says whether it still moves, and by how much
   * the whole view was shifted.
   */
  advance(com: ArrayLike<number> | null, now: number, dt: number): { moves: boolean; shift: THREE.Vector3 } {
    const shift = new THREE.Vector3()
    let moves = false
    if (com) {
      moves = this.follower.advance(com, dt)
      this.followed.fromArray(this.follower.at)
      if (this.follow) this.goAlong(shift.fromArray(this.follower.shift))
    }
    if (this.glide) {
      const share = Math.min((now - this.glide.start) / GLIDE, 1)
      const eased = 1 - (1 - share) ** 3
      this.camera.position.lerpVectors(this.glide.from[0], this.glide.to[0], eased)
      this.controls.target.lerpVectors(this.glide.from[1], this.glide.to[1], eased)
      if (share === 1) this.glide = null
      moves = true
    }
    moves = this.controls.update() || moves
    this.stayAbove()
    this.camera.updateMatrixWorld()
    return { moves, shift }
  }

  dispose(): void {
    this.controls.dispose()
  }

  /** Brings all of a creature that has grown or shrunk into view at once, from the same side. */
  reframe(com: THREE.Vector3): void {
    this.glide = null
    this.set(this.viewFrom(this.camera.position.clone().sub(this.controls.target), com))
    this.follower.reset()
  }

  /** Nobody looks from below the floor: there is nothing to be seen. */
  private stayAbove(): void {
    if (!this.floor) return
    const { position } = this.camera
    const least = this.floor(position.x) + OFF_FLOOR * this.radius
    if (position.z >= least) return
    position.z = least
    this.camera.lookAt(this.controls.target)
  }

  private goAlong(shift: THREE.Vector3): void {
    const views: View[] = this.glide ? [this.glide.from, this.glide.to] : []
    for (const view of [[this.camera.position, this.controls.target], ...views]) for (const point of view) point.add(shift)
  }

  private set([position, target]: View): void {
    this.camera.position.copy(position)
    this.controls.target.copy(target)
    this.controls.update()
  }

  private viewFrom(direction: THREE.Vector3, com: THREE.Vector3): View {
    const target = com.clone().add(this.middle)
    const towards = direction.clone().normalize()
    return [towards.clone().multiplyScalar(ROOM * this.distanceFrom(towards)).add(target), target]
  }

  /** How far off the camera must be in a direction for all corners of the creature's box to be in the picture, m. */
  private distanceFrom(towards: THREE.Vector3): number {
    const right = new THREE.Vector3().crossVectors(this.camera.up, towards).normalize()
    const above = new THREE.Vector3().crossVectors(towards, right)
    const tangent = Math.tan(THREE.MathUtils.degToRad(FIELD_OF_VIEW) / 2)
    let distance = 0
    for (let bits = 0; bits < 8; bits++) {
      const corner = this.half.clone().multiply(new THREE.Vector3(bits & 1 ? 1 : -1, bits & 2 ? 1 : -1, bits & 4 ? 1 : -1))
      const across = Math.abs(corner.dot(right)) / (tangent * this.camera.aspect)
      const upwards = Math.abs(corner.dot(above)) / tangent
      distance = Math.max(distance, corner.dot(towards) + Math.max(across, upwards))
    }
    return distance
  }
}

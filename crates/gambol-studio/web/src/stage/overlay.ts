// Marks over the picture: drawn flat, in pixels, so that they stay sharp, keep their size and are seen through the body.

import * as THREE from 'three'
import type { CreatureAnswer, JointPart, Vec3 } from '../protocol'
import type { ConstraintMark, LandmarkMark, MarkName, Marks } from './marks'
import { place, rotate } from './rigid'
import { COLOURS, type Theme } from './theme'

/** CSS pixels from the top left of the canvas, and metres per pixel there. */
export interface OnCanvas { x: number; y: number; metresPerPixel: number; inFront: boolean }

/** A point being dragged. */
export interface Elastic { from: Vec3; to: Vec3; purpose: 'push' | 'pose' }

/** How near to a mark a click must be, pixels. */
const REACH = 11
const LANDMARK = 6.5
const JOINT = 4.5
/** Half the length of a hinge's axis, pixels. */
const AXIS = 15

const ROLE_COLOURS: Record<string, [light: string, dark: string]> = {
  foot: ['#1d8a5f', '#4fd1a1'],
  knee: ['#b7791f', '#f2c14e'],
  hand: ['#2f6fde', '#7fb0ff'],
  elbow: ['#0e7c9b', '#5cc8e6'],
  head: ['#a8359b', '#ea8fdf'],
  spine: ['#6b5bd2', '#b3a7ff'],
  tail: ['#c2571b', '#ff9b63'],
}
const OTHER_ROLE: [string, string] = ['#5f6670', '#b8c0cc']

export class Overlay {
  readonly canvas: HTMLCanvasElement
  marks: Marks = {}
  elastic: Elastic | null = null
  hovered: MarkName | null = null
  private readonly context: CanvasRenderingContext2D | null
  private drawn: { mark: MarkName; x: number; y: number }[] = []
  private blank = true

  constructor(beside: HTMLCanvasElement) {
    this.canvas = document.createElement('canvas')
    this.canvas.setAttribute('aria-hidden', 'true')
    this.canvas.style.cssText = 'position:absolute;pointer-events:none'
    this.context = this.canvas.getContext('2d')
    beside.after(this.canvas)
  }

  /** The mark under a place on the canvas: the nearest within reach. */
  pick(x: number, y: number): MarkName | null {
    let nearest = REACH
    let found: MarkName | null = null
    for (const { mark, x: markX, y: markY } of this.drawn) {
      const away = Math.hypot(markX - x, markY - y)
      if (away >= nearest) continue
      nearest = away
      found = mark
    }
    return found
  }

  draw(creature: CreatureAnswer | null, frames: Float64Array, camera: THREE.PerspectiveCamera, over: HTMLCanvasElement, pixelRatio: number, theme: Theme): void {
    const { marks, context } = this
    const nothing = !creature || !(marks.landmarks?.length || marks.joints || marks.centreOfMass || marks.constraints?.length || this.elastic)
    if (!context || (nothing && this.blank)) return
    this.drawn = []
    this.fit(over, pixelRatio)
    context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0)
    context.clearRect(0, 0, over.clientWidth, over.clientHeight)
    this.blank = nothing
    if (nothing) return
    const pen = new Pen(context, frames, projector(camera, over.clientWidth, over.clientHeight), theme)
    const note = (mark: MarkName, at: OnCanvas) => this.drawn.push({ mark, x: at.x, y: at.y })
    const isHovered = (kind: MarkName['kind'], name: string) => this.hovered?.kind === kind && this.hovered.name === name

    if (marks.joints)
      for (const joint of creature.joints) {
        const at = pen.joint(joint, isHovered('joint', joint.name))
        if (at) note({ kind: 'joint', name: joint.name }, at)
      }
    for (const constraint of marks.constraints ?? []) {
      const at = pen.constraint(constraint, isHovered('constraint', constraint.name))
      if (at) note({ kind: 'constraint', name: constraint.name }, at)
    }
    if (marks.centreOfMass) pen.centreOfMass(centreOfMass(creature, frames))
    for (const landmark of marks.landmarks ?? []) {
      const at = pen.landmark(landmark, isHovered('landmark', landmark.name))
      if (at) note({ kind: 'landmark', name: landmark.name }, at)
    }
    if (this.elastic) pen.elastic(this.elastic)
  }

  dispose(): void {
    this.canvas.remove()
  }

  /** Lies exactly over the other canvas. */
  private fit(over: HTMLCanvasElement, pixelRatio: number): void {
    const width = Math.round(over.clientWidth * pixelRatio)
    const height = Math.round(over.clientHeight * pixelRatio)
    if (this.canvas.width !== width) this.canvas.width = width
    if (this.canvas.height !== height) this.canvas.height = height
    Object.assign(this.canvas.style, {
      left: `${over.offsetLeft}px`,
      top: `${over.offsetTop}px`,
      width: `${over.clientWidth}px`,
      height: `${over.clientHeight}px`,
    })
  }
}

/** Mass-weighted mean of all bodies, in the world. */
export function centreOfMass(creature: CreatureAnswer, frames: Float64Array): Vec3 {
  const sum: Vec3 = [0, 0, 0]
  const point = new Float64Array(3)
  let mass = 0
  creature.bodies.forEach((body, index) => {
    if (index === 0) return
    // A creature without any mass still has a middle.
    const weight = body.mass + 1e-9
    place(frames, index, body.com, point)
    for (let k = 0; k < 3; k++) sum[k]! += weight * point[k]!
    mass += weight
  })
  return mass > 0 ? [sum[0] / mass, sum[1] / mass, sum[2] / mass] : sum
}

/** From the world onto a canvas. */
export function projector(camera: THREE.PerspectiveCamera, width: number, height: number): (point: ArrayLike<number>) => OnCanvas {
  const projected = new THREE.Vector3()
  const seen = new THREE.Vector3()
  const tangent = Math.tan(THREE.MathUtils.degToRad(camera.fov) / 2)
  return (point) => {
    seen.set(point[0]!, point[1]!, point[2]!).applyMatrix4(camera.matrixWorldInverse)
    projected.copy(seen).applyMatrix4(camera.projectionMatrix)
    return {
      x: (projected.x + 1) / 2 * width,
      y: (1 - projected.y) / 2 * height,
      metresPerPixel: 2 * -seen.z * tangent / height,
      inFront: seen.z < 0,
    }
  }
}

/** Draws marks of a creature at its pose. */
class Pen {
  private readonly point = new Float64Array(3)

  constructor(
    private readonly c: CanvasRenderingContext2D,
    private readonly frames: Float64Array,
    private readonly project: (point: ArrayLike<number>) => OnCanvas,
    private readonly theme: Theme,
  ) {
    c.lineJoin = c.lineCap = 'round'
  }

  landmark({ role, body, pointInBody, guessed, chosen }: LandmarkMark, hovered: boolean): OnCanvas | null {
    const at = this.at(body, pointInBody)
    if (!at) return null
    const colour = (ROLE_COLOURS[role] ?? OTHER_ROLE)[this.theme === 'light' ? 0 : 1]
    const size = LANDMARK * (hovered || chosen ? 1.35 : 1)
    const { c } = this
    if (chosen) {
      c.beginPath()
      c.arc(at.x, at.y, size + 5, 0, 2 * Math.PI)
      this.outlined(colour, 2)
    }
    symbol(c, role, at.x, at.y, size)
    // A rim of paper keeps the mark apart from whatever is behind it.
    c.lineWidth = guessed ? 5 : 4
    c.strokeStyle = this.paper
    c.stroke()
    c.fillStyle = guessed ? this.paper : colour
    c.fill()
    c.lineWidth = guessed ? 2.2 : 1
    c.strokeStyle = colour
    c.stroke()
    return at
  }

  joint(joint: JointPart, hovered: boolean): OnCanvas | null {
    if (joint.kind === 'free') return null
    const at = this.at(joint.body, joint.anchor)
    if (!at) return null
    const { c } = this
    const size = JOINT * (hovered ? 1.4 : 1)
    if (joint.kind === 'ball') {
      c.beginPath()
      c.arc(at.x, at.y, size, 0, 2 * Math.PI)
      this.outlined(this.ink, 1.6, this.paper)
      c.beginPath()
      c.arc(at.x - 0.25 * size, at.y - 0.25 * size, 0.3 * size, 0, 2 * Math.PI)
      c.fillStyle = this.ink
      c.fill()
      return at
    }
    const axis = new Float64Array(3)
    rotate(this.frames, 7 * joint.body + 3, joint.axis, 0, axis, 0)
    const centre = Float64Array.from(this.inWorld(joint.body, joint.anchor))
    const along = (pixels: number) => this.project(centre.map((value, k) => value + axis[k]! * pixels * at.metresPerPixel))
    const half = AXIS * (hovered ? 1.25 : 1)
    this.polyline([along(-half), along(half)])
    this.outlined(this.ink, 1.8)
    if (joint.kind === 'hinge') {
      this.polyline(this.arcAround(centre, axis, 0.62 * half * at.metresPerPixel))
      this.outlined(this.ink, 1.3)
    }
    c.beginPath()
    c.arc(at.x, at.y, 2.2, 0, 2 * Math.PI)
    this.outlined(this.ink, 1, this.ink)
    return at
  }

  constraint(mark: ConstraintMark, hovered: boolean): OnCanvas | null {
    const size = hovered ? 1.2 : 1
    if (mark.kind === 'cart') return this.cart(mark, size)
    const at = this.at(mark.body, mark.pointInBody)
    if (!at) return null
    if (mark.kind === 'pin') this.pin(at, size)
    else this.lock(at, size)
    return at
  }

  centreOfMass(point: Vec3): void {
    const at = this.project(point)
    const below = this.project([point[0], point[1], 0])
    if (!at.inFront) return
    const { c } = this
    c.save()
    c.setLineDash([3, 4])
    this.polyline([at, below])
    this.outlined(this.ink, 1.2)
    c.restore()
    c.beginPath()
    c.arc(at.x, at.y, 7, 0, 2 * Math.PI)
    this.outlined(this.ink, 1.6, this.paper)
    c.fillStyle = this.ink
    for (const start of [0, Math.PI]) {
      c.beginPath()
      c.moveTo(at.x, at.y)
      c.arc(at.x, at.y, 7, start, start + Math.PI / 2)
      c.fill()
    }
  }

  elastic({ from, to, purpose }: Elastic): void {
    const start = this.project(from)
    const end = this.project(to)
    const colour = COLOURS[this.theme][purpose === 'push' ? 'pull' : 'pose']
    const { c } = this
    const length = Math.hypot(end.x - start.x, end.y - start.y)
    // A push is a spring, which gets thinner as it stretches; a pose is a string.
    this.polyline(purpose === 'push' && length > 12 ? spring(start, end, length) : [start, end])
    this.outlined(colour, 2.4)
    for (const [at, size] of [[start, 4.5], [end, 6.5]] as const) {
      c.beginPath()
      c.arc(at.x, at.y, size, 0, 2 * Math.PI)
      this.outlined(colour, 2, at === start ? colour : this.paper)
    }
  }

  private pin({ x, y }: OnCanvas, size: number): void {
    const { c } = this
    const red = COLOURS[this.theme].injured
    c.beginPath()
    c.moveTo(x, y)
    c.lineTo(x + 5 * size, y - 15 * size)
    this.outlined(this.ink, 1.8)
    c.beginPath()
    c.arc(x + 6.5 * size, y - 19 * size, 6 * size, 0, 2 * Math.PI)
    this.outlined(this.ink, 1.4, red)
    c.beginPath()
    c.arc(x, y, 2.4, 0, 2 * Math.PI)
    this.outlined(this.ink, 1, this.ink)
  }

  private lock({ x, y }: OnCanvas, size: number): void {
    const { c } = this
    const [w, h] = [12 * size, 9 * size]
    c.beginPath()
    c.arc(x, y - h / 2, w * 0.3, Math.PI, 0)
    this.outlined(this.ink, 2)
    c.beginPath()
    c.roundRect(x - w / 2, y - h / 2, w, h, 2.5)
    this.outlined(this.ink, 1.4, COLOURS[this.theme].highlight)
  }

  /** A bar between the hands, on two wheels. */
  private cart(mark: Extract<ConstraintMark, { kind: 'cart' }>, size: number): OnCanvas | null {
    const hands = mark.bodies.map((body, n) => this.inWorld(body, mark.pointsInBodies[n]!))
    const [a, b] = hands.map((hand) => this.project(hand))
    if (!a?.inFront || !b?.inFront) return null
    const { c } = this
    const [footA, footB] = hands.map((hand) => this.project([hand[0]!, hand[1]!, 0]))
    for (const [hand, foot] of [[a, footA!], [b, footB!]] as const) {
      this.polyline([hand, foot])
      this.outlined(this.ink, 1.6)
      c.beginPath()
      c.arc(foot.x, foot.y, 6 * size, 0, 2 * Math.PI)
      this.outlined(this.ink, 2, this.paper)
    }
    this.polyline([a, b])
    this.outlined(COLOURS[this.theme].highlight, 5 * size)
    return { ...a, x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
  }

  private get ink(): string {
    return COLOURS[this.theme].ink
  }

  private get paper(): string {
    return COLOURS[this.theme].paper
  }

  /** Strokes the current path with a rim of paper around it, and fills it if told. */
  private outlined(colour: string, width: number, fill?: string): void {
    const { c } = this
    c.strokeStyle = this.paper
    c.lineWidth = width + 2.4
    c.globalAlpha = 0.75
    c.stroke()
    c.globalAlpha = 1
    if (fill) {
      c.fillStyle = fill
      c.fill()
    }
    c.strokeStyle = colour
    c.lineWidth = width
    c.stroke()
  }

  private polyline(points: { x: number; y: number }[]): void {
    this.c.beginPath()
    points.forEach(({ x, y }, n) => (n === 0 ? this.c.moveTo(x, y) : this.c.lineTo(x, y)))
  }

  /** Most of a circle about an axis: which way a hinge turns. */
  private arcAround(centre: Float64Array, axis: Float64Array, radius: number): OnCanvas[] {
    const normal = new THREE.Vector3(axis[0], axis[1], axis[2])
    const across = new THREE.Vector3(0, 0, 1)
    if (Math.abs(normal.z) > 0.9) across.set(1, 0, 0)
    across.cross(normal).normalize()
    const other = normal.clone().cross(across)
    return Array.from({ length: 19 }, (_, step) => {
      const angle = step / 18 * 1.5 * Math.PI
      const [cos, sin] = [radius * Math.cos(angle), radius * Math.sin(angle)]
      return this.project([
        centre[0]! + cos * across.x + sin * other.x,
        centre[1]! + cos * across.y + sin * other.y,
        centre[2]! + cos * across.z + sin * other.z,
      ])
    })
  }

  private inWorld(body: number, pointInBody: Vec3): Vec3 {
    place(this.frames, body, pointInBody, this.point)
    return [this.point[0]!, this.point[1]!, this.point[2]!]
  }

  private at(body: number, pointInBody: Vec3): OnCanvas | null {
    const at = this.project(this.inWorld(body, pointInBody))
    return at.inFront ? at : null
  }
}

/** A zigzag from one place to another. */
function spring(start: OnCanvas, end: OnCanvas, length: number): { x: number; y: number }[] {
  const turns = 14
  const [ux, uy] = [(end.x - start.x) / length, (end.y - start.y) / length]
  const width = Math.min(5, 260 / length)
  return Array.from({ length: turns + 1 }, (_, step) => {
    const side = step === 0 || step === turns ? 0 : step % 2 === 0 ? width : -width
    const share = step / turns
    return {
      x: start.x + share * length * ux - side * uy,
      y: start.y + share * length * uy + side * ux,
    }
  })
}

/** Each role has an outline of its own, so that colour is not all that tells them apart. */
function symbol(c: CanvasRenderingContext2D, role: string, x: number, y: number, size: number): void {
  c.beginPath()
  const polygon = (corners: number, turn: number, radius = size) => {
    for (let n = 0; n < corners; n++) {
      const angle = turn + 2 * Math.PI * n / corners
      c.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle))
    }
    c.closePath()
  }
  switch (role) {
    case 'foot': return polygon(3, Math.PI / 2, size * 1.2)
    case 'knee': return polygon(4, 0, size * 1.1)
    case 'hand': return polygon(4, Math.PI / 4, size * 1.1)
    case 'elbow': return polygon(5, -Math.PI / 2, size * 1.05)
    case 'spine': return c.roundRect(x - size, y - size * 0.55, 2 * size, size * 1.1, size * 0.55)
    case 'tail': return polygon(3, -Math.PI / 2, size * 1.2)
    default: return c.arc(x, y, size * 0.95, 0, 2 * Math.PI)
  }
}

import * as THREE from 'three'
import type { CreatureAnswer, Vec3 } from '../protocol'
import { bodyPuppet } from './body-puppet'
import type { Bytes, FetchFile } from './bytes'
import { drawsInSoftware, driverName } from './driver'
import { Kinematics } from './kinematics'
import type { ModeSwings } from './modes'
import { type Puppet, puppetOf } from './puppet'
import { place } from './rigid'
import { COLOURS, type Theme } from './theme'
import { bestView } from './view'

export interface PaletteOptions {
  theme: Theme
  /** Two extremes as an onion skin instead of motion; from the system's setting unless told. */
  reducedMotion?: boolean
}

export interface PaletteStats {
  fps: number
  frames: number
  /** ms that drawing took the page, mean of lately. */
  millis: number
  /** Cells in view. */
  cells: number
  /** How many of them are drawn in each frame. */
  drawnPerFrame: number
  renderer: string
}

/** A user's own skin with more triangles than this is drawn as its bones in small pictures. */
const MOST_TRIANGLES = 60_000
/** All modes swing this often, s⁻¹: true frequencies are too fast to see or too slow to wait for. */
const SWINGS_PER_SECOND = 0.9
/** A frame that takes longer than this draws fewer cells, ms; one that takes less than half of it, more. */
const SLOW_FRAME = 20
const FEWEST_CELLS = 3
/** Between two pictures of most screens, ms. */
const SCREEN_STEP = 1000 / 60
/** A pause longer than this between frames is rest, not a slow frame, ms. */
const REST = 400
/** After a rest, swings go on from where they were, ms. */
const LONGEST_STEP = 100
/** Without a graphics card, swings are redrawn after this time at the soonest, ms: the stage needs the processor too. */
const SOFTWARE_STEP = 1000 / 31
/** Room around the creature in a picture. */
const ROOM = 1.12
/** Half size of a creature of one point, m. */
const SMALLEST = 1e-3
/** Phases of the pictures of an onion skin, the last one on top. */
const ONION = [-Math.PI / 2, Math.PI / 2]

interface Cell { mode: number; element: HTMLElement }
/** Where a mode is looked at from, and how far it reaches from the middle, across and up, m. */
/** Of the words over a picture, px. */
const LABEL = 18

interface View { direction: Vec3; across: number; up: number; middle: THREE.Vector3 }

/**
 * The moving pictures of the mode palette: one canvas that covers the viewport of a scroller (pointer-events: none),
 * with a picture wherever a cell's element is.
 */
export class PaletteView {
  private readonly canvas: HTMLCanvasElement
  private readonly scroller: HTMLElement
  private readonly renderer: THREE.WebGLRenderer | null
  private readonly scene = new THREE.Scene()
  private readonly camera = new THREE.OrthographicCamera()
  private readonly around = new THREE.HemisphereLight()
  private readonly key = new THREE.DirectionalLight()
  private readonly visible = new Set<HTMLElement>()
  private readonly watching: IntersectionObserver
  private readonly resizing: ResizeObserver
  private readonly ended = new AbortController()

  private theme: Theme
  private reduced: boolean
  private paused = false
  private phase = 0
  private puppet: Puppet | null = null
  private kinematics: Kinematics | null = null
  /** The pose being drawn. */
  private q = new Float64Array()
  private swings: ModeSwings | null = null
  private cells: Cell[] = []
  private views = new Map<number, View>()
  /** Of the body before: while a slider moves, pictures keep the side they are seen from. */
  private viewsBefore = new Map<number, View>()
  private creatureNumber = 0
  private lost = false
  /** Shortest time between frames, ms: every frame of a screen, or fewer. */
  private readonly step: number

  private scheduled = 0
  /** Everything must be drawn, at its place: after a scroll, a new body, a new theme. */
  private stale = true
  /** Pictures still to be drawn although nothing swings: of a new body. */
  private owed = 0
  private next = 0
  private perFrame = Infinity
  private last = 0
  private drawn = 0
  private readonly spans: number[] = []
  private readonly costs: number[] = []

  constructor(canvas: HTMLCanvasElement, scroller: HTMLElement, options: PaletteOptions) {
    this.canvas = canvas
    this.scroller = scroller
    this.theme = options.theme
    const asked = matchMedia('(prefers-reduced-motion: reduce)')
    this.reduced = options.reducedMotion ?? asked.matches
    this.renderer = makeRenderer(canvas)
    this.step = this.renderer && drawsInSoftware(this.renderer) ? SOFTWARE_STEP : 0
    this.camera.up.set(0, 0, 1)
    this.scene.add(this.around, this.key, this.key.target)
    this.around.position.set(0, 0, 1)
    this.light()

    const { signal } = this.ended
    if (options.reducedMotion === undefined)
      asked.addEventListener('change', (event) => this.setReducedMotion(event.matches), { signal })
    scroller.addEventListener('scroll', () => this.refresh(), { signal, passive: true })
    document.addEventListener('visibilitychange', () => this.refresh(), { signal })
    canvas.addEventListener('webglcontextlost', (event) => { event.preventDefault(); this.lost = true }, { signal })
    canvas.addEventListener('webglcontextrestored', () => { this.lost = false; this.refresh() }, { signal })
    this.watching = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) this.visible.add(target as HTMLElement)
          else this.visible.delete(target as HTMLElement)
        }
        this.refresh()
      },
      { root: scroller },
    )
    this.resizing = new ResizeObserver(() => this.refresh())
    this.resizing.observe(canvas)
    this.resizing.observe(scroller)
  }

  async setCreature(creature: CreatureAnswer, bytes: Bytes, fetchFile: FetchFile): Promise<void> {
    const number = ++this.creatureNumber
    const look = { theme: this.theme, lowPoly: true }
    let { puppet } = await puppetOf(creature, bytes, fetchFile, look)
    if (puppet.skin && puppet.triangles > MOST_TRIANGLES) {
      puppet.dispose()
      puppet = bodyPuppet(creature, bytes, look)
    }
    // Another creature was asked for in the meantime, or the palette is gone.
    if (number !== this.creatureNumber || this.ended.signal.aborted) return puppet.dispose()
    this.puppet?.object.removeFromParent()
    this.puppet?.dispose()
    this.puppet = puppet
    this.scene.add(puppet.object)
    this.kinematics = new Kinematics(creature)
    this.q = new Float64Array(creature.nq)
    if (this.swings?.kinematics.creature !== creature) this.swings = null
    this.views.clear()
    this.viewsBefore.clear()
    this.refresh()
  }

  /** After every `body` answer: keeps the clock. */
  setModes(swings: ModeSwings): void {
    this.swings = swings
    this.viewsBefore = this.views
    this.views = new Map()
    this.owed = this.visible.size
    this.schedule()
  }

  setCells(cells: Cell[]): void {
    const kept = new Set(cells.map(({ element }) => element))
    for (const { element } of this.cells) {
      if (kept.has(element)) continue
      this.watching.unobserve(element)
      this.visible.delete(element)
    }
    const known = new Set(this.cells.map(({ element }) => element))
    for (const { element } of cells) if (!known.has(element)) this.watching.observe(element)
    this.cells = cells
    this.refresh()
  }

  setTheme(theme: Theme): void {
    this.theme = theme
    this.light()
    this.puppet?.setTheme(theme)
    this.refresh()
  }

  setReducedMotion(reduced: boolean): void {
    this.reduced = reduced
    this.refresh()
  }

  /** Stops the swinging, at a phase (rad) if told: 0 is rest, π/2 the farthest. */
  setPaused(paused: boolean, phase?: number): void {
    this.paused = paused
    if (phase !== undefined) this.phase = phase
    this.refresh()
  }

  /** Draws everything anew with the next frame: after a change of layout that nothing else tells of. */
  refresh(): void {
    this.stale = true
    this.schedule()
  }

  stats(): PaletteStats {
    const mean = (values: number[]) => (values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : 0)
    return {
      fps: this.moving() && this.spans.length > 0 ? 1000 / mean(this.spans) : 0,
      frames: this.drawn,
      millis: mean(this.costs),
      cells: this.visible.size,
      drawnPerFrame: Math.min(this.perFrame, this.visible.size),
      renderer: this.renderer ? driverName(this.renderer) : '',
    }
  }

  dispose(): void {
    this.ended.abort()
    cancelAnimationFrame(this.scheduled)
    this.watching.disconnect()
    this.resizing.disconnect()
    this.puppet?.dispose()
    this.renderer?.dispose()
  }

  private moving(): boolean {
    return !this.paused && !this.reduced && !document.hidden && this.visible.size > 0 && this.swings !== null
  }

  private schedule(): void {
    if (this.scheduled === 0 && !this.ended.signal.aborted) this.scheduled = requestAnimationFrame((now) => this.frame(now))
  }

  private frame(now: number): void {
    this.scheduled = 0
    const span = now - this.last
    if (this.renderer && !this.lost && (this.stale || this.owed > 0 || (this.moving() && span >= this.step))) {
      this.last = now
      if (this.moving()) this.phase += 2 * Math.PI * SWINGS_PER_SECOND * Math.min(span, LONGEST_STEP) / 1000
      const start = performance.now()
      this.draw(this.renderer)
      this.adapt(performance.now() - start, span)
    }
    if (this.moving() || this.owed > 0) this.schedule()
  }

  /** Draws fewer cells per frame while frames are slow. */
  private adapt(cost: number, span: number): void {
    this.drawn++
    const inView = this.visible.size
    // A software renderer's work shows in the time between frames, not in the time of the calls.
    const slow = Math.max(cost, span > REST ? 0 : span - Math.max(this.step, SCREEN_STEP))
    if (slow > SLOW_FRAME) this.perFrame = Math.max(FEWEST_CELLS, Math.floor(0.7 * Math.min(this.perFrame, inView)))
    else if (slow < SLOW_FRAME / 2) this.perFrame = this.perFrame < inView ? this.perFrame + 1 : Infinity
    if (span < REST) this.spans.push(span)
    this.costs.push(cost)
    for (const values of [this.spans, this.costs]) if (values.length > 60) values.shift()
  }

  private draw(renderer: THREE.WebGLRenderer): void {
    const box = this.canvas.getBoundingClientRect()
    const size = renderer.getSize(new THREE.Vector2())
    if (Math.round(box.width) !== size.x || Math.round(box.height) !== size.y) {
      renderer.setSize(Math.round(box.width), Math.round(box.height), false)
      this.stale = true
    }
    const inView = this.cells.filter(({ element }) => this.visible.has(element))
    const whole = this.stale
    this.stale = false
    if (whole) {
      this.owed = 0
      renderer.setScissorTest(false)
      renderer.clear()
      this.next = 0
    }
    if (!this.swings || !this.puppet || this.swings.kinematics.creature !== this.kinematics?.creature) {
      this.owed = 0
      return
    }
    renderer.setScissorTest(true)
    const count = whole ? inView.length : Math.min(inView.length, this.perFrame)
    for (let n = 0; n < count; n++) this.drawCell(renderer, inView[(this.next + n) % inView.length]!, box)
    this.next = inView.length > 0 ? (this.next + count) % inView.length : 0
    this.owed = Math.max(0, this.owed - count)
  }

  private drawCell(renderer: THREE.WebGLRenderer, { mode, element }: Cell, box: DOMRect): void {
    const { swings, puppet, kinematics } = this
    if (!swings || !puppet || !kinematics || mode >= swings.count) return
    const whole = element.getBoundingClientRect()
    // Number and frequency are above the picture and not over it.
    const at = new DOMRect(whole.x, whole.y + LABEL, whole.width, Math.max(whole.height - LABEL, 1))
    // From below, as the graphics driver counts.
    const [x, y] = [at.left - box.left, box.bottom - at.bottom]
    renderer.setViewport(x, y, at.width, at.height)
    const clip = this.scroller.getBoundingClientRect()
    const [bottom, top] = [Math.max(y, box.bottom - clip.bottom, 0), Math.min(y + at.height, box.bottom - clip.top, box.height)]
    if (top <= bottom) return
    renderer.setScissor(x, bottom, at.width, top - bottom)
    renderer.clear()
    this.aim(mode, at.width / Math.max(at.height, 1))
    const phases = this.reduced ? ONION : [this.phase]
    phases.forEach((phase, n) => {
      puppet.pose(kinematics.frames(swings.pose(mode, Math.sin(phase), this.q)))
      this.fade(n < phases.length - 1)
      renderer.clearDepth()
      renderer.render(this.scene, this.camera)
    })
  }

  /** The lower picture of an onion skin is faint: light from around alone. */
  private fade(faint: boolean): void {
    const colours = COLOURS[this.theme]
    this.key.intensity = faint ? 0 : colours.key
    this.around.intensity = faint ? 0.45 * colours.around : colours.around
  }

  private light(): void {
    const colours = COLOURS[this.theme]
    this.around.color.set(colours.sky)
    this.around.groundColor.set(colours.ground)
    this.fade(false)
  }

  private aim(mode: number, aspect: number): void {
    const view = this.views.get(mode) ?? this.choose(mode, this.viewsBefore.get(mode)?.direction)
    this.views.set(mode, view)
    const { direction, across, up, middle } = view
    const { camera } = this
    camera.top = ROOM * Math.max(up, across / aspect)
    camera.bottom = -camera.top
    camera.right = camera.top * aspect
    camera.left = -camera.right
    const reach = Math.max(across, up)
    camera.near = 0
    camera.far = 8 * reach
    camera.position.set(...direction).multiplyScalar(4 * reach).add(middle)
    camera.lookAt(middle)
    camera.updateProjectionMatrix()
    // Over the viewer's left shoulder, whatever the view.
    const right = new THREE.Vector3(1, 0, 0).applyQuaternion(camera.quaternion)
    this.key.position.copy(camera.position).addScaledVector(right, -3 * reach).add(new THREE.Vector3(0, 0, 4 * reach))
    this.key.target.position.copy(middle)
  }

  /** Looks from where the motion shows best, and from so far that both extremes fit. */
  private choose(mode: number, before?: Vec3): View {
    const { swings, kinematics } = this
    const creature = kinematics!.creature
    const points = bodyPoints(creature)
    const at = (share: number) => {
      const frames = kinematics!.frames(swings!.pose(mode, share, this.q))
      const out = new Float64Array(3 * points.length)
      points.forEach(({ body, point }, n) => place(frames, body, point, out, 3 * n))
      return out
    }
    const [rest, one, other] = [at(0), at(-1), at(1)]
    const direction = bestView(other.map((value, n) => value - one[n]!), before)
    const towards = new THREE.Vector3(...direction)
    const right = new THREE.Vector3().crossVectors(this.camera.up, towards).normalize()
    const above = new THREE.Vector3().crossVectors(towards, right)
    // The box around all of it, seen along the line of sight.
    const box = new THREE.Box3()
    const seen = new THREE.Vector3()
    for (const places of [rest, one, other])
      points.forEach(({ radius }, n) => {
        seen.fromArray(places, 3 * n)
        seen.set(seen.dot(right), seen.dot(above), seen.dot(towards))
        box.expandByPoint(seen.addScalar(radius))
        box.expandByPoint(seen.addScalar(-2 * radius))
      })
    const centre = box.getCenter(new THREE.Vector3())
    const half = box.getSize(seen).multiplyScalar(0.5)
    const middle = right.multiplyScalar(centre.x).addScaledVector(above, centre.y).addScaledVector(towards, centre.z)
    const [across, up] = [Math.max(half.x, SMALLEST), Math.max(half.y, SMALLEST)]
    return { direction, across, up, middle }
  }
}

/** Points that show where a creature is: the ends of its shapes, with their thickness. */
function bodyPoints(creature: CreatureAnswer): { body: number; point: Vec3; radius: number }[] {
  const points = creature.shapes
    .filter((shape) => shape.body > 0)
    .flatMap(({ body, kind, size, position, orientation }) => {
      const [a = 0, b = 0, c = 0] = size
      const long = kind === 'capsule' || kind === 'cylinder' ? b : kind === 'ellipsoid' || kind === 'box' ? Math.max(a, b, c) : 0
      const turn = new THREE.Quaternion(orientation[1], orientation[2], orientation[3], orientation[0])
      const axis = kind === 'ellipsoid' || kind === 'box' ? [a, b, c].indexOf(long) : 2
      return [-1, 1].map((end) => {
        const offset = new THREE.Vector3().setComponent(axis, end * long).applyQuaternion(turn)
        const radius = kind === 'capsule' || kind === 'sphere' ? a : 0
        return { body, point: [position[0] + offset.x, position[1] + offset.y, position[2] + offset.z] as Vec3, radius }
      })
    })
  return points.length > 0 ? points : creature.bodies.map((_, body) => ({ body, point: [0, 0, 0], radius: 0.02 }))
}

function makeRenderer(canvas: HTMLCanvasElement): THREE.WebGLRenderer | null {
  try {
    // Pictures that are not drawn in a frame must stay.
    const renderer = new THREE.WebGLRenderer({ canvas, alpha: true, antialias: false, preserveDrawingBuffer: true })
    renderer.autoClear = false
    renderer.setClearColor(0x000000, 0)
    renderer.toneMapping = THREE.NeutralToneMapping
    // Smooth edges by twice the pixels, where there is a graphics card to make them.
    renderer.setPixelRatio(drawsInSoftware(renderer) ? 1 : 2)
    return renderer
  } catch {
    // The stage tells the user.
    return null
  }
}

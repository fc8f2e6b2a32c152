import * as THREE from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import type { CreatureAnswer, ShapePart, Vec3 } from '../protocol'
import { type Bytes, type FetchFile, numbersOf } from './bytes'
import type { Standing } from './clip'
import { drawsInSoftware, driverName } from './driver'
import { Emitter } from './emitter'
import { Follower } from './follow'
import { Kinematics } from './kinematics'
import type { MarkName, Marks } from './marks'
import { centreOfMass, Overlay, projector } from './overlay'
import { bodyPuppet } from './body-puppet'
import { type Puppet, puppetOf } from './puppet'
import { place } from './rigid'
import { StageSet } from './set'
import { boundsOf } from './shapes'
import { COLOURS, type Theme } from './theme'

/** What a drag on the creature does. Ctrl or cmd makes it a push in every mode. */
export type Interaction = 'orbit' | 'pose' | 'push' | 'constrain' | 'landmark'

export interface StageOptions {
  theme: Theme
  /** Smooth edges; true unless the page's address says `msaa=0`. */
  msaa?: boolean
}

/** A place on the page, CSS pixels from the top left of the window. */
export interface OnPage { x: number; y: number }

export interface StageEvents {
  /** A click: on a mark, on a body, or on nothing. */
  pick: {
    mark: MarkName | null
    body: number | null
    pointInBody: Vec3 | null
    pointInWorld: Vec3 | null
    interaction: Interaction
    onPage: OnPage
  }
  /** What the mouse is over now; sent when it changes, and `body` null when it is over nothing. */
  hover: { mark: MarkName | null; body: number | null; name: string | null; onPage: OnPage }
  /** A point of a body dragged with the mouse. `end` repeats the last target. */
  pull: { phase: 'start' | 'move' | 'end'; purpose: 'push' | 'pose'; body: number; pointInBody: Vec3; targetInWorld: Vec3 }
  /** A click on a body in the mode `orbit`, or on nothing (null). */
  select: { body: number | null }
  /** The picture cannot be drawn, or can be drawn again. */
  trouble: { kind: 'unsupported' | 'lost' | 'restored' | 'skin'; text: string }
}

export interface StageStats {
  /** Of frames drawn lately; 0 at rest. */
  fps: number
  /** Frames drawn so far. */
  frames: number
  /** ms that drawing took the page, mean of lately. */
  millis: number
  drawCalls: number
  triangles: number
  /** As the graphics driver calls itself. */
  renderer: string
  /** Whether the user's own skin is what is seen. */
  skin: boolean
}

/** Vertical angle of view, degrees: a long lens, which keeps the body's proportions. */
const FIELD_OF_VIEW = 28
/** Where the camera looks from at the start, seen from the creature: from its right, a little ahead and above. */
const FIRST_VIEW = new THREE.Vector3(0.62, -1, 0.36).normalize()
/** Room around the creature in the picture. */
const ROOM = 1.22
/** A press that moves less than this is a click, pixels. */
const CLICK = 4
/** A view is changed over this time, ms. */
const GLIDE = 260
/** A pause longer than this between frames is rest, not a slow frame, ms. */
const REST = 400

interface Pulling { purpose: 'push' | 'pose'; pointer: number; body: number; pointInBody: Vec3; plane: THREE.Plane; target: Vec3 }
interface Glide { from: [THREE.Vector3, THREE.Vector3]; to: [THREE.Vector3, THREE.Vector3]; start: number }

/** Something that follows poses: the creature, or a ghost of it. */
interface Actor { creature: CreatureAnswer; kinematics: Kinematics; puppet: Puppet }

/** The big picture: creature, ground, marks, camera and mouse. Draws only when something changed. */
export class Stage extends Emitter<StageEvents> {
  private readonly canvas: HTMLCanvasElement
  private readonly renderer: THREE.WebGLRenderer | null
  private readonly camera = new THREE.PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100)
  private readonly controls: OrbitControls
  private readonly set: StageSet
  private readonly overlay: Overlay
  private readonly follower = new Follower()
  private readonly raycaster = new THREE.Raycaster()
  private readonly resizing: ResizeObserver
  private readonly ended = new AbortController()

  private theme: Theme
  private actor: Actor | null = null
  /** The same creature drawn from its shapes, while that is wanted instead of its skin. */
  private bare: Puppet | null = null
  private bytes: Bytes = new Uint8Array()
  private ghost: Actor | null = null
  private frames: Float64Array = new Float64Array(7)
  private marks: Marks = {}
  private standing: Standing[] = []
  private lit: number[] | null = null
  private hovered: { mark: MarkName | null; body: number | null } = { mark: null, body: null }
  private interaction: Interaction = 'orbit'
  private follow = true
  private followed = new THREE.Vector3()
  private radius = 1
  /** The box around the creature in its reference pose: its middle from the centre of mass, and half its sizes. */
  private readonly middle = new THREE.Vector3()
  private readonly half = new THREE.Vector3(0.5, 0.5, 0.5)

  private pulling: Pulling | null = null
  private pressed: { x: number; y: number; pointer: number } | null = null
  private pointer: { x: number; y: number } | null = null
  private glide: Glide | null = null
  private lost = false
  /** Whether the first pose of a creature, and so the first view of it, is still to come. */
  private unseen = true
  private creatureNumber = 0
  private ghostNumber = 0

  private scheduled = 0
  private dirty = true
  private askedAt = 0
  private lastFrame = 0
  private drawn = 0
  private readonly spans: number[] = []
  private readonly costs: number[] = []

  constructor(canvas: HTMLCanvasElement, options: StageOptions) {
    super()
    this.canvas = canvas
    this.theme = options.theme
    const msaa = options.msaa ?? new URLSearchParams(location.search).get('msaa') !== '0'
    this.renderer = this.makeRenderer(msaa)
    const software = this.renderer !== null && drawsInSoftware(this.renderer)
    this.set = new StageSet(options.theme, software ? 512 : 1024)
    this.renderer?.setPixelRatio(software ? 1 : Math.min(devicePixelRatio, 2))
    this.overlay = new Overlay(canvas)

    this.camera.up.set(0, 0, 1)
    this.controls = new OrbitControls(this.camera, canvas)
    this.controls.mouseButtons = { LEFT: THREE.MOUSE.ROTATE, MIDDLE: THREE.MOUSE.PAN, RIGHT: THREE.MOUSE.PAN }
    this.controls.dampingFactor = 0.16
    this.controls.enableDamping = !reducedMotion()
    // A little below the ground may be looked from, to see the soles of feet.
    this.controls.maxPolarAngle = Math.PI / 2 + 0.25
    this.controls.addEventListener('change', () => this.invalidate())
    this.controls.addEventListener('start', () => (this.glide = null))

    this.listen()
    this.resizing = new ResizeObserver(() => this.resize())
    this.resizing.observe(canvas)
    this.resize()
    this.look(FIRST_VIEW)
  }

  /** Shows a creature, in its reference pose until `setPose`. The camera frames it unless `keepView`. */
  async setCreature(creature: CreatureAnswer, bytes: Bytes, fetchFile: FetchFile, options: { keepView?: boolean } = {}): Promise<void> {
    const number = ++this.creatureNumber
    const { puppet, trouble } = await puppetOf(creature, bytes, fetchFile, { theme: this.theme })
    // Another creature was asked for in the meantime, or the stage is gone.
    if (number !== this.creatureNumber || this.ended.signal.aborted) return puppet.dispose()
    if (trouble) this.emit('trouble', { kind: 'skin', text: trouble })
    const bare = this.bare !== null
    this.endPull()
    this.removeActor()
    void this.setGhostCreature(null)
    this.actor = { creature, kinematics: new Kinematics(creature), puppet }
    this.bytes = bytes
    this.set.scene.add(puppet.object)
    this.hovered = { mark: null, body: null }
    this.lit = null
    this.standing = []
    this.measure(creature)
    this.setPose(creature.reference)
    if (bare) this.setSkinVisible(false)
    this.unseen = !options.keepView
    if (this.unseen) this.look(FIRST_VIEW)
    this.repaint()
  }

  setPose(q: ArrayLike<number>): void {
    if (!this.actor || q.length !== this.actor.creature.nq) return
    this.frames = this.actor.kinematics.frames(q)
    this.actor.puppet.pose(this.frames)
    this.bare?.pose(this.frames)
    this.placeContacts()
    // The first pose may be far from the reference: the first view is of it.
    if (this.unseen) this.look(FIRST_VIEW)
    this.unseen = q === this.actor.creature.reference
    this.invalidate()
  }

  /** False shows the shapes that the engine computes with instead of the skin. */
  setSkinVisible(visible: boolean): void {
    if (!this.actor) return
    if (!visible && !this.bare && this.actor.puppet.skin) {
      this.bare = bodyPuppet(this.actor.creature, this.bytes, { theme: this.theme })
      this.bare.pose(this.frames)
      this.set.scene.add(this.bare.object)
    } else if (visible && this.bare) {
      this.bare.object.removeFromParent()
      this.bare.dispose()
      this.bare = null
    }
    this.actor.puppet.object.visible = this.bare === null
    this.repaint()
  }

  /** A second, translucent creature to compare with: it shows once `setGhost` poses it; null takes it away. */
  async setGhostCreature(creature: CreatureAnswer | null, bytes?: Bytes, fetchFile?: FetchFile): Promise<void> {
    const number = ++this.ghostNumber
    this.ghost?.puppet.object.removeFromParent()
    this.ghost?.puppet.dispose()
    this.ghost = null
    this.invalidate()
    if (!creature || !bytes) return
    const nowhere: FetchFile = async () => { throw new Error('no files') }
    const { puppet } = await puppetOf(creature, bytes, fetchFile ?? nowhere, { theme: this.theme, ghost: true })
    if (number !== this.ghostNumber || this.ended.signal.aborted) return puppet.dispose()
    puppet.object.visible = false
    this.set.scene.add(puppet.object)
    this.ghost = { creature, kinematics: new Kinematics(creature), puppet }
  }

  /** Poses the ghost, or hides it. */
  setGhost(q: ArrayLike<number> | null): void {
    if (!this.ghost) return
    this.ghost.puppet.object.visible = q !== null
    if (q) this.ghost.puppet.pose(this.ghost.kinematics.frames(q))
    this.invalidate()
  }

  /** Slope in rad, rising ahead (+x). */
  setGround(ground: { visible: boolean; slope: number }): void {
    this.set.setGround(ground.visible, ground.slope)
    this.placeContacts()
    this.invalidate()
  }

  setMarks(marks: Marks): void {
    this.marks = marks
    this.overlay.marks = marks
    this.repaint()
  }

  /** Feet that stand now: rings under them. */
  setContacts(standing: Standing[]): void {
    this.standing = standing
    this.placeContacts()
    this.invalidate()
  }

  setTheme(theme: Theme): void {
    this.theme = theme
    this.set.setTheme(theme)
    for (const puppet of [this.actor?.puppet, this.bare, this.ghost?.puppet]) puppet?.setTheme(theme)
    this.repaint()
  }

  /** Brings the whole creature into view from where the camera is (F). */
  frameAll(): void {
    this.glideTo(this.camera.position.clone().sub(this.controls.target))
  }

  /** The three-quarter view of the start (R). */
  resetView(): void {
    this.glideTo(FIRST_VIEW.clone())
  }

  /** Whether the camera goes along with the creature. */
  setFollow(follow: boolean): void {
    this.follow = follow
    this.invalidate()
  }

  setInteraction(interaction: Interaction): void {
    this.endPull()
    this.interaction = interaction
    this.showCursor()
  }

  /** Highlights bodies from outside, e.g. while a slider of a limb is hovered. */
  highlight(bodies: number[] | null): void {
    this.lit = bodies
    this.repaint()
  }

  /** Where a point of a body is on the page: for labels. */
  onPage(body: number, pointInBody: Vec3): OnPage {
    const world: Vec3 = [0, 0, 0]
    place(this.frames, body, pointInBody, world)
    const box = this.canvas.getBoundingClientRect()
    this.camera.updateMatrixWorld()
    const { x, y } = projector(this.camera, box.width, box.height)(world)
    return { x: box.left + x, y: box.top + y }
  }

  /** Draws now rather than with the next frame: for tests and recordings. */
  renderNow(): void {
    this.dirty = true
    this.frame(performance.now())
  }

  /** A PNG of the picture with its marks. */
  async snapshot(width: number, height: number): Promise<Blob> {
    const picture = this.paintAside(width, height, (renderer) => {
      this.camera.aspect = width / height
      this.camera.updateProjectionMatrix()
      renderer.render(this.set.scene, this.camera)
    })
    return new Promise((resolve, reject) =>
      picture.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be written'))), 'image/png'),
    )
  }

  /** What is drawn, for a MediaRecorder. */
  stream(framesPerSecond = 60): MediaStream {
    return this.canvas.captureStream(framesPerSecond)
  }

  stats(): StageStats {
    const mean = (values: number[]) => (values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : 0)
    const atRest = performance.now() - this.lastFrame > 4 * REST
    return {
      fps: atRest || this.spans.length === 0 ? 0 : 1000 / mean(this.spans),
      frames: this.drawn,
      millis: mean(this.costs),
      drawCalls: this.renderer?.info.render.calls ?? 0,
      triangles: this.renderer?.info.render.triangles ?? 0,
      renderer: this.renderer ? driverName(this.renderer) : '',
      skin: (this.actor?.puppet.skin ?? false) && this.bare === null,
    }
  }

  dispose(): void {
    this.ended.abort()
    cancelAnimationFrame(this.scheduled)
    this.resizing.disconnect()
    this.controls.dispose()
    this.removeActor()
    void this.setGhostCreature(null)
    this.set.dispose()
    this.overlay.dispose()
    this.renderer?.dispose()
  }

  /**
   * A picture made by the same renderer without the user noticing: the canvas is given back its size and its picture
   * before the browser shows it again.
   */
  paintAside(width: number, height: number, paint: (renderer: THREE.WebGLRenderer, scene: THREE.Scene) => void): HTMLCanvasElement {
    const picture = document.createElement('canvas')
    picture.width = width
    picture.height = height
    const { renderer } = this
    if (!renderer || this.lost) return picture
    const ratio = renderer.getPixelRatio()
    const size = renderer.getSize(new THREE.Vector2())
    renderer.setPixelRatio(1)
    renderer.setSize(width, height, false)
    paint(renderer, this.set.scene)
    picture.getContext('2d')?.drawImage(this.canvas, 0, 0)
    renderer.setPixelRatio(ratio)
    renderer.setSize(size.x, size.y, false)
    this.fitCamera()
    this.renderNow()
    return picture
  }

  /** For film strips: poses the creature in a picture that shows it alone, then puts everything back. */
  alone(paint: (pose: (q: ArrayLike<number>) => { frames: Float64Array; kinematics: Kinematics }) => void): void {
    const actor = this.actor
    if (!actor) return
    const before = this.frames.slice()
    const ground = this.set.ground.visible
    const ghost = this.ghost?.puppet.object.visible ?? false
    this.set.setBackdropVisible(false)
    this.set.ground.visible = false
    if (this.ghost) this.ghost.puppet.object.visible = false
    const shown = this.bare ?? actor.puppet
    paint((q) => {
      const frames = actor.kinematics.frames(q)
      shown.pose(frames)
      return { frames, kinematics: actor.kinematics }
    })
    this.set.setBackdropVisible(true)
    this.set.ground.visible = ground
    if (this.ghost) this.ghost.puppet.object.visible = ghost
    this.frames.set(before)
    shown.pose(this.frames)
  }

  /** Half the size of the creature, m. */
  get size(): number {
    return this.radius
  }

  private makeRenderer(msaa: boolean): THREE.WebGLRenderer | null {
    try {
      const renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: msaa, alpha: true })
      renderer.shadowMap.enabled = true
      renderer.shadowMap.type = THREE.VSMShadowMap
      renderer.toneMapping = THREE.NeutralToneMapping
      renderer.setClearColor(0x000000, 0)
      return renderer
    } catch (error) {
      // Nobody listens yet.
      queueMicrotask(() =>
        this.emit('trouble', {
          kind: 'unsupported',
          text: `This browser cannot draw in three dimensions: ${error instanceof Error ? error.message : error}. Turn on hardware acceleration in its settings, or try another browser.`,
        }),
      )
      return null
    }
  }

  private removeActor(): void {
    for (const puppet of [this.actor?.puppet, this.bare]) {
      puppet?.object.removeFromParent()
      puppet?.dispose()
    }
    this.actor = null
    this.bare = null
  }

  // --- the view ---

  private measure(creature: CreatureAnswer): void {
    const frames = new Kinematics(creature).frames(creature.reference)
    const { least, greatest } = boundsOf(creature, (shape) => meshBox(shape, this.bytes), frames)
    this.radius = Math.max(Math.hypot(...greatest.map((value, k) => value - least[k]!)) / 2, 1e-3)
    const com = centreOfMass(creature, frames)
    // The camera follows the centre of mass, and looks at the middle of the box.
    this.half.set(...(least.map((value, k) => (greatest[k]! - value) / 2) as Vec3))
    this.middle.set(...(least.map((value, k) => (value + greatest[k]!) / 2 - com[k]!) as Vec3))
    this.follower.reset(this.radius)
    this.set.setSize(this.radius)
    this.camera.near = this.radius / 50
    this.camera.far = this.radius * 60
    this.camera.updateProjectionMatrix()
    this.controls.minDistance = this.radius / 4
    this.controls.maxDistance = this.radius * 30
  }

  /** What the camera looks at when it frames the creature. */
  private centre(): THREE.Vector3 {
    if (!this.actor) return new THREE.Vector3(0, 0, 0.4)
    return new THREE.Vector3(...centreOfMass(this.actor.creature, this.frames)).add(this.middle)
  }

  private viewFrom(direction: THREE.Vector3): [position: THREE.Vector3, target: THREE.Vector3] {
    const target = this.centre()
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

  private look(direction: THREE.Vector3): void {
    const [position, target] = this.viewFrom(direction)
    this.glide = null
    this.camera.position.copy(position)
    this.controls.target.copy(target)
    this.follower.reset(this.radius)
    this.controls.update()
    this.invalidate()
  }

  private glideTo(direction: THREE.Vector3): void {
    if (reducedMotion()) return this.look(direction)
    const from: Glide['from'] = [this.camera.position.clone(), this.controls.target.clone()]
    this.glide = { from, to: this.viewFrom(direction), start: performance.now() }
    this.invalidate()
  }

  /** Moves the camera along; says whether it still moves. */
  private moveCamera(now: number, dt: number): boolean {
    let moves = false
    if (this.actor) {
      moves = this.follower.advance(centreOfMass(this.actor.creature, this.frames), dt)
      const shift = new THREE.Vector3().fromArray(this.follower.shift)
      this.followed.fromArray(this.follower.at)
      if (this.follow && !this.pulling) {
        this.camera.position.add(shift)
        this.controls.target.add(shift)
        for (const view of this.glide ? [this.glide.from, this.glide.to] : []) view.forEach((point) => point.add(shift))
      }
    }
    if (this.glide) {
      const share = Math.min((now - this.glide.start) / GLIDE, 1)
      const eased = 1 - (1 - share) ** 3
      this.camera.position.lerpVectors(this.glide.from[0], this.glide.to[0], eased)
      this.controls.target.lerpVectors(this.glide.from[1], this.glide.to[1], eased)
      if (share === 1) this.glide = null
      moves = true
    }
    return this.controls.update() || moves
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas
    if (clientWidth === 0 || clientHeight === 0) return
    this.renderer?.setSize(clientWidth, clientHeight, false)
    this.fitCamera()
    // A resized canvas is blank until it is drawn: draw it before the browser shows it.
    this.renderNow()
  }

  private fitCamera(): void {
    const { clientWidth, clientHeight } = this.canvas
    this.camera.aspect = clientWidth / Math.max(clientHeight, 1)
    this.camera.updateProjectionMatrix()
  }

  // --- frames ---

  private invalidate(): void {
    this.dirty = true
    this.schedule()
  }

  private schedule(): void {
    if (this.scheduled !== 0 || this.ended.signal.aborted) return
    this.askedAt = performance.now()
    this.scheduled = requestAnimationFrame((now) => this.frame(now))
  }

  private frame(now: number): void {
    cancelAnimationFrame(this.scheduled)
    this.scheduled = 0
    this.hover()
    // After a rest the first frame is the first of a motion, however long the rest was.
    const resting = this.askedAt - this.lastFrame > REST
    const span = resting ? 1000 / 60 : Math.max(now - this.lastFrame, 0)
    if (!this.dirty || !this.renderer || this.lost) return
    this.dirty = false
    this.lastFrame = now
    const moves = this.moveCamera(now, span / 1000)
    this.set.centreOn(this.followed)
    this.set.setForward(this.marks.forward ? this.followed : null, this.marks.forward)
    this.camera.updateMatrixWorld()
    const start = performance.now()
    this.renderer.render(this.set.scene, this.camera)
    this.drawOverlay()
    this.count(resting ? null : span, performance.now() - start)
    if (moves) this.invalidate()
  }

  private drawOverlay(): void {
    if (this.pulling) {
      const from: Vec3 = [0, 0, 0]
      place(this.frames, this.pulling.body, this.pulling.pointInBody, from)
      this.overlay.elastic = { from, to: this.pulling.target, purpose: this.pulling.purpose }
    } else {
      this.overlay.elastic = null
    }
    this.overlay.hovered = this.hovered.mark
    this.overlay.draw(this.actor?.creature ?? null, this.frames, this.camera, this.canvas, Math.min(devicePixelRatio, 2), this.theme)
  }

  private count(span: number | null, cost: number): void {
    this.drawn++
    if (span !== null && span > 0) this.spans.push(span)
    else this.spans.length = 0
    this.costs.push(cost)
    for (const values of [this.spans, this.costs]) if (values.length > 60) values.shift()
  }

  private repaint(): void {
    const puppet = this.bare ?? this.actor?.puppet
    if (puppet) {
      puppet.tint(this.tints())
      const hovered = this.hovered.body !== null && !this.hovered.mark ? [this.hovered.body] : null
      puppet.highlight(this.lit ?? hovered)
    }
    this.invalidate()
  }

  private tints(): (string | null)[] | null {
    const { injured, stiffness } = this.marks
    if (!this.actor || !(injured?.length || stiffness)) return null
    const colours = COLOURS[this.theme]
    return this.actor.creature.bodies.map((_, body) => {
      if (injured?.includes(body)) return colours.injured
      const share = stiffness?.[body]
      if (share === undefined || Number.isNaN(share)) return null
      return `#${new THREE.Color(colours.soft).lerpHSL(new THREE.Color(colours.stiff), share).getHexString()}`
    })
  }

  private placeContacts(): void {
    this.set.setContacts(
      this.standing.map(({ body, pointInBody }) => {
        const point: Vec3 = [0, 0, 0]
        place(this.frames, body, pointInBody, point)
        return point
      }),
    )
  }

  // --- the mouse ---

  private listen(): void {
    const { canvas } = this
    const { signal } = this.ended
    // Before the controls see it: while something is pulled, they must not orbit.
    canvas.addEventListener('pointerdown', (event) => this.press(event), { capture: true, signal })
    canvas.addEventListener('pointermove', (event) => this.drag(event), { signal })
    canvas.addEventListener('pointerup', (event) => this.release(event), { signal })
    canvas.addEventListener('pointercancel', () => this.endPull(), { signal })
    canvas.addEventListener('pointerleave', () => this.moveTo(null), { signal })
    canvas.addEventListener('dblclick', () => this.frameAll(), { signal })
    canvas.addEventListener('contextmenu', (event) => event.preventDefault(), { signal })
    canvas.addEventListener(
      'webglcontextlost',
      (event) => {
        event.preventDefault()
        this.lost = true
        this.emit('trouble', { kind: 'lost', text: 'The graphics driver stopped; the picture comes back when it does. If it does not, reload the page: your work is kept.' })
      },
      { signal },
    )
    canvas.addEventListener(
      'webglcontextrestored',
      () => {
        this.lost = false
        this.emit('trouble', { kind: 'restored', text: 'The picture is back.' })
        this.invalidate()
      },
      { signal },
    )
  }

  private press(event: PointerEvent): void {
    if (event.button === 0) this.pressed = { x: event.clientX, y: event.clientY, pointer: event.pointerId }
    const purpose = event.ctrlKey || event.metaKey || this.interaction === 'push' ? 'push' : this.interaction === 'pose' ? 'pose' : null
    // Marks are no hindrance: who drags a joint drags the limb under it.
    if (event.button !== 0 || !purpose) return
    const hit = this.bodyAt(event)
    if (!hit) return
    const point: Vec3 = [0, 0, 0]
    place(this.frames, hit.body, hit.pointInBody, point)
    const facing = this.camera.getWorldDirection(new THREE.Vector3())
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, new THREE.Vector3(...point))
    this.pulling = { purpose, pointer: event.pointerId, ...hit, plane, target: point }
    this.controls.enabled = false
    this.canvas.setPointerCapture(event.pointerId)
    this.emitPull('start')
    this.showCursor()
  }

  private drag(event: PointerEvent): void {
    if (this.pulling?.pointer !== event.pointerId) return this.moveTo(event.buttons === 0 ? event : null)
    this.aim(event)
    const target = this.raycaster.ray.intersectPlane(this.pulling.plane, new THREE.Vector3())
    if (!target) return
    this.pulling.target = target.toArray()
    this.emitPull('move')
  }

  private release(event: PointerEvent): void {
    const { pressed } = this
    this.pressed = null
    if (this.pulling?.pointer === event.pointerId) return this.endPull()
    if (!pressed || pressed.pointer !== event.pointerId || event.button !== 0) return
    if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > CLICK) return
    const mark = this.overlay.pick(...this.onCanvas(event))
    const hit = mark ? null : this.bodyAt(event)
    let pointInWorld: Vec3 | null = null
    if (hit) place(this.frames, hit.body, hit.pointInBody, (pointInWorld = [0, 0, 0]))
    this.emit('pick', {
      mark,
      body: hit?.body ?? null,
      pointInBody: hit?.pointInBody ?? null,
      pointInWorld,
      interaction: this.interaction,
      onPage: { x: event.clientX, y: event.clientY },
    })
    if (this.interaction === 'orbit' && !mark) this.emit('select', { body: hit?.body ?? null })
  }

  private endPull(): void {
    if (!this.pulling) return
    this.emitPull('end')
    if (this.canvas.hasPointerCapture(this.pulling.pointer)) this.canvas.releasePointerCapture(this.pulling.pointer)
    this.pulling = null
    this.controls.enabled = true
    this.showCursor()
    this.invalidate()
  }

  private emitPull(phase: 'start' | 'move' | 'end'): void {
    if (!this.pulling) return
    const { purpose, body, pointInBody, target } = this.pulling
    this.emit('pull', { phase, purpose, body, pointInBody, targetInWorld: target })
    this.invalidate()
  }

  private moveTo(at: { clientX: number; clientY: number } | null): void {
    this.pointer = at ? { x: at.clientX, y: at.clientY } : null
    this.schedule()
  }

  /** Finds what is under the mouse, once per frame at most. */
  private hover(): void {
    if (this.pulling || !this.actor) return
    const at = this.pointer && { clientX: this.pointer.x, clientY: this.pointer.y }
    const mark = at ? this.overlay.pick(...this.onCanvas(at)) : null
    const body = at && !mark ? (this.bodyAt(at)?.body ?? null) : null
    const { hovered } = this
    if (mark?.kind === hovered.mark?.kind && mark?.name === hovered.mark?.name && body === hovered.body) return
    this.hovered = { mark, body }
    const name = mark?.name ?? (body === null ? null : this.actor.creature.bodies[body]!.name)
    this.emit('hover', { mark, body, name, onPage: { x: at?.clientX ?? 0, y: at?.clientY ?? 0 } })
    this.showCursor()
    this.repaint()
  }

  private showCursor(): void {
    const over = this.hovered.body !== null || this.hovered.mark !== null
    const onBody = { orbit: 'pointer', pose: 'grab', push: 'grab', constrain: 'crosshair', landmark: 'crosshair' }[this.interaction]
    this.canvas.style.cursor = this.pulling ? 'grabbing' : over ? onBody : ''
  }

  private onCanvas(event: { clientX: number; clientY: number }): [number, number] {
    const box = this.canvas.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top]
  }

  private aim(event: { clientX: number; clientY: number }): void {
    const [x, y] = this.onCanvas(event)
    const { clientWidth, clientHeight } = this.canvas
    this.camera.updateMatrixWorld()
    this.raycaster.setFromCamera(new THREE.Vector2(2 * x / clientWidth - 1, 1 - 2 * y / clientHeight), this.camera)
  }

  private bodyAt(event: { clientX: number; clientY: number }): { body: number; pointInBody: Vec3 } | null {
    if (!this.actor) return null
    this.aim(event)
    return this.actor.puppet.pick(this.raycaster)
  }
}

function reducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

function meshBox(shape: ShapePart, bytes: Bytes): { centre: Vec3; half: Vec3 } {
  const box = new THREE.Box3().setFromArray(shape.vertices ? numbersOf(bytes, shape.vertices) : [])
  if (box.isEmpty()) return { centre: [0, 0, 0], half: [0, 0, 0] }
  return {
    centre: box.getCenter(new THREE.Vector3()).toArray(),
    half: box.getSize(new THREE.Vector3()).multiplyScalar(0.5).toArray(),
  }
}

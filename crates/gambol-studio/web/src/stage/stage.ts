import * as THREE from 'three'
import type { CreatureAnswer, ShapePart, Vec3 } from '../protocol'
import { type Bytes, type FetchFile, numbersOf } from './bytes'
import { CameraWork } from './camera'
import type { Standing, Way } from './clip'
import { drawsInSoftware, driverName } from './driver'
import { Emitter } from './emitter'
import type { Interaction, OnPage, StageEvents } from './events'
import { Kinematics } from './kinematics'
import type { Marks } from './marks'
import { Mouse, type Touchable } from './mouse'
import { centreOfMass, Overlay, projector } from './overlay'
import { bodyPuppet } from './body-puppet'
import { type Puppet, puppetOf } from './puppet'
import { place } from './rigid'
import { StageSet } from './set'
import { boundsOf } from './shapes'
import { COLOURS, type Theme } from './theme'

export interface StageOptions {
  theme: Theme
  /** Smooth edges; true unless the page's address says `msaa=0`. */
  msaa?: boolean
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

/** Where a film is seen from. */
export interface Eye { camera: THREE.PerspectiveCamera; followed: THREE.Vector3 }

/** A pause longer than this between frames is rest, not a slow frame, ms. */
const REST = 400

/** A creature that grew or shrank by more than this share is framed anew. */
const RESIZED = 0.02

/** Something that follows poses: the creature, or a ghost of it. */
interface Actor { creature: CreatureAnswer; kinematics: Kinematics; puppet: Puppet }

/** The big picture: creature, ground, marks, camera and mouse. Draws only when something changed. */
export class Stage extends Emitter<StageEvents> {
  private readonly canvas: HTMLCanvasElement
  private readonly renderer: THREE.WebGLRenderer | null
  private readonly view: CameraWork
  private readonly mouse: Mouse
  private readonly set: StageSet
  private readonly overlay: Overlay
  private readonly resizing: ResizeObserver
  private readonly ended = new AbortController()

  private theme: Theme
  private actor: Actor | null = null
  /** The same creature drawn from its shapes, while that is wanted instead of its skin. */
  private bare: Puppet | null = null
  private skinWanted = true
  private bytes: Bytes = new Uint8Array()
  private ghost: Actor | null = null
  private onion: Actor[] = []
  private onionNumber = 0
  private frames: Float64Array = new Float64Array(7)
  private way: Way = { yaw: 0, shift: [0, 0, 0] }
  private marks: Marks = {}
  private standing: Standing[] = []
  private lit: number[] | null = null
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

    this.view = new CameraWork(canvas, () => this.invalidate())
    const { signal } = this.ended
    this.mouse = new Mouse(canvas, this.view, this.overlay, this.touchable(), this, () => this.schedule(), signal)
    canvas.addEventListener('dblclick', () => this.frameAll(), { signal })
    this.watchContext(signal)
    this.resizing = new ResizeObserver(() => this.resize())
    this.resizing.observe(canvas)
    this.resize()
  }

  /** Shows a creature, in its reference pose until `setPose`. The camera frames it unless `keepView`. */
  async setCreature(creature: CreatureAnswer, bytes: Bytes, fetchFile: FetchFile, options: { keepView?: boolean } = {}): Promise<void> {
    const number = ++this.creatureNumber
    const { puppet, trouble } = await puppetOf(creature, bytes, fetchFile, { theme: this.theme })
    // Another creature was asked for in the meantime, or the stage is gone.
    if (number !== this.creatureNumber || this.ended.signal.aborted) return puppet.dispose()
    if (trouble) this.emit('trouble', { kind: 'skin', text: trouble })
    // Which may have changed while the skin was read.
    puppet.setTheme(this.theme)
    this.mouse.forget()
    const before = this.actor?.creature.height ?? creature.height
    this.removeActor()
    void this.setGhostCreature(null)
    this.actor = { creature, kinematics: new Kinematics(creature), puppet }
    this.bytes = bytes
    this.set.scene.add(puppet.object)
    this.lit = null
    this.standing = []
    this.measure(creature)
    this.setPose(creature.reference)
    this.setSkinVisible(this.skinWanted)
    this.unseen = !options.keepView
    if (this.unseen) this.view.start(this.centreOfMass())
    else if (Math.abs(creature.height / before - 1) > RESIZED) this.view.reframe(this.centreOfMass())
    this.repaint()
  }

  /** Poses the creature, which has come along `way`. */
  setPose(q: ArrayLike<number>, way: Way = { yaw: 0, shift: [0, 0, 0] }): void {
    if (!this.actor || q.length !== this.actor.creature.nq) return
    this.frames = this.actor.kinematics.frames(q)
    this.way = way
    this.actor.puppet.pose(this.frames, way)
    this.bare?.pose(this.frames)
    this.placeContacts()
    // The first pose may be far from the reference: the first view is of it.
    if (this.unseen) this.view.start(this.centreOfMass())
    this.unseen = q === this.actor.creature.reference
    this.invalidate()
  }

  /** False shows the shapes that the engine computes with instead of the skin. */
  setSkinVisible(visible: boolean): void {
    this.skinWanted = visible
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

  /** Two translucent copies of the creature, for a moment before and one after; null takes them away. */
  async setOnionCreature(creature: CreatureAnswer | null, bytes?: Bytes, fetchFile?: FetchFile): Promise<void> {
    const number = ++this.onionNumber
    for (const { puppet } of this.onion) {
      puppet.object.removeFromParent()
      puppet.dispose()
    }
    this.onion = []
    this.invalidate()
    if (!creature || !bytes || !fetchFile) return
    const made = await Promise.all([0, 1].map(() => puppetOf(creature, bytes, fetchFile, { theme: this.theme, ghost: true })))
    if (number !== this.onionNumber || this.ended.signal.aborted) {
      for (const { puppet } of made) puppet.dispose()
      return
    }
    this.onion = made.map(({ puppet }) => ({ creature, kinematics: new Kinematics(creature), puppet }))
    for (const { puppet } of this.onion) {
      puppet.object.visible = false
      this.set.scene.add(puppet.object)
    }
  }

  /** Poses them, or hides them. */
  setOnion(poses: { q: ArrayLike<number>; way: Way }[]): void {
    this.onion.forEach(({ puppet, kinematics }, k) => {
      const pose = poses[k]
      puppet.object.visible = pose !== undefined
      if (pose) puppet.pose(kinematics.frames(pose.q), pose.way)
    })
    if (this.onion.length) this.invalidate()
  }

  /** The ghost plays a clip of the file that its skin came from, at a time in s, moved by `shift` in the world. */
  playGhost(clip: string, time: number, shift: Vec3): void {
    const puppet = this.ghost?.puppet
    if (!puppet?.play) return
    const { skin } = this.ghost!.creature
    puppet.object.matrix.setPosition(skin!.position[0] + shift[0], skin!.position[1] + shift[1], skin!.position[2] + shift[2])
    puppet.object.matrixWorld.copy(puppet.object.matrix)
    puppet.object.visible = true
    puppet.play(clip, time)
    this.invalidate()
  }

  /** Slope in rad, rising ahead (+x). */
  setGround(ground: { visible: boolean; slope: number }): void {
    const rise = Math.tan(ground.slope)
    this.view.floor = ground.visible ? (x) => rise * x : null
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
    this.view.glideTo('here', this.centreOfMass())
    this.invalidate()
  }

  /** The three-quarter view of the start (R). */
  resetView(): void {
    this.view.glideTo('start', this.centreOfMass())
    this.invalidate()
  }

  /** From ahead, from its right, or from above. */
  viewFrom(side: 'front' | 'side' | 'top'): void {
    const [x, y] = this.actor?.creature.forward ?? [1, 0]
    this.view.glideTo(side, this.centreOfMass(), Math.atan2(y, x) + this.way.yaw)
    this.invalidate()
  }

  /** Whether the camera goes along with the creature. */
  setFollow(follow: boolean): void {
    this.view.follow = follow
    this.invalidate()
  }

  setInteraction(interaction: Interaction): void {
    this.mouse.setInteraction(interaction)
  }

  /** Highlights bodies from outside, e.g. while a slider of a limb is hovered. */
  highlight(bodies: number[] | null): void {
    this.lit = bodies
    this.repaint()
  }

  /** Where a point of a body is on the page: for labels. */
  onPage(body: number, pointInBody: Vec3): OnPage {
    const box = this.canvas.getBoundingClientRect()
    this.view.camera.updateMatrixWorld()
    const { x, y } = projector(this.view.camera, box.width, box.height)(this.inWorld(body, pointInBody))
    return { x: box.left + x, y: box.top + y }
  }

  /** Draws now rather than with the next frame: for tests and recordings. */
  renderNow(): void {
    this.dirty = true
    this.frame(performance.now())
  }

  /** How wide the picture is for its height. */
  get aspect(): number {
    return this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1)
  }

  /** Where it is looked from now, for a film: what goes on meanwhile does not move it. */
  eye(): Eye {
    return { camera: this.view.camera.clone(), followed: this.view.followed.clone() }
  }

  /**
   * A frame of a film: the creature in a pose, seen from a standpoint by a camera that was moved by `shift`, without what is
   * marked. `clear`: the creature alone, on nothing.
   */
  filmFrame(from: Eye, width: number, height: number, q: ArrayLike<number>, way: Way, shift: Vec3, clear: boolean): HTMLCanvasElement {
    const { actor } = this
    const moved = new THREE.Vector3(...shift)
    const eye = from.camera.clone()
    eye.position.add(moved)
    eye.aspect = width / height
    eye.updateProjectionMatrix()
    return this.paintAside(width, height, (renderer, scene) => {
      if (!actor) return
      const paint = () => {
        this.set.setMarksVisible(false)
        this.set.centreOn(from.followed.clone().add(moved))
        renderer.render(scene, eye)
        this.set.setMarksVisible(true)
      }
      const shown = this.bare ?? actor.puppet
      if (clear) {
        this.alone((pose) => {
          pose(q, way)
          paint()
        })
        return
      }
      shown.pose(actor.kinematics.frames(q), way)
      paint()
      shown.pose(this.frames, this.way)
    })
  }

  /** Nodes of the file that the skin came from, and where they are in the world. */
  nodes(): { node: number; place: number[] }[] {
    return this.actor?.puppet.places?.() ?? []
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
    this.view.dispose()
    this.removeActor()
    void this.setGhostCreature(null)
    void this.setOnionCreature(null)
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
  alone(paint: (pose: (q: ArrayLike<number>, way?: Way) => { frames: Float64Array; kinematics: Kinematics }) => void): void {
    const actor = this.actor
    if (!actor) return
    const before = this.frames.slice()
    const ground = this.set.ground.visible
    const ghost = this.ghost?.puppet.object.visible ?? false
    this.set.setBackdropVisible(false)
    this.set.ground.visible = false
    if (this.ghost) this.ghost.puppet.object.visible = false
    const skins = this.onion.map(({ puppet }) => puppet.object.visible)
    for (const { puppet } of this.onion) puppet.object.visible = false
    const shown = this.bare ?? actor.puppet
    paint((q, way) => {
      const frames = actor.kinematics.frames(q)
      shown.pose(frames, way)
      return { frames, kinematics: actor.kinematics }
    })
    this.set.setBackdropVisible(true)
    this.set.ground.visible = ground
    if (this.ghost) this.ghost.puppet.object.visible = ghost
    this.onion.forEach(({ puppet }, k) => (puppet.object.visible = skins[k]!))
    this.frames.set(before)
    shown.pose(this.frames, this.way)
  }

  /** Half sizes of the box around the creature in its reference pose, and its middle seen from the centre of mass, m. */
  get box(): { half: THREE.Vector3; middle: THREE.Vector3 } {
    return { half: this.view.half.clone(), middle: this.view.middle.clone() }
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

  private measure(creature: CreatureAnswer): void {
    const frames = new Kinematics(creature).frames(creature.reference)
    const { least, greatest } = boundsOf(creature, (shape) => meshBox(shape, this.bytes), frames)
    const box = new THREE.Box3(new THREE.Vector3(...least), new THREE.Vector3(...greatest))
    const com = new THREE.Vector3(...centreOfMass(creature, frames))
    // The camera follows the centre of mass, and looks at the middle of the box.
    this.view.setBox(box.getSize(new THREE.Vector3()).multiplyScalar(0.5), box.getCenter(new THREE.Vector3()).sub(com))
    this.set.setSize(this.view.radius)
  }

  private centreOfMass(): THREE.Vector3 {
    return this.actor ? new THREE.Vector3(...centreOfMass(this.actor.creature, this.frames)) : new THREE.Vector3()
  }

  private inWorld(body: number, pointInBody: Vec3): Vec3 {
    const point: Vec3 = [0, 0, 0]
    place(this.frames, body, pointInBody, point)
    return point
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
    this.view.setAspect(clientWidth / Math.max(clientHeight, 1))
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
    if (this.actor) this.mouse.hover()
    // After a rest the first frame is the first of a motion, however long the rest was.
    const resting = this.askedAt - this.lastFrame > REST
    const span = resting ? 1000 / 60 : Math.max(now - this.lastFrame, 0)
    if (!this.dirty || !this.renderer || this.lost) return
    this.dirty = false
    this.lastFrame = now
    const com = this.actor ? centreOfMass(this.actor.creature, this.frames) : null
    const { moves, shift } = this.view.advance(com, now, span / 1000)
    this.mouse.shift(shift)
    this.set.centreOn(this.view.followed)
    this.set.setForward(this.marks.forward ? this.view.followed : null, this.marks.forward, this.way.yaw)
    const start = performance.now()
    this.renderer.render(this.set.scene, this.view.camera)
    this.drawOverlay()
    this.count(resting ? null : span, performance.now() - start)
    if (moves) this.invalidate()
  }

  private drawOverlay(): void {
    this.overlay.elastic = this.mouse.elastic()
    this.overlay.hovered = this.mouse.hovered.mark
    this.overlay.draw(this.actor?.creature ?? null, this.frames, this.view.camera, this.canvas, Math.min(devicePixelRatio, 2), this.theme)
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
      const { body, mark } = this.mouse.hovered
      const hovered = body !== null && !mark ? [body] : null
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
    this.set.setContacts(this.standing.map(({ body, pointInBody }) => this.inWorld(body, pointInBody)))
  }

  private touchable(): Touchable {
    return {
      bodyAt: (raycaster) => this.actor?.puppet.pick(raycaster) ?? null,
      inWorld: (body, pointInBody) => this.inWorld(body, pointInBody),
      nameOf: (body) => this.actor?.creature.bodies[body]?.name ?? '',
      changed: () => this.repaint(),
      redraw: () => this.invalidate(),
    }
  }

  private watchContext(signal: AbortSignal): void {
    const { canvas } = this
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
}

function meshBox(shape: ShapePart, bytes: Bytes): { centre: Vec3; half: Vec3 } {
  const box = new THREE.Box3().setFromArray(shape.vertices ? numbersOf(bytes, shape.vertices) : [])
  if (box.isEmpty()) return { centre: [0, 0, 0], half: [0, 0, 0] }
  return {
    centre: box.getCenter(new THREE.Vector3()).toArray(),
    half: box.getSize(new THREE.Vector3()).multiplyScalar(0.5).toArray(),
  }
}

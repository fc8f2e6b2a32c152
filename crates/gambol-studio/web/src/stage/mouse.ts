import * as THREE from 'three'
import type { Vec3 } from '../protocol'
import type { CameraWork } from './camera'
import type { Emitter } from './emitter'
import type { Interaction, StageEvents } from './events'
import type { MarkName } from './marks'
import type { Elastic, Overlay } from './overlay'

/** A press that moves less than this is a click, pixels. */
const CLICK = 4
/** A shift by less than this, in half sizes of the creature, is not told. */
const STILL = 1e-4

/** What the mouse can touch. */
export interface Touchable {
  bodyAt(raycaster: THREE.Raycaster): { body: number; pointInBody: Vec3 } | null
  inWorld(body: number, pointInBody: Vec3): Vec3
  nameOf(body: number): string
  /** What is under the mouse is another. */
  changed(): void
  /** What is dragged is to be drawn anew. */
  redraw(): void
}

interface Pulling { purpose: 'push' | 'pose'; pointer: number; body: number; pointInBody: Vec3; plane: THREE.Plane; target: Vec3 }
interface OnPage { clientX: number; clientY: number }

/** Clicks, hovering, and points of bodies that are dragged. Orbiting is the camera's. */
export class Mouse {
  hovered: { mark: MarkName | null; body: number | null } = { mark: null, body: null }
  private readonly raycaster = new THREE.Raycaster()
  private interaction: Interaction = 'orbit'
  private pulling: Pulling | null = null
  private pressed: { x: number; y: number; pointer: number } | null = null
  private pointer: OnPage | null = null

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly view: CameraWork,
    private readonly overlay: Overlay,
    private readonly on: Touchable,
    private readonly events: Emitter<StageEvents>,
    /** Called when `hover` should look again, at the next frame. */
    private readonly moved: () => void,
    signal: AbortSignal,
  ) {
    // Before the controls see it: while something is pulled, they must not orbit.
    canvas.addEventListener('pointerdown', (event) => this.press(event), { capture: true, signal })
    canvas.addEventListener('pointermove', (event) => this.drag(event), { signal })
    canvas.addEventListener('pointerup', (event) => this.release(event), { signal })
    canvas.addEventListener('pointercancel', () => this.endPull(), { signal })
    canvas.addEventListener('pointerleave', () => this.moveTo(null), { signal })
    canvas.addEventListener('contextmenu', (event) => event.preventDefault(), { signal })
  }

  setInteraction(interaction: Interaction): void {
    this.endPull()
    this.interaction = interaction
    this.showCursor()
  }

  /** Forgets what it is over: that creature is gone. */
  forget(): void {
    this.endPull()
    this.hovered = { mark: null, body: null }
  }

  /** What is drawn between a dragged point and the mouse. */
  elastic(): Elastic | null {
    if (!this.pulling) return null
    const { body, pointInBody, target, purpose } = this.pulling
    return { from: this.on.inWorld(body, pointInBody), to: target, purpose }
  }

  /** The view was shifted: what is held stays under the mouse. */
  shift(by: THREE.Vector3): void {
    if (!this.pulling || by.length() < STILL * this.view.radius) return
    this.pulling.plane.translate(by)
    this.pulling.target = new THREE.Vector3(...this.pulling.target).add(by).toArray()
    this.emitPull('move')
  }

  /** Finds what is under the mouse; once per frame at most. */
  hover(): void {
    if (this.pulling) return
    const at = this.pointer
    const mark = at ? this.overlay.pick(...this.onCanvas(at)) : null
    const body = at && !mark ? (this.bodyAt(at)?.body ?? null) : null
    const { hovered } = this
    if (mark?.kind === hovered.mark?.kind && mark?.name === hovered.mark?.name && body === hovered.body) return
    this.hovered = { mark, body }
    const name = mark?.name ?? (body === null ? null : this.on.nameOf(body))
    this.events.emit('hover', { mark, body, name, onPage: { x: at?.clientX ?? 0, y: at?.clientY ?? 0 } })
    this.showCursor()
    this.on.changed()
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0) return
    this.pressed = { x: event.clientX, y: event.clientY, pointer: event.pointerId }
    const pushes = event.ctrlKey || event.metaKey || this.interaction === 'push'
    const purpose = pushes ? 'push' : this.interaction === 'pose' ? 'pose' : null
    // Marks are no hindrance: who drags a joint drags the limb under it.
    if (!purpose) return
    const hit = this.bodyAt(event)
    if (!hit) return
    const point = this.on.inWorld(hit.body, hit.pointInBody)
    const facing = this.view.camera.getWorldDirection(new THREE.Vector3())
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, new THREE.Vector3(...point))
    this.pulling = { purpose, pointer: event.pointerId, ...hit, plane, target: point }
    this.view.controls.enabled = false
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
    this.events.emit('pick', {
      mark,
      body: hit?.body ?? null,
      pointInBody: hit?.pointInBody ?? null,
      pointInWorld: hit ? this.on.inWorld(hit.body, hit.pointInBody) : null,
      interaction: this.interaction,
      onPage: { x: event.clientX, y: event.clientY },
    })
    if (this.interaction === 'orbit' && !mark) this.events.emit('select', { body: hit?.body ?? null })
  }

  private endPull(): void {
    if (!this.pulling) return
    this.emitPull('end')
    if (this.canvas.hasPointerCapture(this.pulling.pointer)) this.canvas.releasePointerCapture(this.pulling.pointer)
    this.pulling = null
    this.view.controls.enabled = true
    this.showCursor()
    this.on.redraw()
  }

  private emitPull(phase: 'start' | 'move' | 'end'): void {
    if (!this.pulling) return
    const { purpose, body, pointInBody, target } = this.pulling
    this.events.emit('pull', { phase, purpose, body, pointInBody, targetInWorld: target })
    this.on.redraw()
  }

  private moveTo(at: OnPage | null): void {
    this.pointer = at && { clientX: at.clientX, clientY: at.clientY }
    this.moved()
  }

  private showCursor(): void {
    const over = this.hovered.body !== null || this.hovered.mark !== null
    const onBody = { orbit: 'pointer', pose: 'grab', push: 'grab', constrain: 'crosshair', landmark: 'crosshair' }[this.interaction]
    this.canvas.style.cursor = this.pulling ? 'grabbing' : over ? onBody : ''
  }

  private onCanvas(event: OnPage): [number, number] {
    const box = this.canvas.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top]
  }

  private aim(event: OnPage): void {
    const [x, y] = this.onCanvas(event)
    const { clientWidth, clientHeight } = this.canvas
    this.view.camera.updateMatrixWorld()
    this.raycaster.setFromCamera(new THREE.Vector2(2 * x / clientWidth - 1, 1 - 2 * y / clientHeight), this.view.camera)
  }

  private bodyAt(event: OnPage): { body: number; pointInBody: Vec3 } | null {
    this.aim(event)
    return this.on.bodyAt(this.raycaster)
  }
}

import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { bodiesOf, constraintMark, feet, legOf } from './bodyparts'
import type { Control } from './control'
import type { Creature, Flow } from './flow'
import type { Physics } from './physics'
import type { Playback } from './playback'
import type { CreatureAnswer, LandmarkPart, Goal, Vec3 } from './protocol'
import { ClipPlayer, type Interaction, type Marks, type ModeSwings, type Stage, type Way, wayOfRoot } from './stage'
import type { Document } from './work/document'
import { same } from './work/empty'

/** A hovered mode swings at its own frequency, within what an eye follows, Hz. */
const SLOWEST_SWING = 0.5
const FASTEST_SWING = 1.4

/** Where a ghost walks: so many heights to the left. */
const BESIDE = 0.7

/** Onion skins are so many cycles before and after. */
const APART = 0.125

/** What a drag on the stage does while nothing else is going on. */
export type Tool = 'look' | 'pose' | 'hold'

/** What the stage shows, and what the mouse does there. */
export class Show {
  readonly tool = signal<Tool>('look')
  /** The mode that swings while the mouse is over its picture. */
  readonly hovered = signal<number | null>(null)
  /** The landmark whose place the next click tells. */
  readonly placing = signal<string | null>(null)
  readonly selected = signal<number | null>(null)
  /** The panel in front on the left: what is drawn over the body belongs to it. */
  readonly panel = signal<'creature' | 'body'>('creature')
  /** The mouse is over the list of landmarks: all of them are drawn. */
  readonly explains = signal(false)
  readonly colourStiffness = signal(false)
  /** Name of the file's own clip that is shown beside the motion. */
  readonly compares = signal<string | null>(null)
  readonly skin = signal(true)
  readonly follows = signal(true)
  /** A moment before and one after are shown as well. */
  readonly onion = signal(false)
  /** The pose while a limb is dragged. */
  readonly reached = signal<number[] | null>(null)
  readonly interaction: ReadonlySignal<Interaction> = computed(() => {
    if (this.placing.value !== null) return 'landmark'
    if (this.physics.state.value !== 'off') return 'push'
    if (this.tool.value === 'pose') return 'pose'
    return this.tool.value === 'hold' ? 'constrain' : 'orbit'
  })
  /** Palette and stage are those of the sketch. */
  readonly sketching = computed(() => this.control.front.value && this.document.work.value.sketch !== null)
  /** The modes of the palette. */
  readonly swings: ReadonlySignal<ModeSwings | null> = computed(() => {
    const on = this.on.value
    const { sketched } = this.control
    if (this.sketching.value) return sketched.value?.creature === on ? this.control.swings.value : null
    const body = this.flow.body.value
    return body && body.creature === on ? body.swings : null
  })
  /** The rest pose is shown: there is something to do to it. */
  readonly atRest = computed(() => this.tool.value !== 'look' || this.placing.value !== null)
  private stage: Stage | null = null
  /** On the stage now. */
  private readonly on = signal<Creature | null>(null)
  private pose = new Float64Array(0)
  private ghostPose = new Float64Array(0)
  private ghost: ClipPlayer | null = null
  private dirty = true
  private swingStart = 0

  constructor(
    private readonly document: Document,
    private readonly flow: Flow,
    private readonly playback: Playback,
    private readonly physics: Physics,
    private readonly control: Control,
  ) {}

  /** From now on all is shown there. */
  attach(stage: Stage): () => void {
    this.stage = stage
    const ends = [
      effect(() => void this.bring(this.flow.creature.value)),
      effect(() => stage.setInteraction(this.interaction.value)),
      effect(() => stage.setMarks(this.marks())),
      effect(() => stage.setSkinVisible(this.skin.value)),
      effect(() => stage.setFollow(this.follows.value)),
      effect(() => stage.setGround(this.ground())),
      effect(() => void this.bringGhost(this.on.value, this.compares.value)),
      effect(() => void this.bringOnion(this.onion.value ? this.on.value : null)),
      effect(() => {
        if (this.hovered.value !== null) this.swingStart = performance.now()
      }),
      effect(() => {
        // Whatever may change the pose.
        void [
          this.on.value, this.flow.body.value, this.flow.motion.value, this.playback.time.value, this.playback.travels.value,
          this.physics.reading.value, this.playback.player.value, this.control.front.value, this.control.sketched.value, this.reached.value, this.atRest.value, this.hovered.value, this.compares.value,
        ]
        this.dirty = true
      }),
    ]
    return () => {
      for (const end of ends) end()
      this.stage = null
    }
  }

  /** The pose on the stage. */
  get current(): number[] {
    return [...this.pose]
  }

  /** Draws what changed since the last frame of the screen. */
  frame(now: number): void {
    const swinging = this.hovered.peek() !== null
    const on = this.on.peek()
    if (!this.stage || !on || (!this.dirty && !swinging)) return
    this.dirty = false
    this.compose(on, now)
    this.stage.setPose(this.pose, this.way(on))
    const player = this.playingClip(on)
    this.stage.setContacts(player ? player.contactsAt(this.playback.time.peek()) : [])
    this.placeGhost(on)
    if (this.onion.peek()) this.placeOnion(on)
  }

  /** How far it has come over the ground: by its clip; where nobody says, by its root. */
  private way(on: Creature): Way {
    const player = this.playingClip(on)
    if (player) {
      const { duration } = player
      return this.playback.travels.peek() && duration > 0 ? player.wayAfter(this.playback.time.peek() / duration) : { yaw: 0, shift: [0, 0, 0] }
    }
    return wayOfRoot(on.answer, this.pose)
  }

  /** A pull of the mouse, as the engine takes it. */
  static pullOf({ body, pointInBody, targetInWorld }: { body: number; pointInBody: Goal['point']; targetInWorld: Goal['target'] }): Goal {
    return { body, point: pointInBody, target: targetInWorld }
  }

  private compose(on: Creature, now: number): void {
    const body = this.flow.body.peek()
    const reading = this.physics.reading.peek()
    const own = body && body.creature === on ? body : null
    const hovered = this.hovered.peek()
    const swings = this.swings.peek()
    const player = this.playingClip(on)
    if (reading && reading.pose.length === on.answer.nq) this.pose.set(reading.pose)
    else if (this.reached.peek()) this.pose.set(this.reached.peek()!)
    else if (swings && hovered !== null && hovered < swings.count) {
      const frequency = Math.min(Math.max(swings.body.modes[hovered]!.frequency, SLOWEST_SWING), FASTEST_SWING)
      swings.pose(hovered, Math.sin(2 * Math.PI * frequency * (now - this.swingStart) / 1000), this.pose)
    } else if (player) player.at(this.playback.time.peek(), this.pose, { inPlace: !this.playback.travels.peek() })
    else this.pose.set((this.sketching.peek() ? swings?.body.pose : null) ?? own?.answer.pose ?? on.answer.reference)
  }

  /** The clip that is seen now, if it is one. */
  private playingClip(on: Creature): ClipPlayer | null {
    const player = this.playback.player.peek()
    const hidden = this.physics.reading.peek() || this.atRest.peek() || this.hovered.peek() !== null || this.reached.peek()
    return player && !hidden && player.creature === on.answer ? player : null
  }

  private async bring(creature: Creature | null): Promise<void> {
    if (!creature || !this.stage) return
    const before = this.on.peek()
    const keepView = before !== null && same(before.of.source, creature.of.source)
    await this.stage.setCreature(creature.answer, creature.bytes, creature.fetchFile, { keepView })
    // Another may have been chosen while the skin was read.
    if (this.flow.creature.peek() !== creature) return
    this.pose = new Float64Array(creature.answer.nq)
    if (!keepView) this.selected.value = this.compares.value = null
    this.on.value = creature
  }

  /** What the file came with, to compare with: its recording, or one of its clips. */
  private async bringGhost(on: Creature | null, wanted: string | null): Promise<void> {
    const { recording, skin } = (wanted !== null && on?.answer) || { recording: null, skin: null }
    this.ghost = null
    const ghost = recording?.creature ?? (skin ? on!.answer : null)
    await this.stage?.setGhostCreature(ghost, on?.bytes, on?.fetchFile)
    if (recording && on && this.on.peek() === on) {
      this.ghost = new ClipPlayer(recording.creature, recording.clip, on.bytes)
      this.ghostPose = new Float64Array(recording.creature.nq)
    }
    this.dirty = true
  }

  private async bringOnion(on: Creature | null): Promise<void> {
    await this.stage?.setOnionCreature(on?.answer ?? null, on?.bytes, on?.fetchFile)
    this.dirty = true
  }

  private placeOnion(on: Creature): void {
    const player = this.playingClip(on)
    const travels = this.playback.travels.peek()
    this.stage?.setOnion(!player || player.duration <= 0 ? [] : [-1, 1].map((side) => {
      const time = this.playback.time.peek() + side * player.duration * APART
      const q = player.at(time, new Float64Array(on.answer.nq), { inPlace: !travels })
      return { q, way: travels ? player.wayAfter(time / player.duration) : { yaw: 0, shift: [0, 0, 0] as Vec3 } }
    }))
  }

  /** The ghost goes beside the creature, however fast each of them is: only how they move is compared. */
  private placeGhost(on: Creature): void {
    const wanted = this.compares.peek()
    const player = this.playback.player.peek()
    const time = this.playback.time.peek()
    const way = player && this.playback.travels.peek() ? player.wayAfter(time / player.duration).shift : [0, 0, 0]
    const shift: Vec3 = [way[0]!, way[1]! + BESIDE * on.answer.height, way[2]!]
    if (this.ghost) {
      this.ghost.at(this.ghost.loops ? time : time % this.ghost.duration, this.ghostPose, { inPlace: true })
      const root = this.ghost.creature.joints.find((joint) => joint.kind === 'free')
      if (root) for (let k = 0; k < 3; k++) this.ghostPose[root.q + k]! += shift[k]!
      this.stage?.setGhost(this.ghostPose)
    } else if (wanted !== null) this.stage?.playGhost(wanted, time, shift)
  }

  private ground(): { visible: boolean; slope: number } {
    const { gait } = this.document.work.value
    const simulated = this.physics.state.value !== 'off'
    // A preview floats.
    if (!simulated && this.sketching.value) return { visible: this.control.view.value !== 'preview', slope: 0 }
    return {
      visible: simulated ? this.physics.ground.value : gait.ground,
      slope: simulated ? this.physics.slope.value : gait.slope,
    }
  }

  private marks(): Marks {
    const creature = this.on.value?.answer
    if (!creature) return {}
    const { style } = this.document.work.value
    const marks: Marks = {
      constraints: style.constraints.flatMap((text) => constraintMark(creature, text) ?? []),
      injured: feet(creature).filter((foot) => style.injured.includes(foot.name)).flatMap((foot) => legOf(creature, foot)),
    }
    // Nobody corrects a body that runs away.
    if (this.physics.state.value !== 'off') return marks
    const placing = this.placing.value
    if (this.panel.value === 'creature') {
      const all = this.explains.value || placing !== null
      const isGuess = (landmark: LandmarkPart) => landmark.source !== 'user' && landmark.source !== 'file'
      // What a file says itself needs no checking: the stage stays clear until someone asks.
      const guesses = creature.landmarks.some(isGuess)
      if (all || guesses || creature.kind === 'gltf') marks.forward = creature.forward
      marks.landmarks = creature.landmarks
        // Vertebrae are many, and nobody corrects them.
        .filter(({ role, name }) => (all || guesses) && (role !== 'spine' || name === placing))
        .map((landmark) => ({
          name: landmark.name, role: landmark.role, body: landmark.body, pointInBody: landmark.point,
          guessed: isGuess(landmark), chosen: landmark.name === placing,
        }))
      marks.joints = placing !== null && /^(knee|elbow)/.test(placing)
    } else {
      marks.joints = this.tool.value === 'pose'
      if (this.colourStiffness.value) marks.stiffness = this.stiffnessByBody(creature)
    }
    return marks
  }

  /** Of each body 0 (softest joint) to 1 (stiffest), on a scale of ratios. */
  private stiffnessByBody(creature: CreatureAnswer): number[] {
    const stiffness = this.flow.body.value?.answer.stiffness ?? []
    const logs = stiffness.map((value) => (value > 0 ? Math.log(value) : NaN))
    const known = logs.filter((log) => !Number.isNaN(log))
    const [least, most] = [Math.min(...known), Math.max(...known)]
    const byBody = creature.bodies.map(() => NaN)
    creature.joints.forEach((joint, index) => {
      const log = logs[index]
      if (log !== undefined && !Number.isNaN(log)) byBody[joint.body] = most > least ? (log - least) / (most - least) : 0.5
    })
    return byBody
  }

  /** Shows which bodies a control belongs to. */
  pointAt(bodies: number[] | null): void {
    this.stage?.highlight(bodies)
  }

  /** Bodies of a limb by its name. */
  limbBodies(name: string): number[] {
    const creature = this.on.peek()?.answer
    const limb = creature?.limbs.find((limb) => limb.name === name)
    return creature && limb ? bodiesOf(creature, limb) : []
  }
}

import { computed, effect, signal } from '@preact/signals'
import { words } from './engine/engine'
import { Latest } from './engine/latest'
import type { LocalEngine } from './engine/local'
import { engineOf } from './engine/which'
import { capital } from './bodyparts'
import { ACCEPTED, type Found, readAll } from './files'
import { Control } from './control'
import { Flow, styleFor } from './flow'
import { GameSet } from './gameset'
import { dismiss, forgetNews, notes, said, tell } from './notes'
import { Physics } from './physics'
import { Planting } from './planting'
import { Playback } from './playback'
import type { CreatureWork, GaitFileAnswer, GaitWork, Goal, Hello, SketchWork, Source, Style } from './protocol'
import type { Work } from './work/work'
import { Show } from './show'
import { centreOfMass, Kinematics } from './stage'
import { Document } from './work/document'
import { creatureFrom, emptyGait, emptyStyle, same, workOn } from './work/empty'
import { begin } from './work/history'
import { Keeper, loadWork } from './work/keeper'
import { type Dropped, stash } from './work/stash'
import { bare } from './work/sketch'
import { asked } from './ui/Question'
import { ofLink, WHOLE } from './work/share'
import { claimTab, hashValue, setHash } from './work/tab'

export const engine = engineOf(document)
export const doc = new Document(workOn(creatureFrom({ from: 'gallery', name: 'dog' })))
/** The forest, while the creature is a plant. */
export const planting = new Planting(engine, doc)
export const flow = new Flow(engine, doc, () => planting.on.value)
export const gameSet = new GameSet(engine, doc, flow)
export const control = new Control(engine, doc, flow, () => `${tab}search`)
export const playback = new Playback(computed(() => {
  if (control.front.value && doc.work.value.sketch) return control.player.value
  return flow.motion.value?.player ?? null
}))
/** The forces of the motion that is played. */
export const forces = computed(() => (control.front.value && doc.work.value.sketch ? null : flow.motion.value?.forces ?? null))
/** How high the creature's centre of mass is above the ground, which may rise ahead, m. */
const kinematics = computed(() => flow.creature.value && new Kinematics(flow.creature.value.answer))
export const physics = new Physics(engine, doc, (pose) => {
  const known = kinematics.peek()
  if (!known || known.creature.nq !== pose.length) return null
  const [x, , z] = centreOfMass(known.creature, known.frames(pose))
  return z - Math.tan(physics.slope.peek() || doc.work.peek().gait.slope) * x
})
export const show = new Show(doc, flow, playback, physics, control)
export const work = doc.work

/** The panel in front on the right. */
export const right = signal<'motion' | 'control' | 'physics'>('motion')

/** What covers the page. */
export const overlay = signal<'gallery' | 'help' | 'take' | null>(null)
/** Something that the user waits for, in words. */
export const waiting = signal<string | null>(null)
/** The work was loaded, or begun. */
export const loaded = signal(false)

let tab = ''

/** Loads the work of this tab, or begins with what the studio was started with. */
export async function start(): Promise<void> {
  const link = hashValue('gait')
  const claimed = await claimTab()
  tab = claimed.name
  const [kept, hello] = await Promise.all([loadWork(engine, claimed.copyOf ?? tab), met()])
  if (kept) doc.replace(kept)
  else if (hello.start_gait !== null) {
    const started = await workOf(hello.start_gait)
    doc.replace(begin(started))
    if (started.sketch) {
      flow.beginWithGait(started.creature)
      showPanel('control')
      if (started.sketch.found) control.view.value = 'best'
    }
  }
  else {
    doc.replace(begin(workOn(hello.start)))
    flow.beginWithGait(hello.start)
  }
  new Keeper(engine, doc, tab)
  if (claimed.copyOf) doc.settle((work) => ({ ...work }))
  loaded.value = true
  flow.start()
  if (link) await openShared(link)
  const left = await stash.take(tab)
  if (left) await drop(left)
}

/** What the engine says of itself, once it is there. */
function met(): Promise<Hello> {
  return new Promise((settle) => {
    const end = engine.greeting.subscribe((hello) => {
      if (!hello) return
      settle(hello)
      queueMicrotask(() => end())
    })
  })
}

/** What a gait file holds, on the creature that it names or on that of the start. */
async function workOf(gaitFile: string): Promise<Work> {
  const { answer } = await engine.ask('read-gait', { text: gaitFile, creature: engine.greeting.value!.start })
  return { ...workOn(answer.creature ?? engine.greeting.value!.start), style: answer.style, gait: answer.gait, sketch: answer.sketch }
}

// --- the creature ---

export function chooseCreature(source: Source, label: string): void {
  const creature = creatureFrom(source)
  physics.stop()
  planting.asCreature.value = false
  if (!planting.plantSource(source)) flow.beginWithGait(creature)
  doc.change(label, () => workOn(creature))
}

export function correct(label: string, change: Partial<CreatureWork>): void {
  // What was found was found of the body as it was.
  doc.change(label, (work) => ({ ...work, creature: { ...work.creature, ...change }, sketch: work.sketch && bare(work.sketch) }))
}

/** A landmark is there; an empty target removes it, null takes back what was said. */
export function placeLandmark(name: string, target: string | null): void {
  const others = work.value.creature.landmarks.filter(([other]) => other !== name)
  correct(target === '' ? `remove ${name}` : `move ${name}`, { landmarks: target === null ? others : [...others, [name, target]] })
}

/** Files that were dropped on the page. What cannot be opened is told before it is read. */
export async function dropFound(found: Found[]): Promise<void> {
  const most = engine.greeting.value?.most_bytes ?? Infinity
  const size = found.reduce((sum, { file }) => sum + file.size, 0)
  const fbx = found.find(({ name }) => /\.fbx$/i.test(name))
  if (size > most) {
    tell('trouble', `That is ${Math.ceil(size / 1e6)} MB, and the studio takes ${Math.floor(most / 1e6)} MB at once.`, {
      detail: 'Smaller textures, or only the files that belong to one creature, may do.',
    })
    return
  }
  if (fbx) {
    tell('trouble', `${fbx.name.split('/').at(-1)} is an FBX file, which the studio does not read. Your creature is as it was.`, {
      detail: 'Blender and most programs save it as GLB (glTF 2.0); the command line takes it as it is: gambol animate character.fbx walk -o walk.glb.',
    })
    return
  }
  if (found.length === 0) return
  waiting.value = `Reading ${found[0]!.name.split('/').at(-1)!}`
  try {
    await drop(await readAll(found))
  } catch (error) {
    tell('trouble', `The files could not be read: ${words(error)}`)
  } finally {
    waiting.value = null
  }
}

/** Files: a creature, or a gait. */
export async function drop(files: Dropped[]): Promise<void> {
  if (files.length === 0) return
  const gait = files.length === 1 && files[0]!.name.endsWith('.toml') ? files[0]! : null
  waiting.value = `Reading ${gait?.name ?? mainName(files)}`
  try {
    if (gait) await openGait((await engine.ask('read-gait', { text: new TextDecoder().decode(gait.bytes), creature: work.value.creature })).answer, gait.name)
    else await keepCreature(files)
  } catch (error) {
    tell('trouble', words(error), { detail: `What can be dropped: ${ACCEPTED}. Your creature is as it was.` })
  } finally {
    waiting.value = null
  }
}

async function keepCreature(files: Dropped[]): Promise<void> {
  // On its way to a server it may be lost.
  if (!engine.local) await stash.put(tab, files)
  try {
    const all = new Uint8Array(files.reduce((sum, file) => sum + file.bytes.length, 0))
    let offset = 0
    for (const file of files) {
      all.set(file.bytes, offset)
      offset += file.bytes.length
    }
    const list = files.map((file) => ({ name: file.name, size: file.bytes.length }))
    const { answer } = await engine.ask('keep', { files: list }, all)
    const source: Source = { from: 'file', bundle: answer.bundle, name: answer.name }
    // Read before it takes the place of the creature that is there: a bad file changes nothing.
    if (planting.plantSource(source)) await engine.ask('plant', { creature: creatureFrom(source), nodes: planting.nodes.value })
    else await engine.ask('creature', { creature: creatureFrom(source) })
    chooseCreature(source, `open ${answer.name}`)
    show.panel.value = 'creature'
  } finally {
    if (!engine.local) await stash.clear(tab)
  }
}

function mainName(files: Dropped[]): string {
  const main = files.find((file) => /\.(glb|gltf|xml|urdf|bvh|mtg|swc|csv)$/i.test(file.name)) ?? files[0]!
  return main.name.split('/').at(-1)!
}

async function openShared(name: string): Promise<void> {
  setHash('tab', tab)
  if (name.startsWith(WHOLE)) {
    await openLink(name)
    return
  }
  try {
    await openGait((await engine.ask('open-shared', { name, creature: work.value.creature })).answer, name)
  } catch (error) {
    tell('trouble', words(error), { detail: 'The link names a gait that is not kept on this machine.' })
  }
}

/** A link that holds a work itself. */
async function openLink(link: string): Promise<void> {
  try {
    const linked = await ofLink(link)
    // Read before it takes the place of the creature that is there.
    if (!planting.plantSource(linked.creature.source)) await engine.ask('creature', { creature: linked.creature })
    doc.change('open a link', () => linked)
    if (linked.sketch) showPanel('control')
  } catch (error) {
    tell('trouble', words(error), { detail: 'A link holds a gait and not the file of its creature: if that is not here, drop it, and open the link again.' })
  }
}

addEventListener('hashchange', () => {
  const name = hashValue('gait')
  if (name && loaded.value) void openShared(name)
})

async function openGait(file: GaitFileAnswer, name: string): Promise<void> {
  const creature = file.creature ?? work.value.creature
  if (file.sketch) {
    openSketch(creature, file.sketch, `open ${name}`)
    return
  }
  doc.change(`open ${name}`, (work) => ({ ...work, creature, style: file.style, gait: file.gait }))
  tell('good', `Opened ${name}`)
}

// --- sketches ---

/** Brings the Controller panel to the front. */
export function showPanel(panel: typeof right.value): void {
  right.value = panel
  control.front.value = panel === 'control'
  if (panel !== 'physics') physics.stop()
  if (panel === 'control') show.tool.value = 'look'
}

function openSketch(creature: CreatureWork, sketch: SketchWork, label: string): void {
  showPanel('control')
  control.view.value = sketch.found ? 'best' : 'preview'
  if (same(creature, work.value.creature)) doc.change(label, (work) => ({ ...work, sketch }))
  else {
    flow.beginWithGait(creature)
    doc.change(label, () => ({ ...workOn(creature), sketch }))
  }
}

/** A sketch of the gallery, on its creature. */
export async function openGallerySketch(name: string): Promise<void> {
  const entry = engine.greeting.value?.sketches.find((entry) => entry.name === name)
  if (!entry) return
  try {
    const { answer } = await engine.ask('read-gait', { text: entry.text, creature: work.value.creature })
    const creature = answer.creature ?? work.value.creature
    const open = () => openSketch(creature, answer.sketch!, `open ${name}`)
    if (same(creature.source, work.value.creature.source)) {
      open()
      return
    }
    const there = work.value.creature.source.name.split('/').at(-1)!
    asked.value = {
      title: `${capital(entry.creature)} instead of ${there}?`,
      text: `“${capital(name)}” is a sketch of the ${entry.creature}, which takes the place of ${there}. Undo brings that back.`,
      label: `Open the ${entry.creature}`, run: open,
    }
  } catch (error) {
    tell('trouble', words(error))
  }
}

/** A sketch to begin with, for the creature that is there. */
export async function newSketch(): Promise<void> {
  const { creature } = work.value
  try {
    const { answer } = await engine.ask('sketch', { creature, sketch: null })
    openSketch(creature, answer.sketch, 'new sketch')
  } catch (error) {
    control.trouble.value = words(error)
  }
}

/** What was found was found of the sketch as it was. */
export function changeSketch(label: string, change: (sketch: SketchWork) => SketchWork): void {
  doc.change(label, (work) => (work.sketch ? { ...work, sketch: bare(change(work.sketch)) } : work))
}

export function dragSketch(label: string, change: (sketch: SketchWork) => SketchWork): void {
  doc.drag(label, (work) => (work.sketch ? { ...work, sketch: bare(change(work.sketch)) } : work))
}

/** There is something to take home. */
export const takeable = computed(() => {
  if (planting.on.value) return planting.plant.value !== null
  if (physics.reading.value) return true
  return show.sketching.value ? work.value.sketch?.found?.controller != null : flow.motion.value !== null
})

export function takeHome(): void {
  // What is taken is on the stage.
  if (!planting.on.value && show.sketching.value) control.view.value = 'best'
  overlay.value = 'take'
}

/** Runs what was found in a live simulation. */
export async function runController(): Promise<void> {
  physics.drive.value = 'controller'
  showPanel('physics')
  waiting.value = 'Finding out how to keep it up'
  await physics.begin()
  waiting.value = null
}

// --- body and motion ---

export function changeStyle(label: string, change: Partial<Style>): void {
  doc.change(label, (work) => ({ ...work, style: { ...work.style, ...change } }))
}

export function dragStyle(label: string, change: Partial<Style>): void {
  doc.drag(label, (work) => ({ ...work, style: { ...work.style, ...change } }))
}

export function changeGait(label: string, change: Partial<GaitWork>): void {
  doc.change(label, (work) => ({ ...work, gait: { ...work.gait, ...change } }))
}

export function dragGait(label: string, change: (gait: GaitWork) => GaitWork): void {
  doc.drag(label, (work) => ({ ...work, gait: change(work.gait) }))
}

/** Factors of stiffness by pattern: 1 says nothing. */
export function withScale(style: Style, pattern: string, factor: number): [string, number][] {
  const others = style.scale.filter(([other]) => other !== pattern)
  return Math.abs(factor - 1) < 1e-6 ? others : [...others, [pattern, factor]]
}

/** Presses a gait. Wishes for tempo were made for another; what the user said of modes stays. */
export function chooseGait(name: string | null): void {
  const list = flow.gaits.value?.list ?? []
  const choice = list.find((choice) => choice.name === name)
  doc.change(name ?? 'no gait', (work) => ({
    ...work,
    style: choice ? styleFor(choice, list, work.style) : work.style,
    gait: {
      ...work.gait, name, file: null, speed: null, stride_length: null, frequency: null, duty: null,
      edits: work.gait.file ? [] : work.gait.edits,
    },
  }))
  playback.playing.value = true
  show.tool.value = 'look'
}

export async function standUp(): Promise<void> {
  const { creature, style } = work.value
  waiting.value = 'Finding the stiffness that carries its weight'
  try {
    const { answer } = await engine.ask('stand', { creature, style })
    doc.change('stand it up', (work) => ({ ...work, style: answer.style }))
    tell('good', answer.text)
  } catch (error) {
    tell('trouble', words(error))
  } finally {
    waiting.value = null
  }
}

const reaches = new Latest(engine, 'reach')

/** Pulls a limb of the rest pose: it follows the mouse, and stays where it is let go. */
export async function reach(pull: Goal, phase: 'start' | 'move' | 'end'): Promise<void> {
  const { creature, style } = work.value
  try {
    const reply = await reaches.ask({ creature, style, pulls: [pull] })
    if (!reply) return
    show.reached.value = reply.answer.pose
    if (phase !== 'end') return
    changeStyle('pose', { bend: reply.answer.bend })
  } catch (error) {
    tell('trouble', words(error))
  }
  if (phase === 'end') show.reached.value = null
}

export function resetBody(): void {
  doc.change('reset the body', (work) => ({ ...work, style: emptyStyle() }))
}

export function resetGait(): void {
  doc.change('reset the motion', (work) => ({ ...work, gait: { ...emptyGait(), name: work.gait.name } }))
}

// --- what is told ---

/** A motion that was found, for those who do not see it. */
effect(() => {
  const motion = flow.motion.value
  if (!motion) return
  const { speed, slip_mm: slip } = motion.answer.report
  const slips = slip === null ? '' : `, feet slip ${slip.toFixed(1)} millimetres`
  said.value = `${motion.gait.name ?? 'motion'}: ${speed.toFixed(2)} metres per second${slips}`
})

/** A set that was made while the user did something else. */
effect(() => {
  const ended = gameSet.ended.value
  if (!ended || overlay.peek() === 'take') return
  tell(ended.good ? 'good' : 'trouble', ended.text, ended.warnings.length ? { detail: ended.warnings.join('. ') } : {})
})

/** What was said was said of the creature that was there. */
const source = computed(() => JSON.stringify(work.value.creature.source))
source.subscribe(() => forgetNews())

/** What the browser does not keep. */
if (engine.local) {
  effect(() => {
    const trouble = (engine as LocalEngine).trouble.value
    if (trouble !== null) tell('trouble', trouble, { stays: true, about: 'shelf' })
  })
}

/** A creature or body that cannot be had: the way back is one click. */
let told: number | null = null
effect(() => {
  const trouble = flow.trouble.value
  if (told !== null) dismiss(told)
  told = null
  if (!trouble) return
  const undoable = doc.undoable.peek()
  tell('trouble', trouble.text, { about: 'flow', stays: true, ...(undoable ? { action: { label: `Undo ${undoable}`, run: () => doc.undo() } } : {}) })
  told = notes.peek().at(-1)!.id
})

/** A simulation is of the body as it was: it begins anew with another. */
let simulated: unknown = null
effect(() => {
  const { creature, style, gait, sketch } = work.value
  const moves = { gait, pump: gait.prefer, passive: null, controller: sketch?.found?.controller }[physics.drive.value]
  const now = [creature, style, moves, physics.drive.value, physics.ground.value, physics.slope.value, physics.help.value]
  if (physics.state.value === 'off' || doc.dragging) {
    simulated = null
    return
  }
  if (simulated !== null && !same(simulated, now)) void physics.begin()
  simulated = now
})

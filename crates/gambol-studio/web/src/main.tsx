import './style/page.css'
import './style/parts.css'
import './style/panels.css'
import './style/stage.css'
import './style/forest.css'
import { effect } from '@preact/signals'
import { render } from 'preact'
import { words } from './engine/engine'
import type { LocalEngine } from './engine/local'
import { listen } from './keys'
import { calm, fixedMoment, fixedTime } from './moment'
import { tell } from './notes'
import { keepOffline } from './offline'
import type { Vec3 } from './protocol'
import { Kinematics } from './stage'
import { control, engine, flow, gameSet, loaded, physics, planting, playback, show, start, work } from './studio'
import { App } from './ui/App'
import { paletteView } from './ui/Palette'
import { grove } from './ui/ForestView'
import { stage } from './ui/StageView'

/** After a pause (another tab, a slow frame) the motion goes on, not ahead: at most this much at once, s. */
const LONGEST_FRAME = 0.25

if (fixedTime !== null) playback.time.value = fixedTime
if (fixedMoment || calm.matches) playback.playing.value = false
if (fixedMoment) planting.playing.value = false

render(<App />, document.getElementById('app')!)
listen()

effect(() => {
  const forest = planting.on.value
  const creature = forest ? planting.plant.value?.answer.name : flow.creature.value?.answer.name
  document.title = [creature, forest ? 'wind' : work.value.gait.name, 'gambol studio'].filter(Boolean).join(' · ')
})

let before = performance.now()
function frame(now: number): void {
  const seconds = Math.min((now - before) / 1000, LONGEST_FRAME)
  before = now
  if (planting.on.peek()) {
    planting.frame(now, seconds)
    requestAnimationFrame(frame)
    return
  }
  if (physics.state.peek() === 'off') playback.tick(seconds)
  else physics.tick(seconds)
  show.frame(now)
  requestAnimationFrame(frame)
}
requestAnimationFrame(frame)

if (engine.local) void keepOffline()

start().catch((error: unknown) => tell('trouble', words(error)))

/** For tests in a browser: what is shown, as numbers. */
const hooks = {
  get ready() { return loaded.value && flow.busy.value === null && flow.body.value !== null },
  get link() { return engine.connection.value === 'open' ? 'open' : 'lost' },
  /** All that is shown is of the present work. */
  get settled() { return loaded.value && (planting.on.value ? planting.settled : flow.settled && control.settled) },
  get time() { return playback.time.value },
  set time(seconds: number) { playback.time.value = seconds },
  work: () => work.value,
  pose: () => show.current,
  creature: () => flow.creature.value?.answer ?? null,
  /** Nodes of the skin's file and where they are in the world. */
  nodes: () => stage.value?.nodes() ?? [],
  /** Seven numbers for each body of the creature on the stage: position and quaternion in the world. */
  frames: (pose: ArrayLike<number> = show.current) => [...new Kinematics(flow.creature.value!.answer).frames(pose)],
  /** Where a point of a body is on the page. */
  onPage: (body: number, point: Vec3) => stage.value!.onPage(body, point),
  stats: () => ({
    stage: stage.value?.stats() ?? null,
    palette: paletteView?.stats() ?? null,
    body: { waited: flow.body.value?.waited ?? null },
    report: flow.motion.value?.answer.report ?? null,
  }),
  /** The forest: what was told of the plant, where trees stand, their wind, the drawing, and the coordinates of a tree. */
  forest: {
    plant: () => planting.plant.value?.answer ?? null,
    trees: () => (planting.stand.value?.trees.length ?? 0) / 5,
    places: () => planting.places,
    wind: () => planting.mean,
    stats: () => grove.value?.stats() ?? null,
    coordinates: (tree: number) => planting.coordinates(tree),
    step: (seconds: number) => planting.step(seconds),
    eye: () => grove.value?.walker.camera.position.toArray() ?? null,
  },
  /** The search for a controller. */
  search: () => ({ running: control.running.value, points: control.curve.value, progress: control.progress.value, view: control.view.value }),
  /** The set of clips that is being made. */
  set: () => gameSet.making.value,
  ask: engine.ask.bind(engine),
  /** Engines in the page end as if they had trapped. */
  trap: () => (engine as LocalEngine).trap(),
}

declare global {
  interface Window { studio: typeof hooks }
}
window.studio = hooks

import { words } from '../engine/engine'
import { capital, spoken } from '../bodyparts'
import { download } from '../files'
import { tell } from '../notes'
import type { FoundWork, SearchAnswer, SketchWork } from '../protocol'
import { control, doc, dragSketch, engine, flow, newSketch, openGallerySketch, runController, takeHome, work } from '../studio'
import { logCurves, type Point } from '../work/sketch'
import { FileButton } from './Gallery'
import { number, percent } from './format'
import * as icons from './icons'
import { Choice, IconButton, Section, Slider } from './parts'

/** From a sketch of modes to a controller that runs. */
export function ControlPanel() {
  const { sketch } = work.value
  return (
    <>
      <Sketches sketch={sketch} />
      {sketch && <Try sketch={sketch} />}
      {sketch && <Optimise sketch={sketch} />}
      {sketch && <Timing sketch={sketch} />}
      {sketch && <Stance sketch={sketch} />}
      {sketch && <Muscles sketch={sketch} />}
    </>
  )
}

function Sketches({ sketch }: { sketch: SketchWork | null }) {
  const sketches = engine.greeting.value?.sketches ?? []
  const creature = flow.creature.value?.answer.name ?? 'creature'
  return (
    <Section title="Sketch" aside={sketch ? (
      <>
        <IconButton small label={`Begin anew for the ${creature}`} icon={<icons.Reset />} onClick={() => void newSketch()} />
        <IconButton small label="Save the sketch" icon={<icons.Home />} onClick={() => void save('sketch')} />
      </>
    ) : undefined}>
      {!sketch && (
        <>
          <p class="quiet">Mark a few natural motions that you want to see in flight and on the ground. A search turns them into muscles that run by physics.</p>
          <button type="button" class="primary wide-button" onClick={() => void newSketch()}><icons.Plus />Sketch for this {creature}</button>
          <p class="quiet">Or begin with one of these:</p>
        </>
      )}
      <div class="chips">
        {sketches.map((entry) => (
          <button type="button" class="chip" key={entry.name} aria-pressed={sketch?.name === entry.name && creature === entry.creature} title={`${capital(entry.name)}, on the ${entry.creature}`}
            onClick={() => void openGallerySketch(entry.name)}>{capital(entry.name)}</button>
        ))}
      </div>
      {!sketch && <FileButton label="Open a sketch" />}
      {control.trouble.value && <p class="trouble" role="alert">{capital(control.trouble.value)}</p>}
    </Section>
  )
}

async function save(format: 'sketch' | 'controller'): Promise<void> {
  const { creature, style, sketch } = work.value
  if (!sketch) return
  try {
    const { answer, bytes } = await engine.ask('export', { creature, style, what: { of: 'controller', sketch }, format })
    download(answer.name, new Blob([bytes], { type: answer.mime }))
    tell('good', `Saved ${answer.name}`)
  } catch (error) {
    tell('trouble', words(error))
  }
}

const VIEWS = [
  { value: 'preview' as const, label: 'Floating', title: 'What the green modes alone do, without gravity' },
  { value: 'rest' as const, label: 'At rest', title: 'The pose in which the springs are at rest' },
]

function Try({ sketch }: { sketch: SketchWork }) {
  const marked = sketch.flight.priority.length + sketch.ground.priority.length
  const found = sketch.found?.controller || control.running.value
  return (
    <Section title="On the stage">
      <Choice label="On the stage" value={control.view.value} onChange={(view) => { control.view.value = view }}
        options={[...VIEWS, { value: 'best', label: 'Found', title: found ? 'The best cycle that was found' : 'Optimise first', disabled: !found }]} />
      {marked === 0
        ? <p class="quiet">Click motions in the palette below: <b class="prefer">green</b> is wanted, <b class="avoid">red</b> must not be seen.</p>
        : <p class="quiet">{counted(sketch.flight.priority.length)} in flight, {counted(sketch.ground.priority.length)} on the ground. Drag their numbers for more.</p>}
    </Section>
  )
}

const counted = (count: number) => `${count} green ${count === 1 ? 'mode' : 'modes'}`

const DOING: Record<SearchAnswer['doing'], string> = {
  sampling: 'Trying at random', closing: 'Closing the cycle', improving: 'Making it cheaper', sealing: 'Closing it further', done: 'Done',
}

function Optimise({ sketch }: { sketch: SketchWork }) {
  const running = control.running.value
  const { found } = sketch
  const goesOn = found !== null && !running && found.status !== 'converged' && found.status !== 'opened' && found.controller !== null
  const progress = control.progress.value
  const numbers = control.sketched.value?.answer.numbers
  return (
    <Section title="Search">
      <div class="pair">
        {running
          ? <button type="button" onClick={() => control.stop()}><icons.Pause />Stop</button>
          : goesOn && <button type="button" class="primary" onClick={() => control.goOn()}><icons.Play />Go on</button>}
        {!running && (
          <button type="button" class={goesOn || found?.controller ? '' : 'primary'} disabled={!numbers}
            title={found ? 'From the beginning, with other random numbers' : `Looks for ${numbers} numbers: the first pose, its velocity, and how hard each mode is driven`} onClick={() => control.optimise()}>
            {found ? <><icons.Reset />Anew</> : <><icons.Play />Optimise</>}
          </button>
        )}
      </div>
      <Outcome found={found} running={running} />
      {found && progress && <Curves />}
      {found && progress?.best && <Lights progress={progress} />}
      {found && progress && (
        <p class="quiet figures" role="status">
          {running ? `${DOING[progress.doing]}, round ${progress.round} · ` : ''}{progress.evaluations.toLocaleString('en')} cycles tried{running && control.pace.value > 0 ? `, ${Math.round(control.pace.value)} per second` : ''}
        </p>
      )}
      {found?.controller && !running && (
        <>
          <button type="button" class={`wide-button ${found.status === 'converged' ? 'primary' : ''}`} title="In the live simulation, where you can push it" onClick={() => void runController()}><icons.Play />Run it by physics</button>
          <div class="pair">
            <button type="button" title="Files of this cycle, to keep" onClick={takeHome}><icons.Home />Take home</button>
            <button type="button" title="As text: its sketch and all numbers" onClick={() => void save('controller')}><icons.File />Controller</button>
          </div>
        </>
      )}
    </Section>
  )
}

/** How it ended, in a sentence. */
function Outcome({ found, running }: { found: FoundWork | null; running: boolean }) {
  if (!found || running) return null
  const gap = found.gap === null ? '' : ` The cycle is open by ${number(found.gap)} tolerances.`
  switch (found.status) {
    case 'converged':
      return <p class="verdict good" role="status"><icons.Good />Converged: it runs at {found.speed.toFixed(2)} m/s, and every constraint is met.</p>
    case 'stalled':
      return <p class="verdict bad" role="status"><icons.Warn />Stalled: {found.short?.[0] === 'cycle' ? `the cycle does not close, by ${number(found.short[1] ?? Infinity)} tolerances` : `short of “${found.short?.[0]}” by ${number(found.short?.[1] ?? Infinity)}`}. The best is on the stage.</p>
    case 'opened':
      return <p class="verdict" role="status">Opened from a file. It has not converged.{gap}</p>
    default:
      return found.controller
        ? <p class="verdict" role="status">Stopped before it converged.{gap} The best so far is kept.</p>
        : <p class="verdict" role="status">Stopped before anything was found.</p>
  }
}

const WIDE = 236
const HIGH = 52

/** Value and gap of the best candidate, on scales of ratios, over the cycles tried. */
function Curves() {
  const points = control.curve.value
  const best = points.at(-1)
  if (!best || points.length < 2) return null
  const of = (number: (point: Point) => number) => points.map((point): [number, number] => [point.evaluations, number(point)])
  const [gap, tried] = logCurves([of((point) => point.gap), of((point) => point.roundGap)], 1, WIDE, HIGH)
  const [value] = logCurves([of((point) => point.value)], null, WIDE, HIGH)
  return (
    <div class="curves" data-points={points.length}>
      <figure title="How far the end of a cycle is from its start, in parts of what an eye would see; below the dashes it repeats itself. Thin: what is being tried">
        <figcaption><span>Gap</span><b>{short(best.gap)}</b></figcaption>
        <svg viewBox={`0 0 ${WIDE} ${HIGH}`} role="img" aria-label={`Gap: ${short(best.gap)} tolerances`} preserveAspectRatio="none">
          {gap!.goal !== null && <line class="goal" x1="0" x2={WIDE} y1={gap!.goal} y2={gap!.goal} />}
          <path class="tried" d={tried!.path} />
          <path d={gap!.path} />
        </svg>
      </figure>
      <figure title="What is minimised: effort over speed squared, and what the constraints are short of">
        <figcaption><span>Value</span><b>{short(best.value)}</b></figcaption>
        <svg viewBox={`0 0 ${WIDE} ${HIGH}`} role="img" aria-label={`Value: ${short(best.value)}`} preserveAspectRatio="none">
          <path class="value" d={value!.path} />
        </svg>
      </figure>
    </div>
  )
}

/** Three digits, whatever the size. */
const short = (value: number) => (!Number.isFinite(value) ? '–' : Math.abs(value) >= 1e4 ? value.toExponential(1).replace('e+', ' e') : number(value))

/** The names of constraints where there is little room. */
const BRIEF: Record<string, string> = {
  'forward speed at all times': 'Keeps going', 'mean velocity': 'Mean velocity', 'joint velocities': 'Joint speeds', 'effort': 'Effort', 'priority modes': 'Green modes',
  'upright': 'Upright', 'stance': 'Stance', 'toe height': 'Toe height', 'toe stub': 'Toe stub',
}

/** Each constraint: green when it is met. */
function Lights({ progress }: { progress: SearchAnswer }) {
  const { constraints, gap } = progress.best!
  const closed = gap !== null && gap < 1
  return (
    <ul class="lights" aria-label="Constraints">
      {constraints.map(([name, value]) => (
        <li key={name} class={value === 0 ? 'met' : 'short'} title={`${capital(name)}: ${value === 0 ? 'met' : `short by ${short(value ?? Infinity)}`}`}>
          <i aria-hidden="true" />{BRIEF[name] ?? capital(name)}<span class="hidden">{value === 0 ? ' met' : ' not met'}</span>
        </li>
      ))}
      <li class={closed ? 'met' : 'short'} title={closed ? 'The cycle repeats itself' : 'The cycle does not repeat itself yet'}><i aria-hidden="true" />Cycle closes<span class="hidden">{closed ? ' met' : ' not met'}</span></li>
    </ul>
  )
}

const seconds = (value: number) => `${value.toFixed(2)} s`

function Timing({ sketch }: { sketch: SketchWork }) {
  const slider = (label: string, key: 'period' | 'flight_share' | 'speed' | 'least_speed', least: number, most: number, text: (value: number) => string, title: string) => (
    <Slider label={label} value={sketch[key]} least={least} most={most} text={text} title={title}
      onDrag={(value) => dragSketch(label.toLowerCase(), (sketch) => ({ ...sketch, [key]: rounded(value) }))} onRelease={() => doc.release()} />
  )
  const burst = (label: string, at: 0 | 1) => (
    <Slider label={label} value={sketch.bursts[at]} least={0.02} most={Math.max(0.5 * sketch.period, sketch.bursts[at])} text={seconds} title="How long muscles push at its start"
      onDrag={(value) => dragSketch(label.toLowerCase(), (sketch) => ({ ...sketch, bursts: at === 0 ? [rounded(value), sketch.bursts[1]] : [sketch.bursts[0], rounded(value)] }))} onRelease={() => doc.release()} />
  )
  const fast = Math.max(8, 2 * sketch.speed)
  const metres = (value: number) => `${value.toFixed(1)} m/s`
  return (
    <Section title="Timing" closed>
      <p class="quiet">Where the search begins; it may change all of it a little.</p>
      {slider('Period', 'period', 0.15, Math.max(1.5, sketch.period), seconds, 'One cycle: both steps')}
      {slider('Flight', 'flight_share', 0.1, 0.9, percent, 'Share of its cycle that a foot is in the air')}
      {burst('Burst in flight', 0)}
      {burst('Burst on the ground', 1)}
      {slider('Speed', 'speed', 0.1, fast, metres, 'To begin with')}
      {slider('Least speed', 'least_speed', 0, fast, metres, 'On average; slower does not count')}
    </Section>
  )
}

const rounded = (value: number) => Number(value.toPrecision(3))

const LEGS = [
  { value: 'alternate' as const, label: 'In turn', title: 'Left and right half a cycle apart: running' },
  { value: 'together' as const, label: 'Together', title: 'All feet that stand do so at the same time: hopping' },
]

function Stance({ sketch }: { sketch: SketchWork }) {
  const feet = control.sketched.value?.answer.feet ?? sketch.stance
  const poses = flow.creature.value?.answer.poses ?? []
  const toggle = (foot: string) => {
    const stance = sketch.stance.includes(foot) ? sketch.stance.filter((other) => other !== foot) : feet.filter((other) => other === foot || sketch.stance.includes(other))
    if (stance.length > 0) void control.reshape('standing feet', { stance })
  }
  return (
    <Section title="Legs and pose" closed>
      <Choice label="Legs" value={sketch.legs} options={LEGS} onChange={(legs) => void control.reshape('legs', { legs })} />
      <p class="quiet">Stand first{sketch.legs === 'alternate' ? '; their mates half a cycle later' : ''}:</p>
      <div class="chips">
        {feet.map((foot) => <button type="button" class="chip" key={foot} aria-pressed={sketch.stance.includes(foot)} onClick={() => toggle(foot)}>{capital(spoken(foot))}</button>)}
      </div>
      {poses.length > 0 && (
        <label class="inline">
          Rest pose
          <select value={sketch.pose ?? ''} onChange={(event) => void control.reshape('rest pose', { pose: event.currentTarget.value || null })}>
            <option value="">as it comes</option>
            {poses.map((pose) => <option key={pose} value={pose}>{pose}</option>)}
          </select>
        </label>
      )}
    </Section>
  )
}

function Muscles({ sketch }: { sketch: SketchWork }) {
  return (
    <Section title="Springs" closed>
      <Slider label="Stiffness" value={sketch.stiffness} least={0.1} most={10} ratios text={(value) => `×${value.toFixed(2)}`} title="Times the creature's own"
        onDrag={(stiffness) => dragSketch('stiffness of the sketch', (sketch) => ({ ...sketch, stiffness: rounded(stiffness) }))} onRelease={() => doc.release()} />
      <Slider label="Damping" value={sketch.damping} least={0} most={0.2} text={seconds} title="Over stiffness. 0.1 s stills all that is faster than 3.2 Hz; less lets it bounce"
        onDrag={(damping) => dragSketch('damping', (sketch) => ({ ...sketch, damping: rounded(damping) }))} onRelease={() => doc.release()} />
      <Slider label="Most effort" value={sketch.most_effort} least={Math.min(1, sketch.most_effort)} most={Math.max(1e9, sketch.most_effort)} ratios text={(value) => `${Number(Math.sqrt(value).toPrecision(2))} N·m`} title="Root of the mean of all squared torques of its muscles"
        onDrag={(effort) => dragSketch('most effort', (sketch) => ({ ...sketch, most_effort: rounded(effort) }))} onRelease={() => doc.release()} />
    </Section>
  )
}

import { capital, feet, spoken, whichFoot } from '../bodyparts'
import { still } from '../flow'
import type { Component, GaitWork, ModePart, GaitReport } from '../protocol'
import { changeGait, chooseGait, doc, dragGait, flow, resetGait, show, work } from '../studio'
import { byMode, withEdit } from '../work/marks'
import { offsetRange } from '../work/reach'
import { Told } from './CreaturePanel'
import { DEGREE, DEGREES, degrees, number, percent } from './format'
import * as icons from './icons'
import { GaitIcon } from './icons'
import { IconButton, Section, Slider, Toggle } from './parts'

/** Of √(g h): Froude number 4, faster than anything runs. */
const FASTEST = 2

export function MotionPanel() {
  const creature = flow.creature.value?.answer
  const motion = flow.motion.value
  const { gait } = work.value
  if (!creature) return null
  const clips = creature.recording ? [creature.recording.clip.name || 'Recording'] : creature.skin?.clips ?? []
  return (
    <>
      <Gaits />
      {!still(gait) && <Tempo />}
      <Posture />
      <Used />
      <Section title="Ground">
        <Toggle label="Feet meet the ground" on={gait.ground} title="Off: the vibrations alone, in the air" onChange={(ground) => changeGait(ground ? 'ground' : 'no ground', { ground })} />
      </Section>
      {clips.length > 0 && (
        <Section title="Compare">
          <p class="quiet">What the file came with, as a ghost beside it.</p>
          <div class="chips">
            {clips.map((clip) => (
              <button type="button" class="chip" key={clip} aria-pressed={show.compares.value === clip} onClick={() => { show.compares.value = show.compares.value === clip ? null : clip }}>{clip}</button>
            ))}
          </div>
        </Section>
      )}
      {motion && <Meter report={motion.answer.report} />}
      {motion && <Told title="Worth knowing" lines={motion.answer.warnings} warn />}
    </>
  )
}

function Gaits() {
  const list = flow.gaits.value?.list ?? []
  const creature = flow.creature.value!.answer
  const { gait } = work.value
  const legs = feet(creature).length
  const suiting = list.filter((choice) => choice.suits)
  const others = list.filter((choice) => !choice.suits)
  const edited = gait.edits.length > 0 || gait.prefer.length > 0 || gait.avoid.length > 0 || gait.speed !== null || gait.stride_length !== null
  const button = (choice: (typeof list)[number]) => (
    <button type="button" key={choice.name} class="gait" aria-pressed={gait.name === choice.name && gait.file === null}
      onClick={() => chooseGait(choice.name)}>
      <GaitIcon name={choice.name} feet={legs} />
      <span>{capital(choice.name.replaceAll('-', ' '))}</span>
    </button>
  )
  return (
    <Section title="Gait" aside={
      <>
        {edited && <IconButton small label="This gait as it comes" icon={<icons.Reset />} onClick={resetGait} />}
        <button type="button" class="chip small" aria-pressed={gait.name === null && gait.file === null} title="No gait: only the modes that you move by hand" onClick={() => chooseGait(null)}>None</button>
      </>
    }>
      <div class="gaits">
        {gait.file !== null && (
          <button type="button" class="gait file" aria-pressed title="From a gait file"><icons.File /><span>{gait.name ?? 'Gait file'}</span></button>
        )}
        {suiting.map(button)}
      </div>
      {others.length > 0 && (
        <p class="unsuited">
          <span>Not for it:</span>
          {others.map((choice) => <span key={choice.name} class="not" tabIndex={0} title={capital(choice.reason ?? '')}>{choice.name.replaceAll('-', ' ')}</span>)}
        </p>
      )}
    </Section>
  )
}

type Pace = 'speed' | 'stride_length' | 'frequency'

/** Of speed, stride and frequency two decide the third: the wish that has to go where all three were said. */
const YIELDS: Record<Pace, Pace> = { speed: 'stride_length', stride_length: 'frequency', frequency: 'stride_length' }

function withWish(gait: GaitWork, key: Pace | 'duty', value: number): GaitWork {
  const next = { ...gait, [key]: value }
  const all = next.speed !== null && next.stride_length !== null && next.frequency !== null
  return key !== 'duty' && all ? { ...next, [YIELDS[key]]: null } : next
}

/** A wish for a number that otherwise follows from the body. */
function Wish(props: { label: string; of: Pace | 'duty'; now: number; least: number; most: number; text: (value: number) => string; shownAs?: number; title: string }) {
  const { label, of, now, least, most, text, shownAs = 1, title } = props
  const wish = work.value.gait[of]
  return (
    <Slider label={label} value={wish ?? now} least={least} most={most} text={text} shownAs={shownAs} title={title} follows={wish === null}
      onDrag={(value) => dragGait(label.toLowerCase(), (gait) => withWish(gait, of, value))}
      onRelease={() => doc.release()}
      onReset={wish === null ? undefined : () => changeGait(label.toLowerCase(), { [of]: null })} />
  )
}

function Tempo() {
  const { gait } = work.value
  const motion = flow.motion.value
  const creature = flow.creature.value!.answer
  if (!motion) return null
  const { report } = motion.answer
  // Modes without a gait move it nowhere.
  const goes = gait.name !== null || gait.file !== null
  const angle = (label: string, key: 'turn' | 'slope', most: number, unit: string, title: string) => (
    <Slider label={label} value={gait[key]} least={-most * DEGREE} most={most * DEGREE} fromMiddle text={(value) => degrees(value) + unit} shownAs={DEGREES} title={title}
      onDrag={(value) => dragGait(label.toLowerCase(), (gait) => ({ ...gait, [key]: value }))} onRelease={() => doc.release()}
      onReset={gait[key] === 0 ? undefined : () => changeGait(label.toLowerCase(), { [key]: 0 })} />
  )
  const duty = report.feet.length ? report.feet.reduce((sum, foot) => sum + foot.duty, 0) / report.feet.length : 0
  return (
    <Section title="Tempo">
      {goes && <Wish label="Speed" of="speed" now={report.speed} least={0} most={Math.max(FASTEST * Math.sqrt(creature.gravity * creature.height), 1.5 * report.speed)} text={(value) => `${number(value)} m/s`} title="Over the ground" />}
      {goes && <Wish label="Stride" of="stride_length" now={report.stride_length} least={0.01} most={Math.max(3 * creature.height, 1.5 * report.stride_length)} text={(value) => `${number(value)} m`} title="Way of one cycle" />}
      <Wish label="Cycles" of="frequency" now={motion.answer.frequency} least={0.1} most={Math.max(5, 1.5 * motion.answer.frequency)} text={(value) => `${number(value)} a second`} title="How often all of it repeats" />
      {report.feet.length > 0 && <Wish label="Feet on the ground" of="duty" now={duty} least={0.1} most={0.95} text={percent} shownAs={100} title="Duty factor: the share of a cycle that a foot stands. Above half is a walk, below a run" />}
      {goes && angle('Turn', 'turn', 90, '/s', 'To the left (right of the middle), degrees per second')}
      {goes && angle('Slope', 'slope', 20, '', 'Of the ground, uphill to the right')}
    </Section>
  )
}

/** Postures, and the modes that make them: the first whose name fits. */
const POSTURES: [string, RegExp][] = [
  ['Crouch', /knees bend together/],
  ['Lean', /^stretching|^legs swing together|^arms and legs swing together/],
  ['Head', /head nods|^neck (nods|bends( once)? up and down|bends twice up and down)|^head and knees/],
  ['Back', /back (arches|bends forward and back)|^bends once up and down/],
  ['Straddle', /(^|hind )legs splay/],
  ['Arms', /(arms|wings) spread/],
  ['Tail', /tail (wags|lifts|bends) up and down|tail sways/],
  ['Curl', /^bends once sideways|^body bends sideways/],
]

function Posture() {
  const modes = flow.body.value?.answer.modes
  const { gait } = work.value
  if (!modes || still(gait)) return null
  const found = POSTURES.flatMap(([label, pattern]) => {
    const mode = modes.find((mode) => !mode.rigid && pattern.test(mode.name))
    return mode ? [{ label, mode }] : []
  })
  if (found.length === 0) return null
  return (
    <Section title="Posture" closed>
      {found.map(({ label, mode }) => <OffsetSlider key={label} label={label} mode={mode} gait={gait} />)}
    </Section>
  )
}

function OffsetSlider({ label, mode, gait }: { label: string; mode: ModePart; gait: GaitWork }) {
  const designed = byMode(flow.motion.value?.answer.components ?? []).get(mode.index)?.offset ?? 0
  const own = gait.edits.find((edit) => edit.mode === mode.index)?.offset
  const body = flow.body.value!
  const [least, most] = offsetRange(body.creature.answer, body.swings.shape(mode.index), body.answer.pose)
  return (
    <Slider label={label} value={own ?? designed} least={least} most={most} fromMiddle={least === -most} text={degrees} shownAs={DEGREES} title={`A lasting share of mode ${mode.index}: ${mode.name}. It ends where a joint does`} follows={own == null}
      onDrag={(value) => dragGait(`posture ${label.toLowerCase()}`, (gait) => withEdit(gait, mode.index, { offset: value }))}
      onRelease={() => doc.release()}
      onReset={own == null ? undefined : () => changeGait(`posture ${label.toLowerCase()}`, withEdit(gait, mode.index, { offset: null }))} />
  )
}

function Used() {
  const motion = flow.motion.value
  const modes = flow.body.value?.answer.modes
  if (!motion || !modes) return null
  const components = [...byMode(motion.answer.components).values()].filter((component) => component.mode < modes.length)
  if (components.length === 0) return null
  return (
    <Section title="Modes in it">
      {components.map((component) => <AmplitudeSlider key={component.mode} component={component} mode={modes[component.mode]!} />)}
    </Section>
  )
}

function AmplitudeSlider({ component, mode }: { component: Component; mode: ModePart }) {
  const { gait } = work.value
  const own = gait.edits.find((edit) => edit.mode === mode.index)?.amplitude
  const label = `${mode.index} · ${mode.name}`
  return (
    <Slider label={label} value={own ?? component.amplitude} least={0} most={1.5} text={(value) => value.toFixed(2)} follows={own == null}
      title="Amplitude: rad of the joint that moves most"
      onDrag={(value) => dragGait(`amplitude of ${mode.name}`, (gait) => withEdit(gait, mode.index, { amplitude: value }))}
      onRelease={() => doc.release()}
      onReset={own == null ? undefined : () => changeGait(`amplitude of ${mode.name}`, withEdit(gait, mode.index, { amplitude: null }))} />
  )
}

/** More than this is seen, mm. */
const VISIBLE = 1
/** Walks end and runs are over at these Froude numbers (Alexander 1989). */
const RUNS_ABOVE = 0.5
/** Body weights from nowhere above this cannot be believed. */
const BELIEVED = 0.3
/** More of the motion than this is the ground's doing rather than the modes'. */
const MUCH_CORRECTED = 0.5

function Meter({ report }: { report: GaitReport }) {
  const { speed, stride_length, stride_frequency, feet, froude, slip_mm: slip, penetration_mm: penetration, ground_correction_energy: groundCorrection, modal_share: modal, residual_force: fromNowhere, residual_moment: moment } = report
  return (
    <Section title="Meter">
      <dl class="meter">
        <Reading name="Speed" value={`${number(speed)} m/s`} title="Over the ground" />
        <Reading name="Stride" value={`${number(stride_length)} m`} title={`${number(stride_frequency)} strides a second`} />
        {slip !== null && <Reading name="Slip" value={`${slip.toFixed(2)} mm`} good={slip < VISIBLE} title="The farthest that a standing foot slides over the ground. Below 1 mm nobody sees it" />}
        {penetration !== null && <Reading name="Sinks in" value={`${penetration.toFixed(2)} mm`} good={penetration < VISIBLE} title="How deep the lowest point is below the ground. Below 1 mm nobody sees it" />}
        {froude !== null && <Reading name="Froude" value={number(froude, 2)} title={`v²/(g h): the same for animals of all sizes that move alike. ${froude > RUNS_ABOVE ? 'Animals run or trot here' : 'Animals walk here'}`} />}
        {fromNowhere !== null && <Reading name="From nowhere" value={`${number(fromNowhere, 2)} weights`} good={Math.max(fromNowhere, moment ?? 0) < BELIEVED} title={`The force that no foot could give, in body weights; as a moment ${number(moment ?? 0, 2)}. A person's recording has a tenth; above ${BELIEVED} gravity would not believe the motion`} />}
        {groundCorrection !== null && <Reading name="By the ground" value={percent(groundCorrection)} good={groundCorrection < MUCH_CORRECTED} title="How much of the motion was changed so that the feet stand, as a share of its energy" />}
        {modal !== null && <Reading name="Along its vibrations" value={percent(modal)} title="How much of the motion goes along the natural vibrations of the gait, as a share of its energy: how much of its style comes from the body" />}
      </dl>
      {feet.length > 0 && (
        <ul class="duties" aria-label="Duty factors">
          {feet.map(({ name, duty: share }) => (
            <li key={name} title={`${capital(spoken(name))} stands ${percent(share)} of the cycle`}>
              <span>{whichFoot(name)}</span>
              <span class="bar"><i style={{ width: `${share * 100}%` }} /></span>
              <span class="figure">{percent(share)}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function Reading({ name, value, good, title }: { name: string; value: string; good?: boolean; title: string }) {
  return (
    <div title={title} class={good === undefined ? '' : good ? 'good' : 'bad'}>
      <dt>{name}</dt>
      <dd>{good === undefined ? null : good ? <icons.Good /> : <icons.Warn />}{value}{good === false && <span class="hidden"> too much</span>}</dd>
    </div>
  )
}

import { capital, spoken } from '../bodyparts'
import type { CreatureAnswer, CreatureWork, LandmarkPart } from '../protocol'
import { correct, flow, placeLandmark, show, work } from '../studio'
import { FileButton } from './Gallery'
import { number } from './format'
import * as icons from './icons'
import { IconButton, NumberField, Section, Toggle } from './parts'
import { turned, worldToFile } from './turning'

/** Landmarks that gaits look for, and that may be missing. */
const KNOWN = [
  'foot.left', 'foot.right', 'foot.front.left', 'foot.front.right', 'foot.middle.left', 'foot.middle.right', 'foot.hind.left',
  'foot.hind.right', 'knee.left', 'knee.right', 'elbow.left', 'elbow.right', 'hand.left', 'hand.right', 'head', 'tail',
]

export function CreaturePanel() {
  const creature = flow.creature.value
  if (!creature) return null
  const { answer, of } = creature
  return (
    <>
      <section class="section intro">
        <h2>{capital(answer.name)}</h2>
        <p class="facts">
          {number(of.height ?? answer.height)} m tall · {number(of.mass ?? answer.mass)} kg · {answer.joints.filter((joint) => joint.kind !== 'free').length} joints
        </p>
        <FileButton label="Open your own" />
      </section>
      <Odd height={answer.height} of={of} kind={answer.kind} />
      <Landmarks creature={answer} />
      {answer.kind === 'gltf' && <Facing creature={answer} />}
      {(answer.kind === 'gltf' || answer.kind === 'recording') && (
        <Section title="Size">
          <div class="pair">
            <NumberField label="Height" unit="m" value={of.height} guess={answer.height} onChange={(height) => correct('height', { height })} />
            <NumberField label="Mass" unit="kg" value={of.mass} guess={answer.mass} onChange={(mass) => correct('mass', { mass })} />
          </div>
        </Section>
      )}
      {(of.own_tempo || answer.tempo?.differs) && (
        <Section title="Tempo">
          <Toggle label="In step with its own clips" on={of.own_tempo} title="All that moves takes as much less or more time as the clips of its file say. It keeps its size"
            onChange={(on) => correct(on ? 'tempo of its clips' : 'tempo of its size', { own_tempo: on })} />
          {answer.tempo && <p class="quiet">{capital(answer.tempo.said)}.</p>}
        </Section>
      )}
      {(of.free_root || !answer.joints.some((joint) => joint.kind === 'free')) && (
        <Section title="Root">
          <Toggle label="Floats freely" on={of.free_root} title="Its file hangs it from the world, where it cannot walk"
            onChange={(on) => correct(on ? 'set it free' : 'hang it up', { free_root: on })} />
        </Section>
      )}
      <Told title="Worth knowing" lines={answer.warnings} warn />
      <Told title="How it was read" lines={answer.notes} />
    </>
  )
}

/** Units that files are made in without saying so, m. */
const UNITS: [number, string][] = [[0.01, 'centimetre'], [0.0254, 'inch'], [0.001, 'millimetre'], [0.3048, 'foot'], [100, 'hundred metres']]
/** Nothing that walks is taller, and few that are smaller are animated, m. */
export const TALLEST = 5
export const SMALLEST = 0.05
/** Heights that most have, m: between these a unit is a good guess. */
const USUAL = [0.15, 3]

/** An implausible size is the first thing to know: tempo and strength follow from it. */
function Odd({ height, of, kind }: { height: number; of: CreatureWork; kind: CreatureAnswer['kind'] }) {
  if (of.height !== null || (kind !== 'gltf' && kind !== 'recording') || (height <= TALLEST && height >= SMALLEST)) return null
  const guesses = UNITS.map(([unit, name]) => [unit * height, `if its unit is the ${name}`] as const).filter(([tall]) => tall >= USUAL[0]! && tall <= USUAL[1]!)
  const choices = [...guesses, [0.7, 'as a dog'] as const, [1.75, 'as a person'] as const]
  return (
    <Section title="Is it that size?">
      <p class="quiet">By its file it is {number(height)} m tall, and so it moves. Choose another, or type it below.</p>
      <div class="chips">
        {choices.map(([tall, why]) => (
          <button type="button" class="chip" key={why} onClick={() => correct('height', { height: Number(tall.toPrecision(3)) })}>{number(tall)} m, {why}</button>
        ))}
      </div>
    </Section>
  )
}

function Landmarks({ creature }: { creature: CreatureAnswer }) {
  const said = work.value.creature.landmarks
  const removed = said.filter(([, target]) => target === '').map(([name]) => name)
  const shown = creature.landmarks.filter((landmark) => landmark.role !== 'spine')
  const missing = KNOWN.filter((name) => !creature.landmarks.some((landmark) => landmark.name === name))
  const placing = show.placing.value
  return (
    <Section title="What was found">
      <p class="quiet">
        {placing === null ? 'Something wrong? Click it here, then click its right place on the body.' : <>Click the <b>{spoken(placing)}</b> on the body. Esc stops.</>}
      </p>
      <ul class="rows" onPointerEnter={() => { show.explains.value = true }} onPointerLeave={() => {
        show.explains.value = false
        show.pointAt(null)
      }}>
        {shown.map((landmark) => <Landmark key={landmark.name} landmark={landmark} creature={creature} said={said} />)}
        {placing !== null && !shown.some((landmark) => landmark.name === placing) && (
          <li class="row chosen"><span class="dot new" /><span class="grow">{capital(spoken(placing))}</span><small>click the body</small></li>
        )}
        {removed.map((name) => (
          <li class="row gone" key={name}>
            <span class="dot" />
            <span class="grow">{capital(spoken(name))}</span>
            <small>removed</small>
            <IconButton small label={`Bring back ${spoken(name)}`} icon={<icons.Reset />} onClick={() => placeLandmark(name, null)} />
          </li>
        ))}
      </ul>
      {missing.length > 0 && (
        <label class="add">
          <icons.Plus />
          <select aria-label="Add a landmark" value="" onChange={(event) => {
            show.placing.value = event.currentTarget.value || null
            event.currentTarget.value = ''
          }}>
            <option value="">Add…</option>
            {missing.map((name) => <option key={name} value={name}>{capital(spoken(name))}</option>)}
          </select>
        </label>
      )}
    </Section>
  )
}

function Landmark({ landmark, creature, said }: { landmark: LandmarkPart; creature: CreatureAnswer; said: CreatureWork['landmarks'] }) {
  const { name, source, reason, body } = landmark
  const guessed = source !== 'user' && source !== 'file'
  const chosen = show.placing.value === name
  return (
    <li class={`row ${chosen ? 'chosen' : ''}`} onPointerEnter={() => show.pointAt([body])}>
      <button type="button" class="grow" aria-pressed={chosen} title={`${guessed ? 'Guessed' : source === 'user' ? 'As you said' : 'As the file says'}: ${reason}`}
        onClick={() => { show.placing.value = chosen ? null : name }}>
        <span class={`dot ${landmark.role} ${guessed ? 'guessed' : ''}`} />
        <span class="grow">{capital(spoken(name))}</span>
        <small>{creature.bodies[body]?.name}{guessed ? ' ?' : ''}</small>
      </button>
      {said.some(([other]) => other === name)
        ? <IconButton small label={`As it was: ${spoken(name)}`} icon={<icons.Reset />} onClick={() => placeLandmark(name, null)} />
        : <IconButton small label={`Remove ${spoken(name)}`} icon={<icons.Close />} onClick={() => placeLandmark(name, '')} />}
    </li>
  )
}

function Facing({ creature }: { creature: CreatureAnswer }) {
  const { skin } = creature
  if (!skin) return null
  // What the file calls ahead, guessed or said, is x in the world.
  const turn = (quarters: number) => correct('turn it', { forward: worldToFile(skin.orientation, turned([1, 0, 0], quarters)) })
  return (
    <Section title="Looks ahead" aside={work.value.creature.forward
      ? <IconButton small label="Guess again" icon={<icons.Reset />} onClick={() => correct('turn it', { forward: null })} />
      : undefined}>
      <p class="quiet">The arrow on the ground shows where it looks. Turn it if that is wrong.</p>
      <div class="pair">
        <button type="button" onClick={() => turn(1)}><icons.TurnLeft />Turn left</button>
        <button type="button" onClick={() => turn(-1)}><icons.TurnRight />Turn right</button>
      </div>
    </Section>
  )
}

export function Told({ title, lines, warn }: { title: string; lines: string[]; warn?: boolean }) {
  if (lines.length === 0) return null
  return (
    <Section title={`${title} (${lines.length})`} closed={!warn}>
      <ul class={`told ${warn ? 'warn' : ''}`}>{lines.map((line) => <li key={line}>{line}</li>)}</ul>
    </Section>
  )
}

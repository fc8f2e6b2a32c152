import { capital, spoken } from '../bodyparts'
import { still } from '../flow'
import type { DriveKind } from '../physics'
import { physics, standUp, work } from '../studio'
import { Told } from './CreaturePanel'
import { DEGREE, DEGREES, degrees, number } from './format'
import * as icons from './icons'
import { Choice, Section, Slider, Toggle } from './parts'

const DRIVES: { value: DriveKind; label: string; title: string }[] = [
  { value: 'gait', label: 'Gait', title: 'Muscles follow the gait; gravity and ground do the rest' },
  { value: 'pump', label: 'Green modes', title: 'Swings the modes that are marked green in the palette' },
  { value: 'passive', label: 'Nothing', title: 'Springs alone: drop it and push it' },
]

/** There where something was found. */
const CONTROLLER = { value: 'controller' as const, label: 'Controller', title: 'The bursts of torque that were found of the sketch, by their clock' }

export function PhysicsPanel() {
  const { gait, sketch } = work.value
  const found = sketch?.found?.controller != null
  const { state, drive } = physics
  const off = state.value === 'off'
  const missing = drive.value === 'gait' && still(gait) ? 'Press a gait first.' : drive.value === 'pump' && gait.prefer.length === 0 ? 'Mark modes green in the palette first.' : drive.value === 'controller' && !found ? 'Optimise a sketch first.' : null
  return (
    <>
      <Section title="Driven by">
        <Choice label="Driven by" value={drive.value} options={found || drive.value === 'controller' ? [...DRIVES, CONTROLLER] : DRIVES} onChange={(value) => { drive.value = value }} />
        {missing && <p class="quiet">{missing}</p>}
        <div class="pair">
          <button type="button" class={off ? 'primary' : ''} disabled={missing !== null && off} onClick={() => physics.toggle()}>
            {state.value === 'running' ? <><icons.Pause />Pause</> : <><icons.Play />{off ? 'Start' : 'Go on'}</>}
          </button>
          {off ? null : <button type="button" onClick={() => void physics.begin()} title="Back to the start (R)"><icons.Reset />Reset</button>}
        </div>
        {!off && <button type="button" class="wide-button" onClick={() => physics.stop()}><icons.Close />Leave the simulation</button>}
        {!off && <p class="quiet">Drag the body to push it.</p>}
        {physics.trouble.value && <p class="trouble" role="alert">{physics.trouble.value}</p>}
      </Section>
      <Section title="World">
        <Slider label="Pace" value={physics.pace.value} least={0.1} most={1} text={(value) => (value > 0.995 ? 'real time' : `×${value.toFixed(2)}`)}
          onDrag={(value) => { physics.pace.value = value }} onRelease={() => {}} onReset={physics.pace.value === 1 ? undefined : () => { physics.pace.value = 1 }} />
        {!off && physics.slow && (
          <p class="quiet" role="status">This machine needs more time: it runs at {Math.round(100 * physics.keepsUp.value * physics.pace.value)} % of real time.</p>
        )}
        <Toggle label="Helped to stay up" on={physics.help.value} title={drive.value === 'controller' ? 'Small corrections of its bursts, once per half cycle' : 'Springs stiff enough to carry it, and a hand that keeps its trunk upright: it has no sense of balance'}
          onChange={(on) => { physics.help.value = on }} />
        <Toggle label="Ground" on={physics.ground.value} onChange={(on) => { physics.ground.value = on }} />
        <Slider label="Slope" value={physics.slope.value} least={-20 * DEGREE} most={20 * DEGREE} fromMiddle text={degrees} shownAs={DEGREES}
          onDrag={(value) => { physics.slope.value = value }} onRelease={() => {}} onReset={physics.slope.value === 0 ? undefined : () => { physics.slope.value = 0 }} />
      </Section>
      <Readings />
      <Told title="Worth knowing" lines={physics.warnings.value} warn />
      {!off && !physics.help.value && drive.value !== 'pump' && (
        <section class="section">
          <button type="button" class="wide-button" title="Finds the stiffness that carries its weight, and begins again" onClick={() => void standUp()}>
            <icons.StandUp />Stand it up
          </button>
        </section>
      )}
    </>
  )
}

function Readings() {
  const reading = physics.reading.value
  if (!reading) return null
  const energies: [string, number][] = [['Motion', reading.energy[0]], ['Springs', reading.energy[1]], ['Height', reading.energy[2]]]
  const most = Math.max(...energies.map(([, energy]) => Math.abs(energy)), 1e-9)
  return (
    <Section title="Readings">
      <dl class="meter">
        <div><dt>Time</dt><dd>{reading.time.toFixed(1)} s</dd></div>
        <div><dt>Speed</dt><dd>{reading.speed.toFixed(2)} m/s</dd></div>
      </dl>
      <ul class="duties" aria-label="Energy">
        {energies.map(([name, energy]) => (
          <li key={name} title={`${name}: ${number(energy)} J`}>
            <span>{name}</span>
            <span class="bar"><i style={{ width: `${(Math.abs(energy) / most) * 100}%` }} /></span>
            <span class="figure">{number(energy)} J</span>
          </li>
        ))}
      </ul>
      <p class="quiet">{reading.touching.length ? `On the ground: ${reading.touching.map((name) => capital(spoken(name))).join(', ')}` : 'In the air'}</p>
    </Section>
  )
}

import { bearingOf, quarter, windFrom } from '../forest/breeze'
import { MOST_TREES } from '../protocol'
import { planting } from '../studio'
import { Told } from './CreaturePanel'
import { number } from './format'
import * as icons from './icons'
import { grove } from './ForestView'
import { Section, Slider, Toggle } from './parts'

/** Fewest and most nodes that have displacements. */
const NODES = [8, 2000] as const

export function ForestPanel() {
  const plant = planting.plant.value?.answer
  const wind = planting.wind.value
  const speed = Math.hypot(...wind)
  const bearing = speed < 0.05 ? 250 : bearingOf(wind)
  const setWind = (speed: number, bearing: number) => {
    planting.shown.value = null
    planting.wind.value = windFrom(speed, bearing)
  }
  return (
    <>
      {plant && (
        <section class="section">
          <p class="facts">{number(plant.height)} m tall, {number(plant.mass)} kg of wood, {plant.nodes} nodes</p>
        </section>
      )}
      <Section title="Wind">
        <Slider label="Speed" value={speed} least={0} most={25} text={(value) => `${value.toFixed(1)} m/s`} onDrag={(value) => setWind(value, bearing)} onRelease={() => {}} />
        <Slider label="From" value={bearing} least={0} most={360} text={(value) => `${quarter(value)}, ${Math.round(value)}°`} onDrag={(value) => setWind(Math.max(speed, 0.1), value)} onRelease={() => {}} />
        <Slider label="Gusts" value={planting.gusts.value} least={0} most={0.8} text={(value) => `${Math.round(100 * value)} %`} shownAs={100} title="Strength of gusts, in parts of the mean wind"
          onDrag={(value) => { planting.gusts.value = value }} onRelease={() => {}} />
        <div class="pair">
          <button type="button" onClick={() => setWind(0, bearing)}>Calm</button>
          <button type="button" onClick={() => grove.value && planting.puff(...grove.value.walker.onGround(0, -0.25))}>A gust</button>
        </div>
      </Section>
      <Section title="Forest">
        <Slider label="Trees" value={planting.trees.value ?? 1} least={1} most={MOST_TREES} ratios text={(value) => Math.round(value).toLocaleString('en')} onDrag={(value) => { planting.trees.value = Math.round(value) }} onRelease={() => {}} />
        <Slider label="Modes" value={planting.modes.value} least={1} most={plant?.modes.length ?? 25} text={(value) => String(Math.round(value))} title="Vibrations that are summed: the slowest first"
          onDrag={(value) => { planting.modes.value = Math.round(value) }} onRelease={() => {}} />
        <Slider label="Nodes" value={planting.nodes.value} least={NODES[0]} most={NODES[1]} ratios text={(value) => String(Math.round(value))} title="Of each tree; the others follow them"
          onDrag={(value) => { planting.nodes.value = Math.round(value) }} onRelease={() => {}} />
        <Toggle label="In a row" on={planting.row.value} onChange={(on) => { planting.row.value = on }} />
        {plant?.foliage !== 'blades' && <Toggle label="Leaves" on={planting.leaves.value} onChange={(on) => { planting.leaves.value = on }} />}
      </Section>
      <Section title="Wood">
        <Factor label="Stiffness" of={planting.stiffness} />
        <Factor label="Damping" of={planting.damping} />
      </Section>
      <Readings />
      <Told title="Worth knowing" lines={plant?.notes ?? []} />
      {planting.small.value && (
        <section class="section">
          <button type="button" class="wide-button" title="Each element a rigid link on three hinges, with springs" onClick={() => { planting.asCreature.value = true }}>
            <icons.Pose />Look at it as a creature
          </button>
        </section>
      )}
    </>
  )
}

function Factor({ label, of }: { label: string; of: { value: number } }) {
  return (
    <Slider label={label} value={of.value} least={0.1} most={10} ratios fromMiddle text={(value) => `×${value.toFixed(2)}`}
      onDrag={(value) => { of.value = value }} onRelease={() => {}} onReset={Math.abs(of.value - 1) < 1e-6 ? undefined : () => { of.value = 1 }} />
  )
}

function Readings() {
  const stats = planting.stats.value
  if (!stats) return null
  const script = stats.step + stats.choose + stats.draw
  return (
    <Section title="Readings">
      <dl class="meter">
        <div title="Frames a second, as drawn"><dt>Frames</dt><dd>{stats.fps.toFixed(0)} Hz</dd></div>
        <div title={`JavaScript in a frame: wind and oscillators ${stats.step.toFixed(2)} ms, which tree is drawn how ${stats.choose.toFixed(2)} ms, drawing ${stats.draw.toFixed(2)} ms`}><dt>Script</dt><dd>{script.toFixed(1)} ms</dd></div>
        <div title={`Trees by level of detail: ${stats.seen.join(', ')}`}><dt>In view</dt><dd>{stats.seen.reduce((sum, count) => sum + count, 0).toLocaleString('en')}</dd></div>
        <div title={`${stats.triangles.toLocaleString('en')} triangles`}><dt>Draws</dt><dd>{stats.drawCalls}</dd></div>
      </dl>
      <p class="quiet">{stats.software ? 'Drawn in software: fewer trees go faster.' : stats.renderer}</p>
    </Section>
  )
}

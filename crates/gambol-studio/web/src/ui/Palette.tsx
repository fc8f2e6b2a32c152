import { computed, effect, signal } from '@preact/signals'
import { memo } from './memo'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { capital } from '../bodyparts'
import type { Component, ModeEdit, ModePart } from '../protocol'
import { PaletteView } from '../stage'
import { changeGait, changeSketch, control, doc, dragGait, dragSketch, flow, show, work } from '../studio'
import { theme } from '../theme'
import { byMode, nextPreference, preferenceOf, type Preference, withEdit, withPreference } from '../work/marks'
import { amplitudeOf, markOf, MOST_AMPLITUDE, withAmplitude, withHelp, withMark, type Phase } from '../work/sketch'
import { fixedMoment } from '../moment'
import { degrees, hertz, withinTurn } from './format'
import { Choice, Scrub } from './parts'

type Filter = 'all' | 'used' | 'marked'

const filter = signal<Filter>('all')
const wanted = signal('')

const components = computed(() => byMode(flow.motion.value?.answer.components ?? []))

/** Rigid motions are no vibrations; they are shown where a gait uses them. */
const cells = computed<ModePart[]>(() => {
  const { gait, sketch } = work.value
  const words = wanted.value.trim().toLowerCase()
  if (show.sketching.value) {
    const palette = sketch![control.phase.value]
    const basis = control.basis.value
    return (basis?.modes ?? []).filter((mode) => {
      if (mode.rigid || (words && !`${mode.index} ${mode.name}`.toLowerCase().includes(words))) return false
      if (filter.value === 'used') return basis!.active.includes(mode.index)
      return filter.value === 'all' || markOf(palette, mode.index) !== 'none'
    })
  }
  return (flow.body.value?.answer.modes ?? []).filter((mode) => {
    const used = components.value.has(mode.index)
    if (mode.rigid && !used) return false
    if (words && !`${mode.index} ${mode.name}`.toLowerCase().includes(words)) return false
    if (filter.value === 'used') return used
    return filter.value === 'all' || preferenceOf(gait, mode.index) !== 'none' || gait.edits.some((edit) => edit.mode === mode.index)
  })
})

export let paletteView: PaletteView | null = null

export function Palette() {
  const canvas = useRef<HTMLCanvasElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const { gait } = work.value
  const shown = cells.value
  useEffect(() => {
    const view = new PaletteView(canvas.current!, scroller.current!, { theme: theme.peek() })
    paletteView = view
    if (fixedMoment) view.setPaused(true, Math.PI / 2)
    const ends = [
      theme.subscribe((theme) => view.setTheme(theme)),
      flow.creature.subscribe((creature) => {
        if (creature) void view.setCreature(creature.answer, creature.bytes, creature.fetchFile)
      }),
      effect(() => {
        const swings = show.sketching.value ? control.swings.value : flow.body.value?.swings
        if (swings) view.setModes(swings)
      }),
    ]
    return () => {
      for (const end of ends) end()
      paletteView = null
      view.dispose()
    }
  }, [])
  // Before the screen shows the new cells, so that none is empty for a frame.
  const sketching = show.sketching.value
  const order = `${sketching ? control.phase.value : ''} ${shown.map((mode) => mode.index).join()}`
  useLayoutEffect(() => {
    const pictures = [...scroller.current!.querySelectorAll<HTMLElement>('.picture')]
    paletteView?.setCells(pictures.map((element) => ({ mode: Number(element.dataset['mode']), element })))
  }, [order, paletteView])
  return (
    <section class="palette" aria-label="Natural motions">
      <header>
        {sketching
          ? <Choice label="Phase" value={control.phase.value} options={PHASES} onChange={(phase) => { control.phase.value = phase }} />
          : <h3>Natural motions</h3>}
        <small>{shown.length} · click: <b class="prefer">+ {sketching ? 'wanted' : 'prefer'}</b>, again: <b class="avoid">− {sketching ? 'never' : 'avoid'}</b></small>
        <div class="spring" />
        <div class="choice" role="radiogroup" aria-label="Which motions">
          {(['all', 'used', 'marked'] as Filter[]).map((value) => (
            <button type="button" role="radio" aria-checked={filter.value === value} onClick={() => { filter.value = value }}>{capital(value)}</button>
          ))}
        </div>
        <input type="search" placeholder="Find" aria-label="Find a motion by its name" value={wanted.value} onInput={(event) => { wanted.value = event.currentTarget.value }} />
      </header>
      <div class="pictures">
        <div class="scroller" ref={scroller} onPointerLeave={() => { show.hovered.value = null }} onKeyDown={walk}>
          {sketching && shown.map((mode, index) => <SketchCell key={`${control.phase.value} ${mode.index}`} mode={mode} phase={control.phase.value} first={index === 0} />)}
          {!sketching && shown.map((mode, index) => (
            <Cell key={mode.index} mode={mode} component={components.value.get(mode.index)} edit={gait.edits.find((edit) => edit.mode === mode.index)}
              preference={preferenceOf(gait, mode.index)} first={index === 0} />
          ))}
          {shown.length === 0 && <p class="quiet empty">{flow.body.value ? 'None of them.' : 'The natural motions of the body appear here.'}</p>}
        </div>
        <canvas ref={canvas} aria-hidden="true" />
      </div>
    </section>
  )
}

const SIGNS: Record<Preference, string> = { prefer: '+', avoid: '−', none: '' }
const SAID: Record<Preference, string> = { prefer: ', preferred', avoid: ', avoided', none: '' }

interface CellProps {
  mode: ModePart
  component: Component | undefined
  edit: ModeEdit | undefined
  preference: Preference
  first: boolean
}

const Cell = memo(function Cell({ mode, component, edit, preference, first }: CellProps) {
  const { index, name } = mode
  const lit = component !== undefined
  const amplitude = edit?.amplitude ?? component?.amplitude ?? 0
  const phase = withinTurn(edit?.phase ?? component?.phase ?? 0)
  const harmonic = edit?.harmonic ?? component?.harmonic ?? 1
  const say = (what: string, change: Partial<ModeEdit>) => dragGait(`${what} of ${name}`, (gait) => withEdit(gait, index, change))
  const frequency = mode.rigid ? 'rigid' : hertz(mode.frequency)
  return (
    <div class={`cell ${preference} ${lit ? 'lit' : ''}`} onPointerEnter={() => { show.hovered.value = index }}>
      <button type="button" class="picture" data-mode={index} tabIndex={first ? 0 : -1}
        aria-label={`Mode ${index}: ${name}, ${frequency}${SAID[preference]}${lit ? ', in use' : ''}`}
        title={`${capital(name)}\n${lit ? 'In this gait. ' : ''}Click to prefer, again to avoid, again for neither`}
        onFocus={(event) => { if (event.currentTarget.matches(':focus-visible')) show.hovered.value = index }}
        onBlur={() => { show.hovered.value = null }}
        onClick={() => {
          const next = nextPreference(preference)
          changeGait(next === 'none' ? `unmark ${name}` : `${next} ${name}`, withPreference(work.peek().gait, index, next))
        }}>
        <span class="number">{index}<b>{frequency}</b></span>
        {preference !== 'none' && <span class="sign" aria-hidden="true">{SIGNS[preference]}</span>}
      </button>
      <p class="name" title={name}>{capital(name)}</p>
      <p class="values">
        <Scrub label={`Amplitude of ${name}`} value={amplitude} least={0} most={1.5} step={0.01} set={edit?.amplitude != null} text={(value) => (value === 0 ? '–' : value.toFixed(2))}
          onDrag={(value) => say('amplitude', { amplitude: value })} onRelease={() => doc.release()} />
        <Scrub label={`Phase of ${name}`} value={phase} least={0} most={2 * Math.PI} step={Math.PI / 36} wraps set={edit?.phase != null} text={(value) => (amplitude === 0 ? '–' : degrees(value))}
          onDrag={(value) => say('phase', { phase: value })} onRelease={() => doc.release()} />
        <button type="button" class={`harmonic ${edit?.harmonic != null ? 'set' : ''}`} aria-label={`Frequency: ${harmonic} times the gait's`} title="Once or twice in each cycle"
          onClick={() => changeGait(`frequency of ${name}`, withEdit(work.peek().gait, index, { harmonic: harmonic === 1 ? 2 : 1 }))}>×{harmonic}</button>
      </p>
    </div>
  )
}, (a, b) => a.mode.frequency === b.mode.frequency && a.mode.name === b.mode.name && a.component === b.component && a.edit === b.edit && a.preference === b.preference && a.first === b.first)

const PHASES: { value: Phase; label: string; title: string }[] = [
  { value: 'flight', label: 'In flight', title: 'Modes of the free body, driven while a foot swings' },
  { value: 'ground', label: 'On the ground', title: 'Modes with the standing toe pinned, driven while a foot stands' },
]

const WANTED: Record<Preference, string> = { prefer: ', wanted', avoid: ', never', none: '' }

/** A mode of a phase of the sketch. */
function SketchCell({ mode, phase, first }: { mode: ModePart; phase: Phase; first: boolean }) {
  const { index, name } = mode
  const palette = work.value.sketch?.[phase]
  if (!palette) return null
  const active = control.basis.value?.active ?? []
  const mark = markOf(palette, index)
  const helps = active.includes(index)
  const amplitude = amplitudeOf(palette, index)
  return (
    <div class={`cell ${mark} ${helps ? 'helps' : 'unused'}`} onPointerEnter={() => { show.hovered.value = index }}>
      <button type="button" class="picture" data-mode={index} tabIndex={first ? 0 : -1}
        aria-label={`Mode ${index}: ${name}, ${hertz(mode.frequency)}${WANTED[mark]}`}
        title={`${capital(name)}\nClick if it is wanted, again if it must not be seen, again for neither`}
        onFocus={(event) => { if (event.currentTarget.matches(':focus-visible')) show.hovered.value = index }}
        onBlur={() => { show.hovered.value = null }}
        onClick={() => {
          const next = nextPreference(mark)
          changeSketch(next === 'none' ? `unmark ${name}` : next === 'prefer' ? `want ${name}` : `never ${name}`, (sketch) => withMark(sketch, phase, index, next))
        }}>
        <span class="number">{index}<b>{hertz(mode.frequency)}</b></span>
        {mark !== 'none' && <span class="sign" aria-hidden="true">{SIGNS[mark]}</span>}
      </button>
      <p class="name" title={name}>{capital(name)}</p>
      <p class="values">
        {amplitude !== null
          ? (
            <>
              <Scrub label={`Least amplitude of ${name}`} value={amplitude} least={-MOST_AMPLITUDE} most={MOST_AMPLITUDE} step={0.01} set reach={300} text={(value) => `${value > 0 ? '+' : '−'}${Math.abs(value).toFixed(2)}`}
                onDrag={(value) => dragSketch(`amplitude of ${name}`, (sketch) => withAmplitude(sketch, phase, index, value))} onRelease={() => doc.release()} />
              <button type="button" class="harmonic" aria-label={`Turn ${name} round`} title="The other way round" onClick={() => changeSketch(`turn ${name} round`, (sketch) => withAmplitude(sketch, phase, index, -amplitude))}>±</button>
            </>
          )
          : mark === 'none' && (
            <button type="button" class={`harmonic may ${helps ? 'set' : ''}`} aria-pressed={helps} title={helps ? 'A search may use it. Click to leave it out' : 'A search leaves it out. Click to let it help'}
              onClick={() => changeSketch(`${helps ? 'leave out' : 'let help'} ${name}`, (sketch) => withHelp(sketch, phase, index, !helps, active))}>{helps ? 'may help' : 'not used'}</button>
          )}
      </p>
    </div>
  )
}

/** Arrow keys go from picture to picture. */
function walk(event: KeyboardEvent): void {
  const from = event.target as HTMLElement
  if (!from.matches('.picture')) return
  const all = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('.picture')]
  const at = all.indexOf(from)
  const top = from.getBoundingClientRect().top
  const perRow = Math.max(all.filter((picture) => Math.abs(picture.getBoundingClientRect().top - top) < 2).length, 1)
  const ways: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: perRow, ArrowUp: -perRow, Home: -at, End: all.length - 1 - at }
  const way = ways[event.key]
  if (way === undefined) return
  event.preventDefault()
  event.stopPropagation()
  all[Math.min(Math.max(at + way, 0), all.length - 1)]?.focus()
}

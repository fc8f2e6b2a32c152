import { computed, signal } from '@preact/signals'
import { memo } from './memo'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { capital } from '../bodyparts'
import type { ComponentPart, ModeEdit, ModePart } from '../protocol'
import { PaletteView } from '../stage'
import { changeGait, doc, dragGait, flow, show, work } from '../studio'
import { theme } from '../theme'
import { byMode, nextPreference, preferenceOf, type Preference, withEdit, withPreference } from '../work/marks'
import { fixedMoment } from '../moment'
import { degrees, hertz, withinTurn } from './format'
import { Scrub } from './parts'

type Filter = 'all' | 'used' | 'marked'

const filter = signal<Filter>('all')
const wanted = signal('')

const components = computed(() => byMode(flow.motion.value?.answer.components ?? []))

/** Rigid motions are no vibrations; they are shown where a gait uses them. */
const cells = computed<ModePart[]>(() => {
  const { gait } = work.value
  const words = wanted.value.trim().toLowerCase()
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
      flow.body.subscribe((body) => {
        if (body) view.setModes(body.swings)
      }),
    ]
    return () => {
      for (const end of ends) end()
      paletteView = null
      view.dispose()
    }
  }, [])
  // Before the screen shows the new cells, so that none is empty for a frame.
  const order = shown.map((mode) => mode.index).join()
  useLayoutEffect(() => {
    const pictures = [...scroller.current!.querySelectorAll<HTMLElement>('.picture')]
    paletteView?.setCells(pictures.map((element) => ({ mode: Number(element.dataset['mode']), element })))
  }, [order, paletteView])
  return (
    <section class="palette" aria-label="Natural motions">
      <header>
        <h3>Natural motions</h3>
        <small>{shown.length} · click: <b class="prefer">+ prefer</b>, again: <b class="avoid">− avoid</b></small>
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
          {shown.map((mode, index) => (
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
  component: ComponentPart | undefined
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

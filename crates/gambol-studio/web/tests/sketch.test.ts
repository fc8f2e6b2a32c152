// A sketch is what the user marked: a click changes one mark and nothing else, and what was found of another sketch is gone with
// it. A search is the page's to drive: it goes on after the engine was lost, what it finds is part of one step of undo, and
// nothing that is undone is written over.
import { signal } from '@preact/signals'
import { describe, expect, it } from 'vitest'
import { Control } from '../src/control'
import { type Engine, Refusal, type Reply } from '../src/engine/engine'
import { Flow } from '../src/flow'
import type { FoundWork, SketchWork } from '../src/protocol'
import { Document } from '../src/work/document'
import { creatureFrom, workOn } from '../src/work/empty'
import { amplitudeOf, bare, grown, logCurves, markOf, type Point, withAmplitude, withHelp, withMark } from '../src/work/sketch'

const none = { offset: 0, count: 0 }
const found: FoundWork = { seed: 3, controller: 'text', status: 'stopped', short: null, evaluations: 7, speed: 1, gap: 2 }

function run(): SketchWork {
  const palette = () => ({ priority: [], permissible: null, excluded: [] })
  return {
    name: 'run', creature: 'biped', pose: null, legs: 'alternate', stance: ['foot.left'], stiffness: 1, damping: 0.1, period: 0.7, size: 0.9, flight_share: 0.5,
    bursts: [0.1, 0.1], speed: 3, least_speed: 2, most_effort: 5e5, flight: palette(), ground: palette(), found: null,
  }
}

describe('marks of a sketch', () => {
  it('are green with an amplitude, red, or none, in one phase only', () => {
    const green = withMark(run(), 'flight', 9, 'prefer')
    expect([markOf(green.flight, 9), amplitudeOf(green.flight, 9), markOf(green.ground, 9)]).toEqual(['prefer', 0.2, 'none'])
    const red = withMark(green, 'flight', 9, 'avoid')
    expect([markOf(red.flight, 9), red.flight.priority, red.flight.excluded]).toEqual(['avoid', [], [9]])
    expect(withMark(red, 'flight', 9, 'none')).toEqual(run())
  })

  it('keep the amplitude of a mode that is marked again, and never make it nought', () => {
    const green = withAmplitude(withMark(run(), 'ground', 4, 'prefer'), 'ground', 4, -0.5)
    expect(amplitudeOf(withMark(green, 'ground', 4, 'prefer').ground, 4)).toBe(-0.5)
    expect(amplitudeOf(withAmplitude(green, 'ground', 4, 0).ground, 4)).toBe(-0.01)
  })

  it('say which modes may help; what must not be seen does not', () => {
    const active = [6, 7, 8]
    const less = withHelp(withMark(run(), 'flight', 6, 'prefer'), 'flight', 7, false, active)
    expect(less.flight.permissible).toEqual([8])
    expect(withHelp(less, 'flight', 30, true, active).flight.permissible).toEqual([8, 30])
    expect(withMark(less, 'flight', 8, 'avoid').flight.permissible).toEqual([])
  })

  it('take what was found with them', () => {
    expect(withMark({ ...run(), found }, 'flight', 9, 'prefer').found).toBeNull()
    expect(withHelp({ ...run(), found }, 'flight', 9, true, []).found).toBeNull()
    expect(bare({ ...run(), found })).toEqual(run())
  })
})

describe('the curve', () => {
  it('stays short, and keeps its first and last points', () => {
    let curve: Point[] = []
    for (let k = 1; k <= 3000; k++) curve = grown(curve, { evaluations: k, value: k, gap: k, roundGap: k })
    expect(curve.length).toBeLessThanOrEqual(400)
    expect([curve[0]!.evaluations, curve.at(-1)!.evaluations]).toEqual([1, 3000])
  })

  it('falls to the right on a scale of ratios, with the goal in the box', () => {
    const { path, goal } = logCurves([[[0, 100], [10, 10], [20, NaN], [30, 0.1]]], 1, 90, 30)[0]!
    const heights = [...path.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y))
    expect(heights).toHaveLength(3)
    // Steps of one and two powers of ten.
    expect((heights[2]! - heights[1]!) / (heights[1]! - heights[0]!)).toBeCloseTo(2, 1)
    expect(goal!).toBeGreaterThan(heights[1]!)
    expect(goal!).toBeLessThan(heights[2]!)
    expect(logCurves([[[0, NaN]], []], 1, 10, 10)).toEqual([{ path: '', goal: null }, { path: '', goal: null }])
  })
})

/** An engine whose search converges after some steps; `forgets` makes it another one. */
function studio(last = 6) {
  const asked: string[] = []
  let steps: number | null = null
  const kept = new Map<string, unknown>()
  const basis = { modes: [], shapes: none, roots: none, swing: 1, pose: [], active: [] }
  const told = (keep: boolean) => ({
    doing: 'sampling', round: 0, evaluations: 10 * steps!, round_gap: 5, outcome: steps! >= last ? { how: 'converged' } : null,
    best: { value: 1, product: 1, speed: 2, gap: 1 / (steps! + 1), constraints: [] },
    clip: null, kept: keep ? { controller: `controller ${steps}`, checkpoint: `${steps}` } : null,
  })
  const engine: Engine = {
    local: false,
    connection: signal('open' as const),
    greeting: signal(null),
    ask: async (kind, body) => {
      asked.push(kind)
      // A turn of the loop, as a socket takes.
      await new Promise((resume) => setTimeout(resume, 1))
      const words = body as Record<string, any>
      const answer = (): unknown => {
        switch (kind) {
          case 'creature': return { name: 'dog', bodies: [], joints: [], landmarks: [], limbs: [], nq: 0, nv: 0, reference: [] }
          case 'sketch': return { sketch: words['sketch'], flight: basis, ground: basis, feet: [], numbers: 10 }
          case 'preview':
          case 'cycle': return { clip: { name: '', keys: 0, times: none, poses: none, duration: 1, stride: null, contacts: [] } }
          case 'search':
            steps = Number(words['checkpoint'] ?? 0)
            return told(false)
          case 'improve':
            if (steps === null) throw new Refusal('no search is running')
            steps += words['steps']
            return told(words['keep'] ?? false)
          case 'save': return void kept.set(words['tab'], words['work']), {}
          case 'load': return { work: kept.get(words['tab']) ?? null }
          default: return {}
        }
      }
      return { answer: answer(), bytes: new Uint8Array(new ArrayBuffer(0)) } as unknown as Reply<never>
    },
  }
  const document = new Document(workOn(creatureFrom({ from: 'gallery', name: 'dog' })))
  const flow = new Flow(engine, document)
  const control = new Control(engine, document, flow, () => 'place')
  document.change('new sketch', (work) => ({ ...work, sketch: run() }))
  const rest = async (until: () => boolean) => {
    for (let k = 0; k < 200 && !until(); k++) await new Promise((resume) => setTimeout(resume, 2))
    expect(until()).toBe(true)
  }
  return { asked, document, control, rest, forget: () => { steps = null }, now: () => document.work.value.sketch!.found }
}

describe('a search', () => {
  it('ends converged, as one step of undo', async () => {
    const { document, control, rest, now } = studio()
    control.optimise()
    expect(now()!.status).toBe('running')
    await rest(() => now()?.status === 'converged')
    expect(now()).toMatchObject({ controller: 'controller 6', evaluations: 60, speed: 2, seed: 1 })
    expect(control.running.value).toBe(false)
    expect(control.curve.value.length).toBeGreaterThan(3)
    document.undo()
    expect(now()).toBeNull()
    expect(document.undoable.value).toBe('new sketch')
  })

  it('stops and goes on where it was, in another engine too', async () => {
    const { control, rest, now, forget, asked } = studio(1000)
    control.optimise()
    await rest(() => control.curve.value.length > 5)
    control.stop()
    await rest(() => now()?.status === 'stopped')
    const { evaluations } = now()!
    expect(evaluations).toBeGreaterThan(0)
    forget()
    asked.length = 0
    control.goOn()
    await rest(() => (control.progress.value?.evaluations ?? 0) > evaluations)
    expect(asked[0]).toBe('search')
    forget() // while it runs: the page begins again by itself, from what it kept
    await rest(() => asked.filter((kind) => kind === 'search').length === 2)
    await rest(() => control.progress.value!.evaluations > evaluations)
    control.stop()
    await rest(() => now()?.status === 'stopped')
  })

  it('ends where it is undone, or the sketch changes, and writes nothing there', async () => {
    const { document, control, rest, now } = studio(1000)
    control.optimise()
    await rest(() => control.curve.value.length > 2)
    document.undo()
    expect(control.running.value).toBe(false)
    await new Promise((resume) => setTimeout(resume, 20))
    expect(now()).toBeNull()
    control.optimise()
    await rest(() => control.curve.value.length > 2)
    document.change('want it', (work) => ({ ...work, sketch: withMark(work.sketch!, 'flight', 9, 'prefer') }))
    expect(control.running.value).toBe(false)
    await new Promise((resume) => setTimeout(resume, 20))
    expect(now()).toBeNull()
  })
})

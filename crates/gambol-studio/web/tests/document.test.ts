// Undo is the user's safety net: every change is one step back, a drag is one however long, what follows from a change
// goes with it, and marks on modes stay on the same motions although the body counts its modes anew.
import { describe, expect, it } from 'vitest'
import { Document } from '../src/work/document'
import { creatureFrom, emptyGait, workOn } from '../src/work/empty'
import { whole } from '../src/work/keeper'
import { byMode, marksOf, nextPreference, preferenceOf, recount, withEdit, withPreference } from '../src/work/marks'

function dog(now = { value: 0 }) {
  return new Document(workOn(creatureFrom({ from: 'gallery', name: 'dog' })), () => now.value)
}

const weigh = (document: Document, weight: number) =>
  document.change('weight', (work) => ({ ...work, style: { ...work.style, weight } }))
const drag = (document: Document, weight: number) =>
  document.drag('weight', (work) => ({ ...work, style: { ...work.style, weight } }))

describe('undo', () => {
  it('goes back and forth step by step, and says what it will do', () => {
    const document = dog()
    expect(document.undoable.value).toBeNull()
    weigh(document, 2)
    document.change('trot', (work) => ({ ...work, gait: { ...work.gait, name: 'trot' } }))
    expect(document.undoable.value).toBe('trot')
    document.undo()
    expect(document.work.value.gait.name).toBeNull()
    expect(document.work.value.style.weight).toBe(2)
    expect([document.undoable.value, document.redoable.value]).toEqual(['weight', 'trot'])
    document.undo()
    document.undo()
    expect(document.work.value.style.weight).toBe(1)
    document.redo()
    document.redo()
    expect(document.work.value.gait.name).toBe('trot')
    expect(document.redoable.value).toBeNull()
  })

  it('forgets what lay ahead once something else is done', () => {
    const document = dog()
    weigh(document, 2)
    document.undo()
    weigh(document, 3)
    document.redo()
    expect(document.work.value.style.weight).toBe(3)
  })

  it('takes a drag back as one', () => {
    const document = dog()
    for (const weight of [1.1, 1.2, 1.3]) drag(document, weight)
    expect(document.undoable.value).toBeNull()
    document.release()
    document.undo()
    expect(document.work.value.style.weight).toBe(1)
    expect(document.undoable.value).toBeNull()
  })

  it('knows no step for a drag that came back, or a change that changed nothing', () => {
    const document = dog()
    drag(document, 2)
    drag(document, 1)
    document.release()
    weigh(document, 1)
    expect(document.undoable.value).toBeNull()
  })

  it('takes the arrow keys of one slider as one gesture, until there is a pause', () => {
    const now = { value: 0 }
    const document = dog(now)
    for (const [weight, at] of [[1.1, 0], [1.2, 200], [1.3, 5000]] as const) {
      now.value = at
      drag(document, weight)
      document.release()
    }
    document.undo()
    expect(document.work.value.style.weight).toBe(1.2)
    document.undo()
    expect(document.work.value.style.weight).toBe(1)
  })

  it('takes what followed from a change with it', () => {
    const document = dog()
    document.change('choose human', () => workOn(creatureFrom({ from: 'gallery', name: 'human' })))
    document.settle((work) => ({ ...work, gait: { ...work.gait, name: 'walk' } }))
    document.undo()
    expect(document.work.value.creature.source).toEqual({ from: 'gallery', name: 'dog' })
    document.redo()
    expect(document.work.value.gait.name).toBe('walk')
  })
})

const follow = (old: number, now: number, factor = 1) => ({ old, new: now, factor, likeness: 1 })

describe('marks', () => {
  it('go round: none, prefer, avoid, none', () => {
    let { gait } = dog().work.value
    const seen = []
    for (let click = 0; click < 3; click++) {
      gait = withPreference(gait, 9, nextPreference(preferenceOf(gait, 9)))
      seen.push([gait.prefer, gait.avoid])
    }
    expect(seen).toEqual([[[9], []], [[], [9]], [[], []]])
  })

  it('follow their motions to other numbers, turned round where these are', () => {
    const { gait } = dog().work.value
    const marked = withEdit(withPreference(withPreference(gait, 9, 'prefer'), 11, 'avoid'), 9, { amplitude: 0.4, phase: 1, offset: 0.1 })
    const now = recount(marked, [follow(9, 11, -2), follow(11, 9)])
    expect(now.prefer).toEqual([11])
    expect(now.avoid).toEqual([9])
    expect(now.edits).toEqual([{ mode: 11, amplitude: 0.8, phase: 1 + Math.PI, offset: -0.2 }])
    // A gait has a phase of its own for a mode that nobody gave one; without a gait it is 0.
    const loud = withEdit(gait, 9, { amplitude: 0.4 })
    expect(recount({ ...loud, name: 'trot' }, [follow(9, 9, -1)]).edits).toEqual([{ mode: 9, amplitude: 0.4 }])
    expect(recount(loud, [follow(9, 9, -1)]).edits).toEqual([{ mode: 9, amplitude: 0.4, phase: Math.PI }])
  })

  it('are one for each mode, however many swings it is made of', () => {
    const swing = { mode: 9, phase: 1, harmonic: 1, offset: 0.1 }
    const [one, ...more] = byMode([{ ...swing, amplitude: 0.2 }, { ...swing, amplitude: -0.5, phase: 2, offset: 0.2 }]).values()
    expect(more).toEqual([])
    expect(one).toMatchObject({ mode: 9, amplitude: 0.5, phase: 1 })
    expect(one!.offset).toBeCloseTo(0.3)
  })

  it('that meet in one motion are one, and green wins', () => {
    const { gait } = dog().work.value
    const now = recount(withPreference(withPreference(gait, 9, 'prefer'), 11, 'avoid'), [follow(9, 7), follow(11, 7)])
    expect([now.prefer, now.avoid]).toEqual([[7], []])
  })

  it('leave no edit behind that says nothing', () => {
    const { gait } = dog().work.value
    expect(withEdit(withEdit(gait, 4, { amplitude: 0.2 }), 4, { amplitude: null }).edits).toEqual([])
    expect(marksOf(withEdit(gait, 4, { offset: 0.2 }))).toEqual([4])
  })

  it('are counted from the start of a drag, so that errors do not add up', () => {
    const document = dog()
    document.change('edit', (work) => ({ ...work, gait: withEdit(work.gait, 9, { amplitude: 1 }) }))
    const { style } = document.work.value
    for (const weight of [1.1, 1.2, 1.3]) {
      drag(document, weight)
      const from = document.counting
      expect(from.counted).toEqual(style)
      document.count(from, document.work.value.style, [follow(9, 10, 0.9)])
    }
    document.release()
    expect(document.work.value.gait.edits).toEqual([{ mode: 10, amplitude: 0.9 }])
    expect(document.present.counted).toEqual(document.work.value.style)
    document.undo()
    expect(document.work.value.gait.edits).toEqual([{ mode: 9, amplitude: 1 }])
    expect(document.present.counted).toEqual(style)
  })

  it('made while the engine counts are not lost: it is asked once more', () => {
    const document = dog()
    document.change('prefer', (work) => ({ ...work, gait: withPreference(work.gait, 9, 'prefer') }))
    weigh(document, 2)
    const from = document.counting
    document.change('prefer', (work) => ({ ...work, gait: withPreference(work.gait, 12, 'prefer') }))
    document.count(from, document.work.value.style, [follow(9, 10)])
    expect(document.work.value.gait.prefer).toEqual([9, 12])
    expect(document.present.counted).not.toEqual(document.work.value.style)
  })
})

describe('work that was kept by version 1', () => {
  it('is read as if it were of today', () => {
    const creature = { source: { from: 'gallery', name: 'biped' }, landmarks: [], height: null, mass: null, forward: null, joints: [], freeRoot: true }
    const gait = { name: 'run', file: null, speed: 2, stride: 1.5, frequency: null, duty: null, turn: 0, slope: 0, ground: true, prefer: [7], avoid: [], edits: [] }
    const sketch = { name: 'run', pose: 'run', legs: 'alternate', stance: [], stiffness: 1, damping: 0.1, period: 0.7, flightShare: 0.4, bursts: [0.1, 0.1], speed: 3, leastSpeed: 2, mostEffort: 5e5, flight: {}, ground: {}, found: null }
    const style = { pose: null, bend: [], stiffness: null, scale: [], constraints: [], weight: 1, tension: 1, injured: [] }
    const kept = { work: { version: 1, creature, style, gait, sketch }, counted: style, label: '' }
    const { work } = whole(kept as unknown as Parameters<typeof whole>[0])
    expect(work.creature.free_root).toBe(true)
    expect(work.creature.own_tempo).toBe(false)
    expect(work.gait).toEqual({ ...emptyGait(), name: 'run', speed: 2, stride_length: 1.5, prefer: [7] })
    expect(work.sketch).toMatchObject({ creature: 'biped', flight_share: 0.4, least_speed: 2, most_effort: 5e5 })
    expect(JSON.stringify(work)).not.toMatch(/freeRoot|flightShare|leastSpeed|mostEffort|"stride"/)
    // What is of today stays.
    expect(whole({ work, counted: work.style, label: '' }).work).toEqual(work)
    expect(whole({ work: { ...work, sketch: null }, counted: work.style, label: '' }).work.sketch).toBeNull()
  })
})

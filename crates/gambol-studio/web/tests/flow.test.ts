// The page asks the engine for creature, body, gaits and motion: each when what it depends on changed and not otherwise,
// or sliders would be slow; always for the newest work; and a refusal stops what depends on it and nothing else.
import { signal } from '@preact/signals'
import { describe, expect, it } from 'vitest'
import { type Engine, Refusal, type Reply } from '../src/engine/engine'
import { Flow, styleFor } from '../src/flow'
import type { Style } from '../src/protocol'
import { Document } from '../src/work/document'
import { creatureFrom, emptyStyle, same, workOn } from '../src/work/empty'
import { withPreference } from '../src/work/marks'

type Asked = { kind: string; body: Record<string, unknown> }

const none = { offset: 0, count: 0 }

function answers(kind: string, body: Record<string, unknown>): unknown {
  switch (kind) {
    case 'creature': return { name: 'dog', bodies: [], joints: [], landmarks: [], limbs: [], nq: 0, nv: 0, reference: [] }
    case 'body': return {
      modes: [], shapes: none, roots: none, swing: 1, pose: [], stiffness: [], mass: 1,
      // Every mode moves up by one.
      follows: ((body['marks'] ?? []) as number[]).map((old) => ({ old, new: old + 1, factor: 1, likeness: 1 })),
    }
    case 'gaits': return { gaits: [{ name: 'walk', suits: true, reason: null, style: null }, { name: 'trot', suits: true, reason: null, style: null }] }
    default: return { clip: { name: '', keys: 0, times: none, poses: none, duration: 1, stride: null, contacts: [] }, report: {}, components: [], frequency: 1, warnings: [] }
  }
}

/** An engine that answers at once, unless it is to refuse. */
function studio() {
  const asked: Asked[] = []
  const refuses = new Set<string>()
  const engine: Engine = {
    local: false,
    connection: signal('open' as const),
    greeting: signal(null),
    ask: async (kind, body) => {
      asked.push({ kind, body: body as Record<string, unknown> })
      if (refuses.has(kind)) throw new Refusal(`no ${kind}`)
      return { answer: answers(kind, body as Record<string, unknown>), bytes: new Uint8Array(new ArrayBuffer(0)) } as unknown as Reply<never>
    },
  }
  const creature = creatureFrom({ from: 'gallery', name: 'dog' })
  const document = new Document(workOn(creature))
  const flow = new Flow(engine, document)
  const since = async () => {
    await new Promise((resume) => setTimeout(resume))
    return asked.splice(0).map(({ kind }) => kind)
  }
  const style = (change: Partial<Style>) => document.change('style', (work) => ({ ...work, style: { ...work.style, ...change } }))
  return { asked, refuses, document, flow, since, style, creature }
}

describe('the flow', () => {
  it('begins a new creature with a gait, as part of the same step', async () => {
    const { flow, document, since, creature } = studio()
    flow.beginWithGait(creature)
    flow.start()
    expect(await since()).toEqual(['creature', 'body', 'gaits', 'motion'])
    expect(document.work.value.gait.name).toBe('trot')
    expect(document.undoable.value).toBeNull()
  })

  it('asks only for what changed', async () => {
    const { flow, document, since, style } = studio()
    flow.start()
    expect(await since()).toEqual(['creature', 'body', 'gaits'])
    document.change('walk', (work) => ({ ...work, gait: { ...work.gait, name: 'walk' } }))
    expect(await since()).toEqual(['motion'])
    style({ weight: 2 })
    expect(await since()).toEqual(['body', 'gaits', 'motion'])
    document.change('mass', (work) => ({ ...work, creature: { ...work.creature, mass: 3 } }))
    expect(await since()).toEqual(['creature', 'body', 'gaits', 'motion'])
    document.change('nothing', (work) => ({ ...work }))
    expect(await since()).toEqual([])
  })

  it('counts marks on the new body, once', async () => {
    const { flow, document, since, style, asked } = studio()
    flow.start()
    await since()
    document.change('prefer', (work) => ({ ...work, gait: withPreference(work.gait, 9, 'prefer') }))
    expect(await since()).toEqual([])
    style({ weight: 2 })
    await new Promise((resume) => setTimeout(resume))
    const body = asked.filter(({ kind }) => kind === 'body')
    expect(body).toHaveLength(1)
    expect(body[0]!.body).toMatchObject({ from: emptyStyle(), marks: [9] })
    expect(document.work.value.gait.prefer).toEqual([10])
    document.undo()
    await since()
    // As it was, and not counted back.
    expect(document.work.value.gait.prefer).toEqual([9])
  })

  it('stops at a refusal, says why, and goes on when the work changes', async () => {
    const { flow, since, style, refuses } = studio()
    flow.start()
    await since()
    refuses.add('body')
    style({ weight: 2 })
    expect(await since()).toEqual(['body'])
    expect(flow.trouble.value).toEqual({ at: 'body', text: 'no body' })
    refuses.clear()
    style({ weight: 3 })
    expect(await since()).toEqual(['body', 'gaits'])
    expect(flow.trouble.value).toBeNull()
  })

  it('asks for the motion of a body only when its slider rests', async () => {
    const { flow, document, since } = studio()
    flow.start()
    document.change('walk', (work) => ({ ...work, gait: { ...work.gait, name: 'walk' } }))
    await since()
    document.drag('weight', (work) => ({ ...work, style: { ...work.style, weight: 2 } }))
    expect(await since()).toEqual(['body'])
    document.release()
    expect(await since()).toEqual(['gaits', 'motion'])
  })
})

describe('a gait that brings its own body', () => {
  const cart = { ...emptyStyle(), constraints: ['hands:cart'] }
  const list = [{ name: 'walk', suits: true, reason: null, style: null }, { name: 'push-cart', suits: true, reason: null, style: cart }]

  it('leaves with it, unless the user changed that body', () => {
    expect(styleFor(list[1]!, list, emptyStyle())).toEqual(cart)
    expect(styleFor(list[0]!, list, cart)).toEqual(emptyStyle())
    const heavy = { ...cart, weight: 2 }
    expect(styleFor(list[0]!, list, heavy)).toEqual(heavy)
  })

  it('is known in whatever order its words come', () => {
    expect(same({ a: 1, b: [1, { c: 2, d: null }] }, { b: [1, { d: null, c: 2 }], a: 1 })).toBe(true)
    expect(same({ a: 1 }, { a: 1, b: undefined })).toBe(false)
    expect(same([1, 2], [2, 1])).toBe(false)
    expect(same(null, {})).toBe(false)
  })
})

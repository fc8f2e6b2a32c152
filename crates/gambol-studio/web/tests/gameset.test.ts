// A set of clips takes a minute, so the page asks for one clip after the other: it tells which, gives way to sliders, can be
// ended at any clip, and makes the set anew for an engine that has forgotten it. One file comes of it, or a word why not.
import { signal } from '@preact/signals'
import { describe, expect, it } from 'vitest'
import { type Engine, Refusal, type Reply } from '../src/engine/engine'
import { Flow } from '../src/flow'
import { GameSet } from '../src/gameset'
import { Document } from '../src/work/document'
import { creatureFrom, workOn } from '../src/work/empty'

const CLIPS = ['idle', 'walk', 'jump']

/** An engine that makes three clips; `meanwhile` is called before every answer. */
function studio(meanwhile: (kind: string, done: number) => void = () => undefined) {
  const saved: string[] = []
  const asked: { kind: string; body: Record<string, unknown> }[] = []
  let done = -1
  const engine: Engine = {
    local: false,
    connection: signal('open' as const),
    greeting: signal(null),
    ask: async (kind, body) => {
      asked.push({ kind, body: body as unknown as Record<string, unknown> })
      await Promise.resolve()
      meanwhile(kind, done)
      if (kind === 'export' && done < CLIPS.length) throw new Refusal('the set is not made yet; press Set for a game once more')
      if (kind === 'set') done = Math.min(done + 1, CLIPS.length)
      const answer = kind === 'set' ? { done, most: CLIPS.length, next: CLIPS[done] ?? null } : { name: 'dog-locomotion.glb', mime: '', warnings: ['jump: high'] }
      return { answer, bytes: new Uint8Array(new ArrayBuffer(0)) } as unknown as Reply<never>
    },
  }
  const document = new Document(workOn(creatureFrom({ from: 'gallery', name: 'dog' })))
  const set = new GameSet(engine, document, new Flow(engine, document), (name) => saved.push(name))
  return { set, document, saved, asked, forget: () => { done = -1 } }
}

describe('a set for a game', () => {
  it('is asked for clip by clip, told on the way, and saved as one file', async () => {
    const told: (string | null | undefined)[] = []
    const { set, saved, asked } = studio(() => told.push(set.making.value?.next))
    await set.make(true)
    expect(asked.map(({ kind }) => kind)).toEqual(['set', 'set', 'set', 'set', 'export'])
    expect(told).toEqual([null, ...CLIPS, null])
    expect(asked.at(-1)!.body).toMatchObject({ what: { of: 'set', gait: null }, format: 'glb', in_place: true })
    expect(saved).toEqual(['dog-locomotion.glb'])
    expect(set.making.value).toBeNull()
    expect(set.ended.value).toEqual({ good: true, text: 'Saved dog-locomotion.glb, 3 clips', warnings: ['jump: high'] })
  })

  it('ends with the clip that is being made when it is cancelled', async () => {
    const { set, saved, asked } = studio((_, done) => done === 1 && set.cancel())
    await set.make(false)
    expect(asked.length).toBe(3)
    expect([saved, set.making.value, set.ended.value]).toEqual([[], null, null])
    // And can be asked for again.
    await set.make(false)
    expect(saved.length).toBe(1)
  })

  it('is of the creature as it was when it was asked for', async () => {
    const { set, document, asked } = studio((_, done) => done === 0 && document.change('weight', (work) => ({ ...work, style: { ...work.style, weight: 2 } })))
    await set.make(false)
    expect(asked.map(({ body }) => (body['style'] as { weight: number }).weight)).toEqual(asked.map(() => 1))
  })

  it('gives way to a slider', async () => {
    const { set, document, asked, saved } = studio((_, done) => done === 0 && document.drag('weight', (work) => ({ ...work, style: { ...work.style, weight: 2 } })))
    const made = set.make(false)
    for (let k = 0; k < 20; k++) await Promise.resolve()
    expect(asked.length).toBe(2)
    document.release()
    await made
    expect(saved.length).toBe(1)
  })

  it('is made anew by an engine that has forgotten it', async () => {
    let forgotten = false
    const { set, saved, asked, forget } = studio((kind) => {
      if (kind !== 'export' || forgotten) return
      forgotten = true
      forget()
    })
    await set.make(false)
    expect(asked.filter(({ kind }) => kind === 'export').length).toBe(2)
    expect(saved.length).toBe(1)
  })

  it('that cannot be is told in words', async () => {
    const { set, saved } = studio(() => { throw new Refusal('it has no legs') })
    await set.make(false)
    expect([saved, set.making.value]).toEqual([[], null])
    expect(set.ended.value).toMatchObject({ good: false, text: 'it has no legs' })
  })
})

// A slider makes hundreds of requests a second. However slow the engine, at most one of a kind is with it, and the last
// one made is always answered: else the page would show a body that is not the one of its sliders.
import { signal } from '@preact/signals'
import { describe, expect, it } from 'vitest'
import type { Engine, Reply } from '../src/engine/engine'
import { Latest } from '../src/engine/latest'
import type { Goal } from '../src/protocol'
import { creatureFrom, emptyStyle } from '../src/work/empty'

/** An engine that answers when it is told to. */
function slowEngine() {
  const open: { body: unknown; answer: () => void; refuse: () => void }[] = []
  const engine: Engine = {
    local: false,
    connection: signal('open' as const),
    greeting: signal(null),
    ask: (_, body) => new Promise((settle, fail) => {
      open.push({
        body,
        answer: () => settle({ answer: body, bytes: new Uint8Array() } as unknown as Reply<never>),
        refuse: () => fail(new Error('no')),
      })
    }),
  }
  return { engine, open }
}

const asks = (x: number) => {
  const pull: Goal = { body: x, point: [0, 0, 0], target: [0, 0, 0] }
  return { creature: creatureFrom({ from: 'gallery', name: 'dog' }), style: emptyStyle(), pulls: [pull] }
}
const asked = (body: unknown) => (body as ReturnType<typeof asks>).pulls[0]!.body
const soon = () => new Promise((resume) => setTimeout(resume))

describe('the latest request', () => {
  it('takes the place of those that wait', async () => {
    const { engine, open } = slowEngine()
    const latest = new Latest(engine, 'reach')
    const replies = [1, 2, 3, 4].map((x) => latest.ask(asks(x)))
    expect(open.map(({ body }) => asked(body))).toEqual([1])
    open[0]!.answer()
    await soon()
    expect(open.map(({ body }) => asked(body))).toEqual([1, 4])
    open[1]!.answer()
    const answers = await Promise.all(replies)
    expect(answers.map((reply) => reply && asked(reply.answer))).toEqual([1, null, null, 4])
  })

  it('is asked although the one before it was refused', async () => {
    const { engine, open } = slowEngine()
    const latest = new Latest(engine, 'reach')
    const first = latest.ask(asks(1))
    const second = latest.ask(asks(2))
    open[0]!.refuse()
    await expect(first).rejects.toThrow('no')
    await soon()
    open[1]!.answer()
    expect(asked((await second)!.answer)).toBe(2)
    expect(open).toHaveLength(2)
  })
})

// The server may be killed and started again at any moment. Every request is then answered all the same, by the next
// engine, once; a request that itself kills every engine is given up, and an engine of another version is asked nothing.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fromFrame, toFrame } from '../src/engine/frame'
import { Link } from '../src/engine/link'
import { VERSION } from '../src/protocol'

class FakeSocket {
  static all: FakeSocket[] = []
  readonly heads: { id: number; ask: string }[] = []
  binaryType = ''
  readyState = 0
  onopen = () => {}
  onmessage = (_: { data: ArrayBuffer }) => {}
  onclose = () => {}
  constructor() {
    FakeSocket.all.push(this)
  }
  send(frame: ArrayBuffer | Uint8Array<ArrayBuffer>) {
    this.heads.push(fromFrame(frame instanceof Uint8Array ? frame.buffer : frame).head as { id: number; ask: string })
  }
  meet(version = VERSION) {
    this.onopen()
    this.reply(this.heads[0]!.id, { answer: { version } })
  }
  reply(id: number, head: object) {
    this.onmessage({ data: toFrame({ id, ...head }).buffer })
  }
  /** Names of requests after the greeting. */
  get asked() {
    return this.heads.slice(1).map((head) => head.ask)
  }
  last(ask: string) {
    return this.heads.findLast((head) => head.ask === ask)!.id
  }
}

const socket = () => FakeSocket.all.at(-1)!
const link = () => new Link(() => new FakeSocket() as unknown as WebSocket)

beforeEach(() => {
  FakeSocket.all = []
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

describe('the link', () => {
  it('greets first, and then sends what was asked meanwhile', async () => {
    const engine = link()
    const answer = engine.ask('load', { tab: 'a' })
    expect(socket().heads).toHaveLength(0)
    socket().meet()
    expect(engine.connection.value).toBe('open')
    expect(socket().asked).toEqual(['load'])
    socket().reply(socket().last('load'), { answer: { work: 5 } })
    expect((await answer).answer).toEqual({ work: 5 })
  })

  it('asks again after the server came back, and only what was not answered', async () => {
    const engine = link()
    socket().meet()
    const done = engine.ask('load', { tab: 'a' })
    socket().reply(socket().last('load'), { answer: { work: 1 } })
    await done
    const open = engine.ask('save', { tab: 'a', work: null })
    socket().onclose()
    expect(engine.connection.value).toBe('lost')
    await vi.advanceTimersByTimeAsync(300)
    expect(FakeSocket.all).toHaveLength(2)
    socket().meet()
    expect(engine.connection.value).toBe('open')
    expect(socket().asked).toEqual(['save'])
    socket().reply(socket().last('save'), { answer: {} })
    expect((await open).answer).toEqual({})
  })

  it('waits longer and longer, but never for ever', async () => {
    link()
    for (let attempt = 0; attempt < 12; attempt++) {
      socket().onclose()
      await vi.advanceTimersByTimeAsync(4000)
    }
    expect(FakeSocket.all).toHaveLength(13)
  })

  it('gives up what stops every engine', async () => {
    const engine = link()
    const fate = engine.ask('hello', {}).then(() => 'answered', (error: Error) => error.message)
    for (let attempt = 0; attempt < 3; attempt++) {
      socket().meet()
      socket().onclose()
      await vi.advanceTimersByTimeAsync(4000)
    }
    expect(await fate).toContain('stopped 3 times')
    socket().meet()
    expect(socket().asked).toEqual([])
  })

  it('tells the engine’s own words where there is no answer', async () => {
    const engine = link()
    socket().meet()
    const answer = engine.ask('load', { tab: 'a' })
    socket().reply(socket().last('load'), { error: 'the file is not a glTF' })
    await expect(answer).rejects.toThrow('the file is not a glTF')
  })

  it('asks nothing of an engine of another version', () => {
    const engine = link()
    void engine.ask('load', { tab: 'a' })
    socket().meet(VERSION + 1)
    expect(engine.connection.value).toBe('outdated')
    expect(socket().asked).toEqual([])
    socket().onclose()
    expect(engine.connection.value).toBe('outdated')
  })
})

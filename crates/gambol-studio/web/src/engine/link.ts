import { signal } from '@preact/signals'
import { type Hello, VERSION } from '../protocol'
import { type Ask, type Connection, type Engine, type Kind, Refusal, type Reply } from './engine'
import { fromFrame, toFrame } from './frame'

/** Waits between attempts to reach the engine: doubled from the first to the last, ms. */
const FIRST_WAIT = 250
const LAST_WAIT = 4000

/** A request during which the connection broke this many times is given up: it may be what stops the engine. */
const MOST_ATTEMPTS = 3

/** A way for messages to an engine and back: a WebSocket, or a worker that is used like one. */
export interface Transport {
  onopen: ((event: never) => unknown) | null
  onmessage: ((message: MessageEvent<ArrayBuffer>) => unknown) | null
  onclose: ((event: never) => unknown) | null
  send(frame: ArrayBuffer | Uint8Array<ArrayBuffer>): void
}

interface Pending {
  frame: ArrayBuffer
  /** Sent to the engine that is there now. */
  sent: boolean
  attempts: number
  settle: (reply: Reply<Kind>) => void
  fail: (error: Error) => void
}

interface Head { id: number; answer?: unknown; error?: string }

/**
 * An engine over a way that may break: the one of `gambol studio` over a WebSocket, or one in a worker. It takes a new way by
 * itself, and then asks again what was not answered: every request carries all that it needs.
 */
export class Link implements Engine {
  readonly local = false
  readonly connection = signal<Connection>('opening')
  readonly greeting = signal<Hello | null>(null)
  private readonly pending = new Map<number, Pending>()
  private way: Transport | null = null
  private lastId = 0
  private wait = FIRST_WAIT
  private retry: ReturnType<typeof setTimeout> | undefined

  /**
   * `open` makes a way: a test makes its own. So many requests are under way at most: over one at a time it is known which of
   * them stopped an engine.
   */
  constructor(private readonly open: () => Transport, private readonly atOnce = Infinity) {
    this.connect()
    // Someone who comes back to the page should not wait for the next attempt.
    globalThis.addEventListener?.('focus', () => this.hurry())
  }

  ask<K extends Kind>(kind: K, body: Ask<K>, bytes?: Uint8Array): Promise<Reply<K>> {
    return new Promise((settle, fail) => {
      const id = ++this.lastId
      const frame = toFrame({ id, ask: kind, ...body }, bytes).buffer
      this.pending.set(id, { frame, sent: false, attempts: 0, settle: settle as (reply: Reply<Kind>) => void, fail })
      if (this.connection.value === 'open') this.sendNext()
    })
  }

  private connect(): void {
    const way = this.open()
    this.way = way
    let greeting: number | null = null
    way.onopen = () => {
      greeting = ++this.lastId
      way.send(toFrame({ id: greeting, ask: 'hello' }))
    }
    way.onmessage = ({ data }) => {
      const { head, bytes } = fromFrame(data)
      const { id, answer, error } = head as Head
      if (id === greeting) this.greet(answer as Hello)
      else this.settle(id, answer, error, bytes)
    }
    way.onclose = () => this.lose()
  }

  /** The engine is there: what was asked meanwhile is asked now. */
  private greet(hello: Hello): void {
    this.wait = FIRST_WAIT
    if (hello.version !== VERSION) {
      this.connection.value = 'outdated'
      return
    }
    this.greeting.value = hello
    this.connection.value = 'open'
    this.sendNext()
  }

  /** What was not sent yet, as far as there is room on the way. */
  private sendNext(): void {
    let underWay = [...this.pending.values()].filter(({ sent }) => sent).length
    for (const pending of this.pending.values()) {
      if (underWay >= this.atOnce) return
      if (pending.sent) continue
      pending.sent = true
      pending.attempts++
      underWay++
      this.way?.send(pending.frame)
    }
  }

  private settle(id: number, answer: unknown, error: string | undefined, bytes: Reply<Kind>['bytes']): void {
    const pending = this.pending.get(id)
    if (!pending) return
    this.pending.delete(id)
    if (error === undefined) pending.settle({ answer, bytes } as Reply<Kind>)
    else pending.fail(new Refusal(error))
    this.sendNext()
  }

  private lose(): void {
    if (this.connection.value === 'outdated') return
    this.connection.value = 'lost'
    this.way = null
    for (const [id, pending] of this.pending) {
      const { attempts, sent, fail } = pending
      pending.sent = false
      if (!sent || attempts < MOST_ATTEMPTS) continue
      this.pending.delete(id)
      fail(new Refusal(`The engine stopped ${attempts} times while it worked on this. Undo the last change, or try another.`))
    }
    this.retry = setTimeout(() => this.connect(), this.wait)
    this.wait = Math.min(2 * this.wait, LAST_WAIT)
  }

  private hurry(): void {
    if (this.connection.value !== 'lost' || this.way !== null) return
    clearTimeout(this.retry)
    this.connect()
  }
}

/** The engine that served this page. */
export function linkToServer(page: Location): Link {
  const address = new URL('socket', page.href)
  address.protocol = page.protocol === 'https:' ? 'wss:' : 'ws:'
  address.search = new URLSearchParams({ token: new URLSearchParams(page.search).get('token') ?? '' }).toString()
  address.hash = ''
  return new Link(() => {
    const socket = new WebSocket(address)
    socket.binaryType = 'arraybuffer'
    return socket
  })
}

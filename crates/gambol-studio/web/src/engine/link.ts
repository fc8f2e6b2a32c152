import { signal } from '@preact/signals'
import { type Hello, VERSION } from '../protocol'
import { type Ask, type Connection, type Engine, type Kind, Refusal, type Reply } from './engine'
import { fromFrame, toFrame } from './frame'

/** Waits between attempts to reach the engine: doubled from the first to the last, ms. */
const FIRST_WAIT = 250
const LAST_WAIT = 4000

/** A request during which the connection broke this many times is given up: it may be what stops the engine. */
const MOST_ATTEMPTS = 3

interface Pending {
  frame: ArrayBuffer
  attempts: number
  settle: (reply: Reply<Kind>) => void
  fail: (error: Error) => void
}

interface Head { id: number; answer?: unknown; error?: string }

/**
 * The engine of `gambol studio`, over a WebSocket. It reconnects by itself, and then asks again what was not answered:
 * every request carries all that it needs.
 */
export class Link implements Engine {
  readonly connection = signal<Connection>('opening')
  readonly greeting = signal<Hello | null>(null)
  private readonly pending = new Map<number, Pending>()
  private socket: WebSocket | null = null
  private lastId = 0
  private wait = FIRST_WAIT
  private retry: ReturnType<typeof setTimeout> | undefined

  /** `open` makes a socket: a test makes its own. */
  constructor(private readonly open: () => WebSocket) {
    this.connect()
    // Someone who comes back to the page should not wait for the next attempt.
    globalThis.addEventListener?.('focus', () => this.hurry())
  }

  ask<K extends Kind>(kind: K, body: Ask<K>, bytes?: Uint8Array): Promise<Reply<K>> {
    return new Promise((settle, fail) => {
      const id = ++this.lastId
      const frame = toFrame({ id, ask: kind, ...body }, bytes).buffer
      this.pending.set(id, { frame, attempts: 0, settle: settle as (reply: Reply<Kind>) => void, fail })
      if (this.connection.value === 'open') this.send(id)
    })
  }

  private connect(): void {
    const socket = this.open()
    socket.binaryType = 'arraybuffer'
    this.socket = socket
    let greeting: number | null = null
    socket.onopen = () => {
      greeting = ++this.lastId
      socket.send(toFrame({ id: greeting, ask: 'hello' }))
    }
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
      const { head, bytes } = fromFrame(data)
      const { id, answer, error } = head as Head
      if (id === greeting) this.greet(answer as Hello)
      else this.settle(id, answer, error, bytes)
    }
    socket.onclose = () => this.lose()
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
    for (const id of this.pending.keys()) this.send(id)
  }

  private send(id: number): void {
    const pending = this.pending.get(id)!
    pending.attempts++
    this.socket?.send(pending.frame)
  }

  private settle(id: number, answer: unknown, error: string | undefined, bytes: Reply<Kind>['bytes']): void {
    const pending = this.pending.get(id)
    if (!pending) return
    this.pending.delete(id)
    if (error === undefined) pending.settle({ answer, bytes } as Reply<Kind>)
    else pending.fail(new Refusal(error))
  }

  private lose(): void {
    if (this.connection.value === 'outdated') return
    this.connection.value = 'lost'
    for (const [id, { attempts, fail }] of this.pending) {
      if (attempts < MOST_ATTEMPTS) continue
      this.pending.delete(id)
      fail(new Refusal(`The engine stopped ${attempts} times while it worked on this. Undo the last change, or try another.`))
    }
    this.retry = setTimeout(() => this.connect(), this.wait)
    this.wait = Math.min(2 * this.wait, LAST_WAIT)
  }

  private hurry(): void {
    if (this.connection.value !== 'lost' || this.socket?.readyState !== WebSocket.CLOSED) return
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
  return new Link(() => new WebSocket(address))
}

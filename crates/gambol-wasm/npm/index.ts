import { fromFrame, toFrame } from './engine/frame.js'
import { compile, EngineModule, Trap } from './engine/module.js'
import type { Requests } from './protocol.js'

export type * from './protocol.js'
export { compile, Trap }

/** Why there is no answer, in words for a user. */
export class Refusal extends Error {}

/** What is asked of an engine, and how it answers: see `Requests`. */
export type Kind = keyof Requests
export interface Answer<K extends Kind> {
  answer: Requests[K]['answer']
  /** What the answer points into: files, and long arrays of numbers (f32, little-endian). */
  bytes: Uint8Array<ArrayBuffer>
}

/** Bytes of `gambol.wasm`, which may be gzipped, a module of it, or an answer to `fetch`. */
export type Source = ArrayBuffer | Uint8Array<ArrayBuffer> | WebAssembly.Module | Response | PromiseLike<Response>

/**
 * One engine, on the thread of whoever asks: in a page, best in a worker. It has no file, clock, network or random number of its own,
 * and the same questions have the same answers, bit for bit, as in the program `gambol`.
 */
export class Engine {
  private constructor(private readonly module: EngineModule) {}
  private last = 0

  static async load(source: Source): Promise<Engine> {
    const from = await source
    if (from instanceof WebAssembly.Module) return new Engine(await EngineModule.start(from))
    const bytes = typeof Response !== 'undefined' && from instanceof Response ? await from.arrayBuffer() : (from as ArrayBuffer | Uint8Array<ArrayBuffer>)
    return new Engine(await EngineModule.start(await compile(bytes)))
  }

  /** Throws a `Refusal` where there is no answer, and a `Trap` where the engine stopped: that one is not to be asked again. */
  ask<K extends Kind>(kind: K, body: Requests[K]['ask'], bytes?: Uint8Array): Answer<K> {
    const answered = fromFrame(this.module.answer(toFrame({ id: ++this.last, ask: kind, ...body }, bytes)).buffer)
    const { answer, error } = answered.head as { answer?: Requests[K]['answer']; error?: string }
    if (error !== undefined) throw new Refusal(error)
    return { answer: answer as Requests[K]['answer'], bytes: answered.bytes }
  }
}

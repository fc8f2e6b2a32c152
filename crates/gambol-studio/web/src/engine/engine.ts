import type { ReadonlySignal } from '@preact/signals'
import type { Hello, Requests } from '../protocol'
import type { Bytes } from '../stage/bytes'

export type Kind = keyof Requests
export type Ask<K extends Kind> = Requests[K]['ask']

/** What was asked for, and the bytes that it points into. */
export interface Reply<K extends Kind> { answer: Requests[K]['answer']; bytes: Bytes }

/**
 * opening: for the first time; lost: it will be asked again by itself; outdated: page and engine are of different
 * versions, and only a reload helps.
 */
export type Connection = 'opening' | 'open' | 'lost' | 'outdated'

/** Answers the page. Nothing here says how: over a socket, or in the page itself. */
export interface Engine {
  /** Rejects with a `Refusal` where the engine has no answer. Waits while the engine is away. */
  ask<K extends Kind>(kind: K, body: Ask<K>, bytes?: Uint8Array): Promise<Reply<K>>
  /** It is in the page: files stay in the browser, and nothing else keeps them. */
  readonly local: boolean
  readonly connection: ReadonlySignal<Connection>
  /** What the engine said of itself when it was last met. */
  readonly greeting: ReadonlySignal<Hello | null>
}

/** Why there is no answer, in the engine's words for the user. */
export class Refusal extends Error {}

/** The words of an error for the user. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

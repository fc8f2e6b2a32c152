import type { Ask, Engine, Kind, Reply } from './engine'

/**
 * Requests of which only the newest matters: one is in flight, and of those that come meanwhile the last waits. So a
 * slider never outruns the engine.
 */
export class Latest<K extends Kind> {
  private busy = false
  private waiting: { body: Ask<K>; settle: (reply: Promise<Reply<K>> | null) => void } | null = null

  constructor(private readonly engine: Engine, private readonly kind: K) {}

  /** The answer, or null if a newer request took this one's place before it was sent. */
  ask(body: Ask<K>): Promise<Reply<K> | null> {
    return new Promise((settle) => {
      this.waiting?.settle(null)
      this.waiting = { body, settle }
      if (!this.busy) void this.go()
    })
  }

  private async go(): Promise<void> {
    this.busy = true
    while (this.waiting) {
      const { body, settle } = this.waiting
      this.waiting = null
      const reply = this.engine.ask(this.kind, body)
      settle(reply)
      // Whoever asked hears of an error; here it only ends the turn.
      await reply.catch(() => null)
    }
    this.busy = false
  }
}

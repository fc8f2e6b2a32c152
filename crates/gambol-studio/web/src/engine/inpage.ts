import type { Transport } from './link'

/** A worker with an engine in it, as a way for messages. After a trap it is thrown away. */
export class EngineWorker implements Transport {
  onopen = () => {}
  onmessage = (_: { data: ArrayBuffer }) => {}
  onclose = () => {}
  private readonly worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  private ended = false

  constructor(module: Promise<WebAssembly.Module>) {
    this.worker.onmessage = ({ data }: MessageEvent<ArrayBuffer | string | null>) => {
      if (data === null) this.onopen()
      else if (typeof data === 'string') this.end(data)
      else this.onmessage({ data })
    }
    this.worker.onerror = (event) => {
      event.preventDefault()
      this.end(event.message)
    }
    module.then((module) => this.worker.postMessage(module), (error: unknown) => this.end(String(error)))
  }

  send(frame: ArrayBuffer | Uint8Array<ArrayBuffer>): void {
    // A copy: what is not answered is asked again.
    this.worker.postMessage(frame instanceof Uint8Array ? frame.buffer : frame)
  }

  /** As if it had trapped: for tests of what comes after. */
  end(words: string): void {
    if (this.ended) return
    this.ended = true
    this.worker.terminate()
    console.info(`the engine stopped: ${words}`)
    this.onclose()
  }
}

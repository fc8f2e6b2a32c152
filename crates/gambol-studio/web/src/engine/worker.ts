// The engine in a thread of its own. The first message is its module, all others are messages to answer.
import { EngineModule } from './module'

/** What this thread is to the page: the types of windows and workers do not go together. */
const port = self as unknown as { onmessage: (message: MessageEvent<WebAssembly.Module | ArrayBuffer>) => unknown; postMessage(message: unknown, moved?: Transferable[]): void }
let engine: EngineModule | null = null

port.onmessage = async ({ data }) => {
  try {
    if (engine === null) {
      engine = await EngineModule.start(data as WebAssembly.Module)
      port.postMessage(null)
      return
    }
    const { buffer } = engine.answer(new Uint8Array(data as ArrayBuffer))
    port.postMessage(buffer, [buffer])
  } catch (error) {
    port.postMessage(error instanceof Error ? error.message : String(error))
  }
}

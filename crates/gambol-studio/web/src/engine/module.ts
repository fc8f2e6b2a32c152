/** What the module of `crates/gambol-wasm` offers. */
interface Exports {
  memory: WebAssembly.Memory
  /** Room for a message of so many bytes: where it is. */
  room(length: number): number
  /** Answers the message in the room: how many bytes the answer has. */
  answer(): number
  /** Where the answer is. */
  place(): number
  /** What was said last, after a trap. */
  words(): number
  words_length(): number
}

/** The engine gave up in the middle of a message. It is not to be asked again: take a new one. */
export class Trap extends Error {}

const GZIP = [0x1f, 0x8b]

/** A module from its bytes, which may be compressed by gzip: then it does not matter what a server thinks that they are. */
export async function compile(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  const whole = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)
  if (!GZIP.every((byte, k) => whole[k] === byte)) return WebAssembly.compile(whole)
  const plain = new Blob([whole]).stream().pipeThrough(new DecompressionStream('gzip'))
  return WebAssembly.compile(await new Response(plain).arrayBuffer())
}

/** One engine in a module of WebAssembly. It needs nothing from outside. */
export class EngineModule {
  private constructor(private readonly exports: Exports) {}

  static async start(module: WebAssembly.Module): Promise<EngineModule> {
    const instance = await WebAssembly.instantiate(module, {})
    return new EngineModule(instance.exports as unknown as Exports)
  }

  /** The answer to a message, both as `frame.ts` has them. */
  answer(message: Uint8Array): Uint8Array<ArrayBuffer> {
    const { memory, room, answer, place } = this.exports
    try {
      // Each call first: the memory may grow in it, and its buffer is then another.
      const at = room(message.length)
      new Uint8Array(memory.buffer, at, message.length).set(message)
      const length = answer()
      const told = place()
      return new Uint8Array(memory.buffer, told, length).slice() as Uint8Array<ArrayBuffer>
    } catch (error) {
      throw new Trap(this.lastWords() || String(error))
    }
  }

  private lastWords(): string {
    const { memory, words, words_length: length } = this.exports
    try {
      return new TextDecoder().decode(new Uint8Array(memory.buffer, words(), length()).slice())
    } catch {
      return ''
    }
  }
}

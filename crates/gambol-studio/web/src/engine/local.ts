import { type ReadonlySignal, signal } from '@preact/signals'
import type { CreatureWork } from '../protocol'
import type { Dropped } from '../work/stash'
import { type Ask, type Engine, type Kind, Refusal, type Reply, words } from './engine'
import { toText, withoutPictures, withPictures } from './glb'
import { EngineWorker } from './inpage'
import { Link } from './link'
import { compile } from './module'
import { BrowserShelf } from './shelf'

/** What an engine says whose bundles went with the one before. */
const GONE = 'the files of this creature are no longer here'

/** What takes long has an engine of its own, so that sliders stay alive. */
const ASIDE: Kind[] = ['search', 'improve', 'stop', 'set']

/** Of the files that were dropped as they were: two that differ in a picture alone are two for the engine as well. */
const MARK = 'pictures.sum'

/**
 * The engine in the page itself, where there is no server: one worker for what is seen, one for what takes long. They keep nothing;
 * files and work are on a shelf in the browser, and an engine that begins anew is given what it needs of them.
 */
export class LocalEngine implements Engine {
  readonly local = true
  readonly shelf = new BrowserShelf()
  private readonly workers: EngineWorker[] = []
  private readonly here: Link
  private readonly aside: () => Link
  readonly connection
  readonly greeting

  constructor(address: URL) {
    const module = once(() => load(address).then((module) => {
      this.failure.value = null
      return module
    }, (error: unknown) => {
      this.failure.value = words(error)
      throw error
    }))
    const way = (place: number) => () => (this.workers[place] = new EngineWorker(module()))
    this.here = new Link(way(0), 1)
    let aside: Link | undefined
    this.aside = () => (aside ??= new Link(way(1), 1))
    this.connection = this.here.connection
    this.greeting = this.here.greeting
  }

  /** Why there is no engine to begin with. */
  readonly failure = signal<string | null>(null)

  /** Why the browser does not keep something. */
  get trouble(): ReadonlySignal<string | null> {
    return this.shelf.trouble
  }

  /** All workers end as if they had trapped: for tests of what comes after. */
  trap(): void {
    for (const worker of this.workers) worker?.end('a test')
  }

  async ask<K extends Kind>(kind: K, body: Ask<K>, bytes?: Uint8Array): Promise<Reply<K>> {
    return (await this.answer(kind, body, bytes)) as Reply<K>
  }

  private async answer(kind: Kind, body: Ask<Kind>, bytes?: Uint8Array): Promise<Reply<Kind>> {
    switch (kind) {
      case 'save': {
        const { tab, work } = body as Ask<'save'>
        await this.shelf.save(tab, work)
        return told({})
      }
      case 'load': return told({ work: await this.shelf.load((body as Ask<'load'>).tab) })
      case 'file': {
        const { bundle, name } = body as Ask<'file'>
        return { ...told({}), bytes: await this.file(bundle, name) }
      }
      case 'keep': return this.keep(body as Ask<'keep'>, bytes ?? new Uint8Array())
      case 'export': return this.take(body as Ask<'export'>)
      default: return this.sure(ASIDE.includes(kind) ? this.aside() : this.here, kind, body, bytes)
    }
  }

  /** Asks; an engine that has not the files of the creature is given them first. */
  private async sure(link: Link, kind: Kind, body: Ask<Kind>, bytes?: Uint8Array): Promise<Reply<Kind>> {
    try {
      return await link.ask(kind, body, bytes)
    } catch (error) {
      const source = (body as { creature?: CreatureWork | null }).creature?.source
      if (!(error instanceof Refusal) || !error.message.startsWith(GONE) || source?.from !== 'file') throw error
      const files = await this.shelf.files(source.bundle)
      if (!files) throw error
      await give(link, await Promise.all(files.map(async ({ name, blob }) => ({ name, bytes: new Uint8Array(await blob.arrayBuffer()) }))))
      return link.ask(kind, body, bytes)
    }
  }

  private async keep({ files }: Ask<'keep'>, bytes: Uint8Array): Promise<Reply<'keep'>> {
    let at = 0
    const dropped = files.map(({ name, size }) => ({ name, bytes: bytes.subarray(at, at += size) as Dropped['bytes'] }))
    const reply = await give(this.here, dropped)
    await this.shelf.keep(reply.answer.bundle, dropped)
    return reply
  }

  private async file(bundle: string, name: string): Promise<Uint8Array<ArrayBuffer>> {
    const files = await this.shelf.files(bundle)
    const file = files?.find((file) => file.name === name)
    if (!file) throw new Refusal(files ? `there is no file ${name} here` : `${GONE}; drop them again`)
    return new Uint8Array(await file.blob.arrayBuffer())
  }

  /** A file to take home: into the user's own GLB with all its pictures, of which the engine knows nothing. */
  private async take(body: Ask<'export'>): Promise<Reply<'export'>> {
    const { creature: { source }, what, format } = body
    const link = what.of === 'set' ? this.aside() : this.here
    const own = source.from === 'file' && /\.glb$/i.test(source.name) && (format === 'glb' || format === 'gltf')
    const whole = own ? await this.file(source.bundle, source.name) : null
    if (!whole || !withoutPictures(whole)) return this.sure(link, 'export', body) as Promise<Reply<'export'>>
    const { answer, bytes } = (await this.sure(link, 'export', { ...body, format: 'glb' })) as Reply<'export'>
    const file = withPictures(bytes, whole)
    if (format === 'glb') return { answer, bytes: file }
    return { answer: { ...answer, name: answer.name.replace(/glb$/, 'gltf'), mime: 'model/gltf+json' }, bytes: await toText(file) }
  }
}

/** Gives an engine files to keep: of a GLB what it needs. */
async function give(link: Link, files: Dropped[]): Promise<Reply<'keep'>> {
  const lean = files.map(({ name, bytes }) => ({ name, bytes: (/\.glb$/i.test(name) && withoutPictures(bytes)) || bytes }))
  if (lean.some(({ bytes }, k) => bytes !== files[k]!.bytes)) {
    lean.push({ name: MARK, bytes: new TextEncoder().encode(files.map(({ bytes }) => sumOf(bytes)).join()) as Dropped['bytes'] })
  }
  const all = new Uint8Array(await new Blob(lean.map(({ bytes }) => bytes)).arrayBuffer())
  return link.ask('keep', { files: lean.map(({ name, bytes }) => ({ name, size: bytes.length })) }, all)
}

/** FNV-1a in two lanes of 32 bits, with the length: tells a user's own files apart, and no more. */
export function sumOf(bytes: Uint8Array): string {
  let [a, b] = [0x811c9dc5, 0x01000193]
  for (let k = 0; k < bytes.length; k++) {
    a = Math.imul(a ^ bytes[k]!, 0x01000193)
    b = Math.imul(b ^ a, 0x85ebca6b) + 1
  }
  return [a, b, bytes.length].map((part) => (part >>> 0).toString(16)).join('-')
}

async function load(address: URL): Promise<WebAssembly.Module> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`.trim())
  return compile(await response.arrayBuffer())
}

/** Made once; what failed is tried again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    made.catch(() => { made = null })
    return made
  }
}

function told(answer: object): Reply<Kind> {
  return { answer, bytes: new Uint8Array() } as unknown as Reply<Kind>
}

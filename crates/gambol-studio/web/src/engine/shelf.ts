import { signal } from '@preact/signals'
import type { Dropped } from '../work/stash'

/** What is kept in the browser where no server keeps it: files that were dropped, and the work of each tab. */
const DATABASE = 'gambol-shelf'
const BUNDLES = 'bundles'
const WORKS = 'works'

/** As on the server's disk: most bytes of files together and most tabs; who was not used for the longest time goes first. */
const MOST_OF_ALL = 2 * 2 ** 30
const MOST_WORKS = 500

interface Bundle { files: { name: string; blob: Blob }[]; size: number; used: number }
interface KeptWork { work: unknown; used: number }

/** Where a browser keeps nothing (a private window, storage full) it lives as long as the page, and the user is told. */
export class BrowserShelf {
  /** Why something is kept only as long as the page lives. */
  readonly trouble = signal<string | null>(null)
  private readonly memory = { [BUNDLES]: new Map<string, Bundle>(), [WORKS]: new Map<string, KeptWork>() }
  private readonly database: Promise<IDBDatabase | null> = open()

  async keep(name: string, files: Dropped[]): Promise<void> {
    const blobs = files.map(({ name, bytes }) => ({ name, blob: new Blob([bytes]) }))
    const size = blobs.reduce((sum, { blob }) => sum + blob.size, 0)
    await this.put(BUNDLES, name, { files: blobs, size, used: Date.now() }, 'This creature’s files')
    await this.forget<Bundle>(BUNDLES, (bundles) => {
      let total = bundles.reduce((sum, [, { size }]) => sum + size, 0)
      return bundles.filter(([other, { size }]) => {
        if (other === name || total <= MOST_OF_ALL) return false
        total -= size
        return true
      })
    })
  }

  /** All files that were kept together, or null. */
  async files(name: string): Promise<{ name: string; blob: Blob }[] | null> {
    const bundle = await this.get<Bundle>(BUNDLES, name)
    // One that is still used is not to be forgotten; whether this is noted matters to nobody.
    if (bundle && !this.memory[BUNDLES].has(name)) void this.store(BUNDLES, name, { ...bundle, used: Date.now() })
    return bundle?.files ?? null
  }

  async save(tab: string, work: unknown): Promise<void> {
    await this.put(WORKS, tab, { work, used: Date.now() }, 'What you make')
    await this.forget(WORKS, (works) => works.slice(0, Math.max(works.length - MOST_WORKS, 0)))
  }

  async load(tab: string): Promise<unknown> {
    return (await this.get<KeptWork>(WORKS, tab))?.work ?? null
  }

  private async put<T extends Bundle | KeptWork>(table: typeof BUNDLES | typeof WORKS, key: string, value: T, what: string): Promise<void> {
    const memory = this.memory[table] as Map<string, T>
    let why = await this.store(table, key, value)
    if (why === 'full') {
      // The files that were not used for the longest time make room: half of them, and it is tried once more.
      await this.forget(BUNDLES, (bundles) => bundles.filter(([other]) => other !== key).slice(0, Math.ceil(bundles.length / 2)))
      why = await this.store(table, key, value)
    }
    if (why === null) {
      memory.delete(key)
      return
    }
    memory.set(key, value)
    this.trouble.value = why === 'full'
      ? `${what} could not be kept: the browser has no room left for it. It stays as long as this tab is open; take it home.`
      : `${what} stays only as long as this tab is open: this browser keeps nothing here, as in a private window. Take it home.`
  }

  /** Null where it is kept; else why not. */
  private async store(table: string, key: string, value: unknown): Promise<'full' | 'none' | null> {
    const database = await this.database
    if (!database) return 'none'
    return new Promise((settle) => {
      try {
        const change = database.transaction(table, 'readwrite')
        change.objectStore(table).put(value, key)
        change.oncomplete = () => settle(null)
        change.onerror = change.onabort = () => settle(why(change.error))
      } catch (error) {
        settle(why(error))
      }
    })
  }

  private async get<T>(table: typeof BUNDLES | typeof WORKS, key: string): Promise<T | null> {
    const here = this.memory[table].get(key)
    if (here) return here as T
    const database = await this.database
    return database && new Promise((settle) => {
      const request = database.transaction(table).objectStore(table).get(key)
      request.onsuccess = () => settle((request.result ?? null) as T | null)
      request.onerror = () => settle(null)
    })
  }

  /** Removes what `which` says of all, told with the longest unused first. */
  private async forget<T extends Bundle | KeptWork>(table: string, which: (all: [string, T][]) => [string, T][]): Promise<void> {
    const database = await this.database
    if (!database) return
    await new Promise<void>((settle) => {
      const change = database.transaction(table, 'readwrite')
      const all: [string, T][] = []
      change.oncomplete = change.onerror = change.onabort = () => settle()
      change.objectStore(table).openCursor().onsuccess = ({ target }) => {
        const cursor = (target as IDBRequest<IDBCursorWithValue | null>).result
        if (cursor) {
          all.push([String(cursor.key), cursor.value as T])
          cursor.continue()
          return
        }
        all.sort(([, a], [, b]) => a.used - b.used)
        for (const [key] of which(all)) change.objectStore(table).delete(key)
      }
    })
  }
}

function why(error: unknown): 'full' | 'none' {
  return (error as Error | null)?.name === 'QuotaExceededError' ? 'full' : 'none'
}

function open(): Promise<IDBDatabase | null> {
  return new Promise((settle) => {
    try {
      const opening = indexedDB.open(DATABASE, 1)
      opening.onupgradeneeded = () => {
        for (const table of [BUNDLES, WORKS]) opening.result.createObjectStore(table)
      }
      opening.onsuccess = () => {
        // Another tab brings a newer page: it must not wait for this one.
        opening.result.onversionchange = () => opening.result.close()
        settle(opening.result)
      }
      opening.onerror = opening.onblocked = () => settle(null)
    } catch {
      settle(null)
    }
  })
}

/** A file that was dropped: its name may have folders in it. */
export interface Dropped { name: string; bytes: Uint8Array<ArrayBuffer> }

const DATABASE = 'gambol'
const TABLE = 'dropped'

/**
 * Files that were dropped while the engine was away, kept in the browser until it has them: a reload does not lose
 * them. Without a database (a private window may have none) they live as long as the page.
 */
export const stash = {
  put: (tab: string, files: Dropped[]) => use('readwrite', (table) => table.put(files, tab)),
  take: (tab: string) => use<Dropped[] | undefined>('readonly', (table) => table.get(tab)),
  clear: (tab: string) => use('readwrite', (table) => table.delete(tab)),
}

function use<T>(mode: IDBTransactionMode, work: (table: IDBObjectStore) => IDBRequest): Promise<T | null> {
  return new Promise((settle) => {
    const opening = indexedDB.open(DATABASE, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(TABLE)
    opening.onerror = () => settle(null)
    opening.onsuccess = () => {
      const request = work(opening.result.transaction(TABLE, mode).objectStore(TABLE))
      request.onsuccess = () => settle((request.result ?? null) as T | null)
      request.onerror = () => settle(null)
    }
  })
}

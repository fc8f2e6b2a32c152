/** How long a reloaded page waits for its former self to let go of the tab's name, and how often it looks. ms */
const PATIENCE = 400
const LOOK = 40

const KEY = 'gambol.tab'

export interface Tab {
  name: string
  /** This tab was made by copying another, which is still open: whose work to begin with. */
  copyOf: string | null
}

/**
 * The name under which this tab keeps its work: in the session, and in the address so that it survives a browser that
 * starts anew. A browser copies both when a tab is duplicated; a lock tells which of the two was first, so that two
 * tabs never write the same work.
 */
export async function claimTab(): Promise<Tab> {
  const known = hashValue('tab') ?? sessionStorage.getItem(KEY)
  const name = known !== null && /^[a-z0-9]{8,32}$/.test(known) && (await claim(known)) ? known : freshName()
  if (name !== known) await claim(name)
  sessionStorage.setItem(KEY, name)
  setHash('tab', name)
  return { name, copyOf: known !== null && known !== name ? known : null }
}

/** A value of the address after its `#`. */
export function hashValue(key: string): string | null {
  return new URLSearchParams(location.hash.slice(1)).get(key)
}

export function setHash(key: string, value: string): void {
  history.replaceState(null, '', `${location.pathname}${location.search}#${key}=${encodeURIComponent(value)}`)
}

function freshName(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Whether this tab has that name to itself now; if so, until it closes. */
async function claim(name: string): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE; waited += LOOK) {
    if (await tryLock(`gambol.tab.${name}`)) return true
    await new Promise((resume) => setTimeout(resume, LOOK))
  }
  return false
}

function tryLock(name: string): Promise<boolean> {
  // A page that came over plain HTTP from another machine has no locks: a tab that was duplicated there shares its work.
  if (!('locks' in navigator)) return Promise.resolve(true)
  return new Promise((settle) => {
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      settle(lock !== null)
      return lock ? new Promise(() => {}) : undefined
    })
  })
}

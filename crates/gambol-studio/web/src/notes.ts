import { signal } from '@preact/signals'

/** Something to tell the user. It goes by itself, unless it needs an answer. */
export interface Note {
  id: number
  kind: 'info' | 'good' | 'trouble'
  text: string
  /** More, in smaller letters. */
  detail?: string
  action?: { label: string; run: () => void }
  /** It waits for its answer. */
  stays?: boolean
  /** A newer word takes the place of one about the same. */
  about: string
}

/** Long enough to be read, ms. */
const SHOWN_FOR = 6000
const TROUBLE_FOR = 20_000
/** Of a slow reader, ms per letter. */
const READING = 90

export const notes = signal<Note[]>([])
/** For screen readers: the result of what was done. */
export const said = signal('')

let last = 0

export function tell(kind: Note['kind'], text: string, more: Partial<Pick<Note, 'detail' | 'action' | 'stays' | 'about'>> = {}): void {
  const id = ++last
  // The same news twice is one, and of one thing only the newest.
  const note: Note = { id, kind, text, about: 'news', ...more }
  notes.value = [...notes.peek().filter((other) => other.text !== text && other.about !== note.about), note]
  const letters = text.length + (more.detail?.length ?? 0)
  if (!more.stays) setTimeout(() => dismiss(id), Math.max(kind === 'trouble' ? TROUBLE_FOR : SHOWN_FOR, READING * letters))
}

/** What was said of a creature goes with it; what waits for an answer stays. */
export function forgetNews(): void {
  notes.value = notes.peek().filter(({ stays }) => stays)
}

export function dismiss(id: number): void {
  notes.value = notes.peek().filter((note) => note.id !== id)
}

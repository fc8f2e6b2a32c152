import { signal } from '@preact/signals'

/** Something to tell the user. What needs an answer stays; the rest goes by itself. */
export interface Note {
  id: number
  kind: 'info' | 'good' | 'trouble'
  text: string
  /** More, in smaller letters. */
  detail?: string
  action?: { label: string; run: () => void }
}

/** Long enough to be read, ms. */
const SHOWN_FOR = 6000

export const notes = signal<Note[]>([])
/** For screen readers: the result of what was done. */
export const said = signal('')

let last = 0

export function tell(kind: Note['kind'], text: string, more: Pick<Note, 'detail' | 'action'> = {}): void {
  const id = ++last
  // The same news twice is one.
  notes.value = [...notes.value.filter((note) => note.text !== text), { id, kind, text, ...more }]
  if (kind !== 'trouble') setTimeout(() => dismiss(id), SHOWN_FOR)
}

export function dismiss(id: number): void {
  notes.value = notes.value.filter((note) => note.id !== id)
}

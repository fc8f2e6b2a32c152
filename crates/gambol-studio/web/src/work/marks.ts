import type { BodyAnswer, Component, GaitWork, ModeEdit } from '../protocol'

type Follow = BodyAnswer['follows'][number]

/** Numbers of modes that a gait speaks of. */
export function marksOf(gait: GaitWork): number[] {
  return [...new Set([...gait.prefer, ...gait.avoid, ...gait.edits.map((edit) => edit.mode)])]
}

/**
 * The gait with its modes counted as another body counts them. Two modes that became one are one.
 */
export function recount(gait: GaitWork, follows: Follow[]): GaitWork {
  const now = new Map(follows.map((follow) => [follow.old, follow]))
  const numbers = (modes: number[]) => [...new Set(modes.flatMap((mode) => now.get(mode)?.new ?? []))]
  const prefer = numbers(gait.prefer)
  const designed = gait.name !== null || gait.file !== null
  const edits = new Map<number, ModeEdit>()
  for (const edit of gait.edits) {
    const follow = now.get(edit.mode)
    if (follow && !edits.has(follow.new)) edits.set(follow.new, turned(edit, follow, designed))
  }
  return {
    ...gait,
    prefer,
    avoid: numbers(gait.avoid).filter((mode) => !prefer.includes(mode)),
    edits: [...edits.values()],
  }
}

/**
 * What is said about a mode, said about the one that it became. A mode may turn round as the body changes: the factor is
 * then negative, an offset changes its sign, and a phase moves by half a cycle. A phase that nobody set is the gait's own
 * business; without a gait it is 0, and moves too.
 */
function turned(edit: ModeEdit, { new: mode, factor }: Follow, designed: boolean): ModeEdit {
  const times = (value: number | null | undefined, factor: number) => (value == null ? value : value * factor)
  const phase = edit.phase ?? (designed ? null : 0)
  return {
    ...edit,
    mode,
    amplitude: times(edit.amplitude, Math.abs(factor)),
    offset: times(edit.offset, factor),
    phase: factor < 0 && phase !== null ? (phase + Math.PI) % (2 * Math.PI) : edit.phase,
  }
}

/**
 * One component for each mode, as edits speak of it: of several the amplitude is the largest, the phase the first's, and
 * offsets add up (gambol-gait's `set_amplitude`, `set_phase`, `set_offset`).
 */
export function byMode(components: Component[]): Map<number, Component> {
  const modes = new Map<number, Component>()
  for (const component of components) {
    const first = modes.get(component.mode)
    modes.set(component.mode, first === undefined ? component : {
      ...first,
      amplitude: Math.max(Math.abs(first.amplitude), Math.abs(component.amplitude)),
      offset: first.offset + component.offset,
    })
  }
  return modes
}

export type Preference = 'prefer' | 'avoid' | 'none'

export function preferenceOf(gait: GaitWork, mode: number): Preference {
  if (gait.prefer.includes(mode)) return 'prefer'
  return gait.avoid.includes(mode) ? 'avoid' : 'none'
}

/** One click: none, prefer, avoid, and round again (Nunes et al. 2012). */
export function nextPreference(preference: Preference): Preference {
  return preference === 'none' ? 'prefer' : preference === 'prefer' ? 'avoid' : 'none'
}

export function withPreference(gait: GaitWork, mode: number, preference: Preference): GaitWork {
  const others = (modes: number[]) => modes.filter((other) => other !== mode)
  const sorted = (modes: number[]) => modes.sort((a, b) => a - b)
  return {
    ...gait,
    prefer: preference === 'prefer' ? sorted([...others(gait.prefer), mode]) : others(gait.prefer),
    avoid: preference === 'avoid' ? sorted([...others(gait.avoid), mode]) : others(gait.avoid),
  }
}

/** What the user says about one mode, changed; what says nothing any more is left out. */
export function withEdit(gait: GaitWork, mode: number, change: Partial<ModeEdit>): GaitWork {
  const before = gait.edits.find((edit) => edit.mode === mode) ?? { mode }
  const edit = { ...before, ...change }
  const says = [edit.amplitude, edit.phase, edit.offset, edit.harmonic].some((value) => value != null)
  const others = gait.edits.filter((other) => other.mode !== mode)
  return { ...gait, edits: says ? [...others, edit].sort((a, b) => a.mode - b.mode) : others }
}

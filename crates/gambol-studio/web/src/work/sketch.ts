import type { Palette, Sketch, SketchWork } from '../protocol'
import type { Preference } from './marks'

/** A part of a foot's cycle: a sketch has a palette for each. */
export type Phase = Extract<keyof Sketch, 'flight' | 'ground'>

/** What a green mode begins with, rad: well seen, and less than a search may add. */
export const FIRST_AMPLITUDE = 0.2
/** Most that a mode may be driven by, rad: a right angle. */
export const MOST_AMPLITUDE = 1.5

/** The sketch without what was found of it. */
export function bare(sketch: SketchWork): SketchWork {
  return { ...sketch, found: null }
}

export function markOf(palette: Palette, mode: number): Preference {
  if (palette.priority.some((priority) => priority.mode === mode)) return 'prefer'
  return palette.excluded.includes(mode) ? 'avoid' : 'none'
}

export function amplitudeOf(palette: Palette, mode: number): number | null {
  return palette.priority.find((priority) => priority.mode === mode)?.amplitude ?? null
}

/** A sketch with other marks: what was found of it was found of another sketch. */
function withPalette(sketch: SketchWork, phase: Phase, palette: Palette): SketchWork {
  return { ...bare(sketch), [phase]: palette }
}

/** One click in the palette: green with a first amplitude, red, or neither. */
export function withMark(sketch: SketchWork, phase: Phase, mode: number, mark: Preference): SketchWork {
  const { priority, permissible, excluded } = sketch[phase]
  const others = priority.filter((priority) => priority.mode !== mode)
  const amplitude = amplitudeOf(sketch[phase], mode) ?? FIRST_AMPLITUDE
  return withPalette(sketch, phase, {
    priority: mark === 'prefer' ? [...others, { mode, amplitude }] : others,
    // What must not be seen does not help either.
    permissible: mark === 'avoid' ? permissible?.filter((other) => other !== mode) ?? null : permissible,
    excluded: mark === 'avoid' ? [...without(excluded, mode), mode].sort((a, b) => a - b) : without(excluded, mode),
  })
}

/** The least amplitude of a green mode. Nought would be no wish: the sign stays. */
export function withAmplitude(sketch: SketchWork, phase: Phase, mode: number, amplitude: number): SketchWork {
  const palette = sketch[phase]
  const before = amplitudeOf(palette, mode) ?? FIRST_AMPLITUDE
  const wanted = Math.abs(amplitude) < 0.01 ? 0.01 * Math.sign(amplitude || before) : amplitude
  const priority = palette.priority.map((priority) => (priority.mode === mode ? { mode, amplitude: wanted } : priority))
  return withPalette(sketch, phase, { ...palette, priority })
}

/** Whether a mode may help; `active` are those that may now. */
export function withHelp(sketch: SketchWork, phase: Phase, mode: number, helps: boolean, active: number[]): SketchWork {
  const palette = sketch[phase]
  const now = palette.permissible ?? active.filter((other) => markOf(palette, other) === 'none')
  const permissible = (helps ? [...without(now, mode), mode] : without(now, mode)).sort((a, b) => a - b)
  return withPalette(sketch, phase, { ...palette, permissible })
}

function without(modes: number[], mode: number): number[] {
  return modes.filter((other) => other !== mode)
}

/** A moment of a search. */
export interface Point { evaluations: number; value: number; gap: number; roundGap: number }

const MOST_POINTS = 400

/** The curve with one more point. A long one is told by every other point. */
export function grown(curve: Point[], point: Point): Point[] {
  const all = [...curve, point]
  return all.length <= MOST_POINTS ? all : all.filter((_, k) => k % 2 === 0 || k === all.length - 1)
}

/** Lines through numbers on one scale of ratios, in a box; `goal` is within it. Nothing where there is nothing to draw. */
export function logCurves(lines: [number, number][][], goal: number | null, width: number, height: number): { path: string; goal: number | null }[] {
  const known = lines.map((points) => points.filter(([, y]) => Number.isFinite(y) && y > 0))
  const all = known.flat()
  if (all.length === 0) return lines.map(() => ({ path: '', goal: null }))
  const logs = [...all.map(([, y]) => y), ...(goal === null ? [] : [goal])].map(Math.log10)
  // A flat line has room too.
  const [least, most] = [Math.min(...logs) - 0.1, Math.max(...logs) + 0.1]
  const [first, last] = [Math.min(...all.map(([x]) => x)), Math.max(...all.map(([x]) => x))]
  const across = (x: number) => ((x - first) / Math.max(last - first, 1e-9)) * width
  const down = (y: number) => ((most - Math.log10(y)) / (most - least)) * height
  return known.map((points) => ({
    path: points.map(([x, y], k) => `${k === 0 ? 'M' : 'L'}${across(x).toFixed(1)} ${down(y).toFixed(1)}`).join(''),
    goal: goal === null ? null : down(goal),
  }))
}

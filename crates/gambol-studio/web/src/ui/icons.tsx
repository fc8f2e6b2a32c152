import type { ComponentChildren } from 'preact'

/** Drawn on a grid of 16, in the colour of the text. */
function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="none" stroke="currentColor"
      stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round">
      {children}
    </svg>
  )
}

export const Play = () => <Icon><path d="M4.5 2.8v10.4l8.6-5.2z" fill="currentColor" /></Icon>
export const Pause = () => <Icon><path d="M5 3v10M11 3v10" stroke-width="2.6" /></Icon>
export const StepBack = () => <Icon><path d="M11.5 3.5v9L5.5 8zM4 3.5v9" fill="currentColor" /></Icon>
export const StepOn = () => <Icon><path d="M4.5 3.5v9l6-4.5zM12 3.5v9" fill="currentColor" /></Icon>
export const ToStart = () => <Icon><path d="M13 3.5v9L8 8zM8 3.5v9L3 8zM2.5 3.5v9" fill="currentColor" stroke-width="1" /></Icon>
export const Undo = () => <Icon><path d="M6 3 2.8 6.2 6 9.4M3 6.2h6.2a3.6 3.6 0 0 1 0 7.2H6.5" /></Icon>
export const Redo = () => <Icon><path d="m10 3 3.2 3.2L10 9.4M13 6.2H6.8a3.6 3.6 0 0 0 0 7.2h2.7" /></Icon>
export const Sun = () => <Icon><circle cx="8" cy="8" r="2.8" /><path d="M8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1" /></Icon>
export const Moon = () => <Icon><path d="M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6z" /></Icon>
export const Help = () => <Icon><circle cx="8" cy="8" r="6.2" /><path d="M6.2 6.3a1.9 1.9 0 1 1 2.6 1.8c-.5.2-.8.5-.8 1.1M8 11.4v.1" /></Icon>
export const Home = () => <Icon><path d="M8 2v7.5M4.8 6.6 8 9.8l3.2-3.2M2.8 11v1.6c0 .6.4 1 1 1h8.4c.6 0 1-.4 1-1V11" /></Icon>
export const StandUp = () => <Icon><path d="M8 12V3M4.8 6.2 8 3l3.2 3.2M3 13.8h10" /></Icon>
export const Close = () => <Icon><path d="m4 4 8 8M12 4l-8 8" /></Icon>
export const Chevron = () => <Icon><path d="m4.5 6.5 3.5 3.5 3.5-3.5" /></Icon>
export const Reset = () => <Icon><path d="M3 8a5 5 0 1 0 1.6-3.7M3 2.8v2.6h2.6" /></Icon>
export const Onion = () => <Icon><circle cx="8" cy="8" r="3.4" /><path d="M4.4 3.6a5.6 5.6 0 0 0 0 8.8M11.6 3.6a5.6 5.6 0 0 1 0 8.8" opacity=".6" /></Icon>
export const Look = () => <Icon><path d="M4 2.5v9.2l2.6-2.3 1.7 3.9 1.7-.8-1.7-3.8 3.4-.3z" /></Icon>
export const Pose = () => <Icon><circle cx="3.6" cy="12.4" r="1.6" /><circle cx="8" cy="6.6" r="1.6" /><circle cx="12.6" cy="3.4" r="1.6" /><path d="m4.6 11.1 2.5-3.2M9.3 5.7l2-1.4" /></Icon>
export const Hold = () => <Icon><path d="m9.4 2.2 4.4 4.4-2.6.6-2.4 2.4-.3 2.9-5-5 2.9-.3 2.4-2.4zM5.6 10.4 2.4 13.6" /></Icon>
export const Frame = () => <Icon><path d="M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3" /><circle cx="8" cy="8" r="1.6" /></Icon>
export const Skin = () => <Icon><path d="M8 2.2c2.6 0 4.4 2 4.4 4.8 0 3.2-2.2 6.8-4.4 6.8S3.6 10.2 3.6 7C3.6 4.2 5.4 2.2 8 2.200z" /><path d="M6 7.200h.1M9.9 7.200h.1M6.8 10.200c.8.5 1.6.5 2.4 0" /></Icon>
export const Camera = () => <Icon><path d="M2.5 5.500h7v6h-7zM9.5 7.500l4-2v6l-4-2" /></Icon>
export const File = () => <Icon><path d="M4 1.800h5l3 3v9.400H4zM9 1.800v3h3" /></Icon>
export const Folder = () => <Icon><path d="M2 4h4l1.4 1.600H14v7.400H2z" /></Icon>
export const Copy = () => <Icon><path d="M5.5 5.500h7.500v8H5.500zM10.5 5.500v-3H3v8h2.5" /></Icon>
export const Good = () => <Icon><path d="m3.5 8.4 3 3 6-6.6" /></Icon>
export const Warn = () => <Icon><path d="M8 2.6 14 13H2zM8 6.600v3M8 11.200v.1" /></Icon>
export const TurnLeft = () => <Icon><path d="M3 7a5 5 0 1 1 1 4.600M3 3.500V7h3.5" /></Icon>
export const TurnRight = () => <Icon><path d="M13 7a5 5 0 1 0-1 4.600M13 3.500V7H9.5" /></Icon>
export const Plus = () => <Icon><path d="M8 3v10M3 8h10" /></Icon>

/**
 * When the feet of a gait stand: a row for each foot (hind left, front left, front right, hind right, or left and right)
 * with the start and length of stance in parts of the cycle. What cannot be told so is a wave.
 */
const FOOTFALLS: Record<string, [number, number][]> = {
  'walk': [[0, 0.65], [0.25, 0.65], [0.75, 0.65], [0.5, 0.65]],
  'trot': [[0, 0.5], [0.5, 0.5], [0, 0.5], [0.5, 0.5]],
  'amble': [[0, 0.55], [0.1, 0.55], [0.6, 0.55], [0.5, 0.55]],
  'pace': [[0, 0.5], [0, 0.5], [0.5, 0.5], [0.5, 0.5]],
  'run': [[0, 0.35], [0.5, 0.35], [0, 0.35], [0.5, 0.35]],
  'bound': [[0, 0.35], [0.5, 0.35], [0.5, 0.35], [0, 0.35]],
  'canter': [[0, 0.38], [0.25, 0.38], [0.5, 0.38], [0.25, 0.38]],
  'gallop': [[0, 0.3], [0.45, 0.3], [0.6, 0.3], [0.12, 0.3]],
  'transverse-gallop': [[0, 0.28], [0.5, 0.28], [0.66, 0.28], [0.16, 0.28]],
  'rotary-gallop': [[0, 0.28], [0.66, 0.28], [0.5, 0.28], [0.16, 0.28]],
  'jump': [[0, 0.4], [0, 0.4], [0, 0.4], [0, 0.4]],
  'hop': [[0, 0.35], [0.5, 0.35]],
  'crawl': [[0, 0.8], [0.25, 0.8], [0.75, 0.8], [0.5, 0.8]],
  'tripod': [[0, 0.5], [0.5, 0.5], [0, 0.5]],
  'wave': [[0, 0.75], [0.17, 0.75], [0.34, 0.75]],
}

const BIPED: Record<string, [number, number][]> = {
  'walk': [[0, 0.6], [0.5, 0.6]],
  'run': [[0, 0.35], [0.5, 0.35]],
  'jump': [[0, 0.4], [0, 0.4]],
  'hop': [[0, 0.35], [0, 0.35]],
}

export function GaitIcon({ name, feet }: { name: string; feet: number }) {
  const rows = feet === 2 ? (BIPED[name] ?? BIPED[name.split('-').at(-1)!]) : FOOTFALLS[name]
  const [width, height] = [26, 14]
  if (!rows || feet === 0) {
    return (
      <svg class="gait-icon" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
        <path d="M1 7c3-8 5-8 8 0s5 8 8 0 5-8 8 0" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" />
      </svg>
    )
  }
  const pitch = height / rows.length
  const bars = rows.flatMap(([start, length], row) => {
    const wraps = start + length > 1
    const pieces: [number, number][] = wraps ? [[start, 1 - start], [0, start + length - 1]] : [[start, length]]
    return pieces.map(([from, long]) => (
      <rect x={from * width} y={row * pitch + 0.6} width={Math.max(long * width, 1)} height={pitch - 1.2} rx="0.8" />
    ))
  })
  return (
    <svg class="gait-icon" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true" fill="currentColor">
      {bars}
    </svg>
  )
}

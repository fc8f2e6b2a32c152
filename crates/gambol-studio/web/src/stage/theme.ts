export type Theme = 'light' | 'dark'

/** Colours of one theme, as CSS writes them. */
export interface Colours {
  /** Backdrop: middle of the picture, its edge. */
  backdrop: [string, string]
  grid: string
  gridStrong: string
  shadow: string
  shadowStrength: number
  /** A creature whose file gives no colours of its own. */
  clay: string
  sky: string
  ground: string
  /** Strength of the light from around and of the key light. */
  around: number
  key: number
  rim: number
  ghost: string
  highlight: string
  injured: string
  contact: string
  ink: string
  paper: string
  pull: string
  pose: string
  forward: string
  soft: string
  stiff: string
}

export const COLOURS: Record<Theme, Colours> = {
  light: {
    backdrop: ['#f9f9fa', '#dee0e4'],
    grid: '#b3b7bf',
    gridStrong: '#868c97',
    shadow: '#2a2b33',
    shadowStrength: 0.34,
    clay: '#c58f66',
    sky: '#ffffff',
    ground: '#b9a694',
    around: 1.7,
    key: 2.0,
    rim: 0.6,
    ghost: '#5a7fb5',
    highlight: '#f0b429',
    injured: '#c23b3b',
    contact: '#2f8f6b',
    ink: '#2b2a27',
    paper: '#ffffff',
    pull: '#d9480f',
    pose: '#2f6fde',
    forward: '#2f6fde',
    soft: '#4c9be8',
    stiff: '#e0533d',
  },
  dark: {
    backdrop: ['#2b2e35', '#15171b'],
    grid: '#4a4f59',
    gridStrong: '#6c737f',
    shadow: '#000000',
    shadowStrength: 0.5,
    clay: '#d3a27c',
    sky: '#cdd8ea',
    ground: '#6a5f58',
    around: 1.5,
    key: 2.2,
    rim: 2.2,
    ghost: '#7da7e8',
    highlight: '#ffd166',
    injured: '#ff6b6b',
    contact: '#4fd1a1',
    ink: '#f3f1ec',
    paper: '#1b1d21',
    pull: '#ff8a4c',
    pose: '#7fb0ff',
    forward: '#7fb0ff',
    soft: '#5fb0ff',
    stiff: '#ff7a5c',
  },
}

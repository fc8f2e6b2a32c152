/** Numbers as people read them. */

export function number(value: number, digits = 3): string {
  if (value === 0) return '0'
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))))
  return value.toFixed(Math.min(decimals, 4))
}

export const times = (factor: number): string => `×${factor < 10 ? factor.toFixed(2) : factor.toFixed(1)}`
export const degrees = (radians: number): string => `${Math.round((radians * 180) / Math.PI)}°`
export const percent = (share: number): string => `${Math.round(share * 100)} %`
export const hertz = (frequency: number): string => `${number(frequency)} Hz`
/** An angle from 0 to a whole turn. */
export const withinTurn = (angle: number): number => ((angle % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI)
export const DEGREE = Math.PI / 180
export const DEGREES = 180 / Math.PI

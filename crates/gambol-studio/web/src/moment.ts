/** What the address says about time: `?t=1.5&paused=1` shows one moment, for pictures and tests. */
const asked = new URLSearchParams(location.search)

export const fixedTime = asked.has('t') ? Number(asked.get('t')) : null
export const fixedMoment = asked.get('paused') === '1'
export const calm = matchMedia('(prefers-reduced-motion: reduce)')

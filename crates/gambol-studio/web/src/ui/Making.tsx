import type { SetAnswer } from '../protocol'
import { gameSet } from '../studio'

/** How far a set of clips is, and the way out. */
export function Making({ making: { done, most, next } }: { making: SetAnswer }) {
  const clip = next === null ? 'Making a set for a game' : `Making ${next.replaceAll('-', ' ')}, ${done + 1} of ${most}`
  return (
    <div class="making">
      <span role="status">{clip}</span>
      <progress aria-label="Set for a game" value={done} max={most} />
      <button type="button" onClick={() => gameSet.cancel()}>Cancel</button>
    </div>
  )
}

import { tell } from './notes'
import { chooseGait, doc, flow, overlay, physics, planting, playback, show, takeable, takeHome } from './studio'
import { grove } from './ui/ForestView'
import { stage } from './ui/StageView'

/** For the help sheet. */
export const KEYS: { title: string; keys: [string, string][] }[] = [
  { title: 'Play', keys: [['Space', 'play or pause'], ['← →', 'one frame'], ['Shift ← →', 'ten frames'], ['Home End', 'start and end of the cycle'], ['1 … 9', 'gaits, in their order']] },
  { title: 'Look', keys: [['Drag', 'orbit'], ['Right-drag', 'pan'], ['Wheel', 'zoom'], ['F', 'show all of it'], ['X C T', 'from ahead, from the side, from above'], ['O', 'onion skin: a little before and after'], ['R', 'view as at the start; in physics: reset']] },
  { title: 'In a forest', keys: [['Drag', 'wind: its direction and strength'], ['Click', 'a gust from there'], ['Right-drag', 'look around'], ['W A S D', 'walk; with Shift run'], ['Q E', 'down and up'], ['Wheel', 'ahead and back'], ['R', 'view as at the start']] },
  { title: 'Do', keys: [['V P H', 'select, pose, hold'], ['Ctrl Drag', 'push the body in a simulation'], ['Ctrl Z', 'undo'], ['Ctrl Shift Z', 'redo'], ['Ctrl E', 'take it home'], ['Esc', 'deselect, close'], ['?', 'this sheet']] },
]

/** Keys that are not typed into a field. */
export function listen(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || isField(event.target)) return
    const command = event.ctrlKey || event.metaKey
    const done = command ? commands(event) : overlay.value === null && (planting.on.value ? among(event) : plain(event))
    if (done) event.preventDefault()
  })
  addEventListener('keyup', (event) => {
    grove.value?.walker.key(event.key, false, event.shiftKey)
  })
  // A button pressed with the mouse does not keep the keyboard: space is play and pause again. While the event goes down, before
  // the button does anything: a dialog that it opens gives the keyboard back to whatever had it, which must not be the button.
  addEventListener('click', (event) => {
    const focused = document.activeElement
    if (event.detail > 0 && focused instanceof HTMLElement && focused.matches('button, .scrub, .track, input[type=range], input[type=checkbox]')) focused.blur()
  }, { capture: true })
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type=range], [type=checkbox]), select, textarea, [contenteditable]')
}

function commands(event: KeyboardEvent): boolean {
  switch (event.key.toLowerCase()) {
    case 'z':
      if (event.shiftKey) doc.redo()
      else doc.undo()
      return true
    case 'y':
      doc.redo()
      return true
    case 'e':
      if (takeable.value) takeHome()
      else tell('info', 'There is nothing to take home yet: press a gait first.')
      return true
    default:
      return false
  }
}

/** Keys among trees. */
function among(event: KeyboardEvent): boolean {
  const onControl = event.target instanceof HTMLElement && event.target.matches('button, a, [role=slider], input')
  switch (event.key) {
    case ' ':
      if (!onControl) planting.playing.value = !planting.playing.value
      return !onControl
    case 'r':
      grove.value?.walker.start()
      return true
    case 'Escape':
      planting.shown.value = null
      return true
    case '?':
      overlay.value = 'help'
      return true
    default:
      return !onControl && (grove.value?.walker.key(event.key, true, event.shiftKey) ?? false)
  }
}

function plain(event: KeyboardEvent): boolean {
  const onControl = event.target instanceof HTMLElement && event.target.matches('button, a, [role=slider]:not(.track), input')
  switch (event.key) {
    case ' ':
      // A control that was reached by keyboard is pressed by space.
      if (onControl) return false
      if (physics.state.value === 'off') playback.toggle()
      else physics.toggle()
      return true
    case 'ArrowLeft':
    case 'ArrowRight': {
      if (onControl) return false
      const frames = event.shiftKey ? 10 : 1
      playback.step(event.key === 'ArrowLeft' ? -frames : frames)
      return true
    }
    case 'Home':
      playback.seek(0)
      return true
    case 'End':
      playback.seek(1)
      return true
    case 'f':
      stage.value?.frameAll()
      return true
    case 'r':
      if (physics.state.value === 'off') stage.value?.resetView()
      else void physics.begin()
      return true
    case 'x':
    case 'c':
    case 't':
      stage.value?.viewFrom(event.key === 'x' ? 'front' : event.key === 'c' ? 'side' : 'top')
      return true
    case 'o':
      show.onion.value = !show.onion.value
      return true
    case 'v':
      show.tool.value = 'look'
      return true
    case 'p':
    case 'h':
      physics.stop()
      show.tool.value = event.key === 'p' ? 'pose' : 'hold'
      return true
    case 'Escape':
      escape()
      return true
    case '?':
      overlay.value = 'help'
      return true
    default: {
      const suiting = flow.gaits.value?.list.filter((choice) => choice.suits) ?? []
      const choice = /^[1-9]$/.test(event.key) ? suiting[Number(event.key) - 1] : undefined
      if (choice) chooseGait(choice.name)
      return choice !== undefined
    }
  }
}

/** One thing after the other: what is being placed, the tool, the selection. */
function escape(): void {
  if (show.placing.value !== null) show.placing.value = null
  else if (show.tool.value !== 'look') show.tool.value = 'look'
  else if (show.selected.value !== null) show.selected.value = null
}

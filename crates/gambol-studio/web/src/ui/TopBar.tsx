import { useState } from 'preact/hooks'
import { capital } from '../bodyparts'
import { control, doc, engine, flow, gameSet, overlay, planting, right, takeable, takeHome, waiting, work } from '../studio'
import { switchTheme, theme } from '../theme'
import { Gallery } from './Gallery'
import * as icons from './icons'
import { Making } from './Making'
import { IconButton } from './parts'
import { pictureOf } from './pictures'

export function TopBar() {
  const { undoable, redoable } = doc
  const { source } = work.value.creature
  const name = source.from === 'gallery' ? capital(source.name) : source.name.split('/').at(-1)!
  const entry = source.from === 'gallery' ? engine.greeting.value?.gallery.find((entry) => entry.name === source.name) : undefined
  return (
    <header class="top">
      <button type="button" class="creature-button" aria-haspopup="dialog" title="Choose a creature, or open your own" onClick={() => { overlay.value = 'gallery' }}>
        {entry ? <img src={pictureOf(entry)} alt="" /> : <span class="blank"><icons.File /></span>}
        <span>{name}</span>
        <icons.Chevron />
      </button>
      <div class="group" role="group" aria-label="History">
        <IconButton label={undoable.value === null ? 'Undo' : `Undo ${undoable.value}`} keys="Ctrl+Z" icon={<icons.Undo />} disabled={undoable.value === null} onClick={() => doc.undo()} />
        <IconButton label={redoable.value === null ? 'Redo' : `Redo ${redoable.value}`} keys="Ctrl+Shift+Z" icon={<icons.Redo />} disabled={redoable.value === null} onClick={() => doc.redo()} />
      </div>
      <State />
      <div class="group right">
        <IconButton label={theme.value === 'dark' ? 'Light colours' : 'Dark colours'} icon={theme.value === 'dark' ? <icons.Sun /> : <icons.Moon />} onClick={switchTheme} />
        <IconButton label="Keys and help" keys="?" icon={<icons.Help />} onClick={() => { overlay.value = 'help' }} />
        <button type="button" class="primary" aria-haspopup="dialog" title="Files of this motion, to keep (Ctrl+E)" disabled={!takeable.value} onClick={takeHome}>
          <icons.Home />
          Take it home
        </button>
      </div>
      {overlay.value === 'gallery' && <Gallery />}
    </header>
  )
}

/** What the studio is doing, in a few quiet words. */
function State() {
  const [hinted, setHinted] = useState(localStorage.getItem('gambol.hinted') !== null)
  if (engine.connection.value === 'opening') return <p class="state">Starting</p>
  if (waiting.value) return <p class="state busy" role="status">{waiting.value}</p>
  if (flow.busy.value === 'creature') return <p class="state busy" role="status">Reading the creature</p>
  if (gameSet.making.value && overlay.value !== 'take') return <div class="state"><Making making={gameSet.making.value} /></div>
  if (control.running.value && !control.front.value) return <p class="state busy" role="status">Looking for a controller</p>
  if (planting.isPlant.value && planting.asCreature.value) {
    return <p class="state"><button type="button" class="chip" onClick={() => { planting.asCreature.value = false }}>Back to the wind</button></p>
  }
  if (planting.busy.value) return <p class="state busy" role="status">Finding its vibrations</p>
  if (planting.on.value) return <p class="state">Drag to blow, click for a gust; W A S D to walk, right-drag to look</p>
  if (hinted || right.value !== 'motion') return <p class="state" />
  return (
    <p class="state hint">
      Press a gait on the right. Drag to look around. Drop your own creature anywhere.
      <IconButton small label="Dismiss this hint" icon={<icons.Close />} onClick={() => {
        localStorage.setItem('gambol.hinted', '1')
        setHinted(true)
      }} />
    </p>
  )
}

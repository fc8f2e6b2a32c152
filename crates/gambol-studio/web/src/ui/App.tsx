import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ACCEPTED, filesOf } from '../files'
import { dropFound, loaded, overlay, planting, right, show, showPanel } from '../studio'
import { BodyPanel } from './BodyPanel'
import { ControlPanel } from './ControlPanel'
import { CreaturePanel } from './CreaturePanel'
import { ForestModes } from './ForestModes'
import { ForestPanel } from './ForestPanel'
import { ForestTake } from './ForestTake'
import { ForestView } from './ForestView'
import { HelpSheet } from './HelpSheet'
import { MotionPanel } from './MotionPanel'
import { Notes } from './Notes'
import { Palette } from './Palette'
import { PhysicsPanel } from './PhysicsPanel'
import { Question } from './Question'
import { Selection } from './Selection'
import { stage, StageView } from './StageView'
import { TakeHome } from './TakeHome'
import { Timeline } from './Timeline'
import { TopBar } from './TopBar'

export function App() {
  const forest = planting.on.value
  return (
    <>
      <TopBar />
      {forest ? <Forest /> : <Creature />}
      {overlay.value === 'help' && <HelpSheet />}
      {overlay.value === 'take' && (forest ? <ForestTake /> : <TakeHome />)}
      <Question />
      <DropTarget />
    </>
  )
}

/** A plant: the forest that it makes in the wind. */
function Forest() {
  return (
    <main class="forest-page">
      <div class="centre">
        <div class="stage-place">
          <ForestView />
          <Notes />
        </div>
        <ForestModes />
      </div>
      <aside class="side right" aria-label="Wind and forest">
        <div class="panel"><ForestPanel /></div>
      </aside>
    </main>
  )
}

function Creature() {
  return (
    <main>
      <Tabs class="left" label="Creature and body" value={show.panel.value} onChange={(panel) => {
          show.panel.value = panel
          // What the mouse was to do belongs to the panel that said so.
          show.tool.value = 'look'
          show.placing.value = null
        }}
        tabs={[['creature', 'Creature', CreaturePanel], ['body', 'Body', BodyPanel]]} below={<Selection />} />
      <div class="centre">
        <div class="stage-place">
          <StageView />
          <Notes />
        </div>
        <Timeline stage={stage.value} />
        <Palette />
      </div>
      <Tabs class="right" label="Motion and physics" value={right.value} onChange={showPanel}
        tabs={[['motion', 'Motion', MotionPanel], ['control', 'Controller', ControlPanel], ['physics', 'Physics', PhysicsPanel]]} />
    </main>
  )
}

function Tabs<T extends string>(props: {
  class: string
  label: string
  value: T
  onChange: (value: T) => void
  tabs: [T, string, () => preact.JSX.Element | null][]
  below?: preact.JSX.Element
}) {
  const { label, value, onChange, tabs, below } = props
  const Panel = tabs.find(([name]) => name === value)![2]
  return (
    <aside class={`side ${props.class}`} aria-label={label}>
      <div class="tabs" role="tablist" aria-label={label}>
        {tabs.map(([name, title]) => (
          <button type="button" role="tab" key={name} id={`tab-${name}`} aria-selected={name === value} aria-controls={`panel-${name}`} onClick={() => onChange(name)}>{title}</button>
        ))}
      </div>
      <div class="panel" role="tabpanel" id={`panel-${value}`} aria-labelledby={`tab-${value}`}>
        {loaded.value && <Panel />}
      </div>
      {below}
    </aside>
  )
}

/** The whole page takes files. */
function DropTarget() {
  const over = useSignal(false)
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const on = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      over.value = true
    }
    const off = (event: DragEvent) => {
      // Leaving a part of the page is not leaving the page.
      if (event.relatedTarget === null) over.value = false
    }
    const dropped = (event: DragEvent) => {
      if (!event.dataTransfer || !hasFiles(event)) return
      event.preventDefault()
      over.value = false
      overlay.value = null
      void filesOf(event.dataTransfer).then(dropFound)
    }
    addEventListener('dragenter', on)
    addEventListener('dragover', on)
    addEventListener('dragleave', off)
    addEventListener('drop', dropped)
    return () => {
      removeEventListener('dragenter', on)
      removeEventListener('dragover', on)
      removeEventListener('dragleave', off)
      removeEventListener('drop', dropped)
    }
  }, [])
  return over.value ? <div class="drop"><div><strong>Drop it here</strong><small>{ACCEPTED}</small></div></div> : null
}

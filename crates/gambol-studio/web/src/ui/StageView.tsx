import { signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { capital, feet, footOf, jointsOf, spoken } from '../bodyparts'
import { tell } from '../notes'
import type { CreatureAnswer } from '../protocol'
import { Show, type Tool } from '../show'
import { Stage, type StageEvents } from '../stage'
import { control, flow, physics, placeLandmark, reach, show, work } from '../studio'
import { theme } from '../theme'
import { addHold, toggleInjured } from './BodyPanel'
import { hertz, number } from './format'
import * as icons from './icons'
import { Choice, IconButton } from './parts'

/** The stage, once there is one: the strip, the exports and the tests draw with it. */
export const stage = signal<Stage | null>(null)

interface Menu { x: number; y: number; title: string; items: { label: string; run: () => void }[] }

const TOOLS: { value: Tool; label: preact.JSX.Element; title: string }[] = [
  { value: 'look', label: <icons.Look />, title: 'Look and select: drag to orbit, click a part (V)' },
  { value: 'pose', label: <icons.Pose />, title: 'Pose: drag a limb (P)' },
  { value: 'hold', label: <icons.Hold />, title: 'Hold: click a part to pin it (H)' },
]

const SIDES = [
  { value: 'front', label: 'Front', title: 'From ahead (X)' },
  { value: 'side', label: 'Side', title: 'From its right (C)' },
  { value: 'top', label: 'Top', title: 'From above (T)' },
]

/** A wish that is missed by more than this share is told. */
const MISSED = 0.05

/** Why the motion is not as fast as was asked. */
function beyondReach(): string | null {
  const { gait } = work.value
  const motion = flow.motion.value
  if (!motion || motion.gait.speed !== gait.speed || gait.speed === null || !(gait.speed > 0) || gait.name === null) return null
  const { speed } = motion.answer.report
  if (Math.abs(speed / gait.speed - 1) < MISSED) return null
  return `${number(gait.speed)} m/s is beyond its reach in this ${spoken(gait.name)}: it goes ${number(speed)} m/s`
}

export function StageView() {
  const canvas = useRef<HTMLCanvasElement>(null)
  const menu = useSignal<Menu | null>(null)
  const tip = useSignal<{ x: number; y: number; name: string } | null>(null)
  useEffect(() => {
    const made = new Stage(canvas.current!, { theme: theme.peek() })
    stage.value = made
    const ends = [
      theme.subscribe((theme) => made.setTheme(theme)),
      show.attach(made),
      made.on('pick', (pick) => {
        menu.value = null
        const creature = flow.creature.peek()?.answer
        if (!creature) return
        if (pick.interaction === 'landmark') placeByClick(creature, pick)
        else if (pick.interaction === 'constrain') menu.value = holdMenu(creature, pick)
      }),
      made.on('select', ({ body }) => {
        if (show.interaction.peek() === 'orbit') show.selected.value = body
      }),
      made.on('hover', ({ name, onPage }) => {
        const box = canvas.current!.getBoundingClientRect()
        tip.value = name === null ? null : { x: onPage.x - box.left, y: onPage.y - box.top, name }
      }),
      made.on('pull', (pull) => {
        const to = Show.pullOf(pull)
        if (physics.state.peek() !== 'off') physics.pulls(pull.phase === 'end' ? null : to)
        else if (pull.purpose === 'pose') void reach(to, pull.phase)
      }),
      made.on('trouble', ({ kind, text }) => tell(kind === 'restored' ? 'info' : 'trouble', text)),
    ]
    return () => {
      for (const end of ends) end()
      stage.value = null
      made.dispose()
    }
  }, [])
  const skin = flow.creature.value?.answer.skin
  const tool = show.tool.value
  return (
    <div class={`stage ${show.interaction.value}`}>
      <canvas ref={canvas} tabIndex={0} aria-label={`The stage: ${flow.creature.value?.answer.name ?? ''}`} />
      <div class="stage-tools">
        <Choice label="Tool" value={tool} options={TOOLS} onChange={(value) => {
          physics.stop()
          show.tool.value = value
        }} />
      </div>
      <div class="stage-views">
        <IconButton label="Show all of it" keys="F" icon={<icons.Frame />} onClick={() => stage.value?.frameAll()} />
        <IconButton label="View as at the start" keys="R" icon={<icons.Reset />} onClick={() => stage.value?.resetView()} />
        <Choice label="View from" value="" options={SIDES} onChange={(side) => stage.value?.viewFrom(side as 'front' | 'side' | 'top')} />
        <IconButton label="Onion skin: a little before and after" keys="O" icon={<icons.Onion />} pressed={show.onion.value} onClick={() => { show.onion.value = !show.onion.value }} />
        <IconButton label="Camera goes along" icon={<icons.Camera />} pressed={show.follows.value} onClick={() => { show.follows.value = !show.follows.value }} />
        {skin && <IconButton label="Its own skin" icon={<icons.Skin />} pressed={show.skin.value} onClick={() => { show.skin.value = !show.skin.value }} />}
      </div>
      <StageHint />
      {physics.fell.value !== null && (
        <div class="stage-hint fell" role="status">
          It fell after {physics.fell.value.toFixed(1)} s.
          <button type="button" onClick={() => void physics.begin()}>Start again</button>
        </div>
      )}
      {tip.value && tool !== 'look' && <p class="tip" style={{ left: `${tip.value.x}px`, top: `${tip.value.y}px` }}>{capital(spoken(tip.value.name))}</p>}
      {menu.value && tool === 'hold' && (
        <div class="menu" role="menu" aria-label={menu.value.title} style={{ left: `${menu.value.x}px`, top: `${menu.value.y}px` }}>
          <strong>{menu.value.title}</strong>
          {menu.value.items.map(({ label, run }) => (
            <button type="button" role="menuitem" key={label} onClick={() => {
              menu.value = null
              run()
            }}>{label}</button>
          ))}
        </div>
      )}
    </div>
  )

  function holdMenu(creature: CreatureAnswer, { body, mark, onPage }: StageEvents['pick']): Menu | null {
    if (body === null) return null
    const box = canvas.current!.getBoundingClientRect()
    const landmark = mark?.kind === 'landmark' ? mark.name : null
    const foot = footOf(creature, body)
    const ownFoot = feet(creature).find((foot) => foot.body === body || foot.name === landmark)
    const name = creature.bodies[body]!.name
    const hands = creature.landmarks.filter((landmark) => landmark.role === 'hand')
    const injured = foot !== null && work.peek().style.injured.includes(foot.name)
    const items = [
      `ground:${ownFoot?.name ?? name}`,
      `orientation:${name}`,
      ...(hands.some((hand) => hand.body === body) ? ['hands:cart'] : []),
    ].map((text) => ({ label: HOLD[text.split(':')[0]!]!, run: () => addHold(text) }))
    if (foot) items.push({ label: injured ? 'This leg is well again' : 'This leg is injured', run: () => toggleInjured(foot.name) })
    // Not over the right edge.
    return { x: Math.min(onPage.x - box.left, box.width - 230), y: Math.min(onPage.y - box.top, box.height - 160), title: capital(spoken(name)), items }
  }
}

const HOLD: Record<string, string> = { ground: 'Pin it to the ground', orientation: 'Keep its orientation', hands: 'Hands on a cart' }

/** A click says where the landmark is: a joint for a knee, else a body. */
function placeByClick(creature: CreatureAnswer, { body, mark }: StageEvents['pick']): void {
  const name = show.placing.peek()
  if (name === null || (body === null && mark?.kind !== 'joint')) return
  const joint = mark?.kind === 'joint' ? mark.name : body === null ? undefined : jointsOf(creature, body)[0]?.name
  const bends = /^(knee|elbow)/.test(name)
  const target = bends ? joint : body === null ? undefined : creature.bodies[body]!.name
  if (target === undefined) return
  placeLandmark(name, target)
  show.placing.value = null
}

function StageHint() {
  const placing = show.placing.value
  const hovered = show.hovered.value
  const mode = hovered === null ? undefined : show.swings.value?.body.modes[hovered]
  const floats = show.sketching.value && control.view.value === 'preview' && control.player.value
  const text = placing !== null
    ? `Click the ${spoken(placing)} on the body`
    : physics.fell.value !== null ? null
    : physics.state.value !== 'off' ? 'Live simulation: drag the body to push it'
    : mode ? `${capital(mode.name)}${mode.rigid ? '' : `, ${hertz(mode.frequency)}`}`
    : floats ? 'Without gravity: what the green modes alone do'
    : show.sketching.value && control.running.value ? 'The best so far'
    : physics.state.value === 'off' && !show.sketching.value && beyondReach() !== null ? beyondReach()
    : show.tool.value === 'pose' ? 'Drag a limb: this is the pose that it vibrates about'
    : show.tool.value === 'hold' ? 'Click a part to hold it'
    : null
  return text === null ? null : <p class="stage-hint" role="status">{text}</p>
}

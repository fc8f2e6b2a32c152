import { useSignal } from '@preact/signals'
import { words } from '../engine/engine'
import { download } from '../files'
import { emptyGait } from '../work/empty'
import { filmGif, filmPng, filmWebm } from '../film/film'
import { tell } from '../notes'
import { engine, flow, gameSet, overlay, physics, playback, show, work } from '../studio'
import { toLink } from '../work/share'
import * as icons from './icons'
import { Making } from './Making'
import { Modal, Toggle } from './parts'
import { stage } from './StageView'

interface Format {
  format: string
  name: string
  about: string
  /** What else it is made of, if not of everything. */
  only?: 'gait' | 'gltf' | 'clip' | 'controller'
  /** Drawn by the stage, of what is on it. */
  picture?: boolean
}

/** Heights of films and pictures, px. */
const HEIGHTS = [240, 360, 480, 720, 1080]
/** A film of seconds is made in a moment, and sharp enough to show. */
const HEIGHT = 480

const FORMATS: Format[] = [
  { format: 'glb', name: 'GLB', about: 'Model and motion in one file: Blender, Unity, Unreal, Godot, the web' },
  { format: 'bvh', name: 'BVH', about: 'The skeleton’s motion, for any animation program' },
  { format: 'gif', name: 'GIF', about: 'A looping picture to show around, as you see it', picture: true },
  { format: 'webm', name: 'WebM', about: 'A film of this stage as you see it', only: 'clip', picture: true },
  { format: 'png', name: 'Film strip', about: 'One cycle as a picture, PNG', picture: true },
  { format: 'gait', name: 'Gait file', about: 'The motion itself, as text: edit it, drop it here again', only: 'gait' },
  { format: 'controller', name: 'Controller', about: 'Its sketch and all numbers, as text: simulate it, drop it here again', only: 'controller' },
  { format: 'sketch', name: 'Sketch', about: 'The marked modes, as text: edit it, drop it here again', only: 'controller' },
  { format: 'gltf', name: 'glTF', about: 'The same as GLB, as text', only: 'gltf' },
  { format: 'rig', name: 'Rig file', about: 'What was found on this creature, as text', only: 'gltf' },
]

export function TakeHome() {
  const close = () => { overlay.value = null }
  const inPlace = useSignal(false)
  const seconds = useSignal<number | null>(null)
  const busy = useSignal<string | null>(null)
  const results = useSignal<Record<string, string>>({})
  const motion = flow.motion.value
  const simulated = physics.state.value !== 'off'
  const controlled = isControlled()
  const cycle = playback.player.value?.duration ?? 1
  const title = controlled ? `${flow.creature.value?.answer.name}, ${work.value.sketch!.name} by its controller` : simulated ? `${flow.creature.value?.answer.name}, the last minute of the simulation` : motion ? `${flow.creature.value?.answer.name}, ${work.value.gait.name ?? 'free motion'}` : ''

  const gltf = flow.creature.value?.answer.kind === 'gltf'

  const offered = (only: Format['only']): boolean => {
    switch (only) {
      case undefined: return true
      case 'gltf': return gltf
      case 'clip': return !simulated
      case 'gait': return !simulated && !controlled
      case 'controller': return controlled
    }
  }
  const clipName = useSignal('')
  const keys = useSignal(60)
  const others = useSignal<string[]>([])
  const plain = !simulated && !controlled
  // A gait of the paper has a body of its own, and is another file.
  const more = plain && work.value.gait.name !== null ? (flow.gaits.value?.list ?? []).filter(({ suits, style, name }) => suits && !style && name !== work.value.gait.name) : []
  const picked = others.value.filter((name) => more.some((choice) => choice.name === name))
  const height = useSignal(HEIGHT)
  const clear = useSignal(false)
  const done = useSignal(0)
  /** The last minute of a simulation is known to the engine alone, which draws it as it can. */
  const player = simulated || !stage.value ? null : playback.player.value
  const film = async (format: string): Promise<Blob> => {
    const whole = Math.max(Math.round((seconds.value ?? cycle) / cycle), 1) * cycle
    const wanted = {
      height: height.value, seconds: player!.loops ? whole : cycle, clear: clear.value, inPlace: inPlace.value || !playback.travels.value,
      follows: show.follows.value, now: playback.time.value, travels: playback.travels.value, told: (share: number) => { done.value = share },
    }
    if (format === 'webm') return filmWebm(stage.value!, player!, wanted)
    if (format === 'gif') return filmGif(stage.value!, player!, wanted)
    return filmPng(stage.value!, player!, wanted, getComputedStyle(document.body).backgroundColor)
  }
  const take = async ({ format, picture }: Format) => {
    busy.value = format
    done.value = 0
    try {
      if (picture && player) {
        const playing = playback.playing.value
        playback.playing.value = false
        const name = `${fileName()}.${format}`
        const blob = await film(format).finally(() => { playback.playing.value = playing })
        download(name, blob)
        results.value = { ...results.value, [format]: `Saved ${name}` }
      } else {
        const { creature, style, gait, sketch } = work.value
        const gaits = picked.length > 0 && format === 'glb' && plain ? [gait, ...picked.map((name) => ({ ...emptyGait(), name, prefer: gait.prefer, avoid: gait.avoid, slope: gait.slope }))] : null
        const { answer, bytes } = await engine.ask('export', {
          creature, style, format, in_place: inPlace.value, seconds: simulated ? null : seconds.value,
          what: gaits ? { of: 'gaits', gaits } : simulated ? { of: 'simulation' } : controlled ? { of: 'controller', sketch: sketch! } : { of: 'gait', gait },
          name: clipName.value.trim() || null, keys: keys.value,
        })
        if (bytes.length === 0) throw new Error('The file came out empty; take another format.')
        download(answer.name, new Blob([bytes], { type: answer.mime }))
        results.value = { ...results.value, [format]: [`Saved ${answer.name}`, ...answer.warnings].join('. ') }
      }
    } catch (error) {
      results.value = { ...results.value, [format]: words(error) }
    } finally {
      busy.value = null
    }
  }
  return (
    <Modal title="Take it home" onClose={close} wide>
      <div class="take-options">
        <span class="quiet grow">{title}</span>
        {!simulated && (
          <label class="inline">
            Length
            <select value={seconds.value ?? ''} onChange={(event) => { seconds.value = event.currentTarget.value === '' ? null : Number(event.currentTarget.value) }}>
              <option value="">one cycle ({cycle.toFixed(2)} s)</option>
              {[2, 5, 10, 30].map((length) => <option key={length} value={length}>about {length} s</option>)}
            </select>
          </label>
        )}
        {player && (
          <label class="inline">
            Pictures
            <select value={height.value} onChange={(event) => { height.value = Number(event.currentTarget.value) }}>
              {HEIGHTS.map((height) => <option key={height} value={height}>{height} px high</option>)}
            </select>
          </label>
        )}
        {player && <Toggle label="Clear" on={clear.value} title="GIF, WebM and film strip show the creature alone, on nothing" onChange={(on) => { clear.value = on }} />}
        <Toggle label="In place" on={inPlace.value} title="Without its way over the ground: a game moves it itself" onChange={(on) => { inPlace.value = on }} />
      </div>
      {!simulated && (
        <div class="take-options">
          <label class="inline grow">
            Name of the clip
            <input type="text" maxLength={60} disabled={picked.length > 0} placeholder={(controlled ? work.value.sketch!.name : work.value.gait.name) ?? 'motion'} value={clipName.value} onInput={(event) => { clipName.value = event.currentTarget.value }} />
          </label>
          <label class="inline">
            Keys
            <select value={keys.value} onChange={(event) => { keys.value = Number(event.currentTarget.value) }}>
              {[24, 30, 60, 120].map((rate) => <option key={rate} value={rate}>{rate} a second</option>)}
            </select>
          </label>
        </div>
      )}
      {more.length > 0 && (
        <div class="take-options">
          <span class="quiet">Also in the GLB:</span>
          <div class="chips grow">
            {more.map(({ name }) => (
              <button type="button" class="chip small" key={name} aria-pressed={picked.includes(name)}
                onClick={() => { others.value = picked.includes(name) ? picked.filter((other) => other !== name) : [...picked, name] }}>{name.replaceAll('-', ' ')}</button>
            ))}
          </div>
        </div>
      )}
      <div class={`takes ${gltf ? 'many' : ''}`}>
        {FORMATS.filter(({ only }) => offered(only)).map((format) => (
          <button type="button" key={format.format} class="take" disabled={busy.value !== null} aria-busy={busy.value === format.format} onClick={() => void take(format)}>
            <strong>{format.name}</strong>
            <small role="status">{busy.value === format.format ? (format.picture && player ? `Drawing, ${Math.round(100 * done.value)} %` : 'Making it…') : results.value[format.format] ?? format.about}</small>
          </button>
        ))}
      </div>
      {!simulated && !controlled && <SetForGame inPlace={inPlace.value} />}
      {!simulated && <Share />}
    </Modal>
  )
}

/** It is what was found of the sketch. */
function isControlled(): boolean {
  return show.sketching.value && physics.state.value === 'off' && work.value.sketch?.found?.controller != null
}

function fileName(): string {
  const creature = flow.creature.value?.answer.name ?? 'creature'
  const { gait, sketch } = work.value
  return `${creature}-${(isControlled() ? sketch!.name : gait.name) ?? 'motion'}`.replace(/[^\w.-]+/g, '-')
}

/** All that a game needs of this creature, not of this gait alone. */
function SetForGame({ inPlace }: { inPlace: boolean }) {
  const making = gameSet.making.value
  const ended = gameSet.ended.value
  return (
    <div class="share">
      <div class="grow">
        <strong>All that a game needs</strong>
        <small role="status">
          {ended?.text ?? 'Standing, going slowly and fast, turning, starting, stopping and a jump, in step with each other, in one GLB. It takes a minute; you may go on meanwhile.'}
        </small>
        {ended && ended.warnings.length > 0 && <ul class="told warn">{ended.warnings.map((line) => <li key={line}>{line}</li>)}</ul>}
        {making && <Making making={making} />}
      </div>
      {!making && <button type="button" onClick={() => void gameSet.make(inPlace)}><icons.Home />Set for a game</button>}
    </div>
  )
}

/** A link that opens this gait on this machine, and the file behind it. */
function Share() {
  const shared = useSignal<{ address: string; path: string | null } | null>(null)
  const copied = useSignal(false)
  const share = async () => {
    const { creature, style, gait, sketch } = work.value
    try {
      // Where no server keeps it, the link holds all of it.
      const kept = engine.local ? null : (await engine.ask('share', { name: fileName(), creature, style, gait, sketch: isControlled() ? sketch : null })).answer
      const name = kept?.name ?? (await toLink(work.value))
      shared.value = { address: `${location.origin}${location.pathname}${location.search}#gait=${encodeURIComponent(name)}`, path: kept?.path ?? null }
    } catch (error) {
      tell('trouble', words(error))
    }
  }
  if (!shared.value) {
    return (
      <div class="share">
        <div><strong>A link</strong><small>{engine.local ? `With this ${isControlled() ? 'controller' : 'gait'} and this body in it; whoever has a creature’s file opens it on that.` : `Keeps this ${isControlled() ? 'controller' : 'gait'} as a file in your studio’s folder; the link opens it.`}</small></div>
        <button type="button" onClick={() => void share()}><icons.Copy />Make a link</button>
      </div>
    )
  }
  const { address, path } = shared.value
  return (
    <div class="share">
      <div class="grow">
        <input readOnly aria-label="Link" value={address} onFocus={(event) => event.currentTarget.select()} />
        <small>{path === null ? `All of it is in the link${work.value.creature.source.from === 'file' ? '; the creature’s own file is not' : ''}.` : <>The file: <code>{path}</code></>}</small>
      </div>
      <button type="button" onClick={() => {
        void navigator.clipboard.writeText(address).then(() => { copied.value = true })
      }}><icons.Copy />{copied.value ? 'Copied' : 'Copy'}</button>
    </div>
  )
}

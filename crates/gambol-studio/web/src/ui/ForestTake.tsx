import { useSignal } from '@preact/signals'
import { words } from '../engine/engine'
import { download } from '../files'
import { engine, overlay, planting, work } from '../studio'
import { grove } from './ForestView'
import { Modal } from './parts'

const FORMATS = [
  { format: 'picture', name: 'Picture', about: 'The forest as you see it, PNG' },
  { format: 'glb', name: 'GLB', about: 'One tree, skinned, with a clip in this wind: Blender, Unity, Unreal, Godot, the web' },
  { format: 'gif', name: 'GIF', about: 'One tree in this wind, to show around' },
  { format: 'png', name: 'Film strip', about: 'Moments of one tree side by side, PNG' },
  { format: 'npz', name: 'NPZ', about: 'Displacements of all its nodes over time, for NumPy' },
  { format: 'json', name: 'JSON', about: 'Wind, modes and top over time, and a report' },
]

/** Files of the plant in the present wind. */
export function ForestTake() {
  const seconds = useSignal(10)
  const busy = useSignal<string | null>(null)
  const results = useSignal<Record<string, string>>({})
  const plant = planting.plant.value?.answer.name ?? 'plant'
  const take = async (format: string) => {
    busy.value = format
    try {
      let saved: string
      if (format === 'picture') {
        saved = `${plant}-forest.png`.replace(/[^\w.-]+/g, '-')
        download(saved, await grove.value!.snapshot())
      } else {
        const { creature, style } = work.value
        const wind = { wind: planting.wind.value, gusts: planting.gusts.value, seed: 1, modes: planting.modes.value, stiffness: planting.stiffness.value, damping: planting.damping.value }
        const { answer, bytes } = await engine.ask('export', { creature, style, what: { of: 'wind', wind }, format, in_place: false, seconds: seconds.value })
        download(answer.name, new Blob([bytes], { type: answer.mime }))
        saved = answer.name
      }
      results.value = { ...results.value, [format]: `Saved ${saved}` }
    } catch (error) {
      results.value = { ...results.value, [format]: words(error) }
    } finally {
      busy.value = null
    }
  }
  return (
    <Modal title="Take it home" onClose={() => { overlay.value = null }} wide>
      <div class="take-options">
        <span class="quiet grow">{plant}, {Math.hypot(...planting.wind.value).toFixed(1)} m/s</span>
        <label class="inline">
          Length
          <select value={seconds.value} onChange={(event) => { seconds.value = Number(event.currentTarget.value) }}>
            {[5, 10, 20, 40].map((length) => <option key={length} value={length}>{length} s</option>)}
          </select>
        </label>
      </div>
      <div class="takes">
        {FORMATS.map(({ format, name, about }) => (
          <button type="button" key={format} class="take" disabled={busy.value !== null} aria-busy={busy.value === format} onClick={() => void take(format)}>
            <strong>{name}</strong>
            <small role="status">{busy.value === format ? 'Making it…' : results.value[format] ?? about}</small>
          </button>
        ))}
      </div>
    </Modal>
  )
}

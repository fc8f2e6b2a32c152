import { useEffect, useRef } from 'preact/hooks'
import { capital } from '../bodyparts'
import type { Plant } from '../planting'
import type { PlantModePart } from '../protocol'
import { numbersOf } from '../stage/bytes'
import { planting } from '../studio'
import { theme } from '../theme'
import { hertz } from './format'

/** px of a picture, and how far a mode swings in it, in heights of the plant. */
const SIZE = [104, 96] as const
const SWING = 0.12
/** Branches of a picture. */
const MOST = 420

/** The plant's vibrations; a click lets one of them sway alone. */
export function ForestModes() {
  const plant = planting.plant.value
  const shown = planting.shown.value
  return (
    <section class="palette" aria-label="Natural motions">
      <header>
        <h3>Natural motions</h3>
        <small>{plant?.answer.modes.length ?? 0} · click one to see it sway alone, again for the wind</small>
        <div class="spring" />
        {shown !== null && <button type="button" class="chip" onClick={() => { planting.shown.value = null }}>Back to the wind</button>}
      </header>
      <div class="pictures">
        <div class="scroller">
          {plant?.answer.modes.map((mode, index) => <Cell key={`${plant.answer.name} ${index}`} plant={plant} mode={mode} index={index} pressed={index === shown} off={index >= planting.modes.value} />)}
        </div>
      </div>
    </section>
  )
}

function Cell({ plant, mode, index, pressed, off }: { plant: Plant; mode: PlantModePart; index: number; pressed: boolean; off: boolean }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const dark = theme.value === 'dark'
  useEffect(() => drawMode(canvas.current!, plant, index, dark), [plant, index, dark])
  const name = capital(mode.name)
  return (
    <div class={`cell plant-mode ${off ? 'unused' : ''}`}>
      <button type="button" class="picture" aria-pressed={pressed} aria-label={`Mode ${index}: ${mode.name}, ${hertz(mode.frequency)}`} title={name}
        onClick={() => { planting.shown.value = pressed ? null : index }}>
        <canvas ref={canvas} width={2 * SIZE[0]} height={2 * SIZE[1]} />
        <span class="number">{index}<b>{hertz(mode.frequency)}</b></span>
      </button>
      <p class="name" title={name}>{name}</p>
    </div>
  )
}

/** Both ends of the swing over each other, seen from where most of it is seen. */
function drawMode(canvas: HTMLCanvasElement, { answer, bytes }: Plant, index: number, dark: boolean): void {
  const brush = canvas.getContext('2d')!
  const [places, parents, radii, shapes] = [answer.places, answer.parents, answer.radii, answer.shapes].map((numbers) => numbersOf(bytes, numbers)) as [Float32Array, Float32Array, Float32Array, Float32Array]
  const nodes = parents.length
  const shape = shapes.subarray(3 * nodes * index, 3 * nodes * (index + 1))
  let [xx, xy, yy] = [0, 0, 0]
  for (let k = 0; k < shape.length; k += 3) {
    xx += shape[k]! ** 2
    xy += shape[k]! * shape[k + 1]!
    yy += shape[k + 1]! ** 2
  }
  const azimuth = 0.5 * Math.atan2(2 * xy, xx - yy)
  const [c, s] = [Math.cos(azimuth), Math.sin(azimuth)]
  const { height, width, middle } = answer
  const far = Math.min(SWING * height / answer.modes[index]!.reach, answer.modes[index]!.bend[2])
  const scale = Math.min(0.82 * canvas.width / Math.max(width, 0.5 * height), 0.86 * canvas.height / height)
  const at = (node: number, q: number): [number, number] => {
    const [x, y, z] = [0, 1, 2].map((axis) => places[3 * node + axis]! + q * shape[3 * node + axis]!) as [number, number, number]
    return [canvas.width / 2 + scale * ((x - middle[0]) * c + (y - middle[1]) * s), canvas.height / 2 - scale * (z - middle[2])]
  }
  brush.clearRect(0, 0, canvas.width, canvas.height)
  brush.lineCap = 'round'
  const ink = dark ? '225 220 208' : '66 52 40'
  for (const [q, opacity] of [[-far, 0.22], [far, 0.95]] as const) {
    brush.strokeStyle = `rgb(${ink} / ${opacity})`
    for (let node = 1; node < Math.min(nodes, MOST); node++) {
      brush.lineWidth = Math.max(2 * radii[node]! * scale, 1.1)
      brush.beginPath()
      brush.moveTo(...at(parents[node]!, q))
      brush.lineTo(...at(node, q))
      brush.stroke()
    }
  }
}

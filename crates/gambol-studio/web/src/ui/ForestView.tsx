import { signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { words } from '../engine/engine'
import { bearingOf, quarter } from '../forest/breeze'
import { Grove } from '../forest/grove'
import { tell } from '../notes'
import { planting } from '../studio'
import { theme } from '../theme'
import * as icons from './icons'
import { IconButton } from './parts'

/** The forest's picture, once there is one: keys, exports and tests use it. */
export const grove = signal<Grove | null>(null)

/** A drag over this share of the smaller side of the picture is this wind, m/s. */
const FULL = 0.5
const STRONGEST = 24
/** A drag shorter than this is a click, px. */
const CLICK = 5
/** Away from the eye a way looks shorter than it is. */
const DEPTH = 1.7

interface Drag { button: number; x: number; y: number; far: boolean }

export function ForestView() {
  const canvas = useRef<HTMLCanvasElement>(null)
  const arrow = useSignal<{ from: [number, number]; to: [number, number] } | null>(null)
  const drag = useRef<Drag | null>(null)
  useEffect(() => {
    let made: Grove
    try {
      made = new Grove(canvas.current!, theme.peek())
    } catch (error) {
      tell('trouble', `This browser cannot draw a forest: ${words(error)}. Turn on hardware acceleration in its settings, or try another browser.`)
      return
    }
    grove.value = made
    const resizing = new ResizeObserver(() => made.resize())
    resizing.observe(canvas.current!)
    const halt = () => made.walker.halt()
    addEventListener('blur', halt)
    const ends = [theme.subscribe((theme) => made.setTheme(theme)), planting.attach(made)]
    return () => {
      for (const end of ends) end()
      removeEventListener('blur', halt)
      resizing.disconnect()
      grove.value = null
      made.dispose()
    }
  }, [])

  const within = (event: PointerEvent): [number, number] => {
    const box = canvas.current!.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top]
  }
  const blow = (from: [number, number], to: [number, number]) => {
    const { clientWidth, clientHeight } = canvas.current!
    const [dx, dy] = [to[0] - from[0], DEPTH * (from[1] - to[1])]
    const strength = Math.min(Math.hypot(to[0] - from[0], to[1] - from[1]) / (FULL * Math.min(clientWidth, clientHeight)), 1) * STRONGEST
    const length = Math.hypot(dx, dy) || 1
    const { right, ahead } = grove.value!.walker.axes()
    planting.shown.value = null
    planting.wind.value = [0, 1].map((axis) => (right[axis]! * dx + ahead[axis]! * dy) / length * strength) as [number, number]
  }
  const speed = Math.hypot(...planting.wind.value)
  return (
    <div class="stage forest">
      <canvas ref={canvas} tabIndex={0} aria-label={`A forest of ${planting.plant.value?.answer.name ?? 'plants'}: drag to blow, click for a gust`}
        onContextMenu={(event) => event.preventDefault()}
        onPointerDown={(event) => {
          canvas.current!.focus()
          canvas.current!.setPointerCapture(event.pointerId)
          const [x, y] = within(event)
          drag.current = { button: event.button, x, y, far: false }
        }}
        onPointerMove={(event) => {
          const now = drag.current
          if (!now || !grove.value) return
          const [x, y] = within(event)
          now.far ||= Math.hypot(x - now.x, y - now.y) > CLICK
          if (now.button !== 0) {
            grove.value.walker.look(now.x - x, y - now.y)
            Object.assign(now, { x, y })
          } else if (now.far) {
            arrow.value = { from: [now.x, now.y], to: [x, y] }
            blow([now.x, now.y], [x, y])
          }
        }}
        onPointerUp={(event) => {
          const now = drag.current
          drag.current = arrow.value = null
          if (!now || now.far || now.button !== 0 || !grove.value) return
          const [x, y] = within(event)
          const { clientWidth, clientHeight } = canvas.current!
          planting.puff(...grove.value.walker.onGround(2 * x / clientWidth - 1, 1 - 2 * y / clientHeight))
        }}
        onPointerCancel={() => { drag.current = arrow.value = null }}
        onWheel={(event) => {
          event.preventDefault()
          grove.value?.walker.wheel(Math.sign(event.deltaY))
        }} />
      {arrow.value && (
        <svg class="wind-arrow" aria-hidden="true">
          <Arrow from={arrow.value.from} to={arrow.value.to} />
        </svg>
      )}
      <div class="stage-views">
        <IconButton label="View as at the start" keys="R" icon={<icons.Reset />} onClick={() => grove.value?.walker.start()} />
        <IconButton label={planting.playing.value ? 'Hold the wind' : 'Let it blow'} keys="Space" icon={planting.playing.value ? <icons.Pause /> : <icons.Play />} onClick={() => { planting.playing.value = !planting.playing.value }} />
      </div>
      <p class="stage-hint" role="status">
        {planting.trouble.value ?? (planting.plant.value === null ? 'Finding its vibrations'
          : planting.shown.value !== null ? `${planting.plant.value.answer.modes[planting.shown.value]?.name ?? ''}, swaying alone`
          : speed < 0.05 ? 'Calm. Drag to blow, click for a gust'
          : `${speed.toFixed(1)} m/s from the ${quarter(bearingOf(planting.wind.value))}`)}
      </p>
    </div>
  )
}

function Arrow({ from: [x, y], to: [u, v] }: { from: [number, number]; to: [number, number] }) {
  const length = Math.hypot(u - x, v - y) || 1
  const [a, b] = [(u - x) / length, (v - y) / length]
  const corner = (back: number, aside: number) => `${u - back * a - aside * b},${v - back * b + aside * a}`
  return (
    <>
      <line x1={x} y1={y} x2={u - 8 * a} y2={v - 8 * b} />
      <polygon points={`${u},${v} ${corner(14, 6)} ${corner(14, -6)}`} />
    </>
  )
}

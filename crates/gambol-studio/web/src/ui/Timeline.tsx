import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { feet, footOf, whichFoot } from '../bodyparts'
import type { ForceCurves } from '../forces'
import { TRACED } from '../physics'
import { SPEEDS } from '../playback'
import type { ClipPart } from '../protocol'
import { doc, flow, forces, physics, playback, show } from '../studio'
import { theme } from '../theme'
import { filmStrip, type Stage } from '../stage'
import * as icons from './icons'
import { Choice, IconButton, Slider } from './parts'

export function Timeline({ stage }: { stage: Stage | null }) {
  const player = playback.player.value
  const simulated = physics.state.value !== 'off'
  const playing = simulated ? physics.state.value === 'running' : playback.playing.value
  const none = !player && !simulated
  const toggle = () => (simulated ? physics.toggle() : playback.toggle())
  const fixed = none || simulated
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="transport">
        <div class="group" role="group" aria-label="Play">
          <IconButton label="To the start" keys="Home" icon={<icons.ToStart />} disabled={fixed} onClick={() => { playback.time.value = 0 }} />
          <IconButton label="One frame back" keys="←" icon={<icons.StepBack />} disabled={fixed} onClick={() => playback.step(-1)} />
          <button type="button" class="play" aria-label={playing ? 'Pause' : 'Play'} title={`${playing ? 'Pause' : 'Play'} (Space)`} disabled={none} onClick={toggle}>
            {playing ? <icons.Pause /> : <icons.Play />}
          </button>
          <IconButton label="One frame on" keys="→" icon={<icons.StepOn />} disabled={fixed} onClick={() => playback.step(1)} />
        </div>
        <Clock />
        <div class="spring" />
        <Choice label="Way" value={playback.travels.value ? 'travel' : 'place'} onChange={(value) => { playback.travels.value = value === 'travel' }} options={[
          { value: 'travel', label: 'Travels', title: 'It walks over the ground' },
          { value: 'place', label: 'In place', title: 'It stays where it is' },
        ]} />
        <Slider label="Playback" value={playback.speed.value} least={SPEEDS.least} most={SPEEDS.most} ratios text={(value) => `×${value.toFixed(2)}`}
          onDrag={(value) => { playback.speed.value = Math.abs(value - 1) < 0.03 ? 1 : value }} onRelease={() => {}}
          onReset={playback.speed.value === 1 ? undefined : () => { playback.speed.value = 1 }} />
      </div>
      <Tracks clip={player?.clip ?? null} curves={simulated ? null : forces.value} stage={stage} />
    </section>
  )
}

/** Written straight to the page with every frame of the screen: nothing else is drawn anew for it. */
function Clock() {
  const time = useRef<HTMLElement>(null)
  const place = useRef<HTMLElement>(null)
  useSignalEffect(() => {
    const player = playback.player.value
    const live = physics.reading.value
    const phase = playback.phase.value
    const frames = Math.max((player?.clip.keys ?? 0) - 1, 1)
    const seconds = live ? live.time : player ? player.inCycle(playback.time.value) : null
    if (time.current) time.current.textContent = seconds === null ? '' : `${seconds.toFixed(2)} s`
    if (place.current) place.current.textContent = live ? 'live' : player ? `frame ${Math.round(phase * frames)} of ${frames} · ${Math.round(phase * 100)} %` : ''
  })
  return <output class="clock"><span ref={time} /><small ref={place} /></output>
}

function Tracks({ clip, curves, stage }: { clip: ClipPart | null; curves: ForceCurves | null; stage: Stage | null }) {
  const track = useRef<HTMLDivElement>(null)
  const seek = (event: PointerEvent) => {
    const { left, width } = track.current!.getBoundingClientRect()
    playback.seek((event.clientX - left) / width)
  }
  const live = physics.state.value !== 'off'
  const contacts = live ? traced() : clip?.contacts ?? []
  const span = live ? TRACED : clip?.duration ?? 1
  return (
    <div class={`tracks ${live ? 'live' : ''} ${contacts.length > (live ? 6 : 4) ? 'many' : ''}`}>
      <div class="names" aria-hidden="true">
        <span class="strip-name" />
        {contacts.map((contact) => <span key={contact.name}>{whichFoot(contact.name)}</span>)}
        {curves && <span class="forces-name">forces</span>}
      </div>
      <div class="track" ref={track} role="slider" tabIndex={0} aria-label="Place in the cycle" aria-valuemin={0} aria-valuemax={100} aria-valuenow={0}
        onPointerDown={(event) => {
          if (!clip) return
          event.currentTarget.setPointerCapture(event.pointerId)
          playback.playing.value = false
          seek(event)
        }}
        onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && seek(event)}>
        <Strip stage={stage} />
        {contacts.map((contact) => (
          <div class="contact" key={contact.name}>
            {contact.intervals.map(([from, to]) => (
              <i key={from} style={{ left: `${(from / span) * 100}%`, width: `${((to - from) / span) * 100}%` }} />
            ))}
          </div>
        ))}
        {curves && clip && <Forces curves={curves} duration={clip.duration} />}
        {clip && !live && <Playhead />}
      </div>
    </div>
  )
}

/** What stood on the ground in the last seconds of a simulation: each foot, and all else that touched it. */
function traced(): { name: string; intervals: [number, number][] }[] {
  const creature = flow.creature.value?.answer
  const trace = physics.trace.value
  if (!creature || trace.length === 0) return []
  const start = trace.at(-1)!.time - TRACED
  const rows = new Map(feet(creature).map((foot) => [foot.name, [] as [number, number][]]))
  const footOfBody = new Map(creature.bodies.map((body, index) => [body.name, footOf(creature, index)?.name ?? OTHERS]))
  trace.forEach(({ time, touching }, k) => {
    const before = trace[k - 1]?.time ?? time
    for (const name of new Set(touching.map((body) => footOfBody.get(body) ?? OTHERS))) {
      const intervals = rows.get(name) ?? rows.set(name, []).get(name)!
      const last = intervals.at(-1)
      if (last && last[1] >= before - start - 1e-9) last[1] = time - start
      else intervals.push([Math.max(before - start, 0), time - start])
    }
  })
  return [...rows].map(([name, intervals]) => ({ name, intervals }))
}

/** What touches the ground and is no foot. */
const OTHERS = 'body'

/** A curve for each foot, their sum, and in red what no foot could give; a red band where the motion cannot be believed. */
function Forces({ curves, duration }: { curves: ForceCurves; duration: number }) {
  const { most, feet, sum, residual, unbelieved, worst } = curves
  const line = (values: ArrayLike<number>) => curves.times.map((time, key) => `${time},${most - Math.min(values[key]!, most)}`).join(' ')
  const words = worst > curves.believed
    ? `Gravity would not believe it: up to ${worst.toFixed(1)} body weights would have to come from nowhere`
    : 'Forces that gravity believes'
  return (
    <svg class="forces" role="img" aria-label={words} viewBox={`0 0 ${duration} ${most}`} preserveAspectRatio="none">
      <title>{`${words}. Up to ${most} body weights; blue is what all feet carry, red what comes from nowhere`}</title>
      {unbelieved.map(([from, to]) => <rect key={from} class="unbelieved" x={from} y={0} width={to - from} height={most} />)}
      <line class="weight" x1={0} x2={duration} y1={most - 1} y2={most - 1} />
      <polyline class="sum" points={line(sum)} />
      {feet.map(({ name, up }) => <polyline key={name} class="foot" points={line(up)} />)}
      <polyline class="residual" points={line(residual)} />
    </svg>
  )
}

function Playhead() {
  const line = useRef<HTMLDivElement>(null)
  useSignalEffect(() => {
    const { phase } = playback
    if (!line.current) return
    line.current.style.left = `${phase.value * 100}%`
    line.current.parentElement!.ariaValueNow = String(Math.round(phase.value * 100))
  })
  return <div class="playhead" ref={line} />
}

/** A film strip is drawn when the motion has rested for this long, ms. */
const REST = 500

/** Small pictures of one cycle, as many as fit. */
function Strip({ stage }: { stage: Stage | null }) {
  const place = useRef<HTMLDivElement>(null)
  const width = useSignal(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => { width.value = Math.round(entry!.contentRect.width) })
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [])
  useSignalEffect(() => {
    const player = playback.player.value
    const wide = width.value
    void [theme.value, show.skin.value]
    if (!player) place.current?.replaceChildren()
    if (!stage || !player || wide < 50) return
    const timer = setTimeout(async () => {
      if (doc.dragging || physics.state.peek() !== 'off') return
      // A plant may have taken the place of the creature meanwhile.
      if (!place.current) return
      const height = place.current.clientHeight
      const pictures = Math.max(Math.floor(wide / (1.5 * height)), 4)
      const strip = await filmStrip(stage, player, pictures, { width: wide / pictures, height, pixelRatio: devicePixelRatio })
      strip.setAttribute('aria-hidden', 'true')
      if (playback.player.peek() === player) place.current?.replaceChildren(strip)
    }, REST)
    return () => clearTimeout(timer)
  })
  return <div class="strip" ref={place} />
}

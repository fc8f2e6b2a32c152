import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import * as icons from './icons'

/** A button with a picture only: its name is in the tooltip and for screen readers. */
export function IconButton(props: {
  label: string
  icon: ComponentChildren
  onClick: () => void
  disabled?: boolean
  pressed?: boolean
  keys?: string
  small?: boolean
}) {
  const { label, icon, onClick, disabled, pressed, keys, small } = props
  return (
    <button type="button" class={`icon-button ${small ? 'small' : ''}`} aria-label={label} title={keys ? `${label} (${keys})` : label}
      aria-pressed={pressed} disabled={disabled} onClick={onClick}>
      {icon}
    </button>
  )
}

export function Toggle({ label, on, onChange, title }: { label: string; on: boolean; onChange: (on: boolean) => void; title?: string }) {
  return (
    <label class="toggle" title={title}>
      <input type="checkbox" role="switch" checked={on} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span class="knob" aria-hidden="true" />
      <span>{label}</span>
    </label>
  )
}

/** One of a few. */
export function Choice<T extends string>(props: {
  label: string
  value: T
  options: { value: T; label: ComponentChildren; title?: string; disabled?: boolean }[]
  onChange: (value: T) => void
}) {
  const { label, value, options, onChange } = props
  return (
    <div class="choice" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <button type="button" role="radio" key={option.value} aria-checked={option.value === value} title={option.title}
          disabled={option.disabled} onClick={() => onChange(option.value)}>
          {option.label}
        </button>
      ))}
    </div>
  )
}

export function Section({ title, aside, children, closed }: { title: string; aside?: ComponentChildren; children: ComponentChildren; closed?: boolean }) {
  const [open, setOpen] = useState(!closed)
  const id = useId()
  return (
    <section class="section">
      <header>
        <button type="button" class="fold" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          <icons.Chevron />
          <h3>{title}</h3>
        </button>
        {aside}
      </header>
      {open && <div class="section-body" id={id}>{children}</div>}
    </section>
  )
}

export interface SliderProps {
  label: string
  value: number
  least: number
  most: number
  /** Equal ways are equal ratios. */
  ratios?: boolean
  /** The number as text, with its unit. */
  text: (value: number) => string
  /** How many of that unit a value of 1 is: for typing. */
  shownAs?: number
  onDrag: (value: number) => void
  onRelease: () => void
  /** Takes the value back to what follows by itself; shown where there is something to take back. */
  onReset?: (() => void) | undefined
  title?: string
  disabled?: boolean
  /** The value follows from the rest: it is drawn quietly. */
  follows?: boolean
  /** Where the middle of the range means "as it is". */
  fromMiddle?: boolean
  onPoint?: (on: boolean) => void
}

const STEPS = 1000

export function Slider(props: SliderProps) {
  const { label, value, least, most, ratios, text, shownAs = 1, onDrag, onRelease, onReset, title, disabled, follows, fromMiddle, onPoint } = props
  const [typing, setTyping] = useState(false)
  const id = useId()
  const toShare = (value: number) =>
    ratios ? Math.log(value / least) / Math.log(most / least) : (value - least) / (most - least)
  const toValue = (share: number) => (ratios ? least * (most / least) ** share : least + share * (most - least))
  const share = Math.min(Math.max(toShare(value), 0), 1)
  const [from, to] = fromMiddle ? [Math.min(0.5, share), Math.max(0.5, share)] : [0, share]
  return (
    <div class={`slider ${follows ? 'follows' : ''} ${disabled ? 'disabled' : ''}`} title={title}
      onPointerEnter={() => onPoint?.(true)} onPointerLeave={() => onPoint?.(false)}>
      <label for={id}>{label}</label>
      {typing
        ? <NumberEntry label={label} value={value * shownAs} onDone={(next) => {
          setTyping(false)
          if (next === null) return
          onDrag(Math.min(Math.max(next / shownAs, least), most))
          onRelease()
        }} />
        : <output for={id} title="Double-click to type" onDblClick={() => !disabled && setTyping(true)}>{text(value)}</output>}
      {onReset && (
        <button type="button" class="reset" aria-label={`Reset ${label}`} title={`Reset ${label}`} onClick={onReset}><icons.Reset /></button>
      )}
      <input id={id} type="range" min={0} max={STEPS} step={1} disabled={disabled} value={Math.round(share * STEPS)}
        aria-valuetext={text(value)} style={{ '--from': `${from * 100}%`, '--to': `${to * 100}%` }}
        onInput={(event) => {
          const raw = event.currentTarget.valueAsNumber / STEPS
          // The middle is a value of its own: easy to find again.
          onDrag(toValue(fromMiddle && Math.abs(raw - 0.5) < 0.012 ? 0.5 : raw))
        }}
        onChange={onRelease} />
    </div>
  )
}

/** A number to drag sideways, step by arrow keys, or type (double click). */
export function Scrub(props: {
  label: string
  value: number
  least: number
  most: number
  step: number
  text: (value: number) => string
  onDrag: (value: number) => void
  onRelease: () => void
  set: boolean
  /** Pixels over which the whole range is dragged. */
  reach?: number
  /** Beyond one end is the other: an angle. */
  wraps?: boolean
}) {
  const { label, value, least, most, step, text, onDrag, onRelease, set, reach = 160, wraps } = props
  const [typing, setTyping] = useState(false)
  const drag = useRef<{ x: number; value: number } | null>(null)
  const within = (value: number) =>
    wraps ? least + ((((value - least) % (most - least)) + (most - least)) % (most - least)) : Math.min(Math.max(value, least), most)
  const go = (next: number) => {
    onDrag(within(next))
    onRelease()
  }
  if (typing) {
    return <NumberEntry label={label} value={value} onDone={(next) => {
      setTyping(false)
      if (next !== null) go(next)
    }} />
  }
  return (
    <span class={`scrub ${set ? 'set' : ''}`} role="slider" tabIndex={0} aria-label={label} aria-valuemin={least} aria-valuemax={most}
      aria-valuenow={value} aria-valuetext={text(value)} title={`${label}: drag, or double-click to type`}
      onDblClick={() => setTyping(true)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        drag.current = { x: event.clientX, value }
      }}
      onPointerMove={(event) => {
        if (!drag.current) return
        const way = (event.clientX - drag.current.x) / reach * (most - least)
        if (way !== 0) onDrag(within(Math.round((drag.current.value + way) / step) * step))
      }}
      onPointerUp={() => {
        drag.current = null
        onRelease()
      }}
      onKeyDown={(event) => {
        const ways: Record<string, number> = { ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step, PageUp: 10 * step, PageDown: -10 * step }
        const way = ways[event.key]
        if (way !== undefined) go(value + way)
        else if (event.key === 'Enter') setTyping(true)
        else return
        event.preventDefault()
        event.stopPropagation()
      }}>
      {text(value)}
    </span>
  )
}

function NumberEntry({ label, value, onDone }: { label: string; value: number; onDone: (value: number | null) => void }) {
  const entry = useRef<HTMLInputElement>(null)
  // Taking the field away also takes the keyboard from it.
  const done = useRef(false)
  useEffect(() => entry.current?.select(), [])
  const end = (next: number) => {
    if (done.current) return
    done.current = true
    onDone(Number.isFinite(next) ? next : null)
  }
  return (
    <input ref={entry} class="entry" type="number" step="any" aria-label={label} value={Number(value.toPrecision(4))}
      onBlur={(event) => end(event.currentTarget.valueAsNumber)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter') end(event.currentTarget.valueAsNumber)
        if (event.key === 'Escape') end(NaN)
      }} />
  )
}

/** A number to type, or nothing: then what is guessed is shown in grey. */
export function NumberField(props: {
  label: string
  unit: string
  value: number | null
  guess: number
  onChange: (value: number | null) => void
  title?: string
}) {
  const { label, unit, value, guess, onChange, title } = props
  const id = useId()
  return (
    <div class="number-field" title={title}>
      <label for={id}>{label}</label>
      <input id={id} type="number" min="0" step="any" value={value ?? ''} placeholder={String(Number(guess.toPrecision(4)))}
        onChange={(event) => {
          const next = event.currentTarget.valueAsNumber
          onChange(Number.isFinite(next) && next > 0 ? next : null)
        }} />
      <span class="unit">{unit}</span>
    </div>
  )
}

/** Covers the page until it is closed: Esc, the cross, or a click beside it. */
export function Modal({ title, onClose, children, wide }: { title: string; onClose: () => void; children: ComponentChildren; wide?: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null)
  // Before the page is painted: what is behind it must not be reached in between.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class={wide ? 'wide' : ''} aria-label={title} onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}>
      <div class="dialog">
        <header>
          <h2>{title}</h2>
          <IconButton label="Close" keys="Esc" icon={<icons.Close />} onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  )
}

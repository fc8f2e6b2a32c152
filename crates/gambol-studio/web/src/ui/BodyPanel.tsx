import { capital, constraintText, feet, legOf, spoken, whichFoot } from '../bodyparts'
import type { CreatureAnswer, Style } from '../protocol'
import { changeStyle, doc, dragStyle, flow, resetBody, show, standUp, withScale, work } from '../studio'
import { still } from '../flow'
import { emptyStyle, same } from '../work/empty'
import { number, times } from './format'
import * as icons from './icons'
import { IconButton, Section, Slider, Toggle } from './parts'

/** Of all joints. */
const ALL = '.*'

/** A joint or limb may be this much softer or stiffer than it is, as a factor. */
const REACH = 16

export function factorOf(style: Style, pattern: string): number {
  return style.scale.find(([other]) => other === pattern)?.[1] ?? 1
}

/** A slider of stiffness for the joints that a pattern names. */
export function StiffnessSlider({ label, pattern, bodies, title }: { label: string; pattern: string; bodies: number[]; title?: string }) {
  const { style } = work.value
  const factor = factorOf(style, pattern)
  return (
    <Slider label={label} value={factor} least={1 / REACH} most={REACH} ratios fromMiddle text={times} {...(title ? { title } : {})}
      onDrag={(value) => dragStyle(`stiffness of ${label.toLowerCase()}`, { scale: withScale(work.value.style, pattern, value) })}
      onRelease={() => doc.release()}
      onReset={factor === 1 ? undefined : () => changeStyle(`stiffness of ${label.toLowerCase()}`, { scale: withScale(style, pattern, 1) })}
      onPoint={(on) => show.pointAt(on && bodies.length ? bodies : null)} />
  )
}

export function BodyPanel() {
  const creature = flow.creature.value?.answer
  const { style } = work.value
  if (!creature) return null
  const changed = !same(style, emptyStyle())
  return (
    <>
      <section class="section intro">
        <button type="button" class="wide-button" title="Finds the least stiffness with which it stands under its own weight" onClick={() => void standUp()}>
          <icons.StandUp />Stand it up
        </button>
        <p class="quiet">Finds the stiffness that carries its weight.</p>
      </section>
      <Section title="Muscles" aside={changed ? <IconButton small label="The body as it was" icon={<icons.Reset />} onClick={resetBody} /> : undefined}>
        <StiffnessSlider label="All joints" pattern={ALL} bodies={[]} title="Stiffness of every joint: vibrations in the palette, physics and controllers. The tempo of gaits follows from its size" />
        {factorOf(style, ALL) !== 1 && !still(work.value.gait) && (
          <p class="quiet">For physics and controllers. A gait stays as it is: its tempo follows from its size, and one factor for all joints leaves the forms of its vibrations alone.</p>
        )}
        <Slider label="Relaxed – tense" value={style.tension} least={0.25} most={4} ratios fromMiddle text={times}
          title="All springs at the same energy: tense is fast and small, relaxed slow and wide"
          onDrag={(tension) => dragStyle('tension', { tension })} onRelease={() => doc.release()}
          onReset={style.tension === 1 ? undefined : () => changeStyle('tension', { tension: 1 })} />
        <Slider label="Weight" value={style.weight} least={0.5} most={2} ratios fromMiddle text={times}
          title="All masses. A heavy body is slower, and its legs give"
          onDrag={(weight) => dragStyle('weight', { weight })} onRelease={() => doc.release()}
          onReset={style.weight === 1 ? undefined : () => changeStyle('weight', { weight: 1 })} />
        <Uniform />
        <OtherFactors creature={creature} />
        <Toggle label="Colour by stiffness" on={show.colourStiffness.value} onChange={(on) => { show.colourStiffness.value = on }} />
      </Section>
      <Section title="Limb by limb" closed={creature.limbs.length > 8}>
        {creature.limbs.map((limb) => (
          <StiffnessSlider key={limb.name} label={capital(spoken(limb.name))} pattern={limb.pattern} bodies={show.limbBodies(limb.name)} />
        ))}
        <JointChooser creature={creature} />
      </Section>
      <Injuries creature={creature} />
      <RestPose creature={creature} />
      <Holds creature={creature} />
    </>
  )
}

/** Factors that no slider here shows: of a gait's own body, of a gait file, of single joints. */
function OtherFactors({ creature }: { creature: CreatureAnswer }) {
  const { style } = work.value
  const shown = new Set([ALL, ...creature.limbs.map((limb) => limb.pattern)])
  const others = style.scale.filter(([pattern]) => !shown.has(pattern))
  if (others.length === 0) return null
  return (
    <ul class="rows">
      {others.map(([pattern, factor]) => (
        <li class="row" key={pattern}>
          <span class="grow">{capital(spoken(pattern.replaceAll('\\', '').replace('.*', '')))}</span>
          <small>{times(factor)}</small>
          <IconButton small label={`Stiffness of ${pattern} as it was`} icon={<icons.Close />} onClick={() => changeStyle(`stiffness of ${pattern}`, { scale: withScale(style, pattern, 1) })} />
        </li>
      ))}
    </ul>
  )
}

function Uniform() {
  const { style } = work.value
  const body = flow.body.value
  const typical = () => {
    const known = (body?.answer.stiffness ?? []).filter((value) => value > 0).sort((a, b) => a - b)
    return known[Math.floor(known.length / 2)] ?? 20
  }
  return (
    <>
      <Toggle label="The same for every joint" on={style.stiffness !== null}
        onChange={(on) => changeStyle('one stiffness', { stiffness: on ? Number(typical().toPrecision(3)) : null })} />
      {style.stiffness !== null && (
        <Slider label="Stiffness" value={style.stiffness} least={0.1} most={10000} ratios text={(value) => `${number(value)} N·m/rad`}
          onDrag={(stiffness) => dragStyle('stiffness', { stiffness })} onRelease={() => doc.release()} />
      )}
    </>
  )
}

export function toggleInjured(foot: string): void {
  const { injured } = work.value.style
  const hurt = injured.includes(foot)
  changeStyle(hurt ? `heal ${spoken(foot)}` : `injure ${spoken(foot)}`, {
    injured: hurt ? injured.filter((other) => other !== foot) : [...injured, foot],
  })
}

/** The same as a click on the body, for those who know the name. */
function JointChooser({ creature }: { creature: CreatureAnswer }) {
  return (
    <select aria-label="One joint" title="Or click it on the body" value="" onChange={(event) => {
      const joint = creature.joints.find((joint) => joint.name === event.currentTarget.value)
      if (joint) show.selected.value = joint.body
      event.currentTarget.value = ''
    }}>
      <option value="">One joint…</option>
      {creature.joints.filter((joint) => joint.kind !== 'free').map((joint) => <option key={joint.name} value={joint.name}>{capital(spoken(joint.name))}</option>)}
    </select>
  )
}

function Injuries({ creature }: { creature: CreatureAnswer }) {
  const legs = feet(creature)
  if (legs.length === 0) return null
  return (
    <Section title="Injured leg">
      <div class="chips">
        {legs.map((foot) => (
          <button type="button" key={foot.name} class="chip hurt" aria-pressed={work.value.style.injured.includes(foot.name)}
            onPointerEnter={() => show.pointAt(legOf(creature, foot))} onPointerLeave={() => show.pointAt(null)}
            onClick={() => toggleInjured(foot.name)}>
            {whichFoot(foot.name)}
          </button>
        ))}
      </div>
    </Section>
  )
}

function RestPose({ creature }: { creature: CreatureAnswer }) {
  const { style } = work.value
  const posing = show.tool.value === 'pose'
  return (
    <Section title="Rest pose" aside={style.bend.length
      ? <IconButton small label="Undo all bends by hand" icon={<icons.Reset />} onClick={() => changeStyle('unbend', { bend: [] })} />
      : undefined}>
      {creature.poses.length > 0 && (
        <div class="chips">
          {[null, ...creature.poses].map((pose) => (
            <button type="button" key={pose ?? ''} class="chip" aria-pressed={style.pose === pose}
              onClick={() => changeStyle(`pose ${pose ?? 'as drawn'}`, { pose })}>
              {pose === null ? 'As it comes' : capital(spoken(pose))}
            </button>
          ))}
        </div>
      )}
      <button type="button" class="wide-button" aria-pressed={posing} onClick={() => { show.tool.value = posing ? 'look' : 'pose' }}>
        <icons.Pose />{posing ? 'Done posing' : 'Pose by hand'}
      </button>
      <p class="quiet">{posing ? 'Drag a paw, a hand, a head: the limb follows.' : style.bend.length ? `${style.bend.length} joints bent by hand.` : 'The pose that it vibrates about.'}</p>
    </Section>
  )
}

export function addHold(text: string): void {
  const { constraints } = work.value.style
  if (!constraints.includes(text)) changeStyle(`hold: ${constraintText(text).toLowerCase()}`, { constraints: [...constraints, text] })
}

function Holds({ creature }: { creature: CreatureAnswer }) {
  const { constraints } = work.value.style
  const holding = show.tool.value === 'hold'
  const head = creature.landmarks.find((landmark) => landmark.role === 'head')
  const hands = creature.landmarks.filter((landmark) => landmark.role === 'hand')
  const remove = (text: string) =>
    changeStyle('let go', { constraints: constraints.filter((other) => other !== text) })
  return (
    <Section title="Holds">
      <div class="chips">
        {head && <button type="button" class="chip" aria-pressed={constraints.includes(`orientation:${head.name}`)} onClick={() => {
          const text = `orientation:${head.name}`
          if (constraints.includes(text)) remove(text)
          else addHold(text)
        }}>Steady head</button>}
        {hands.length > 0 && <button type="button" class="chip" aria-pressed={constraints.includes('hands:cart')} onClick={() => {
          if (constraints.includes('hands:cart')) remove('hands:cart')
          else addHold('hands:cart')
        }}>Hands on a cart</button>}
        <button type="button" class="chip" aria-pressed={holding} onClick={() => { show.tool.value = holding ? 'look' : 'hold' }}>
          {holding ? 'Click the body…' : 'Pin by clicking'}
        </button>
      </div>
      <ul class="rows">
        {constraints.map((text) => (
          <li class="row" key={text}>
            <span class="dot hold" />
            <span class="grow">{constraintText(text)}</span>
            <IconButton small label={`Let go: ${constraintText(text)}`} icon={<icons.Close />} onClick={() => remove(text)} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

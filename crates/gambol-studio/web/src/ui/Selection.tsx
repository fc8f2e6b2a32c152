import { bodiesOf, capital, footOf, jointsOf, limbOf, spoken } from '../bodyparts'
import type { JointType } from '../protocol'
import { correct, flow, show, work } from '../studio'
import { StiffnessSlider, toggleInjured } from './BodyPanel'
import { number } from './format'
import * as icons from './icons'
import { Choice, IconButton } from './parts'

/** What was clicked on the body: its own sliders. */
export function Selection() {
  const creature = flow.creature.value
  const selected = show.selected.value
  if (!creature || selected === null) return null
  const { answer } = creature
  const body = answer.bodies[selected]
  if (!body) return null
  const joints = jointsOf(answer, selected)
  const limb = limbOf(answer, selected)
  const foot = footOf(answer, selected)
  const stiffness = flow.body.value?.answer.stiffness
  return (
    <section class="selection" aria-label={`Selected: ${body.name}`}>
      <header>
        <h3>{capital(spoken(body.name))}</h3>
        <small>{number(body.mass)} kg</small>
        <IconButton small label="Deselect" keys="Esc" icon={<icons.Close />} onClick={() => { show.selected.value = null }} />
      </header>
      {joints.map((joint) => {
        const now = stiffness?.[answer.joints.indexOf(joint)]
        return (
          <StiffnessSlider key={joint.name} label={`${capital(spoken(joint.name))} (${joint.kind})`} pattern={escaped(joint.name)} bodies={[selected]}
            title={now === undefined ? '' : `Now ${number(now)} ${joint.kind === 'slide' ? 'N/m' : 'N·m/rad'}`} />
        )
      })}
      {limb && <StiffnessSlider label={`All of the ${spoken(limb.name)}`} pattern={limb.pattern} bodies={bodiesOf(answer, limb)} />}
      {foot && (
        <button type="button" class="chip hurt" aria-pressed={work.value.style.injured.includes(foot.name)} onClick={() => toggleInjured(foot.name)}>
          This leg is injured
        </button>
      )}
      {answer.kind === 'gltf' && body.parent !== 0 && <JointChoice name={body.name} kind={joints[0]?.kind ?? 'fixed'} />}
    </section>
  )
}

/** What a bone can do: the file does not say, so it was guessed. */
function JointChoice({ name, kind }: { name: string; kind: string }) {
  const { joints } = work.value.creature
  return (
    <div class="labelled">
      <span>Joint</span>
      <Choice label="Type of the joint" value={kind as JointType} options={[
        { value: 'ball', label: 'Ball', title: 'Turns every way' },
        { value: 'hinge', label: 'Hinge', title: 'Turns one way, as a knee' },
        { value: 'fixed', label: 'Fixed', title: 'Does not move' },
      ]} onChange={(next) => correct(`joint of ${spoken(name)}`, { joints: [...joints.filter(([other]) => other !== name), [name, next]] })} />
    </div>
  )
}

/** A name as a pattern that matches it alone. */
function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

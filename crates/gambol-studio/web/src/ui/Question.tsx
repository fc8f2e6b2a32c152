import { signal } from '@preact/signals'
import { Modal } from './parts'

/** Something that takes the place of what is there. */
interface Asked { title: string; text: string; label: string; run: () => void }

export const asked = signal<Asked | null>(null)

/** Asks before. */
export function Question() {
  const question = asked.value
  if (!question) return null
  const close = () => { asked.value = null }
  return (
    <Modal title={question.title} onClose={close}>
      <p>{question.text}</p>
      <div class="pair">
        <button type="button" onClick={close}>Leave it as it is</button>
        <button type="button" class="primary" onClick={() => {
          close()
          question.run()
        }}>{question.label}</button>
      </div>
    </Modal>
  )
}

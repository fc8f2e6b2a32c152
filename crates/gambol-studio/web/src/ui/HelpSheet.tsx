import { KEYS } from '../keys'
import { engine, overlay } from '../studio'
import { Modal } from './parts'

export function HelpSheet() {
  return (
    <Modal title="Keys" onClose={() => { overlay.value = null }} wide>
      <div class="help">
        {KEYS.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, what]) => (
                <div key={key}><dt>{key.split(' ').map((part) => <kbd key={part}>{part}</kbd>)}</dt><dd>{what}</dd></div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p class="quiet">gambol {engine.greeting.value?.program}. Everything stays on this machine; your work is kept as you go.</p>
    </Modal>
  )
}

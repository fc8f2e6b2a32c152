import type { LocalEngine } from '../engine/local'
import { dismiss, notes, said } from '../notes'
import { engine } from '../studio'
import * as icons from './icons'
import { IconButton } from './parts'

export function Notes() {
  return (
    <div class="notes" role="log" aria-live="polite" aria-label="Messages">
      <Connection />
      {notes.value.map(({ id, kind, text, detail, action }) => (
        <div class={`note ${kind}`} key={id} role={kind === 'trouble' ? 'alert' : undefined}>
          {kind === 'trouble' ? <icons.Warn /> : kind === 'good' ? <icons.Good /> : null}
          <div class="grow">
            <p>{text}</p>
            {detail && <small>{detail}</small>}
            {action && <button type="button" onClick={() => {
              dismiss(id)
              action.run()
            }}>{action.label}</button>}
          </div>
          <IconButton small label="Dismiss" icon={<icons.Close />} onClick={() => dismiss(id)} />
        </div>
      ))}
      <p class="hidden" aria-live="polite">{said.value}</p>
    </div>
  )
}

function Connection() {
  const failure = engine.local ? (engine as LocalEngine).failure.value : null
  switch (engine.connection.value) {
    case 'lost':
      return engine.local ? (
        <div class="note trouble lost" role="alert">
          <icons.Warn />
          <div class="grow">
            {failure !== null
              ? <p>The engine could not be loaded: {failure}. It is tried again; your work is kept here.</p>
              : <p>The engine stumbled and begins anew. Your work is kept here.</p>}
            <small>{failure !== null ? 'Is the network gone, or the site not whole?' : 'If it stays so, undo what you did last, or try something else.'}</small>
          </div>
        </div>
      ) : (
        <div class="note trouble lost" role="alert">
          <icons.Warn />
          <div class="grow">
            <p>The studio’s engine is not running. Your work is kept here.</p>
            <small>Start it again with <code>gambol studio</code>; this page goes on by itself.</small>
          </div>
        </div>
      )
    case 'outdated':
      return (
        <div class="note trouble" role="alert">
          <icons.Warn />
          <div class="grow">
            <p>The engine is of another version than this page.</p>
            <button type="button" onClick={() => location.reload()}>Reload the page</button>
          </div>
        </div>
      )
    default:
      return null
  }
}

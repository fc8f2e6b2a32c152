import { capital } from '../bodyparts'
import { ACCEPT, ACCEPTED, filesOfInput } from '../files'
import { chooseCreature, dropFound, engine, overlay, work } from '../studio'
import * as icons from './icons'
import { Modal } from './parts'
import { pictureOf } from './pictures'

export function Gallery() {
  const close = () => { overlay.value = null }
  const { source } = work.value.creature
  const chosen = source.from === 'gallery' ? source.name : null
  return (
    <Modal title="Creatures" onClose={close} wide>
      <div class="cards">
        {engine.greeting.value?.gallery.map((entry) => (
          <button type="button" class="card" key={entry.name} aria-pressed={entry.name === chosen} onClick={() => {
            chooseCreature({ from: 'gallery', name: entry.name }, `choose ${entry.name}`)
            close()
          }}>
            <img src={pictureOf(entry)} alt="" />
            <strong>{capital(entry.name)}</strong>
            <small>{entry.about}</small>
          </button>
        ))}
      </div>
      <div class="own">
        <div>
          <strong>Your own</strong>
          <small>Drop it anywhere on the page: {ACCEPTED}.</small>
        </div>
        <FileButton label="Open a file" onFiles={close} />
        <FileButton label="Open a folder" folder onFiles={close} />
      </div>
    </Modal>
  )
}

export function FileButton({ label, folder, onFiles }: { label: string; folder?: boolean; onFiles?: () => void }) {
  return (
    <label class="button">
      {folder ? <icons.Folder /> : <icons.File />}
      {label}
      <input class="hidden" type="file" multiple {...(folder ? { webkitdirectory: true } : { accept: ACCEPT })} onChange={(event) => {
        const input = event.currentTarget
        const files = filesOfInput(input.files ?? [])
        // So that the same file can be chosen again.
        input.value = ''
        onFiles?.()
        void dropFound(files)
      }} />
    </label>
  )
}

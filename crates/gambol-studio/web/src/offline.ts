import { tell } from './notes'

/** Lets the site be there without a network after the first visit, and tells of a newer one. */
export async function keepOffline(): Promise<void> {
  // Over plain HTTP from another machine there is none, and a private window may have none.
  if (!('serviceWorker' in navigator)) return
  try {
    const registration = await navigator.serviceWorker.register('sw.js')
    const look = (worker: ServiceWorker | null) => {
      if (!worker) return
      const ready = () => {
        // Without one before it this is the first visit.
        if (worker.state === 'installed' && navigator.serviceWorker.controller) offer(worker)
      }
      worker.addEventListener('statechange', ready)
      ready()
    }
    look(registration.waiting)
    registration.addEventListener('updatefound', () => look(registration.installing))
  } catch (error) {
    console.info(`the studio is not kept for use without a network: ${String(error)}`)
  }
}

/** Nothing changes under an open page; whoever reloads by this gets the newer one, with their work. */
function offer(worker: ServiceWorker): void {
  tell('info', 'A newer studio is here.', {
    stays: true,
    about: 'version',
    detail: 'It begins when you reload. Your work stays.',
    action: {
      label: 'Reload',
      run: () => {
        navigator.serviceWorker.addEventListener('controllerchange', () => location.reload())
        worker.postMessage('begin')
      },
    },
  })
}

// Keeps the site for use without a network. Its files change together: a page that is open keeps those that it began with, and a
// newer site waits until it is asked for or no page is open.

/** A number of all files below, and their names. `cargo xtask site` writes them. */
const VERSION = 'VERSION'
const FILES = ['FILES']

const KEPT = `gambol ${registration.scope} `
const NAME = KEPT + VERSION
/** What was looked at besides: pictures of the docs. */
const SEEN = `${KEPT}seen`
/** Stands where a picture would be that was not looked at while there was a network. */
const UNSEEN = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="96" viewBox="0 0 640 96">
<rect x="1" y="1" width="638" height="94" rx="8" fill="none" stroke="#888" stroke-dasharray="6 6"/>
<text x="320" y="54" text-anchor="middle" font-family="sans-serif" font-size="18" fill="#888">This picture is shown when there is a network.</text></svg>`

self.addEventListener('install', (event) => {
  // Past the browser's own cache, which may hold a file of another version.
  const files = FILES.map((file) => new Request(file, { cache: 'reload' }))
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(files)))
})

self.addEventListener('activate', (event) => {
  event.waitUntil((async () => {
    // The one before stays: a page may still be open that needs its worker after a trap.
    const ours = (await caches.keys()).filter((name) => name.startsWith(KEPT) && name !== NAME && name !== SEEN)
    await Promise.all(ours.slice(0, -1).map((name) => caches.delete(name)))
  })())
})

self.addEventListener('message', ({ data }) => {
  if (data === 'begin') self.skipWaiting()
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const address = new URL(request.url)
  if (request.method !== 'GET' || !address.href.startsWith(registration.scope)) return
  event.respondWith(answer(request, address))
})

async function answer(request, address) {
  const inside = address.href.slice(registration.scope.length).split(/[?#]/)[0]
  // The page reads the rest of its address itself.
  const asked = inside === '' || inside === 'index.html' ? registration.scope : request
  const cache = await caches.open(NAME)
  const kept = (await cache.match(asked, { ignoreSearch: request.mode === 'navigate' })) ?? (await caches.match(asked))
  if (kept) return kept
  const isPicture = inside.startsWith('docs/') && request.destination === 'image'
  const fresh = await fetch(request).catch((error) => {
    if (isPicture) return new Response(UNSEEN, { headers: { 'content-type': 'image/svg+xml' } })
    throw error
  })
  if (fresh.ok && inside.startsWith('docs/') && fresh.url) (await caches.open(SEEN)).put(request, fresh.clone())
  return fresh
}

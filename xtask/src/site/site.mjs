// node site.mjs PROJECT MODULE.wasm SITE: makes a site of the page that Vite left in SITE: engine, manifest, service worker, docs.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { marked } from 'marked'

const [project, module, site] = process.argv.slice(2)
const beside = dirname(fileURLToPath(import.meta.url))

const write = (name, content) => {
  mkdirSync(dirname(join(site, name)), { recursive: true })
  writeFileSync(join(site, name), content)
}
const hash = (content) => createHash('sha256').update(content).digest('hex').slice(0, 12)
const files = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
  const path = join(folder, entry.name)
  return entry.isDirectory() ? files(path) : [path]
})

// --- the engine ---

const plain = readFileSync(module)
const packed = gzipSync(plain, { level: 9 })
const engine = `engine/gambol-${hash(plain)}.wasm.bin`
write(engine, packed)

// --- the page ---

/**
 * Nothing from elsewhere. Pictures of creatures are `blob:` and `data:`, which three.js also fetches; both stay in the page. To keep
 * others from framing it takes a header (`frame-ancestors`), which a page cannot say itself.
 */
const POLICY = [
  "default-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'", "img-src 'self' blob: data:", "media-src 'self' blob:",
  "connect-src 'self' blob: data:", "base-uri 'none'", "form-action 'none'", "object-src 'none'",
].join('; ')

const page = readFileSync(join(site, 'index.html'), 'utf8')
const icon = /<link rel="icon" href="([^"]+)"/.exec(page)[1]
write('index.html', page.replace('<meta charset="utf-8" />', `$&
    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
    <meta name="referrer" content="no-referrer" />
    <meta name="description" content="Bring any creature to life from its own body: drop a rig, see its natural motions, press walk, take it home." />
    <meta name="gambol-engine" content="${engine}" />
    <link rel="preload" as="fetch" crossorigin href="${engine}" />
    <link rel="manifest" href="manifest.webmanifest" />`))
write('manifest.webmanifest', `${JSON.stringify({
  name: 'gambol studio', short_name: 'gambol', description: 'Brings any creature to life from its own body',
  start_url: './', scope: './', display: 'standalone', background_color: '#16181d', theme_color: '#16181d',
  icons: [{ src: icon, sizes: 'any', type: 'image/svg+xml', purpose: 'any' }],
}, null, 2)}\n`)

// --- the docs, each where it lies in the project, so that their links hold ---

/** A heading's name in addresses, as on GitHub. */
const slug = (text) => text.toLowerCase().replace(/<[^>]*>|&[a-z]+;/g, '').replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s/g, '-')

const pages = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', ...files(join(project, 'docs')).map((path) => relative(project, path)).filter((name) => name.endsWith('.md'))]
const shown = new Set(pages)
const pictures = new Set()

/** Where a link of a page leads in the site; null if that is no part of it. */
function place(from, href) {
  const [path, hash = ''] = href.split(/(?=#)/)
  if (path === '') return href
  if (/^[a-z]+:/.test(path)) return href
  const name = posix.normalize(posix.join(posix.dirname(from), decodeURI(path)))
  if (shown.has(name)) return path.replace(/\.md$/, '.html') + hash
  if (name.startsWith('..') || !existsSync(join(project, name)) || statSync(join(project, name)).isDirectory()) return null
  if (!/\.(svg|png|webp|jpg|gif|apng|webm|glb|csv|toml)$/.test(name)) return null
  pictures.add(name)
  return href
}

for (const name of pages) {
  const names = new Map()
  marked.use({ renderer: {
    heading({ tokens, depth }) {
      const inside = this.parser.parseInline(tokens)
      const id = slug(inside)
      const again = names.get(id) ?? 0
      names.set(id, again + 1)
      return `<h${depth} id="${again ? `${id}-${again}` : id}">${inside}</h${depth}>\n`
    },
  } })
  const text = readFileSync(join(project, name), 'utf8')
  const html = marked.parse(text)
    .replace(/(href|src|srcset)="([^"]*)"/g, (whole, key, address) => {
      const to = place(name, address)
      return to === null ? '' : `${key}="${to}"`
    })
    .replace(/<table>/g, '<div class="table"><table>').replace(/<\/table>/g, '</table></div>')
  const title = /^#\s+(.+)$/m.exec(text)?.[1] ?? name
  const up = '../'.repeat(name.split('/').length - 1)
  write(name.replace(/\.md$/, '.html'), `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · gambol</title>
<link rel="icon" href="${up}${icon.replace(/^\.\//, '')}">
<link rel="stylesheet" href="${up}docs.css">
</head>
<body>
<nav><a href="${up}index.html">The studio</a> <a href="${up}README.html">gambol</a> <a href="${up}docs/studio.html">Help</a></nav>
<main>
${html}</main>
</body>
</html>
`)
}
for (const name of pictures) {
  mkdirSync(dirname(join(site, name)), { recursive: true })
  cpSync(join(project, name), join(site, name))
}
write('docs.css', readFileSync(join(beside, 'docs.css')))

// --- without a network ---

const all = files(site).map((path) => relative(site, path).split('\\').join('/')).sort()
/** Pictures of the docs are kept when they are looked at. */
const kept = all.filter((name) => !(name.startsWith('docs/') && !name.endsWith('.html')) && !pictures.has(name))
const version = hash(kept.map((name) => `${name} ${hash(readFileSync(join(site, name)))}`).join('\n'))
write('sw.js', readFileSync(join(beside, 'sw.js'), 'utf8').replace("'VERSION'", JSON.stringify(version)).replace("['FILES']", JSON.stringify(['./', ...kept.filter((name) => name !== 'index.html')])))

const mega = (bytes) => (bytes / 1e6).toFixed(2)
console.log(`engine: ${mega(plain.length)} MB, ${mega(packed.length)} MB packed; ${all.length} files, ${mega(all.reduce((sum, name) => sum + statSync(join(site, name)).size, 0))} MB`)

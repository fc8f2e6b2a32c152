// node engine.mjs MODULE.wasm SESSION [times]: lets the engine in the module answer the messages of a session, and compares its
// answers with those of the session; with `times`, also says how long both took.
import { readFileSync } from 'node:fs'

const [module, session] = process.argv.slice(2, 4).map((file) => readFileSync(file))

const start = performance.now()
const compiled = await WebAssembly.compile(module)
const imports = WebAssembly.Module.imports(compiled)
if (imports.length > 0) {
  console.error('the module needs something from outside:', imports.map(({ module, name }) => `${module}.${name}`).join(', '))
  process.exit(1)
}
const { memory, room, answer, place } = (await WebAssembly.instantiate(compiled, {})).exports

/** Messages, answers, and how long these took there, in turn. */
function* pieces() {
  for (let at = 0; at < session.length;) {
    const length = session.readUInt32LE(at)
    yield session.subarray(at + 4, at + 4 + length)
    at += 4 + length
  }
}

const headOf = (bytes) => JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + 4, Buffer.from(bytes).readUInt32LE(0)).toString())

let count = 0
const wrong = []
const all = [...pieces()]
/** By what was asked: how often, how long there and here, ms. */
const times = new Map()
for (let k = 0; k < all.length; k += 3) {
  const [message, wanted] = [all[k], all[k + 1]]
  const asked = headOf(message).ask
  count++
  try {
    const clock = performance.now()
    // Each call first: the memory may grow in it, and its buffer is then another.
    const at = room(message.length)
    new Uint8Array(memory.buffer, at, message.length).set(message)
    const length = answer()
    const told = place()
    const found = Buffer.from(new Uint8Array(memory.buffer, told, length))
    const now = performance.now()
    if (k === 0) console.log(`compiled and answered first after ${(now - start).toFixed(0)} ms`)
    const { count = 0, there = 0, here = 0 } = times.get(asked) ?? {}
    times.set(asked, { count: count + 1, there: there + all[k + 2].readDoubleLE(), here: here + now - clock })
    if (!found.equals(wanted)) wrong.push(`${asked}: another answer${where(found, wanted)}`)
  } catch (error) {
    // After a trap the engine is not to be asked again.
    wrong.push(`${asked}: ${error.message}`)
    break
  }
}

/** Where two answers differ first. */
function where(found, wanted) {
  const [a, b] = [found, wanted].map((bytes) => JSON.stringify(headOf(bytes)))
  if (a === b) return ', in its bytes'
  let at = 0
  while (a[at] === b[at]) at++
  return `: ${a.slice(Math.max(0, at - 60), at + 60)} instead of ${b.slice(Math.max(0, at - 60), at + 60)}`
}

if (wrong.length > 0) {
  console.error(wrong.join('\n'))
  process.exit(1)
}
if (process.argv[4] === 'times') {
  console.log('asked          times   native ms    wasm ms   ratio')
  for (const [asked, { count, there, here }] of times) {
    console.log(`${asked.padEnd(12)} ${String(count).padStart(7)} ${there.toFixed(1).padStart(11)} ${here.toFixed(1).padStart(10)} ${(here / there).toFixed(2).padStart(7)}`)
  }
}
console.log(`wasm32: ${count} answers of the engine are the same, and nothing was imported (${(module.length / 1e6).toFixed(1)} MB)`)

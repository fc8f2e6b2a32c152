// node try.mjs PACKAGE: that the package does what its README says, as whoever installed it finds it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const folder = process.argv[2]
const { compile, Engine, Refusal, Trap } = await import(pathToFileURL(join(folder, 'index.js')))
const module = await compile(readFileSync(join(folder, 'gambol.wasm')))
const engine = await Engine.load(module)

const { answer: hello } = engine.ask('hello', {})
assert.equal(hello.program, JSON.parse(readFileSync(join(folder, 'package.json'))).version, 'package and engine have one version')
assert.ok(hello.gallery.some(({ name }) => name === 'dog'))

const creature = { source: { from: 'gallery', name: 'dog' }, landmarks: [], height: null, mass: null, forward: null, joints: [], free_root: false, own_tempo: false }
const style = { pose: null, bend: [], stiffness: null, scale: [], constraints: [], weight: 1, tension: 1, injured: [] }
const gait = { name: 'walk', file: null, speed: null, stride_length: null, frequency: null, duty: null, turn: 0, slope: 0, ground: true, prefer: [], avoid: [], edits: [] }
const { answer, bytes } = engine.ask('export', { creature, style, what: { of: 'gait', gait }, format: 'glb', in_place: false, seconds: null })
assert.equal(answer.name, 'dog-walk.glb')
assert.equal(Buffer.from(bytes.subarray(0, 4)).toString(), 'glTF')
assert.throws(() => engine.ask('creature', { creature: { ...creature, source: { from: 'gallery', name: 'unicorn' } } }), Refusal)

const types = readFileSync(join(folder, 'index.d.ts'), 'utf8')
assert.match(types, /ask<K extends Kind>/)
assert.ok(Trap.prototype instanceof Error)
console.log('@gambol/engine: loads, answers, refuses in words')

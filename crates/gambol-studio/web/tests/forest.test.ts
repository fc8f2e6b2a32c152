import { describe, expect, it } from 'vitest'
import { Breeze, bearingOf, quarter, windFrom } from '../src/forest/breeze'
import { airDamping, exactStep, Oscillators } from '../src/forest/oscillators'
import type { PlantModePart } from '../src/protocol'
import told from './forest.json'

/** The page moves forests by itself; what it computes is what the library computes (crates/gambol-studio/tests/all/page_fixture.rs). */
describe('a forest', () => {
  it('steps oscillators as the library does, to the last digits', () => {
    for (const [omegaSquared, gamma, step, place, speed] of told.steps as [number, number, number, number[], number[]][]) {
      const numbers = new Float64Array(6)
      exactStep(omegaSquared, gamma, step, numbers, 0)
      ;[...place, ...speed].forEach((wanted, k) => expect(Math.abs(numbers[k]! - wanted)).toBeLessThan(1e-13 * Math.max(1, Math.abs(wanted))))
    }
  })

  it('ends where the library ends after winds that change, for trees of any turn and size', () => {
    const { modes, damping, step, trees, mean, winds, steps_each, states } = told.forest
    const oscillators = new Oscillators(modes as unknown as PlantModePart[], damping as [number, number], Float32Array.from(trees), 8)
    const climate = { wind: mean as [number, number], step, modes: modes.length, stiffness: 1, damping: 1 }
    oscillators.settle((_x, _y, out) => out.set([...mean, 0]), climate)
    oscillators.prepare(climate)
    for (const wind of winds) for (let k = 0; k < steps_each; k++) oscillators.advance((_x, _y, out) => out.set(wind), climate)
    const largest = Math.max(...states.map(Math.abs))
    for (let tree = 0; tree < oscillators.count; tree++) {
      for (let mode = 0; mode < modes.length; mode++) {
        const at = 2 * (tree * modes.length + mode)
        oscillators.state(tree, mode).forEach((value, k) => expect(Math.abs(value - states[at + k]!)).toBeLessThan(1e-6 * largest))
        // What the shader reads.
        expect(oscillators.texels[4 * tree * oscillators.stride + mode]).toBeCloseTo(states[at]!, 5)
      }
    }
  })

  it('is damped by the air as much more as the wind is stronger', () => {
    const drag: PlantModePart['drag'] = [[2, 0.5, 0], [0.5, 1, 0], [0, 0, 0.5]]
    expect(airDamping(drag, 0, 0, 0)).toBe(0)
    expect(airDamping(drag, 3, 0, 0)).toBeCloseTo(3 * (3.5 + 2), 12)
    expect(airDamping(drag, 0, 8, 0)).toBeCloseTo(8 * (3.5 + 1), 12)
  })

  it('with fewer modes leaves the others still', () => {
    const { modes, damping, step, trees, mean } = told.forest
    const oscillators = new Oscillators(modes as unknown as PlantModePart[], damping as [number, number], Float32Array.from(trees), 8)
    const climate = { wind: mean as [number, number], step, modes: 2, stiffness: 1, damping: 1 }
    oscillators.prepare(climate)
    oscillators.advance((_x, _y, out) => out.set([5, 0, 0]), climate)
    oscillators.quieten(1)
    expect(oscillators.state(1, 0)[0]).not.toBe(0)
    for (let mode = 1; mode < modes.length; mode++) expect(oscillators.state(1, mode)).toEqual([0, 0])
  })
})

describe('a breeze', () => {
  const field = Float32Array.from({ length: 3 * 16 }, (_, k) => Math.sin(k))
  const breeze = () => new Breeze({ side: 4, length: 40, field: { offset: 0, count: 48 } }, field, 10)
  const at = (of: Breeze, x: number, y: number) => {
    const out = new Float64Array(3)
    of.at(x, y, out)
    return [...out]
  }

  it('is the same everywhere without gusts, and follows the hand', () => {
    const air = breeze()
    air.wanted[0] = 6
    air.advance(10)
    expect(at(air, 3, -8)[0]).toBeCloseTo(6, 3)
    expect(at(air, 100, 50)).toEqual(at(air, 3, -8))
  })

  it('carries gusts along with the mean wind, on a field that repeats itself', () => {
    const air = breeze()
    air.wanted[0] = 5
    air.gusts = 0.4
    air.settle()
    const before = at(air, 7, 3)
    air.advance(0.5)
    at(air, 7 + 2.5, 3).forEach((value, k) => expect(value).toBeCloseTo(before[k]!, 4))
    at(air, 7 + 2.5 + 40, 3 - 80).forEach((value, k) => expect(value).toBeCloseTo(before[k]!, 4))
    expect(Math.abs(at(air, 30, 20)[0]! - before[0]!)).toBeGreaterThan(0.01)
  })

  it('blows outwards from a click, and is over after a while', () => {
    const air = breeze()
    air.puff(0, 0)
    air.advance(0.5)
    expect(at(air, 6, 0)[0]).toBeGreaterThan(1)
    expect(at(air, -6, 0)[0]).toBeLessThan(-1)
    air.advance(20)
    expect(air.puffing).toBe(false)
    expect(at(air, 6, 0)).toEqual([0, 0, 0])
  })

  it('comes from bearings as in weather reports', () => {
    const [x, y] = windFrom(8, 270)
    expect(x).toBeCloseTo(8, 12)
    expect(y).toBeCloseTo(0, 12)
    for (const bearing of [0, 45, 200, 359]) expect(bearingOf(windFrom(3, bearing))).toBeCloseTo(bearing, 9)
    expect(quarter(225)).toBe('south-west')
    expect(quarter(350)).toBe('north')
  })
})

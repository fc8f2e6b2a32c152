// The page moves bodies, clips and modes without the engine. It must mean the same by them as the library does: all
// numbers here were computed by the library.

import { describe, expect, test } from 'vitest'
import { ClipPlayer } from '../src/stage/clip'
import { Kinematics } from '../src/stage/kinematics'
import { ModeSwings } from '../src/stage/modes'
import { place, unplace } from '../src/stage/rigid'
import { bodyOf, clipOf, difference, FIXTURES } from './fixture'

/** Clips travel as f32: 6e-8 of metres and quaternions, a little more after a turn. */
const AS_F32 = 2e-6

describe.each(Object.entries(FIXTURES))('%s', (_, fixture) => {
  const { creature, poses, clip, modes } = fixture

  test('bodies are where the library has them', () => {
    const kinematics = new Kinematics(creature)
    for (const { pose, frames } of poses) {
      const own = kinematics.frames(pose)
      expect(own.length).toBe(frames.length)
      for (let body = 0; body < creature.bodies.length; body++) {
        for (let k = 0; k < 3; k++) expect(own[7 * body + k]).toBeCloseTo(frames[7 * body + k]!, 12)
        let alike = 0
        for (let k = 3; k < 7; k++) alike += own[7 * body + k]! * frames[7 * body + k]!
        expect(Math.abs(alike)).toBeCloseTo(1, 12)
      }
    }
  })

  test('integrate leads where the library leads, also in place', () => {
    const kinematics = new Kinematics(creature)
    for (const { velocity, time, pose } of poses) {
      const out = new Float64Array(creature.nq)
      kinematics.integrate(creature.reference, velocity, time, out)
      expect(difference(creature, out, pose)).toBeLessThan(1e-12)
      const inPlace = Float64Array.from(creature.reference)
      kinematics.integrate(inPlace, velocity, time, inPlace)
      expect(inPlace).toEqual(out)
    }
  })

  test('a loop goes on for ever, a stride further with every cycle', () => {
    const { part, bytes } = clipOf(fixture)
    const player = new ClipPlayer(creature, part, bytes)
    clip.at.forEach((time, n) => {
      const pose = player.at(time, new Float64Array(creature.nq))
      expect(difference(creature, pose, clip.sampled[n]!)).toBeLessThan(AS_F32)
    })
  })

  test('in place it stays where it starts, however long it plays', () => {
    const { part, bytes } = clipOf(fixture)
    const player = new ClipPlayer(creature, part, bytes)
    clip.times.forEach((time, key) => {
      for (const cycles of [0, 3]) {
        const pose = player.at(time + cycles * part.duration, new Float64Array(creature.nq), { inPlace: true })
        // The last key in place is the first one.
        expect(difference(creature, pose, clip.keysInPlace[key]!)).toBeLessThan(10 * AS_F32)
      }
    })
  })

  test('a mode swings as the library swings it, between the places that the engine tells', () => {
    const { body, bytes } = bodyOf(fixture)
    const swings = new ModeSwings(creature, body, bytes)
    modes.shares.forEach((share, n) => {
      const pose = swings.pose(0, share, new Float64Array(creature.nq))
      // Between five places a smooth path is known to a thousandth of a rad or m: a pixel on a small picture is more.
      expect(difference(creature, pose, modes.poses[n]!)).toBeLessThan(1e-3)
    })
  })
})

test('feet stand in their intervals, over the end of a loop too', () => {
  const { part, bytes } = clipOf(FIXTURES.odd)
  const player = new ClipPlayer(FIXTURES.odd.creature, part, bytes)
  const names = (time: number) => player.contactsAt(time).map(({ name }) => name)
  expect(names(0.1)).toEqual(['one'])
  expect(names(0.28)).toEqual([])
  expect(names(0.5)).toEqual(['other'])
  expect(names(7.9)).toEqual(['one'])
  expect(names(-0.6)).toEqual(['other'])
})

test('a clip that does not loop stays at its ends and, in place, gives up its way', () => {
  const { part, bytes } = clipOf(FIXTURES.odd)
  const { creature, clip } = FIXTURES.odd
  const player = new ClipPlayer(creature, { ...part, stride: null }, bytes)
  const after = player.at(9, new Float64Array(creature.nq))
  expect(difference(creature, after, clip.poses.at(-1)!)).toBeLessThan(AS_F32)
  const end = player.at(9, new Float64Array(creature.nq), { inPlace: true })
  expect(end[0]).toBeCloseTo(clip.poses[0]![0]!, 5)
  expect(end[1]).toBeCloseTo(clip.poses[0]![1]!, 5)
})

test('a point goes into a frame and out again', () => {
  const { creature, poses } = FIXTURES.odd
  const frames = new Kinematics(creature).frames(poses[0]!.pose)
  const inWorld = new Float64Array(3)
  const back = new Float64Array(3)
  place(frames, 3, [0.3, -0.2, 0.5], inWorld)
  unplace(frames, 3, inWorld, back)
  ;[0.3, -0.2, 0.5].forEach((value, k) => expect(back[k]).toBeCloseTo(value, 12))
})

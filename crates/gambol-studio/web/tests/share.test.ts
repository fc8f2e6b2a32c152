import { describe, expect, it } from 'vitest'
import { creatureFrom, workOn } from '../src/work/empty'
import { ofLink, toLink } from '../src/work/share'

describe('a link with a work in it', () => {
  const work = { ...workOn(creatureFrom({ from: 'gallery', name: 'dog' })), style: { ...workOn(creatureFrom({ from: 'gallery', name: 'dog' })).style, tension: 1.5, constraints: ['orientation:head'] } }

  it('comes back the same, in letters that an address may have', async () => {
    const link = await toLink(work)
    expect(link).toMatch(/^~[\w-]+$/)
    expect(link.length).toBeLessThan(1000)
    expect(await ofLink(link)).toEqual(work)
  })

  it('says so where a part of it is lost', async () => {
    const link = await toLink(work)
    await expect(ofLink(link.slice(0, -9))).rejects.toThrow('not whole')
    await expect(ofLink('~%%')).rejects.toThrow('not whole')
  })
})

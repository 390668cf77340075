import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemClock } from './clock.js'
import { createNewId } from './ids.js'
import { systemRandom, type Random } from './random.js'

const standingClock = { ...systemClock, now: () => 1_767_225_600_000 }

describe('createNewId', () => {
  it('makes a prefix and 26 characters of an unambiguous alphabet', () => {
    expect(createNewId()('task')).toMatch(/^task_[0-9a-hjkmnp-tv-z]{26}$/)
  })

  it('sorts ids of one maker in the order they were made, also within a millisecond and past its counter', () => {
    const newId = createNewId(standingClock)
    const ids = Array.from({ length: 140_000 }, () => newId('task'))
    expect(ids).toEqual([...ids].sort())
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('begins with the time, so that ids of other processes sort with it', () => {
    const early = createNewId(standingClock)('evt')
    const late = createNewId({ ...systemClock, now: () => standingClock.now() + 1 })('evt')
    expect(early < late).toBe(true)
    expect(early.slice(0, 14)).not.toBe(late.slice(0, 14))
  })

  it('has the time to the millisecond in its first ten digits, up to the year 10889', () => {
    const digits = '0123456789abcdefghjkmnpqrstvwxyz'
    const aroundTwenties = fc.tuple(fc.integer({ min: 1, max: 2 ** 28 - 1 }), fc.integer({ min: -1, max: 1 }))
    const instant = fc.oneof(
      fc.integer({ min: 0, max: 2 ** 48 - 1 }),
      aroundTwenties.map(([high, step]) => high * 2 ** 20 + step),
    )
    fc.assert(
      fc.property(fc.array(instant, { minLength: 1, maxLength: 20 }), (instants) => {
        let now = 0
        const newId = createNewId({ ...systemClock, now: () => now })
        for (now of instants.toSorted((a, b) => a - b)) {
          const shown = newId('log').slice(4, 14)
          expect(shown.split('').reduce((sum, digit) => sum * 32 + digits.indexOf(digit), 0)).toBe(now)
        }
      }),
    )
  })

  it('uses eight fresh random bytes for each', () => {
    const zeros: Random = { ...systemRandom, bytes: (size) => new Uint8Array(size) }
    const ones: Random = { ...systemRandom, bytes: (size) => new Uint8Array(size).fill(255) }
    expect(createNewId(standingClock, zeros)('ak')).toBe('ak_01kdvdna000000000000000000')
    expect(createNewId(standingClock, ones)('ak')).toBe('ak_01kdvdna00000fzzzzzzzzzzzz')
  })

  it('keeps ids ascending when the clock steps back', () => {
    let now = 5_000
    const newId = createNewId({ ...systemClock, now: () => now })
    const before = newId('log')
    now = 1_000
    expect(newId('log') > before).toBe(true)
  })
})

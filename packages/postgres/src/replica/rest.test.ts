import { describe, expect, it } from 'vitest'
import { createRest } from './replica.js'

function restAt() {
  const clock = { now: 0 }
  const rest = createRest(() => clock.now)
  const fail = (): void => {
    const attempt = rest.begin()
    if (attempt !== null) rest.failed(attempt)
  }
  return { clock, rest, fail }
}

describe('what has failed rests', () => {
  it('not before it has failed, and not after it has worked again', () => {
    const { clock, rest, fail } = restAt()
    expect(rest.begin()).not.toBeNull()
    fail()
    expect(rest.begin()).toBeNull()
    clock.now = 1_000
    expect(rest.begin()).not.toBeNull()
    rest.worked()
    expect([rest.begin(), rest.begin()]).not.toContain(null)
  })

  it('twice as long each time, up to thirty seconds', () => {
    const { clock, rest, fail } = restAt()
    const lengths: number[] = []
    for (let times = 0; times < 7; times += 1) {
      fail()
      const since = clock.now
      while (rest.begin() === null) clock.now += 500
      lengths.push(clock.now - since)
      // That attempt has no outcome: the next one comes a whole rest later.
      const tried = clock.now
      expect(rest.begin()).toBeNull()
      while (clock.now < tried + (lengths.at(-1) as number)) clock.now += 500
    }
    expect(lengths).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  })

  it('once for all that failed at the same time', () => {
    const { clock, rest } = restAt()
    const attempts = [rest.begin(), rest.begin(), rest.begin()]
    clock.now = 100
    for (const attempt of attempts) if (attempt !== null) rest.failed(attempt)
    clock.now = 1_100
    expect(rest.begin()).not.toBeNull()
  })
})

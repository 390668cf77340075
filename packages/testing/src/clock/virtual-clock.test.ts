import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countTurns } from './count-turns.js'
import { virtualClock, type VirtualClock } from './virtual-clock.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.UTC(2026, 0, 1)

describe('time', () => {
  it('does not move on its own', async () => {
    const clock = virtualClock()
    expect(clock.now()).toBe(START)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(clock.now()).toBe(START)
  })

  it.each([
    ['a date', new Date('2026-03-01T12:00:00Z')],
    ['a text', '2026-03-01T12:00:00Z'],
    ['milliseconds', Date.UTC(2026, 2, 1, 12)],
  ])('starts at %s', (_, start) => {
    expect(virtualClock(start).now()).toBe(Date.UTC(2026, 2, 1, 12))
  })

  it('advances by parts, by milliseconds, and to an instant', async () => {
    const clock = virtualClock(0)
    await clock.advance({ days: 1, hours: 2, minutes: 3, seconds: 4, ms: 5 })
    expect(clock.now()).toBe(DAY + 2 * HOUR + 3 * 60_000 + 4_005)
    await clock.advance(95)
    expect(clock.now()).toBe(DAY + 2 * HOUR + 3 * 60_000 + 4_100)
    await clock.advanceTo(new Date(3 * DAY))
    expect(clock.now()).toBe(3 * DAY)
  })

  it('has no option of another name', () => {
    const refused = expect.objectContaining({ code: 'INVALID_CONFIG', field: 'patience' }) as Error
    expect(() => virtualClock(0, { patience: 5 } as never)).toThrow(refused)
  })

  it('refuses what is not an instant', async () => {
    const clock = virtualClock(5_000)
    expect(() => virtualClock('yesterday')).toThrow(RangeError)
    await expect(clock.advance(-1)).rejects.toThrow(RangeError)
    await expect(clock.advance({ hours: Number.NaN })).rejects.toThrow(RangeError)
    await expect(clock.advance(Infinity)).rejects.toThrow(RangeError)
    await expect(clock.advanceTo(4_999)).rejects.toThrow('has passed')
    await clock.advanceTo(5_000)
    expect(clock.now()).toBe(5_000)
  })
})

describe('timers', () => {
  it('fire once, at their own instants, in order of time and then of creation', async () => {
    const clock = virtualClock(0)
    const fired: string[] = []
    const set = (name: string, delayMs: number): void => {
      clock.setTimer(() => fired.push(`${name}@${clock.now()}`), delayMs)
    }
    set('c', 30)
    set('a', 10)
    set('b1', 20)
    set('b2', 20)
    set('late', 31)
    await clock.advance(30)
    expect(fired).toEqual(['a@10', 'b1@20', 'b2@20', 'c@30'])
    await clock.advance(HOUR)
    expect(fired).toEqual(['a@10', 'b1@20', 'b2@20', 'c@30', 'late@31'])
    expect(clock.pending().timers).toEqual([])
  })

  it('never drift: a timer set again at each firing stays on its grid', async () => {
    const clock = virtualClock(0)
    const instants: number[] = []
    const tick = (): void => {
      instants.push(clock.now())
      clock.setTimer(tick, 700)
    }
    clock.setTimer(tick, 700)
    for (let i = 0; i < 20; i++) await clock.advance(333)
    expect(instants).toEqual(Array.from({ length: 9 }, (_, i) => 700 * (i + 1)))
  })

  it('set by a timer run in the same advance, also those without delay', async () => {
    const clock = virtualClock(0)
    const fired: number[] = []
    clock.setTimer(() => {
      clock.setTimer(() => fired.push(clock.now()), 5)
      clock.setTimer(() => fired.push(clock.now()), 0)
      clock.setTimer(() => fired.push(clock.now()), -3)
    }, 10)
    await clock.advance(15)
    expect(fired).toEqual([10, 10, 15])
  })

  it('do not fire when cancelled, also by another at the same instant', async () => {
    const clock = virtualClock(0)
    const fired: string[] = []
    const victim = clock.setTimer(() => fired.push('before'), 5)
    victim.cancel()
    victim.cancel()
    const killer = clock.setTimer(() => {
      fired.push('killer')
      twin.cancel()
      killer.cancel()
    }, 10)
    const twin = clock.setTimer(() => fired.push('twin'), 10)
    await clock.advance(HOUR)
    expect(fired).toEqual(['killer'])
  })

  it('take any delay: beyond 2^31 ms, fractions rounded up, and never', async () => {
    const clock = virtualClock(0)
    const fired: number[] = []
    clock.setTimer(() => fired.push(clock.now()), 40 * DAY)
    clock.setTimer(() => fired.push(clock.now()), 1.2)
    clock.setTimer(() => fired.push(clock.now()), Infinity)
    await clock.advance({ days: 39 })
    expect(fired).toEqual([2])
    await clock.advance({ days: 400 })
    expect(fired).toEqual([2, 40 * DAY])
    expect(clock.pending().timers).toHaveLength(1)
  })

  it('make advance reject when they throw, and the next advance continues from there', async () => {
    const clock = virtualClock(0)
    const fired: number[] = []
    clock.setTimer(() => {
      throw new Error('broken timer')
    }, 10)
    clock.setTimer(() => fired.push(clock.now()), 10)
    await expect(clock.advance(100)).rejects.toThrow('broken timer')
    expect(clock.now()).toBe(10)
    await clock.advance(0)
    expect(fired).toEqual([10])
  })

  it('that hold an instant forever are an error, not a hang', async () => {
    const clock = virtualClock(0)
    const again = (): void => void clock.setTimer(again, 0)
    again()
    await expect(clock.advance(1)).rejects.toThrow('keep this instant from ending')
  })

  it('fire in the order of a sort whatever is set and cancelled', async () => {
    const step = fc.record({ delayMs: fc.nat(50), cancels: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 300 }), async (steps) => {
        const clock = virtualClock(0)
        const fired: number[] = []
        const timers = steps.map(({ delayMs }, index) => clock.setTimer(() => fired.push(index), delayMs))
        timers.forEach((timer, index) => steps[index]?.cancels && timer.cancel())
        await clock.advance(50)
        const expected = steps
          .map((one, index) => ({ ...one, index }))
          .filter(({ cancels }) => !cancels)
          .sort((a, b) => a.delayMs - b.delayMs || a.index - b.index)
          .map(({ index }) => index)
        expect(fired).toEqual(expected)
      }),
      { numRuns: 30 },
    )
  })
})

describe('sleep', () => {
  it('ends at its instant, or when its signal aborts', async () => {
    const clock = virtualClock(0)
    const ended: string[] = []
    const abort = new AbortController()
    void clock.sleep(2 * HOUR).then(() => ended.push(`slept ${clock.now()}`))
    void clock.sleep(9 * HOUR, abort.signal).then(() => ended.push(`aborted ${clock.now()}`))
    clock.setTimer(() => abort.abort(), HOUR)
    await clock.advance({ hours: 3 })
    expect(ended).toEqual([`aborted ${HOUR}`, `slept ${2 * HOUR}`])
    expect(clock.pending().timers).toEqual([])
  })
})

describe('advance', () => {
  it('queues when called at once', async () => {
    const clock = virtualClock(0)
    const seen: number[] = []
    await Promise.all([10, 20, 30].map((ms) => clock.advance(ms).then(() => seen.push(clock.now()))))
    expect(seen).toEqual([10, 30, 60])
  })

  it('works after one that failed', async () => {
    const clock = virtualClock(0)
    clock.setTimer(() => {
      throw new Error('once')
    }, 1)
    const first = clock.advance(10)
    const second = clock.advance(10)
    await expect(first).rejects.toThrow('once')
    await second
    expect(clock.now()).toBe(11)
  })

  it('visits only the instants at which something falls due', async () => {
    const clock = virtualClock(0)
    const visited = new Set<number>()
    for (let day = 1; day <= 30; day++) clock.setTimer(() => visited.add(clock.now()), day * DAY)
    const turns = await countTurns(() => clock.advance({ days: 30 }))
    expect([...visited]).toEqual(Array.from({ length: 30 }, (_, i) => (i + 1) * DAY))
    expect(turns).toBeLessThan(31 * 10)
  })

  it('stays cheap with many timers: a hundred thousand at a thousand instants, half of them cancelled', async () => {
    const clock = virtualClock(0)
    let fired = 0
    for (let i = 0; i < 100_000; i++) {
      const timer = clock.setTimer(() => (fired += 1), (i * 7_919) % 1_000)
      if (i % 2 === 1) timer.cancel()
    }
    expect(clock.pending().timers).toHaveLength(50_000)
    const turns = await countTurns(() => clock.advance(1_000))
    expect(fired).toBe(50_000)
    expect(turns).toBeLessThan(1_001 * 10)
  })
})

describe('settle', () => {
  it('runs what is due at this very instant, and nothing later', async () => {
    const clock: VirtualClock = virtualClock(0)
    const fired: string[] = []
    clock.setTimer(() => fired.push('now'), 0)
    clock.setTimer(() => fired.push('later'), 1)
    await clock.settle()
    expect(fired).toEqual(['now'])
    expect(clock.now()).toBe(0)
  })
})

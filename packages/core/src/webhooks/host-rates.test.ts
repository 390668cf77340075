import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHostRates, type HostRates } from './host-rates.js'

const NOW = Date.UTC(2026, 0, 1)
const SECOND = 1_000
const MINUTE = 60_000

const target = (url = 'https://a.example/hook', accountId = 'acc_1', id = 'wh_1') => ({ id, accountId, url })
const fresh = { createdAt: 0, nextAttemptAt: 0 }
const putOffBefore = { createdAt: 0, nextAttemptAt: 1 }

function takeMany(rates: HostRates, count: number, now = NOW, to = target()): number[] {
  return Array.from({ length: count }, () => rates.take(to, fresh, now))
}

describe('the rate of a host', () => {
  it('lets the first ones begin, and spreads the others over the time after that', () => {
    const rates = createHostRates(6)
    expect(takeMany(rates, 6)).toEqual([0, 0, 0, 0, 0, 0])
    expect(takeMany(rates, 3)).toEqual([MINUTE + 10 * SECOND, MINUTE + 20 * SECOND, MINUTE + 30 * SECOND])
  })

  it('is for one account and one host name, whatever the port, the path and the webhook', () => {
    const rates = createHostRates(1)
    const take = (...to: Parameters<typeof target>) => rates.take(target(...to), fresh, NOW) === 0
    expect(take()).toBe(true)
    const same = ['https://a.example:8443/', 'https://A.example./other?x=1', 'http://a.example/']
    expect(same.map((url) => take(url, 'acc_1', 'wh_2'))).toEqual([false, false, false])
    expect(take('https://b.example/hook')).toBe(true)
    expect(take('https://sub.a.example/hook')).toBe(true)
    expect(take('https://a.example/hook', 'acc_2')).toBe(true)
  })

  it('lets new deliveries overtake none that were put off', () => {
    const rates = createHostRates(2)
    expect(takeMany(rates, 3)).toEqual([0, 0, 90 * SECOND])
    expect(rates.take(target(), fresh, NOW + MINUTE)).toBe(60 * SECOND)
    expect(rates.take(target(), putOffBefore, NOW + 90 * SECOND)).toBe(0)
  })

  it('makes no delivery wait for more than five minutes at a time', () => {
    const rates = createHostRates(1)
    expect(Math.max(...takeMany(rates, 100))).toBe(5 * MINUTE)
  })

  it('is kept in each minute, and everything begins', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.integer({ min: 0, max: 3 * MINUTE }), { minLength: 1, maxLength: 60 }),
        (limit, arrivals) => {
          const rates = createHostRates(limit)
          const begun: number[] = []
          const waiting = arrivals.map((at) => ({ at, delivery: fresh }))
          for (let turns = 0; waiting.length > 0; turns++) {
            expect(turns).toBeLessThan(2_000)
            waiting.sort((a, b) => a.at - b.at)
            const { at, delivery } = waiting.shift() as (typeof waiting)[number]
            const waitMs = rates.take(target(), delivery, NOW + at)
            if (waitMs === 0) begun.push(at)
            else waiting.push({ at: at + waitMs, delivery: putOffBefore })
          }
          expect(begun).toHaveLength(arrivals.length)
          for (const [index, at] of begun.entries()) {
            const before = begun[index - limit]
            if (before !== undefined) expect(at - before).toBeGreaterThanOrEqual(MINUTE)
          }
        },
      ),
    )
  })

  it('pauses the claims of a webhook for a second', () => {
    const rates = createHostRates(1)
    takeMany(rates, 1)
    expect([rates.paused(NOW), rates.pauseEndsInMs(NOW)]).toEqual([[], null])
    takeMany(rates, 1)
    takeMany(rates, 1, NOW + 400, target(undefined, undefined, 'wh_2'))
    expect([rates.paused(NOW + 400), rates.pauseEndsInMs(NOW + 400)]).toEqual([['wh_1', 'wh_2'], 600])
    expect([rates.paused(NOW + 1_000), rates.pauseEndsInMs(NOW + 1_000)]).toEqual([['wh_2'], 400])
    expect(rates.paused(NOW + 1_400)).toEqual([])
    for (let index = 0; index < 1_500; index++)
      takeMany(rates, 1, NOW, target(undefined, undefined, `wh_${index}`))
    expect(rates.paused(NOW)).toHaveLength(1_000)
  })

  it('forgets hosts that get nothing any more', () => {
    const rates = createHostRates(10)
    for (let index = 0; index < 100; index++) takeMany(rates, 1, NOW, target(`https://h${index}.example/`))
    expect(rates.size).toBe(100)
    takeMany(rates, 1, NOW + MINUTE)
    expect(rates.size).toBe(1)
  })

  it('goes on when the clock is set back', () => {
    const rates = createHostRates(2)
    takeMany(rates, 10)
    const earlier = NOW - 24 * 60 * MINUTE
    expect([rates.paused(earlier), rates.pauseEndsInMs(earlier)]).toEqual([[], null])
    expect(takeMany(rates, 3, earlier)).toEqual([0, 0, 90 * SECOND])
  })
})

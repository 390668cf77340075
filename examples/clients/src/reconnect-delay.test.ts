import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reconnectDelayMs } from './reconnect-delay.js'

describe('reconnectDelayMs', () => {
  const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

  it('grows with every draw, and stays within half a minute', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fraction, fraction, (attempts, one, other) => {
        const delayMs = reconnectDelayMs(attempts, () => one)
        expect(delayMs).toBeGreaterThanOrEqual(attempts === 0 ? 500 : 1_000)
        expect(delayMs).toBeLessThanOrEqual(30_000)
        if (attempts < 4) expect(reconnectDelayMs(attempts + 1, () => other)).toBeGreaterThanOrEqual(delayMs)
      }),
    )
  })

  it('is spread over half of its length', () => {
    expect([0, 0.5].map((drawn) => reconnectDelayMs(1, () => drawn))).toEqual([1_000, 1_500])
    expect([0, 0.5].map((drawn) => reconnectDelayMs(9, () => drawn))).toEqual([15_000, 22_500])
  })
})

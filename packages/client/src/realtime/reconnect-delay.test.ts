import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reconnectDelayMs } from './realtime.js'

const waits = { firstDelayMs: 1_000, longestDelayMs: 30_000 }

describe('reconnectDelayMs', () => {
  const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

  it('is within a time that doubles, up to the longest', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fraction, (attempts, drawn) => {
        const delayMs = reconnectDelayMs(waits, attempts, () => drawn)
        expect(delayMs).toBeGreaterThanOrEqual(0)
        expect(delayMs).toBeLessThanOrEqual(Math.min(30_000, 1_000 * 2 ** attempts))
      }),
    )
  })

  it('is spread over all of it, and over the longer half at the limit of connections', () => {
    const drawn = [0, 0.5, 0.999]
    expect(drawn.map((part) => reconnectDelayMs(waits, 1, () => part))).toEqual([0, 1_000, 1_998])
    expect(drawn.map((part) => reconnectDelayMs(waits, 9, () => part))).toEqual([0, 15_000, 29_970])
    expect(drawn.map((part) => reconnectDelayMs(waits, null, () => part))).toEqual([15_000, 22_500, 29_985])
  })
})

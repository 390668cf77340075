import { describe, expect, it } from 'vitest'
import { retryAfterMs } from './model-failure.js'

const DATE = 'Wed, 21 Oct 2026 07:28:00 GMT'

describe('retryAfterMs', () => {
  it.each([
    [{}, null],
    [{ 'retry-after': '30' }, 30_000],
    [{ 'retry-after': ' 1.5 ' }, 1_500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '31536000' }, 31_536_000_000],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'retry-after-ms': 'soon', 'retry-after': '1' }, 1_000],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:45 GMT', date: DATE }, 45_000],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:00:00 GMT', date: DATE }, 0],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'later' }, null],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': 'Wed, 99 Oct 2026 99:00:00 GMT' }, null],
  ])('of %j is %s', (headers, expected) => {
    expect(retryAfterMs(headers)).toBe(expected)
  })

  it('takes a date without the date of the response by the clock of the process', () => {
    const wait = retryAfterMs({ 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() })
    expect(wait).toBeGreaterThan(3_500_000)
    expect(wait).toBeLessThanOrEqual(3_600_000)
  })
})

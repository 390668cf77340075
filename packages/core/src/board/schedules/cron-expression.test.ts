import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextOccurrence, requireCronRule } from './cron-expression.js'

const berlin = 'Europe/Berlin'

/** The next occurrences in UTC, without seconds. */
function occurrences(cron: string, timeZone: string, after: string, count: number): string[] {
  const found: string[] = []
  let at = Date.parse(after)
  for (let index = 0; index < count; index++) {
    const next = nextOccurrence({ cron, timeZone }, at)
    if (next === null) break
    found.push(new Date(next).toISOString().slice(0, 16))
    at = next
  }
  return found
}

describe('the next occurrence', () => {
  it('is after the instant, at a whole minute of the time zone', () => {
    expect(occurrences('0 9 * * 1-5', 'UTC', '2026-11-20T09:00:00Z', 2)).toEqual([
      '2026-11-23T09:00',
      '2026-11-24T09:00',
    ])
    expect(occurrences('0 9 * * *', berlin, '2026-11-20T08:00:00.001Z', 1)).toEqual(['2026-11-21T08:00'])
    expect(occurrences('0 9 * * *', berlin, '2026-11-20T07:59:59.999Z', 1)).toEqual(['2026-11-20T08:00'])
    expect(occurrences('*/20 * * * *', 'Asia/Kolkata', '2026-11-20T00:00:00Z', 2)).toEqual([
      '2026-11-20T00:10',
      '2026-11-20T00:30',
    ])
  })

  it('is on any of the days, when both the day of the month and the day of the week are given, as cron does', () => {
    expect(occurrences('0 0 13 * 5', 'UTC', '2026-11-01T00:00:00Z', 4)).toEqual([
      '2026-11-06T00:00',
      '2026-11-13T00:00',
      '2026-11-20T00:00',
      '2026-11-27T00:00',
    ])
  })

  it('at a time that the change to summer time leaves out is at the end of the gap', () => {
    expect(occurrences('30 2 * * *', berlin, '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ])
    expect(occurrences('30 2,14 * * *', berlin, '2026-03-28T20:00:00Z', 3)).toEqual([
      '2026-03-29T01:00',
      '2026-03-29T12:30',
      '2026-03-30T00:30',
    ])
  })

  it('at a time that the change back has twice is at the first of them, and there is one on that day', () => {
    expect(occurrences('30 2 * * *', berlin, '2026-10-24T00:00:00Z', 3)).toEqual([
      '2026-10-24T00:30',
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
    expect(occurrences('30 2,14 * * *', berlin, '2026-10-24T20:00:00Z', 3)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T13:30',
      '2026-10-26T01:30',
    ])
  })

  it('of every hour is in an hour that comes twice, too', () => {
    expect(occurrences('30 * * * *', berlin, '2026-10-24T23:30:00Z', 3)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-25T02:30',
    ])
  })

  it('of every hour leaves none out when the clock changes', () => {
    expect(occurrences('0 * * * *', berlin, '2026-03-29T00:00:00Z', 3)).toEqual([
      '2026-03-29T01:00',
      '2026-03-29T02:00',
      '2026-03-29T03:00',
    ])
  })

  it('does not exist for a day that no month has', () => {
    expect(nextOccurrence({ cron: '0 0 30 2 *', timeZone: 'UTC' }, 0)).toBeNull()
  })

  it('is later than the instant, whatever the instant and the zone', () => {
    const zone = fc.constantFrom('UTC', berlin, 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia')
    const field = (most: number) => fc.oneof(fc.constant('*'), fc.integer({ min: 0, max: most }).map(String))
    const from = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) })
    fc.assert(
      fc.property(zone, field(59), field(23), from, (timeZone, minute, hour, after) => {
        const next = nextOccurrence({ cron: `${minute} ${hour} * * *`, timeZone }, after)
        expect(next).toBeGreaterThan(after)
        expect(next).toBeLessThanOrEqual(after + 2 * 86_400_000)
      }),
      { numRuns: 300 },
    )
  })
})

describe('a rule', () => {
  it.each(['0 9 * * *', '*/5 0-6,22 1,15 JAN-MAR MON', '@daily', '@hourly'])('accepts %s', (cron) => {
    expect(() => requireCronRule({ cron, timeZone: 'UTC' })).not.toThrow()
  })

  it.each(['', 'never', '* * * *', '* * * * * *', '60 * * * *', '0 0 32 * *', '2026-11-22T00:00:00Z'])(
    'refuses %j',
    (cron) => {
      expect(() => requireCronRule({ cron, timeZone: 'UTC' })).toThrow(
        expect.objectContaining({ code: 'INVALID_FIELD', field: 'cron' }),
      )
    },
  )

  it.each(['Mars/Olympus', '', 'CET+1'])('refuses the time zone %j', (timeZone) => {
    expect(() => requireCronRule({ cron: '@daily', timeZone })).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field: 'timeZone' }),
    )
  })
})

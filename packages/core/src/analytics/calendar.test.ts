import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dateOf, firstDayOf, groupings, parseDate, startOf } from './analytics.js'

const day = fc.integer({ min: -100_000, max: 2_000_000 })

describe('dates', () => {
  it('are read as they are written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000_000 }), (each) => {
        expect(parseDate(dateOf(each))).toBe(each)
      }),
      { numRuns: 300 },
    )
  })

  it.each(['2026-02-30', '2025-02-29', '2026-13-01', '2026-1-1', '20260101', '2026-01-01T00:00:00Z', ''])(
    'do not include %s',
    (text) => expect(parseDate(text)).toBeNull(),
  )
})

describe('weeks and months', () => {
  it('begin with a Monday and a first, and end before the next', () => {
    fc.assert(
      fc.property(day, fc.constantFrom(...groupings), (each, grouping) => {
        const first = firstDayOf(each, grouping)
        const date = new Date(startOf(first))
        expect(first).toBeLessThanOrEqual(each)
        if (grouping === 'day') expect(first).toBe(each)
        if (grouping === 'week') {
          expect(date.getUTCDay()).toBe(1)
          expect(each - first).toBeLessThan(7)
        }
        if (grouping === 'month') {
          expect(date.getUTCDate()).toBe(1)
          expect(date.getUTCMonth()).toBe(new Date(startOf(each)).getUTCMonth())
        }
        expect(firstDayOf(first, grouping)).toBe(first)
      }),
      { numRuns: 300 },
    )
  })
})

import { describe, expect, it } from 'vitest'
import { parseDueDate } from './chat-command.js'

/** A Saturday. */
const NOW = Date.UTC(2026, 10, 21, 10, 30)

describe('parseDueDate', () => {
  it.each([
    ['today', '2026-11-21T23:59:59.999Z'],
    ['Tomorrow', '2026-11-22T23:59:59.999Z'],
    ['saturday', '2026-11-28T23:59:59.999Z'],
    ['on Sunday', '2026-11-22T23:59:59.999Z'],
    ['next friday', '2026-11-27T23:59:59.999Z'],
    ['in 3 days', '2026-11-24T23:59:59.999Z'],
    ['in 0 days', '2026-11-21T23:59:59.999Z'],
    ['in a week', '2026-11-28T23:59:59.999Z'],
    ['in an hour', '2026-11-21T11:30:00.000Z'],
    ['by 2026-12-01', '2026-12-01T23:59:59.999Z'],
    ['2026-12-01T09:00+02:00', '2026-12-01T07:00:00.000Z'],
    ['2026-12-01T09:00:30Z', '2026-12-01T09:00:30.000Z'],
  ])('reads %j', (phrase, expected) => {
    expect(new Date(parseDueDate(phrase, NOW) ?? Number.NaN).toISOString()).toBe(expected)
  })

  it.each(['', 'soon', '2026-02-30', '2026-12-01T09:00', '2026-12-01 morning', 'in many days', '12/01/2026'])(
    'does not guess at %j',
    (phrase) => {
      expect(parseDueDate(phrase, NOW)).toBeNull()
    },
  )
})

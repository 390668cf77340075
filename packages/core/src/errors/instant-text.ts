import { z } from 'zod'

/** ISO 8601 with a time and its offset from UTC: other texts mean another instant to each reader. */
export const ISO_INSTANT = z.regexes.datetime({ offset: true })
const ISO_LOCAL = z.regexes.datetime({ local: true })
const ISO_DATE = z.regexes.date

/** The years that ISO 8601 writes with four digits, in UTC. */
export const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z')
export const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z')
export const YEARS_RULE = 'must be within the years 0 to 9999'

/** Why `value` is not an instant as ISO 8601 text, after the name of its field. */
export function instantRule(value: unknown): string {
  if (typeof value === 'string') {
    if (ISO_LOCAL.test(value)) return 'must end with Z (for UTC) or with an offset, such as +02:00'
    if (ISO_DATE.test(value))
      return 'must have a time, too, with Z (for UTC) or an offset: 2030-01-31T17:00:00Z'
  }
  return 'must be a valid date and time with Z or an offset'
}

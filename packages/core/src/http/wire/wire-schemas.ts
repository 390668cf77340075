import { z } from 'zod'
import {
  FIRST_INSTANT,
  instantRule,
  ISO_INSTANT,
  isStorableText,
  LAST_INSTANT,
  YEARS_RULE,
} from '../../errors/index.js'

/** An id from a caller: any short text, because only the storage knows which ids exist. */
export const idText = z
  .string({ error: 'must be an id' })
  .min(1, 'must be an id')
  .max(64, 'must be an id')
  .refine(isStorableText, 'must be an id')

/** A time from a caller: ISO 8601 with `Z` or an offset. Becomes epoch milliseconds. */
export const instantText = z
  .string({ error: 'must be a date and time as text' })
  .regex(ISO_INSTANT, { error: ({ input }) => instantRule(input) })
  .transform((text) => Date.parse(text))
  .refine((at) => at >= FIRST_INSTANT && at <= LAST_INSTANT, YEARS_RULE)
  .meta({ format: 'date-time' })

/** A time in an answer: ISO 8601 in UTC with milliseconds. */
export const timestamp = z.string().meta({ format: 'date-time' })

/** The wire's form of a time. */
export function toTimestamp(instant: number): string
export function toTimestamp(instant: number | null): string | null
export function toTimestamp(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString()
}

/** `limit` and `cursor`, which page a list. Values of a query are text. */
function pageOf(most: number, pattern: RegExp) {
  const rule = `must be a whole number from 1 to ${most}`
  return {
    limit: z
      .string()
      .regex(pattern, rule)
      .transform(Number)
      .refine((limit) => limit <= most, rule)
      .default(100)
      .meta({ description: `The most entries to return: 1 to ${most}, by default 100.` }),
    cursor: z.string().min(1).max(1_000).optional().meta({
      description: 'The next_cursor of the previous page.',
    }),
  }
}

/** `limit` and `cursor` of most lists. */
export const pageQuery = pageOf(1_000, /^[1-9]\d{0,3}$/)

/** `limit` and `cursor` of a log, whose lines are long. */
export const logQuery = pageOf(100, /^[1-9]\d{0,2}$/)

/** Next to a page's entries; null on the last page. */
export const nextCursor = z.string().nullable()

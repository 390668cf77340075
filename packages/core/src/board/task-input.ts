import { z } from 'zod'
import { holdReasons, priorities } from './task.js'

const TITLE_CODE_POINTS = 200
const TEXT_CODE_POINTS = 20_000
const RESULT_CODE_POINTS = 1_000_000
const LIST_ENTRIES = 50
const LABEL_CODE_POINTS = 100
const METADATA_CODE_UNITS = 16_384
/** The years that ISO 8601 writes with four digits, in UTC. */
const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z')
const SLUG = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** Text that every storage and every JSON reader can hold: no NUL and no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

interface TextRules {
  readonly most: number
  readonly isBlankAllowed: boolean
}

/** What is wrong with a text, or null. */
function textFault(text: string, { most, isBlankAllowed }: TextRules): string | null {
  const isShort = text.length <= most || (text.length <= 2 * most && codePoints(text) <= most)
  if (!isShort) return `must have at most ${most} characters`
  if (!isStorableText(text)) return 'must not contain NUL or unpaired surrogates'
  return isBlankAllowed || text.trim() !== '' ? null : 'must not be blank'
}

/** One check for all rules: of a request's cost, checks that run one by one were the larger part. */
function textOf(rules: TextRules): z.ZodString {
  return z.string({ error: 'must be text' }).check(({ value, issues }) => {
    const message = textFault(value, rules)
    if (message !== null) issues.push({ code: 'custom', input: value, message })
  })
}

/** Text of at most `most` code points. */
export function boundedText(most: number): z.ZodString {
  return textOf({ most, isBlankAllowed: true })
}

const ISO_INSTANT = z.regexes.datetime({ offset: true })

/** What a given time is in epoch milliseconds; NaN for what is none. */
function toInstant(value: unknown): number {
  if (typeof value === 'string') return ISO_INSTANT.test(value) ? Date.parse(value) : Number.NaN
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number.NaN
  return value instanceof Date ? value.getTime() : Number.NaN
}

/**
 * A time as a host gives it: a Date, epoch milliseconds, or ISO 8601 with `Z` or an offset. Becomes an `Instant` within the
 * years 0 to 9999 of UTC, so that it can always be shown as it came in.
 */
const instantInput = z
  .custom<Date | number | string>((value) => value !== undefined)
  .transform((value, context) => {
    const instant = toInstant(value)
    if (instant >= FIRST_INSTANT && instant <= LAST_INSTANT) return instant
    const message = Number.isNaN(instant)
      ? 'must be a date and time that exists, with Z or an offset'
      : 'must be within the years 0 to 9999'
    context.issues.push({ code: 'custom', input: value, message })
    return z.NEVER
  })

/** Whether metadata is small enough to be looked at entry by entry: each entry that is wrong costs time and memory. */
function isSmall(value: unknown): boolean {
  try {
    return (JSON.stringify(value) ?? '').length <= METADATA_CODE_UNITS
  } catch {
    return false
  }
}

const label = textOf({ most: LABEL_CODE_POINTS, isBlankAllowed: false })

/** An id, as yet unchecked: whether there is such a thing is for the storage to say. */
const reference = boundedText(64).min(1)

/** What `board.add` takes. */
export const newTaskInput = z.object({
  title: z
    .string({ error: 'must be text' })
    .transform((text) => text.trim())
    .pipe(textOf({ most: TITLE_CODE_POINTS, isBlankAllowed: false })),
  description: boundedText(TEXT_CODE_POINTS).nullish(),
  type: z.string().regex(SLUG, 'must be a short slug of a-z, 0-9, - and _').nullish(),
  priority: z
    .enum(priorities as [string, ...string[]] as ['urgent', 'high', 'medium', 'low'], {
      error: `must be one of ${priorities.join(', ')}`,
    })
    .nullish(),
  assignedTo: reference.nullish(),
  dueDate: instantInput.nullish(),
  notBefore: instantInput.nullish(),
  tags: z
    .array(label, { error: 'must be a list of texts' })
    .max(LIST_ENTRIES, `must have at most ${LIST_ENTRIES} entries`)
    .nullish(),
  metadata: z
    .custom<Readonly<Record<string, string | string[]>>>(
      isSmall,
      `must have at most ${METADATA_CODE_UNITS} characters as JSON`,
    )
    .pipe(
      z.record(
        boundedText(LABEL_CODE_POINTS).min(1),
        z.union([boundedText(TEXT_CODE_POINTS), z.array(boundedText(TEXT_CODE_POINTS))], {
          error: 'must be text or a list of texts',
        }),
      ),
    )
    .nullish(),
  dependsOn: z.array(reference, { error: 'must be a list of task ids' }).max(LIST_ENTRIES).nullish(),
  maxAttempts: z.number().int().min(1).max(100).nullish(),
})

/** What `board.chat` takes. */
export const chatInput = z.object({
  message: textOf({ most: TEXT_CODE_POINTS, isBlankAllowed: false }),
  user: label.nullish(),
})

export const completionInput = z.object({
  fencingToken: z.number().int().min(1),
  result: boundedText(RESULT_CODE_POINTS).default(''),
})

export const failureInput = z.object({
  fencingToken: z.number().int().min(1),
  reason: boundedText(TEXT_CODE_POINTS),
  retry: z.boolean().default(true),
})

export const holdInput = z.object({
  reason: z.enum(holdReasons as [string, ...string[]] as ['failed', 'cancelled', 'needs_input', 'approval']),
  message: boundedText(TEXT_CODE_POINTS).nullish(),
  fencingToken: z.number().int().min(1).nullish(),
})

import { z } from 'zod'

/** The rules for a text. */
export interface TextRules {
  /** In code points. */
  readonly most: number
  /** A text is blank when it is invisible: only spaces, and characters of no width. */
  readonly isBlankAllowed: boolean
}

/** Whether every storage and every JSON reader can hold the text: no NUL and no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** The rule that a text breaks, or null. */
export function textFault(text: string, { most, isBlankAllowed }: TextRules): string | null {
  const isShort = text.length <= most || (text.length <= 2 * most && codePoints(text) <= most)
  if (!isShort) return `must have at most ${most} characters`
  if (!isStorableText(text)) return 'must not contain NUL or unpaired surrogates'
  return isBlankAllowed || NOT_BLANK.test(text) ? null : 'must not be blank'
}

/** A schema for text of at most `most` code points. */
export function boundedText(most: number): z.ZodString {
  return textOf({ most, isBlankAllowed: true })
}

/** A schema for text by the rules. */
export function textOf(rules: TextRules): z.ZodString {
  return z.string({ error: 'must be text' }).check(({ value, issues }) => {
    const message = textFault(value, rules)
    if (message !== null) issues.push({ code: 'custom', input: value, message })
  })
}

/** As long as an email address. */
const NAME: TextRules = { most: 256, isBlankAllowed: false }

/** The rule that the name of who acts breaks, or null. */
export function nameFault(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be text'
  if (MISLEADING.test(value))
    return 'must not contain control characters, line breaks or changes of direction'
  return textFault(value, NAME)
}

/** A visible character: no space, control or format character, and none that fonts don't render (Unicode, 5.21). */
const NOT_BLANK = /[^\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u
/** A control character, the end of a line, or a character that changes the text direction, so that a name shows as another. */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/** Whether a text has an invisible character, so that it may look like another text. Spaces don't count. */
export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text)
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** ISO 8601 with a time and its offset from UTC: other texts mean another instant to each reader. */
export const ISO_INSTANT = z.regexes.datetime({ offset: true })
const ISO_LOCAL = z.regexes.datetime({ local: true })
const ISO_DATE = z.regexes.date

/** The years that ISO 8601 writes with four digits, in UTC. */
export const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z')
export const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z')
export const YEARS_RULE = 'must be within the years 0 to 9999'

/** Why `value` isn't an instant as ISO 8601 text, after the name of its field. */
export function instantRule(value: unknown): string {
  if (typeof value === 'string') {
    if (ISO_LOCAL.test(value)) return 'must end with Z (for UTC) or with an offset, such as +02:00'
    if (ISO_DATE.test(value))
      return 'must have a time as well, with Z (for UTC) or an offset: 2030-01-31T17:00:00Z'
  }
  return 'must be a valid date and time with Z or an offset'
}

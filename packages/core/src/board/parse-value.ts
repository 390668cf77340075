import type { Instant } from '../environment/index.js'
import {
  FIRST_INSTANT,
  instantRule,
  ISO_INSTANT,
  LAST_INSTANT,
  pathText,
  TaskboardError,
  textFault,
  type TextRules,
  YEARS_RULE,
} from '../errors/index.js'

// Readers of values that callers give, whatever these contain. Each throws `INVALID_FIELD` with the name of the field.

/** A time from a host: a `Date`, epoch milliseconds, or ISO 8601 text with `Z` or an offset; in the years 0 to 9999. */
export type InstantInput = Date | number | string

type Metadata = Readonly<Record<string, string | readonly string[]>>

const METADATA_TEXT: TextRules = { most: 20_000, isBlankAllowed: true }
const METADATA_NAME: TextRules = { most: 100, isBlankAllowed: false }
const METADATA_CODE_UNITS = 16_384
const NAME_RULE = 'must have a name of 1 to 100 characters, not blank, without NUL and unpaired surrogates'
const ITSELF: readonly never[] = Object.freeze([])

/** `within` is the path of the text in the field. */
export function parseText(
  field: string,
  value: unknown,
  rules: TextRules,
  within: readonly (string | number)[] = ITSELF,
): string {
  if (typeof value !== 'string') throw invalid(field, 'must be text', within)
  const fault = textFault(value, rules)
  if (fault !== null) throw invalid(field, fault, within)
  return value
}

export function parseChoice<T extends string>(field: string, value: unknown, choices: readonly T[]): T {
  const choice = choices.find((each) => each === value)
  if (choice !== undefined) return choice
  throw invalid(field, `must be one of ${choices.join(', ')}`)
}

export function parseWholeNumber(field: string, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw invalid(field, `must be a whole number from ${least} to ${most}`)
}

export function parseInstant(field: string, value: unknown): Instant {
  const instant = toInstant(value)
  // Plus 0 makes 0 of -0, which databases do not keep.
  if (instant >= FIRST_INSTANT && instant <= LAST_INSTANT) return instant + 0
  throw invalid(field, Number.isNaN(instant) ? instantRule(value) : YEARS_RULE)
}

/** Epoch milliseconds; NaN for text that isn't a time. */
function toInstant(value: unknown): number {
  if (typeof value === 'string') return ISO_INSTANT.test(value) ? Date.parse(value) : Number.NaN
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number.NaN
  return value instanceof Date ? value.getTime() : Number.NaN
}

export function parseTexts(
  field: string,
  value: unknown,
  rules: TextRules,
  most: number,
  within: readonly (string | number)[] = ITSELF,
): readonly string[] {
  if (!Array.isArray(value)) throw invalid(field, 'must be a list of texts', within)
  if (value.length > most) throw invalid(field, `must have at most ${most} entries`, within)
  for (const [index, entry] of value.entries()) parseText(field, entry, rules, [...within, index])
  return [...(value as readonly string[])]
}

export function parseMetadata(field: string, value: unknown): Metadata {
  if (!isPlainObject(value)) throw invalid(field, 'must be an object')
  const metadata: Record<string, string | readonly string[]> = {}
  // Counted while reading, so that reading stops once it is too much.
  let least = 0
  for (const name of Object.keys(value)) {
    const entry = value[name]
    least += name.length + (Array.isArray(entry) || typeof entry === 'string' ? entry.length : 0)
    if (least > METADATA_CODE_UNITS) throw tooMuch(field)
    if (name === '__proto__') throw invalid(field, 'must have another name', [name])
    if (textFault(name, METADATA_NAME) !== null) throw invalid(field, NAME_RULE, [name])
    metadata[name] = parseMetadataEntry(field, name, entry)
  }
  // The JSON may be longer. Each entry counts for at least one character, so this reads little.
  if (least > 0 && JSON.stringify(metadata).length > METADATA_CODE_UNITS) throw tooMuch(field)
  return metadata
}

function parseMetadataEntry(field: string, name: string, entry: unknown): string | readonly string[] {
  if (typeof entry === 'string') return parseText(field, entry, METADATA_TEXT, [name])
  if (Array.isArray(entry)) return parseTexts(field, entry, METADATA_TEXT, METADATA_CODE_UNITS, [name])
  throw invalid(field, 'must be text or a list of texts', [name])
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function tooMuch(field: string): TaskboardError {
  return invalid(field, `must have at most ${METADATA_CODE_UNITS} characters as JSON`)
}

function invalid(field: string, rule: string, within: readonly (string | number)[] = ITSELF): TaskboardError {
  return new TaskboardError('INVALID_FIELD', `${pathText([field, ...within])} ${rule}`, { field })
}

/** The `type` of a task or an agent: any text of 1 to 64 code points that isn't blank. It is stored without the white space around it. */
export const typeRules: TextRules = { most: 64, isBlankAllowed: false }

import { z } from 'zod'
import type { Instant } from '../environment/index.js'
import { pathText, TaskboardError, textFault, type TextRules } from '../errors/index.js'
import { priorities, type Priority, type Task } from './task.js'
import { typeRules } from './task-type.js'

/** A time from a host: a `Date`, epoch milliseconds, or ISO 8601 text with `Z` or an offset; in the years 0 to 9999. */
export type InstantInput = Date | number | string

const TITLE: TextRules = { most: 200, isBlankAllowed: false }
const TEXT: TextRules = { most: 20_000, isBlankAllowed: true }
const LABEL: TextRules = { most: 100, isBlankAllowed: false }
/** The form of an id. The storage checks whether it exists. */
const REFERENCE: TextRules = { most: 64, isBlankAllowed: false }
/** How many tags and how many dependencies a task has at most. */
export const taskListEntries = 50
const ITSELF: readonly never[] = Object.freeze([])
const METADATA_CODE_UNITS = 16_384
const NAME_RULE = 'must have a name of 1 to 100 characters, not blank, without NUL and unpaired surrogates'
const MOST_ATTEMPTS = 100
/** The years that ISO 8601 writes with four digits, in UTC. */
const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z')
const ISO_INSTANT = z.regexes.datetime({ offset: true })

/**
 * Reads the fields of a task that callers set, whatever they contain. Each reader throws `INVALID_FIELD` with its field's name for an
 * invalid value. Not a schema: every create runs this, and a schema took a quarter of its time.
 */
export const taskFields = {
  title: (value: unknown): string =>
    readText('title', typeof value === 'string' ? value.trim() : value, TITLE),
  description: (value: unknown): string => readText('description', value, TEXT),
  type: (value: unknown): string => readText('type', value, typeRules),
  priority: (value: unknown): Priority => readPriority('priority', value),
  assignedTo: (value: unknown): string => readText('assignedTo', value, REFERENCE),
  dueDate: (value: unknown): Instant => readInstant('dueDate', value),
  notBefore: (value: unknown): Instant => readInstant('notBefore', value),
  tags: (value: unknown): readonly string[] => readTexts('tags', value, LABEL, taskListEntries),
  metadata: (value: unknown): Task['metadata'] => readMetadata('metadata', value),
  /** Distinct ids, in the given order. */
  dependsOn: (value: unknown): readonly string[] => [
    ...new Set(readTexts('dependsOn', value, REFERENCE, taskListEntries)),
  ],
  maxAttempts: (value: unknown): number => readAttempts('maxAttempts', value),
}

/** `within` is the path of the text in the field. */
function readText(
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

function readPriority(field: string, value: unknown): Priority {
  const priority = priorities.find((each) => each === value)
  if (priority !== undefined) return priority
  throw invalid(field, `must be one of ${priorities.join(', ')}`)
}

function readInstant(field: string, value: unknown): Instant {
  const instant = toInstant(value)
  if (instant >= FIRST_INSTANT && instant <= LAST_INSTANT) return instant
  if (Number.isNaN(instant)) throw invalid(field, 'must be a valid date and time with Z or an offset')
  throw invalid(field, 'must be within the years 0 to 9999')
}

/** Epoch milliseconds; NaN for text that is not a time. */
function toInstant(value: unknown): number {
  if (typeof value === 'string') return ISO_INSTANT.test(value) ? Date.parse(value) : Number.NaN
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number.NaN
  return value instanceof Date ? value.getTime() : Number.NaN
}

function readTexts(
  field: string,
  value: unknown,
  rules: TextRules,
  most: number,
  within: readonly (string | number)[] = ITSELF,
): readonly string[] {
  if (!Array.isArray(value)) throw invalid(field, 'must be a list of texts', within)
  if (value.length > most) throw invalid(field, `must have at most ${most} entries`, within)
  for (const [index, entry] of value.entries()) readText(field, entry, rules, [...within, index])
  return [...(value as readonly string[])]
}

function readMetadata(field: string, value: unknown): Task['metadata'] {
  if (!isPlainObject(value)) throw invalid(field, 'must be an object')
  const metadata: Record<string, string | readonly string[]> = {}
  // Counted while reading, so that reading stops once it is too much.
  let least = 0
  for (const name of Object.keys(value)) {
    const entry = value[name]
    least += name.length + (Array.isArray(entry) || typeof entry === 'string' ? entry.length : 0)
    if (least > METADATA_CODE_UNITS) throw tooMuch(field)
    if (name === '__proto__') throw invalid(field, 'must have another name', [name])
    if (textFault(name, LABEL) !== null) throw invalid(field, NAME_RULE, [name])
    metadata[name] = readMetadataEntry(field, name, entry)
  }
  // The JSON may be longer. Each entry counts for at least one character, so this reads little.
  if (least > 0 && JSON.stringify(metadata).length > METADATA_CODE_UNITS) throw tooMuch(field)
  return metadata
}

function readMetadataEntry(field: string, name: string, entry: unknown): string | readonly string[] {
  if (typeof entry === 'string') return readText(field, entry, TEXT, [name])
  if (Array.isArray(entry)) return readTexts(field, entry, TEXT, METADATA_CODE_UNITS, [name])
  throw invalid(field, 'must be text or a list of texts', [name])
}
function readAttempts(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_ATTEMPTS)
    return value
  throw invalid(field, `must be a whole number from 1 to ${MOST_ATTEMPTS}`)
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

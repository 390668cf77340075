import { z } from 'zod'
import type { Instant } from '../environment/index.js'
import { TaskboardError, textFault, type TextRules } from '../errors/index.js'
import { priorities, type Priority, type Task } from './task.js'

/** A time as a host gives it: a `Date`, epoch milliseconds, or ISO 8601 text with `Z` or an offset; in the years 0 to 9999. */
export type InstantInput = Date | number | string

const TITLE: TextRules = { most: 200, isBlankAllowed: false }
const TEXT: TextRules = { most: 20_000, isBlankAllowed: true }
const LABEL: TextRules = { most: 100, isBlankAllowed: false }
/** An id, as yet unchecked: whether there is such a thing is for the storage to say. */
const REFERENCE: TextRules = { most: 64, isBlankAllowed: false }
const LIST_ENTRIES = 50
const METADATA_CODE_UNITS = 16_384
const MOST_ATTEMPTS = 100
/** The years that ISO 8601 writes with four digits, in UTC. */
const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z')
const ISO_INSTANT = z.regexes.datetime({ offset: true })
const SLUG = /^[a-z0-9][a-z0-9_-]{0,63}$/

/**
 * Reads the fields of a task that callers set, whatever they hold. Each reader throws `INVALID_FIELD` with its field's name for
 * what is not acceptable. Not a schema: this is on the path of every create, and a schema was a quarter of that.
 */
export const taskFields = {
  title: (value: unknown): string =>
    readText('title', typeof value === 'string' ? value.trim() : value, TITLE),
  description: (value: unknown): string => readText('description', value, TEXT),
  type: (value: unknown): string => readSlug('type', value),
  priority: (value: unknown): Priority => readPriority('priority', value),
  assignedTo: (value: unknown): string => readText('assignedTo', value, REFERENCE),
  dueDate: (value: unknown): Instant => readInstant('dueDate', value),
  notBefore: (value: unknown): Instant => readInstant('notBefore', value),
  tags: (value: unknown): readonly string[] => readTexts('tags', value, LABEL, LIST_ENTRIES),
  metadata: (value: unknown): Task['metadata'] => readMetadata('metadata', value),
  /** Each id once, in the given order. */
  dependsOn: (value: unknown): readonly string[] => [
    ...new Set(readTexts('dependsOn', value, REFERENCE, LIST_ENTRIES)),
  ],
  maxAttempts: (value: unknown): number => readAttempts('maxAttempts', value),
}

function readText(field: string, value: unknown, rules: TextRules): string {
  if (typeof value !== 'string') throw invalid(field, 'must be text')
  const fault = textFault(value, rules)
  if (fault !== null) throw invalid(field, fault)
  return value
}

function readSlug(field: string, value: unknown): string {
  if (typeof value === 'string' && SLUG.test(value)) return value
  throw invalid(field, 'must be a short slug of a-z, 0-9, - and _')
}

function readPriority(field: string, value: unknown): Priority {
  const priority = priorities.find((each) => each === value)
  if (priority !== undefined) return priority
  throw invalid(field, `must be one of ${priorities.join(', ')}`)
}

function readInstant(field: string, value: unknown): Instant {
  const instant = toInstant(value)
  if (instant >= FIRST_INSTANT && instant <= LAST_INSTANT) return instant
  if (Number.isNaN(instant)) throw invalid(field, 'must be a date and time that exists, with Z or an offset')
  throw invalid(field, 'must be within the years 0 to 9999')
}

/** Epoch milliseconds; NaN for what is no time. */
function toInstant(value: unknown): number {
  if (typeof value === 'string') return ISO_INSTANT.test(value) ? Date.parse(value) : Number.NaN
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number.NaN
  return value instanceof Date ? value.getTime() : Number.NaN
}

function readTexts(field: string, value: unknown, rules: TextRules, most: number): readonly string[] {
  if (!Array.isArray(value)) throw invalid(field, 'must be a list of texts')
  if (value.length > most) throw invalid(field, `must have at most ${most} entries`)
  for (const entry of value as readonly unknown[]) readText(field, entry, rules)
  return [...(value as readonly string[])]
}

function readMetadata(field: string, value: unknown): Task['metadata'] {
  const prototype: unknown =
    typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined
  if (prototype !== Object.prototype && prototype !== null) throw invalid(field, 'must be an object')
  // Before its entries are looked at one by one: each that is wrong costs time and memory.
  if (!isSmall(value)) throw invalid(field, `must have at most ${METADATA_CODE_UNITS} characters as JSON`)
  const entries = Object.entries(value as object).map(([name, entry]: [string, unknown]) => [
    readText(field, name, LABEL),
    Array.isArray(entry) ? readTexts(field, entry, TEXT, METADATA_CODE_UNITS) : readText(field, entry, TEXT),
  ])
  return Object.fromEntries(entries) as Task['metadata']
}

function isSmall(value: unknown): boolean {
  try {
    return (JSON.stringify(value) ?? '').length <= METADATA_CODE_UNITS
  } catch {
    return false
  }
}

function readAttempts(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_ATTEMPTS)
    return value
  throw invalid(field, `must be a whole number from 1 to ${MOST_ATTEMPTS}`)
}

function invalid(field: string, rule: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', `${field}: ${rule}`, { field })
}

import { z } from 'zod'
import type { Instant } from '../environment/index.js'
import { TaskboardError, textFault, type TextRules } from '../errors/index.js'
import { priorities, type Priority } from './task.js'
import type { NewTask } from './task-store.js'

/** A time as a host gives it: a `Date`, epoch milliseconds, or ISO 8601 text with `Z` or an offset; in the years 0 to 9999. */
export type InstantInput = Date | number | string

/** A task to add. Whatever is left out, undefined or null has its default. */
export interface TaskInput {
  /** 1 to 200 code points after trimming. */
  readonly title: string
  /** At most 20,000 code points. */
  readonly description?: string | null | undefined
  /** A slug of a-z, 0-9, `-` and `_`, at most 64 characters. */
  readonly type?: string | null | undefined
  /** Default `medium`. */
  readonly priority?: Priority | null | undefined
  /** The id of the only agent that may take it. */
  readonly assignedTo?: string | null | undefined
  readonly dueDate?: InstantInput | null | undefined
  /** No agent takes it earlier. */
  readonly notBefore?: InstantInput | null | undefined
  /** At most 50, each of 1 to 100 code points. */
  readonly tags?: readonly string[] | null | undefined
  /** At most 16,384 characters as JSON; names of 1 to 100 code points. */
  readonly metadata?: Readonly<Record<string, string | readonly string[]>> | null | undefined
  /** At most 50 ids of tasks of the same workspace. */
  readonly dependsOn?: readonly string[] | null | undefined
  /** 1 to 100. */
  readonly maxAttempts?: number | null | undefined
}

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
const NOTHING: readonly never[] = Object.freeze([])

/**
 * Checks a task to add, whatever its fields hold, and fills in the defaults. Read field by field rather than through a
 * schema: this is on the path of every create, and the schema was a quarter of that.
 * @throws TaskboardError `MISSING_FIELD` or `INVALID_FIELD`, naming the first field that is wrong.
 */
export function readNewTask(input: TaskInput, workspaceId: string, maxAttempts: number): NewTask {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new TaskboardError('INVALID_FIELD', 'the task must be an object')
  }
  const { title, description, type, priority, assignedTo, dueDate, notBefore, tags, metadata } = input
  if (title === undefined) throw new TaskboardError('MISSING_FIELD', 'title is required', { field: 'title' })
  return {
    workspaceId,
    title: readText('title', typeof title === 'string' ? title.trim() : title, TITLE),
    description: description == null ? null : readText('description', description, TEXT),
    type: type == null ? null : readSlug('type', type),
    priority: priority == null ? 'medium' : readPriority('priority', priority),
    assignedTo: assignedTo == null ? null : readText('assignedTo', assignedTo, REFERENCE),
    dueDate: dueDate == null ? null : readInstant('dueDate', dueDate),
    notBefore: notBefore == null ? null : readInstant('notBefore', notBefore),
    tags: tags == null ? NOTHING : readTexts('tags', tags, LABEL, LIST_ENTRIES),
    metadata: metadata == null ? {} : readMetadata('metadata', metadata),
    dependsOn: input.dependsOn == null ? NOTHING : readReferences('dependsOn', input.dependsOn),
    maxAttempts: input.maxAttempts == null ? maxAttempts : readAttempts('maxAttempts', input.maxAttempts),
  }
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

/** Each once, in the given order. */
function readReferences(field: string, value: unknown): readonly string[] {
  return [...new Set(readTexts(field, value, REFERENCE, LIST_ENTRIES))]
}

function readMetadata(field: string, value: unknown): NewTask['metadata'] {
  const prototype: unknown =
    typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined
  if (prototype !== Object.prototype && prototype !== null) throw invalid(field, 'must be an object')
  // Before its entries are looked at one by one: each that is wrong costs time and memory.
  if (!isSmall(value)) throw invalid(field, `must have at most ${METADATA_CODE_UNITS} characters as JSON`)
  const entries = Object.entries(value as object).map(([name, entry]: [string, unknown]) => [
    readText(field, name, LABEL),
    Array.isArray(entry) ? readTexts(field, entry, TEXT, METADATA_CODE_UNITS) : readText(field, entry, TEXT),
  ])
  return Object.fromEntries(entries) as NewTask['metadata']
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

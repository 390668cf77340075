import { z } from 'zod'
import { suggestName } from './suggest-name.js'
import { TaskboardError } from './taskboard-error.js'

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a valid date',
}

/**
 * The rule that a schema's issue names, to follow the name of a value: `must be a whole number`. For schemas without their own texts.
 */
function ruleOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${KINDS[issue.expected] ?? 'something else'}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `must ${sizeOf(issue.origin, 'at least', Number(issue.minimum))}`
    case 'too_big':
      return `must ${sizeOf(issue.origin, 'at most', Number(issue.maximum))}`
    case 'invalid_key':
      return 'has a name that is not valid'
    default:
      return 'is not valid'
  }
}

function sizeOf(origin: string, bound: 'at least' | 'at most', count: number): string {
  if (origin === 'string') return `have ${bound} ${count} ${count === 1 ? 'character' : 'characters'}`
  if (origin === 'array' || origin === 'set')
    return `have ${bound} ${count} ${count === 1 ? 'entry' : 'entries'}`
  return `be ${bound} ${count}`
}

const LONGEST = 64

const PLAIN = /^[\w-]{1,64}$/

/** A caller's name for an error text: cut off when long, in quotes unless it is a plain word. */
export function shownName(name: string): string {
  if (PLAIN.test(name)) return name
  const cut = name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name
  return JSON.stringify(cut.toWellFormed())
}

/** The path of a value in an input: `tags[2]`, `metadata.color`, `metadata["two words"]`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = ''
  for (const [index, step] of path.entries()) {
    if (typeof step === 'number') text += `[${step}]`
    else {
      const shown = shownName(String(step))
      if (index === 0) text = shown
      else text += shown.startsWith('"') ? `[${shown}]` : `.${shown}`
    }
  }
  return text
}

/**
 * A schema for a list of at most `most` entries. Zod checks the length first and reads no entry of a list that is too long. An oversized
 * list is therefore cheap to reject (a test checks that). `of` names the entries, in the plural.
 */
export function boundedList<S extends z.ZodType>(
  entry: S,
  { of, least = 0, most }: { readonly of: string; readonly least?: number; readonly most: number },
): z.ZodArray<S> {
  return z
    .array(entry, { error: `must be a list of ${of}` })
    .min(least, `must have at least ${least} of the ${of}`)
    .max(most, `must have at most ${most} entries`)
}

/** A schema for a whole number from `least` to `most`. */
export function wholeNumber(least: number, most: number): z.ZodInt {
  const error = `must be a whole number from ${least} to ${most}`
  return z.int({ error }).min(least, error).max(most, error)
}

type Issue = z.core.$ZodIssue

type Unchanging<T> = T extends readonly (infer E)[]
  ? readonly Unchanging<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Unchanging<T[K]> }
    : T

/** A value that the schema accepts, where no one changes it: its lists and members may be read-only. */
export type InputOf<S extends z.ZodType> = Unchanging<z.input<S>>

/** Texts for issues whose schema has none, so that no error shows the text of a library. */
const wording = { error: ruleOf }

/**
 * Validates `input` and returns the output of the schema.
 * @throws TaskboardError `MISSING_FIELD` or `INVALID_FIELD` for the first issue, with its top-level field. The message begins with
 *   the path of the value, down to the entry of a list: `tags[2] must be text`.
 */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input, wording)
  if (parsed.success) return parsed.data
  throw toError(schema, input, parsed.error.issues[0])
}

function toError(schema: z.ZodType, input: unknown, issue: Issue | undefined): TaskboardError {
  if (issue?.code === 'unrecognized_keys') {
    const path = [...issue.path, issue.keys[0] ?? '']
    const known = issue.path.length === 0 && schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
    const meant = suggestName(issue.keys[0] ?? '', known)
    const hint = meant === null ? '' : `; did you mean ${meant}?`
    return new TaskboardError('INVALID_FIELD', `${pathText(path)} is not a known field${hint}`, {
      field: shownName(String(path[0])),
    })
  }
  const name = issue?.path[0]
  if (issue === undefined || name === undefined)
    return new TaskboardError('INVALID_FIELD', 'the input must be an object')
  const field = String(name)
  if (issue.path.length === 1 && isMissing(schema, input, field)) {
    return new TaskboardError('MISSING_FIELD', `${field} is required`, { field })
  }
  return new TaskboardError('INVALID_FIELD', `${pathText(issue.path)} ${issue.message}`, { field })
}

/** Whether a required field is absent or null. */
function isMissing(schema: z.ZodType, input: unknown, field: string): boolean {
  if (typeof input !== 'object' || input === null) return false
  const value = Object.hasOwn(input, field) ? (input as Record<string, unknown>)[field] : undefined
  if (value === undefined) return true
  if (value !== null) return false
  const { error } = schema.safeParse({ ...input, [field]: undefined }, wording)
  return error?.issues.some(({ path }) => path.length === 1 && path[0] === field) ?? false
}

/** The most rows in one page of a list. */
export const LARGEST_PAGE = 1_000

/** The `limit` of a page. @throws TaskboardError `INVALID_FIELD` (`limit`) unless it is a whole number from 1 to `LARGEST_PAGE`. */
export function requireLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= LARGEST_PAGE) return limit
  throw new TaskboardError('INVALID_FIELD', `limit must be a whole number from 1 to ${LARGEST_PAGE}`, {
    field: 'limit',
  })
}

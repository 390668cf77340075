import type { z } from 'zod'
import { pathText, shownName } from './field-path.js'
import { ruleOf } from './rule-of.js'
import { TaskboardError } from './taskboard-error.js'

type Issue = z.core.$ZodIssue

type Unchanging<T> = T extends readonly (infer E)[]
  ? readonly Unchanging<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Unchanging<T[K]> }
    : T

/** A value that the schema accepts, where nobody changes it: its lists and members may be read-only. */
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
  if (issue?.code === 'unrecognized_keys' && issue.path.length === 0) {
    const name = shownName(issue.keys[0] ?? '')
    return new TaskboardError('INVALID_FIELD', `${name} is not a known field`, { field: name })
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

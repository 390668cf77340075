import type { z } from 'zod'
import { TaskboardError } from './taskboard-error.js'

/**
 * Validates `input` and returns what the schema makes of it.
 * @throws TaskboardError `MISSING_FIELD` or `INVALID_FIELD` for the first issue, with the top-level field that it is about.
 */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const name = issue?.path[0]
  if (issue === undefined || name === undefined)
    throw new TaskboardError('INVALID_FIELD', 'the input must be an object')
  const field = String(name)
  if (issue.path.length === 1 && valueAt(input, field) === undefined) {
    throw new TaskboardError('MISSING_FIELD', `${field} is required`, { field })
  }
  throw new TaskboardError('INVALID_FIELD', `${issue.path.join('.')}: ${issue.message}`, { field })
}

function valueAt(input: unknown, field: string): unknown {
  return typeof input === 'object' && input !== null && Object.hasOwn(input, field)
    ? (input as Record<string, unknown>)[field]
    : undefined
}

import type { z } from 'zod'
import { shownName, TaskboardError } from '../errors/index.js'
import { WireFieldError } from './error-envelope.js'
import type { JsonObject } from './json-body.js'
import type { Query } from './query.js'
import { suggestName } from './suggest-name.js'

/** The wire names of a body's members or a query's parameters. */
export interface FieldNames {
  readonly known: ReadonlySet<string>
  /** The names in `known` that must be present and not null. */
  readonly required: readonly string[]
}

/** By schema; each schema is made once. */
const namesOfSchemas = new WeakMap<z.ZodObject, FieldNames>()

export const NO_FIELDS: FieldNames = fieldNames({})

export function fieldNames({
  required = [],
  optional = [],
}: {
  readonly required?: readonly string[]
  readonly optional?: readonly string[]
}): FieldNames {
  return { known: new Set([...required, ...optional]), required }
}

/** The names that a schema declares. A name is required if the schema refuses undefined for it. */
export function fieldNamesOf(schema: z.ZodObject): FieldNames {
  let names = namesOfSchemas.get(schema)
  if (names === undefined) {
    const fields = Object.entries(schema.shape)
    const required = fields.flatMap(([name, field]) => (field.safeParse(undefined).success ? [] : [name]))
    names = { known: new Set(fields.map(([name]) => name)), required }
    namesOfSchemas.set(schema, names)
  }
  return names
}

/**
 * Checks the field names of a body before their values, so that a body of a hundred thousand fields costs no more than up to its
 * first wrong one.
 * @throws TaskboardError `MISSING_FIELD` for a required field that is absent or null, `INVALID_FIELD` for an unknown one.
 */
export function requireFields(body: JsonObject, { known, required }: FieldNames): void {
  for (const name of required) {
    if (body[name] === undefined || body[name] === null) throw missing(name, body, known)
  }
  for (const name in body) {
    if (!known.has(name)) throw unknown(name, 'field', known)
  }
}

/**
 * Checks the parameter names of a query.
 * @throws TaskboardError `INVALID_FIELD` for an unknown or repeated one.
 */
export function requireParameters({ values, repeated }: Query, { known }: FieldNames): void {
  for (const name in values) {
    if (!known.has(name)) throw unknown(name, 'query parameter', known)
  }
  for (const name of repeated) {
    throw new WireFieldError('INVALID_FIELD', `${name} must be given once`, name)
  }
}

/** Suggests the missing name if the first unknown field looks like it. */
function missing(name: string, body: JsonObject, known: ReadonlySet<string>): TaskboardError {
  const stranger = Object.keys(body).find((each) => !known.has(each))
  const isMeant = stranger !== undefined && suggestName(stranger, known) === name
  const hint = isMeant ? `; ${shownName(stranger)} is not a field of this request` : ''
  return new TaskboardError('MISSING_FIELD', `${name} is required${hint}`, { field: name })
}

function unknown(name: string, kind: string, known: ReadonlySet<string>): TaskboardError {
  const shown = shownName(name)
  const meant = suggestName(name, known)
  const hint = meant === null ? `, which takes ${listed([...known])}` : `; did you mean ${meant}?`
  return new WireFieldError('INVALID_FIELD', `${shown} is not a ${kind} of this request${hint}`, shown)
}

function listed(names: readonly string[]): string {
  if (names.length < 2) return names[0] ?? 'none'
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

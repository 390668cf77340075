import { z } from 'zod'
import { parseInput, pathText, shownName, suggestName, TaskboardError } from '../errors/index.js'
import { WireFieldError } from './error-envelope.js'
import type { JsonObject } from './json-body.js'
import type { Query } from './query.js'

/** The wire names of a body's members or a query's parameters. */
export interface FieldNames {
  readonly known: ReadonlySet<string>
  /** The names in `known` that must be present and not null. */
  readonly required: readonly string[]
  /** The members in whose values there are names to know. Names within other values, such as metadata, are the caller's own. */
  readonly within: readonly (readonly [member: string, names: NamesWithin])[]
}

/** The names of an object within a body, or of those in a list. */
type NamesWithin =
  | { readonly kind: 'object'; readonly names: FieldNames }
  | { readonly kind: 'list'; readonly entry: NamesWithin }

/** By schema; each schema is made once. */
const namesOfSchemas = new WeakMap<z.ZodObject, FieldNames>()

export const NO_FIELDS: FieldNames = fieldNames({})

export function fieldNames({
  required = [],
  optional = [],
  within = {},
}: {
  readonly required?: readonly string[]
  readonly optional?: readonly string[]
  /** By member, the schema of its value. */
  readonly within?: Readonly<Record<string, z.ZodType>>
}): FieldNames {
  return { known: new Set([...required, ...optional]), required, within: namesWithin(within) }
}

/** The names that a schema declares, at every depth. A name is required if the schema rejects undefined for it. */
export function fieldNamesOf(schema: z.ZodObject): FieldNames {
  let names = namesOfSchemas.get(schema)
  if (names === undefined) {
    const fields = Object.entries(schema.shape)
    const required = fields.flatMap(([name, field]) => (field.safeParse(undefined).success ? [] : [name]))
    names = { known: new Set(fields.map(([name]) => name)), required, within: namesWithin(schema.shape) }
    namesOfSchemas.set(schema, names)
  }
  return names
}

function namesWithin(shape: Readonly<Record<string, z.core.$ZodType>>): FieldNames['within'] {
  return Object.entries(shape).flatMap(([member, schema]) => {
    const names = namesIn(schema)
    return names === null ? [] : [[member, names] as const]
  })
}

/** Null for a schema of values without their own names, and of records, whose names the caller chooses. */
function namesIn(schema: z.core.$ZodType): NamesWithin | null {
  if (schema instanceof z.ZodObject) return { kind: 'object', names: fieldNamesOf(schema) }
  if (schema instanceof z.ZodArray) {
    const entry = namesIn(schema.element)
    return entry && { kind: 'list', entry }
  }
  if (schema instanceof z.ZodPipe) return namesIn(schema.in)
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  ) {
    return namesIn(schema.unwrap())
  }
  return null
}

/**
 * Reads a JSON object as API v2 reads a body: the names of its fields first, at every depth, then their values.
 * @throws TaskboardError `MISSING_FIELD`, `INVALID_FIELD`.
 * @example
 * ```ts
 * import { isTaskboardError } from '@taskboard/core'
 * import { operationSchemas, parseFields } from '@taskboard/core/transport'
 *
 * try {
 *   parseFields(operationSchemas('createComment').body, { text: 'Done?' })
 * } catch (error) {
 *   console.log(isTaskboardError(error, 'MISSING_FIELD')) // true
 * }
 * ```
 */
export function parseFields<Schema extends z.ZodObject>(
  schema: Schema,
  input: Readonly<Record<string, unknown>>,
): z.output<Schema> {
  requireFields(input, fieldNamesOf(schema))
  return parseInput(schema, input)
}

/**
 * Checks the field names of a body before their values. A body of a hundred thousand fields therefore costs no more than up to its first
 * wrong one. Unknown names within lists and objects are rejected with their path: `tasks[0].titel`.
 * @throws TaskboardError `MISSING_FIELD` for a required field that is absent or null, `INVALID_FIELD` for an unknown one.
 */
export function requireFields(body: JsonObject, names: FieldNames): void {
  const { known, required } = names
  for (const name of required) {
    if (body[name] === undefined || body[name] === null) throw missing(name, body, known)
  }
  refuseUnknown(body, names, [])
}

function refuseUnknown(object: JsonObject, { known, within }: FieldNames, path: PropertyKey[]): void {
  for (const name in object) {
    if (!known.has(name))
      throw path.length === 0 ? unknown(name, 'field', known) : unknownWithin(path, name, known)
  }
  for (const [member, names] of within) refuseUnknownIn(object[member], names, [...path, member])
}

/** More than any list of objects may have. */
const MOST_ENTRIES = 1_000

/** A value that isn't the required object or list, or is too long a list, is left to the check of the values. */
function refuseUnknownIn(value: unknown, names: NamesWithin, path: PropertyKey[]): void {
  if (names.kind === 'list') {
    if (!Array.isArray(value) || value.length > MOST_ENTRIES) return
    for (const [index, entry] of value.entries()) refuseUnknownIn(entry, names.entry, [...path, index])
  } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    refuseUnknown(value as JsonObject, names.names, path)
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

/** About an unknown name within the member of a body that `path` begins with. */
function unknownWithin(
  path: readonly PropertyKey[],
  name: string,
  known: ReadonlySet<string>,
): TaskboardError {
  const meant = suggestName(name, known)
  const hint = meant === null ? `${pathText(path)} takes ${listed([...known])}` : `did you mean ${meant}?`
  const message = `${pathText([...path, name])} is not a field of this request; ${hint}`
  return new WireFieldError('INVALID_FIELD', message, String(path[0]))
}

function listed(names: readonly string[]): string {
  if (names.length < 2) return names[0] ?? 'none'
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

import { z } from 'zod'
import { parseInput } from '../errors/index.js'

/** What a field holds. Each layer has its own form of it: a JSON type, a column's type, a type of GraphQL. */
export type FieldKind = 'text' | 'texts' | 'boolean' | 'integer'

/** A field that callers set. */
interface ResourceField<T> {
  readonly kind: FieldKind
  /** Which values a caller may give, besides null. */
  readonly schema: z.ZodType<T, T>
  /** What is stored for null, or for nothing in a new resource. Absent: a new resource needs a value, and null is rejected. */
  readonly empty?: T
  /** What a caller may give, for the documents of the APIs. */
  readonly description?: string
}

/** A declaration of each field of `Row`. */
type Declared<Row> = { readonly [F in keyof Row]-?: ResourceField<Row[F]> }

/** Rejects the declaration of a field that the row doesn't have. */
type Exactly<Row, Table> = { readonly [F in Exclude<keyof Table, keyof Row>]: never }

/** The fields that have an empty value. */
type Clearable<Table> = {
  [F in keyof Table]: Table[F] extends { readonly empty: unknown } ? F : never
}[keyof Table]

type Optional<Row> = { readonly [F in keyof Row]?: Row[F] | null | undefined }

/** A new resource, as a caller gives it. */
export type NewInput<Row, Table> = Omit<Row, Clearable<Table>> &
  Optional<Pick<Row, Clearable<Table> & keyof Row>>

/** A change of a resource: absent fields stay, and null clears. */
export type ChangeInput<Row, Table> = Partial<Omit<Row, Clearable<Table>>> &
  Optional<Pick<Row, Clearable<Table> & keyof Row>>

type Schema<T> = z.ZodType<T, T>

type NewBody<Row, Table> = {
  readonly [F in keyof Row & string as WireName<F>]: F extends Clearable<Table>
    ? z.ZodOptional<z.ZodNullable<Schema<Row[F]>>>
    : Schema<Row[F]>
}

type ChangeBody<Row, Table> = {
  readonly [F in keyof Row & string as WireName<F>]: F extends Clearable<Table>
    ? z.ZodOptional<z.ZodNullable<Schema<Row[F]>>>
    : z.ZodOptional<Schema<Row[F]>>
}

type AnswerBody<Row> = {
  readonly [F in keyof Row & string as WireName<F>]: Schema<Row[F]>
}

/** The values by their names on the wire. */
type Wire<Row> = { readonly [F in keyof Row & string as WireName<F>]: Row[F] }

/** A field for code that derives its own form, such as a column. */
export interface NamedField {
  readonly name: string
  /** The name on the wire, and of the column. */
  readonly wireName: string
  readonly kind: FieldKind
  /** Whether it can be empty. */
  readonly isClearable: boolean
  /** Whether its empty value is null, which answers show. */
  readonly isNullable: boolean
  readonly description: string | null
}

/** The fields of a resource: their one declaration, and what derives from it. */
export interface ResourceFields<Row, Table> {
  readonly fields: readonly NamedField[]
  /** What a new resource has in the fields that no one gave. */
  readonly empty: Readonly<Pick<Row, Clearable<Table> & keyof Row>>
  /** The members of a request body, by their names on the wire. A body that passes them is valid: don't check it again. */
  readonly newBody: NewBody<Row, Table>
  readonly changeBody: ChangeBody<Row, Table>
  /** The members of an answer. */
  readonly answer: AnswerBody<Row>
  /**
   * Checks a new resource that the host gives, and fills in the empty values.
   * @throws TaskboardError `MISSING_FIELD` or `INVALID_FIELD`, naming the field.
   */
  parseNew(input: NewInput<Row, Table>): Row
  /**
   * Checks a change that the host gives. The result has the given fields only.
   * @throws TaskboardError `INVALID_FIELD`, naming the field.
   */
  parseChange(input: ChangeInput<Row, Table>): Partial<Row>
  /** The resource of a valid `newBody`. */
  newOf(body: Readonly<Record<string, unknown>>): Row
  /** The change of a valid `changeBody`. Other members of the body are left out. */
  changeOf(body: Readonly<Record<string, unknown>>): Partial<Row>
  /** The members of an answer for a resource. */
  toWire(row: Row): Wire<Row>
}

/**
 * Derives from the declaration of a resource's fields what every layer needs. Call it with the type of the fields first, so that `tsc`
 * names the field that lacks a declaration.
 */
export function resourceFields<Row extends object>() {
  return <const Table extends Declared<Row>>(
    table: Table & Exactly<Row, Table>,
  ): ResourceFields<Row, Table> => {
    const entries = Object.entries(table) as [string, ResourceField<unknown>][]
    const fields = entries.map(([name, { kind, empty, description = null }]): NamedField => ({
      name,
      wireName: wireName(name),
      kind,
      isClearable: empty !== undefined,
      isNullable: empty === null,
      description,
    }))
    const empty = Object.freeze(
      Object.fromEntries(
        entries.flatMap(([name, field]) => (isClearable(field) ? [[name, field.empty]] : [])),
      ),
    )
    const shape = (isNew: boolean, nameOf: (name: string) => string) =>
      Object.fromEntries(entries.map(([name, field]) => [nameOf(name), inputOf(field, isNew)]))
    const newInput = z.strictObject(shape(true, asIs))
    const changeInput = z.strictObject(shape(false, asIs))

    function given(values: Readonly<Record<string, unknown>>, nameOf: (field: NamedField) => string) {
      const change: Record<string, unknown> = {}
      for (const [index, [name, field]] of entries.entries()) {
        const value = values[nameOf(fields[index] as NamedField)]
        if (value !== undefined) change[name] = value === null ? field.empty : value
      }
      return change
    }

    const filled = (change: Record<string, unknown>) => ({ ...empty, ...change }) as Row

    return {
      fields,
      empty: empty as ResourceFields<Row, Table>['empty'],
      newBody: shape(true, wireName) as NewBody<Row, Table>,
      changeBody: shape(false, wireName) as ChangeBody<Row, Table>,
      answer: Object.fromEntries(fields.map((field) => [field.wireName, answerOf(field)])) as AnswerBody<Row>,
      parseNew: (input) => filled(given(parseInput(newInput, input), ofLibrary)),
      parseChange: (input) => given(parseInput(changeInput, input), ofLibrary) as Partial<Row>,
      newOf: (body) => filled(given(body, ofWire)),
      changeOf: (body) => given(body, ofWire) as Partial<Row>,
      toWire: (row) =>
        Object.fromEntries(
          fields.map(({ name, wireName: member }) => [member, row[name as keyof Row]]),
        ) as Wire<Row>,
    }
  }
}

const ofLibrary = ({ name }: NamedField): string => name
const ofWire = ({ wireName: name }: NamedField): string => name

function asIs(name: string): string {
  return name
}

function isClearable({ empty }: ResourceField<unknown>): boolean {
  return empty !== undefined
}

function inputOf(field: ResourceField<unknown>, isNew: boolean): z.ZodType {
  const { schema, description } = field
  const input = isClearable(field) ? schema.nullish() : isNew ? schema : schema.optional()
  return description === undefined ? input : input.meta({ description })
}

const answers: Readonly<Record<FieldKind, z.ZodType>> = {
  text: z.string(),
  texts: z.array(z.string()),
  boolean: z.boolean(),
  integer: z.int(),
}

function answerOf({ kind, isNullable }: NamedField): z.ZodType {
  return isNullable ? answers[kind].nullable() : answers[kind]
}

/**
 * A field's name on the wire.
 * @example
 * ```ts
 * import { wireName } from '@taskboard/core/storage'
 *
 * console.log(wireName('dueDate')) // due_date
 * ```
 */
export function wireName(field: string): string {
  return field.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The type of `wireName`. */
export type WireName<Field extends string> = Field extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${WireName<Rest>}`
  : Field

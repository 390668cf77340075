import type { FieldKind, NamedField } from '@taskboard/core/storage'

/** The parts of statements that concern the columns of a resource's fields. */
interface ResourceColumns {
  /** The names of the columns, to insert. */
  readonly names: string
  /** Parameters from `$first` on, in the order of `names`. */
  values(first: number): string
  /** The values of the parameters. */
  of(row: object): readonly unknown[]
  /** Selects each field by its name from the table or expression `alias`. */
  read(alias: string): string
  /** The fields with their types, for the record of a JSON with some of them. */
  readonly record: string
  /** Sets each field of table `alias` that the record `change` has; `change.given` is the JSON. */
  updates(alias: string, change: string): string
}

const types: Readonly<Record<FieldKind, string>> = {
  text: 'text',
  texts: 'text[]',
  boolean: 'boolean',
  integer: 'integer',
}

/** Derives them from the declaration of the fields. A column has the name of its field on the wire. */
export function resourceColumns(fields: readonly NamedField[]): ResourceColumns {
  const list = (write: (field: NamedField, index: number) => string): string => fields.map(write).join(', ')
  return {
    names: list(({ wireName }) => wireName),
    values: (first) => list(({ kind }, index) => `$${first + index}::${types[kind]}`),
    of: (row) => fields.map(({ name }) => (row as Readonly<Record<string, unknown>>)[name]),
    read: (alias) => list(({ name, wireName }) => `${alias}.${wireName} as "${name}"`),
    record: list(({ name, kind }) => `"${name}" ${types[kind]}`),
    updates: (alias, change) =>
      list(({ name, wireName, isNullable }) =>
        isNullable
          ? `${wireName} = case when ${change}.given ? '${name}' then ${change}."${name}" else ${alias}.${wireName} end`
          : `${wireName} = coalesce(${change}."${name}", ${alias}.${wireName})`,
      ),
  }
}

/** A JSON Schema, or a part of one. */
export type SchemaPart = Readonly<Record<string, unknown>>

/** An object at some depth of a body. */
export interface ObjectWithin {
  /** Empty for the body itself. Of a list, the second entry. */
  readonly path: readonly (string | number)[]
  readonly schema: SchemaPart
}

/** The entry of each list that is looked at. */
const ENTRY = 1

/** Every object of a body whose names the schema declares, at every depth. The names of records are the caller's own. */
export function objectsWithin(schema: SchemaPart, path: ObjectWithin['path'] = []): readonly ObjectWithin[] {
  const { properties, items, anyOf } = schema as {
    readonly properties?: Readonly<Record<string, SchemaPart>>
    readonly items?: SchemaPart
    readonly anyOf?: readonly SchemaPart[]
  }
  const members = Object.entries(properties ?? {})
  return [
    ...(properties === undefined ? [] : [{ path, schema }]),
    ...members.flatMap(([name, member]) => objectsWithin(member, [...path, name])),
    ...(items === undefined ? [] : objectsWithin(items, [...path, ENTRY])),
    ...(anyOf ?? []).flatMap((choice) => objectsWithin(choice, path)),
  ]
}

/** The value that has `inner` at `path`, and empty objects as the other entries of lists. */
export function valueAt(path: ObjectWithin['path'], inner: unknown): unknown {
  return path.reduceRight<unknown>(
    (value, step) =>
      typeof step === 'number' ? [...Array.from({ length: step }, () => ({})), value] : { [step]: value },
    inner,
  )
}

/** As errors show it: `tasks[1].budget`. */
export function shownPath(path: ObjectWithin['path']): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)
}

import { priorities, type Priority, type TaskFields } from '@taskboard/core'
import type { TaskChange, TaskField } from '@taskboard/core/storage'

/** The column of a task's field. */
interface FieldColumn<T> {
  readonly name: string
  readonly type: string
  /** The field as JSON that the column's type reads. Default: as it is. */
  readonly store?: (value: T) => unknown
  /** The field, as SQL of the column. Default: the column. */
  readonly read?: (column: string) => string
}

/** A double represents all instants exactly, and drivers return a bigint as text. */
const number = (column: string): string => `${column}::float8`

/** A priority is stored as its rank: low 0 to urgent 3. */
const byRank = priorities.toReversed()
export const rankOf = (priority: Priority): number => byRank.indexOf(priority)
const priorityOf = (rank: string): string => `(array['${byRank.join("', '")}'])[${rank} + 1]`

const fieldColumns: { readonly [F in TaskField]: FieldColumn<TaskFields[F]> } = {
  title: { name: 'title', type: 'text' },
  description: { name: 'description', type: 'text' },
  type: { name: 'type', type: 'text' },
  priority: { name: 'priority_rank', type: 'smallint', store: rankOf, read: priorityOf },
  assignedTo: { name: 'assigned_to', type: 'text' },
  dueDate: { name: 'due_date', type: 'bigint', read: number },
  notBefore: { name: 'not_before', type: 'bigint', read: number },
  tags: { name: 'tags', type: 'text[]' },
  metadata: { name: 'metadata', type: 'jsonb' },
  dependsOn: { name: 'depends_on', type: 'text[]' },
  budget: { name: 'budget', type: 'jsonb' },
}

const columns = Object.entries(fieldColumns).map(([field, { name, type, store, read }]) => ({
  field: field as TaskField,
  name,
  type,
  store: (store ?? asIs) as (value: unknown) => unknown,
  read: read ?? asIs,
}))

function asIs<T>(value: T): T {
  return value
}

/** The names of the columns, to insert. */
export const fieldNames = columns.map(({ name }) => name).join(', ')

/** The columns with their types, for a recordset. */
export const fieldTypes = columns.map(({ name, type }) => `${name} ${type}`).join(', ')

/** Sets each column to the column of the table or expression `alias`. */
export const fieldUpdates = (alias: string): string =>
  columns.map(({ name }) => `${name} = ${alias}.${name}`).join(', ')

/** The names in `TaskFields` of the fields in which the rows `before` and `after` differ, in their order, as `text[]`. */
export const fieldsChanged = (before: string, after: string): string =>
  `array_remove(array[${columns
    .map(
      ({ field, name }) =>
        `case when ${before}.${name} is distinct from ${after}.${name} then '${field}' end`,
    )
    .join(', ')}]::text[], null)`

/** The SQL of each field of the table or expression `alias`, by its name in `TaskFields`. */
export const fieldsRead = (alias: string): readonly (readonly [TaskField, string])[] =>
  columns.map(({ field, name, read }) => [field, read(`${alias}.${name}`)])

/** The values of the given fields by the names of their columns. */
export function fieldValues(fields: TaskChange): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const { field, name, store } of columns) {
    const value = fields[field]
    if (value !== undefined) values[name] = store(value)
  }
  return values
}

import type { PgQueryable } from '../connection/pool.js'
import { transferTables } from './tables.js'

/** A column, and the type that its values are written as. */
export interface Column {
  readonly name: string
  readonly type: string
}

/** The columns of each table that exports have; without those that the database makes of others. */
export type Columns = ReadonlyMap<string, readonly Column[]>

export async function readColumns(connection: PgQueryable): Promise<Columns> {
  const names = transferTables.flatMap(({ name, parts = [] }) => [name, ...parts.map((part) => part.name)])
  const { rows } = await connection.query({
    text: `select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type
      from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'taskboard' and c.relname = any ($1::text[]) and a.attnum > 0 and not a.attisdropped
        and a.attgenerated = ''
      order by a.attnum`,
    values: [names],
  })
  const columns = new Map<string, Column[]>()
  for (const { table, name, type } of rows as (Column & { readonly table: string })[]) {
    columns.set(table, [...(columns.get(table) ?? []), { name, type }])
  }
  return columns
}

/** The columns of a table without `omitted` ones. */
export function columnsOf(
  columns: Columns,
  { name, omitted = [] }: { readonly name: string; readonly omitted?: readonly string[] },
): readonly Column[] {
  return (columns.get(name) ?? []).filter((column) => !omitted.includes(column.name))
}

/** The newest migration of a database; null when it has none. */
export async function readVersion(connection: PgQueryable): Promise<string | null> {
  const { rows } = await connection.query({
    text: `select number, name from taskboard.migration order by number desc limit 1`,
    values: [],
  })
  const [row] = rows as { readonly number: number; readonly name: string }[]
  return row === undefined ? null : `${String(row.number).padStart(4, '0')}_${row.name}`
}

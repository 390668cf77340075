import type { SharedBoard } from '../processes/shared-board.js'

/** Reads rows from a database, with its parameters. */
type ReadRows = SharedBoard['rows']

/** What rows are given, by the name of the column. */
export type Owner = Readonly<Record<string, string>>

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  /** Whether a row needs a value: it has no default and must not be null. */
  readonly isDue: boolean
}

/** Every table of the schema, also those that later migrations make. */
export async function tablesOf(rows: ReadRows): Promise<readonly string[]> {
  const text = `select tablename as name from pg_tables where schemaname = 'taskboard' order by 1`
  return (await rows<{ name: string }>(text)).map(({ name }) => name)
}

/** The tables with a foreign key of tasks, and the column that has it. */
export function referencesToTasks(
  rows: ReadRows,
): Promise<readonly { readonly table: string; readonly column: string }[]> {
  return rows(
    `select c.conrelid::regclass::text as table, a.attname as column
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and c.confrelid = 'taskboard.task'::regclass order by 1, 2`,
  )
}

function columnsOf(rows: ReadRows): Promise<readonly Column[]> {
  return rows<Column>(
    `select table_name as table, column_name as name, data_type as type,
      is_nullable = 'NO' and column_default is null and is_identity = 'NO' and is_generated = 'NEVER' as "isDue"
    from information_schema.columns join pg_tables on tablename = table_name and schemaname = table_schema
    where table_schema = 'taskboard'`,
  )
}

/** How many rows of each table name one of the ids anywhere; without the tables that have none. */
export async function rowsNaming(rows: ReadRows, ids: readonly string[]): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const table of await tablesOf(rows)) {
    const text = `select count(*)::integer as n from taskboard.${table} t where to_jsonb(t)::text like any ($1)`
    const [row] = await rows<{ n: number }>(
      text,
      ids.map((id) => `%${id}%`),
    )
    if (row !== undefined && row.n > 0) found[table] = row.n
  }
  return found
}

let added = 0

function valueOf({ name, type }: Column, owner: Owner): unknown {
  if (name in owner) return owner[name]
  if (type === 'ARRAY') return []
  if (type.startsWith('json')) return '{}'
  if (type === 'boolean') return false
  return type === 'text' ? `filled_${added}` : 0
}

/** Adds a row of the owner to each table that has a column of the owner's and no row that names it. */
export async function fillTables(rows: ReadRows, owner: Owner, but: readonly string[]): Promise<void> {
  const columns = await columnsOf(rows)
  const filled = await rowsNaming(rows, Object.values(owner))
  for (const table of new Set(columns.map((column) => column.table))) {
    const own = columns.filter((column) => column.table === table && (column.isDue || column.name in owner))
    if (table in filled || but.includes(table) || !own.some(({ name }) => name in owner)) continue
    added += 1
    const values = own.map((column) => valueOf(column, owner))
    const names = own.map(({ name }) => name).join(', ')
    const places = own.map((_, place) => `$${place + 1}`).join(', ')
    await rows(`insert into taskboard.${table} (${names}) values (${places})`, ...values)
  }
}

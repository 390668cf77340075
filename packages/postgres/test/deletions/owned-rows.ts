import type pg from 'pg'

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
export async function tablesOf(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'taskboard' order by 1`,
  )
  return rows.map(({ name }) => name)
}

async function columnsOf(pool: pg.Pool): Promise<readonly Column[]> {
  const { rows } = await pool.query<Column>(
    `select table_name as table, column_name as name, data_type as type,
      is_nullable = 'NO' and column_default is null and is_identity = 'NO' and is_generated = 'NEVER' as "isDue"
    from information_schema.columns join pg_tables on tablename = table_name and schemaname = table_schema
    where table_schema = 'taskboard'`,
  )
  return rows
}

/** How many rows of each table name one of the ids anywhere; without the tables that have none. */
export async function rowsNaming(pool: pg.Pool, ids: readonly string[]): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const table of await tablesOf(pool)) {
    const text = `select count(*)::integer as n from taskboard.${table} t where to_jsonb(t)::text like any ($1)`
    const { rows } = await pool.query<{ n: number }>(text, [ids.map((id) => `%${id}%`)])
    if (rows[0] !== undefined && rows[0].n > 0) found[table] = rows[0].n
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
export async function fillTables(pool: pg.Pool, owner: Owner, but: readonly string[]): Promise<void> {
  const columns = await columnsOf(pool)
  const filled = await rowsNaming(pool, Object.values(owner))
  for (const table of new Set(columns.map((column) => column.table))) {
    const own = columns.filter((column) => column.table === table && (column.isDue || column.name in owner))
    if (table in filled || but.includes(table) || !own.some(({ name }) => name in owner)) continue
    added += 1
    const values = own.map((column) => valueOf(column, owner))
    const names = own.map(({ name }) => name).join(', ')
    const places = own.map((_, place) => `$${place + 1}`).join(', ')
    await pool.query(`insert into taskboard.${table} (${names}) values (${places})`, values)
  }
}

import type pg from 'pg'

/** A unique index or a foreign key of the schema. */
interface Key {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
  /** The table that a foreign key names, and its columns there. */
  readonly target: string | null
  readonly targetColumns: readonly string[]
}

/** What the schema has, as the server describes it. */
export interface Catalog {
  readonly tables: readonly string[]
  /** The tables whose rows all name their workspace. */
  readonly distributed: readonly string[]
  readonly keys: readonly Key[]
}

const TABLES = /* sql */ `
  select c.relname as name, exists (
    select from pg_attribute a
    where a.attrelid = c.oid and a.attname = 'workspace_id' and a.attnotnull and not a.attisdropped
  ) as "isDistributed"
  from pg_class c where c.relnamespace = 'taskboard'::regnamespace and c.relkind in ('r', 'p') order by 1`

const namesOf = (table: string, numbers: string): string => `array(
    select a.attname::text from unnest(${numbers}) as n (number)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = n.number)`

const KEYS = /* sql */ `
  select i.relname as name, c.relname as table, ${namesOf('x.indrelid', 'x.indkey::smallint[]')} as columns,
    null as target, '{}'::text[] as "targetColumns"
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
  where x.indisunique and c.relnamespace = 'taskboard'::regnamespace
  union all
  select k.conname, c.relname, ${namesOf('k.conrelid', 'k.conkey')}, t.relname, ${namesOf('k.confrelid', 'k.confkey')}
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class t on t.oid = k.confrelid
  where k.contype = 'f' and k.connamespace = 'taskboard'::regnamespace
  order by 1`

export async function readCatalog(pool: pg.Pool): Promise<Catalog> {
  const tables = await pool.query<{ name: string; isDistributed: boolean }>(TABLES)
  const keys = await pool.query<Key>(KEYS)
  return {
    tables: tables.rows.map(({ name }) => name),
    distributed: tables.rows.filter(({ isDistributed }) => isDistributed).map(({ name }) => name),
    keys: keys.rows,
  }
}

/** The names of the keys that a server which distributes rows by their workspace could not check on one node. */
export function keysAcrossWorkspaces(
  { distributed, keys }: Catalog,
  isEverywhere: (table: string) => boolean,
): readonly string[] {
  const isWithin = ({ table, columns, target, targetColumns }: Key): boolean => {
    if (!distributed.includes(table)) return target === null || !distributed.includes(target)
    if (target !== null && isEverywhere(target)) return true
    return columns.includes('workspace_id') && (target === null || targetColumns.includes('workspace_id'))
  }
  return keys.filter((key) => !isWithin(key)).map(({ name }) => name)
}

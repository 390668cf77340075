import { TaskboardError } from '@taskboard/core'
import { boardSchema } from '../connection/board-schema.js'
import { toVerbError, toVerbErrors } from '../connection/connection-fault.js'
import type { PgQueryable, PgPool } from '../connection/pool.js'
import { transferTables, type TransferTable } from './tables.js'
import { type Columns, columnsOf, readColumns, readVersion } from './transfer-columns.js'
import { type ExportHeader, invalid, isReadable, readHeader } from './transfer-lines.js'

export interface ImportProgress {
  /** The rows that were read so far. */
  readonly read: number
  /** The new ones among them. */
  readonly added: number
  /** The rows of the whole export. */
  readonly total: number
}

export interface ImportOptions {
  /** Called after each batch, which is then committed. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined
  /** As in `postgresStorage`; default `taskboard`. */
  readonly schema?: string | undefined
}

const ROWS_AT_ONCE = 500
const LONGEST_BATCH = 4_000_000
const PREPARE = [
  'begin isolation level read committed',
  'set local statement_timeout = 0',
  // Also fills accounts that take no writes: they arrive so.
  "set local taskboard_import.runs = 'on'",
]
const ROW = /^\{"table":"(\w+)","row":(\{.*\})\}$/s

interface Batch {
  readonly table: TransferTable
  readonly rows: string[]
  length: number
  /** The number of its first line. */
  readonly line: number
}

/**
 * Imports what `exportLines` has exported, in the order of its lines. Rows that are there already stay as they are, so an import
 * that was interrupted, or that ran before, can run again. Each batch is committed separately. The schema must match the export, and the
 * host application needs the same encryption key. Host applications can run during an import: agents then pick up tasks as soon as they
 * arrive. An account that was read-only when it was exported arrives read-only.
 * @throws TaskboardError `INVALID_FIELD` for lines that aren't an export, or for an export without its end, after its rows are imported;
 *   `INVALID_CONFIG` for another schema; `CONFLICT` when a row doesn't fit the existing rows, such as a user whose email another one has;
 *   `SERVICE_UNAVAILABLE`.
 * @example
 * ```ts
 * import { exportLines, importLines, migrate, openPglite } from '@taskboard/postgres'
 *
 * const database = await openPglite('new-board')
 * await migrate(database.pool)
 * const exported: string[] = []
 * for await (const lines of exportLines(database.pool)) exported.push(...lines)
 * const { added } = await importLines(database.pool, exported)
 * console.log(added) // 0
 * await database.close()
 * ```
 */
export async function importLines(
  pool: PgPool,
  lines: AsyncIterable<string> | Iterable<string>,
  { onProgress, schema }: ImportOptions = {},
): Promise<ImportProgress> {
  const ownPool = boardSchema(schema).onPool(pool)
  let header: ExportHeader | null = null
  let columns: Columns = new Map()
  let batch: Batch | null = null
  let read = 0
  let added = 0
  let line = 0
  let isComplete = false

  async function flush(): Promise<void> {
    if (batch === null || header === null) return
    const done = batch
    batch = null
    added += await importBatch(ownPool, columns, done)
    read += done.rows.length
    onProgress?.({ read, added, total: header.rows })
  }

  for await (const text of lines) {
    line += 1
    if (text === '') continue
    if (header === null) {
      header = readHeader(text)
      columns = await prepare(ownPool, header)
      continue
    }
    const [, name, row] = ROW.exec(text) ?? []
    if (row === undefined) {
      isComplete = text.startsWith('{"end":true')
      if (!isComplete) throw invalid(`line ${line} is not a row of an export`)
      continue
    }
    if (!isReadable(row)) throw invalid(`line ${line} is not JSON, or it is nested too deep`)
    const table = transferTables.find((known) => known.name === name)
    if (table === undefined) throw invalid(`line ${line} is of the table ${name}, which exports do not have`)
    if (batch !== null && (isFull(batch) || batch.table !== table)) await flush()
    batch ??= { table, rows: [], length: 0, line }
    batch.rows.push(row)
    batch.length += row.length
  }
  await flush()
  if (header === null) throw invalid('there is no line')
  if (!isComplete || read !== header.rows) {
    throw invalid(`the export is not complete: it has ${read} of ${header.rows} rows`)
  }
  return { read, added, total: header.rows }
}

const isFull = ({ rows, length }: Batch): boolean => rows.length >= ROWS_AT_ONCE || length >= LONGEST_BATCH

async function prepare(pool: PgPool, header: ExportHeader): Promise<Columns> {
  const version = await toVerbErrors(
    readVersion(pool).catch((error: unknown) => {
      const isMissing = (error as { readonly code?: unknown }).code === '42P01'
      if (isMissing) return null
      throw error
    }),
  )
  if (version === header.schema) return toVerbErrors(readColumns(pool))
  throw new TaskboardError(
    'INVALID_CONFIG',
    `the export is of schema ${header.schema}, and the database has ${version ?? 'none'}: migrate the older one first`,
  )
}

/** One transaction; returns how many rows were added. */
async function importBatch(pool: PgPool, columns: Columns, batch: Batch): Promise<number> {
  const { table, rows } = batch
  const json = `[${rows.join(',')}]`
  const client = await toVerbErrors(pool.connect())
  let broken: unknown
  try {
    for (const text of PREPARE) await client.query({ text, values: [] })
    const added = await insert(client, columns, table, json)
    if (table.afterwards !== undefined && added > 0) {
      await client.query({ text: table.afterwards, values: [json] })
    }
    await client.query({ text: 'commit', values: [] })
    return added
  } catch (error) {
    await client.query({ text: 'rollback', values: [] }).catch((fault: unknown) => {
      broken = fault
    })
    throw faultOf(error, batch)
  } finally {
    client.release(broken as Error | undefined)
  }
}

async function insert(
  client: PgQueryable,
  columns: Columns,
  table: TransferTable,
  json: string,
): Promise<number> {
  const names = columnsOf(columns, table).map(({ name }) => name)
  const parts = (table.parts ?? []).map((part) => {
    const own = columnsOf(columns, part).map(({ name }) => name)
    return /* sql */ `, added_${part.name} as (
      insert into taskboard.${part.name} (${own.join(', ')})
      select ${own.map((name) => `p.${name}`).join(', ')}
      from given g join added a on a.id = g.row->>'id'
        cross join lateral json_array_elements(g.row->'${part.name}') with ordinality as e(part, place)
        cross join lateral json_populate_record(null::taskboard.${part.name}, e.part) p
      order by g.place, e.place
    )`
  })
  const { rows } = await client.query({
    text: /* sql */ `
      with given as materialized (
        select j.row, j.place from json_array_elements($1::json) with ordinality as j(row, place)
      ),
      added as (
        insert into taskboard.${table.name} (${names.join(', ')})
        select ${names.map((name) => `r.${name}`).join(', ')}
        from given g cross join lateral json_populate_record(null::taskboard.${table.name}, g.row) r
        order by g.place
        on conflict (${table.key.join(', ')}) do nothing
        returning ${table.key[0]}
      )${parts.join('')}
      select count(*)::float8 as count from added`,
    values: [json],
  })
  const [row] = rows as { readonly count: number }[]
  return row?.count ?? 0
}

/** Violations are about the rows, everything else about the database. */
function faultOf(error: unknown, { table, line, rows }: Batch): unknown {
  const { code, message } = error as { readonly code?: unknown; readonly message?: string }
  const where = `lines ${line} to ${line + rows.length - 1}, of the table ${table.name}`
  if (typeof code === 'string' && code.startsWith('23')) {
    return new TaskboardError(
      'CONFLICT',
      `${where}, do not fit to the rows that are there: ${message ?? code}`,
      {
        cause: error,
      },
    )
  }
  if (typeof code === 'string' && code.startsWith('22')) {
    return invalid(`${where}, cannot be read: ${message ?? code}`, error)
  }
  return toVerbError(error)
}

import { isTaskboardError, TaskboardError } from '@taskboard/core'
import { boardSchema } from '../connection/board-schema.js'
import { toVerbErrors } from '../connection/connection-fault.js'
import type { PgQueryable, PgPool } from '../connection/pool.js'
import { transferTables, type TransferPart, type TransferTable } from './tables.js'
import { type Columns, columnsOf, readColumns, readVersion } from './transfer-columns.js'
import { type ExportHeader, FORMAT, readHeader } from './transfer-lines.js'

export interface ExportOptions {
  /** Only this account. Default: all of them. */
  readonly accountId?: string | undefined
  /** Only this workspace: with its account's name and tier and the keys bound to it, without users. */
  readonly workspaceId?: string | undefined
  /** As in `postgresStorage`; default `taskboard`. */
  readonly schema?: string | undefined
  /** Continues an export that was broken off, from its first and its last whole line. */
  readonly resume?: { readonly first: string; readonly last: string } | undefined
}

interface Reading {
  readonly client: PgQueryable
  readonly columns: Columns
  readonly scope: readonly [accounts: readonly string[], workspaces: readonly string[], isWhole: boolean]
}

const ROWS_AT_ONCE = 500
const PREPARE = ['begin isolation level repeatable read read only', 'set local statement_timeout = 0']

/**
 * Exports boards as lines of JSON, in batches: a header, a line for each row, and an end. All is of one instant: the rows are read in one
 * transaction. Lines contain hashes of passwords and keys, and sealed secrets. Sessions, limits, events and deliveries
 * are not exported.
 * @throws TaskboardError `INVALID_CONFIG` when the schema is missing; `NOT_FOUND` for an unknown account or workspace; `CONFLICT` when
 *   an export cannot be resumed, because the boards have changed since it began; `SERVICE_UNAVAILABLE`.
 * @example
 * ```ts
 * import { exportLines, migrate, openPglite } from '@taskboard/postgres'
 *
 * const database = await openPglite('board')
 * await migrate(database.pool)
 * let last = ''
 * for await (const lines of exportLines(database.pool)) last = lines.at(-1) ?? last
 * console.log(last.slice(0, 7)) // {"end":
 * await database.close()
 * ```
 */
export async function* exportLines(
  pool: PgPool,
  options: ExportOptions = {},
): AsyncGenerator<readonly string[], void, undefined> {
  const schema = boardSchema(options.schema)
  const client = await toVerbErrors(pool.connect())
  let isUsable = true
  try {
    for (const text of PREPARE) await toVerbErrors(client.query({ text, values: [] }))
    yield* linesOf(schema.on(client), options)
  } catch (error) {
    isUsable = isTaskboardError(error) && error.code !== 'SERVICE_UNAVAILABLE'
    throw error
  } finally {
    if (isUsable) {
      await client.query({ text: 'rollback', values: [] }).catch(() => {
        isUsable = false
      })
    }
    client.release(!isUsable)
  }
}

async function* linesOf(
  client: PgQueryable,
  options: ExportOptions,
): AsyncGenerator<readonly string[], void, undefined> {
  const begun = options.resume === undefined ? null : readHeader(options.resume.first)
  const selection = begun ?? options
  const version = await toVerbErrors(readVersion(client)).catch(withoutSchema)
  const scope = await toVerbErrors(readScope(client, selection))
  const reading = { client, scope, columns: await toVerbErrors(readColumns(client)) }
  const header = await toVerbErrors(headerOf(reading, version, selection))
  if (begun === null) yield [JSON.stringify(header)]
  else requireUnchanged(begun, header)
  let after = begun === null ? null : placeOf(options.resume?.last ?? '', reading.columns)
  if (after === 'end') return
  for (const table of transferTables) {
    if (after !== null && after.table !== table.name) continue
    const place = after?.key ?? null
    after = null
    yield* rowsOf(reading, table, place)
  }
  yield [JSON.stringify({ end: true, rows: header.rows })]
}

function withoutSchema(error: unknown): never {
  if (isTaskboardError(error)) throw error
  throw new TaskboardError('INVALID_CONFIG', 'the database has no schema of Taskboard: migrate it first', {
    cause: error,
  })
}

async function readScope(
  client: PgQueryable,
  { accountId, workspaceId }: ExportOptions,
): Promise<Reading['scope']> {
  const { rows } = await client.query({
    text: `select a.id as account, w.id as workspace
      from taskboard.account a left join taskboard.workspace w on w.account_id = a.id
      where ($1::text is null or a.id = $1::text) and ($2::text is null or w.id = $2::text)
      order by a.id, w.id`,
    values: [accountId ?? null, workspaceId ?? null],
  })
  const found = rows as { readonly account: string; readonly workspace: string | null }[]
  if (found.length === 0 && (accountId ?? workspaceId) !== undefined) {
    const field = workspaceId === undefined ? 'accountId' : 'workspaceId'
    throw new TaskboardError(
      'NOT_FOUND',
      `no such ${workspaceId === undefined ? 'account' : 'workspace'} exists`,
      { field },
    )
  }
  const accounts = [...new Set(found.map(({ account }) => account))]
  return [accounts, found.flatMap(({ workspace }) => workspace ?? []), workspaceId === undefined]
}

async function headerOf(
  { client, scope }: Reading,
  version: string | null,
  { accountId, workspaceId }: ExportOptions,
): Promise<ExportHeader> {
  const counts = transferTables.map(
    (table) =>
      `select '${table.name}' as name, count(*)::float8 as count from ${sourceOf(table)} r where ${table.condition}`,
  )
  const counted = await client.query({
    text: counts.join(' union all '),
    values: [...scope],
  })
  const sums = (counted.rows as { readonly name: string; readonly count: number }[]).map(
    ({ name, count }) => [name, count] as const,
  )
  const { rows } = await client.query({
    text: `select workspace_id as id, last_seq::text as seq from taskboard.workspace_log where workspace_id = any ($1::text[]) order by 1`,
    values: [scope[1]],
  })
  const positions = (rows as { readonly id: string; readonly seq: string }[]).map(
    ({ id, seq }) => [id, seq] as const,
  )
  return {
    taskboard_export: FORMAT,
    schema: version ?? '',
    ...(accountId !== undefined && { accountId }),
    ...(workspaceId !== undefined && { workspaceId }),
    positions: Object.fromEntries(positions),
    counts: Object.fromEntries(sums),
    rows: sums.reduce((sum, [, count]) => sum + count, 0),
  }
}

/** The rows after the place of the earlier part wouldn't fit to it. */
function requireUnchanged(begun: ExportHeader, now: ExportHeader): void {
  const same = (['schema', 'positions', 'counts'] as const).every(
    (part) => JSON.stringify(begun[part]) === JSON.stringify(now[part]),
  )
  if (same) return
  throw new TaskboardError(
    'CONFLICT',
    'the boards have changed since the export began: stop the hosts, or export again from the beginning',
  )
}

interface Place {
  readonly table: string
  /** The values of its key; null for the beginning of all tables. */
  readonly key: readonly string[] | null
}

/** Where a line stands among all. */
function placeOf(line: string, columns: Columns): Place | null | 'end' {
  const { table, row, end } = JSON.parse(line) as {
    readonly table?: string
    readonly row?: Readonly<Record<string, unknown>>
    readonly end?: boolean
  }
  if (end === true) return 'end'
  const known = transferTables.find(({ name }) => name === table)
  if (known === undefined || row === undefined || !columns.has(known.name)) return null
  return { table: known.name, key: known.key.map((name) => String(row[name])) }
}

const sourceOf = ({ name, source }: TransferTable): string => source ?? `taskboard.${name}`

async function* rowsOf(
  { client, columns, scope }: Reading,
  table: TransferTable,
  place: readonly string[] | null,
): AsyncGenerator<readonly string[], void, undefined> {
  const own = columnsOf(columns, table)
  const typeOf = (name: string): string => own.find((column) => column.name === name)?.type ?? 'text'
  const selected = [
    ...own.map(({ name }) => `${table.replaced?.[name] ?? `r.${name}`} as ${name}`),
    ...(table.parts ?? []).map((part) => `${partOf(columns, part)} as ${part.name}`),
  ]
  const key = table.key.map((name) => `r.${name}`).join(', ')
  const bound = table.key.map((name, index) => `$${index + 4}::text::${typeOf(name)}`).join(', ')
  const text = (isFirst: boolean): string => /* sql */ `
    select row_to_json(x)::text as row, ${table.key.map((name, index) => `x.${name}::text as k${index}`).join(', ')}
    from (
      select ${selected.join(', ')} from ${sourceOf(table)} r
      where (${table.condition})${isFirst ? '' : ` and (${key}) > (${bound})`}
        and $1::text[] is not null and $2::text[] is not null and $3::boolean is not null
      order by ${key} limit ${ROWS_AT_ONCE}
    ) x`
  for (let after = place; ;) {
    const values = [...scope, ...(after ?? [])]
    const { rows } = await toVerbErrors(client.query({ text: text(after === null), values }))
    const found = rows as (Readonly<Record<string, string>> & { readonly row: string })[]
    if (found.length > 0) yield found.map(({ row }) => `{"table":"${table.name}","row":${row}}`)
    const last = found.at(-1)
    if (found.length < ROWS_AT_ONCE || last === undefined) return
    after = table.key.map((_, index) => last[`k${index}`] ?? '')
  }
}

function partOf(columns: Columns, part: TransferPart): string {
  const names = columnsOf(columns, part).map(({ name }) => `p.${name}`)
  return /* sql */ `(
    select coalesce(json_agg(row_to_json(y)), '[]') from (
      select ${names.join(', ')} from taskboard.${part.name} p where p.task_id = r.id order by ${part.order}
    ) y
  )`
}

import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { seededNumbers } from '@taskboard/kit/random/seeded-numbers'
import { createMigratedPglite } from '@taskboard/kit/postgres/migrated-pglite'
import { createMigratedDatabase } from '@taskboard/kit/postgres/test-database'
import { boardOn, fillAtRandom, readTasks } from '../../test/transfer-fixture.js'
import { pglitePool } from '../pglite/pglite-pool.js'
import type { PgPool } from '../connection/pool.js'
import { exportLines } from './export-lines.js'
import { importLines } from './import-lines.js'
import { tablesLeftOut, transferTables } from './tables.js'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function onPostgres(): Promise<PgPool> {
  const { pool, drop } = await createMigratedDatabase()
  cleanUps.push(drop)
  return pool
}

async function onPglite(): Promise<PgPool> {
  const pglite = await createMigratedPglite()
  cleanUps.push(() => pglite.close())
  return pglitePool(pglite)
}

async function exported(pool: PgPool): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const batch of exportLines(pool)) lines.push(...batch)
  return lines
}

/** The template is made once. */
beforeAll(async () => {
  await (await createMigratedPglite()).close()
}, 120_000)

const directions = [
  ['PostgreSQL', 'PGlite', onPostgres, onPglite],
  ['PGlite', 'PostgreSQL', onPglite, onPostgres],
] as const

describe.each(directions)('a board at random from %s to %s', (_from, _to, openSource, openTarget) => {
  it.each([1, 2])('is the same there, seed %i', { timeout: 60_000 }, async (seed) => {
    const [source, target] = [await openSource(), await openTarget()]
    await fillAtRandom(source, seededNumbers(seed), 120)
    const lines = await exported(source)
    const tables = new Set(lines.slice(1, -1).map((line) => (JSON.parse(line) as { table: string }).table))
    expect(tables.size).toBeGreaterThan(14)
    await importLines(target, lines)
    expect(await exported(target)).toEqual(lines)
    expect(await readTasks(target)).toEqual(await readTasks(source))
  })
})

describe('exports', () => {
  it('have each table of the schema, or a reason why not', async () => {
    const { rows } = await (
      await onPostgres()
    ).query({
      text: `select c.relname as name from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'taskboard' and c.relkind in ('r', 'p') order by 1`,
      values: [],
    })
    const listed = [
      ...transferTables.flatMap(({ name, parts = [] }) => [name, ...parts.map((part) => part.name)]),
      ...Object.keys(tablesLeftOut),
    ]
    expect(listed.toSorted()).toEqual((rows as { name: string }[]).map(({ name }) => name))
  })

  it('are of one instant while a host writes', { timeout: 60_000 }, async () => {
    const [source, target] = [await onPostgres(), await onPostgres()]
    await fillAtRandom(source, seededNumbers(3), 60)
    const taskboard = boardOn(source)
    const { rows } = await source.query({
      text: 'select id from taskboard.workspace order by id limit 1',
      values: [],
    })
    const board = taskboard.board((rows as { id: string }[])[0]?.id ?? '')
    const lines: string[] = []
    for await (const batch of exportLines(source)) {
      lines.push(...batch)
      const first = await board.add({ title: 'meanwhile' })
      await board.add({ title: 'meanwhile', dependsOn: [first.id] })
      await board.move(first.id, 'DONE')
      await board.delete((await board.add({ title: 'meanwhile' })).id)
    }
    await taskboard.close()
    expect(lines.join('')).not.toContain('meanwhile')
    await importLines(target, lines)
    expect(await exported(target)).toEqual(lines)
  })
})

describe('an import', { timeout: 60_000 }, () => {
  it('leaves other boards as they are', async () => {
    const [source, target] = [await onPostgres(), await onPglite()]
    await fillAtRandom(source, seededNumbers(4), 40)
    const other = boardOn(target)
    const { workspace } = await other.accounts.create({ name: 'Here before', tier: 'professional' })
    await other.board(workspace.id).add({ title: 'here before' })
    await other.close()
    const before = await readTasks(target)
    await importLines(target, await exported(source))
    const after = await readTasks(target)
    expect(after).toEqual(expect.arrayContaining([...before, ...(await readTasks(source))]))
    expect(after).toHaveLength(before.length + (await readTasks(source)).length)
  })

  it('of a file that was tampered with adds nothing wrong', async () => {
    const [source, target] = [await onPostgres(), await onPglite()]
    await fillAtRandom(source, seededNumbers(5), 40)
    const lines = await exported(source)
    const index = lines.findIndex((line) => line.startsWith('{"table":"task"'))
    const task = lines[index] ?? ''
    const { row } = JSON.parse(task) as { row: Record<string, unknown> }
    const changed = (change: Record<string, unknown>, table = 'task'): string =>
      JSON.stringify({ table, row: { ...row, ...change } })
    const wrong: readonly (readonly [string, string])[] = [
      [changed({ created_at: 'soon' }), 'INVALID_FIELD'],
      [changed({ created_at: '9'.repeat(40) }), 'INVALID_FIELD'],
      [changed({ title: 'a\u0000b' }), 'INVALID_FIELD'],
      [changed({ tags: 'no list' }), 'INVALID_FIELD'],
      [changed({ task_log: { at: 1 } }), 'INVALID_FIELD'],
      [changed({ id: null }), 'CONFLICT'],
      [changed({ workspace_id: 'ws_of_nobody' }), 'CONFLICT'],
      [changed({}, 'session'), 'INVALID_FIELD'],
      [changed({}, 'pg_class'), 'INVALID_FIELD'],
      ['{"table":"task","row":{"id); drop table taskboard.task; --":1}}', 'CONFLICT'],
      ['{"table":"task","row":{}}{}', 'INVALID_FIELD'],
      [`{"table":"task","row":${JSON.stringify(row)},${JSON.stringify(row)}}`, 'INVALID_FIELD'],
      ['{"table":"task","row":{"a":{}}', 'INVALID_FIELD'],
      [`{"table":"task","row":{"a":${'['.repeat(50_000)}}}`, 'INVALID_FIELD'],
      [task.slice(0, -5), 'INVALID_FIELD'],
      ['null', 'INVALID_FIELD'],
    ]
    for (const [line, code] of wrong) {
      const file = lines.with(index, line)
      await expect(importLines(target, file)).rejects.toMatchObject({ code })
      const { rows } = await target.query({ text: 'select id from taskboard.task', values: [] })
      expect(rows).toEqual([])
    }
    await importLines(target, lines)
    expect(await exported(target)).toEqual(lines)
    // An id that is there already is not overwritten, also from another workspace.
    const foreign = changed({ title: 'stolen', task_log: [] })
    await importLines(target, lines.with(index, foreign))
    expect(await exported(target)).toEqual(lines)
  })
})

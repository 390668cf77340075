import { createTaskboard, type Taskboard } from '@taskboard/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { createTestDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import {
  exportLines,
  importLines,
  migrate,
  migrationStatus,
  planMigrations,
  postgresStorage,
  type PgConnection,
} from '../src/index.js'

/** Both need quotes. */
const STAGING = 'Board-staging'
const PRODUCTION = 'Board of production'

let database: TestDatabase
const opened: Taskboard<PgConnection>[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  for (const taskboard of opened) await taskboard.close()
  await database.drop()
})

async function open(schema: string): Promise<Taskboard<PgConnection>> {
  const storage = postgresStorage({ pool: database.pool, schema })
  const taskboard = createTaskboard({
    storage,
    secrets: { encryptionKey: Buffer.alloc(32, 1) },
    logger: false,
    pollIntervalMs: 600_000,
  })
  opened.push(taskboard)
  await taskboard.start()
  return taskboard
}

async function exported(schema: string): Promise<readonly string[]> {
  const all: string[] = []
  for await (const lines of exportLines(database.pool, { schema })) all.push(...lines)
  return all
}

describe('two boards in one database', () => {
  it('are migrated apart, and the plan has the SQL of its schema', async () => {
    const plan = await planMigrations(database.pool, { schema: STAGING })
    const sql = plan.map((step) => step.sql).join('\n')
    expect(sql).toContain(`create schema if not exists "${STAGING}";`)
    expect(sql).not.toMatch(/\btaskboard\./)
    await database.pool.query(`begin; ${sql}; commit`)
    expect(await migrate(database.pool, { schema: STAGING })).toEqual([])
    const states = (await migrationStatus(database.pool, { schema: PRODUCTION })).map(({ state }) => state)
    expect(new Set(states)).toEqual(new Set(['pending']))
    await expect(open(PRODUCTION)).rejects.toThrow(
      `schema ${PRODUCTION} of the database lacks migration 0001_schema: run migrate(pool, { schema: '${PRODUCTION}' })`,
    )
    expect(await migrate(database.pool, { schema: PRODUCTION })).toContain('0001_schema')
    const { rows } = await database.pool.query(
      `select nspname as name from pg_namespace where nspname like 'Board%' or nspname = 'taskboard' order by 1`,
    )
    expect(rows).toEqual([{ name: PRODUCTION }, { name: STAGING }])
  })

  it('share a pool, see only their own rows, and hear only of their own commits', async () => {
    const [staging, other, production] = [await open(STAGING), await open(STAGING), await open(PRODUCTION)]
    const heard = { other: 0, production: 0 }
    other.events.on('task.created', () => (heard.other += 1))
    production.events.on('task.created', () => (heard.production += 1))
    const { workspace } = await staging.accounts.create({ name: 'Acme', tier: 'professional' })
    const task = await staging.board(workspace.id).add({ title: 'Only in staging' })
    expect((await other.board(workspace.id).get(task.id)).title).toBe('Only in staging')
    await expect(production.board(workspace.id).get(task.id)).rejects.toThrow('no such')
    // It polls every ten minutes: only a notification tells it.
    await until(
      async () => heard.other,
      (count) => count === 1,
    )
    expect(heard).toEqual({ other: 1, production: 0 })
  })

  it('are copied from one schema to the other', async () => {
    const lines = await exported(STAGING)
    expect(lines.join('\n')).toContain('Only in staging')
    expect((await exported(PRODUCTION)).join('\n')).not.toContain('Only in staging')
    const { added } = await importLines(database.pool, lines, { schema: PRODUCTION })
    expect(added).toBeGreaterThan(0)
    // Each board has a check of its key already.
    const rows = lines.slice(1, -1).filter((line) => !line.startsWith('{"table":"key_check"'))
    expect(rows.length).toBeGreaterThan(3)
    expect(await exported(PRODUCTION)).toEqual(expect.arrayContaining(rows))
  })

  it.each(['a"; drop schema public cascade; --', "it's", 'pg_catalog'])(
    'are not in the schema %s',
    async (schema) => {
      const rule = 'schema must be a schema name'
      expect(() => postgresStorage({ pool: database.pool, schema })).toThrow(rule)
      await expect(migrate(database.pool, { schema })).rejects.toThrow(rule)
      await expect(planMigrations(database.pool, { schema })).rejects.toThrow(rule)
      await expect(migrationStatus(database.pool, { schema })).rejects.toThrow(rule)
      await expect(exported(schema)).rejects.toThrow(rule)
      await expect(importLines(database.pool, [], { schema })).rejects.toThrow(rule)
    },
  )
})

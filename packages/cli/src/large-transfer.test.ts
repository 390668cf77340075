import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '../../postgres/test/test-database.js'
import { newFolder, run, start, type Ended } from '../test/cli-process.js'

const TASKS = 100_000
const opened: TestDatabase[] = []
let folder = ''

beforeEach(() => {
  folder = newFolder()
})
afterEach(async () => {
  for (const database of opened.splice(0)) await database.drop()
})

async function migrated(): Promise<TestDatabase> {
  const database = await createMigratedDatabase()
  opened.push(database)
  return database
}

const on = (database: TestDatabase, args: readonly string[], input?: string): Promise<Ended> =>
  run(args, { env: { DATABASE_URL: database.url }, ...(input !== undefined && { input }) })

/** A tenth of the tasks depend on the one before, and a tenth have a log. */
const FILL = `
  insert into taskboard.task (
    id, workspace_id, title, description, flag, column_name, completed_at, tags, metadata, depends_on, open_dependencies,
    created_at, updated_at, max_attempts
  )
  select 'task_' || lpad(n::text, 10, '0'), $1::text, 'Task ' || n || E' \\u2028 of \\U0001F600 "many"', repeat('text ', 20), n % 4,
    case when n % 3 = 0 then 'DONE' else 'TODO' end, case when n % 3 = 0 then 1700000000000 + n end,
    array['t' || n % 7], jsonb_build_object('n', n::text), '{}', 0, 1700000000000 + n, 1700000000000 + n, 3
  from generate_series(1, $2::integer) n`
const FILL_PARTS = [
  `insert into taskboard.task_log (task_id, at, level, message)
    select id, created_at, 'info', 'line of ' || id from taskboard.task where flag = 1`,
  `insert into taskboard.task_dependency (depends_on, task_id)
    select 'task_' || lpad(n::text, 10, '0'), 'task_' || lpad((n + 1)::text, 10, '0') from generate_series(1, 99999, 10) n`,
]

const countOf = async ({ pool }: TestDatabase): Promise<number> => {
  const { rows } = await pool.query('select count(*)::integer as count from taskboard.task')
  return (rows[0] as { count: number }).count
}
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

describe('export and import', () => {
  it('carry 100,000 tasks over kills half-way, equal at the end', { timeout: 600_000 }, async () => {
    const [source, target] = [await migrated(), await migrated()]
    const made = await on(source, [
      'create-key',
      'tests',
      '--new-account',
      'Acme',
      '--scope',
      'tasks:read',
      '--json',
    ])
    expect(made).toMatchObject({ code: 0 })
    const { rows } = await source.pool.query('select id from taskboard.workspace')
    await source.pool.query(FILL, [(rows[0] as { id: string }).id, TASKS])
    for (const text of FILL_PARTS) await source.pool.query(text)

    const whole = join(folder, 'whole.ndjson')
    expect(await on(source, ['export', whole])).toMatchObject({ code: 0 })
    expect(statSync(whole).mode & 0o777).toBe(0o600)
    const half = statSync(whole).size / 2

    const file = join(folder, 'board.ndjson')
    const exporting = start(['export', file], { env: { DATABASE_URL: source.url } })
    await expect.poll(() => sizeOf(file) > half, { timeout: 120_000, interval: 5 }).toBe(true)
    exporting.signal('SIGKILL')
    await exporting.ended
    expect(sizeOf(file)).toBeLessThan(statSync(whole).size)
    // Also in the middle of a line.
    writeFileSync(file, readFileSync(file).subarray(0, -7))
    expect(await on(source, ['export', file])).toMatchObject({ code: 5 })
    expect(await on(source, ['export', file, '--resume'])).toMatchObject({ code: 0 })
    expect(readFileSync(file).equals(readFileSync(whole))).toBe(true)

    const importing = start(['import', file], { env: { DATABASE_URL: target.url } })
    await expect.poll(() => countOf(target), { timeout: 240_000, interval: 100 }).toBeGreaterThan(TASKS / 2)
    importing.signal('SIGKILL')
    await importing.ended
    const kept = await countOf(target)
    expect(kept).toBeLessThan(TASKS)
    const resumed = await on(target, ['import', file, '--json'])
    expect(resumed).toMatchObject({ code: 0, stderr: '' })
    expect((resumed.json() as { added: number }).added).toBeGreaterThan(0)
    expect(await countOf(target)).toBe(TASKS)

    const again = join(folder, 'again.ndjson')
    expect(await on(target, ['export', again])).toMatchObject({ code: 0 })
    expect(readFileSync(again).equals(readFileSync(whole))).toBe(true)
  })
})

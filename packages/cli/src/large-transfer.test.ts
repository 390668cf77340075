import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { newFolder, programPath, run, start, type Ended } from '../test/cli-process.js'

/** `npm run transfer:large` takes 100,000. */
const TASKS = Number(process.env['TASKBOARD_TRANSFER_TASKS'] ?? 5_000)
const IS_LARGE = TASKS >= 100_000
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

const on = (database: TestDatabase, args: readonly string[]): Promise<Ended> =>
  run(args, { env: { DATABASE_URL: database.url } })

/** A tenth of the tasks depend on the one before, and a tenth have a log. */
const FILL = `
  insert into taskboard.task (
    id, workspace_id, title, description, priority_rank, column_name, completed_at, tags, metadata, depends_on, open_dependencies,
    created_at, updated_at, max_attempts
  )
  select 'task_' || lpad(n::text, 10, '0'), $1::text, 'Task ' || n || E' \\u2028 of \\U0001F600 "many"', repeat('text ', 20), n % 4,
    case when n % 3 = 0 then 'DONE' else 'TODO' end, case when n % 3 = 0 then 1700000000000 + n end,
    array['t' || n % 7], jsonb_build_object('n', n::text), '{}', 0, 1700000000000 + n, 1700000000000 + n, 3
  from generate_series(1, $2::integer) n`
const FILL_PARTS = [
  `insert into taskboard.task_log (task_id, at, level, message)
    select id, created_at, 'info', 'line of ' || id from taskboard.task where priority_rank = 1`,
  `insert into taskboard.task_dependency (depends_on, task_id)
    select 'task_' || lpad(n::text, 10, '0'), 'task_' || lpad((n + 1)::text, 10, '0') from generate_series(1, (select count(*)::integer - 1 from taskboard.task), 10) n`,
]

const countOf = async ({ pool }: TestDatabase): Promise<number> => {
  const { rows } = await pool.query('select count(*)::integer as count from taskboard.task')
  return (rows[0] as { count: number }).count
}
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

const spawned = (database: TestDatabase, args: readonly string[]) =>
  spawn(process.execPath, [programPath(), ...args], {
    env: { PATH: process.env['PATH'], HOME: folder, DATABASE_URL: database.url },
    stdio: ['pipe', 'pipe', 'inherit'],
  })

/** Fills a file with what an export has written when it is killed in its middle. */
async function exportUntil(size: number, database: TestDatabase, file: string): Promise<void> {
  if (IS_LARGE) {
    const exporting = start(['export', file], { env: { DATABASE_URL: database.url } })
    await expect.poll(() => sizeOf(file) > size, { timeout: 120_000, interval: 5 }).toBe(true)
    exporting.signal('SIGKILL')
    await exporting.ended
    return
  }
  // It waits for whoever reads, so that it cannot end in time.
  const exporting = spawned(database, ['export', '-'])
  const chunks: Buffer[] = []
  let length = 0
  exporting.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length > size) exporting.kill('SIGKILL')
  })
  await once(exporting, 'close')
  writeFileSync(file, Buffer.concat(chunks), { mode: 0o600 })
}

/** Kills an import of a file when more than half of the tasks are there. */
async function importHalf(database: TestDatabase, file: string): Promise<void> {
  const importing = spawned(database, ['import', IS_LARGE ? file : '-'])
  importing.stdin.on('error', () => undefined)
  if (!IS_LARGE) {
    const lines = readFileSync(file, 'utf8').split('\n')
    importing.stdin.write(lines.slice(0, Math.floor(0.8 * lines.length)).join('\n'))
  }
  await expect.poll(() => countOf(database), { timeout: 240_000, interval: 100 }).toBeGreaterThan(TASKS / 2)
  importing.kill('SIGKILL')
  await once(importing, 'close')
}

describe('export and import', () => {
  it(`carry ${TASKS} tasks over kills half-way, equal at the end`, { timeout: 600_000 }, async () => {
    const [source, target] = [await migrated(), await migrated()]
    const made = await on(source, ['create-key', 'tests', '--new-account', 'Acme', '--scope', 'tasks:read'])
    expect(made).toMatchObject({ code: 0 })
    const { rows } = await source.pool.query('select id from taskboard.workspace')
    await source.pool.query(FILL, [(rows[0] as { id: string }).id, TASKS])
    for (const text of FILL_PARTS) await source.pool.query(text)

    const whole = join(folder, 'whole.ndjson')
    expect(await on(source, ['export', whole])).toMatchObject({ code: 0 })
    expect(statSync(whole).mode & 0o777).toBe(0o600)

    const file = join(folder, 'board.ndjson')
    await exportUntil(sizeOf(whole) / 2, source, file)
    expect(sizeOf(file)).toBeLessThan(sizeOf(whole))
    // Also in the middle of a line.
    writeFileSync(file, readFileSync(file).subarray(0, -7))
    expect(await on(source, ['export', file])).toMatchObject({ code: 5 })
    expect(await on(source, ['export', file, '--resume'])).toMatchObject({ code: 0 })
    expect(readFileSync(file).equals(readFileSync(whole))).toBe(true)

    await importHalf(target, file)
    expect(await countOf(target)).toBeLessThan(TASKS)
    const resumed = await on(target, ['import', file, '--json'])
    expect(resumed).toMatchObject({ code: 0, stderr: '' })
    expect((resumed.json() as { added: number }).added).toBeGreaterThan(0)
    expect(await countOf(target)).toBe(TASKS)

    const again = join(folder, 'again.ndjson')
    expect(await on(target, ['export', again])).toMatchObject({ code: 0 })
    expect(readFileSync(again).equals(readFileSync(whole))).toBe(true)
  })
})

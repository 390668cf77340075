import {
  createScoring,
  defaultScoring,
  priorities,
  silentLogger,
  type Scoring,
  type Task,
} from '@taskboard/core'
import { compareTied, createNewId, scoreUnits, systemClock } from '@taskboard/core/storage'
import { afterEach, describe, expect, it } from 'vitest'
import { createMigratedPglite } from '@taskboard/kit/postgres/migrated-pglite'
import { createMigratedDatabase } from '@taskboard/kit/postgres/test-database'
import type { PgPool } from '../connection/pool.js'
import { pglitePool } from '../pglite/pglite-pool.js'
import { postgresStorage } from '../postgres-storage.js'

const DAY_MS = 86_400_000
const CREATED = Date.UTC(2026, 0, 1)
const NOW = CREATED + 20 * DAY_MS
const TASKS = 50

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function onPg(): Promise<PgPool> {
  const database = await createMigratedDatabase()
  closers.push(() => database.drop())
  return database.pool
}

async function onPglite(): Promise<PgPool> {
  const database = await createMigratedPglite()
  closers.push(() => database.close())
  return pglitePool(database)
}

/** Adds tasks of all priorities, with and without a due date, of which some are on hold. */
async function addTasks(pool: PgPool): Promise<void> {
  const statements = [
    `insert into taskboard.account values ('acc_1', 'a', 'professional', ${CREATED})`,
    `insert into taskboard.workspace values ('ws_1', 'acc_1', 'w', ${CREATED})`,
    `insert into taskboard.workspace_log (workspace_id) values ('ws_1')`,
    `insert into taskboard.agent (id, workspace_id, name, type, status, created_at)
     values ('agent_1', 'ws_1', 'a', 'worker', 'idle', ${CREATED})`,
    `insert into taskboard.task
      (id, workspace_id, title, priority_rank, due_date, tags, metadata, depends_on, created_at, updated_at, max_attempts,
        hold_reason, hold_since)
     select 'task_' || lpad(n::text, 4, '0'), 'ws_1', 't', n % 4,
       case when n % 3 > 0 then ${CREATED} + (n * 37) % 400 * ${DAY_MS}::bigint end, '{}', '{}', '{}',
       ${CREATED} + n % 5, ${CREATED} + n % 5, 5, case when n % 10 = 9 then 'approval' end,
       case when n % 10 = 9 then ${CREATED} end
     from generate_series(0, ${TASKS - 1}) as n`,
  ]
  for (const text of statements) await pool.query({ text, values: [] })
}

function open(pool: PgPool, scoring: Scoring) {
  const storage = postgresStorage({ pool, listen: false })
  storage.bind({
    scoring,
    newId: createNewId(),
    clock: systemClock,
    logLimit: 5,
    outputLimit: 3,
    logger: silentLogger,
  })
  closers.push(() => storage.close())
  return storage
}

/** Lists and then claims everything, and compares both with a full sort. */
async function expectOrder(storage: ReturnType<typeof open>, scoring: Scoring): Promise<void> {
  const at = { now: NOW }
  const byScore = (a: Task, b: Task) =>
    scoreUnits(b, NOW, scoring) - scoreUnits(a, NOW, scoring) || compareTied(a, b)
  const { tasks } = await storage.tasks.listTasks(
    { workspaceId: 'ws_1', column: 'TODO', limit: 1_000, after: null },
    at,
  )
  expect(tasks).toHaveLength(TASKS)
  const ready = tasks.filter(({ hold }) => hold === null).toSorted(byScore)
  const held = tasks.filter(({ hold }) => hold !== null).toSorted(byScore)
  const idsOf = (some: readonly Task[]) => some.map(({ id }) => id)
  expect(idsOf(tasks)).toEqual(idsOf([...ready, ...held]))
  expect(new Set(tasks.map(({ priority }) => priority))).toEqual(new Set(priorities))

  const request = { workspaceId: 'ws_1', agentId: 'agent_1', leaseMs: 60_000 }
  const claimed: Task[] = []
  for (
    let [task] = (await storage.tasks.claimTasks({ target: request, limit: 1 }, at)).tasks;
    task !== undefined;
  ) {
    claimed.push(task)
    ;[task] = (await storage.tasks.claimTasks({ target: request, limit: 1 }, at)).tasks
  }
  expect(idsOf(claimed)).toEqual(idsOf(ready))
}

describe.each([
  ['PostgreSQL', onPg],
  ['PGlite', onPglite],
])('tasks on %s', (_, connect) => {
  it('are in the order of the default weights', async () => {
    const pool = await connect()
    await addTasks(pool)
    const storage = open(pool, defaultScoring)
    await storage.open()
    await expectOrder(storage, defaultScoring)
  })

  it('are in the order of other weights after a rescore', async () => {
    const pool = await connect()
    await addTasks(pool)
    const scoring = createScoring({ weights: { flag: 30 } })
    const storage = open(pool, scoring)
    await expect(storage.open()).rejects.toMatchObject({ code: 'INVALID_CONFIG', field: 'priority' })
    expect(await storage.tasks.rescore({ now: NOW })).toBe(TASKS)
    await storage.open()
    await expectOrder(storage, scoring)
  })
})

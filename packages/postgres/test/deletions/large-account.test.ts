import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTaskboard } from '@taskboard/core'
import { until } from '@taskboard/kit/processes/until'
import { createTestPool } from '@taskboard/kit/postgres/test-database'
import { postgresStorage } from '../../src/postgres-storage.js'
import { endProcesses, startProcess } from '../processes/board-processes.js'
import { ENCRYPTION_KEY, WORKER_TYPE } from '../processes/messages.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'
import { rowsNaming } from './owned-rows.js'

const TASKS = 30_000
const NEIGHBOURS_TASKS = 10_000
const TIMEOUT_MS = 300_000
const CLAIMER = 'claims of the neighbour'

let board: SharedBoard
let claimers: pg.Pool
beforeEach(async () => {
  board = await createSharedBoard()
  // A claim that waits for a lock fails at once.
  const options = `-c lock_timeout=50ms -c application_name=${CLAIMER.replaceAll(' ', '\\ ')}`
  claimers = createTestPool({ connectionString: board.database.url, max: 2, options })
})
afterEach(async () => {
  await endProcesses()
  await claimers.end()
  await board.database.drop()
})

/** Adds tasks with an event, an attempt, a log line and a word to search for each. */
async function addTasks(workspaceId: string, count: number): Promise<void> {
  const { rows } = board
  const id = `'task_' || $1 || '_' || n`
  const numbers = 'generate_series(1, $2::integer) as n'
  await rows(
    `insert into taskboard.task (id, workspace_id, title, priority_rank, tags, metadata, depends_on, created_at, updated_at, max_attempts)
      select ${id}, $1, 'Task', 1, '{}', '{}', '{}', 0, 0, 3 from ${numbers}`,
    workspaceId,
    count,
  )
  await rows(
    `insert into taskboard.event_batch (workspace_id, first_seq, last_seq, feed_xid, at, payload_version, stem, types, data)
      select $1, n, n, '3', 0, 1, gen_random_uuid(), '{task.created}', '{"{}"}' from ${numbers}`,
    workspaceId,
    count,
  )
  await rows('update taskboard.workspace_log set last_seq = $2 where workspace_id = $1', workspaceId, count)
  await rows(
    `insert into taskboard.earlier_attempt (task_id, fencing_token, agent_id, started_at, ended_at, outcome)
      select ${id}, 0, 'agent', 0, 0, 'retried' from ${numbers}`,
    workspaceId,
    count,
  )
  await rows(
    `insert into taskboard.task_log (task_id, at, level, message) select ${id}, 0, 'info', 'line' from ${numbers}`,
    workspaceId,
    count,
  )
}

const countOf = async (table: string, workspaceId: string): Promise<number> => {
  const text = `select count(*)::integer as n from taskboard.${table} where workspace_id = $1`
  const [row] = await board.rows<{ n: number }>(text, workspaceId)
  return row?.n ?? 0
}

/**
 * Claims and completes tasks until it is stopped; resolves to how many. By the storage, as claims by the board also note that somebody works
 * for the agent, and the announcements of that lock the log of the workspace in every process.
 */
async function claimOn(workspaceId: string, isStopped: () => boolean): Promise<number> {
  const storage = postgresStorage({ pool: claimers, listen: false })
  const agent = await board.taskboard.agents.create(workspaceId, { name: 'Claimer', type: WORKER_TYPE })
  const target = { workspaceId, agentId: agent.id, leaseMs: 60_000 }
  let next = (await storage.tasks.claimTasks({ target, limit: 1 }, { now: null })).tasks[0] ?? null
  let done = 0
  while (!isStopped()) {
    if (next === null) throw new Error('the neighbour has too few tasks')
    const proof = { workspaceId, taskId: next.id, fencingToken: next.fencingToken }
    const completion = { proof, result: 'done', next: target }
    next = (await storage.tasks.completeTask(completion, { now: null })).next?.tasks[0] ?? null
    done += 1
  }
  return done
}

/**
 * Looks whether any claim waits for anything that a process holds; resolves to what it saw. All commits that notify take turns for an
 * instant, with a lock of the server on no database's object.
 */
async function watchLocks(isStopped: () => boolean): Promise<readonly unknown[]> {
  const seen: unknown[] = []
  while (!isStopped()) {
    seen.push(
      ...(await board.rows(
        `select w.query as waits, b.query as by from pg_stat_activity w
          join pg_stat_activity b on b.pid = any (pg_blocking_pids(w.pid))
          where w.application_name = $1
            and not exists (select from pg_locks l where l.pid = w.pid and not l.granted and l.database = 0)`,
        CLAIMER,
      )),
    )
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return seen
}

/** How often each table was read from end to end. */
async function scans(): Promise<Record<string, number>> {
  const text = `select relname as table, seq_scan::integer as n from pg_stat_user_tables where schemaname = 'taskboard'`
  const counts = await board.rows<{ table: string; n: number }>(text)
  return Object.fromEntries(counts.map(({ table, n }) => [table, n]))
}

describe('an account of thirty thousand tasks', () => {
  it(
    'is deleted without a row left, though a process is killed in the middle, and no claim of another account waits',
    { timeout: TIMEOUT_MS },
    async () => {
      const { taskboard, accountId, workspaceId, database } = board
      const other = await taskboard.accounts.create({ name: 'Neighbour', tier: 'custom' })
      await addTasks(workspaceId, TASKS)
      await addTasks(other.workspace.id, NEIGHBOURS_TASKS)
      await board.rows('analyze')

      let isOver = false
      const claimed = claimOn(other.workspace.id, () => isOver)
      const waits = watchLocks(() => isOver)
      await taskboard.accounts.delete(accountId, { wait: false })
      expect(await taskboard.accounts.listWorkspaces(accountId)).toEqual([])

      const databaseUrl = database.url
      const killed = startProcess({ databaseUrl, isStarted: true })
      await until(
        () => countOf('task', workspaceId),
        (count) => count < TASKS,
        TIMEOUT_MS,
      )
      await killed.kill()
      expect(await countOf('event_batch', workspaceId)).toBeGreaterThan(0)

      startProcess({ databaseUrl, isStarted: true })
      await until(
        () => board.rows('select from taskboard.deletion'),
        (rows) => rows.length === 0,
        TIMEOUT_MS,
      )
      isOver = true
      expect(await claimed).toBeGreaterThan(0)
      expect(await waits).toEqual([])
      expect(await rowsNaming(board.rows, [accountId, workspaceId])).toEqual({})
      expect(await countOf('task', other.workspace.id)).toBe(NEIGHBOURS_TASKS)
    },
  )
})

describe('a deletion', () => {
  it('reads no table from end to end, also to check references', { timeout: TIMEOUT_MS }, async () => {
    const { taskboard, accountId, workspaceId, database } = board
    await addTasks(workspaceId, 2_000)
    const other = await taskboard.accounts.create({ name: 'Neighbour', tier: 'custom' })
    await addTasks(other.workspace.id, 100)
    await board.rows('analyze')
    // Else the server counts what was read until here at any time within the next second.
    await board.rows('select pg_stat_force_next_flush()')
    // What is read from end to end then has no index that could be read instead.
    const options = '-c enable_seqscan=off'
    const counted = createTestPool({ connectionString: database.url, max: 1, options })
    const storage = postgresStorage({ pool: counted, listen: false })
    const deleting = createTaskboard({ storage, secrets: { encryptionKey: ENCRYPTION_KEY } })
    const before = await scans()
    await deleting.accounts.delete(accountId)
    await counted.query('select pg_stat_force_next_flush()')
    await counted.end()
    const after = await scans()
    const read = Object.keys(after).filter((table) => (after[table] ?? 0) > (before[table] ?? 0))
    // The list of what is to be deleted: a few rows.
    expect(read).toEqual(['deletion'])
  })
})

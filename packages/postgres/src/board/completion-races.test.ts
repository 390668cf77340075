import { defaultScoring, silentLogger, type Storage } from '@taskboard/core'
import { createNewId, systemClock, type ClaimByType, type ClaimForAgent } from '@taskboard/core/storage'
import { newTask } from '@taskboard/testing'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import type { PgConnection } from '../connection/pool.js'
import { postgresStorage } from '../postgres-storage.js'

const at = { now: null }
const host = { kind: 'host', id: null } as const

let database: TestDatabase
let storages: readonly Storage<PgConnection>[]
/** Another process, in the middle of a write. */
let other: pg.Client
beforeEach(async () => {
  database = await createMigratedDatabase()
  storages = [openStorage(), openStorage()]
  for (const storage of storages) await storage.open()
  other = new pg.Client({ connectionString: database.url })
  await other.connect()
})
afterEach(async () => {
  await other.end()
  await Promise.all(storages.map((storage) => storage.close()))
  await database.drop()
})

function openStorage(): Storage<PgConnection> {
  const storage = postgresStorage({ pool: database.pool, listen: false })
  storage.bind({
    scoring: defaultScoring,
    newId: createNewId(),
    clock: systemClock,
    logLimit: 5,
    outputLimit: 3,
    logger: silentLogger,
  })
  return storage
}

async function prepare(storage: Storage<PgConnection>) {
  const { workspace } = await storage.access.insertAccount(
    {
      name: 'a',
      tier: 'professional',
      workspaceName: 'w',
      agent: { name: 'an agent', type: 'worker' },
    },
    at,
  )
  const [agent] = await storage.agents.listAgents({ reach: null, workspaceId: workspace.id }, at)
  for (const priority of ['urgent', 'medium', 'low'] as const) {
    await storage.tasks.insertTask(
      { task: newTask({ workspaceId: workspace.id, priority }), actor: host, idempotency: null },
      at,
    )
  }
  const forAgent = { workspaceId: workspace.id, agentId: agent?.id ?? '', leaseMs: 60_000 }
  const [claimed] = (await storage.tasks.claimTasks({ target: forAgent, limit: 1 }, at)).tasks
  const proof = { workspaceId: workspace.id, taskId: claimed?.id ?? '', fencingToken: 1 }
  return { workspaceId: workspace.id, proof, forAgent, byType: { agentType: 'worker', leaseMs: 60_000 } }
}

/** Counts outside the open transaction, which would see the same activity each time. */
async function waitingStatements(): Promise<number> {
  const { rows } = await database.pool.query<{ n: string }>(`select count(*) as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  return Number(rows[0]?.n)
}

type Prepared = Awaited<ReturnType<typeof prepare>>
const nexts: readonly (readonly [string, (prepared: Prepared) => ClaimByType | ClaimForAgent | null])[] = [
  ['alone', () => null],
  ['with the next task for the agent', ({ forAgent }) => forAgent],
  ['with the next task by type', ({ byType }) => byType],
]

describe('two processes that complete one task at the same moment', () => {
  it.each(nexts)('%s: one completes it, and the other changes nothing', async (_, nextOf) => {
    const [first, second] = storages as [Storage<PgConnection>, Storage<PgConnection>]
    const prepared = await prepare(first)
    const { workspaceId, proof } = prepared
    // Both saw the live lease before they reach the row.
    await other.query('begin')
    await other.query('select from taskboard.task where id = $1 for update', [proof.taskId])
    const both = Promise.allSettled([
      first.tasks.completeTask({ proof, result: 'of the first', next: nextOf(prepared) }, at),
      second.tasks.completeTask({ proof, result: 'of the second', next: nextOf(prepared) }, at),
    ])
    await until(waitingStatements, (count) => count === 2)
    await other.query('rollback')
    const ended = await both
    const results = ended.map((end) => (end.status === 'fulfilled' ? end.value.task.result : null))
    const refusals = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))
    expect(refusals).toEqual([expect.objectContaining({ code: 'CONFLICT', field: 'fencingToken' })])
    const { result } = (
      await first.tasks.getTask({ within: workspaceId, taskId: proof.taskId, parts: ['task'] }, at)
    ).task
    expect(results.filter((each) => each !== null)).toEqual([result])
    const events = await first.events.readEvents({ workspaceId, afterSeq: 0, limit: 100 }, { now: null })
    expect(events.filter(({ type }) => type === 'task.completed')).toHaveLength(1)
    // The call that did not complete took no next task either.
    expect(events.filter(({ type }) => type === 'task.started')).toHaveLength(
      nextOf(prepared) === null ? 1 : 2,
    )
    const { attempts } = await first.tasks.getTask(
      { within: workspaceId, taskId: proof.taskId, parts: ['attempts'] },
      at,
    )
    expect(attempts).toHaveLength(1)
  })
})

describe('a claim', () => {
  it('does not wait for a task that another transaction holds: it takes the next best one', async () => {
    const [storage] = storages as [Storage<PgConnection>]
    const { workspaceId, forAgent } = await prepare(storage)
    const { rows } = await database.pool.query<{ id: string }>(
      `select id from taskboard.task where workspace_id = $1 and column_name = 'TODO' order by id`,
      [workspaceId],
    )
    const [best, next] = rows.map(({ id }) => id)
    await other.query('begin')
    await other.query('select from taskboard.task where id = $1 for update', [best])
    const claimed = await storage.tasks.claimTasks({ target: forAgent, limit: 1 }, at)
    await other.query('rollback')
    expect(claimed.tasks.map(({ id }) => id)).toEqual([next])
  })
})

describe('a change of a task that another process changes meanwhile', () => {
  it('is one of the task as the other leaves it', async () => {
    const [storage] = storages as [Storage<PgConnection>]
    const { proof } = await prepare(storage)
    await other.query('begin')
    await other.query('update taskboard.task set progress = 50, version = version + 1 where id = $1', [
      proof.taskId,
    ])
    // It has read the task from before the other's commit.
    const command = { kind: 'renew', fencingToken: proof.fencingToken, leaseMs: 90_000 } as const
    const renewing = storage.tasks.changeTask({ target: proof, command }, at)
    await until(waitingStatements, (count) => count === 1)
    await other.query('commit')
    const { progress, lease } = await renewing
    expect([progress, (lease?.expiresAt ?? 0) > Date.now() + 60_000]).toEqual([50, true])
  })
})

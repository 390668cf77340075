import { defaultScoring, silentLogger, type Storage } from '@taskboard/core'
import { createNewId, systemClock, type NewTask } from '@taskboard/core/storage'
import { countTasks, newTask } from '@taskboard/testing'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import type { PgConnection, PgPool } from '../../connection/pool.js'
import { postgresStorage } from '../../postgres-storage.js'
import { claimByType } from './claim-by-type.js'

const at = { now: null }
const settings = {
  scoring: defaultScoring,
  newId: createNewId(),
  clock: systemClock,
  logLimit: 5,
  outputLimit: 3,
  logger: silentLogger,
}
const LEASE_MS = 60_000
/** How long a claim waits for a lock before the server looks for a deadlock. */
const DEADLOCK_TIMEOUT_MS = 1_500

let database: TestDatabase
let storage: Storage<PgConnection>
/** Another process, in the middle of a write. */
let other: pg.Client
let workspaceId: string
beforeEach(async () => {
  database = await createMigratedDatabase({ options: `-c deadlock_timeout=${DEADLOCK_TIMEOUT_MS}` })
  storage = postgresStorage({ pool: database.pool, listen: false })
  storage.bind({
    scoring: defaultScoring,
    newId: createNewId(),
    clock: systemClock,
    logLimit: 5,
    outputLimit: 3,
    logger: silentLogger,
  })
  await storage.open()
  other = new pg.Client({ connectionString: database.url })
  await other.connect()
  workspaceId = await addAccount()
})
afterEach(async () => {
  await other.end()
  await storage.close()
  await database.drop()
})

const agent = { name: 'an agent', type: 'worker' }
const newAccount = { name: 'a', tier: 'professional', workspaceName: 'w', agent } as const

async function addAccount(): Promise<string> {
  return (await storage.access.insertAccount(newAccount, at)).workspace.id
}

async function addTask(task: Partial<NewTask> = {}): Promise<string> {
  return (
    await storage.tasks.insertTask(
      { task: newTask({ workspaceId, ...task }), actor: { kind: 'host', id: null }, idempotency: null },
      at,
    )
  ).value.id
}

async function target(): Promise<{ workspaceId: string; agentId: string; leaseMs: number }> {
  const [first] = await storage.agents.listAgents({ reach: null, workspaceId }, at)
  return { workspaceId, agentId: first?.id ?? '', leaseMs: LEASE_MS }
}

/** Resolves when a statement of the storage waits for a lock. */
async function waiting(): Promise<void> {
  const count = async () => {
    const { rows } = await other.query<{ n: string }>(`select count(*) as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    return Number(rows[0]?.n)
  }
  await until(count, (n) => n > 0)
}

describe('a claim', () => {
  it('takes up to its limit when one workspace has most of the tasks', async () => {
    for (let count = 0; count < 9; count++) await addTask({ workspaceId: await addAccount() })
    for (let count = 0; count < 40; count++) await addTask()
    const { tasks } = await storage.tasks.claimTasks(
      { target: { agentType: 'worker', leaseMs: LEASE_MS }, limit: 40 },
      at,
    )
    expect(tasks).toHaveLength(40)
  })

  it('computes once when the next wait ends, however many tasks it returns', async () => {
    await database.pool.query('create sequence asked')
    for (const header of ['type(agent_type text)', 'agent(workspace text, agent text)']) {
      await database.pool.query(`create or replace function taskboard.first_wait_for_${header} returns bigint
        language plpgsql stable as $$ begin return nextval('asked'); end $$`)
    }
    const [worker] = await storage.agents.listAgents({ reach: null, workspaceId }, at)
    const forAgent = { workspaceId, agentId: worker?.id ?? '', leaseMs: LEASE_MS }
    const claims = [
      () => storage.tasks.claimTasks({ target: { agentType: 'worker', leaseMs: LEASE_MS }, limit: 20 }, at),
      () => storage.tasks.claimTasks({ target: forAgent, limit: 20 }, at),
    ]
    for (const claim of claims) {
      await Promise.all(Array.from({ length: 7 }, () => addTask()))
      const { tasks, nextReadyInMs } = await claim()
      expect([tasks.length, nextReadyInMs]).toEqual([7, 0])
    }
    const { rows } = await database.pool.query<{ last_value: string }>('select last_value from asked')
    expect(Number(rows[0]?.last_value)).toBe(claims.length)
  })

  it('returns the tasks it took when a later statement fails', async () => {
    await Promise.all(Array.from({ length: 220 }, () => addTask()))
    const answers: string[] = []
    // The second statement of the claim fails.
    const pool: PgPool = {
      query: (query) => database.pool.query(query),
      async connect() {
        const client = await database.pool.connect()
        return {
          query: (query) => {
            answers.push(query.text)
            return answers.length === 2 ? Promise.reject(new Error('no')) : client.query(query)
          },
          release: (broken) => client.release(broken),
        }
      },
    }
    const failing = postgresStorage({ pool, listen: false })
    failing.bind(settings)
    const { tasks } = await failing.tasks.claimTasks({ target: await target(), limit: 220 }, at)
    expect([tasks.length, answers.length]).toEqual([200, 2])
    expect(await countTasks(storage, workspaceId, at)).toMatchObject({ TODO: 20, DOING: 200 })
    await failing.close()
  })

  it('finds a workspace with work by index when another one has nearly all tasks', async () => {
    await database.pool.query(`insert into taskboard.todo
        (task_id, workspace_id, pool, key, placed_at, until, due_date, created_at, lane, ready, held)
      select 'task_' || n, 'ws_of_others', '', n, 0, 9223372036854775807, 9223372036854775807, 0, 1, true, false from generate_series(1, 20000) n`)
    await database.pool.query('analyze')
    const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>(
      `explain (generic_plan) ${claimByType.claim.text}`,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('using todo_pickup on todo')
    expect(plan).not.toContain('Seq Scan on todo')
  })

  it('leaves the place of a task to the transaction that writes it', async () => {
    const held = await addTask({ priority: 'urgent' })
    const free = await addTask()
    await other.query('begin')
    await other.query('select from taskboard.task where id = $1 for update', [held])
    await other.query('select from taskboard.workspace_log for update')
    const claim = storage.tasks.claimTasks({ target: await target(), limit: 1 }, at)
    await waiting()
    await other.query(`set local lock_timeout = '${DEADLOCK_TIMEOUT_MS / 3}ms'`)
    await other.query('delete from taskboard.todo where task_id = $1', [held])
    await other.query('commit')
    expect((await claim).tasks.map(({ id }) => id)).toEqual([free])
  })

  it('is retried after it was the victim of a deadlock', async () => {
    const requested = await addTask()
    await other.query(`begin; set local deadlock_timeout = '1min'`)
    await other.query('select from taskboard.workspace_log for update')
    const claim = storage.tasks.claimTasks({ target: await target(), limit: 1 }, at)
    await waiting()
    await other.query('update taskboard.task set progress = 1 where id = $1', [requested])
    await other.query('commit')
    // The other transaction may still hold the task at the retry.
    const { tasks } = await claim
    expect(tasks.length + (await countTasks(storage, workspaceId, at)).TODO).toBe(1)
  })
})

describe('completing a task and taking the next', () => {
  it('logs both when the next task is of another workspace', async () => {
    await addTask()
    const [task] = (await storage.tasks.claimTasks({ target: await target(), limit: 1 }, at)).tasks
    if (task === undefined) throw new Error('nothing was claimed')
    const proof = { workspaceId, taskId: task.id, fencingToken: task.fencingToken }
    workspaceId = await addAccount()
    const free = await addTask()
    const { next } = await storage.tasks.completeTask({ proof, result: 'done', next: await target() }, at)
    expect(next?.tasks.map(({ id }) => id)).toEqual([free])
    const logged = async (id: string) =>
      (await storage.events.readEvents({ workspaceId: id, afterSeq: 0, limit: 10 }, { now: null })).map(
        ({ seq, type }) => `${seq} ${type}`,
      )
    expect(await logged(proof.workspaceId)).toEqual(['1 task.created', '2 task.started', '3 task.completed'])
    expect(await logged(workspaceId)).toEqual(['1 task.created', '2 task.started'])
  })
})

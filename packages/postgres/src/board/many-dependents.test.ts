import { createTaskboard, defaultScoring, silentLogger } from '@taskboard/core'
import { createNewId, systemClock } from '@taskboard/core/storage'
import { newTask } from '@taskboard/testing'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import type { PgConnection } from '../connection/pool.js'
import { postgresStorage } from '../postgres-storage.js'

const at = { now: null }
const host = { kind: 'host', id: null } as const

let database: TestDatabase
beforeEach(async () => {
  database = await createMigratedDatabase({ max: 4 })
})
afterEach(() => database.drop())

function open() {
  const storage = postgresStorage({ pool: database.pool, listen: false })
  storage.bind({
    scoring: defaultScoring,
    newId: createNewId(),
    clock: systemClock,
    logLimit: 5,
    outputLimit: 5,
    logger: silentLogger,
  })
  return storage
}

async function createBoard() {
  const storage = open()
  await storage.open()
  const { workspace } = await storage.access.insertAccount(
    { name: 'a', tier: 'enterprise', workspaceName: 'w', agent: { name: 'a', type: 'worker' } },
    at,
  )
  const [agent] = await storage.agents.listAgents({ reach: null, workspaceId: workspace.id }, at)
  const add = async (dependsOn: readonly string[], tx?: PgConnection) => {
    const task = newTask({ workspaceId: workspace.id, dependsOn })
    return (await storage.tasks.insertTask({ task, actor: host, idempotency: null }, { now: null, tx })).value
  }
  const target = { workspaceId: workspace.id, agentId: agent?.id ?? '', leaseMs: 60_000 }
  const claim = async () => (await storage.tasks.claimTasks({ target, limit: 1 }, at)).tasks[0]
  const addClaimed = async () => {
    const { id } = await add([])
    const { fencingToken = 0 } = (await claim()) ?? {}
    return { workspaceId: workspace.id, taskId: id, fencingToken }
  }
  return { storage, workspaceId: workspace.id, add, addClaimed, claim, target }
}

async function blocked(): Promise<number> {
  const { rows } = await database.pool.query<{ count: string }>(
    `select count(*) from taskboard.task where column_name = 'TODO' and open_dependencies > 0`,
  )
  return Number(rows[0]?.count)
}

describe('a task that many others wait for', () => {
  it('is written, renewed and completed beside an open transaction that adds a dependent, and frees that one too', async () => {
    const { storage, workspaceId, add, addClaimed, claim } = await createBoard()
    const proof = await addClaimed()
    await add([proof.taskId])
    let late = ''
    await storage.transaction(async (tx) => {
      late = (await add([proof.taskId], tx)).id
      const { rows } = await database.pool.query(
        `select t.id from taskboard.task t where t.id = $1 for no key update nowait`,
        [proof.taskId],
      )
      expect(rows).toHaveLength(1)
      await storage.tasks.changeTask(
        { target: proof, command: { kind: 'renew', fencingToken: proof.fencingToken, leaseMs: 60_000 } },
        at,
      )
      // By hand, because the open transaction holds the log of the workspace.
      await database.pool.query(
        `update taskboard.task set column_name = 'DONE', lease_agent_id = null, lease_expires_at = null,
          completed_at = taskboard.now_ms(), version = version + 1 where id = $1`,
        [proof.taskId],
      )
      await storage.tasks.settleTasks({ left: 'dependents', limit: 100 }, at)
      expect(await blocked()).toBe(0)
    })
    expect(
      (await storage.tasks.getTask({ within: workspaceId, taskId: late, parts: ['task'] }, at)).task
        .openDependencies,
    ).toBe(1)
    expect((await claim())?.id).not.toBe(late)
    expect(await storage.tasks.settleTasks({ left: 'dependents', limit: 100 }, at)).toMatchObject({
      settled: 1,
    })
    expect((await claim())?.id).toBe(late)
  })

  it('frees a hundred of them in the commit that completes it, and the rest in batches, by any process', async () => {
    const { storage, add, addClaimed } = await createBoard()
    const proof = await addClaimed()
    await Promise.all(Array.from({ length: 350 }, () => add([proof.taskId])))
    expect(await blocked()).toBe(350)
    await storage.tasks.completeTask({ proof, result: 'r', next: null }, at)
    expect(await blocked()).toBe(250)
    const other = open()
    expect(await other.tasks.settleTasks({ left: 'dependents', limit: 100 }, at)).toEqual({
      settled: 100,
      hasMore: true,
    })
    expect(await blocked()).toBe(150)
    const calls = await Promise.all(
      [1, 2, 3].map(() => other.tasks.settleTasks({ left: 'dependents', limit: 1_000 }, at)),
    )
    expect(calls.reduce((sum, { settled }) => sum + settled, 0)).toBe(150)
    expect(await blocked()).toBe(0)
  })

  it('frees all of them while the board runs', async () => {
    const { add, addClaimed } = await createBoard()
    const { taskId, workspaceId } = await addClaimed()
    await Promise.all(Array.from({ length: 250 }, () => add([taskId])))
    const taskboard = createTaskboard({
      storage: postgresStorage({ pool: database.pool, listen: false }),
      secrets: { encryptionKey: randomBytes(32) },
      pollIntervalMs: 20,
    })
    await taskboard.start()
    await taskboard.board(workspaceId).move(taskId, 'DONE')
    await vi.waitFor(async () => expect(await blocked()).toBe(0), { timeout: 15_000, interval: 20 })
    await taskboard.close()
  })

  it('leaves connections for other calls, however many adds of a process wait for it', async () => {
    const { add, addClaimed } = await createBoard()
    const { taskId } = await addClaimed()
    let most = 0
    const adding = Promise.all(Array.from({ length: 300 }, () => add([taskId])))
    const watch = setInterval(
      () => (most = Math.max(most, database.pool.totalCount - database.pool.idleCount)),
      1,
    )
    await adding
    clearInterval(watch)
    expect(most).toBeLessThan(4)
    expect(await blocked()).toBe(300)
  })
})

import { defaultScoring, silentLogger, isTaskboardError } from '@taskboard/core'
import { createNewId, systemClock } from '@taskboard/core/storage'
import { newTask } from '@taskboard/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import { postgresStorage } from '../postgres-storage.js'

const at = { now: null }
const host = { kind: 'host', id: null } as const
const REFUSALS = ['CONFLICT', 'TASK_NOT_FOUND', 'INVALID_FIELD'] as const
const CLIENTS = 8
const WRITES_EACH = 80

/** Invariants of every task: each query counts the tasks that violate it. */
const faults = {
  'open dependencies': `select count(*) from taskboard.task t where open_dependencies <>
    (select count(*) from taskboard.task d where d.id = any (t.depends_on) and d.column_name <> 'DONE')`,
  'open links': `select count(*) from taskboard.task_dependency d join taskboard.task t on t.id = d.depends_on
    where d.is_open <> (t.column_name <> 'DONE')`,
  'flags of dependents': `select count(*) from taskboard.task t where not has_dependents
    and exists (select from taskboard.task_dependency d where d.depends_on = t.id)`,
  'dependencies beside the task': `select count(*) from taskboard.task t where
    (select array_agg(id order by id) from unnest(depends_on) id) is distinct from
    (select array_agg(d.depends_on order by d.depends_on) from taskboard.task_dependency d where d.task_id = t.id)`,
  'places in the queue': `select count(*) from taskboard.task t full join taskboard.todo q on q.task_id = t.id
    where (t.column_name = 'TODO') is distinct from (q.task_id is not null)
      or q.ready <> (t.hold_reason is null and t.open_dependencies = 0)`,
  circles: `with recursive above (root, id) as (
      select task_id, depends_on from taskboard.task_dependency
      union
      select a.root, d.depends_on from above a join taskboard.task_dependency d on d.task_id = a.id
    )
    select count(*) from above where root = id`,
}

describe('edits and deletions beside claims, completions and moves', () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await createMigratedDatabase()
  })
  afterAll(() => database.drop())

  it('keep counts and places correct, and close no cycle', async () => {
    const storage = postgresStorage({ pool: database.pool, listen: false })
    const newId = createNewId()
    storage.bind({
      scoring: defaultScoring,
      newId,
      clock: systemClock,
      logLimit: 5,
      outputLimit: 5,
      logger: silentLogger,
    })
    const { tasks } = storage
    const agent = { name: 'a', type: 'worker' }
    const { workspace } = await storage.access.insertAccount(
      { name: 'a', tier: 'enterprise', workspaceName: 'w', agent },
      at,
    )
    const [worker] = await storage.agents.listAgents({ reach: null, workspaceId: workspace.id }, at)
    const target = { workspaceId: workspace.id, agentId: worker?.id ?? '', leaseMs: 60_000 }
    let ids: readonly string[] = []
    const add = async (dependsOn: readonly string[]): Promise<void> => {
      const { value } = await tasks.insertTask(
        { task: newTask({ workspaceId: workspace.id, dependsOn }), actor: host, idempotency: null },
        at,
      )
      ids = [...ids, value.id]
    }
    for (let n = 0; n < 20; n++) await add([])

    const writes: readonly (() => Promise<unknown>)[] = [
      () =>
        tasks.changeTask(
          {
            target: { workspaceId: workspace.id, taskId: anyOf(ids) },
            command: {
              kind: 'edit',
              change: { dependsOn: [anyOf(ids), anyOf(ids)] },
              actor: { kind: 'host', id: null },
            },
          },
          at,
        ),
      () =>
        tasks.changeTask(
          {
            target: { workspaceId: workspace.id, taskId: anyOf(ids) },
            command: {
              kind: 'edit',
              change: { dependsOn: [anyOf(ids)], title: 'new' },
              actor: { kind: 'host', id: null },
            },
          },
          at,
        ),
      () =>
        tasks.changeTask(
          {
            target: { workspaceId: workspace.id, taskId: anyOf(ids) },
            command: {
              kind: 'edit',
              change: { priority: anyOf(['low', 'urgent']) },
              actor: { kind: 'host', id: null },
            },
          },
          at,
        ),
      () =>
        tasks.changeTask(
          {
            target: { workspaceId: workspace.id, taskId: anyOf(ids) },
            command: { kind: 'move', to: anyOf(['TODO', 'DONE']), actor: { kind: 'host', id: null } },
          },
          at,
        ),
      () => add([anyOf(ids)]),
      async () => {
        const id = anyOf(ids)
        await tasks.deleteTask({ workspaceId: workspace.id, taskId: id, actor: host }, at)
        ids = ids.filter((each) => each !== id)
      },
      async () => {
        const [task] = (await tasks.claimTasks({ target, limit: 1 }, at)).tasks
        if (task === undefined) return
        const proof = { workspaceId: workspace.id, taskId: task.id, fencingToken: task.fencingToken }
        await tasks.completeTask({ proof, result: 'result', next: anyOf([null, target]) }, at)
      },
    ]
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        for (let count = 0; count < WRITES_EACH; count++) await unlessRefused(anyOf(writes)())
      }),
    )

    // The first look at a completed task finds the transactions to wait for; a later one finds them ended, including those of
    // the server's background processes.
    await vi.waitFor(
      async () => {
        await tasks.settleTasks({ left: 'dependents', limit: 10_000 }, at)
        const { rows } = await database.pool.query(
          'select task_id, horizon::text, pg_current_snapshot()::text from taskboard.freeing',
        )
        expect(rows).toEqual([])
      },
      { timeout: 10_000, interval: 50 },
    )
    for (const [what, query] of Object.entries(faults)) {
      const { rows } = await database.pool.query<{ count: string }>(query)
      expect(`${rows[0]?.count} wrong ${what}`).toBe(`0 wrong ${what}`)
    }
  })
})

function anyOf<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)] as T
}

async function unlessRefused(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (!REFUSALS.some((code) => isTaskboardError(error, code))) throw error
  }
}

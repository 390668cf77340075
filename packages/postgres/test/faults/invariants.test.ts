import { createTaskboard } from '@taskboard/core'
import { afterAll, describe, expect, it } from 'vitest'
import { createMigratedPglite } from '@taskboard/kit/postgres/migrated-pglite'
import { pglitePool } from '../../src/pglite/pglite-pool.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { violations } from './invariants.js'

const pglite = await createMigratedPglite()
const pool = pglitePool(pglite)
afterAll(() => pglite.close())

async function boardWithWork() {
  const taskboard = createTaskboard({
    logger: false,
    storage: postgresStorage({ pool }),
    secrets: { encryptionKey: Buffer.alloc(32) },
  })
  const { workspace } = await taskboard.accounts.create({ name: 'a', tier: 'professional' })
  const agent = await taskboard.agents.create(workspace.id, { name: 'g', type: 'worker' })
  const board = taskboard.board(workspace.id)
  await taskboard.webhooks.register(workspace.id, {
    url: 'https://example.com/hook',
    events: ['task.created', 'task.completed'],
  })
  const done = await board.add({ title: 'done' })
  const claimed = await board.claim({ agentId: agent.id })
  await board.complete(done.id, { fencingToken: claimed?.fencingToken ?? 0, result: 'r' })
  const doing = await board.add({ title: 'doing' })
  await board.claim({ agentId: agent.id })
  const todo = await board.add({ title: 'todo' })
  return { done, doing, todo, acknowledged: [done.id, doing.id, todo.id] }
}

describe('the invariants that hold after every fault', () => {
  it('hold on a board without faults, and report each violation', async () => {
    const { done, doing, todo, acknowledged } = await boardWithWork()
    const received = new Map<string, Set<string>>()
    const completed = [{ taskId: done.id, fencingToken: 1 }]
    const seen = { acknowledged, received, completed, isQuiet: false }
    expect(await violations(pool, seen)).toEqual([])
    expect(await violations(pool, { ...seen, isQuiet: true })).toEqual([
      expect.stringContaining('not done (2)'),
      expect.stringContaining('neither done nor listed as failed (4)'),
    ])

    const wrong = async (sql: string, expected: string, witness = {}) => {
      await pglite.exec(`begin; ${sql}`)
      const found = await violations(
        { query: ({ text, values }) => pglite.query(text, values) },
        { ...seen, ...witness },
      )
      await pglite.exec('rollback')
      expect(found.join('\n')).toContain(expected)
    }
    await wrong('', 'lost (1): task_gone', { acknowledged: [...acknowledged, 'task_gone'] })
    await wrong('', 'stale write', { completed: [{ taskId: doing.id, fencingToken: 1 }] })
    await wrong('', 'two bodies (1): evt_1', { received: new Map([['evt_1', new Set(['a', 'b'])]]) })
    await wrong(
      `insert into taskboard.ended_delivery (id, webhook_id, workspace_id, status, created_at, seq, attempt_count, attempts)
        select id, webhook_id, workspace_id, 'succeeded', created_at, seq, 1, '[]' from taskboard.due_delivery;
      delete from taskboard.due_delivery`,
      'never arrived (4)',
    )
    await wrong(
      `delete from taskboard.due_delivery; delete from taskboard.ended_delivery`,
      'exactly one delivery',
    )
    await wrong(`delete from taskboard.todo`, 'queue')
    await wrong(`delete from taskboard.event_batch where first_seq = 1`, 'gap')
    await wrong(
      `update taskboard.event_batch set types = array_replace(types, 'task.created', 'other')`,
      'task.created',
    )
    await wrong(
      `update taskboard.event_batch set types = array_replace(types, 'task.started', 'other')`,
      'differ in number',
    )
    await wrong(
      `update taskboard.event_batch set types = array_replace(types, 'task.completed', 'other')`,
      'a done task',
    )
    await wrong(`update taskboard.task set done_by = null`, 'no attempt')
    await wrong(
      `update taskboard.task set title = 'same' where id = '${todo.id}' or id = '${doing.id}'`,
      'two tasks',
    )
    await wrong(
      `insert into taskboard.earlier_attempt (task_id, fencing_token, agent_id, started_at, ended_at, outcome)
        select task_id, 2, agent_id, started_at - 1, ended_at, outcome from taskboard.attempt`,
      'two agents worked',
    )
    await wrong(
      `insert into taskboard.earlier_attempt (task_id, fencing_token, agent_id, started_at, ended_at, outcome)
        values ('${doing.id}', 0, 'x', 0, 9e15, 'expired')`,
      'from before',
    )
    await wrong(
      `insert into taskboard.event_batch (workspace_id, first_seq, last_seq, feed_xid, at, payload_version, stem, types, data)
        select workspace_id, 99, 99, feed_xid, at, payload_version, gen_random_uuid(), array[type], array[data]
        from taskboard.event where type = 'task.completed'`,
      'completed twice',
    )
  })
})

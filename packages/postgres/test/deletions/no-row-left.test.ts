import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import {
  type BoardOnPool,
  createPgliteBoard,
  createSharedBoard,
  type SharedBoard,
} from '../processes/shared-board.js'
import { fillTables, type Owner, referencesToTasks, rowsNaming, tablesOf } from './owned-rows.js'

/** What belongs to no account, and the list of deletions. A new table is either named here, or its rows are deleted. */
const OF_NO_ACCOUNT = [
  'agent_runtime',
  'bot_polling',
  'bot_update',
  'deletion',
  'key_check',
  'login_attempt',
  'migration',
  'realtime_holder',
  'scoring',
]

const DAY_MS = 86_400_000
const PGLITE_MS = 60_000
/** What names a deleted task for as long as it is kept. A card stays until it says that its task is gone. */
const KEPT_FOR_THEIR_TIME = ['event_batch', 'due_delivery', 'ended_delivery', 'idempotency', 'bot_message']

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function onPostgres(): Promise<SharedBoard> {
  const board = await createSharedBoard(0)
  closing.push(() => board.database.drop())
  return board
}

async function onPglite(): Promise<BoardOnPool> {
  const board = await createPgliteBoard()
  closing.push(board.close)
  return board
}

/** Adds to a workspace one row of everything. */
async function fillWorkspace(board: BoardOnPool, accountId: string, workspaceId: string): Promise<Owner> {
  const { taskboard, rows } = board
  const { services } = taskboard
  const agent = await taskboard.agents.create(workspaceId, { name: 'Agent', type: 'worker' })
  const webhook = await taskboard.webhooks.register(workspaceId, {
    url: 'https://receiver.example/hook',
    events: ['task.created'],
  })
  const task = await taskboard.board(workspaceId).add({ title: 'A task', assignedTo: agent.id })
  const email = `${randomUUID()}@example.com`
  const user = await taskboard.accounts.createUser(accountId, { email, password: 'correct horse battery' })
  const key = await taskboard.accounts.createKey({
    accountId,
    name: 'k',
    scopes: ['tasks:read'],
    workspaceId,
  })
  const principal = {
    id: key.id,
    kind: 'api_key',
    accountId,
    tier: 'professional',
    scopes: [],
    workspaceIds: 'all',
    defaultWorkspaceId: workspaceId,
  } as const
  await services.takeBoardLimit(principal)
  await services.takeTierLimit(principal)
  await rows(
    `insert into taskboard.idempotency (scope, key, fingerprint, resource_id, value, created_at)
      values ($1, $2, 'f', $3, '{}', 0)`,
    JSON.stringify([key.id, workspaceId, 'createTask']),
    task.id,
    task.id,
  )
  const holder = randomUUID()
  await rows('insert into taskboard.realtime_holder (id, expires_at) values ($1, 0)', holder)
  const owner = {
    account_id: accountId,
    workspace_id: workspaceId,
    task_id: task.id,
    depends_on: task.id,
    agent_id: agent.id,
    user_id: user.id,
    webhook_id: webhook.id,
    holder_id: holder,
  }
  await fillTables(rows, owner, OF_NO_ACCOUNT)
  const { holder_id: _, ...ids } = owner
  return { ...ids, key_id: key.id }
}

/** The tables that name one of the tasks for no longer than the task is there. */
async function hangingOn(board: BoardOnPool, taskIds: readonly string[]): Promise<readonly string[]> {
  const found = Object.keys(await rowsNaming(board.rows, taskIds))
  return found.filter((table) => !KEPT_FOR_THEIR_TIME.includes(table)).toSorted()
}

/** Each table with a column for a task. */
const PARTS = [
  'approval',
  'earlier_attempt',
  'freeing',
  'link',
  'task',
  'task_comment',
  'task_dependency',
  'task_log',
  'task_output',
  'task_search',
  'task_usage',
  'todo',
]

describe.each([
  ['PostgreSQL', onPostgres],
  ['PGlite', onPglite],
])('a deletion on %s', { timeout: PGLITE_MS }, (_, open) => {
  it('of an account leaves no row of it in any table, and everything of another account', async () => {
    const board = await open()
    const { taskboard, accountId, workspaceId, rows } = board
    const second = await taskboard.accounts.createWorkspace(accountId, { name: 'Second' })
    const { account, workspace } = await taskboard.accounts.create({ name: 'Other', tier: 'custom' })
    const ids = [
      ...Object.values(await fillWorkspace(board, accountId, workspaceId)),
      ...Object.values(await fillWorkspace(board, accountId, second.id)),
    ]
    const others = Object.values(await fillWorkspace(board, account.id, workspace.id))
    const empty = (await tablesOf(rows)).filter((table) => !OF_NO_ACCOUNT.includes(table))
    expect(Object.keys(await rowsNaming(rows, ids))).toEqual(expect.arrayContaining(empty))
    const kept = await rowsNaming(rows, others)

    await taskboard.accounts.delete(accountId)
    expect(await rowsNaming(rows, ids)).toEqual({})
    expect(await rowsNaming(rows, others)).toEqual(kept)
  })

  it('of a workspace leaves no row of it, and everything of the others', async () => {
    const board = await open()
    const { taskboard, accountId, workspaceId, rows } = board
    const second = await taskboard.accounts.createWorkspace(accountId, { name: 'Second' })
    const first = await fillWorkspace(board, accountId, workspaceId)
    const kept = Object.values(first).filter((id) => id !== accountId)
    const filled = await fillWorkspace(board, accountId, second.id)
    const { account_id: _account, user_id: _user, ...gone } = filled
    const before = await rowsNaming(rows, kept)

    await taskboard.accounts.deleteWorkspace(second.id)
    // The audit of the account says what it had.
    const { audit: _audit, ...left } = await rowsNaming(rows, Object.values(gone))
    expect(left).toEqual({})
    expect(await rowsNaming(rows, kept)).toEqual(before)
  })

  it('of old done tasks leaves no row that hangs on one, in any table', async () => {
    const board = await open()
    const { taskboard, accountId, workspaceId, rows } = board
    const { task_id: id = '', agent_id: agentId = '' } = await fillWorkspace(board, accountId, workspaceId)
    expect(await hangingOn(board, [id])).toEqual(PARTS)
    await rows('delete from taskboard.task_dependency where task_id = depends_on')
    const tasks = taskboard.board(workspaceId)
    const { id: dependent } = await tasks.add({ title: 'Depends on it', dependsOn: [id] })
    for (const each of [id, dependent]) await tasks.move(each, 'DONE')
    const asked = { rows: 'done_tasks', olderThanMs: DAY_MS, limit: 10 } as const
    const pruned = async () => board.storage.prune(asked, { now: Date.now() + 3 * DAY_MS })
    expect([await pruned(), await pruned(), await pruned()]).toEqual([1, 1, 0])
    expect(await hangingOn(board, [id, dependent])).toEqual([])
    expect(Object.keys(await rowsNaming(rows, [agentId]))).toContain('agent')
  })

  it('of a task leaves no row that hangs on it, in any table', async () => {
    const board = await open()
    const { taskboard, accountId, workspaceId, rows } = board
    const { task_id: id = '' } = await fillWorkspace(board, accountId, workspaceId)
    await rows('delete from taskboard.task_dependency where task_id = depends_on')
    await taskboard.board(workspaceId).delete(id)
    expect(await hangingOn(board, [id])).toEqual([])
  })

  it('of a task by hand leaves nothing that the deletion of its account would not find', async () => {
    const board = await open()
    const { taskboard, accountId, workspaceId, rows } = board
    const { task_id: id = '' } = await fillWorkspace(board, accountId, workspaceId)
    expect(await hangingOn(board, [id])).toEqual(PARTS)
    const referring = await referencesToTasks(rows)
    await expect(rows('delete from taskboard.task where id = $1', id)).rejects.toThrow('foreign key')
    for (const { table, column } of referring) await rows(`delete from ${table} where ${column} = $1`, id)
    await rows('delete from taskboard.task where id = $1', id)
    expect(await hangingOn(board, [id])).toEqual([])
    await taskboard.accounts.delete(accountId)
    expect(await rowsNaming(rows, [id])).toEqual({})
  })
})

describe('a deletion on PostgreSQL', () => {
  it('leaves nothing of what is written about a task at the moment of its deletion', async () => {
    const { taskboard, accountId, workspaceId, database, rows } = await onPostgres()
    const tasks = taskboard.board(workspaceId)
    const { id } = await tasks.add({ title: 'A task' })
    await rows(`create function pause() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(1); return null; end $$`)
    await rows('create trigger pause before delete on taskboard.task_log execute function pause()')
    // Of this database alone: others use the server at the same time.
    const waiting = async (): Promise<number> =>
      (
        await rows(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).length
    const holder = await database.pool.connect()
    await holder.query('select pg_advisory_lock(1)')

    const deleted = taskboard.accounts.delete(accountId)
    await until(waiting, (count) => count === 1)
    let isOver = false
    const written = tasks.comment(id, { body: 'Late.' }).catch((error: unknown) => error)
    const over = written.then(() => (isOver = true))
    await until(waiting, (count) => isOver || count === 2)
    await holder.query('select pg_advisory_unlock(1)')
    holder.release()
    await Promise.all([deleted, over])
    expect(await rowsNaming(rows, [id])).toEqual({})
    expect(await written).toMatchObject({ code: 'TASK_NOT_FOUND' })
  })
})

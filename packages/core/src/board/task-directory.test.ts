import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'
import type { TaskFilter, TaskLogList } from './task-directory.js'

async function openBoard() {
  const taskboard = createTaskboard({ storage: memoryStorage(), clock: virtualClock() })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'enterprise' })
  const reach = { accountId: account.id, workspaceIds: 'all' } as const
  return { taskboard, reach, workspaceId: workspace.id, board: taskboard.board(workspace.id) }
}

describe('the directory of tasks', () => {
  it('shows the newest hundred lines of a log, oldest first', async () => {
    const { taskboard, reach, workspaceId, board } = await openBoard()
    const agent = await taskboard.agents.create(workspaceId, { name: 'Ada', type: 'research' })
    const { id } = await board.add({ title: 'a' })
    const claimed = await board.claim({ agentId: agent.id })
    const fencingToken = claimed?.fencingToken ?? 0
    for (let line = 1; line <= 105; line++) await board.log(id, { fencingToken, message: `${line}` })
    const { logs } = await taskboard.services.tasks.find(reach, id)
    expect([logs.length, logs[0]?.message, logs.at(-1)?.message]).toEqual([100, '6', '105'])
    expect(await board.logs(id)).toHaveLength(105)
  })

  it('pages through all lines of a log that are kept, oldest first, also in a transaction', async () => {
    const { taskboard, reach, workspaceId, board } = await openBoard()
    const agent = await taskboard.agents.create(workspaceId, { name: 'Ada', type: 'research' })
    const { id } = await board.add({ title: 'a' })
    const fencingToken = (await board.claim({ agentId: agent.id }))?.fencingToken ?? 0
    for (let line = 1; line <= 1_005; line++) await board.log(id, { fencingToken, message: `${line}` })
    const messages: string[] = []
    let cursor: string | null = null
    do {
      const page: TaskLogList = await taskboard.tasks.logs(reach, id, { limit: 400, cursor })
      messages.push(...page.lines.map(({ message }) => message))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(messages).toEqual(Array.from({ length: 1_000 }, (_, index) => `${index + 6}`))
    const { lines, nextCursor } = await taskboard.tasks.logs(reach, id)
    expect([lines.length, lines[0]?.message, nextCursor]).toEqual([100, '6', expect.any(String)])
    await taskboard.transaction(async (tx) => {
      expect((await taskboard.tasks.logs(reach, id, { limit: 1, tx })).lines).toHaveLength(1)
    })
    const refused = (options: object, field: string) =>
      expect(taskboard.tasks.logs(reach, id, options)).rejects.toMatchObject({ code: 'INVALID_FIELD', field })
    await refused({ limit: 1_001 }, 'limit')
    await refused({ cursor: 'x' }, 'cursor')
    await refused({ cursor: btoa('[0]') }, 'cursor')
    await expect(taskboard.tasks.logs(reach, 'task_unknown')).rejects.toThrow('no such task')
  })

  it('lets hosts search by status, agent and workspace, also in a transaction', async () => {
    const { taskboard, reach, workspaceId, board } = await openBoard()
    const other = await taskboard.accounts.createWorkspace(reach.accountId, { name: 'other' })
    const agent = await taskboard.agents.create(workspaceId, { name: 'Ada', type: 'research' })
    const held = await board.add({ title: 'held' })
    await board.hold(held.id, { reason: 'failed' })
    const mine = await board.add({ title: 'mine', assignedTo: agent.id })
    const elsewhere = await taskboard.board(other.id).add({ title: 'elsewhere' })
    const search = async (filter: TaskFilter, options?: Parameters<typeof taskboard.tasks.search>[2]) =>
      (await taskboard.tasks.search(reach, filter, options)).tasks.map(({ id }) => id)
    expect(await search({})).toEqual([elsewhere.id, mine.id, held.id])
    expect(await search({ status: 'failed' })).toEqual([held.id])
    expect(await search({ agentId: agent.id })).toEqual([mine.id])
    expect(await search({ workspaceId: other.id })).toEqual([elsewhere.id])
    const some = { ...reach, workspaceIds: [workspaceId] }
    expect((await taskboard.tasks.search(some)).tasks.map(({ id }) => id)).toEqual([mine.id, held.id])
    await taskboard.transaction(async (tx) => {
      const { id } = await board.add({ title: 'new' }, { tx })
      expect(await search({ status: 'pending', workspaceId }, { tx })).toEqual([id, mine.id])
      expect((await taskboard.tasks.find(reach, id, { tx })).task.title).toBe('new')
      expect(await taskboard.tasks.locate(reach, id, { tx })).toBe(workspaceId)
    })
  })

  it('pages through all tasks, newest first', async () => {
    const { taskboard, reach, board } = await openBoard()
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift((await board.add({ title: 'a' })).id)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await taskboard.services.tasks.search(reach, { limit: 2, cursor })
      seen.push(...page.tasks.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(seen).toEqual(ids)
    expect((await taskboard.services.tasks.search(reach)).tasks).toHaveLength(5)
  })

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 1_001 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ cursor: 'x' }, 'cursor'],
    [{ cursor: btoa('["task_1","task_2"]') }, 'cursor'],
    [{ cursor: btoa('[7]') }, 'cursor'],
    [{ status: 'done' as 'completed' }, 'status'],
  ])('refuses %j', async (filter, field) => {
    const { taskboard, reach } = await openBoard()
    const search = taskboard.services.tasks.search(reach, filter)
    await expect(search).rejects.toMatchObject({ code: 'INVALID_FIELD', field })
  })
})

describe('an agent outside of the process', () => {
  it('reports progress in whole percents, log lines and outputs, each of which renews its lease', async () => {
    const { taskboard, workspaceId, board } = await openBoard()
    const agent = await taskboard.agents.create(workspaceId, { name: 'Ada', type: 'research' })
    const { id } = await board.add({ title: 'a' })
    const { fencingToken = 0 } = (await board.claim({ agentId: agent.id })) ?? {}
    const task = await board.progress(id, { fencingToken, progress: 33.4, leaseMs: 5_000 })
    expect([task.progress, (task.lease?.expiresAt ?? 0) - task.updatedAt]).toEqual([33, 5_000])
    const output = { type: 'link', name: 'n', url: 'https://example.com/n' }
    await board.output(id, { fencingToken, ...output })
    expect(await board.outputs(id)).toEqual([{ ...output, size: null }])
    expect((await board.get(id)).lease?.expiresAt).toBe(task.updatedAt + 60_000)
    const stale = { fencingToken: fencingToken + 1, message: 'x' }
    await expect(board.log(id, stale)).rejects.toMatchObject({ code: 'CONFLICT' })
    const brief = { fencingToken, message: 'x', leaseMs: 5 }
    await expect(board.log(id, brief)).rejects.toMatchObject({ code: 'INVALID_FIELD', field: 'leaseMs' })
  })
})

describe('a cancelled task', () => {
  it('is taken from its agent, and comes back when it is released', async () => {
    const { taskboard, workspaceId, board } = await openBoard()
    const agent = await taskboard.agents.create(workspaceId, { name: 'Ada', type: 'research' })
    const { id } = await board.add({ title: 'a' })
    await board.claim({ agentId: agent.id })
    const cancelled = await board.cancel(id, { message: 'no need' })
    expect([cancelled.column, cancelled.hold?.reason, cancelled.lease]).toEqual(['TODO', 'cancelled', null])
    expect(await board.claim({ agentId: agent.id })).toBeNull()
    await board.release(id)
    expect((await board.claim({ agentId: agent.id }))?.id).toBe(id)
  })
})

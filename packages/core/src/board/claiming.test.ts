import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'
import type { Board } from './board.js'

async function openBoard() {
  const clock = virtualClock('2026-01-01T00:00:00.000Z')
  const taskboard = createTaskboard({ storage: memoryStorage(), clock })
  const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const named = (name: string) => taskboard.agents.create(workspace.id, { name, type: 'outside' })
  const [mine, other] = [await named('mine'), await named('other')]
  return { clock, taskboard, mine: mine.id, other: other.id, board: taskboard.board(workspace.id) }
}

type Opened = Awaited<ReturnType<typeof openBoard>>

const LATER = Date.parse('2026-01-01T01:00:00.000Z')
/** Why the task cannot be claimed, and what brings it there. */
const refusals: ReadonlyArray<{
  readonly because: string
  readonly after: (opened: Opened, taskId: string) => Promise<unknown>
}> = [
  { because: 'it is done', after: ({ board }, id) => board.move(id, 'DONE') },
  { because: 'a person works on it', after: ({ board }, id) => board.move(id, 'DOING') },
  {
    because: 'an agent has it until 2026-01-01T01:00:00.000Z',
    after: ({ board, other, clock }) => board.claim({ agentId: other, leaseMs: LATER - clock.now() }),
  },
  {
    because: 'it is on hold (needs_input)',
    after: ({ board }, id) => board.hold(id, { reason: 'needs_input' }),
  },
  {
    because: 'it waits for 1 other tasks',
    after: async ({ board }, id) => {
      const { id: first } = await board.add({ title: 'first' })
      await board.update(id, { dependsOn: [first] })
    },
  },
  {
    because: 'it waits until 2026-01-01T01:00:00.000Z',
    after: ({ board }, id) => board.update(id, { notBefore: LATER }),
  },
  {
    because:
      'it is for other agents, or the agent is paused, has as many tasks as it may, rests, or has spent its budget',
    after: ({ board, other }, id) => board.update(id, { assignedTo: other }),
  },
]

const claimed = async (board: Board, agentId: string, taskId: string) => {
  const task = await board.claim({ agentId, taskId })
  return { task, fencingToken: task?.lease?.fencingToken ?? -1 }
}

describe('a claim of one task', () => {
  it('takes that task and no better one', async () => {
    const { board, mine } = await openBoard()
    await board.add({ title: 'best', priority: 'urgent' })
    const { id } = await board.add({ title: 'named', priority: 'low' })
    const { task } = await claimed(board, mine, id)
    expect([task?.id, task?.column]).toEqual([id, 'DOING'])
  })

  for (const { because, after } of refusals) {
    it(`says why nobody gets it: ${because}`, async () => {
      const opened = await openBoard()
      const { id } = await opened.board.add({ title: 'wanted' })
      await after(opened, id)
      await expect(opened.board.claim({ agentId: opened.mine, taskId: id })).rejects.toMatchObject({
        code: 'CONFLICT',
        message: `the task cannot be claimed: ${because}`,
      })
    })
  }

  it('takes over what the agent already has: its earlier run has lost the task, and no attempt is counted twice', async () => {
    const { board, mine } = await openBoard()
    const { id } = await board.add({ title: 'resumed' })
    const { fencingToken: lost } = await claimed(board, mine, id)
    const { fencingToken, task } = await claimed(board, mine, id)
    expect(fencingToken).not.toBe(lost)
    expect(task?.attempts).toBe(1)
    await expect(board.complete(id, { fencingToken: lost, result: 'old' })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    expect((await board.complete(id, { fencingToken, result: 'new' })).result).toBe('new')
  })

  it('leaves the earlier run as it is when the agent cannot take the task over', async () => {
    const { board, mine, taskboard } = await openBoard()
    const { id } = await board.add({ title: 'paused meanwhile' })
    const { fencingToken } = await claimed(board, mine, id)
    await taskboard.agents.update(board.workspaceId, mine, { paused: true })
    await expect(board.claim({ agentId: mine, taskId: id })).rejects.toMatchObject({ code: 'CONFLICT' })
    expect((await board.complete(id, { fencingToken, result: 'by the earlier run' })).column).toBe('DONE')
  })

  it('takes over within the transaction of the caller', async () => {
    const { board, mine, taskboard } = await openBoard()
    const { id } = await board.add({ title: 'resumed' })
    const { fencingToken } = await claimed(board, mine, id)
    const failing = taskboard.transaction(async (tx) => {
      const task = await board.claim({ agentId: mine, taskId: id }, { tx })
      expect(task?.lease?.fencingToken).toBe(fencingToken + 1)
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect((await board.heartbeat(id, { fencingToken })).column).toBe('DOING')
  })

  it('does not return a lease that has expired: the sweep counts that attempt', async () => {
    const { board, mine, clock } = await openBoard()
    const { id } = await board.add({ title: 'slow' })
    await claimed(board, mine, id)
    await clock.advance({ seconds: 61 })
    await expect(board.claim({ agentId: mine, taskId: id })).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('refuses a task that is not on this board', async () => {
    const { board, mine, taskboard } = await openBoard()
    const { workspace } = await taskboard.accounts.create({ name: 'Other', tier: 'custom' })
    const { id } = await taskboard.board(workspace.id).add({ title: 'foreign' })
    await expect(board.claim({ agentId: mine, taskId: id })).rejects.toMatchObject({
      code: 'TASK_NOT_FOUND',
    })
  })
})

describe('a release', () => {
  it('with a fencing token gives the task back without a counted attempt', async () => {
    const { board, mine, other } = await openBoard()
    const { id } = await board.add({ title: 'given back' })
    const { fencingToken } = await claimed(board, mine, id)
    const released = await board.release(id, { fencingToken })
    expect([released.column, released.attempts, released.hold]).toEqual(['TODO', 0, null])
    await expect(board.release(id, { fencingToken })).rejects.toMatchObject({ code: 'CONFLICT' })
    expect((await board.claim({ agentId: other }))?.id).toBe(id)
  })

  it('without one ends a hold', async () => {
    const { board } = await openBoard()
    const { id } = await board.add({ title: 'held' })
    await board.hold(id, { reason: 'needs_input' })
    expect((await board.release(id)).hold).toBeNull()
  })
})

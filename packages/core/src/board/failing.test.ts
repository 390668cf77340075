import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'

async function openBoard() {
  const storage = memoryStorage()
  const clock = virtualClock('2026-01-01T00:00:00.000Z')
  const taskboard = createTaskboard({ storage, clock })
  const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const { id: agentId } = await taskboard.agents.create(workspace.id, { name: 'a', type: 'outside' })
  const board = taskboard.board(workspace.id)
  const { id } = await board.add({ title: 'translate' })
  const fencingToken = (await board.claim({ agentId }))?.lease?.fencingToken ?? -1
  return { storage, clock, taskboard, board, agentId, id, fencingToken }
}

const away = { reason: 'the provider is down', retryAfterMs: 60_000 }

describe('a failure through no fault of the task', () => {
  it('postpones the task and lets the agent rest, both or neither', async () => {
    const { storage, clock, board, agentId, id, fencingToken } = await openBoard()
    const { reportPresence } = storage.agents
    Object.assign(storage.agents, { reportPresence: () => Promise.reject(new Error('the storage is down')) })
    await expect(board.fail(id, { fencingToken, ...away })).rejects.toThrow('the storage is down')
    Object.assign(storage.agents, { reportPresence })
    expect((await board.heartbeat(id, { fencingToken })).column).toBe('DOING')
    expect(await board.fail(id, { fencingToken, ...away })).toMatchObject({ column: 'TODO', attempts: 0 })
    await board.add({ title: 'another' })
    expect(await board.claim({ agentId })).toBeNull()
    await clock.advance(60_000)
    expect(await board.claim({ agentId })).not.toBeNull()
  })

  it('is part of the transaction of the caller', async () => {
    const { taskboard, board, agentId, id, fencingToken } = await openBoard()
    const failing = taskboard.transaction(async (tx) => {
      await board.fail(id, { fencingToken, ...away }, { tx })
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    await board.complete(id, { fencingToken, result: 'done' })
    await board.add({ title: 'another' })
    expect(await board.claim({ agentId })).not.toBeNull()
  })

  it('lets no agent rest for an outdated token', async () => {
    const { board, agentId, id, fencingToken } = await openBoard()
    const failing = board.fail(id, { fencingToken: fencingToken + 1, ...away })
    await expect(failing).rejects.toMatchObject({ code: 'CONFLICT' })
    await board.complete(id, { fencingToken, result: 'done' })
    await board.add({ title: 'another' })
    expect(await board.claim({ agentId })).not.toBeNull()
  })
})

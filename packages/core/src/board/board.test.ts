import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from '../taskboard.js'
import type { Column } from './task.js'

async function openBoard() {
  const clock = virtualClock()
  const storage = memoryStorage()
  const taskboard = createTaskboard({ storage, clock })
  const { workspace } = await taskboard.accounts.create({ name: 'a', tier: 'custom' })
  const agent = await taskboard.agents.create(workspace.id, { name: 'outside', type: 'outside' })
  return { clock, storage, agent, board: taskboard.board(workspace.id) }
}

describe('a board', () => {
  it('keeps the lease length of a claim when a write names none', async () => {
    const { clock, agent, board } = await openBoard()
    const { id } = await board.add({ title: 'long' })
    const claimed = await board.claim({ agentId: agent.id, leaseMs: 3_600_000 })
    const fencingToken = claimed?.lease?.fencingToken ?? 0
    const remaining = async () => ((await board.get(id)).lease?.expiresAt ?? 0) - clock.now()
    const writes = [
      (leaseMs?: number) => board.heartbeat(id, { fencingToken, leaseMs }),
      (leaseMs?: number) => board.progress(id, { fencingToken, leaseMs, progress: 5 }),
      (leaseMs?: number) => board.log(id, { fencingToken, leaseMs, message: 'm' }),
      (leaseMs?: number) =>
        board.output(id, { fencingToken, leaseMs, type: 't', name: 'n', url: 'https://a.example' }),
    ]
    for (const write of writes) {
      await clock.advance({ seconds: 1 })
      await write(5_000)
      expect(await remaining()).toBe(5_000)
      await write()
      expect(await remaining()).toBe(3_600_000)
    }
  })

  it('accepts a repeated completion, because the answer to the first may have been lost', async () => {
    const { agent, board } = await openBoard()
    const { id } = await board.add({ title: 'once' })
    const { fencingToken = 0 } = (await board.claim({ agentId: agent.id }))?.lease ?? {}
    const done = await board.complete(id, { fencingToken, result: 'ok' })
    expect(await board.complete(id, { fencingToken, result: 'ok' })).toEqual(done)
    await expect(board.complete(id, { fencingToken, result: 'no' })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
  })

  it('names the argument that is not a column', async () => {
    const board = createTaskboard({ storage: memoryStorage() }).board('ws_1')
    const odd = 'LATER' as Column
    const code = 'INVALID_FIELD'
    await expect(board.list(odd)).rejects.toMatchObject({ code, field: 'column' })
    await expect(board.move('task_1', odd)).rejects.toMatchObject({ code, field: 'to' })
  })
})

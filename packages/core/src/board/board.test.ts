import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'
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

  it('takes a completion without a token for that of a person, and never one whose token was lost', async () => {
    const { storage, agent, board } = await openBoard()
    const { id } = await board.add({ title: 'by hand' })
    const { id: other } = await board.add({ title: 'of an agent' })
    const lost = { fencingToken: undefined, result: 'x' } as unknown as { result: string }
    const refusal = expect.objectContaining({ code: 'MISSING_FIELD', field: 'fencingToken' })
    await expect(board.complete(id, lost)).rejects.toEqual(refusal)
    await expect(
      board.complete(id, { result: 'x', takeOver: 1 as unknown as boolean }),
    ).rejects.toMatchObject({
      code: 'INVALID_FIELD',
      field: 'takeOver',
    })
    const ada = { kind: 'user', id: 'ada', name: 'Ada', scopes: ['tasks:write'] } as const
    const done = await board.complete(id, { result: 'mended' }, { actor: ada })
    expect(done).toMatchObject({ column: 'DONE', result: 'mended' })
    expect(done.takenBy).toEqual({ kind: 'user', id: 'ada', name: 'Ada' })
    const claimed = await board.claim({ agentId: agent.id })
    expect(claimed?.id).toBe(other)
    await expect(board.complete(other, {})).rejects.toMatchObject({ code: 'CONFLICT', field: 'takeOver' })
    const taken = await board.complete(other, { takeOver: true })
    expect([taken.result, taken.takenBy]).toEqual(['', { kind: 'host', id: null, name: null }])
    const events = await storage.events.readEvents(
      { workspaceId: board.workspaceId, afterSeq: 0, limit: 100 },
      { now: null },
    )
    const actors = events.flatMap(({ type, data }) =>
      type === 'task.completed' ? [(data as { actor?: unknown }).actor] : [],
    )
    expect(actors).toEqual([
      { kind: 'user', id: 'ada' },
      { kind: 'host', id: null },
    ])
  })

  it('refuses an actor with a name that people could not read', async () => {
    const { agent, board } = await openBoard()
    const { id } = await board.add({ title: 'named' })
    const refusal = expect.objectContaining({ code: 'INVALID_FIELD', field: 'name' })
    const asked = { action: 'refund', summary: 's', fencingToken: 1 }
    await board.claim({ agentId: agent.id })
    const { approval } = await board.requestApproval(id, asked)
    for (const name of ['', 'two\nlines', 'x'.repeat(257), 7 as unknown as string]) {
      const as = { actor: { kind: 'user', id: 'ada', name } } as const
      await expect(board.comment(id, { body: 'b' }, as)).rejects.toEqual(refusal)
      await expect(board.move(id, 'DOING', as)).rejects.toEqual(refusal)
      await expect(board.complete(id, {}, as)).rejects.toEqual(refusal)
      await expect(board.decide(approval.id, { decision: 'approved' }, as)).rejects.toEqual(refusal)
    }
    expect((await board.get(id)).hold?.reason).toBe('approval')
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

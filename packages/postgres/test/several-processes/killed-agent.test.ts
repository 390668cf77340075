import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { violations } from '../faults/invariants.js'
import { endProcesses, startProcess } from '../processes/board-processes.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'

let board: SharedBoard
beforeEach(async () => {
  board = await createSharedBoard()
})
afterEach(async () => {
  await endProcesses()
  await board.database.drop()
})

const agent = { concurrency: 1, leaseMs: 1_000, waits: false }

describe('an agent process that is killed between its claim and the answer', () => {
  it('leaves its task to another process, which completes it once the lease ends', async () => {
    const { taskboard, workspaceId, rows } = board
    const databaseUrl = board.database.url
    const { id } = await taskboard.board(workspaceId).add({ title: 'Taken twice' })

    const killed = startProcess({
      databaseUrl,
      agent,
      isStarted: true,
      held: { statement: 'claim_by_type', when: 'after' },
    })
    await killed.reported('held')
    await killed.kill()
    const claimed = await taskboard.board(workspaceId).get(id)
    expect(claimed).toMatchObject({ column: 'DOING', attempts: 1, fencingToken: 1 })

    const other = startProcess({ databaseUrl, agent, isStarted: true })
    const done = await until(
      () => taskboard.board(workspaceId).get(id),
      ({ column }) => column === 'DONE',
    )
    expect(done).toMatchObject({ attempts: 2, fencingToken: 2, result: `done by ${other.pid}` })
    expect(done.startedAt).toBeGreaterThanOrEqual(claimed.lease?.expiresAt ?? Infinity)
    await other.close()

    expect(
      await rows('select fencing_token::int4 as token, outcome from taskboard.attempt order by 1'),
    ).toEqual([
      { token: 1, outcome: 'expired' },
      { token: 2, outcome: 'completed' },
    ])
    expect(
      await rows(`select type, data -> 'attempt' as attempt from taskboard.event
        where type in ('task.started', 'task.completed') order by seq`),
    ).toEqual([
      { type: 'task.started', attempt: 1 },
      { type: 'task.started', attempt: 2 },
      { type: 'task.completed', attempt: null },
    ])
    expect(await violations(board.database.pool, { acknowledged: [id], received: new Map() })).toEqual([])
  })
})

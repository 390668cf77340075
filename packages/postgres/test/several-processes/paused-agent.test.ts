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

/** All that is stored about tasks, except the statuses of agents, which a process reports when it ends. */
const EVERYTHING = `select
  (select json_agg(t) from taskboard.task t) as tasks,
  (select json_agg(a order by a.fencing_token) from taskboard.attempt a) as attempts,
  (select json_agg(l) from taskboard.task_log l) as logs,
  (select json_agg(o) from taskboard.task_output o) as outputs,
  (select json_agg(e order by e.seq) from taskboard.event e where e.type <> 'agent.status') as events`

describe('an agent process that is paused past its lease and resumes', () => {
  it('changes nothing in the task, which another process has completed', async () => {
    const { taskboard, workspaceId, rows } = board
    const databaseUrl = board.database.url
    const agent = { concurrency: 1, leaseMs: 1_000, waits: false }
    const { id } = await taskboard.board(workspaceId).add({ title: 'Lost while asleep' })

    const paused = startProcess({ databaseUrl, agent: { ...agent, waits: true }, isStarted: true })
    expect(await paused.reported('running')).toMatchObject({ taskId: id, fencingToken: 1 })
    paused.signal('SIGSTOP')

    const other = startProcess({ databaseUrl, agent, isStarted: true })
    const done = await until(
      () => taskboard.board(workspaceId).get(id),
      ({ column }) => column === 'DONE',
    )
    await other.close()
    expect(done).toMatchObject({ attempts: 2, fencingToken: 2, result: `done by ${other.pid}` })
    const before = await rows(EVERYTHING)

    paused.order({ kind: 'finish' })
    paused.signal('SIGCONT')
    const { codes } = await paused.reported('late writes')
    await paused.close()
    expect(Object.keys(codes)).toHaveLength(9)
    expect(new Set(Object.values(codes))).toEqual(new Set(['CONFLICT']))
    expect(await rows(EVERYTHING)).toEqual(before)
    expect(await rows('select outcome from taskboard.attempt order by fencing_token')).toEqual([
      { outcome: 'expired' },
      { outcome: 'completed' },
    ])
    expect(await violations(board.database.pool, { acknowledged: [id], received: new Map() })).toEqual([])
  })
})

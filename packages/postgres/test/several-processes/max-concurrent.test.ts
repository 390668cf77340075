import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { violations } from '../faults/invariants.js'
import { endProcesses, startProcess } from '../processes/board-processes.js'
import { scripted, WORKER_TYPE } from '../processes/messages.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'

const TASKS = Number(process.env['BOUNDED_TASKS'] ?? 100)
const BOUND = 2
/** How often all processes find room at the same moment. */
const ROUNDS = 8
const agent = { concurrency: 3, leaseMs: 1_000, waits: false }

let board: SharedBoard
let agentId: string
beforeEach(async () => {
  board = await createSharedBoard(0)
  const { taskboard, workspaceId } = board
  agentId = (await taskboard.agents.create(workspaceId, { name: 'bounded', type: WORKER_TYPE })).id
})
afterEach(async () => {
  await endProcesses()
  await board.taskboard.close()
  await board.database.drop()
})

interface Interval {
  readonly from: number
  readonly to: number
}

/** The largest number of intervals that overlap. One that begins as another ends does not overlap it. */
function mostAtOnce(intervals: readonly Interval[]): number {
  const changes = intervals
    .flatMap(({ from, to }) => [
      { at: from, by: 1 },
      { at: to, by: -1 },
    ])
    .toSorted((a, b) => a.at - b.at || a.by - b.by)
  let most = 0
  changes.reduce((held, { by }) => {
    most = Math.max(most, held + by)
    return held + by
  }, 0)
  return most
}

const endedAttempts = () =>
  board.rows<Interval & { outcome: string }>(
    `select started_at::float8 as "from", ended_at::float8 as "to", outcome from taskboard.attempt
    where agent_id = $1`,
    agentId,
  )

const isAllDone = () =>
  until(
    () => board.rows(`select from taskboard.task where column_name <> 'DONE' limit 1`),
    (left) => left.length === 0,
    45_000,
  )

/** Lets the agent do what it has, and go on. A completion takes the next task at once, so that there is no room between two tasks. */
async function pauseOnce(): Promise<void> {
  const { taskboard, workspaceId } = board
  await taskboard.agents.update(workspaceId, agentId, { paused: true })
  await until(
    () => board.rows('select from taskboard.task where lease_agent_id = $1', agentId),
    (held) => held.length === 0,
  )
  await taskboard.agents.update(workspaceId, agentId, { paused: false })
}

/** Counts leases again and again; resolves to the largest count when `stop` is called. */
function watchLeases() {
  const over = new AbortController()
  let most = 0
  const watched = (async () => {
    while (!over.signal.aborted) {
      const [row] = await board.rows<{ held: number }>(
        'select count(*)::int4 as held from taskboard.task where lease_agent_id = $1',
        agentId,
      )
      most = Math.max(most, row?.held ?? 0)
      await sleep(3)
    }
    return most
  })()
  return () => {
    over.abort()
    return watched
  }
}

describe('an agent with a bound, worked by four processes', { timeout: 60_000 }, () => {
  it('never has more tasks at once, also when processes are killed', async () => {
    const { taskboard, workspaceId, database } = board
    await taskboard.agents.update(workspaceId, agentId, { maxConcurrent: BOUND })
    const inputs = Array.from({ length: TASKS }, (_, n) => ({ title: `${n}`, ...scripted({ workMs: 10 }) }))
    await taskboard.board(workspaceId).addAll(inputs)
    const start = (waits: boolean) =>
      startProcess({
        databaseUrl: database.url,
        agent: { ...agent, waits },
        isStarted: true,
        pollIntervalMs: 10,
      })
    const stop = watchLeases()

    const holder = start(true)
    await holder.reported('running')
    await until(
      () => board.rows('select from taskboard.task where lease_agent_id = $1', agentId),
      (held) => held.length === BOUND,
    )
    const others = [start(false), start(false), start(false)] as const
    await Promise.all(others.map((process) => process.reported('ready')))
    expect(await endedAttempts()).toEqual([])

    await holder.kill()
    await until(endedAttempts, (ended) => ended.length > BOUND)
    await others[0].kill()
    const late = start(false)
    await late.reported('ready')
    for (let round = 0; round < ROUNDS; round++) await pauseOnce()
    await isAllDone()
    await Promise.all([late, others[1], others[2]].map((process) => process.close()))

    expect(await stop()).toBe(BOUND)
    const attempts = await endedAttempts()
    expect(mostAtOnce(attempts)).toBe(BOUND)
    expect(attempts.filter(({ outcome }) => outcome === 'completed')).toHaveLength(TASKS)
    expect(attempts.filter(({ outcome }) => outcome === 'expired').length).toBeGreaterThanOrEqual(BOUND)
    expect(await violations(database.pool, { acknowledged: [], received: new Map() })).toEqual([])
  })

  it('takes nothing while it is paused, and goes on afterwards', async () => {
    const { taskboard, workspaceId, database } = board
    const other = await taskboard.agents.create(workspaceId, { name: 'other', type: WORKER_TYPE })
    await taskboard.agents.update(workspaceId, agentId, { paused: true })
    const tasks = taskboard.board(workspaceId)
    const own = await tasks.add({ title: 'its own', assignedTo: agentId, priority: 'urgent' })
    const others = Array.from({ length: 20 }, (_, n) => ({ title: `${n}` }))
    await tasks.addAll(others)
    const processes = Array.from({ length: 4 }, () =>
      startProcess({ databaseUrl: database.url, agent, isStarted: true }),
    )
    await until(
      () => board.rows(`select from taskboard.attempt where agent_id = $1`, other.id),
      (ended) => ended.length === others.length,
    )
    expect(await endedAttempts()).toEqual([])
    expect(await tasks.get(own.id)).toMatchObject({ column: 'TODO', attempts: 0, fencingToken: 0 })

    await taskboard.agents.update(workspaceId, agentId, { paused: false })
    await isAllDone()
    expect(await endedAttempts()).toHaveLength(1)
    await Promise.all(processes.map((process) => process.close()))
  })
})

import type { Task } from '@taskboard/core'
import type { ClaimByType, ClaimForAgent } from '@taskboard/core/storage'
import { createBenchDatabase, createBoard, LEASE_MS, only } from './board.js'
import { fillFloorCycle, floorCycleRate, prepareFloorCycle } from './floor-cycle.js'
import { compareRates, rateOf } from './measure.js'
import {
  fillGraphile,
  fillPgBoss,
  GRAPHILE,
  graphileRate,
  PG_BOSS,
  pgBossCycle,
  prepareGraphile,
  startPgBoss,
} from './peers.js'
import { atLeast, reportFigure } from './report.js'

/**
 * Tasks a second that the workers of one process complete, taking the next one with it, on about 100,000 tasks; attempts and
 * events are written. graphile-worker runs no-op jobs with its defaults, and also with a local queue. pg-boss runs as many
 * loops as there are workers, each of which fetches and completes one job at a time. Its fetch sorts all waiting jobs, so it
 * also gets a short queue, and the better result counts. Completed tasks are added again between rounds. The floor is the limit
 * on this machine: how far this is from it, and how far it is from graphile-worker.
 */
const TASKS = 100_000
const ROUND_MS = 2_500
const ROUNDS = 3
const LOCAL_QUEUE = 500
const SHORT_QUEUE = 3_000
const SHORT_ROUND_MS = 1_000

const board = await createBoard()
const { tasks } = board.storage
const byType: ClaimByType = { agentType: 'worker', leaseMs: LEASE_MS }
const forAgent: ClaimForAgent = {
  workspaceId: board.workspaceIds[0] ?? '',
  agentId: board.agentIds[0] ?? '',
  leaseMs: LEASE_MS,
}
const graphile = await createBenchDatabase()
await prepareGraphile(graphile)
const floor = await createBenchDatabase()
await prepareFloorCycle(floor.pool)
const bossDatabases = await Promise.all([createBenchDatabase(), createBenchDatabase()])
const bosses = await Promise.all([startPgBoss(bossDatabases[0]), startPgBoss(bossDatabases[1])])
await board.fill(TASKS)
await fillGraphile(graphile, TASKS)
await fillFloorCycle(floor.pool, TASKS)
await fillPgBoss(bosses[0], bossDatabases[0], TASKS)
await fillPgBoss(bosses[1], bossDatabases[1], SHORT_QUEUE)

async function ours(target: ClaimByType | ClaimForAgent, workers: number, ms: number): Promise<number> {
  const claim = async (): Promise<Task> => {
    const { tasks: found } = await ('agentType' in target
      ? tasks.claimTasks({ target, limit: 1 }, { now: null })
      : tasks.claimTasks({ target, limit: 1 }, { now: null }))
    return only(found)
  }
  const held = await Promise.all(Array.from({ length: workers }, claim))
  const rate = await rateOf(workers, ms, async (worker) => {
    const { id: taskId, workspaceId, fencingToken } = held[worker] as Task
    const done = await tasks.completeTask(
      { proof: { taskId, workspaceId, fencingToken }, result: 'done', next: target },
      {
        now: null,
      },
    )
    held[worker] = only(done.next?.tasks ?? [])
    return 1
  })
  await Promise.all(
    held.map(({ id: taskId, workspaceId, fencingToken }) =>
      tasks.completeTask(
        { proof: { taskId, workspaceId, fencingToken }, result: 'done', next: null },
        { now: null },
      ),
    ),
  )
  return rate
}

const ofBoard = { pool: board.database.pool, refill: (jobs: number): Promise<void> => board.fill(jobs) }
const ofFloor = {
  pool: floor.pool,
  refill: (jobs: number): Promise<void> => fillFloorCycle(floor.pool, jobs),
}
const ofGraphile = { refill: (jobs: number): Promise<void> => fillGraphile(graphile, jobs) }

const MOST_LOG_BYTES = 1_900
for (const { workers, overGraphile, overPgBoss, overFloor } of [
  { workers: 8, overGraphile: 1.15, overPgBoss: 4, overFloor: 0.45 },
  { workers: 50, overGraphile: 3, overPgBoss: 9, overFloor: 0.5 },
]) {
  const [type = 0, , theirs = 1, , deep = 1, shallow = 1, bare = 1] = await compareRates(
    `complete and take next, ${workers} workers`,
    [
      {
        name: 'taskboard, by agent type',
        ...ofBoard,
        mostLogBytes: MOST_LOG_BYTES,
        round: (ms) => ours(byType, workers, ms),
      },
      { name: 'taskboard, for one agent', ...ofBoard, round: (ms) => ours(forAgent, workers, ms) },
      { name: GRAPHILE, ...ofGraphile, round: (ms) => graphileRate(graphile, workers, ms, null) },
      {
        name: `${GRAPHILE} with a local queue of ${LOCAL_QUEUE}`,
        ...ofGraphile,
        round: (ms) => graphileRate(graphile, workers, ms, LOCAL_QUEUE),
      },
      {
        name: `${PG_BOSS}, fetch and complete one`,
        round: (ms) => rateOf(workers, ms, () => pgBossCycle(bosses[0])),
        refill: (jobs) => fillPgBoss(bosses[0], bossDatabases[0], jobs),
      },
      {
        name: `${PG_BOSS}, with ${SHORT_QUEUE} jobs waiting`,
        round: (ms) => rateOf(workers, Math.min(ms, SHORT_ROUND_MS), () => pgBossCycle(bosses[1])),
        refill: (jobs) => fillPgBoss(bosses[1], bossDatabases[1], jobs),
      },
      {
        name: 'the floor: one bare statement for all',
        ...ofFloor,
        round: (ms) => floorCycleRate(floor.pool, workers, ms),
      },
    ],
    { rounds: ROUNDS, roundMs: ROUND_MS, warmUpMs: 1_000 },
  )
  atLeast(
    `${workers} workers, complete and take next, to graphile-worker's default`,
    type / theirs,
    overGraphile,
  )
  atLeast(
    `${workers} workers, complete and take next, to pg-boss`,
    type / Math.max(deep, shallow),
    overPgBoss,
  )
  atLeast(`${workers} workers, complete and take next, to the floor`, type / bare, overFloor)
  reportFigure(`${workers} workers, the floor to graphile-worker's default`, bare / theirs, 'x')
}
await Promise.all(bosses.map((each) => each.stop({ graceful: false })))
await Promise.all([board, graphile, floor, ...bossDatabases].map((each) => each.end()))

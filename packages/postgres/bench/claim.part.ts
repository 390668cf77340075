import { createBoard, LEASE_MS, only } from './board.js'
import { claimFloor, fillFloor } from './floor-claim.js'
import { count, median, timed } from './measure.js'
import { atMost, reportFigure } from './report.js'

/**
 * The time of one claim without concurrency, on a small and on a large board, compared to the floor on the same tables. Single
 * claims take turns; the small board is refilled before half of it is used. `BENCH_TASKS` sets the size of the large board.
 */
const SMALL = 1_000
const LARGE = Number(process.env['BENCH_TASKS'] ?? 1_000_000)
const ROUNDS = 8
const CLAIMS_PER_ROUND = 200
const WARM_UP = 40

const boards = await Promise.all([createBoard(), createBoard()])
const [small, large] = boards
console.log(
  `   filling a board with ${count(LARGE)} tasks took ${count(await timed(() => large.fill(LARGE)))} ms`,
)
await fillFloor(large.database.pool)

const contestants = boards.flatMap(
  ({ storage, database, workspaceIds: [workspaceId = ''], agentIds: [agentId = ''] }) => [
    async () => {
      const request = { workspaceId, agentId, leaseMs: LEASE_MS }
      only((await storage.tasks.claimTasks({ target: request, limit: 1 }, { now: null })).tasks)
    },
    () => claimFloor(database.pool, workspaceId, agentId, LEASE_MS),
  ],
)
const times = contestants.map((): number[] => [])
for (let round = 0; round < ROUNDS; round++) {
  await small.database.pool.query('truncate taskboard.task, taskboard.todo cascade')
  await small.fill(SMALL)
  await fillFloor(small.database.pool)
  for (let turn = 0; turn < WARM_UP + CLAIMS_PER_ROUND; turn++) {
    for (const [index, claim] of contestants.entries()) {
      const took = await timed(claim)
      if (turn >= WARM_UP) times[index]?.push(took)
    }
  }
}

const [oursSmall = 0, floorSmall = 0, oursLarge = 0, floorLarge = 0] = times.map(median)
reportFigure(`claim p50 at ${count(SMALL)} tasks`, oursSmall, 'ms')
reportFigure(`claim p50 at ${count(LARGE)} tasks`, oursLarge, 'ms')
reportFigure(`static SKIP LOCKED p50 at ${count(SMALL)} tasks`, floorSmall, 'ms')
reportFigure(`static SKIP LOCKED p50 at ${count(LARGE)} tasks`, floorLarge, 'ms')
atMost(`claim p50 at ${count(LARGE)} tasks to that at ${count(SMALL)}`, oursLarge / oursSmall, 1.3)
atMost(`claim p50 to the static SKIP LOCKED claim's, at ${count(LARGE)} tasks`, oursLarge / floorLarge, 1.3)
atMost(`claim p50 to the static SKIP LOCKED claim's, at ${count(SMALL)} tasks`, oursSmall / floorSmall, 1.3)
await Promise.all(boards.map((board) => board.end()))

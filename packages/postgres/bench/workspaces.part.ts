import type { Task } from '@taskboard/core'
import { createBoard, LEASE_MS, only, type BenchBoard } from './board.js'
import { compareRates, median, rateOf, timed } from './measure.js'
import { newTask } from './new-task.js'
import { atLeast, atMost, reportFigure } from './report.js'

/**
 * Claims by agent type, where workspaces take turns, and adds: the same tasks in few workspaces and in many. With eight
 * workers, a batch on the many writes to as many logs as it does on the few.
 */
const TASKS = 100_000
const COUNTS = [10, 10_000]
const ROUNDS = 3
const CLAIMS_PER_ROUND = 300
const WARM_UP = 40
const WORKERS = 8
const request = { agentType: 'worker', leaseMs: LEASE_MS }
/** The tolerance for equal cost: the same as for a thousand times as many tasks. */
const AS_CHEAP = 1.3

const boards: BenchBoard[] = []
for (const count of COUNTS) {
  const board = await createBoard(count)
  await board.fill(TASKS)
  boards.push(board)
}

let added = 0
const add = ({ storage, workspaceIds }: BenchBoard): Promise<unknown> => {
  const workspaceId = workspaceIds[added++ % workspaceIds.length] ?? ''
  return storage.tasks.insertTask(
    { task: newTask(workspaceId), actor: { kind: 'host', id: null }, idempotency: null },
    { now: null },
  )
}
const claim = async ({ storage }: BenchBoard): Promise<Task> =>
  only((await storage.tasks.claimTasks({ target: request, limit: 1 }, { now: null })).tasks)

for (const { name, work } of [
  { name: 'claim by agent type', work: claim },
  { name: 'add', work: add },
]) {
  const times = boards.map((): number[] => [])
  for (let turn = 0; turn < WARM_UP + ROUNDS * CLAIMS_PER_ROUND; turn++) {
    for (const [index, board] of boards.entries()) {
      const took = await timed(() => work(board))
      if (turn >= WARM_UP) times[index]?.push(took)
    }
  }
  const [few = 0, many = 0] = times.map(median)
  for (const [index, p50] of [few, many].entries())
    reportFigure(`${name} p50 with ${COUNTS[index]} workspaces`, p50, 'ms')
  atMost(`${name} p50 with ${COUNTS[1]} workspaces to that with ${COUNTS[0]}`, many / few, AS_CHEAP)
}

async function cycle(board: BenchBoard, ms: number): Promise<number> {
  const { tasks } = board.storage
  const held = await Promise.all(Array.from({ length: WORKERS }, () => claim(board)))
  return rateOf(WORKERS, ms, async (worker) => {
    const { id: taskId, workspaceId, fencingToken } = held[worker] as Task
    const { next } = await tasks.completeTask(
      { proof: { taskId, workspaceId, fencingToken }, result: 'done', next: request },
      {
        now: null,
      },
    )
    held[worker] = only(next?.tasks ?? [])
    return 1
  })
}
const [few = 1, many = 0] = await compareRates(
  `complete and take next, ${WORKERS} workers`,
  boards.map((board, index) => ({
    name: `${COUNTS[index]} workspaces`,
    round: (ms: number) => cycle(board, ms),
  })),
  { rounds: ROUNDS, roundMs: 1_500, warmUpMs: 500 },
)
atLeast(
  `complete and take next with ${COUNTS[1]} workspaces to that with ${COUNTS[0]}`,
  many / few,
  1 / AS_CHEAP,
)
await Promise.all(boards.map((board) => board.end()))

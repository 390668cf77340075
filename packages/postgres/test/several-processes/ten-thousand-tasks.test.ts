import { priorities, type Task } from '@taskboard/core'
import type { NewTask } from '@taskboard/core/storage'
import { newTask } from '@taskboard/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { violations } from '../faults/invariants.js'
import { endProcesses, startProcess } from '../processes/board-processes.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'
import { postgresStorage } from '../../src/postgres-storage.js'
import { rankErrors } from './rank-errors.js'

const TASKS = 10_000
const PROCESSES = 4
const AGENTS_EACH = 2
const MOST_MEAN_RANK_ERROR = 2
const AGES = 500
const HOUR_MS = 3_600_000

let board: SharedBoard
beforeEach(async () => {
  board = await createSharedBoard(PROCESSES * AGENTS_EACH)
})
afterEach(async () => {
  await endProcesses()
  await board.database.drop()
})

/** A task with any priority, with a due date or none; every factor keeps its slope for at least half an hour. */
function taskNumber(n: number, workspaceId: string, now: number): NewTask {
  const dueHours = ((n * 37) % 528) - 48.5
  return newTask({
    workspaceId,
    title: `Task ${n}`,
    priority: priorities[n % priorities.length] ?? 'medium',
    dueDate: n % 3 === 0 ? null : now + dueHours * HOUR_MS,
  })
}

/** Adds tasks as if over the last weeks, and places them as of now. */
async function addTasks({
  database,
  taskboard,
  workspaceId,
}: SharedBoard): Promise<ReadonlyMap<string, Task>> {
  const { tasks } = postgresStorage({ pool: database.pool })
  const now = Date.now()
  const added = await Promise.all(
    Array.from({ length: TASKS }, async (_, n) => {
      const ageHours = 1.5 + (n % AGES)
      const at = { now: now - ageHours * HOUR_MS }
      const task = taskNumber(Math.floor(n / AGES) + n, workspaceId, now)
      return (await tasks.insertTask({ task, actor: { kind: 'host', id: null }, idempotency: null }, at))
        .value
    }),
  )
  await taskboard.rescore()
  return new Map(added.map((task) => [task.id, task]))
}

it(
  'eight agents in four processes complete ten thousand tasks once each, in order',
  { timeout: 300_000 },
  async (context) => {
    const { database, rows } = board
    const tasks = await addTasks(board)
    const agent = { concurrency: AGENTS_EACH, leaseMs: 60_000, waits: false }
    const processes = Array.from({ length: PROCESSES }, () =>
      startProcess({ databaseUrl: database.url, agent, isStarted: true }),
    )
    const startedAt = performance.now()
    await until(
      () => rows(`select from taskboard.task where column_name <> 'DONE' limit 1`),
      (left) => left.length === 0,
      240_000,
    )
    const seconds = (performance.now() - startedAt) / 1_000
    await Promise.all(processes.map((process) => process.close()))

    expect(
      await rows(`select count(*)::int4 as done, count(distinct result)::int4 as processes, max(fencing_token)::int4 as claims
      from taskboard.task where column_name = 'DONE'`),
    ).toEqual([{ done: TASKS, processes: PROCESSES, claims: 1 }])
    expect(
      await rows(`select outcome, count(*)::int4 as n, count(distinct agent_id)::int4 as agents
      from taskboard.attempt group by outcome`),
    ).toEqual([{ outcome: 'completed', n: TASKS, agents: PROCESSES * AGENTS_EACH }])
    expect(
      await rows(`select type, count(*)::int4 as n, count(distinct data ->> 'taskId')::int4 as tasks
      from taskboard.event where type in ('task.started', 'task.completed') group by type order by type`),
    ).toEqual([
      { type: 'task.completed', n: TASKS, tasks: TASKS },
      { type: 'task.started', n: TASKS, tasks: TASKS },
    ])
    expect(await violations(database.pool, { acknowledged: tasks.keys(), received: new Map() })).toEqual([])

    const claims = await rows<{ taskId: string; at: number }>(
      `select data ->> 'taskId' as "taskId", at::float8 as at from taskboard.event
      where type = 'task.started' order by seq`,
    )
    const errors = rankErrors(claims.map(({ taskId, at }) => ({ task: tasks.get(taskId) as Task, at })))
    const mean = errors.reduce((sum, error) => sum + error, 0) / TASKS
    await context.annotate(
      `mean rank error ${mean.toFixed(3)}, largest ${Math.max(...errors)}; ${seconds.toFixed(1)} s`,
    )
    expect(mean).toBeLessThanOrEqual(MOST_MEAN_RANK_ERROR)
  },
)

import type { ListedTaskInput } from '@taskboard/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { violations } from '../faults/invariants.js'
import { endProcesses, startProcess } from '../processes/board-processes.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'

/** More by the environment: ten thousand take about a minute. */
const TASKS = Number(process.env['ROUTED_TASKS'] ?? 900)
const PROCESSES = 4
const PART = 150
const types = ['writer', 'painter', null] as const

let board: SharedBoard
beforeEach(async () => {
  board = await createSharedBoard(0)
})
afterEach(async () => {
  await endProcesses()
  await board.taskboard.close()
  await board.database.drop()
})

/** Adds tasks of both types, and of none. */
async function addTasks(count: number, type?: string): Promise<void> {
  const { taskboard, workspaceId } = board
  const inputs = Array.from({ length: count }, (_, n): ListedTaskInput => {
    return { title: `task ${n}`, type: type ?? types[n % types.length] ?? null }
  })
  for (let at = 0; at < count; at += PART)
    await taskboard.board(workspaceId).addAll(inputs.slice(at, at + PART))
}

async function addAgent(type: string): Promise<string> {
  return (await board.taskboard.agents.create(board.workspaceId, { name: type, type })).id
}

/** The database's time, once all that waits has its route. */
async function settled(): Promise<number> {
  await until(
    () => board.rows('select from taskboard.rerouting'),
    (left) => left.length === 0,
  )
  return now()
}

async function now(): Promise<number> {
  const [row] = await board.rows<{ at: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at',
  )
  return row?.at ?? NaN
}

interface Taken {
  readonly agentId: string
  readonly type: string | null
  readonly at: number
}

/** Every attempt that has ended, with the type of its task. */
const takenSince = (at: number): Promise<readonly Taken[]> =>
  board.rows<Taken>(
    `select a.agent_id as "agentId", t.type, a.started_at::float8 as at
    from taskboard.attempt a join taskboard.task t on t.id = a.task_id where a.started_at >= $1`,
    at,
  )

/** Until the writer has done a painter's task that it took after `at`. */
const untilWriterPaints = (writer: string, at: number) =>
  until(
    () => takenSince(Math.ceil(at)),
    (taken) => taken.some(({ agentId, type }) => agentId === writer && type === 'painter'),
  )

it('no task is with an agent of another type while its own type is there, and all are worked', async () => {
  const { taskboard, workspaceId, database, rows } = board
  await addTasks(TASKS / 3)
  const agent = { types: ['writer', 'painter'], concurrency: 2, leaseMs: 60_000, waits: false }
  const processes = Array.from({ length: PROCESSES }, () =>
    startProcess({ databaseUrl: database.url, agent, isStarted: true }),
  )
  await Promise.all(processes.map((process) => process.reported('ready')))

  const writer = await addAgent('writer')
  await untilWriterPaints(writer, 0)
  const [painter] = await Promise.all([addAgent('painter'), addTasks(TASKS / 3)])
  const from = await settled()
  await taskboard.agents.update(workspaceId, painter, { paused: true })
  await until(
    () => rows('select from taskboard.task where lease_agent_id = $1', painter),
    (worked) => worked.length === 0,
  )
  await addTasks(PART, 'painter')
  const to = await now()
  await taskboard.agents.delete(workspaceId, painter)
  await untilWriterPaints(writer, to)

  const second = await addAgent('painter')
  const again = await settled()
  await addTasks(TASKS / 3)
  await until(
    () => rows(`select from taskboard.task where column_name <> 'DONE' limit 1`),
    (left) => left.length === 0,
    240_000,
  )
  await Promise.all(processes.map((process) => process.close()))

  const taken = await takenSince(0)
  expect(taken).toHaveLength(TASKS + PART)
  const isPaintersTime = ({ at }: Taken) => (at >= from && at < to) || at >= again
  const astray = taken.filter(
    (one) =>
      (one.type === 'painter' && one.agentId === writer && isPaintersTime(one)) ||
      (one.type === 'writer' && one.agentId !== writer),
  )
  expect(astray).toEqual([])
  for (const painting of [painter, second]) {
    expect(taken.some(({ agentId, type }) => agentId === painting && type === 'painter')).toBe(true)
  }
  expect(
    await rows(`select max(fencing_token)::int4 as claims, count(distinct result)::int4 as processes
    from taskboard.task`),
  ).toEqual([{ claims: 1, processes: PROCESSES }])
  const witness = { acknowledged: [], received: new Map(), areTitlesUnique: false }
  expect(await violations(database.pool, witness)).toEqual([])
}, 300_000)

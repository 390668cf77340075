import { createTaskboard, defineAgent, type Taskboard } from '@taskboard/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { createTestPool } from '@taskboard/kit/postgres/test-database'
import { postgresStorage } from '../../src/postgres-storage.js'
import type { PgConnection } from '../../src/connection/pool.js'
import { ENCRYPTION_KEY, WORKER_TYPE } from '../processes/messages.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'

/** So long that no heartbeat can be the cause of the signal. */
const LEASE_MS = 86_400_000
const NEVER_MS = 3_600_000

let board: SharedBoard
const ends: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  board = await createSharedBoard()
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
  await board.taskboard.close()
  await board.database.drop()
})

/** Starts a process with one slot, whose runs wait for their signal on a task with the title `taken`. */
async function startWorker(options: { readonly listen: boolean; readonly pollIntervalMs: number }) {
  const began: string[] = []
  const reasons: unknown[] = []
  const pool = createTestPool({ connectionString: board.database.url, max: 4 })
  const taskboard = createTaskboard<PgConnection>({
    storage: postgresStorage({ pool, listen: options.listen }),
    pollIntervalMs: options.pollIntervalMs,
    secrets: { encryptionKey: ENCRYPTION_KEY },
    agents: [
      defineAgent({
        type: WORKER_TYPE,
        leaseMs: LEASE_MS,
        async run({ title }, { signal }) {
          began.push(title)
          if (title !== 'taken') return 'done'
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          reasons.push(signal.reason)
          return 'dropped'
        },
      }),
    ],
  })
  ends.push(
    () => pool.end(),
    () => taskboard.close({ drainTimeoutMs: 0 }),
  )
  await taskboard.start()
  return { taskboard, began, reasons }
}

type Take = (from: Taskboard<PgConnection>, taskId: string) => Promise<unknown>

const takings: readonly (readonly [string, Take])[] = [
  ['cancelled', (from, id) => from.board(board.workspaceId).cancel(id)],
  ['moved', (from, id) => from.board(board.workspaceId).move(id, 'DONE')],
  ['held', (from, id) => from.board(board.workspaceId).hold(id, { reason: 'approval' })],
  ['deleted', (from, id) => from.board(board.workspaceId).delete(id)],
  [
    'assigned to another agent',
    async (from, id) => {
      const other = await from.agents.create(board.workspaceId, { name: 'Other', type: 'other' })
      await from.board(board.workspaceId).update(id, { assignedTo: other.id })
    },
  ],
  [
    'cancelled within a transaction',
    (from, id) => from.transaction((tx) => from.board(board.workspaceId).cancel(id, { tx })),
  ],
]

const ways = [
  ['on the commit in the same process', { listen: false, pollIntervalMs: NEVER_MS }, true],
  ['on the notification from another', { listen: true, pollIntervalMs: NEVER_MS }, false],
  ['at the next poll without LISTEN', { listen: false, pollIntervalMs: 50 }, false],
] as const

/** The first statuses that were reported of the worker's agent, once there are `count`. */
const untilReported = (count: number) =>
  until(
    () =>
      board.rows<{ status: string }>(
        `select data ->> 'status' as status from taskboard.event where type = 'agent.status' order by seq`,
      ),
    (rows) => rows.length >= count,
  )

describe.each(ways)('a run whose task is revoked gets its signal %s', (_, options, isOwn) => {
  it.each(takings)('when the task is %s, and its slot is free', async (_name, take) => {
    const worker = await startWorker(options)
    const from = isOwn ? worker.taskboard : board.taskboard
    const { id } = await from.board(board.workspaceId).add({ title: 'taken', priority: 'urgent' })
    await until(
      () => worker.began,
      (began) => began.includes('taken'),
    )
    // A report that is still under way would cancel out with the next ones.
    await untilReported(1)
    await from.board(board.workspaceId).add({ title: 'waiting' })
    await take(from, id)
    const seen = () => ({ began: worker.began, reasons: worker.reasons.length })
    await until(seen, ({ began, reasons }) => reasons === 1 && began.includes('waiting'))
    expect(worker.reasons).toEqual([expect.objectContaining({ code: 'CONFLICT' })])
    const statuses = await untilReported(3)
    expect(statuses.slice(0, 3).map(({ status }) => status)).toEqual(['busy', 'available', 'busy'])
  })
})

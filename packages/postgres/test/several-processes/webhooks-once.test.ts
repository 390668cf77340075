import { webhookReceiver, type WebhookReceiver } from '@taskboard/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { bodiesById, violations } from '../faults/invariants.js'
import { endProcesses, startProcess } from '../processes/board-processes.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'

const PROCESSES = 4
const TASKS = 250
const EVENTS = ['task.created', 'task.started', 'task.completed'] as const

let board: SharedBoard
let receiver: WebhookReceiver
beforeEach(async () => {
  board = await createSharedBoard(PROCESSES)
  receiver = await webhookReceiver()
})
afterEach(async () => {
  await endProcesses()
  await receiver.close()
  await board.database.drop()
})

it(
  'four processes that work and deliver send each event to a webhook once when nothing fails',
  { timeout: 60_000 },
  async () => {
    const { taskboard, workspaceId, database, rows } = board
    const events = [...EVENTS]
    await taskboard.webhooks.register(workspaceId, { url: receiver.url, events, secret: 'a secret of both' })
    const agent = { concurrency: 1, leaseMs: 60_000, waits: false }
    const processes = Array.from({ length: PROCESSES }, () =>
      startProcess({ databaseUrl: database.url, agent, isStarted: true }),
    )
    await Promise.all(processes.map((process) => process.reported('ready')))
    const added = await Promise.all(
      Array.from({ length: TASKS }, (_, n) => taskboard.board(workspaceId).add({ title: `Task ${n}` })),
    )
    await until(
      async () => {
        const [row] = await rows<{ succeeded: number }>(
          `select count(*)::int4 as succeeded from taskboard.delivery where status = 'succeeded'`,
        )
        return row?.succeeded
      },
      (succeeded) => succeeded === TASKS * EVENTS.length,
      45_000,
    )
    await Promise.all(processes.map((process) => process.close()))

    const deliveries = await rows<{ id: string; event: string }>(
      `select id, event ->> 'type' as event from taskboard.delivery`,
    )
    expect(deliveries).toHaveLength(TASKS * EVENTS.length)
    const sent = receiver.deliveries.map(({ id, event }) => `${id ?? ''} ${event ?? ''}`)
    expect(sent.toSorted()).toEqual(deliveries.map(({ id, event }) => `${id} ${event}`).toSorted())
    const bodies = new Set(receiver.deliveries.map(({ body }) => body.toString('utf8')))
    expect(bodies.size).toBe(TASKS * EVENTS.length)
    const received = bodiesById(receiver.deliveries)
    const acknowledged = added.map(({ id }) => id)
    expect(await violations(database.pool, { acknowledged, received })).toEqual([])
  },
)

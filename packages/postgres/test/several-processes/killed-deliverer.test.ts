import { webhookReceiver, type WebhookReceiver } from '@taskboard/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '@taskboard/kit/processes/until'
import { bodiesById, violations } from '../faults/invariants.js'
import { endProcesses, startProcess } from '../processes/board-processes.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'

/** Longer than a deliverer may keep its claims. */
const CLAIM_IS_OVER_MS = 600_000

let board: SharedBoard
let receiver: WebhookReceiver
beforeEach(async () => {
  board = await createSharedBoard()
  receiver = await webhookReceiver()
})
afterEach(async () => {
  await endProcesses()
  await receiver.close()
  await board.database.drop()
})

const RECORD = 'record_delivery_results'

describe('another process, after a deliverer was killed when the receiver had answered 200', () => {
  it.each([
    ['sends the same delivery again when the result was not stored', 'before', 2],
    ['sends nothing again when the result was stored', 'after', 1],
  ] as const)('%s', async (_title, when, sends) => {
    const { taskboard, workspaceId } = board
    const databaseUrl = board.database.url
    const webhook = await taskboard.webhooks.register(workspaceId, {
      url: receiver.url,
      events: ['task.created'],
      secret: 'a secret of both',
    })
    const added = await taskboard.board(workspaceId).add({ title: 'Sent' })

    const killed = startProcess({ databaseUrl, isStarted: true, held: { statement: RECORD, when } })
    await killed.reported('held')
    expect(receiver.deliveries).toHaveLength(1)
    await killed.kill()

    const addedLater = await taskboard.board(workspaceId).add({ title: 'Sent by the other process' })
    const acknowledged = [added.id, addedLater.id]
    const other = startProcess({ databaseUrl, isStarted: true, clockAheadMs: CLAIM_IS_OVER_MS })
    const [later, earlier] = await until(
      async () => (await taskboard.webhooks.deliveries(workspaceId, webhook.id)).deliveries,
      (deliveries) => deliveries.every(({ status }) => status === 'succeeded'),
    )
    await other.close()
    expect(later).toMatchObject({ attemptCount: 1 })
    expect(earlier).toMatchObject({ attemptCount: 1 })
    const [first] = receiver.deliveries
    expect(first?.id).toBe(earlier?.id)
    const ofFirst = receiver.deliveries.filter(({ id }) => id === first?.id)
    expect(ofFirst.map(({ event, body }) => [event, body.toString('hex')])).toEqual(
      Array.from({ length: sends }, () => ['task.created', first?.body.toString('hex')]),
    )
    expect(receiver.deliveries).toHaveLength(sends + 1)
    const received = bodiesById(receiver.deliveries)
    expect(await violations(board.database.pool, { acknowledged, received, isQuiet: false })).toEqual([])
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endProcesses, startProcess } from '../processes/board-processes.js'
import { createSharedBoard, type SharedBoard } from '../processes/shared-board.js'
import { until } from '../processes/until.js'
import { startReceiver, type WebhookReceiver } from '../processes/webhook-receiver.js'

/** Longer than a deliverer may keep what it has claimed. */
const CLAIM_IS_OVER_MS = 600_000

let board: SharedBoard
let receiver: WebhookReceiver
beforeEach(async () => {
  board = await createSharedBoard()
  receiver = await startReceiver()
})
afterEach(async () => {
  await endProcesses()
  await receiver.close()
  await board.database.drop()
})

const RECORD = 'record_delivery_results'

describe('another process, after a deliverer was killed when the receiver had answered 200', () => {
  it.each([
    { title: 'sends the same again, when it had not stored the result', when: 'before', sends: 2 },
    { title: 'sends nothing again, when it had stored the result', when: 'after', sends: 1 },
  ] as const)('$title', async ({ when, sends }) => {
    const { taskboard, workspaceId } = board
    const databaseUrl = board.database.url
    const webhook = await taskboard.webhooks.register(workspaceId, {
      url: receiver.url,
      events: ['task.created'],
      secret: 'a secret of both',
    })
    await taskboard.board(workspaceId).add({ title: 'Told of' })

    const killed = startProcess({ databaseUrl, isStarted: true, held: { statement: RECORD, when } })
    await killed.reported('held')
    expect(receiver.received).toHaveLength(1)
    await killed.kill()

    await taskboard.board(workspaceId).add({ title: 'Told of by the other process' })
    const other = startProcess({ databaseUrl, isStarted: true, clockAheadMs: CLAIM_IS_OVER_MS })
    const [later, earlier] = await until(
      async () => (await taskboard.webhooks.deliveries(workspaceId, webhook.id)).deliveries,
      (deliveries) => deliveries.every(({ status }) => status === 'succeeded'),
    )
    await other.close()
    expect(later).toMatchObject({ attemptCount: 1 })
    expect(earlier).toMatchObject({ attemptCount: 1 })
    const [first] = receiver.received
    expect(first?.id).toBe(earlier?.id)
    const ofFirst = receiver.received.filter(({ id }) => id === first?.id)
    expect(ofFirst.map(({ event, bytes }) => [event, bytes])).toEqual(
      Array.from({ length: sends }, () => ['task.created', first?.bytes]),
    )
    expect(receiver.received).toHaveLength(sends + 1)
  })
})

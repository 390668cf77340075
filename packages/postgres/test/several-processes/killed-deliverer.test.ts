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

describe('a deliverer process that is killed after the receiver has answered 200', () => {
  it.each([
    { title: 'before it stored the result', when: 'before', sends: 2 },
    { title: 'before it heard that the result was stored', when: 'after', sends: 1 },
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

    const other = startProcess({ databaseUrl, isStarted: true, clockAheadMs: CLAIM_IS_OVER_MS })
    const [delivery] = await until(
      async () => (await taskboard.webhooks.deliveries(workspaceId, webhook.id)).deliveries,
      ([only]) => only?.status === 'delivered',
    )
    await other.close()
    expect(delivery).toMatchObject({ attemptCount: 1 })
    const [first] = receiver.received
    expect(first?.id).toBe(delivery?.id)
    expect(receiver.received).toEqual(Array.from({ length: sends }, () => first))
  })
})

import { createEndpointGuard, systemClock, systemRandom } from '@taskboard/core/storage'
import {
  createDeliverer,
  createEnvironment,
  createUndiciSender,
  ephemeralSecretBox,
  resolveWebhookSettings,
  systemResolver,
} from '@taskboard/kit/inside/core'
import type { PgConnection } from '../src/index.js'
import { createBoard } from './board.js'
import { median } from './measure.js'
import { startReceiver } from './receiver.js'
import { atMost, reportFigure } from './report.js'

/**
 * The delay of an account's deliveries, from the event's commit to the answer of its endpoint: alone, and beside an account
 * with a backlog for a hundred webhooks at endpoints that never answer.
 */
const HANGING = 100
const BACKLOG = 20
const DELIVERIES = 200

const receiver = await startReceiver()
const board = await createBoard()
const { storage } = board
const at = { now: null }
const draft = { type: 'order.new', data: {} } as const

async function addTenant(webhooks: number, path: string): Promise<string> {
  const input = { name: path, tier: 'enterprise', workspaceName: path, agent: null } as const
  const { workspace } = await storage.access.insertAccount(input, at)
  for (let index = 0; index < webhooks; index++) {
    const url = `${receiver.origin}/${path}/${index}`
    await storage.webhooks.insertWebhook(
      {
        webhook: { workspaceId: workspace.id, url, events: ['order.new'], secrets: [], weakSecret: false },
        idempotency: null,
      },
      at,
    )
  }
  return workspace.id
}

const quiet = await addTenant(1, 'quick')
const busy = await addTenant(HANGING, 'hang')
let onAnswer: () => void = () => undefined
const sender = createUndiciSender({
  clock: systemClock,
  guard: createEndpointGuard({ allow: ['127.0.0.1'] }),
  resolver: systemResolver,
})
const deliverer = createDeliverer<PgConnection>({
  environment: createEnvironment(),
  store: storage.webhooks,
  secrets: ephemeralSecretBox(systemRandom),
  sender: {
    ...sender,
    async send(request) {
      const result = await sender.send(request)
      if (request.url.includes('/quick/')) onAnswer()
      return result
    },
  },
  settings: resolveWebhookSettings({ mostPerHostPerMinute: 1_000_000 }),
  pollIntervalMs: 1_000,
})
const stopListening = storage.events.onCommit(() => deliverer.wake())
deliverer.start()

async function latenesses(): Promise<number[]> {
  const late: number[] = []
  for (let index = 0; index < DELIVERIES; index++) {
    const answered = new Promise<void>((resolve) => (onAnswer = resolve))
    await storage.events.appendEvent({ workspaceId: quiet, event: draft }, at)
    const committedAt = performance.now()
    await answered
    late.push(performance.now() - committedAt)
  }
  return late
}

await latenesses()
const alone = median(await latenesses())
for (let event = 0; event < BACKLOG; event++)
  await storage.events.appendEvent({ workspaceId: busy, event: draft }, at)
const beside = median(await latenesses())
reportFigure('a delivery of an account alone', alone, 'ms')
atMost('beside an account with a hundred webhooks that hang, to alone', beside / alone, 1.5)
stopListening()
await deliverer.stop({ drainTimeoutMs: 0 })
receiver.stop()
await board.end()

import { Worker } from 'node:worker_threads'
import { Pool } from 'undici'
import { recordFigure } from '@taskboard/kit/bench/figure'
import { ephemeralSecretBox } from '../src/access/index.js'
import { createEnvironment, systemClock, systemRandom } from '../src/environment/index.js'
import { encodePayload, type LoggedEvent } from '../src/events/index.js'
import { createDeliverer, type DelivererDeps } from '../src/webhooks/deliverer.js'
import { createEndpointGuard } from '../src/webhooks/endpoint-guard.js'
import { secretContext } from '../src/webhooks/signing-keys.js'
import { systemResolver } from '../src/webhooks/resolver.js'
import { createUndiciSender } from '../src/webhooks/undici-sender.js'
import { resolveBounds } from '../src/limits/index.js'
import { resolveWebhookSettings } from '../src/webhooks/webhook-options.js'
import type { ClaimedDelivery, DeliveryTarget } from '../src/webhooks/webhook-store.js'

/**
 * Deliveries a second (claimed, rendered, signed, sent and recorded), compared with plain undici posts of the same bytes, as many at
 * once, to the same receiver (in its own thread). The storage is an array, so the ratio is the deliverer's own cost. Rounds
 * alternate, and the median counts.
 */
const DELIVERIES = 10_000
const IN_FLIGHT = 50
const WEBHOOKS = 10
const ROUNDS = 5

const receiver = new Worker(
  `const { createServer } = require('node:http')
   const { parentPort } = require('node:worker_threads')
   const server = createServer((request, response) => request.resume().on('end', () => response.end()))
   server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`,
  { eval: true },
)
const port = await new Promise<number>((resolve) => receiver.once('message', resolve))
const origin = `http://127.0.0.1:${port}`

const event: LoggedEvent = {
  id: 'log_1',
  workspaceId: 'ws_1',
  seq: 1,
  at: Date.UTC(2026, 0, 1),
  payloadVersion: 1,
  type: 'task.completed',
  data: {
    taskId: 'task_01j9zq3x8k2m4n6p8r0t2v4w6y',
    title: 'Compare three suppliers',
    status: 'DONE',
    startedAt: Date.UTC(2026, 0, 1),
    completedAt: Date.UTC(2026, 0, 1, 1),
    result: 'x'.repeat(500),
  },
}
const box = ephemeralSecretBox(systemRandom)
const webhooks = Array.from({ length: WEBHOOKS }, (_, index): DeliveryTarget => ({
  id: `wh_${index}`,
  workspaceId: 'ws_1',
  accountId: 'acc_1',
  url: `${origin}/hooks`,
  secrets: [box.seal('a shared secret', secretContext('ws_1'))],
}))

function toClaim(index: number): ClaimedDelivery {
  const webhook = webhooks[index % WEBHOOKS] as DeliveryTarget
  const state = { status: 'pending', attemptCount: 0, attempts: [], nextAttemptAt: 0, createdAt: 0 } as const
  const delivery = { id: `evt_${index}`, webhookId: webhook.id, workspaceId: 'ws_1', event, ...state }
  return { delivery, webhook, claimToken: String(index) }
}

async function delivered(): Promise<void> {
  const queues = webhooks.map((_, first) =>
    Array.from({ length: DELIVERIES / WEBHOOKS }, (__, turn) => toClaim(first + turn * WEBHOOKS)),
  )
  let recorded = 0
  let finish = (): void => undefined
  const finished = new Promise<void>((resolve) => (finish = resolve))
  const store: DelivererDeps['store'] = {
    async claimDueDeliveries({ limit: room, perAccount, perWebhook, excludeAccountIds, excludeWebhookIds }) {
      const limit = excludeAccountIds.length > 0 ? 0 : Math.min(room, perAccount)
      const deliveries: ClaimedDelivery[] = []
      for (const [index, queue] of queues.entries()) {
        if (excludeWebhookIds.includes(`wh_${index}`)) continue
        deliveries.push(...queue.splice(0, Math.min(perWebhook, limit - deliveries.length)))
      }
      return { deliveries, nextDueInMs: null }
    },
    claimNewDeliveries: () => () => undefined,
    async readTargets({ webhookIds }) {
      return webhooks.filter(({ id }) => webhookIds.includes(id))
    },
    async recordDeliveryResults({ results }) {
      for (const { outcome } of results)
        if (outcome.kind !== 'succeeded') throw new Error('a delivery failed')
      recorded += results.length
      if (recorded === DELIVERIES) finish()
    },
  }
  const guard = createEndpointGuard({ allow: ['127.0.0.1'] })
  const deliverer = createDeliverer({
    environment: createEnvironment(),
    store,
    secrets: box,
    sender: createUndiciSender({ clock: systemClock, guard, resolver: systemResolver }),
    settings: resolveWebhookSettings(
      { mostPerHostPerMinute: 1_000_000 },
      resolveBounds({
        maxDeliveriesPerAccount: IN_FLIGHT,
        maxDeliveriesPerWebhook: IN_FLIGHT / WEBHOOKS,
      }),
    ),
    pollIntervalMs: null,
  })
  deliverer.start()
  await finished
  await deliverer.stop()
}

async function posted(): Promise<void> {
  const pool = new Pool(origin)
  const body = Buffer.from(encodePayload(event))
  const headers = { 'Content-Type': 'application/json', 'X-Service-Signature': 'x'.repeat(71) }
  let left = DELIVERIES
  const one = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await pool.request({ method: 'POST', path: '/hooks', headers, body })
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, one))
  await pool.destroy()
}

async function rate(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (DELIVERIES / (performance.now() - startedAt)) * 1_000
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}

const ours: number[] = []
const floor: number[] = []
await rate(delivered)
await rate(posted)
for (let round = 0; round < ROUNDS; round++) {
  ours.push(await rate(delivered))
  floor.push(await rate(posted))
}
const [a, b] = [median(ours), median(floor)]
recordFigure({ what: 'webhook deliveries to undici alone', value: (a / b) * 100, unit: '%' })
console.log(
  `deliveries a second: ${Math.round(a)}, undici alone: ${Math.round(b)}, ratio ${(a / b).toFixed(2)}`,
)
await receiver.terminate()

import type { Storage } from '@taskboard/core'
import { Pool } from 'undici'
import { createEndpointGuard, systemClock, systemRandom } from '@taskboard/core/storage'
import {
  createDeliverer,
  createEnvironment,
  createUndiciSender,
  ephemeralSecretBox,
  resolveBounds,
  resolveWebhookSettings,
  secretContext,
  systemResolver,
} from '@taskboard/kit/inside/core'
import type { PgConnection } from '../src/index.js'
import { createBoard } from './board.js'
import { compareRates, type Contestant } from './measure.js'
import { startReceiver } from './receiver.js'
import { atLeast } from './report.js'

/**
 * Deliveries a second to a receiver in a separate process, with the same number in flight: the deliverer, which claims and
 * records in batches; the same sender with two statements a delivery, as a host would write it; and undici alone.
 */
const DELIVERIES = 8_000
const BY_HAND = 2_000
const IN_FLIGHT = 50
const WEBHOOKS = 40
const BODY_BYTES = 700

const receiver = await startReceiver()
const board = await createBoard()
const [workspaceId = ''] = board.workspaceIds
const { storage } = board
const { pool } = board.database
const manyConnections = board.database.morePool(20)
const box = ephemeralSecretBox(systemRandom)
const guard = createEndpointGuard({ allow: ['127.0.0.1'] })
const newSender = () => createUndiciSender({ clock: systemClock, guard, resolver: systemResolver })

for (let index = 0; index < WEBHOOKS; index++) {
  const secrets = [{ sealed: box.seal('a shared secret', secretContext(workspaceId)), expiresAt: null }]
  const webhook = {
    workspaceId,
    url: `${receiver.origin}/hooks`,
    events: ['task.completed'] as const,
    secrets,
    weakSecret: false,
  }
  await storage.webhooks.insertWebhook({ webhook, idempotency: null }, { now: null })
}

/** Due deliveries of one event of a typical size. */
async function fill(deliveries: number): Promise<void> {
  await pool.query('delete from taskboard.delivery')
  await pool.query(
    `insert into taskboard.delivery (id, webhook_id, workspace_id, account_id, event, next_attempt_at, created_at)
     select 'evt_' || lpad(g::text, 26, '0'), w.id, w.workspace_id, w.account_id,
       jsonb_build_object('id', 'log_1', 'workspaceId', w.workspace_id, 'seq', 1, 'at', n.now, 'payloadVersion', 1,
         'type', 'task.completed', 'data', jsonb_build_object('taskId', 'task_01j9zq3x8k2m4n6p8r0t2v4w6y',
           'title', 'Compare three suppliers', 'status', 'DONE', 'startedAt', n.now, 'completedAt', n.now,
           'result', repeat('x', 500))),
       n.now, n.now
     from generate_series(1, $1::integer) g, (select taskboard.now_ms() as now) n,
       (select h.*, o.account_id, row_number() over (order by h.id) - 1 as place
         from taskboard.webhook h join taskboard.workspace o on o.id = h.workspace_id) w
     where w.place = g % $2::integer`,
    [deliveries, WEBHOOKS],
  )
  await pool.query('vacuum (analyze) taskboard.delivery')
}

/** Counts by the storage's answers, so that a delivery counts once its result is durable. */
function counting(store: Storage<PgConnection>['webhooks'], onRecorded: (results: number) => void) {
  return {
    claimDueDeliveries: (...request: Parameters<typeof store.claimDueDeliveries>) =>
      store.claimDueDeliveries(...request),
    readTargets: (...request: Parameters<typeof store.readTargets>) => store.readTargets(...request),
    async recordDeliveryResults(
      ...[{ results, disableAfterMs }, at]: Parameters<typeof store.recordDeliveryResults>
    ) {
      if (results.some(({ outcome }) => outcome.kind !== 'succeeded')) throw new Error('a delivery failed')
      await store.recordDeliveryResults({ results, disableAfterMs }, at)
      onRecorded(results.length)
    },
  }
}

async function delivered(): Promise<number> {
  await fill(DELIVERIES)
  let left = DELIVERIES
  const startedAt = performance.now()
  let finish = (): void => undefined
  const finished = new Promise<void>((resolve) => (finish = resolve))
  const deliverer = createDeliverer<PgConnection>({
    environment: createEnvironment(),
    store: counting(storage.webhooks, (results) => {
      left -= results
      if (left <= 0) finish()
    }),
    secrets: box,
    sender: newSender(),
    settings: resolveWebhookSettings(
      { mostPerHostPerMinute: 1_000_000 },
      resolveBounds({ maxDeliveriesPerAccount: IN_FLIGHT }),
    ),
    pollIntervalMs: 1_000,
  })
  deliverer.start()
  await finished
  const rate = perSecond(DELIVERIES, startedAt)
  await deliverer.stop()
  return rate
}

const CLAIM_ONE = {
  name: 'claim_one',
  text: `update taskboard.delivery d set claim_token = gen_random_uuid(), next_attempt_at = taskboard.now_ms() + 60000
    from (
      select id from taskboard.delivery where status = 'pending' and next_attempt_at <= taskboard.now_ms()
      order by next_attempt_at, id limit 1 for update skip locked
    ) due, taskboard.webhook w
    where d.id = due.id and w.id = d.webhook_id
    returning d.id, d.event, w.url`,
}
const RECORD_ONE = `
  update taskboard.delivery set status = 'succeeded', attempt_count = attempt_count + 1, next_attempt_at = null,
    claim_token = null, attempts = attempts || $2::jsonb
  where id = $1::text`

/** Claims one, sends it, records it: one statement before and one after, with at most twenty at once. */
async function byHand(): Promise<number> {
  await fill(BY_HAND)
  const sender = newSender()
  const headers = { 'Content-Type': 'application/json', 'X-Service-Signature': 'x'.repeat(71) }
  let left = BY_HAND
  const one = async (): Promise<void> => {
    while (left-- > 0) {
      const { rows } = await manyConnections.query<{ id: string; event: object; url: string }>(CLAIM_ONE)
      const [due] = rows
      if (due === undefined) throw new Error('nothing is due')
      const at = Date.now()
      const body = Buffer.from(JSON.stringify(due.event))
      const answer = await sender.send({
        url: due.url,
        headers,
        body,
        timeoutMs: 30_000,
        signal: new AbortController().signal,
      })
      const attempt = {
        at,
        durationMs: Date.now() - at,
        status: answer.kind === 'answered' ? answer.status : null,
      }
      await manyConnections.query({
        name: 'record_one',
        text: RECORD_ONE,
        values: [due.id, JSON.stringify([attempt])],
      })
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: IN_FLIGHT }, one))
  const rate = perSecond(BY_HAND, startedAt)
  await sender.close()
  return rate
}

async function undiciAlone(): Promise<number> {
  const origin = new Pool(receiver.origin)
  const body = Buffer.alloc(BODY_BYTES, 'x')
  const headers = { 'Content-Type': 'application/json', 'X-Service-Signature': 'x'.repeat(71) }
  let left = DELIVERIES
  const one = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await origin.request({ method: 'POST', path: '/hooks', headers, body })
      await answer.body.dump()
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: IN_FLIGHT }, one))
  const rate = perSecond(DELIVERIES, startedAt)
  await origin.destroy()
  return rate
}

const perSecond = (done: number, startedAt: number): number =>
  (done / (performance.now() - startedAt)) * 1_000

// A round ends when everything is delivered.
const contestants: readonly Contestant[] = [
  { name: 'taskboard', round: delivered },
  { name: 'two statements a delivery, the same sender', round: byHand },
  { name: 'undici alone', round: undiciAlone },
]
const options = { rounds: 4, roundMs: 0, warmUpMs: 0 }
const [ours = 0, hand = 1, alone = 1] = await compareRates(
  `deliveries, ${IN_FLIGHT} in flight`,
  contestants,
  options,
)
atLeast('webhook deliveries to two statements a delivery', ours / hand, 3)
atLeast('webhook deliveries to what undici alone posts', ours / alone, 0.4, 'percent')
receiver.stop()
await board.end()

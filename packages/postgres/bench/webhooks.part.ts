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
import { costsOfEach, meter, type Costs } from './costs.js'
import { compareRates, costText, logAtMost, type Contestant } from './measure.js'
import { newTask } from './new-task.js'
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
/** Deliveries that were added and not yet sent. */
const MOST_AHEAD = 200
const COMMITTERS = 3
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

/** An event of a typical size, before there is a webhook. */
const happenedAt = Date.now()
const data = {
  taskId: 'task_01j9zq3x8k2m4n6p8r0t2v4w6y',
  title: 'Compare three suppliers',
  status: 'DONE',
  startedAt: happenedAt,
  completedAt: happenedAt,
  result: 'x'.repeat(500),
  type: null,
} as const
const { seq } = await storage.events.appendEvent(
  { workspaceId, event: { type: 'task.completed', data } },
  { now: null },
)

for (let index = 0; index < WEBHOOKS; index++) {
  const secrets = [{ sealed: box.seal('a shared secret', secretContext(workspaceId)), expiresAt: null }]
  const webhook = {
    workspaceId,
    url: `${receiver.origin}/hooks`,
    events: ['task.created'] as const,
    secrets,
    weakSecret: false,
  }
  await storage.webhooks.insertWebhook({ webhook, idempotency: null }, { now: null })
}

/** Due deliveries of the event. */
async function fill(deliveries: number): Promise<void> {
  await pool.query('delete from taskboard.due_delivery')
  await pool.query('delete from taskboard.ended_delivery')
  await pool.query(
    `insert into taskboard.due_delivery (id, webhook_id, workspace_id, account_id, seq, next_attempt_at, created_at)
     select 'evt_' || lpad(g::text, 26, '0'), w.id, w.workspace_id, w.account_id, $3::bigint, n.now, n.now
     from generate_series(1, $1::integer) g, (select taskboard.now_ms() as now) n,
       (select h.*, o.account_id, row_number() over (order by h.id) - 1 as place
         from taskboard.webhook h join taskboard.workspace o on o.id = h.workspace_id) w
     where w.place = g % $2::integer`,
    [deliveries, WEBHOOKS, seq],
  )
  await pool.query('vacuum (analyze) taskboard.due_delivery, taskboard.ended_delivery')
}

/** Counts by the storage's answers, so that a delivery counts once its result is durable. */
function counting(store: Storage<PgConnection>['webhooks'], onRecorded: (results: number) => void) {
  return {
    claimDueDeliveries: (...request: Parameters<typeof store.claimDueDeliveries>) =>
      store.claimDueDeliveries(...request),
    claimNewDeliveries: (...[claimer]: Parameters<typeof store.claimNewDeliveries>) =>
      store.claimNewDeliveries(claimer),
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

/** Delivers a number of deliveries and resolves to the rate: what is due already, or what `add` commits meanwhile. */
async function deliver(
  costs: Costs[],
  add?: (isRoom: () => Promise<void>) => Promise<void>,
): Promise<number> {
  await fill(add === undefined ? DELIVERIES : 0)
  let left = DELIVERIES
  let added = 0
  let finish = (): void => undefined
  const waiting: (() => void)[] = []
  const finished = new Promise<void>((resolve) => (finish = resolve))
  const deliverer = createDeliverer<PgConnection>({
    environment: createEnvironment(),
    store: counting(storage.webhooks, (results) => {
      left -= results
      for (const resume of waiting.splice(0)) resume()
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
  const stopListening = storage.events.onCommit(() => deliverer.wake())
  const stop = await meter(pool)
  deliverer.start()
  const startedAt = performance.now()
  await add?.(async () => {
    const isRoom = () => added - (DELIVERIES - left) < MOST_AHEAD
    while (!isRoom()) await new Promise<void>((resolve) => waiting.push(resolve))
    added += WEBHOOKS
  })
  await finished
  const rate = perSecond(DELIVERIES, startedAt)
  stopListening()
  costs.push(costsOfEach(await stop(), DELIVERIES))
  await deliverer.stop()
  return rate
}

/** Commits events, each of which has a delivery to every webhook, no faster than they are sent. */
async function commitEvents(isRoom: () => Promise<void>): Promise<void> {
  let left = DELIVERIES / WEBHOOKS
  const one = async (): Promise<void> => {
    while (left-- > 0) {
      await isRoom()
      await storage.tasks.insertTask(
        { task: newTask(workspaceId), actor: { kind: 'user', id: null }, idempotency: null },
        { now: null },
      )
    }
  }
  await Promise.all(Array.from({ length: COMMITTERS }, one))
}

const CLAIM_ONE = {
  name: 'claim_one',
  text: `update taskboard.due_delivery d set claim_token = gen_random_uuid(), next_attempt_at = taskboard.now_ms() + 60000
    from (
      select id from taskboard.due_delivery where next_attempt_at <= taskboard.now_ms()
      order by next_attempt_at, id limit 1 for update skip locked
    ) due, taskboard.webhook w
    where d.id = due.id and w.id = d.webhook_id
    returning d.id, taskboard.event_at(d.workspace_id, d.seq) as event, w.url`,
}
const RECORD_ONE = `
  with over as (delete from taskboard.due_delivery where id = $1::text returning *)
  insert into taskboard.ended_delivery (id, webhook_id, workspace_id, status, created_at, seq, attempt_count, event, attempts)
  select id, webhook_id, workspace_id, 'succeeded', created_at, seq, attempt_count + 1, event, attempts || $2::jsonb from over`

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

const costsOfFresh: Costs[] = []
const costsOfBacklog: Costs[] = []
// A round ends when everything is delivered.
const contestants: readonly Contestant[] = [
  { name: 'taskboard, while events are committed', round: () => deliver(costsOfFresh, commitEvents) },
  { name: 'taskboard, a backlog', round: () => deliver(costsOfBacklog) },
  { name: 'two statements a delivery, the same sender', round: byHand },
  { name: 'undici alone', round: undiciAlone },
]
const options = { rounds: 4, roundMs: 0, warmUpMs: 0 }
const [fresh = 0, ours = 0, hand = 1, alone = 1] = await compareRates(
  `deliveries, ${IN_FLIGHT} in flight`,
  contestants,
  options,
)
console.log(`     a delivery while events are committed: ${costText(costsOfFresh)}`)
console.log(`     a delivery of a backlog: ${costText(costsOfBacklog)}`)
logAtMost('a delivery while events are committed', costsOfFresh, 1_200)
atLeast('webhook deliveries to two statements a delivery', ours / hand, 3)
atLeast('webhook deliveries to what undici alone posts', fresh / alone, 0.45, 'percent')
receiver.stop()
await board.end()

import { virtualClock, webhookReceiver, type VirtualClock, type WebhookReceiver } from '@taskboard/testing'
import { ephemeralSecretBox } from '../src/access/index.js'
import {
  createEnvironment,
  systemRandom,
  type Instant,
  type Logger,
  type Random,
} from '../src/environment/index.js'
import type { LoggedEvent } from '../src/events/index.js'
import { createDeliverer, type Deliverer, type DelivererDeps } from '../src/webhooks/deliverer.js'
import { createEndpointGuard } from '../src/webhooks/endpoint-guard.js'
import type { Sender } from '../src/webhooks/sender.js'
import { secretContext } from '../src/webhooks/signing-keys.js'
import { systemResolver } from '../src/webhooks/resolver.js'
import { createUndiciSender } from '../src/webhooks/undici-sender.js'
import { resolveBounds, type BoundOptions } from '../src/limits/index.js'
import { resolveWebhookSettings, type WebhookOptions } from '../src/webhooks/webhook-options.js'
import type {
  DeliveryAttempt,
  DeliveryResult,
  DeliveryClaim,
  DeliveryTarget,
  NewDeliveryClaimer,
  ReturnedDelivery,
  StoredWebhook,
  WebhookStore,
} from '../src/webhooks/webhook-store.js'

/** When each session's clock starts. */
export const START = Date.UTC(2026, 0, 1)

/** A webhook of an account. Tests can change it. */
export type TestWebhook = { -readonly [Member in keyof StoredWebhook]: StoredWebhook[Member] } & {
  readonly accountId: string
  isDeleted: boolean
}

export interface StoredDelivery {
  readonly id: string
  readonly webhook: TestWebhook
  readonly event: LoggedEvent
  dueAt: Instant | null
  claim: { token: string; until: Instant } | null
  status: DeliveryResult['outcome']['kind'] | 'pending' | 'skipped'
  attempts: DeliveryAttempt[]
}

/** The shortest duration of I/O. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** When a delivery can next be claimed. */
function free(row: StoredDelivery): Instant {
  return Math.max(row.dueAt ?? Infinity, row.claim?.until ?? 0)
}

/** `WebhookStore.claimDueDeliveries`, the oldest first. */
function claimFrom(
  deliveries: readonly StoredDelivery[],
  request: Parameters<WebhookStore['claimDueDeliveries']>[0],
  at: Instant,
  newToken: () => string,
): DeliveryClaim {
  const { limit, perAccount, perWebhook, excludeAccountIds, excludeWebhookIds, claimMs } = request
  const counts = new Map<string, number>()
  const isExcluded = ({ webhook: { id, accountId } }: StoredDelivery): boolean =>
    excludeWebhookIds.includes(id) || excludeAccountIds.includes(accountId)
  const claimed = deliveries.filter((row) => {
    const { id, accountId, enabled, isDeleted } = row.webhook
    const count = counts.get(id) ?? 0
    const ofAccount = counts.get(accountId) ?? 0
    if (free(row) > at || isExcluded(row) || count >= perWebhook || ofAccount >= perAccount) return false
    if (!enabled || isDeleted) {
      row.dueAt = null
      row.status = 'skipped'
      return false
    }
    counts.set(id, count + 1)
    counts.set(accountId, ofAccount + 1)
    return true
  })
  const taken = claimed.slice(0, limit)
  for (const row of taken) row.claim = { token: newToken(), until: at + claimMs }
  const rest = deliveries.filter((row) => !taken.includes(row) && !isExcluded(row))
  const next = Math.min(...rest.map(free))
  const nextDueInMs = Number.isFinite(next) ? Math.max(0, next - at) : null
  return { deliveries: taken.map((row) => toClaimed(row, at)), nextDueInMs }
}

/** Commits that add deliveries, and claim what they may. */
function createCommits(
  clock: VirtualClock,
  add: (webhook: TestWebhook) => StoredDelivery,
  newToken: () => string,
) {
  let claimer: NewDeliveryClaimer | null = null

  /** Adds a delivery for each webhook in one commit, which claims what it may, and which may fail, or commit without an answer. */
  async function commit(
    webhooks: readonly TestWebhook[],
    outcome: 'committed' | 'failed' | 'unknown' = 'committed',
  ): Promise<readonly StoredDelivery[]> {
    const claim = claimer?.begin() ?? null
    await turn()
    const added = outcome === 'failed' ? [] : webhooks.map((webhook) => add(webhook))
    if (claim === null) return added
    const { deliveries: claimed } = claimFrom(
      added,
      { ...claim.bounds, perAccount: claim.bounds.limit },
      clock.now(),
      newToken,
    )
    claim.end(outcome === 'committed' ? claimed : [])
    return added
  }

  function claimNewDeliveries(given: NewDeliveryClaimer): () => void {
    claimer = given
    return () => (claimer = null)
  }

  return { commit, claimNewDeliveries }
}

/** The methods that deliverers use, over an array, with faults on demand. */
function createTestStore(clock: VirtualClock) {
  const deliveries: StoredDelivery[] = []
  const disabledAfter: number[] = []
  const calls = { claim: 0, check: 0, record: 0, release: 0, largestRecord: 0 }
  const faults = { claim: 0, check: 0, record: 0, recordAfterCommit: 0, release: 0, poison: '' }
  let tokens = 0
  const newToken = (): string => `claim_${(tokens += 1)}`

  function fail(verb: 'claim' | 'check' | 'record' | 'recordAfterCommit' | 'release'): void {
    if (faults[verb] === 0) return
    faults[verb] -= 1
    throw new Error(`the storage is down for ${verb}`)
  }

  const store: DelivererDeps['store'] = {
    async claimDueDeliveries(request, { now }) {
      calls.claim += 1
      await turn()
      fail('claim')
      return claimFrom(deliveries, request, now ?? clock.now(), newToken)
    },
    claimNewDeliveries: (claimer) => commits.claimNewDeliveries(claimer),
    async readTargets({ webhookIds }, { now }) {
      calls.check += 1
      await turn()
      fail('check')
      const webhooks = new Map(deliveries.map(({ webhook }) => [webhook.id, webhook]))
      return webhookIds.flatMap((id) => {
        const webhook = webhooks.get(id)
        if (webhook === undefined || !webhook.enabled || webhook.isDeleted) return []
        return [toTarget(webhook, now ?? clock.now())]
      })
    },
    async recordDeliveryResults({ results: given, disableAfterMs }, { now }) {
      const returned = given.filter((each): each is ReturnedDelivery => each.outcome.kind === 'returned')
      if (returned.length > 0) return release(returned, now ?? clock.now())
      const results = given as readonly DeliveryResult[]
      calls.record += 1
      calls.largestRecord = Math.max(calls.largestRecord, results.length)
      await turn()
      fail('record')
      if (results.some(({ deliveryId }) => deliveryId === faults.poison)) throw new Error('unstorable')
      disabledAfter.push(disableAfterMs)
      const at = now ?? clock.now()
      for (const { deliveryId, claimToken, attempt, endedMsAgo, outcome } of results) {
        const row = deliveries.find(({ id }) => id === deliveryId)
        if (row?.claim?.token !== claimToken || row.claim.until <= at) continue
        const endedAt = at - endedMsAgo
        const { durationMs, status, error, responseExcerpt } = attempt
        row.attempts.push({ at: endedAt - durationMs, durationMs, status, error, responseExcerpt })
        row.claim = null
        row.dueAt = outcome.kind === 'retry' ? endedAt + outcome.delayMs : null
        row.status = outcome.kind
      }
      fail('recordAfterCommit')
    },
  }

  function release(claims: readonly ReturnedDelivery[], at: Instant): void {
    calls.release += 1
    fail('release')
    for (const { deliveryId, claimToken, outcome } of claims) {
      const row = deliveries.find(({ id }) => id === deliveryId)
      if (row?.claim?.token !== claimToken) continue
      row.claim = null
      row.dueAt = at + outcome.delayMs
    }
  }

  function add(webhook: TestWebhook, title = 'Grüße 🚀'): StoredDelivery {
    const row = newRow(`evt_${deliveries.length + 1}`, webhook, title, clock.now())
    deliveries.push(row)
    return row
  }

  const commits = createCommits(clock, add, newToken)
  return { store, deliveries, calls, faults, disabledAfter, add, commit: commits.commit }
}

function newRow(id: string, webhook: TestWebhook, title: string, at: Instant): StoredDelivery {
  const actor = { kind: 'host', id: null } as const
  const data = { taskId: 'task_1', title, from: 'TODO', to: 'DOING', actor } as const
  const place = { id: 'log_1', workspaceId: 'ws_1', seq: 1, at, payloadVersion: 1 }
  const event: LoggedEvent = { ...place, type: 'task.moved', data }
  return { id, webhook, event, dueAt: at, claim: null, status: 'pending', attempts: [] }
}

function toTarget({ id, workspaceId, accountId, url, secrets }: TestWebhook, now: Instant): DeliveryTarget {
  const valid = secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
  return { id, workspaceId, accountId, url, secrets: valid.map(({ sealed }) => sealed) }
}

function toClaimed(row: StoredDelivery, now: Instant) {
  const delivery = {
    id: row.id,
    webhookId: row.webhook.id,
    workspaceId: 'ws_1',
    event: row.event,
    status: 'pending',
    attemptCount: row.attempts.length,
    attempts: row.attempts,
    nextAttemptAt: row.dueAt,
    createdAt: row.event.at,
  } as const
  return { delivery, webhook: toTarget(row.webhook, now), claimToken: row.claim?.token ?? '' }
}

const noJitter: Random = { bytes: (size) => systemRandom.bytes(size), fraction: () => 0 }

/** A deliverer between a test store and a receiver, on a virtual clock that stands at `START`. */
export interface DeliverySession {
  readonly clock: VirtualClock
  readonly receiver: WebhookReceiver
  readonly deliverer: Deliverer
  readonly logged: string[]
  readonly storage: ReturnType<typeof createTestStore>
  /** Ends the deliverer and the receiver. */
  readonly end: () => Promise<void>
  /** Makes a webhook at a path of the receiver. */
  readonly webhook: (
    path: string,
    secrets?: readonly { secret: string; expiresAt?: Instant }[],
    accountId?: string,
  ) => TestWebhook
  readonly seal: (secret: string) => string
}

/** `clockAheadMs`: how far the deliverer's clock is ahead of the storage's, which is `clock`; with 0 both are the same. */
export async function deliverySession(
  { bounds, ...options }: WebhookOptions & { readonly bounds?: BoundOptions } = {},
  clockAheadMs = 0,
): Promise<DeliverySession> {
  const clock = virtualClock(START)
  const receiver = await webhookReceiver({ clock })
  const logged: string[] = []
  const log = (fields: object, message: string): number => logged.push(`${message} ${JSON.stringify(fields)}`)
  const logger: Logger = { debug: log, info: log, warn: log, error: log, fatal: log }
  const ownClock = { ...clock, now: () => clock.now() + clockAheadMs }
  const environment = {
    ...createEnvironment({ clock: ownClock, random: noJitter, logger }),
    storageNow: () => (clockAheadMs === 0 ? clock.now() : null),
  }
  const box = ephemeralSecretBox(systemRandom)
  const storage = createTestStore(clock)
  const guard = createEndpointGuard({ allow: ['127.0.0.0/8'] })
  const sender: Sender =
    options.sender ?? createUndiciSender({ clock: ownClock, guard, resolver: systemResolver })
  const deliverer = createDeliverer({
    environment,
    store: storage.store,
    secrets: box,
    sender,
    // All receivers are one host.
    settings: resolveWebhookSettings({ mostPerHostPerMinute: 1_000_000, ...options }, resolveBounds(bounds)),
    pollIntervalMs: null,
  })
  const end = async (): Promise<void> => {
    await deliverer.stop({ drainTimeoutMs: 0 })
    await receiver.close()
  }

  const seal = (secret: string): string => box.seal(secret, secretContext('ws_1'))

  function webhook(
    path: string,
    secrets: readonly { secret: string; expiresAt?: Instant }[] = [],
    accountId = 'acc_1',
  ): TestWebhook {
    return {
      id: `wh_${path}`,
      workspaceId: 'ws_1',
      accountId,
      isDeleted: false,
      url: receiver.at(`/${path}`).url,
      events: ['task.moved'],
      secrets: secrets.map(({ secret, expiresAt = null }) => ({
        sealed: seal(secret),
        expiresAt,
      })),
      weakSecret: false,
      enabled: true,
      disabledReason: null,
      failingSince: null,
      createdAt: START,
      updatedAt: START,
    }
  }
  return { clock, receiver, deliverer, logged, storage, webhook, seal, end }
}

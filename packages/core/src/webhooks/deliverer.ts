import type { SecretBox } from '../access/index.js'
import {
  atMost,
  createLoop,
  createSharedAbort,
  tracked,
  type Environment,
  type Instant,
  type Loop,
  type NextPass,
} from '../environment/index.js'
import { judgeAttempt } from './attempt-result.js'
import { createDeliveryAttempt } from './delivery-attempt.js'
import { createResultWriter, type ResultWriter } from './result-writer.js'
import { createReturnedClaims, type ReturnedClaims } from './returned-claims.js'
import { createSendSlots, type SendSlots, type WaitingDelivery } from './send-slots.js'
import type { Sender } from './sender.js'
import { createSigningKeyCache } from './signing-keys.js'
import type { WebhookSettings } from './webhook-options.js'
import type { ClaimedDelivery, DeliveryResult, WebhookStore } from './webhook-store.js'

export interface DelivererParts<Tx = unknown> {
  readonly environment: Environment
  readonly store: Pick<WebhookStore<Tx>, 'claimDueDeliveries' | 'recordDeliveryResults' | 'releaseDeliveries'>
  /** Opens the secrets that `createWebhooks` sealed. */
  readonly secrets: Pick<SecretBox, 'open'>
  readonly sender: Sender
  readonly settings: WebhookSettings
  /** The longest time between two looks at the storage; null when its wake-ups are complete. */
  readonly pollIntervalMs: number | null
}

/**
 * Sends due deliveries, each at least once: claimed, signed, sent, and its result stored. Several processes may run one each
 * on the same storage.
 */
export interface Deliverer {
  start(): void
  /** Looks for due deliveries soon. */
  wake(): void
  /**
   * Claims no more, lets sends under way finish for `drainTimeoutMs` (default 10 s), then aborts them. Claims that were not
   * tried to the end are given back, results are stored, the sender is closed. May be started again.
   */
  stop(options?: { readonly drainTimeoutMs?: number | undefined }): Promise<void>
}

const DEFAULT_DRAIN_TIMEOUT_MS = 10_000
/** How long to wait when the storage says that something is due and gives nothing: it is of a webhook that is full. */
const FULL_WAIT_MS = 1_000
/** How long a sender may take to let go of what it was told to give up. */
const GIVING_UP_MS = 1_000
/** What a claim is held for beyond the sends: the time in which results must be stored. */
const CLAIM_MARGIN_MS = 60_000
/** What answers within it soon asks for more. */
const QUICK_MS = 1_000

export function createDeliverer<Tx>(parts: DelivererParts<Tx>): Deliverer {
  const { environment, store, sender, settings } = parts
  const slots = createSendSlots(settings.maxInFlight, settings.maxInFlightPerWebhook)
  const returned = createReturnedClaims(environment, store)
  const results: ResultWriter = createResultWriter({
    environment,
    store,
    disableAfterMs: settings.disableAfterMs,
    onSettled: settle,
  })
  const sends = createSends(parts, {
    onResult(claimed, result, claimedUntil) {
      slots.sent(claimed.webhook.id, result.attempt.durationMs < QUICK_MS)
      results.write({ webhookId: claimed.webhook.id, result, claimedUntil })
      sendWaiting()
      claimMore()
    },
    onUntried(claimed) {
      slots.sent(claimed.webhook.id, false)
      returned.add(claimed)
      settle(claimed.webhook.id)
      sendWaiting()
    },
  })
  const loop = createClaimLoop(parts, slots, returned, sendWaiting)
  let stopping = false

  function settle(webhookId: string): void {
    slots.settle(webhookId)
    claimMore()
  }

  function claimMore(): void {
    if (slots.isClaimDue) loop.wake()
  }

  function sendWaiting(): void {
    if (stopping) return
    for (let next = slots.take(); next !== undefined; next = slots.take()) sends.begin(next)
  }

  return {
    start() {
      stopping = false
      results.start()
      loop.start()
    },
    wake: () => loop.wake(),
    async stop({ drainTimeoutMs = DEFAULT_DRAIN_TIMEOUT_MS } = {}) {
      stopping = true
      await loop.stop()
      for (const { claimed } of slots.takeWaiting()) {
        returned.add(claimed)
        settle(claimed.webhook.id)
      }
      await sends.end(drainTimeoutMs)
      await results.stop()
      await returned.flush()
      await sender.close()
    },
  }
}

/** Claims what is due as long as there is room for it. */
function createClaimLoop(
  parts: Pick<DelivererParts, 'environment' | 'store' | 'settings' | 'pollIntervalMs'>,
  slots: SendSlots,
  returned: ReturnedClaims,
  onClaimed: () => void,
): Loop {
  const { environment, store, settings, pollIntervalMs } = parts
  const { clock, logger } = environment
  // One full send may go before a claimed delivery in its webhook's queue.
  const claimMs = 2 * settings.timeoutMs + CLAIM_MARGIN_MS

  async function claimDue(): Promise<NextPass> {
    await returned.flush()
    const bounds = slots.nextClaim()
    if (bounds === null) return null
    const claimedUntil = clock.now() + claimMs
    const request = { ...bounds, claimMs }
    const { deliveries, nextDueAt } = await store.claimDueDeliveries(request, {
      now: environment.storageNow(),
    })
    for (const claimed of deliveries) slots.add({ claimed, claimedUntil })
    onClaimed()
    if (nextDueAt === null) return null
    const now = clock.now()
    if (nextDueAt > now) return nextDueAt
    return deliveries.length > 0 ? 'now' : now + FULL_WAIT_MS
  }

  return createLoop({ name: 'webhook deliverer', clock, logger, pass: claimDue, pollIntervalMs })
}

interface SendEnds {
  onResult(claimed: ClaimedDelivery, result: DeliveryResult, claimedUntil: Instant): void
  /** It was not sent, or given up under way. */
  onUntried(claimed: ClaimedDelivery): void
}

/** The sends under way. */
function createSends(
  parts: Pick<DelivererParts, 'environment' | 'secrets' | 'sender' | 'settings'>,
  ends: SendEnds,
): { begin(waiting: WaitingDelivery): void; end(drainTimeoutMs: number): Promise<void> } {
  const { environment, settings } = parts
  const { clock, logger, random } = environment
  const makeAttempt = createDeliveryAttempt({ ...parts, openKeys: createSigningKeyCache(parts.secrets) })
  const underWay = new Set<Promise<void>>()
  /** One for all: sends are given up together. */
  let givingUp = createSharedAbort()

  /** Never rejects. */
  async function send({ claimed, claimedUntil }: WaitingDelivery, signal: AbortSignal): Promise<void> {
    // A process that was paused must not begin what another may have taken over meanwhile.
    const isLate = clock.now() > claimedUntil - settings.timeoutMs
    const seen = isLate ? null : await makeAttempt(claimed, signal)
    if (seen === null) return ends.onUntried(claimed)
    const result = judgeAttempt(claimed, seen, () => random.fraction(), settings.schedule)
    const { error } = result.attempt
    const fields = {
      deliveryId: claimed.delivery.id,
      webhookId: claimed.webhook.id,
      outcome: result.outcome.kind,
      error,
    }
    if (error === null) logger.debug(fields, 'webhook delivered')
    else logger.warn(fields, 'webhook delivery failed')
    ends.onResult(claimed, result, claimedUntil)
  }

  return {
    begin(waiting) {
      const { signal } = givingUp
      const work = tracked(clock, waiting.claimed.delivery.id, () => send(waiting, signal))
      const done = work.finally(() => underWay.delete(done))
      underWay.add(done)
    },
    async end(drainTimeoutMs) {
      const all = Promise.all(underWay)
      await atMost(clock, drainTimeoutMs, all)
      givingUp.abort()
      givingUp = createSharedAbort()
      await atMost(clock, GIVING_UP_MS, all)
    },
  }
}

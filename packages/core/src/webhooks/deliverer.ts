import type { SecretBox } from '../access/index.js'
import {
  atMost,
  createBackgroundLoop,
  createSharedAbort,
  type Environment,
  type Instant,
  type BackgroundLoop,
  type NextPass,
  type Telemetry,
  tracked,
} from '../environment/index.js'
import type { LoggedEvent } from '../events/index.js'
import { createDeliveryClaims } from './delivery-claims.js'
import { createDeliveryAttempt, judgeAttempt, type JudgedAttempt } from './delivery-attempt.js'
import { createHostRates, type HostRates } from './host-rates.js'
import { createReturnedClaims, type ReturnedClaims } from './returned-claims.js'
import { createResultWriter, type ResultWriter } from './result-writer.js'
import { createSendLimiter, type SendableDelivery, type SendLimiter } from './send-limiter.js'
import type { Sender } from './sender.js'
import { createSigningKeyCache } from './signing-keys.js'
import type { WaitingDelivery } from './send-counts.js'
import type { WebhookSettings } from './webhook-options.js'
import type { WebhookStore } from './webhook-store.js'

export interface DelivererDeps<Tx = unknown> {
  readonly environment: Environment
  readonly store: Pick<
    WebhookStore<Tx>,
    'claimDueDeliveries' | 'claimNewDeliveries' | 'readTargets' | 'recordDeliveryResults'
  >
  /** Opens the secrets that `createWebhooks` sealed. */
  readonly secrets: Pick<SecretBox, 'open'>
  readonly sender: Sender
  readonly settings: WebhookSettings
  /** Other sends of this process to the same hosts count in it as well. Default: its own, by the settings. */
  readonly rates?: HostRates | undefined
  /** The trace of the event's task. Called only with telemetry, and never rejects. Default: none. */
  readonly traceparentOf?: ((event: LoggedEvent) => Promise<string | null>) | undefined
  /** The longest time between two polls of the storage; null when its commit notifications are complete. */
  readonly pollIntervalMs: number | null
}

/**
 * Sends due deliveries, each at least once: claims, signs and sends it, and stores its result. A delivery that was claimed ahead is sent
 * only after its webhook is read again. It isn't sent if the webhook is deleted or disabled, else with its current address and secrets. A
 * delivery beyond `mostPerHostPerMinute` goes back to the storage and is due later, without an attempt. Several processes can each run one
 * on the same storage.
 */
export interface Deliverer {
  start(): void
  /** Makes it look for due deliveries soon. */
  wake(): void
  /** Makes it read a changed webhook again before it sends anything more to it. Changes elsewhere take effect within 50 ms. */
  forget(webhookId: string): void
  /**
   * Stops claiming, lets sends in progress finish for `drainTimeoutMs` (default 10 s), then aborts them. Releases claims without
   * a complete attempt, stores results and closes the sender. Can be started again.
   */
  stop(options?: { readonly drainTimeoutMs?: number | undefined }): Promise<void>
}

const DEFAULT_DRAIN_TIMEOUT_MS = 10_000
/** How long a sender can take to abort its sends. */
const GIVING_UP_MS = 1_000
/** An endpoint that responds within this time is quick, and soon needs more deliveries. */
const QUICK_MS = 1_000

export function createDeliverer<Tx>(deps: DelivererDeps<Tx>): Deliverer {
  const { environment, store, sender, settings } = deps
  const limiter = createSendLimiter({
    most: settings.maxDeliveries,
    mostPerAccount: settings.maxDeliveriesPerAccount,
    mostPerWebhook: settings.maxDeliveriesPerWebhook,
  })
  const { rates = createHostRates(settings.mostPerHostPerMinute) } = deps
  const returned = createReturnedClaims(environment, store, settings.disableAfterMs)
  const results: ResultWriter = createResultWriter({
    environment,
    store,
    disableAfterMs: settings.disableAfterMs,
    onSettled: settle,
  })
  const sends = createSends(deps, {
    onResult(result, { target, claimedUntil }) {
      limiter.sent(target.id, result.attempt.durationMs < QUICK_MS)
      results.write({ webhookId: target.id, result, claimedUntil })
      sendWaiting()
      claimMore()
    },
    onUntried(sendable) {
      limiter.sent(sendable.target.id, false)
      giveBack([sendable])
      sendWaiting()
    },
  })
  const claims = createDeliveryClaims(deps, { limiter, rates, returned, giveBack, onClaimed: sendWaiting })
  const checks = createCheckLoop(deps, { limiter, giveBack, onChecked: sendWaiting })
  let stopping = false

  function settle(webhookId: string): void {
    limiter.settle(webhookId)
    claimMore()
  }

  function giveBack(waiting: readonly WaitingDelivery[]): void {
    for (const { claimed } of waiting) {
      returned.add(claimed, 0)
      settle(claimed.webhook.id)
    }
    if (waiting.length > 0) claims.wake()
  }

  function claimMore(): void {
    if (limiter.isClaimDue()) claims.wake()
  }

  function sendWaiting(): void {
    if (stopping) return
    const now = environment.clock.now()
    if (takeTurns({ limiter, rates, returned }, (next) => sends.begin(next), now)) claims.wake()
    if (limiter.isCheckDue(now)) checks.wake()
  }

  return {
    start() {
      stopping = false
      results.start()
      checks.start()
      claims.start()
    },
    wake: () => claims.wake(),
    forget: (webhookId) => limiter.forget(webhookId),
    async stop({ drainTimeoutMs = DEFAULT_DRAIN_TIMEOUT_MS } = {}) {
      stopping = true
      await Promise.all([claims.stop(drainTimeoutMs), checks.stop()])
      giveBack(limiter.takeWaiting())
      await sends.end(drainTimeoutMs)
      await results.stop()
      await returned.flush()
      await sender.close()
    },
  }
}

interface Turns {
  readonly limiter: SendLimiter
  readonly rates: HostRates
  readonly returned: ReturnedClaims
}

/** Begins what can be sent now. Returns whether deliveries go back, because their hosts have had enough. */
function takeTurns(
  { limiter, rates, returned }: Turns,
  begin: (sendable: SendableDelivery) => void,
  now: Instant,
): boolean {
  let isAnyPutOff = false
  for (let next = limiter.take(now); next !== undefined; next = limiter.take(now)) {
    const waitMs = rates.take(next.target, next.claimed.delivery, now)
    if (waitMs === 0) {
      begin(next)
      continue
    }
    returned.add(next.claimed, waitMs)
    limiter.unsent(next.target.id)
    limiter.settle(next.target.id)
    isAnyPutOff = true
  }
  return isAnyPutOff
}

interface CheckLoopDeps {
  readonly limiter: SendLimiter
  readonly giveBack: (waiting: readonly WaitingDelivery[]) => void
  readonly onChecked: () => void
}

/** Reads the webhooks of deliveries that were claimed ahead again, all waiting ones together, right before the sends. */
function createCheckLoop(
  { environment, store }: Pick<DelivererDeps, 'environment' | 'store'>,
  { limiter, giveBack, onChecked }: CheckLoopDeps,
): BackgroundLoop {
  const { clock } = environment

  async function check(): Promise<NextPass> {
    const webhookIds = limiter.nextCheck(clock.now())
    if (webhookIds.length === 0) return null
    const targets = await store.readTargets({ webhookIds }, environment.call())
    // A released delivery of a disabled webhook becomes skipped with the next claim; a deleted webhook has none left.
    giveBack(limiter.checked(webhookIds, targets, clock.now()))
    onChecked()
    return null
  }

  return createBackgroundLoop({ name: 'webhook targets', environment, pass: check, pollIntervalMs: null })
}

interface SendEnds {
  onResult(result: JudgedAttempt, sendable: SendableDelivery): void
  /** The delivery wasn't sent, or its send was aborted. */
  onUntried(sendable: SendableDelivery): void
}

/** The sends in progress. */
function createSends(
  deps: Pick<DelivererDeps, 'environment' | 'secrets' | 'sender' | 'settings' | 'traceparentOf'>,
  ends: SendEnds,
): { begin(sendable: SendableDelivery): void; end(drainTimeoutMs: number): Promise<void> } {
  const { environment, settings } = deps
  const { clock, logger, random, telemetry } = environment
  const makeAttempt = createDeliveryAttempt({ ...deps, openKeys: createSigningKeyCache(deps.secrets) })
  const underWay = new Set<Promise<unknown>>()
  /** One for all: sends are aborted together. */
  let givingUp = createSharedAbort()

  /** Null when it wasn't sent, or aborted. Never rejects. */
  async function send(
    sendable: SendableDelivery,
    signal: AbortSignal,
    traceparent: string | null,
  ): Promise<JudgedAttempt | null> {
    const { claimed, claimedUntil, target } = sendable
    // A paused process must not start a delivery that another process may have claimed meanwhile.
    const isLate = clock.now() > claimedUntil - settings.timeoutMs
    const seen = isLate ? null : await makeAttempt(claimed.delivery, target, { signal, traceparent })
    if (seen === null) {
      ends.onUntried(sendable)
      return null
    }
    const result = judgeAttempt(claimed, target.url, seen, () => random.fraction(), settings.schedule)
    const { error: reason } = result.attempt
    const fields = {
      deliveryId: claimed.delivery.id,
      webhookId: target.id,
      outcome: result.outcome.kind,
      reason,
    }
    if (reason === null) logger.debug(fields, 'webhook delivered')
    else logger.warn(fields, 'webhook delivery failed')
    ends.onResult(result, sendable)
    return result
  }

  async function sendWithinSpan(
    reporting: Telemetry,
    sendable: SendableDelivery,
    signal: AbortSignal,
  ): Promise<void> {
    const { event, id: deliveryId, workspaceId, attemptCount } = sendable.claimed.delivery
    const { type: eventType } = event
    const traceparent = (await deps.traceparentOf?.(event)) ?? null
    const attempt = attemptCount + 1
    const start = { kind: 'delivery', eventType, deliveryId, workspaceId, traceparent, attempt } as const
    await reporting.span(start, async (span) => {
      const result = await send(sendable, signal, span.traceparent)
      if (result === null) return span.set({ outcome: 'returned' })
      const { kind: outcome } = result.outcome
      const { status, durationMs: tookMs, error } = result.attempt
      span.set({ outcome, status: status ?? undefined, error: error ?? undefined })
      reporting.measure({ kind: 'delivery', eventType, outcome, tookMs })
    })
  }

  return {
    begin(sendable) {
      const { signal } = givingUp
      const work: Promise<unknown> = tracked<unknown>(clock, sendable.claimed.delivery.id, () =>
        telemetry === null ? send(sendable, signal, null) : sendWithinSpan(telemetry, sendable, signal),
      )
      const done: Promise<unknown> = work.finally(() => underWay.delete(done))
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

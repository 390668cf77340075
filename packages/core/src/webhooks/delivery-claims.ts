import {
  atMost,
  createBackgroundLoop,
  type Environment,
  type Instant,
  type NextPass,
} from '../environment/index.js'
import type { HostRates } from './host-rates.js'
import type { ReturnedClaims } from './returned-claims.js'
import type { WaitingDelivery } from './send-counts.js'
import type { SendLimiter } from './send-limiter.js'
import type { WebhookSettings } from './webhook-options.js'
import type { NewDeliveryClaimer, WebhookStore } from './webhook-store.js'

export interface DeliveryClaimsDeps {
  readonly environment: Environment
  readonly store: Pick<WebhookStore, 'claimDueDeliveries' | 'claimNewDeliveries'>
  readonly settings: Pick<WebhookSettings, 'timeoutMs'>
  readonly pollIntervalMs: number | null
}

export interface ClaimEnds {
  readonly limiter: SendLimiter
  readonly rates: HostRates
  readonly returned: ReturnedClaims
  readonly giveBack: (waiting: readonly WaitingDelivery[]) => void
  readonly onClaimed: () => void
}

/**
 * Claims deliveries as long as there is room. It claims deliveries that commits of this process add while nothing older waits, and all
 * others once they are due. Deliveries beyond the bounds of an account or a webhook stay due.
 */
export interface DeliveryClaims {
  start(): void
  /** Looks for due deliveries soon. */
  wake(): void
  /** Ends with the commits that may still claim, if they take no longer than this. */
  stop(timeoutMs: number): Promise<void>
}

/** How long to wait when a delivery is due but none is claimed, because its webhook is at its limit. */
const FULL_WAIT_MS = 1_000
/** How long a claim outlasts its send: the time to store results. */
const CLAIM_MARGIN_MS = 60_000
/** How long a look for what other commits have left waits for more of them, while the commits of this process claim. */
const CALM_MS = 50
/** For how long after a commit that claimed they count as claiming. */
const FED_MS = 1_000

export function createDeliveryClaims(deps: DeliveryClaimsDeps, ends: ClaimEnds): DeliveryClaims {
  const { environment, store, settings, pollIntervalMs } = deps
  const { limiter, rates, returned, giveBack, onClaimed } = ends
  const { clock } = environment
  // A claimed delivery can wait for one full send of its webhook.
  const claimMs = 2 * settings.timeoutMs + CLAIM_MARGIN_MS
  const committed = createCommittedClaims(deps, ends, claimMs)
  let leave: (() => void) | undefined
  let isCaughtUp = false
  let claimedAt = -Infinity

  /** How long a look can wait that would most likely find nothing. */
  function calmMs(now: Instant): number {
    const since = now - claimedAt
    return isCaughtUp && committed.isFed(now) && since >= 0 && since < CALM_MS ? CALM_MS - since : 0
  }

  async function claimDue(): Promise<NextPass> {
    giveBack(limiter.takeStuck())
    await returned.flush()
    const waitMs = calmMs(clock.now())
    if (waitMs > 0) return waitMs
    const bounds = limiter.nextClaim()
    if (bounds === null) return null
    claimedAt = clock.now()
    const claimedUntil = claimedAt + claimMs
    const excludeWebhookIds = [...bounds.excludeWebhookIds, ...rates.paused(claimedAt)]
    const request = { ...bounds, excludeWebhookIds, claimMs }
    const { deliveries, nextDueInMs } = await store.claimDueDeliveries(request, environment.call())
    const now = clock.now()
    for (const claimed of deliveries) limiter.add({ claimed, claimedUntil }, now)
    isCaughtUp = nextDueInMs !== 0
    onClaimed()
    if (nextDueInMs === 0) return deliveries.length > 0 ? 'now' : FULL_WAIT_MS
    return sooner(nextDueInMs, rates.pauseEndsInMs(clock.now()))
  }

  const loop = createBackgroundLoop({
    name: 'webhook deliverer',
    environment,
    pass: claimDue,
    pollIntervalMs,
  })
  return {
    start() {
      isCaughtUp = false
      loop.start()
      leave = store.claimNewDeliveries({ begin: () => (isCaughtUp ? committed.begin() : null) })
    },
    wake: () => loop.wake(),
    async stop(timeoutMs) {
      leave?.()
      await Promise.all([loop.stop(), committed.end(timeoutMs)])
    },
  }
}

interface CommittedClaims extends NewDeliveryClaimer {
  /** Whether commits have claimed lately. */
  isFed(now: Instant): boolean
  /** Waits for the commits that have begun, at most so long. */
  end(timeoutMs: number): Promise<void>
}

/** The claims of commits of this process. */
function createCommittedClaims(
  { environment: { clock } }: Pick<DeliveryClaimsDeps, 'environment'>,
  { limiter, rates, onClaimed }: Pick<ClaimEnds, 'limiter' | 'rates' | 'onClaimed'>,
  claimMs: number,
): CommittedClaims {
  const waiters: (() => void)[] = []
  let open = 0
  let fedAt = -Infinity

  return {
    begin() {
      const claim = limiter.nextNew()
      if (claim === null) return null
      const { bounds } = claim
      const begunAt = clock.now()
      open += 1
      return {
        bounds: {
          ...bounds,
          excludeWebhookIds: [...bounds.excludeWebhookIds, ...rates.paused(begunAt)],
          claimMs,
        },
        end(deliveries) {
          const now = clock.now()
          const waiting = deliveries.map((claimed) => ({ claimed, claimedUntil: begunAt + claimMs }))
          claim.add(waiting, now)
          if (waiting.length > 0) {
            fedAt = now
            onClaimed()
          }
          open -= 1
          if (open === 0) for (const resume of waiters.splice(0)) resume()
        },
      }
    },
    isFed: (now) => now >= fedAt && now < fedAt + FED_MS,
    async end(timeoutMs) {
      if (open > 0) await atMost(clock, timeoutMs, new Promise<void>((resolve) => waiters.push(resolve)))
    },
  }
}

function sooner(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

import type { Reach } from '../access/index.js'
import type { At, Instant } from '../environment/index.js'
import type { LoggedEvent, WebhookEventType } from '../events/index.js'
import type { Created, IdempotencyClaim } from '../idempotency/index.js'

/** Why a webhook gets no deliveries. */
export type DisabledReason = 'gone' | 'failing' | 'host'

/** A secret as it is stored: sealed by `SecretBox`, never in the clear. */
export interface StoredSecret {
  readonly sealed: string
  /** Null for the current one; an instant for a rotated one that still signs until then. */
  readonly expiresAt: Instant | null
}

/** A registered endpoint. */
export interface StoredWebhook {
  readonly id: string
  readonly workspaceId: string
  readonly url: string
  readonly events: readonly WebhookEventType[]
  /** Current first; empty when deliveries are not signed. */
  readonly secrets: readonly StoredSecret[]
  readonly enabled: boolean
  readonly disabledReason: DisabledReason | null
  /** Since when every attempt has failed; null after a success or before the first attempt. */
  readonly failingSince: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** `pending` is sent at `nextAttemptAt`; `skipped` was created, or fell due, while the webhook was disabled. */
export type DeliveryStatus = 'pending' | 'succeeded' | 'failed' | 'skipped'

/** One try to send a delivery. */
export interface DeliveryAttempt {
  readonly at: Instant
  readonly durationMs: number
  /** The HTTP status; null when there was no full answer. */
  readonly status: number | null
  /** Why there was none, or why the answer counts as a failure; null on success. */
  readonly error: string | null
  /** The first 1,024 bytes of the answer as text; null without one. */
  readonly responseExcerpt: string | null
}

/** An event on its way to one webhook, and the log of that. Kept for 30 days. */
export interface Delivery {
  /** `evt_…`: the same for all attempts, also for resends. */
  readonly id: string
  readonly webhookId: string
  readonly workspaceId: string
  readonly event: LoggedEvent
  readonly status: DeliveryStatus
  /** Attempts made since it was created or last resent. */
  readonly attemptCount: number
  /** Oldest first; of those of many resends the newest 100 are kept. */
  readonly attempts: readonly DeliveryAttempt[]
  /** Null unless pending. */
  readonly nextAttemptAt: Instant | null
  readonly createdAt: Instant
}

/** Where the deliveries of an enabled webhook go, and what signs them, at the storage's present. */
export interface DeliveryTarget {
  /** The webhook's. */
  readonly id: string
  readonly workspaceId: string
  /** Whose the workspace is: accounts share what may be sent at once. */
  readonly accountId: string
  readonly url: string
  /** The sealed secrets that are valid, the current one first; empty when deliveries are not signed. */
  readonly secrets: readonly string[]
}

/** A delivery that this process alone may attempt until the claim expires. */
export interface ClaimedDelivery {
  readonly delivery: Delivery
  readonly webhook: DeliveryTarget
  readonly claimToken: string
}

export interface DeliveryClaim {
  readonly deliveries: readonly ClaimedDelivery[]
  /**
   * How long it is until the next delivery falls due beyond those claimed here, or a little less; 0 when one is due that this
   * claim had no room for; null when none waits. A duration, since the caller's clock may differ from the storage's.
   */
  readonly nextDueInMs: number | null
}

/** What became of a claimed delivery. */
export interface DeliveryResult {
  readonly deliveryId: string
  readonly claimToken: string
  /** Where it was sent. A webhook that has another address by now is not judged by it. */
  readonly url: string
  /** When it was follows from `endedMsAgo`. */
  readonly attempt: Omit<DeliveryAttempt, 'at'>
  /** How long before this call the attempt ended. From 0. */
  readonly endedMsAgo: number
  readonly outcome:
    | { readonly kind: 'succeeded' }
    /** Due again so long after the end of the attempt. */
    | { readonly kind: 'retry'; readonly delayMs: number }
    | { readonly kind: 'failed' }
    /** Failed, and the endpoint said that it is gone: the webhook is disabled too. */
    | { readonly kind: 'gone' }
}

export interface DeliveryQuery {
  readonly workspaceId: string
  readonly webhookId: string
  readonly status: DeliveryStatus | null
  readonly limit: number
  /** The id of the last delivery of the page before; null for the first page. */
  readonly afterId: string | null
}

/** An endpoint to register. */
export interface NewStoredWebhook {
  readonly workspaceId: string
  readonly url: string
  readonly events: readonly WebhookEventType[]
  readonly secrets: readonly StoredSecret[]
}

export type StoredWebhookChange =
  /** Replaces what is given. Enabling clears `disabledReason` and `failingSince`; disabling sets the reason. */
  | {
      readonly url?: string | undefined
      readonly events?: readonly WebhookEventType[] | undefined
      readonly enabled?: boolean | undefined
    }
  /**
   * Makes `sealed` the current secret. Of the earlier ones only the newest that is still valid stays so, for `overlapMs` at the most (0:
   * not at all). Of two rotations at once, each counts with what the other one left.
   */
  | { readonly rotation: { readonly sealed: string; readonly overlapMs: number } }

/**
 * Webhooks and their deliveries. Deliveries are created by the verbs of other stores, together with their events: one for each
 * webhook of the workspace that wants the event's type, `skipped` when the webhook is disabled.
 */
export interface WebhookStore<Tx = unknown> {
  /** @throws TaskboardError `NOT_FOUND` for an unknown workspace, `CONFLICT` as in `insertTask`. */
  insertWebhook(
    insertion: { readonly webhook: NewStoredWebhook; readonly idempotency: IdempotencyClaim | null },
    at: At<Tx>,
  ): Promise<Created<StoredWebhook>>
  /** Oldest first. */
  listWebhooks(workspaceId: string, at: At<Tx>): Promise<readonly StoredWebhook[]>
  /** The webhook of a workspace, or of any within reach. @throws TaskboardError `NOT_FOUND`, beyond reach just the same. */
  getWebhook(
    named: { readonly within: string | Reach; readonly webhookId: string },
    at: At<Tx>,
  ): Promise<StoredWebhook>
  /** Changes one webhook: see `StoredWebhookChange`. @throws TaskboardError `NOT_FOUND`. */
  updateWebhook(
    update: {
      readonly workspaceId: string
      readonly webhookId: string
      readonly change: StoredWebhookChange
    },
    at: At<Tx>,
  ): Promise<StoredWebhook>
  /** Deletes it with its deliveries. Returns false when there was none. */
  deleteWebhook(
    named: { readonly workspaceId: string; readonly webhookId: string },
    at: At<Tx>,
  ): Promise<boolean>

  /** Creates one due delivery of `event` to one webhook only, in no log and to no other listener. For the Test button. */
  insertTestDelivery(
    delivery: {
      readonly workspaceId: string
      readonly webhookId: string
      readonly event: Pick<LoggedEvent, 'type' | 'facts'>
    },
    at: At<Tx>,
  ): Promise<Delivery>
  /**
   * Claims due deliveries for `claimMs`: at most `limit`, at most `perAccount` of one account and `perWebhook` of one webhook, none
   * of those excluded. Accounts share the limit alike, and so do the webhooks of each; of a webhook the oldest due come first.
   * Where more is due than a claim takes, accounts and webhooks take turns from claim to claim, so that no backlog keeps back
   * another's. No other caller gets the deliveries until the claim expires. What falls due on a disabled webhook becomes `skipped`
   * instead.
   */
  claimDueDeliveries(
    request: {
      limit: number
      perAccount: number
      perWebhook: number
      excludeAccountIds: readonly string[]
      excludeWebhookIds: readonly string[]
      claimMs: number
    },
    at: At<Tx>,
  ): Promise<DeliveryClaim>
  /** The targets of those webhooks that exist and are enabled, in any order. */
  readTargets(webhookIds: readonly string[], at: At<Tx>): Promise<readonly DeliveryTarget[]>
  /**
   * Writes back results, each only if its claim still holds; attempts and retries get their times from the storage's. A webhook
   * whose attempts have all failed for `disableAfterMs` is disabled (`failing`), with an `agent.alert` in its workspace's log;
   * success clears `failingSince`.
   */
  recordDeliveryResults(
    record: { readonly results: readonly DeliveryResult[]; readonly disableAfterMs: number },
    at: At<Tx>,
  ): Promise<void>
  /** Gives claims back untried, due at once. */
  releaseDeliveries(claims: readonly { deliveryId: string; claimToken: string }[], at: At<Tx>): Promise<void>
  /** Newest first. */
  listDeliveries(query: DeliveryQuery, at: At<Tx>): Promise<readonly Delivery[]>
  /**
   * Makes finished deliveries (succeeded, failed, skipped) pending and due now with a fresh set of attempts: the one named,
   * or all created in [`from`, `to`) whose status is failed or skipped. Returns how many.
   * @throws TaskboardError `NOT_FOUND` for an unknown webhook or delivery.
   */
  resendDeliveries(
    resend: {
      readonly workspaceId: string
      readonly webhookId: string
      readonly which: { readonly deliveryId: string } | { readonly from: Instant; readonly to: Instant }
    },
    at: At<Tx>,
  ): Promise<number>
}

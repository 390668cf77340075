import type { Reach } from '../access/index.js'
import type { CallContext, Instant } from '../environment/index.js'
import type { LoggedEvent, WebhookEventType } from '../events/index.js'
import type { Created, IdempotencyClaim } from '../idempotency/index.js'

/** Why a webhook gets no deliveries. */
export const disabledReasons = ['gone', 'failing', 'host'] as const
export type DisabledReason = (typeof disabledReasons)[number]

/** A stored secret: sealed by `SecretBox`, never in plain text. */
export interface StoredSecret {
  readonly sealed: string
  /** Null for the current secret. A rotated one still signs until this instant. */
  readonly expiresAt: Instant | null
}

/** A registered endpoint. */
export interface StoredWebhook {
  readonly id: string
  readonly workspaceId: string
  readonly url: string
  readonly events: readonly WebhookEventType[]
  /** Current first; empty when deliveries aren't signed. */
  readonly secrets: readonly StoredSecret[]
  /** Whether the current secret is shorter than the host asks of users. */
  readonly weakSecret: boolean
  readonly enabled: boolean
  readonly disabledReason: DisabledReason | null
  /** When attempts began to fail without a success; null after a success or before the first attempt. */
  readonly failingSince: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** `pending` is sent at `nextAttemptAt`; `skipped` was created, or fell due, while the webhook was disabled. */
export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'skipped'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** One attempt to send a delivery. */
export interface DeliveryAttempt {
  readonly at: Instant
  readonly durationMs: number
  /** The HTTP status; null when there was no full response. */
  readonly status: number | null
  /** Why there was no answer, or why it counts as a failure; null on success. */
  readonly error: string | null
  /** The first 1,024 bytes of the response as text; null without one. */
  readonly responseExcerpt: string | null
}

/** One event for one webhook, with its attempts. Kept for 30 days. */
export interface Delivery {
  /** `evt_…`: the same for all attempts, including resends. */
  readonly id: string
  readonly webhookId: string
  readonly workspaceId: string
  readonly event: LoggedEvent
  readonly status: DeliveryStatus
  /** Attempts made since it was created or last resent. */
  readonly attemptCount: number
  /** Oldest first. After many resends, the newest 100 are kept. */
  readonly attempts: readonly DeliveryAttempt[]
  /** Null unless pending. */
  readonly nextAttemptAt: Instant | null
  readonly createdAt: Instant
}

/** Where the deliveries of an enabled webhook go, and the secrets that sign them, at the storage's time. */
export interface DeliveryTarget {
  /** The webhook's. */
  readonly id: string
  readonly workspaceId: string
  /** The account of the workspace: accounts share the slots for sends. */
  readonly accountId: string
  readonly url: string
  /** The sealed secrets that are valid, the current one first; empty when deliveries aren't signed. */
  readonly secrets: readonly string[]
}

/** A delivery that only this process can attempt until the claim expires. */
export interface ClaimedDelivery {
  readonly delivery: Delivery
  readonly webhook: DeliveryTarget
  readonly claimToken: string
}

export interface DeliveryClaim {
  readonly deliveries: readonly ClaimedDelivery[]
  /**
   * How long until the next unclaimed delivery falls due, or a little less. It is 0 when one is due that this claim had no room for; null
   * when none waits. A duration, because the caller's clock may differ from the storage's.
   */
  readonly nextDueInMs: number | null
}

/** What one commit may claim of the deliveries that it adds. */
export interface NewDeliveryBounds {
  /** In all, and of each webhook. */
  readonly limit: number
  readonly perWebhook: number
  readonly excludeAccountIds: readonly string[]
  readonly excludeWebhookIds: readonly string[]
  readonly claimMs: number
}

/** Claims for a process that sends deliveries what its own commits add, so that no other statement has to. */
export interface NewDeliveryClaimer {
  /** Called right before a commit; null while it should leave what it adds to `claimDueDeliveries`. */
  begin(): {
    readonly bounds: NewDeliveryBounds
    /** Must be called once: with the claimed deliveries; with none if the commit failed, or if its outcome is unknown. */
    end(deliveries: readonly ClaimedDelivery[]): void
  } | null
}

/** A claimed delivery that goes back without an attempt: none is stored, and it is due again after `delayMs`, from 0. */
export interface ReturnedDelivery {
  readonly deliveryId: string
  readonly claimToken: string
  readonly outcome: { readonly kind: 'returned'; readonly delayMs: number }
}

/** The result of an attempt to send a claimed delivery. */
export interface DeliveryResult {
  readonly deliveryId: string
  readonly claimToken: string
  /** Where it was sent. It doesn't count for a webhook that has another address by now. */
  readonly url: string
  /** Its time follows from `endedMsAgo`. */
  readonly attempt: Omit<DeliveryAttempt, 'at'>
  /** How long before this call the attempt ended. From 0. */
  readonly endedMsAgo: number
  readonly outcome:
    | { readonly kind: 'succeeded' }
    /** Due again this long after the end of the attempt. */
    | { readonly kind: 'retry'; readonly delayMs: number }
    | { readonly kind: 'failed' }
    /** Failed, and the endpoint is gone: disables the webhook too. */
    | { readonly kind: 'gone' }
}

export interface DeliveryQuery {
  readonly workspaceId: string
  readonly webhookId: string
  readonly status: DeliveryStatus | null
  readonly limit: number
  /** The id of the last delivery of the previous page; null for the first page. */
  readonly afterId: string | null
}

/** Which webhooks to read: all of a workspace; or one, of a workspace or of any within reach. */
export type WebhookQuery =
  | { readonly within: string }
  | { readonly within: string | Reach; readonly webhookId: string }

/** An endpoint to register. */
export interface NewStoredWebhook {
  readonly workspaceId: string
  readonly url: string
  readonly events: readonly WebhookEventType[]
  readonly secrets: readonly StoredSecret[]
  readonly weakSecret: boolean
}

export type StoredWebhookChange =
  /** Replaces what is given. Enabling clears `disabledReason` and `failingSince`; disabling sets the reason. */
  | {
      readonly url?: string | undefined
      readonly events?: readonly WebhookEventType[] | undefined
      readonly enabled?: boolean | undefined
    }
  /**
   * Makes `sealed` the current secret. Of the earlier ones, only the newest that is still valid stays valid, for at most `overlapMs`
   * (0: not at all). Of two concurrent rotations, the later one builds on the result of the earlier one.
   */
  | {
      readonly rotation: { readonly sealed: string; readonly weakSecret: boolean; readonly overlapMs: number }
    }

/**
 * Webhooks and their deliveries. Methods of other stores create deliveries, together with their events. They create one for each webhook of
 * the workspace that subscribes to the event's type, `skipped` when the webhook is disabled.
 *
 * Each verb is atomic. Verbs that name a webhook throw `NOT_FOUND` when the workspace has none with that id, unless they say otherwise.
 */
export interface WebhookStore<Tx = unknown> {
  /**
   * Adds an enabled webhook. With `unlessThere`, a webhook of the workspace with the same URL and the same event types, in any order, is
   * returned instead, with `replayed: true`. Of several, it is the oldest. Of concurrent calls with it, one adds the webhook, and the
   * others return it.
   * @throws TaskboardError `NOT_FOUND` for an unknown workspace; `CONFLICT` for an idempotency key that was used with another
   *   fingerprint.
   */
  insertWebhook(
    insertion: {
      readonly webhook: NewStoredWebhook
      readonly idempotency: IdempotencyClaim | null
      readonly unlessThere?: boolean | undefined
    },
    call: CallContext<Tx>,
  ): Promise<Created<StoredWebhook>>
  /**
   * The webhooks that a query selects, oldest first. Empty for an id or a workspace that doesn't exist, and for one beyond reach at the
   * same cost.
   */
  listWebhooks(query: WebhookQuery, call: CallContext<Tx>): Promise<readonly StoredWebhook[]>
  /** Changes one webhook: see `StoredWebhookChange`. */
  updateWebhook(
    update: {
      readonly workspaceId: string
      readonly webhookId: string
      readonly change: StoredWebhookChange
    },
    call: CallContext<Tx>,
  ): Promise<StoredWebhook>
  /** Deletes a webhook with its deliveries. Returns false when the workspace has none with that id. */
  deleteWebhook(
    named: { readonly workspaceId: string; readonly webhookId: string },
    call: CallContext<Tx>,
  ): Promise<boolean>

  /** Creates one due delivery of `event` for this webhook only. The event goes into no log and to no listener. For the Test button. */
  insertTestDelivery(
    delivery: {
      readonly workspaceId: string
      readonly webhookId: string
      readonly event: Pick<LoggedEvent, 'type' | 'data'>
    },
    call: CallContext<Tx>,
  ): Promise<Delivery>
  /**
   * Claims due deliveries for `claimMs`: at most `limit`, at most `perAccount` of one account and `perWebhook` of one webhook, and
   * none of the excluded ones. Accounts share the limit equally, and so do the webhooks of each. The oldest due of a webhook come
   * first. When more is due than a claim takes, accounts and webhooks take turns from claim to claim, so that no backlog delays
   * another. No other caller gets the deliveries until the claim expires. A delivery that falls due on a disabled webhook becomes
   * `skipped` instead.
   */
  claimDueDeliveries(
    request: {
      readonly limit: number
      readonly perAccount: number
      readonly perWebhook: number
      readonly excludeAccountIds: readonly string[]
      readonly excludeWebhookIds: readonly string[]
      readonly claimMs: number
    },
    call: CallContext<Tx>,
  ): Promise<DeliveryClaim>
  /**
   * From now on, until the returned function is called, commits of this process may claim the deliveries that they add. Commits within a
   * transaction of the host don't. The latest claimer is asked. A storage may also leave all deliveries to `claimDueDeliveries`.
   */
  claimNewDeliveries(claimer: NewDeliveryClaimer): () => void
  /** The targets of the webhooks that exist and are enabled, of any workspace, in any order. */
  readTargets(
    query: { readonly webhookIds: readonly string[] },
    call: CallContext<Tx>,
  ): Promise<readonly DeliveryTarget[]>
  /**
   * Ends claims: stores results, each only if its claim is still valid; ignores the others. Attempts and retries get their times from the
   * storage's clock. A webhook whose attempts have all failed for `disableAfterMs` is disabled (`failing`), with an `agent.alert` in its
   * workspace's log. Success clears `failingSince`. A returned delivery is due after its delay, and its webhook stays as it is.
   */
  recordDeliveryResults(
    record: {
      readonly results: readonly (DeliveryResult | ReturnedDelivery)[]
      readonly disableAfterMs: number
    },
    call: CallContext<Tx>,
  ): Promise<void>
  /** One page of a webhook's deliveries, newest first. */
  listDeliveries(query: DeliveryQuery, call: CallContext<Tx>): Promise<readonly Delivery[]>
  /**
   * Makes finished deliveries (succeeded, failed, skipped) pending and due now, with fresh attempts. It takes the given one, or all created
   * in [`from`, `to`) with the status failed or skipped. Returns how many.
   * @throws TaskboardError `NOT_FOUND`, including for an unknown delivery.
   */
  resendDeliveries(
    resend: {
      readonly workspaceId: string
      readonly webhookId: string
      readonly which: { readonly deliveryId: string } | { readonly from: Instant; readonly to: Instant }
    },
    call: CallContext<Tx>,
  ): Promise<number>
}

import type { Instant } from '../environment/index.js'
import type { WebhookEventType } from '../events/index.js'
import type {
  Delivery,
  DeliveryAttempt,
  DeliveryStatus,
  DisabledReason,
  StoredWebhook,
} from './webhook-store.js'

/** A registered endpoint, without its secret. */
export interface Webhook {
  /** `wh_…` */
  readonly id: string
  readonly workspaceId: string
  readonly url: string
  readonly events: readonly WebhookEventType[]
  /** Whether deliveries carry a signature. */
  readonly signed: boolean
  /** Whether its secret is shorter than `webhooks.shortestSecret` was when it was set. False without a secret. */
  readonly weakSecret: boolean
  readonly enabled: boolean
  /** `gone`: it returned 410. `failing`: all attempts failed for days. `host`: by `update`. Null while enabled. */
  readonly disabledReason: DisabledReason | null
  /** When attempts began to fail without a success; null after a success. */
  readonly failingSince: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** One entry of a webhook's delivery log. */
export interface DeliveryRecord {
  /** `evt_…`, sent to receivers as `X-Service-Delivery`. */
  readonly id: string
  readonly webhookId: string
  readonly workspaceId: string
  /** Its event's type, and when the event happened. */
  readonly event: { readonly type: WebhookEventType; readonly at: Instant }
  readonly status: DeliveryStatus
  readonly attemptCount: number
  /** Oldest first. */
  readonly attempts: readonly DeliveryAttempt[]
  /** Null unless `status` is `pending`. */
  readonly nextAttemptAt: Instant | null
  readonly createdAt: Instant
}

/** Leaves out the secrets. */
export function toWebhook(stored: StoredWebhook): Webhook {
  const { secrets, ...shown } = stored
  return { ...shown, signed: secrets.length > 0 }
}

export function toDeliveryRecord(delivery: Delivery): DeliveryRecord {
  const { id, webhookId, workspaceId, status, attemptCount, attempts, nextAttemptAt, createdAt } = delivery
  const event = { type: delivery.event.type as WebhookEventType, at: delivery.event.at }
  return { id, webhookId, workspaceId, event, status, attemptCount, attempts, nextAttemptAt, createdAt }
}

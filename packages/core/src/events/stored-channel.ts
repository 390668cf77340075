import type { Instant } from '../environment/index.js'
import type { NotificationEventType } from './catalogue.js'

/** A notification channel that a user set up, as stored. */
export interface StoredChannel {
  /** `nch_…` */
  readonly id: string
  readonly workspaceId: string
  /** The name of the registered type. */
  readonly type: string
  readonly name: string
  /** Plain JSON without the secrets. */
  readonly config: Readonly<Record<string, unknown>>
  /** By member of the configuration: sealed by `SecretBox`, never in plain text. */
  readonly secrets: Readonly<Record<string, string>>
  readonly events: readonly NotificationEventType[]
  /** Sends that have failed since the last success or change. */
  readonly failures: number
  /** When they began to fail; null when the last send succeeded, or before the first one. */
  readonly failingSince: Instant | null
  /** Why the last send failed, without secrets; null when it succeeded. */
  readonly lastError: string | null
  readonly lastDeliveredAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

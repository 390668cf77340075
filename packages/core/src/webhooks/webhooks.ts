import type { z } from 'zod'
import type { Reach, SecretBox } from '../access/index.js'
import type { Environment, InTransaction, Instant, OnRecord } from '../environment/index.js'
import { parseInput, requireLimit, TaskboardError } from '../errors/index.js'
import { sampleEvent } from '../events/index.js'
import type { IdempotencyClaim } from '../idempotency/index.js'
import type { EndpointGuard } from './endpoint-guard.js'
import { createRegistrations, createSecretRules, type Registrations, requireUrl } from './registrations.js'
import { newWebhookSecret } from './signature.js'
import { type newWebhookInput, rotationInput, webhookChangeInput } from './webhook-input.js'
import type { WebhookSettings } from './webhook-options.js'
import {
  deliveryStatuses,
  type DeliveryStatus,
  type StoredWebhook,
  type WebhookStore,
} from './webhook-store.js'
import { toDeliveryRecord, toWebhook, type DeliveryRecord, type Webhook } from './webhook.js'

export type WebhookInput = z.input<typeof newWebhookInput>
export type WebhookChange = z.input<typeof webhookChangeInput>

export interface DeliveryPage {
  /** Newest first. */
  readonly deliveries: readonly DeliveryRecord[]
  /** Pass it to get the next page; null on the last page. */
  readonly nextCursor: string | null
}

/**
 * The webhooks of all workspaces. Every method throws `TaskboardError`. `MISSING_FIELD` and `INVALID_FIELD` name the field. `NOT_FOUND` for
 * an id that the workspace doesn't have, `SERVICE_UNAVAILABLE` when the storage is unreachable.
 */
export interface Webhooks<Tx = unknown> {
  /**
   * Registers an endpoint for future events. A host name in the URL isn't resolved: addresses are checked at each connection.
   * Without a secret, deliveries carry no signature. With one shorter than `webhooks.shortestSecret`, the webhook is marked. A retry with the same `idempotency` returns the webhook as first created.
   * @throws `CONFLICT` when that key was used for another request.
   */
  register(
    workspaceId: string,
    input: WebhookInput,
    options?: OnRecord<Tx> & { readonly idempotency?: IdempotencyClaim | undefined },
  ): Promise<Webhook>
  /** Oldest first. */
  list(workspaceId: string, options?: InTransaction<Tx>): Promise<readonly Webhook[]>
  get(workspaceId: string, webhookId: string, options?: InTransaction<Tx>): Promise<Webhook>
  /** A webhook of any workspace within reach. */
  find(reach: Reach, webhookId: string, options?: InTransaction<Tx>): Promise<Webhook>
  /** Changes the given fields. Enabling clears the failures; events since then stay `skipped` in the log until you resend them. */
  update(
    workspaceId: string,
    webhookId: string,
    change: WebhookChange,
    options?: OnRecord<Tx>,
  ): Promise<Webhook>
  /** Deletes it with its log; returns false when it didn't exist. Sends in progress may still arrive; no new one starts. */
  delete(workspaceId: string, webhookId: string, options?: OnRecord<Tx>): Promise<boolean>
  /**
   * Sets a new secret, a random `whsec_` one unless `secret` is given, and returns it only here. The old secret also signs for
   * `overlapMs` (default 24 h; 0 stops it at the same time); of earlier secrets only the newest does. With two concurrent rotations, the
   * later secret is the current one, and the other one also signs.
   */
  rotateSecret(
    workspaceId: string,
    webhookId: string,
    input?: z.input<typeof rotationInput>,
    options?: OnRecord<Tx>,
  ): Promise<{ readonly webhook: Webhook; readonly secret: string }>
  /**
   * Sends only this webhook a sample of the first event type that it subscribes to. The log has the result under the returned id.
   * @throws `CONFLICT` when it is disabled.
   */
  test(workspaceId: string, webhookId: string, options?: InTransaction<Tx>): Promise<DeliveryRecord>
  /** The delivery log. `limit` 1 to 1,000, default 100. */
  deliveries(
    workspaceId: string,
    webhookId: string,
    query?: InTransaction<Tx> & {
      readonly status?: DeliveryStatus | null | undefined
      readonly limit?: number | undefined
      readonly cursor?: string | null | undefined
    },
  ): Promise<DeliveryPage>
  /**
   * Sends finished deliveries again, with the same id and body and fresh attempts: one, or all created in [`from`, `to`) that
   * failed or were skipped. Returns how many. @throws `CONFLICT` when the webhook is disabled.
   */
  resend(
    workspaceId: string,
    webhookId: string,
    which: { readonly deliveryId: string } | { readonly from: Instant | Date; readonly to: Instant | Date },
    options?: OnRecord<Tx>,
  ): Promise<number>
}

/** What transports need besides, for users, whose secrets must be long. The Board API (v1) and the host's code register as before. */
export interface TransportWebhooks<Tx = unknown> extends Webhooks<Tx>, Pick<Registrations<Tx>, 'create'> {
  /** @throws TaskboardError `INVALID_FIELD` (`secret`) for one that is too short for users. */
  requireLongSecret(secret: string | null | undefined): void
}

export interface WebhooksDeps<Tx> {
  readonly environment: Environment
  readonly store: WebhookStore<Tx>
  readonly secrets: Pick<SecretBox, 'seal' | 'open' | 'digest'>
  readonly guard: EndpointGuard
  readonly settings: Pick<WebhookSettings, 'rotationOverlapMs' | 'shortestSecret'>
  /** Called after this process changed or deleted a webhook; in a host's transaction, before its commit. */
  readonly onChanged: (webhookId: string) => void
}

const DEFAULT_PAGE = 100

export function createWebhooks<Tx>(deps: WebhooksDeps<Tx>): TransportWebhooks<Tx> {
  const { environment, store, guard, onChanged } = deps
  const secretRules = createSecretRules(deps.secrets, deps.settings)

  async function find(
    within: string | Reach,
    webhookId: string,
    options?: InTransaction<Tx>,
  ): Promise<StoredWebhook> {
    const [webhook] = await store.listWebhooks({ within, webhookId }, environment.call(options))
    if (webhook === undefined) throw new TaskboardError('NOT_FOUND', 'no such webhook')
    return webhook
  }

  return {
    ...createRegistrations({ environment, store, guard, secretRules }),
    requireLongSecret: (secret) => secretRules.requireLong(secret),
    async list(workspaceId, options) {
      return (await store.listWebhooks({ within: workspaceId }, environment.call(options))).map(toWebhook)
    },
    async get(workspaceId, webhookId, options) {
      return toWebhook(await find(workspaceId, webhookId, options))
    },
    async find(reach, webhookId, options) {
      return toWebhook(await find(reach, webhookId, options))
    },
    async update(workspaceId, webhookId, input, options) {
      const { url, events, enabled } = parseInput(webhookChangeInput, input)
      if (url !== undefined) requireUrl(guard, url)
      const change = { url, events, enabled }
      const changed = await store.updateWebhook({ workspaceId, webhookId, change }, environment.call(options))
      onChanged(webhookId)
      return toWebhook(changed)
    },
    async delete(workspaceId, webhookId, options) {
      const isDeleted = await store.deleteWebhook({ workspaceId, webhookId }, environment.call(options))
      onChanged(webhookId)
      return isDeleted
    },
    async rotateSecret(workspaceId, webhookId, input = {}, options) {
      const { secret: given, overlapMs = deps.settings.rotationOverlapMs } = parseInput(rotationInput, input)
      const secret = given ?? newWebhookSecret(environment.random)
      const rotation = { ...secretRules.toStored(workspaceId, secret), overlapMs }
      const webhook = await store.updateWebhook(
        { workspaceId, webhookId, change: { rotation } },
        environment.call(options),
      )
      onChanged(webhookId)
      return { webhook: toWebhook(webhook), secret }
    },
    async test(workspaceId, webhookId, options) {
      const webhook = requireEnabled(toWebhook(await find(workspaceId, webhookId, options)))
      const event = sampleEvent(webhook.events[0] ?? 'task.created', environment.clock.now())
      return toDeliveryRecord(
        await store.insertTestDelivery({ workspaceId, webhookId, event }, environment.call(options)),
      )
    },
    async deliveries(workspaceId, webhookId, request = {}) {
      const { status = null, limit = DEFAULT_PAGE, cursor = null, tx } = request
      requireQuery(status, limit, cursor)
      const query = { workspaceId, webhookId, status, limit: limit + 1, afterId: cursor }
      const found = await store.listDeliveries(query, environment.call({ tx }))
      const deliveries = found.slice(0, limit).map(toDeliveryRecord)
      return { deliveries, nextCursor: found.length > limit ? (deliveries.at(-1)?.id ?? null) : null }
    },
    async resend(workspaceId, webhookId, which, options) {
      const wanted = toResendRequest(which)
      requireEnabled(toWebhook(await find(workspaceId, webhookId, options)))
      return store.resendDeliveries({ workspaceId, webhookId, which: wanted }, environment.call(options))
    },
  }
}

function requireEnabled(webhook: Webhook): Webhook {
  if (webhook.enabled) return webhook
  throw new TaskboardError('CONFLICT', 'the webhook is disabled; enable it first', { resourceId: webhook.id })
}

function requireQuery(status: DeliveryStatus | null, limit: number, cursor: string | null): void {
  if (status !== null && !deliveryStatuses.includes(status)) {
    throw new TaskboardError('INVALID_FIELD', `status must be one of ${deliveryStatuses.join(', ')}`, {
      field: 'status',
    })
  }
  requireLimit(limit)
  if (cursor !== null && !/^evt_[0-9a-z]{1,60}$/.test(cursor)) {
    throw new TaskboardError('INVALID_FIELD', 'cursor must be the nextCursor of an earlier page', {
      field: 'cursor',
    })
  }
}

function toResendRequest(
  which: Parameters<Webhooks['resend']>[2],
): { deliveryId: string } | { from: Instant; to: Instant } {
  if ('deliveryId' in which) return { deliveryId: which.deliveryId }
  const [from, to] = [which.from, which.to].map(Number) as [Instant, Instant]
  for (const [field, value] of Object.entries({ from, to })) {
    if (!Number.isSafeInteger(value))
      throw new TaskboardError('INVALID_FIELD', `${field} must be a time`, { field })
  }
  return { from, to }
}

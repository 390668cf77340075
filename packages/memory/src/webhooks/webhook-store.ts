import { TaskboardError, type Instant } from '@taskboard/core'
import {
  currentPayloadVersion,
  rotateSecrets,
  type Delivery,
  type DeliveryResult,
  type DeliveryTarget,
  type LoggedEvent,
  type NewStoredWebhook,
  type ReturnedDelivery,
  type StoredSecret,
  type StoredWebhook,
  type StoredWebhookChange,
  type WebhookStore,
} from '@taskboard/core/storage'
import { newDelivery, type Database } from '../tables/database.js'
import { createDeliveryClaims } from './delivery-claims.js'
import { createDeliveryIndex, type DeliveryIndex } from './delivery-index.js'
import {
  createDeliveryLog,
  type DeliveryLog,
  type DeliveryRow,
  isFinished,
  isHeld,
} from '../tables/deliveries.js'
import { recordResult } from './delivery-results.js'
import type { Pruned } from '../tables/prune.js'
import { isWithin } from '../tables/reach.js'
import type { Table } from '../tables/table.js'
import type { MemoryTransaction } from '../tables/transactions.js'

type Store = WebhookStore<MemoryTransaction>
type WebhookVerb = 'insertWebhook' | 'listWebhooks' | 'updateWebhook' | 'deleteWebhook'
type SendVerb = 'claimDueDeliveries' | 'claimNewDeliveries' | 'readTargets' | 'recordDeliveryResults'
type LogVerb = Exclude<keyof Store, WebhookVerb | SendVerb>

export function createWebhookStore(database: Database): Store & Pruned<'pruneDeliveries'> {
  const { tables } = database
  const { deliveries, webhooks } = tables
  const accountOf = (workspaceId: string): string => tables.workspaces.get(workspaceId)?.accountId ?? ''
  const index = createDeliveryIndex(deliveries, accountOf)
  const log = createDeliveryLog(deliveries)

  function requireWebhook(workspaceId: string, webhookId: string): StoredWebhook {
    const webhook = webhooks.get(webhookId)
    if (webhook !== undefined && webhook.workspaceId === workspaceId) return webhook
    throw new TaskboardError('NOT_FOUND', 'no such webhook')
  }

  return {
    ...createWebhookVerbs(database, log, requireWebhook),
    ...createSendVerbs(database, index, accountOf),
    ...createLogVerbs(database, index, log, requireWebhook),
  }
}

function createWebhookVerbs(
  database: Database,
  log: DeliveryLog,
  requireWebhook: (workspaceId: string, webhookId: string) => StoredWebhook,
): Pick<Store, WebhookVerb> {
  const { settings, transactions, tables, idempotency, subscriptions, readOnly } = database
  const { read, write } = transactions

  return {
    insertWebhook: ({ webhook: given, idempotency: claim, unlessThere = false }, call) =>
      write(call, (now) => {
        const { workspaceId, url, events, secrets, weakSecret } = given
        database.requireWorkspace(workspaceId)
        const there = unlessThere
          ? subscriptions.of(workspaceId).find((each) => isSame(each, given))
          : undefined
        const made = idempotency.once(claim, now, () => {
          if (there !== undefined) return there
          readOnly.requireWritable(workspaceId)
          const webhook: StoredWebhook = {
            id: settings.current.newId('wh'),
            workspaceId,
            url,
            events: Object.freeze([...new Set(events)]),
            secrets: copiedSecrets(secrets),
            weakSecret,
            enabled: true,
            disabledReason: null,
            failingSince: null,
            createdAt: now,
            updatedAt: now,
          }
          tables.webhooks.set(webhook.id, webhook)
          return webhook
        })
        return made.value === there ? { value: there, replayed: true } : made
      }),
    listWebhooks: (query, call) =>
      read(call, () => {
        if (!('webhookId' in query)) return [...subscriptions.of(query.within)]
        const { within, webhookId } = query
        const webhook = tables.webhooks.get(webhookId)
        if (webhook === undefined) return []
        const { workspaceId } = webhook
        const isFound =
          typeof within === 'string' ? workspaceId === within : isWithin(database, within, workspaceId)
        return isFound ? [webhook] : []
      }),
    updateWebhook: ({ workspaceId, webhookId, change }, call) =>
      write(call, (now) => {
        const webhook = requireWebhook(workspaceId, webhookId)
        readOnly.requireWritable(workspaceId)
        const changed = changedWebhook(webhook, change, now)
        tables.webhooks.set(webhookId, changed)
        return changed
      }),
    deleteWebhook: ({ workspaceId, webhookId }, call) =>
      write(call, () => {
        if (tables.webhooks.get(webhookId)?.workspaceId !== workspaceId) return false
        readOnly.requireWritable(workspaceId)
        for (const id of log.all(webhookId).toReversed()) tables.deliveries.delete(id)
        tables.webhooks.delete(webhookId)
        return true
      }),
  }
}

/** Whether a webhook sends the same events to the same URL. */
function isSame({ url, events }: StoredWebhook, other: Pick<NewStoredWebhook, 'url' | 'events'>): boolean {
  const wanted = new Set(other.events)
  return url === other.url && events.length === wanted.size && events.every((type) => wanted.has(type))
}

function changedWebhook(webhook: StoredWebhook, change: StoredWebhookChange, now: Instant): StoredWebhook {
  if ('rotation' in change) {
    const { sealed, weakSecret, overlapMs } = change.rotation
    const secrets = copiedSecrets(rotateSecrets(webhook.secrets, sealed, now, overlapMs))
    return { ...webhook, secrets, weakSecret, updatedAt: now }
  }
  const { url, events, enabled } = change
  const changed = {
    ...webhook,
    updatedAt: now,
    ...(url !== undefined && url !== webhook.url && { url, failingSince: null }),
    ...(events !== undefined && { events: Object.freeze([...new Set(events)]) }),
  }
  if (enabled === true) return { ...changed, enabled, disabledReason: null, failingSince: null }
  if (enabled === false && webhook.enabled) return { ...changed, enabled, disabledReason: 'host' }
  return changed
}

function createSendVerbs(
  database: Database,
  index: DeliveryIndex,
  accountOf: (workspaceId: string) => string,
): Pick<Store, SendVerb> {
  const { read, write } = database.transactions
  const { deliveries, webhooks } = database.tables
  const targetOf = ({ id, workspaceId, url, secrets }: StoredWebhook, now: Instant): DeliveryTarget => ({
    id,
    workspaceId,
    accountId: accountOf(workspaceId),
    url,
    secrets: secrets
      .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
      .map(({ sealed }) => sealed),
  })
  const claims = createDeliveryClaims(deliveries, webhooks, index, targetOf)

  return {
    claimDueDeliveries: (request, call) => write(call, (now) => claims.claimDue(request, now)),
    // A claim costs nothing here.
    claimNewDeliveries: () => () => undefined,
    readTargets: ({ webhookIds }, call) =>
      read(call, (now) =>
        webhookIds.flatMap((id) => {
          const webhook = webhooks.get(id)
          return webhook?.enabled === true ? [targetOf(webhook, now)] : []
        }),
      ),
    recordDeliveryResults: ({ results, disableAfterMs }, call) =>
      write(call, (now) => {
        for (const result of results) {
          if (isReturned(result)) giveBack(deliveries, result, now)
          else recordResult(database, result, disableAfterMs, now)
        }
      }),
  }
}

function isReturned(result: DeliveryResult | ReturnedDelivery): result is ReturnedDelivery {
  return result.outcome.kind === 'returned'
}

function giveBack(
  deliveries: Table<DeliveryRow>,
  { deliveryId, claimToken, outcome }: ReturnedDelivery,
  now: Instant,
): void {
  const row = deliveries.get(deliveryId)
  if (row === undefined || !isHeld(row, claimToken, now)) return
  const nextAttemptAt = now + outcome.delayMs
  deliveries.set(deliveryId, { delivery: { ...row.delivery, nextAttemptAt }, claim: null })
}

function createLogVerbs(
  { settings, transactions, tables }: Database,
  index: DeliveryIndex,
  log: DeliveryLog,
  requireWebhook: (workspaceId: string, webhookId: string) => StoredWebhook,
): Pick<Store, LogVerb> & Pruned<'pruneDeliveries'> {
  const { read, write } = transactions
  const { deliveries } = tables

  function requireDelivery(webhookId: string, deliveryId: string): DeliveryRow {
    const row = deliveries.get(deliveryId)
    if (row?.delivery.webhookId === webhookId) return row
    throw new TaskboardError('NOT_FOUND', 'no such delivery')
  }

  function toResend(
    webhookId: string,
    which: Parameters<Store['resendDeliveries']>[0]['which'],
  ): readonly DeliveryRow[] {
    if ('deliveryId' in which) return [requireDelivery(webhookId, which.deliveryId)].filter(isFinished)
    const rows = log.all(webhookId).map((id) => deliveries.get(id) as DeliveryRow)
    return rows.filter(({ delivery: { status, createdAt } }) => {
      const unsent = status === 'failed' || status === 'skipped'
      return unsent && createdAt >= which.from && createdAt < which.to
    })
  }

  return {
    insertTestDelivery: ({ workspaceId, webhookId, event: { type, data } }, call) =>
      write(call, (now) => {
        requireWebhook(workspaceId, webhookId)
        const { newId } = settings.current
        const place = {
          id: newId('log'),
          workspaceId,
          seq: 0,
          at: now,
          payloadVersion: currentPayloadVersion,
        }
        const event = { ...structuredClone({ type, data }), ...place } as LoggedEvent
        const row = newDelivery(newId('evt'), webhookId, event, now)
        deliveries.set(row.delivery.id, row)
        return row.delivery
      }),
    listDeliveries: (query, call) =>
      read(call, () => {
        requireWebhook(query.workspaceId, query.webhookId)
        return pageOf(deliveries, log, query)
      }),
    resendDeliveries: ({ workspaceId, webhookId, which }, call) =>
      write(call, (now) => {
        requireWebhook(workspaceId, webhookId)
        const rows = toResend(webhookId, which)
        for (const { delivery } of rows) {
          const again = { ...delivery, status: 'pending', attemptCount: 0, nextAttemptAt: now } as const
          deliveries.set(delivery.id, { delivery: again, claim: null })
        }
        return rows.length
      }),
    pruneDeliveries: ({ olderThanMs, limit }, call) =>
      write(call, (now) => {
        let count = 0
        for (let row = index.firstFinished(); row !== null && count < limit; row = index.firstFinished()) {
          if (row.delivery.createdAt >= now - olderThanMs) break
          deliveries.delete(row.delivery.id)
          count += 1
        }
        return count
      }),
  }
}

function copiedSecrets(secrets: readonly StoredSecret[]): readonly StoredSecret[] {
  return Object.freeze(secrets.map(({ sealed, expiresAt }) => ({ sealed, expiresAt })))
}

function pageOf(
  deliveries: Table<DeliveryRow>,
  log: DeliveryLog,
  { webhookId, status, limit, afterId }: Parameters<Store['listDeliveries']>[0],
): readonly Delivery[] {
  const found: Delivery[] = []
  for (const id of log.newestFirst(webhookId, afterId)) {
    if (found.length >= limit) break
    const { delivery } = deliveries.get(id) as DeliveryRow
    if (status === null || delivery.status === status) found.push(delivery)
  }
  return found
}

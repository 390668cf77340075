import type { WebhookStore } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { createDeliveryClaims } from './claim-due-deliveries.js'
import { deleteWebhook } from './delete-webhook.js'
import { insertTestDelivery } from './insert-test-delivery.js'
import { insertWebhook } from './insert-webhook.js'
import { listDeliveries } from './list-deliveries.js'
import { listWebhooks } from './read-webhooks.js'
import { recordDeliveryResults } from './record-delivery-results.js'
import { readTargets } from './read-targets.js'
import { resendDeliveries } from './resend-deliveries.js'
import { rotateSecret } from './rotate-secret.js'
import { updateWebhook } from './update-webhook.js'

/** Webhooks and their deliveries. */
export function createWebhookStore(database: Database): WebhookStore<PgConnection> {
  const { claimDue } = createDeliveryClaims(database)
  return {
    insertWebhook: ({ webhook, idempotency }, at) => insertWebhook(database, webhook, idempotency, at),
    listWebhooks: (query, at) => listWebhooks(database, query, at),
    updateWebhook: ({ workspaceId, webhookId, change }, at) =>
      'rotation' in change
        ? rotateSecret(database, workspaceId, webhookId, change.rotation, at)
        : updateWebhook(database, workspaceId, webhookId, change, at),
    deleteWebhook: ({ workspaceId, webhookId }, at) => deleteWebhook(database, workspaceId, webhookId, at),
    insertTestDelivery: ({ workspaceId, webhookId, event }, at) =>
      insertTestDelivery(database, workspaceId, webhookId, event, at),
    claimDueDeliveries: (request, at) => claimDue(request, at),
    readTargets: ({ webhookIds }, at) => readTargets(database, webhookIds, at),
    recordDeliveryResults: ({ results, disableAfterMs }, at) =>
      recordDeliveryResults(database, results, disableAfterMs, at),
    listDeliveries: (query, at) => listDeliveries(database, query, at),
    resendDeliveries: ({ workspaceId, webhookId, which }, at) =>
      resendDeliveries(database, workspaceId, webhookId, which, at),
  }
}

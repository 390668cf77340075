import { TaskboardError } from '@taskboard/core'
import type { At, StoredWebhook, WebhookQuery } from '@taskboard/core/storage'
import { reachValues, withinReach } from '../access/reach.js'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { webhookColumns } from './webhook-row.js'

const webhooksOfWorkspace = statement<StoredWebhook>(
  'list_webhooks',
  /* sql */ `
  select ${webhookColumns('w')} from taskboard.webhook w
  where w.workspace_id = $1::text order by w.created_at, w.id`,
)

const webhookById = statement<StoredWebhook>(
  'get_webhook',
  /* sql */ `
  select ${webhookColumns('w')} from taskboard.webhook w
  where w.id = $2::text and w.workspace_id = $1::text`,
)

const webhookWithinReach = statement<StoredWebhook>(
  'find_webhook',
  /* sql */ `
  select ${webhookColumns('w')} from taskboard.webhook w join taskboard.workspace s on s.id = w.workspace_id
  where w.id = $1::text and ${withinReach('s', 2)}`,
)

/** `WebhookStore.listWebhooks`. */
export function listWebhooks(
  database: Database,
  query: WebhookQuery,
  at: At<PgConnection>,
): Promise<readonly StoredWebhook[]> {
  if (query.webhookId === undefined) return database.read(at, webhooksOfWorkspace, [query.within])
  const { within, webhookId } = query
  return typeof within === 'string'
    ? database.read(at, webhookById, [within, webhookId])
    : database.read(at, webhookWithinReach, [webhookId, ...reachValues(within)])
}

/** The error for a webhook that does not exist, or not in that workspace. */
export function unknownWebhook(): TaskboardError {
  return new TaskboardError('NOT_FOUND', 'no such webhook')
}

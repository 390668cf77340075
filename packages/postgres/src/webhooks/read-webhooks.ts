import { TaskboardError } from '@taskboard/core'
import type { CallContext, DeliveryTarget, StoredWebhook, WebhookQuery } from '@taskboard/core/storage'
import { reachValues, withinReach } from '../database/reach.js'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { targetJson } from '../events/target-json.js'

/** The columns of a `StoredWebhook`. `alias` names the table or expression. */
export function webhookColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.workspace_id as "workspaceId", ${a}.url, ${a}.events, ${a}.secrets,
    ${a}.weak_secret as "weakSecret", ${a}.enabled,
    ${a}.disabled_reason as "disabledReason", ${a}.failing_since::float8 as "failingSince",
    ${a}.created_at::float8 as "createdAt", ${a}.updated_at::float8 as "updatedAt"`
}

const targets = statement<{ readonly target: DeliveryTarget }>(
  'read_targets',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  select ${targetJson('w', 'p.now')} as target
  from p, taskboard.webhook w where w.id = any ($2::text[]) and w.enabled`,
)

/** `WebhookStore.readTargets`. */
export async function readTargets(
  database: Database,
  webhookIds: readonly string[],
  call: CallContext<PgConnection>,
): Promise<readonly DeliveryTarget[]> {
  if (webhookIds.length === 0) return []
  const rows = await database.read(call, targets, [call.now, webhookIds])
  return rows.map(({ target }) => target)
}

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
  call: CallContext<PgConnection>,
): Promise<readonly StoredWebhook[]> {
  if (!('webhookId' in query)) return database.read(call, webhooksOfWorkspace, [query.within])
  const { within, webhookId } = query
  return typeof within === 'string'
    ? database.read(call, webhookById, [within, webhookId])
    : database.read(call, webhookWithinReach, [webhookId, ...reachValues(within)])
}

/** The error for a webhook that doesn't exist, or not in that workspace. */
export function unknownWebhook(): TaskboardError {
  return new TaskboardError('NOT_FOUND', 'no such webhook')
}

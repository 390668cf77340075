import type { At, StoredWebhook, StoredWebhookChange } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { unknownWebhook } from './read-webhooks.js'
import { webhookColumns } from './webhook-row.js'

const update = statement<StoredWebhook>(
  'update_webhook',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  update taskboard.webhook w set
    url = coalesce($4::text, w.url),
    events = coalesce($5::text[], w.events),
    enabled = coalesce($6::boolean, w.enabled),
    disabled_reason = case
      when $6::boolean then null
      when not $6::boolean and w.enabled then 'host'
      else w.disabled_reason end,
    failing_since = case when $6::boolean or $4::text <> w.url then null else w.failing_since end,
    updated_at = p.now
  from p where w.id = $3::text and w.workspace_id = $2::text
  returning ${webhookColumns('w')}`,
)

/** `WebhookStore.updateWebhook`. */
export async function updateWebhook(
  database: Database,
  workspaceId: string,
  webhookId: string,
  { url, events, enabled }: Exclude<StoredWebhookChange, { readonly rotation: object }>,
  at: At<PgConnection>,
): Promise<StoredWebhook> {
  const [webhook] = await database.write(at, update, [
    at.now,
    workspaceId,
    webhookId,
    url ?? null,
    events === undefined ? null : [...new Set(events)],
    enabled ?? null,
  ])
  if (webhook === undefined) throw unknownWebhook()
  return webhook
}

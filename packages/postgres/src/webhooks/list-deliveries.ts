import type { At, Delivery, DeliveryQuery, DeliveryStatus } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement, type Statement } from '../statement.js'
import { deliveryColumns, toDelivery, type DeliveryRow } from './delivery-row.js'
import { unknownWebhook } from './read-webhooks.js'

/** Each row is a delivery; a webhook without deliveries has one row of nulls. */
type ListedRow = DeliveryRow | { readonly [Member in keyof DeliveryRow]: null }

/**
 * Workspace, webhook, limit, the delivery that ended the page before. That one may have been pruned since, together with all
 * older ones except those that still wait, whose ids sort by age as well.
 */
const newestFirst = (verb: string, condition: string): Statement<ListedRow> =>
  statement(
    verb,
    /* sql */ `
  with edge as materialized (
    select coalesce(l.created_at, 9223372036854775807) as created_at, coalesce(l.id, '') as id,
      case when l.id is null then $4::text end as missing
    from (select) as always
      left join taskboard.delivery l on l.id = $4::text and l.webhook_id = $2::text
  )
  select ${deliveryColumns('d')}
  from taskboard.webhook w left join lateral (
    select * from taskboard.delivery f
    where f.webhook_id = $2::text and ${condition}
      and (f.created_at, f.id) < ((select created_at from edge), (select id from edge))
      and coalesce(f.id < (select missing from edge), true)
    order by f.created_at desc, f.id desc limit $3::integer
  ) d on true
  where w.id = $2::text and w.workspace_id = $1::text
  order by d.created_at desc, d.id desc`,
  )

/** One for each status, because only the rare statuses have an index. */
const listings: Readonly<Record<DeliveryStatus | 'all', Statement<ListedRow>>> = {
  all: newestFirst('list_deliveries', 'true'),
  pending: newestFirst('list_pending_deliveries', `f.status = 'pending'`),
  succeeded: newestFirst('list_succeeded_deliveries', `f.status = 'succeeded'`),
  failed: newestFirst('list_failed_deliveries', `f.status = 'failed'`),
  skipped: newestFirst('list_skipped_deliveries', `f.status = 'skipped'`),
}

/** `WebhookStore.listDeliveries`. */
export async function listDeliveries(
  database: Database,
  { workspaceId, webhookId, status, limit, afterId }: DeliveryQuery,
  at: At<PgConnection>,
): Promise<readonly Delivery[]> {
  const rows = await database.read(at, listings[status ?? 'all'], [workspaceId, webhookId, limit, afterId])
  if (rows.length === 0) throw unknownWebhook()
  return rows.filter((row): row is DeliveryRow => row.id !== null).map(toDelivery)
}

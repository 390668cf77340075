import type { At, Delivery, DeliveryQuery } from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { deliveryColumns } from './delivery-row.js'
import { unknownWebhook } from './read-webhooks.js'

/** Each row is of a delivery; for a webhook without any there is one of nulls. */
type ListedRow = Delivery | { readonly [Member in keyof Delivery]: null }

/**
 * A page goes on below the delivery that ended the one before. That one may have been pruned since: what is older has gone
 * with it then, but for what still waits, whose ids sort by the same age.
 */
const newestFirst = statement<ListedRow>(
  'list_deliveries',
  /* sql */ `
  with last as materialized (
    select created_at, id from taskboard.delivery where id = $5::text and webhook_id = $2::text
  )
  select ${deliveryColumns('d')}
  from taskboard.webhook w left join lateral (
    select * from taskboard.delivery f
    where f.webhook_id = w.id and ($3::text is null or f.status = $3::text)
      and case
        when $5::text is null then true
        when exists (select from last) then true
        else f.id < $5::text end
      and (f.created_at, f.id) < (
        coalesce((select created_at from last), 9223372036854775807), coalesce((select id from last), ''))
    order by f.created_at desc, f.id desc limit $4::integer
  ) d on true
  where w.id = $2::text and w.workspace_id = $1::text
  order by d.created_at desc, d.id desc`,
)

/** `WebhookStore.listDeliveries`. */
export async function listDeliveries(
  database: Database,
  { workspaceId, webhookId, status, limit, afterId }: DeliveryQuery,
  at: At<PgConnection>,
): Promise<readonly Delivery[]> {
  const rows = await database.read(at, newestFirst, [workspaceId, webhookId, status, limit, afterId])
  if (rows.length === 0) throw unknownWebhook()
  return rows.filter((row): row is Delivery => row.id !== null)
}

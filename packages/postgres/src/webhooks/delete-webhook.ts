import type { At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

/**
 * Deletes deliveries first, because all statements lock them before webhooks. The foreign key deletes one that an event adds in
 * the meantime.
 */
const deleteWithDeliveries = statement<object>(
  'delete_webhook',
  /* sql */ `
  with doomed as materialized (
    select d.id from taskboard.delivery d
    where d.webhook_id = (select id from taskboard.webhook where id = $2::text and workspace_id = $1::text)
    order by d.id for update
  ),
  gone as (
    delete from taskboard.delivery where id = any (array(select id from doomed)) returning 1
  )
  delete from taskboard.webhook w
  where w.id = $2::text and w.workspace_id = $1::text and (select count(*) from gone) >= 0
  returning true as "isDeleted"`,
)

/** `WebhookStore.deleteWebhook`. */
export async function deleteWebhook(
  database: Database,
  workspaceId: string,
  webhookId: string,
  at: At<PgConnection>,
): Promise<boolean> {
  const deleted = await database.write(at, deleteWithDeliveries, [workspaceId, webhookId])
  return deleted.length > 0
}

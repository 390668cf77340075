import { currentPayloadVersion, type At, type Delivery, type LoggedEvent } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { deliveryColumns, toDelivery, type DeliveryRow, type StoredEvent } from './delivery-row.js'
import { unknownWebhook } from './read-webhooks.js'

const insert = statement<DeliveryRow>(
  'insert_test_delivery',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  insert into taskboard.delivery as d (id, webhook_id, workspace_id, account_id, event, next_attempt_at, created_at)
  select $4::text, w.id, w.workspace_id,
    (select o.account_id from taskboard.workspace o where o.id = w.workspace_id), $5::jsonb || jsonb_build_object('at', p.now), p.now, p.now
  from p, taskboard.webhook w where w.id = $3::text and w.workspace_id = $2::text
  returning ${deliveryColumns('d')}`,
)

/** `WebhookStore.insertTestDelivery`. */
export async function insertTestDelivery(
  database: Database,
  workspaceId: string,
  webhookId: string,
  { type, data }: Pick<LoggedEvent, 'type' | 'data'>,
  at: At<PgConnection>,
): Promise<Delivery> {
  const { newId } = database.settings.current
  const event: Omit<StoredEvent, 'at'> = {
    type,
    facts: data,
    id: newId('log'),
    workspaceId,
    seq: 0,
    payloadVersion: currentPayloadVersion,
  }
  const values = [at.now, workspaceId, webhookId, newId('evt'), JSON.stringify(event)]
  const [row] = await database.write(at, insert, values)
  if (row === undefined) throw unknownWebhook()
  return toDelivery(row)
}

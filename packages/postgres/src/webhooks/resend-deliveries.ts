import { TaskboardError } from '@taskboard/core'
import type { At, WebhookStore } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { unknownWebhook } from './read-webhooks.js'

interface ResentRow {
  readonly isWebhook: boolean
  readonly isDelivery: boolean
  readonly count: number
}

/** The last part of both statements: makes the deliveries that `chosen` locked pending again. Old rows may have no account. */
const RESEND = /* sql */ `
  resent as (
    update taskboard.delivery d
    set status = 'pending', attempt_count = 0, next_attempt_at = p.now, claim_token = null, planned_at = null,
      account_id = (select o.account_id from taskboard.workspace o where o.id = $2::text)
    from p where d.id = any (array(select id from chosen)) returning 1
  )`

const resendOne = statement<ResentRow>(
  'resend_delivery',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  owner as materialized (
    select id from taskboard.webhook where id = $3::text and workspace_id = $2::text
  ),
  chosen as materialized (
    select d.id from taskboard.delivery d
    where d.id = $4::text and d.webhook_id = (select id from owner) and d.status <> 'pending'
    for update
  ),
  ${RESEND}
  select exists (select from owner) as "isWebhook",
    exists (
      select from taskboard.delivery d where d.id = $4::text and d.webhook_id = (select id from owner)
    ) as "isDelivery",
    (select count(*) from resent)::float8 as count`,
)

const resendRange = statement<ResentRow>(
  'resend_deliveries',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  owner as materialized (
    select id from taskboard.webhook where id = $3::text and workspace_id = $2::text
  ),
  chosen as materialized (
    select d.id from taskboard.delivery d
    where d.webhook_id = (select id from owner) and d.status in ('failed', 'skipped')
      and d.created_at >= $4::bigint and d.created_at < $5::bigint
    order by d.id for update
  ),
  ${RESEND}
  select exists (select from owner) as "isWebhook", true as "isDelivery",
    (select count(*) from resent)::float8 as count`,
)

/** `WebhookStore.resendDeliveries`. */
export async function resendDeliveries(
  database: Database,
  workspaceId: string,
  webhookId: string,
  which: Parameters<WebhookStore['resendDeliveries']>[0]['which'],
  at: At<PgConnection>,
): Promise<number> {
  const values = [at.now, workspaceId, webhookId]
  const [row] =
    'deliveryId' in which
      ? await database.write(at, resendOne, [...values, which.deliveryId])
      : await database.write(at, resendRange, [...values, which.from, which.to])
  if (row?.isWebhook !== true) throw unknownWebhook()
  if (!row.isDelivery) throw new TaskboardError('NOT_FOUND', 'no such delivery')
  return row.count
}

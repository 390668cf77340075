import { TaskboardError, type DeliveryStatus, type Instant } from '@taskboard/core'
import {
  type CallContext,
  currentPayloadVersion,
  type Delivery,
  type DeliveryQuery,
  type LoggedEvent,
  type WebhookStore,
} from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement, type Statement } from '../connection/statement.js'
import { unknownWebhook } from './read-webhooks.js'

/** The columns of a `Delivery`. `alias` names the table or expression. */
export function deliveryColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.webhook_id as "webhookId", ${a}.workspace_id as "workspaceId", ${a}.event, ${a}.status,
    ${a}.attempt_count as "attemptCount", ${a}.attempts, ${a}.next_attempt_at::float8 as "nextAttemptAt",
    ${a}.created_at::float8 as "createdAt"`
}

/** The delivery of a row, which may have other columns. */
export function toDelivery(row: Delivery): Delivery {
  return {
    id: row.id,
    webhookId: row.webhookId,
    workspaceId: row.workspaceId,
    event: row.event,
    status: row.status,
    attemptCount: row.attemptCount,
    attempts: row.attempts,
    nextAttemptAt: row.nextAttemptAt,
    createdAt: row.createdAt,
  }
}

/** Comes after all ids of deliveries in every collation. */
const AFTER_ALL = `'evu'`

/** Each row is a delivery; a webhook without deliveries has one row of nulls. */
type ListedRow = Delivery | { readonly [Member in keyof Delivery]: null }

/** Workspace, webhook, limit, the delivery that ended the page before, which may have been pruned since. Ids sort by age. */
const newestFirst = (verb: string, condition: string): Statement<ListedRow> =>
  statement(
    verb,
    /* sql */ `
  select ${deliveryColumns('d')}
  from taskboard.webhook w left join lateral (
    select * from taskboard.delivery f
    where f.webhook_id = $2::text and ${condition} and f.id < coalesce($4::text, ${AFTER_ALL})
    order by f.id desc limit $3::integer
  ) d on true
  where w.id = $2::text and w.workspace_id = $1::text
  order by d.id desc`,
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
  call: CallContext<PgConnection>,
): Promise<readonly Delivery[]> {
  const rows = await database.readLatest(call, listings[status ?? 'all'], () => [
    workspaceId,
    webhookId,
    limit,
    afterId,
  ])
  if (rows.length === 0) throw unknownWebhook()
  return rows.filter((row): row is Delivery => row.id !== null).map(toDelivery)
}

interface ResentRow {
  readonly isWebhook: boolean
  readonly isDelivery: boolean
  readonly count: number
}

/** The last part of both statements: makes the deliveries that `chosen` locked pending again. */
const RESEND = /* sql */ `
  taken as (
    delete from taskboard.ended_delivery d
    where d.id = any (array(select id from chosen)) and d.workspace_id = $2::text returning *
  ),
  resent as (
    insert into taskboard.due_delivery
      (id, webhook_id, workspace_id, account_id, next_attempt_at, created_at, seq, attempt_count, event, attempts)
    select d.id, d.webhook_id, d.workspace_id, (select w.account_id from taskboard.workspace w where w.id = $2::text), p.now, d.created_at,
      d.seq, 0, d.event, d.attempts
    from p, taken d returning 1
  )`

const resendOne = statement<ResentRow>(
  'resend_delivery',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  owner as materialized (
    select id from taskboard.webhook where id = $3::text and workspace_id = $2::text
  ),
  chosen as materialized (
    select d.id from taskboard.ended_delivery d
    where d.id = $4::text and d.webhook_id = (select id from owner) and d.workspace_id = $2::text
    for update
  ),
  ${RESEND}
  select exists (select from owner) as "isWebhook",
    exists (
      select from taskboard.delivery d
      where d.id = $4::text and d.webhook_id = (select id from owner) and d.workspace_id = $2::text
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
    select d.id from taskboard.ended_delivery d
    where d.webhook_id = (select id from owner) and d.workspace_id = $2::text and d.status in ('failed', 'skipped')
      and d.id >= $4::text and d.id < $5::text
    order by d.id for update
  ),
  ${RESEND}
  select exists (select from owner) as "isWebhook", true as "isDelivery",
    (select count(*) from resent)::float8 as count`,
)

/** The latest time that an id can have. */
const LATEST = 0xfff_ffff_ffff

/** No id of a delivery that was created at `at` or later comes before it. */
function firstIdAt(at: Instant): string {
  return `evt_${Math.min(at, LATEST).toString(16).padStart(11, '0')}`
}

/** `WebhookStore.resendDeliveries`. */
export async function resendDeliveries(
  database: Database,
  workspaceId: string,
  webhookId: string,
  which: Parameters<WebhookStore['resendDeliveries']>[0]['which'],
  call: CallContext<PgConnection>,
): Promise<number> {
  const values = [call.now, workspaceId, webhookId]
  const [row] =
    'deliveryId' in which
      ? await database.write(call, resendOne, [...values, which.deliveryId])
      : await database.write(call, resendRange, [...values, firstIdAt(which.from), firstIdAt(which.to)])
  if (row?.isWebhook !== true) throw unknownWebhook()
  if (!row.isDelivery) throw new TaskboardError('NOT_FOUND', 'no such delivery')
  return row.count
}

const insert = statement<Delivery>(
  'insert_test_delivery',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  added as (
    insert into taskboard.due_delivery (id, webhook_id, workspace_id, account_id, event, next_attempt_at, created_at)
    select taskboard.new_id('evt', p.now), w.id, w.workspace_id,
      (select o.account_id from taskboard.workspace o where o.id = w.workspace_id), $4::jsonb || jsonb_build_object('at', p.now), p.now, p.now
    from p, taskboard.webhook w where w.id = $3::text and w.workspace_id = $2::text
    returning *, 'pending' as status
  )
  select ${deliveryColumns('d')} from added d`,
)

/** `WebhookStore.insertTestDelivery`. */
export async function insertTestDelivery(
  database: Database,
  workspaceId: string,
  webhookId: string,
  { type, data }: Pick<LoggedEvent, 'type' | 'data'>,
  call: CallContext<PgConnection>,
): Promise<Delivery> {
  const { newId } = database.settings.current
  const event: Omit<LoggedEvent, 'at'> = {
    type,
    data,
    id: newId('log'),
    workspaceId,
    seq: 0,
    payloadVersion: currentPayloadVersion,
  }
  const values = [call.now, workspaceId, webhookId, JSON.stringify(event)]
  const [row] = await database.write(call, insert, values)
  if (row === undefined) throw unknownWebhook()
  return toDelivery(row)
}

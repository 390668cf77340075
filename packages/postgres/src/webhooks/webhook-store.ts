import { TaskboardError, type Created } from '@taskboard/core'
import type { CallContext, StoredWebhook, StoredWebhookChange, WebhookStore } from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import { once } from '../database/idempotency.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { createDeliveryClaims } from './claim-deliveries.js'
import { insertTestDelivery, listDeliveries, resendDeliveries } from './deliveries.js'
import { listWebhooks, readTargets, unknownWebhook, webhookColumns } from './read-webhooks.js'
import { recordDeliveryResults } from './record-delivery-results.js'

const insert = statement<StoredWebhook>(
  'insert_webhook',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  insert into taskboard.webhook as h (id, workspace_id, url, events, secrets, weak_secret, created_at, updated_at)
  select $2::text, w.id, $4::text, $5::text[], $6::jsonb, $7::boolean, p.now, p.now
  from p, taskboard.workspace w where w.id = $3::text
  returning ${webhookColumns('h')}`,
)

/** Registrations in a workspace that must not repeat another one take turns. */
const lockRegistrations = statement<object>(
  'lock_webhook_registrations',
  /* sql */ `select pg_advisory_xact_lock(hashtextextended('taskboard.webhooks ' || $1::text, 0))`,
)

/** A separate statement, so that it sees commits that the lock waited for. */
const sameWebhook = statement<StoredWebhook>(
  'get_same_webhook',
  /* sql */ `
  select ${webhookColumns('w')} from taskboard.webhook w
  where w.workspace_id = $1::text and w.url = $2::text and w.events @> $3::text[] and w.events <@ $3::text[]
  order by w.created_at, w.id limit 1`,
)

type Insertion = Parameters<WebhookStore['insertWebhook']>[0]

/** `WebhookStore.insertWebhook`. */
async function insertWebhook(
  database: Database,
  { webhook, idempotency, unlessThere = false }: Insertion,
  call: CallContext<PgConnection>,
): Promise<Created<StoredWebhook>> {
  const { workspaceId, url, secrets, weakSecret } = webhook
  const events = [...new Set(webhook.events)]
  const id = database.settings.current.newId('wh')
  const values = [call.now, id, workspaceId, url, events, JSON.stringify(secrets), weakSecret]
  if (idempotency === null && !unlessThere) {
    return { value: insertedWebhook(await database.write(call, insert, values)), replayed: false }
  }

  const make = async (session: Session): Promise<StoredWebhook> => {
    if (unlessThere) {
      await session.run(lockRegistrations, [workspaceId])
      const [there] = await session.run(sameWebhook, [workspaceId, url, events])
      if (there !== undefined) return there
    }
    return insertedWebhook(await session.run(insert, values))
  }
  const { value, replayed } = await database.atomically(call, async (session) =>
    idempotency === null
      ? { value: await make(session), replayed: false }
      : once(session, idempotency, call.now, make),
  )
  return { value, replayed: replayed || value.id !== id }
}

function insertedWebhook([webhook]: readonly StoredWebhook[]): StoredWebhook {
  if (webhook === undefined) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  return webhook
}

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
async function updateWebhook(
  database: Database,
  workspaceId: string,
  webhookId: string,
  { url, events, enabled }: Exclude<StoredWebhookChange, { readonly rotation: object }>,
  call: CallContext<PgConnection>,
): Promise<StoredWebhook> {
  const [webhook] = await database.write(call, update, [
    call.now,
    workspaceId,
    webhookId,
    url ?? null,
    events === undefined ? null : [...new Set(events)],
    enabled ?? null,
  ])
  if (webhook === undefined) throw unknownWebhook()
  return webhook
}

/** Equals `rotateSecrets` of core, in one statement: of two concurrent calls, the later one sees the result of the other. */
const rotate = statement<StoredWebhook>(
  'rotate_webhook_secret',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  update taskboard.webhook w set
    secrets = jsonb_build_array(jsonb_build_object('sealed', $4::text, 'expiresAt', null)) || coalesce((
      select jsonb_build_array(jsonb_build_object('sealed', old.sealed, 'expiresAt', old.expires_at))
      from (
        select s.value ->> 'sealed' as sealed, s.ordinality,
          least((s.value ->> 'expiresAt')::bigint, p.now + $5::bigint) as expires_at
        from jsonb_array_elements(w.secrets) with ordinality as s
      ) old
      where old.expires_at > p.now order by old.ordinality limit 1
    ), '[]'),
    weak_secret = $6::boolean,
    updated_at = p.now
  from p where w.id = $3::text and w.workspace_id = $2::text
  returning ${webhookColumns('w')}`,
)

/** `WebhookStore.updateWebhook` of the secret. */
async function rotateSecret(
  database: Database,
  workspaceId: string,
  webhookId: string,
  { sealed, weakSecret, overlapMs }: Extract<StoredWebhookChange, { readonly rotation: object }>['rotation'],
  call: CallContext<PgConnection>,
): Promise<StoredWebhook> {
  const [webhook] = await database.write(call, rotate, [
    call.now,
    workspaceId,
    webhookId,
    sealed,
    overlapMs,
    weakSecret,
  ])
  if (webhook === undefined) throw unknownWebhook()
  return webhook
}

/**
 * Deletes deliveries first, because all statements lock them before webhooks. The foreign key deletes one that an event adds in between. A
 * delivery that ends at the same moment stays until it is pruned.
 */
const deleteWithDeliveries = statement<object>(
  'delete_webhook',
  /* sql */ `
  with webhook_delivery as materialized (
    select d.id from taskboard.due_delivery d
    where d.webhook_id = (select id from taskboard.webhook where id = $2::text and workspace_id = $1::text)
      and d.workspace_id = $1::text
    order by d.id for update
  ),
  gone as (
    delete from taskboard.due_delivery
    where id = any (array(select id from webhook_delivery)) and workspace_id = $1::text returning 1
  ),
  forgotten as (
    delete from taskboard.ended_delivery
    where webhook_id = (select id from taskboard.webhook where id = $2::text and workspace_id = $1::text) and workspace_id = $1::text
  )
  delete from taskboard.webhook w
  where w.id = $2::text and w.workspace_id = $1::text and (select count(*) from gone) >= 0
  returning true as "isDeleted"`,
)

/** `WebhookStore.deleteWebhook`. */
async function deleteWebhook(
  database: Database,
  workspaceId: string,
  webhookId: string,
  call: CallContext<PgConnection>,
): Promise<boolean> {
  const deleted = await database.write(call, deleteWithDeliveries, [workspaceId, webhookId])
  return deleted.length > 0
}

/** Webhooks and their deliveries. */
export function createWebhookStore(database: Database): WebhookStore<PgConnection> {
  const { claimDue } = createDeliveryClaims(database)
  return {
    insertWebhook: (insertion, call) => insertWebhook(database, insertion, call),
    listWebhooks: (query, call) => listWebhooks(database, query, call),
    updateWebhook: ({ workspaceId, webhookId, change }, call) =>
      'rotation' in change
        ? rotateSecret(database, workspaceId, webhookId, change.rotation, call)
        : updateWebhook(database, workspaceId, webhookId, change, call),
    deleteWebhook: ({ workspaceId, webhookId }, call) =>
      deleteWebhook(database, workspaceId, webhookId, call),
    insertTestDelivery: ({ workspaceId, webhookId, event }, call) =>
      insertTestDelivery(database, workspaceId, webhookId, event, call),
    claimDueDeliveries: (request, call) => claimDue(request, call),
    claimNewDeliveries: (claimer) => database.newDeliveries.claimWith(claimer),
    readTargets: ({ webhookIds }, call) => readTargets(database, webhookIds, call),
    recordDeliveryResults: ({ results, disableAfterMs }, call) =>
      recordDeliveryResults(database, results, disableAfterMs, call),
    listDeliveries: (query, call) => listDeliveries(database, query, call),
    resendDeliveries: ({ workspaceId, webhookId, which }, call) =>
      resendDeliveries(database, workspaceId, webhookId, which, call),
  }
}

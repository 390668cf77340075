import { TaskboardError } from '@taskboard/core'
import type { At, Created, IdempotencyClaim, StoredWebhook, NewStoredWebhook } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import { once } from '../idempotency/once.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { webhookColumns } from './webhook-row.js'

const insert = statement<StoredWebhook>(
  'insert_webhook',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  insert into taskboard.webhook as h (id, workspace_id, url, events, secrets, created_at, updated_at)
  select $2::text, w.id, $4::text, $5::text[], $6::jsonb, p.now, p.now
  from p, taskboard.workspace w where w.id = $3::text
  returning ${webhookColumns('h')}`,
)

/** `WebhookStore.insertWebhook`. */
export async function insertWebhook(
  database: Database,
  { workspaceId, url, events, secrets }: NewStoredWebhook,
  idempotency: IdempotencyClaim | null,
  at: At<PgConnection>,
): Promise<Created<StoredWebhook>> {
  const { now } = at
  const id = database.settings.current.newId('wh')
  const values = [now, id, workspaceId, url, [...new Set(events)], JSON.stringify(secrets)]
  if (idempotency === null) {
    return { value: insertedWebhook(await database.write(at, insert, values)), replayed: false }
  }
  return database.atomically(at, (session) =>
    once(session, idempotency, now, async (same) => insertedWebhook(await same.run(insert, values))),
  )
}

function insertedWebhook([webhook]: readonly StoredWebhook[]): StoredWebhook {
  if (webhook === undefined) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  return webhook
}

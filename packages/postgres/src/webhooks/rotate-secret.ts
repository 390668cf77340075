import type { At, StoredWebhook, StoredWebhookChange } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { unknownWebhook } from './read-webhooks.js'
import { webhookColumns } from './webhook-row.js'

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
    updated_at = p.now
  from p where w.id = $3::text and w.workspace_id = $2::text
  returning ${webhookColumns('w')}`,
)

/** `WebhookStore.updateWebhook` of the secret. */
export async function rotateSecret(
  database: Database,
  workspaceId: string,
  webhookId: string,
  { sealed, overlapMs }: Extract<StoredWebhookChange, { readonly rotation: object }>['rotation'],
  at: At<PgConnection>,
): Promise<StoredWebhook> {
  const [webhook] = await database.write(at, rotate, [at.now, workspaceId, webhookId, sealed, overlapMs])
  if (webhook === undefined) throw unknownWebhook()
  return webhook
}

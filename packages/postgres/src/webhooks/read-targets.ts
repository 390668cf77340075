import type { At, DeliveryTarget } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { targetJson } from './webhook-row.js'

const targets = statement<{ readonly target: DeliveryTarget }>(
  'read_targets',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  select ${targetJson('w', 'p.now')} as target
  from p, taskboard.webhook w where w.id = any ($2::text[]) and w.enabled`,
)

/** `WebhookStore.readTargets`. */
export async function readTargets(
  database: Database,
  webhookIds: readonly string[],
  at: At<PgConnection>,
): Promise<readonly DeliveryTarget[]> {
  if (webhookIds.length === 0) return []
  const rows = await database.read(at, targets, [at.now, webhookIds])
  return rows.map(({ target }) => target)
}

import type { At, NotificationStore } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

/** An expired claim is lost, even if no other one took it over. */
const settle = statement<object>(
  'settle_notifications',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  update taskboard.notification_target t
  set read_through_seq = $5::bigint, due_at = p.now + coalesce($6::bigint, 0), claim_token = null
  from p
  where t.workspace_id = $2::text and t.channel = $3::text and t.claim_token = $4::text and t.due_at > p.now
  returning true as "isSettled"`,
)

/** `NotificationStore.settleNotifications`. */
export async function settleNotifications(
  database: Database,
  result: Parameters<NotificationStore['settleNotifications']>[0],
  at: At<PgConnection>,
): Promise<boolean> {
  const { workspaceId, channel, claimToken, readThroughSeq, retryInMs } = result
  const values = [at.now, workspaceId, channel, claimToken, readThroughSeq, retryInMs]
  const settled = await database.write(at, settle, values)
  return settled.length > 0
}

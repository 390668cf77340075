import type { At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

const remove = statement<object>(
  'delete_notification_target',
  /* sql */ `
  delete from taskboard.notification_target where workspace_id = $1::text and channel = $2::text
  returning true as "isGone"`,
)

/** `NotificationStore.setTarget` without settings. */
export async function deleteTarget(
  database: Database,
  workspaceId: string,
  channel: string,
  at: At<PgConnection>,
): Promise<boolean> {
  const gone = await database.write(at, remove, [workspaceId, channel])
  return gone.length > 0
}

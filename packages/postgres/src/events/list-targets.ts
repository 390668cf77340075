import type { At, NotificationTarget } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

const targetsOfWorkspace = statement<NotificationTarget>(
  'list_notification_targets',
  /* sql */ `
  select workspace_id as "workspaceId", channel, settings from taskboard.notification_target
  where workspace_id = $1::text order by channel collate "C"`,
)

/** `NotificationStore.listTargets`. */
export function listTargets(
  database: Database,
  workspaceId: string,
  at: At<PgConnection>,
): Promise<readonly NotificationTarget[]> {
  return database.read(at, targetsOfWorkspace, [workspaceId])
}

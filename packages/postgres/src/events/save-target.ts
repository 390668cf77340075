import { TaskboardError } from '@taskboard/core'
import type { At, NotificationTarget } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'

const save = statement<object>(
  'save_notification_target',
  /* sql */ `
  insert into taskboard.notification_target (workspace_id, channel, settings, read_through_seq, due_at)
  select l.workspace_id, $3::text, $4::jsonb, l.last_seq, coalesce($1::bigint, taskboard.now_ms())
  from taskboard.workspace_log l where l.workspace_id = $2::text
  on conflict (workspace_id, channel) do update set settings = excluded.settings
  returning true as "isSaved"`,
)

/** `NotificationStore.setTarget` with settings. */
export async function saveTarget(
  database: Database,
  { workspaceId, channel, settings }: NotificationTarget,
  at: At<PgConnection>,
): Promise<true> {
  const saved = await database.write(at, save, [at.now, workspaceId, channel, JSON.stringify(settings)])
  if (saved.length === 0) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  return true
}

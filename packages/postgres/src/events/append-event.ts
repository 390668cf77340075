import { TaskboardError } from '@taskboard/core'
import type { At, EventDraft, LoggedEvent } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { eventColumns } from './event-row.js'
import { LOG_EVENTS } from './log-events.js'

const append = statement<LoggedEvent>(
  'append_event',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  draft as (
    select w.id as workspace_id, 1 as ord, $3::text as type, $4::jsonb as facts, p.now as at
    from taskboard.workspace w, p where w.id = $2::text
  ),
  ${LOG_EVENTS}
  select ${eventColumns('e')} from logged e`,
)

/** `EventStore.appendEvent`. */
export async function appendEvent(
  database: Database,
  workspaceId: string,
  { type, data }: EventDraft,
  at: At<PgConnection>,
): Promise<LoggedEvent> {
  const [event] = await database.write(at, append, [at.now, workspaceId, type, JSON.stringify(data)])
  if (event === undefined) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  return event
}

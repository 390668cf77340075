import type { LoggedEvent } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import { statement } from '../statement.js'
import { eventColumns } from './event-row.js'

const eventsOfWorkspace = statement<LoggedEvent>(
  'read_events',
  /* sql */ `
  select ${eventColumns('e')} from taskboard.event e
  where e.workspace_id = $1::text and e.seq > $2::bigint
  order by e.seq limit $3::integer`,
)

/** `EventStore.readEvents`. */
export function readEvents(
  database: Database,
  workspaceId: string,
  afterSeq: number,
  limit: number,
): Promise<readonly LoggedEvent[]> {
  return database.read(null, eventsOfWorkspace, [workspaceId, afterSeq, limit])
}

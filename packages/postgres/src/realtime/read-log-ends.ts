import type { LogEnd, LogEndQuery } from '@taskboard/core/storage'
import { reachValues, withinReach } from '../access/reach.js'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

const logEnds = statement<LogEnd>('read_log_ends', endsOf(''))
/** A separate statement, whose plan begins with the one workspace for all values. */
const logEnd = statement<LogEnd>('read_log_end', endsOf('and w.id = $3::text'))

function endsOf(condition: string): string {
  return /* sql */ `
  select w.id as "workspaceId", l.last_seq::float8 as seq
  from taskboard.workspace w join taskboard.workspace_log l on l.workspace_id = w.id
  where ${withinReach('w', 1)} ${condition}
  order by w.id collate "C"`
}

/** `RealtimeStore.readLogEnds`. */
export function readLogEnds(
  database: Database,
  { reach, workspaceId }: LogEndQuery,
): Promise<readonly LogEnd[]> {
  const values = reachValues(reach)
  if (workspaceId === null) return database.read(null, logEnds, values)
  return database.read(null, logEnd, [...values, workspaceId])
}

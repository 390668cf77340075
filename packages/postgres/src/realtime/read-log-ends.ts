import type { At, LogEnd, Reach } from '@taskboard/core'
import { reachValues, withinReach } from '../access/reach.js'
import type { Database } from '../database.js'
import { statement } from '../statement.js'

const logEnds = statement<LogEnd>(
  'read_log_ends',
  /* sql */ `
  select w.id as "workspaceId", l.last_seq::float8 as seq
  from taskboard.workspace w join taskboard.workspace_log l on l.workspace_id = w.id
  where ${withinReach('w', 1)} and ($3::text is null or w.id = $3::text)
  order by w.id collate "C"`,
)

/** `RealtimeStore.readLogEnds`. */
export function readLogEnds(
  database: Database,
  reach: Reach,
  workspaceId: string | null,
  _at: At,
): Promise<readonly LogEnd[]> {
  return database.read(null, logEnds, [...reachValues(reach), workspaceId])
}

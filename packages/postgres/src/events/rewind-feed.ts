import type { Database } from '../database.js'
import { statement } from '../statement.js'

/** Blocks writes to these logs until the commit. */
const rewindLogs = statement<{ readonly workspaceId: string }>(
  'rewind_logs',
  /* sql */ `
  update taskboard.workspace_log set feed_xid = '0' where feed_xid >= pg_snapshot_xmax(pg_current_snapshot())
  returning workspace_id as "workspaceId"`,
)

const rewindEvents = statement<never>(
  'rewind_events',
  /* sql */ `update taskboard.event set feed_xid = '0' where workspace_id = any ($1::text[])`,
)

/** The statement rewrites every event of such a log. */
const REWIND_TIMEOUT_MS = 600_000

/**
 * Moves logs that are ahead of the present back behind it. A dump restored on another server brings transaction ids that this
 * server reaches only after a long time. Until then the feed would return nothing.
 */
export function rewindFeed(database: Database): Promise<void> {
  return database.atomically(
    null,
    async (session) => {
      const rewound = await session.run(rewindLogs, [])
      await session.run(rewindEvents, [rewound.map(({ workspaceId }) => workspaceId)])
    },
    { statementTimeoutMs: REWIND_TIMEOUT_MS },
  )
}

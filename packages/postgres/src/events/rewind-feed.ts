import type { Database } from '../database.js'
import { statement } from '../statement.js'

/** Nobody writes to these logs until the commit. */
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

/** It writes every event of such a log. */
const REWIND_TIMEOUT_MS = 600_000

/**
 * Puts logs back behind the present that are ahead of it. A dump restored on another server brings transaction ids with it
 * that are not reached there for a long time, and the feed would show nothing until then.
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

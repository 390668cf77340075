import type { CallContext } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import type { Settled } from './dependents.js'

/** Limit. Types with tasks left to route, and those for which it is now certain whether any is left. */
const findRerouting = statement<{ readonly workspaceId: string; readonly type: string }>(
  'find_rerouting',
  /* sql */ `
  select r.workspace_id as "workspaceId", r.type from taskboard.rerouting r
  where r.horizon is null or r.horizon <= pg_snapshot_xmin(pg_current_snapshot())
    or taskboard.is_misrouted(r.workspace_id, r.type)
  limit $1::integer`,
)

/** Workspace, type, limit. */
const routeMore = statement<{ readonly routed: number }>(
  'route_more',
  `select taskboard.route_more($1::text, $2::text, $3::integer) as routed`,
)

/** The maximum of types that one call reads. */
const MOST_TYPES = 100

/** `TaskStore.settleTasks`: one commit for each type of a workspace. */
export async function routeTasks(
  database: Database,
  limit: number,
  call: CallContext<PgConnection>,
): Promise<Settled> {
  const types = await database.read(call, findRerouting, [MOST_TYPES])
  let routed = 0
  for (const { workspaceId, type } of types) {
    if (routed >= limit) break
    const [row] = await database.read(call, routeMore, [workspaceId, type, limit - routed])
    routed += row?.routed ?? 0
  }
  if (routed > 0 && call.tx === undefined) database.commits.raise()
  return { settled: routed, hasMore: routed >= limit || types.length === MOST_TYPES }
}

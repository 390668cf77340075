import type { Instant } from '@taskboard/core'
import type { Session } from '../database.js'
import { statement } from '../statement.js'

/** Present, limit. */
const placeAnew = statement<{ readonly count: number }>(
  'settle_queue',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  due as materialized (
    select q.task_id from taskboard.todo q
    where q.until < 9223372036854775807 and q.until > 0 and q.until <= (select now from p)
    order by q.until
    limit $2::integer
    for update skip locked
  ),
  placed as (
    update taskboard.todo q
    set ready = n.ready, lane = n.lane, key = n.key, placed_at = n.placed_at, until = n.until, not_before = n.not_before
    from p, taskboard.task t, lateral taskboard.todo_of(t, p.now) n
    where q.task_id = any (array(select task_id from due)) and t.id = q.task_id
    returning q.task_id
  )
  select count(*)::integer as count from placed`,
)

/**
 * Recomputes up to `limit` places in the pickup order that have ended by `now`, because a factor began or stopped to rise, or a
 * wait ended. Skips tasks that others have locked. Resolves to the number of tasks placed.
 */
export async function settleQueue(session: Session, now: Instant | null, limit: number): Promise<number> {
  const [row] = await session.run(placeAnew, [now, limit])
  return row?.count ?? 0
}

import type { At } from '@taskboard/core/storage'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { countedEvent, COUNTED_TYPES } from './counted-event.js'

const addMarks = statement<never>(
  'add_analytics_marks',
  /* sql */ `
  insert into taskboard.analytics_mark (workspace_id, seq)
  select l.workspace_id, 0 from taskboard.workspace_log l
  where l.last_seq > 0 and not exists (
    select from taskboard.analytics_mark m where m.workspace_id = l.workspace_id
  )
  order by l.workspace_id
  on conflict do nothing`,
)

/**
 * Takes the workspaces that are furthest behind, until the limit is filled. Skips those whose marks another process has locked.
 * The lock gives the current mark, while the events are those of the statement's snapshot, with no gap up to the last. So a
 * snapshot that is older than the mark finds nothing. When all events of the snapshot were taken, the mark moves to their end,
 * even if none is left: they were pruned before they could be counted.
 */
const rollUpEvents = statement<{ readonly taken: number }>(
  'roll_up_events',
  /* sql */ `
  with behind as materialized (
    select l.workspace_id, l.last_seq, l.last_seq - m.seq as lag
    from taskboard.workspace_log l join taskboard.analytics_mark m on m.workspace_id = l.workspace_id
    where l.last_seq > m.seq
    order by lag desc, l.workspace_id limit $1::bigint
  ),
  fitting as materialized (
    select b.*, $1::bigint - sum(b.lag) over (order by b.lag desc, b.workspace_id) + b.lag as room from behind b
  ),
  due as materialized (
    select f.workspace_id, f.last_seq, m.seq, f.room
    from fitting f join taskboard.analytics_mark m on m.workspace_id = f.workspace_id
    where f.room > 0 and f.last_seq > m.seq
    for update of m skip locked
  ),
  taken as materialized (
    select d.workspace_id, d.last_seq, d.room, e.*
    from due d cross join lateral (
      select e.seq, e.type as event_type, e.facts, e.at from taskboard.event e
      where e.workspace_id = d.workspace_id and e.seq > d.seq and e.seq <= d.last_seq
      order by e.seq limit d.room
    ) e
  ),
  counted as (
    select t.workspace_id, c.day, c.type, sum(c.created) as created, sum(c.completed) as completed,
      sum(c.failed) as failed, sum(c.timed) as timed, sum(c.taken_ms) as taken_ms
    from (select workspace_id, event_type as type, facts, at from taken) t
      cross join lateral (${countedEvent('t')}) c
    where t.type in ${COUNTED_TYPES}
    group by t.workspace_id, c.day, c.type
    having max(c.created) > 0 or max(c.failed) > 0 or max(c.completed) > 0 or min(c.completed) < 0
  ),
  added as (
    insert into taskboard.analytics_day as a (
      workspace_id, day, type, created, completed, failed, timed, taken_ms
    )
    select workspace_id, day, type, created, completed, failed, timed, taken_ms from counted
    on conflict (workspace_id, day, type) do update set
      created = a.created + excluded.created, completed = a.completed + excluded.completed,
      failed = a.failed + excluded.failed, timed = a.timed + excluded.timed,
      taken_ms = a.taken_ms + excluded.taken_ms
  ),
  progress as (
    select d.workspace_id, case when count(t.seq) < d.room then d.last_seq else max(t.seq) end as seq, count(t.seq) as taken
    from due d left join taken t on t.workspace_id = d.workspace_id
    group by d.workspace_id, d.last_seq, d.room
  ),
  moved as (
    update taskboard.analytics_mark m set seq = p.seq from progress p where m.workspace_id = p.workspace_id
  )
  select coalesce(sum(taken), 0)::float8 as taken from progress`,
)

/** `AnalyticsStore.rollUp`. Nothing waits for it, so it notifies no one. */
export async function rollUp(database: Database, limit: number, at: At<PgConnection>): Promise<number> {
  await database.read(at, addMarks, [])
  const [row] = await database.read(at, rollUpEvents, [limit])
  return row?.taken ?? 0
}

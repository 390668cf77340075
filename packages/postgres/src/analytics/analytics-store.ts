import { TaskboardError } from '@taskboard/core'
import {
  type AnalyticsStore,
  type CallContext,
  type CountedEventType,
  countedEventTypes,
  type DayFigures,
  type FiguresQuery,
} from '@taskboard/core/storage'
import { reachValues, withinReach } from '../database/reach.js'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'

/** The types of the events that count. */
export const COUNTED_TYPES = /* sql */ `(${countedEventTypes.map((type) => `'${type}'`).join(', ')})`

type Count = 'created' | 'completed' | 'failed'

/** What an event of a type adds, as expressions of its data. */
const counts: Readonly<Record<CountedEventType, (data: string) => Partial<Record<Count, string>>>> = {
  'task.created': () => ({ created: '1' }),
  'task.completed': () => ({ completed: '1' }),
  'task.failed': (data) => ({ failed: /* sql */ `(${data}->>'reason' = 'failed')::integer` }),
  'task.moved': (data) => ({
    completed: /* sql */ `case
      when ${data}->>'to' = 'DONE' then 1
      when ${data}->>'from' = 'DONE' and ${data}->>'completedAt' is not null then -1
      else 0 end`,
  }),
}

function counted(alias: string, count: Count): string {
  const cases = countedEventTypes.flatMap((type) => {
    const sum = counts[type](`${alias}.data`)[count]
    return sum === undefined ? [] : [`when '${type}' then ${sum}`]
  })
  return /* sql */ `case ${alias}.type ${cases.join(' ')} else 0 end`
}

/**
 * The counts of event `alias`, as a query without a table: day, type, created, completed, failed, timed, taken_ms. Equals
 * `countEvent` of core.
 */
export function countedEvent(alias: string): string {
  const e = alias
  return /* sql */ `
    select (c.done_at / 86400000)::integer as day, coalesce(${e}.data->>'type', '') as type,
      ${counted(e, 'created')} as created,
      c.sign as completed,
      ${counted(e, 'failed')} as failed,
      case when c.started_at is null then 0 else c.sign end as timed,
      coalesce(c.sign * greatest(0, c.done_at - c.started_at), 0) as taken_ms
    from (
      select s.sign,
        case when s.sign = -1 then (${e}.data->>'completedAt')::bigint else ${e}.at end as done_at,
        case when s.sign <> 0 then (${e}.data->>'startedAt')::bigint end as started_at
      from (select ${counted(e, 'completed')} as sign) s
    ) c`
}

/** A workspace without figures gives a row without a day; a workspace beyond reach gives no row. */
type FiguresRow = DayFigures | { readonly day: null }

const figures = statement<FiguresRow>(
  'read_figures',
  /* sql */ `
  with reached_workspace as materialized (
    select w.id, coalesce(m.seq, 0) as seq
    from taskboard.workspace w left join taskboard.analytics_mark m on m.workspace_id = w.id
    where ($3::text is null or w.id = $3::text) and ${withinReach('w', 1)}
  ),
  counted as (
    select d.day, d.type, d.created, d.completed, d.failed, d.timed, d.taken_ms
    from reached_workspace a join taskboard.analytics_day d on d.workspace_id = a.id and d.day between $4::integer and $5::integer
    union all
    select c.day, c.type, c.created, c.completed, c.failed, c.timed, c.taken_ms
    from reached_workspace a
      join taskboard.event e on e.workspace_id = a.id and e.last_seq > a.seq and e.seq > a.seq and e.type in ${COUNTED_TYPES}
      cross join lateral (${countedEvent('e')}) c
    where c.day between $4::integer and $5::integer
      and (c.created, c.completed, c.failed) <> (0, 0, 0)
  )
  select f.* from (select where $3::text is null or exists (select from reached_workspace)) r
    left join lateral (
      select c.day, sum(c.created)::float8 as created, sum(c.completed)::float8 as completed,
        sum(c.failed)::float8 as failed, sum(c.timed)::float8 as timed, sum(c.taken_ms)::float8 as "takenMs",
        sum(c.completed * coalesce(($7::jsonb->>c.type)::float8, $6::float8))::float8 as "baselineMs"
      from counted c group by c.day
    ) f on true
  order by f.day`,
)

/** `AnalyticsStore.readFigures`. */
async function readFigures(
  database: Database,
  { reach, workspaceId, fromDay, toDay, baselines }: FiguresQuery,
  call: CallContext<PgConnection>,
): Promise<readonly DayFigures[]> {
  const { defaultMs, msByType } = baselines
  const values = [workspaceId, fromDay, toDay, defaultMs, JSON.stringify(msByType)]
  const rows = await database.readLatest(call, figures, () => [...reachValues(reach), ...values])
  if (rows.length === 0) throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
  return rows.filter((row) => row.day !== null)
}

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
 * Takes the workspaces that are furthest behind, until the limit is filled. Skips those whose marks another process has locked. The lock
 * gives the current mark, while the events come from the statement's snapshot, with no gap up to the last. So a snapshot that is older than
 * the mark finds nothing. When all events of the snapshot were taken, the mark moves to their end, even if none is left. They were then
 * pruned before they could be counted.
 */
const rollUpEvents = statement<{ readonly taken: number }>(
  'roll_up_events',
  /* sql */ `
  with behind_workspace as materialized (
    select l.workspace_id, l.last_seq, l.last_seq - m.seq as lag
    from taskboard.workspace_log l join taskboard.analytics_mark m on m.workspace_id = l.workspace_id
    where l.last_seq > m.seq
    order by lag desc, l.workspace_id limit $1::bigint
  ),
  budgeted as materialized (
    select b.*, $1::bigint - sum(b.lag) over (order by b.lag desc, b.workspace_id) + b.lag as room from behind_workspace b
  ),
  locked_mark as materialized (
    select f.workspace_id, f.last_seq, m.seq, f.room
    from budgeted f join taskboard.analytics_mark m on m.workspace_id = f.workspace_id
    where f.room > 0 and f.last_seq > m.seq
    for update of m skip locked
  ),
  taken as materialized (
    select d.workspace_id, d.last_seq, d.room, e.*
    from locked_mark d cross join lateral (
      select e.seq, e.type as event_type, e.data, e.at from taskboard.event e
      where e.workspace_id = d.workspace_id and e.last_seq > d.seq and e.seq > d.seq and e.seq <= d.last_seq
      order by e.last_seq, e.nth limit d.room
    ) e
  ),
  counted as (
    select t.workspace_id, c.day, c.type, sum(c.created) as created, sum(c.completed) as completed,
      sum(c.failed) as failed, sum(c.timed) as timed, sum(c.taken_ms) as taken_ms
    from (select workspace_id, event_type as type, data, at from taken) t
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
    from locked_mark d left join taken t on t.workspace_id = d.workspace_id
    group by d.workspace_id, d.last_seq, d.room
  ),
  moved as (
    update taskboard.analytics_mark m set seq = p.seq from progress p where m.workspace_id = p.workspace_id
  )
  select coalesce(sum(taken), 0)::float8 as taken from progress`,
)

/** `AnalyticsStore.rollUp`. No one waits for it, so it sends no notification. */
async function rollUp(database: Database, limit: number, call: CallContext<PgConnection>): Promise<number> {
  await database.read(call, addMarks, [])
  const [row] = await database.read(call, rollUpEvents, [limit])
  return row?.taken ?? 0
}

/** Figures about tasks. */
export function createAnalyticsStore(database: Database): AnalyticsStore<PgConnection> {
  return {
    rollUp: ({ limit }, call) => rollUp(database, limit, call),
    readFigures: (query, call) => readFigures(database, query, call),
  }
}

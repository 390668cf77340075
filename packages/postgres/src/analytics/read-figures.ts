import { TaskboardError } from '@taskboard/core'
import type { At, DayFigures, FiguresQuery } from '@taskboard/core/storage'
import { reachValues, withinReach } from '../access/reach.js'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { countedEvent, COUNTED_TYPES } from './counted-event.js'

/** A workspace without figures gives a row without a day; a workspace beyond reach gives no row. */
type FiguresRow = DayFigures | { readonly day: null }

const figures = statement<FiguresRow>(
  'read_figures',
  /* sql */ `
  with asked as materialized (
    select w.id, coalesce(m.seq, 0) as seq
    from taskboard.workspace w left join taskboard.analytics_mark m on m.workspace_id = w.id
    where ($3::text is null or w.id = $3::text) and ${withinReach('w', 1)}
  ),
  counted as (
    select d.day, d.type, d.created, d.completed, d.failed, d.timed, d.taken_ms
    from asked a join taskboard.analytics_day d on d.workspace_id = a.id and d.day between $4::integer and $5::integer
    union all
    select c.day, c.type, c.created, c.completed, c.failed, c.timed, c.taken_ms
    from asked a
      join taskboard.event e on e.workspace_id = a.id and e.seq > a.seq and e.type in ${COUNTED_TYPES}
      cross join lateral (${countedEvent('e')}) c
    where c.day between $4::integer and $5::integer
      and (c.created, c.completed, c.failed) <> (0, 0, 0)
  )
  select f.* from (select where $3::text is null or exists (select from asked)) r
    left join lateral (
      select c.day, sum(c.created)::float8 as created, sum(c.completed)::float8 as completed,
        sum(c.failed)::float8 as failed, sum(c.timed)::float8 as timed, sum(c.taken_ms)::float8 as "takenMs",
        sum(c.completed * coalesce(($7::jsonb->>c.type)::float8, $6::float8))::float8 as "baselineMs"
      from counted c group by c.day
    ) f on true
  order by f.day`,
)

/** `AnalyticsStore.readFigures`. */
export async function readFigures(
  database: Database,
  { reach, workspaceId, fromDay, toDay, baselines }: FiguresQuery,
  at: At<PgConnection>,
): Promise<readonly DayFigures[]> {
  const { defaultMs, msByType } = baselines
  const values = [workspaceId, fromDay, toDay, defaultMs, JSON.stringify(msByType)]
  const rows = await database.read(at, figures, [...reachValues(reach), ...values])
  if (rows.length === 0) throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
  return rows.filter((row) => row.day !== null)
}

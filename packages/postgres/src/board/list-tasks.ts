import type { Column, Task } from '@taskboard/core'
import { type CallContext, cursorAfter, type TaskListQuery, type TaskPage } from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement, type Statement } from '../connection/statement.js'
import { BEST_FIRST, EACH_LANE, SCORING, slopeOf } from './claim/lane-sql.js'
import { taskColumns, type TaskRow, toTask } from './task-row.js'

/** A row of a page, ordered by `rank`. */
interface ListedRow extends TaskRow {
  readonly rank: number
  readonly asOf: number
}

/** The longest page. The statement contains it as well, for the planner, which doesn't know the value of a parameter. */
export const LONGEST_PAGE = 1_000

/**
 * Present, workspace, limit, and the place to continue from: its instant, rank, creation and id, whether it is held, and its
 * due date.
 *
 * Held tasks come last. Where a placement is valid at the page's instant, a lane is ordered by its scores. A page needs the first few of
 * each lane, both held and not held. The sums with 0 leave the planner only the index in that order. Tasks that were placed later, or whose
 * placement is over, are scored one by one. They are few, which the planner assumes only of a range with two ends: the other ends exist for
 * that.
 */
const listTodo = statement<ListedRow>(
  'list_todo',
  /* sql */ `
  with a as materialized (select coalesce($4::bigint, $1::bigint, taskboard.now_ms()) as as_of),
  page_start as materialized (
    select coalesce($8::boolean, false) as held, coalesce($5::bigint, 9223372036854775807) as rank,
      case when $5::bigint is null then 0 else coalesce($9::bigint, 9223372036854775807) end as due_date,
      coalesce($6::bigint, 0) as created_at, coalesce($7::text, '') as id
  ),
  lane as not materialized (
    select l.lane, ${slopeOf('l.lane')} * a.as_of as rise from ${SCORING}, a, ${EACH_LANE}
  ),
  lane_part as not materialized (
    select lane.*, h.held, case when h.held = page_start.held then page_start.rank - lane.rise
        when h.held then 9223372036854775807 else -9223372036854775807 end as highest
    from lane, page_start, (values (false), (true)) as h (held)
  ),
  placed as (
    select q.* from lane_part, a, page_start, lateral (
      select * from (
        select t.task_id, lane_part.held, t.key + lane_part.rise as rank, t.due_date, t.created_at from taskboard.todo t
        where t.workspace_id = $2::text and t.held = lane_part.held and t.lane + 0 = lane_part.lane and t.key <= lane_part.highest
          and t.placed_at + 0 <= a.as_of and t.until + 0 > a.as_of
          and (t.key < lane_part.highest
            or (t.due_date, t.created_at, t.task_id) > (page_start.due_date, page_start.created_at, page_start.id))
        order by ${BEST_FIRST}
        limit $3::integer
      ) as first_tasks limit ${LONGEST_PAGE + 1}
    ) as q
  ),
  unplaced as (
    select q.task_id, q.held, q.due_date from taskboard.todo q
    where q.workspace_id = $2::text and q.placed_at > (select as_of from a) and q.placed_at < 9223372036854775807
    union all
    select q.task_id, q.held, q.due_date from (
      select * from taskboard.todo
      where until < 9223372036854775807 and until > 0 and until <= (select as_of from a) offset 0
    ) q
    where q.workspace_id = $2::text and q.placed_at <= (select as_of from a)
  ),
  recomputed as (
    select m.task_id, m.held, p.key + lane.rise as rank, m.due_date, t.created_at
    from a, unplaced m
      cross join lateral (select * from taskboard.task t where t.id = m.task_id limit 1) as t
      cross join lateral taskboard.todo_of(row(t.*)::taskboard.task, a.as_of) p
      join lane on lane.lane = p.lane
  ),
  page as materialized (
    select * from (
      select c.* from (select * from placed union all select * from recomputed) c, page_start
      where (c.held, -c.rank, c.due_date, c.created_at, c.task_id)
        > (page_start.held, -page_start.rank, page_start.due_date, page_start.created_at, page_start.id)
      order by c.held, c.rank desc, c.due_date, c.created_at, c.task_id
      limit $3::integer
    ) as first_tasks limit ${LONGEST_PAGE + 1}
  )
  select page.rank::float8, a.as_of::float8 as "asOf", ${taskColumns('t')}
  from a left join page on true left join taskboard.task t on t.id = page.task_id
  order by page.held, page.rank desc, page.due_date, page.created_at, page.task_id`,
)

/** As `listTodo`: tasks in DOING, the earliest start first. */
const listDoing = statement<ListedRow>(
  'list_doing',
  /* sql */ `
  with a as materialized (select coalesce($4::bigint, $1::bigint, taskboard.now_ms()) as as_of),
  page as (
    select * from taskboard.task t
    where t.workspace_id = $2::text and t.column_name = 'DOING'
      and (t.started_at, t.created_at, t.id) > (coalesce($5::bigint, -1), coalesce($6::bigint, 0), coalesce($7::text, ''))
    order by t.started_at, t.created_at, t.id
    limit $3::integer
  )
  select t.started_at::float8 as rank, a.as_of::float8 as "asOf", ${taskColumns('t')}
  from a left join page t on true
  order by t.started_at, t.created_at, t.id`,
)

/** As `listTodo`: tasks in DONE, the latest end first. */
const listDone = statement<ListedRow>(
  'list_done',
  /* sql */ `
  with a as materialized (select coalesce($4::bigint, $1::bigint, taskboard.now_ms()) as as_of),
  page as (
    select * from taskboard.task t
    where t.workspace_id = $2::text and t.column_name = 'DONE'
      and t.completed_at <= coalesce($5::bigint, 9223372036854775807)
      and (t.completed_at < coalesce($5::bigint, 9223372036854775807)
        or (t.created_at, t.id) > (coalesce($6::bigint, 0), coalesce($7::text, '')))
    order by t.completed_at desc, t.created_at, t.id
    limit $3::integer
  )
  select t.completed_at::float8 as rank, a.as_of::float8 as "asOf", ${taskColumns('t')}
  from a left join page t on true
  order by t.completed_at desc, t.created_at, t.id`,
)

const statements: Readonly<Record<Column, Statement<ListedRow>>> = {
  TODO: listTodo,
  DOING: listDoing,
  DONE: listDone,
}

/** `TaskStore.listTasks`. A page has at most 1,000 tasks; the rest is in the next one. */
export async function listTasks(
  database: Database,
  { workspaceId, column, limit: requested, after }: TaskListQuery,
  call: CallContext<PgConnection>,
): Promise<TaskPage> {
  const limit = Math.min(requested, LONGEST_PAGE)
  const place: (number | string | boolean | null)[] = [
    after?.asOf ?? null,
    after?.rank ?? null,
    after?.createdAt ?? null,
    after?.id ?? null,
  ]
  if (column === 'TODO') place.push(after?.held ?? null, after?.dueDate ?? null)
  // One more than the page, to detect a next page.
  const rows = await database.readLatest(call, statements[column], (now) => [
    now,
    workspaceId,
    limit + 1,
    ...place,
  ])
  const asOf = rows[0]?.asOf ?? 0
  const found = rows.filter(({ id }) => (id as string | null) !== null)
  const shown = found.slice(0, limit)
  const tasks: Task[] = shown.map(toTask)
  const last = tasks.at(-1)
  if (found.length <= limit || last === undefined) return { tasks, asOf, next: null }
  return { tasks, asOf, next: cursorAfter(last, asOf, shown.at(-1)?.rank ?? 0) }
}

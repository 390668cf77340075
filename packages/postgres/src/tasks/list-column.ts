import { statement } from '../statement.js'
import type { ListedRow } from './list-todo.js'
import { taskColumns } from './task-row.js'

/** As `listTodo`: tasks in DOING, the earliest start first. */
export const listDoing = statement<ListedRow>(
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
export const listDone = statement<ListedRow>(
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

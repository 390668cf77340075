import { TaskboardError } from '@taskboard/core'
import type { CallContext, TaskSearch, TaskSearchPage } from '@taskboard/core/storage'
import { reachValues } from '../database/reach.js'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { findSql, type FindParts } from './find-tasks.js'
import { LONGEST_PAGE } from './list-tasks.js'
import { statusesOf } from './search-sql.js'
import { joinAgent, summaryColumns, type SummaryRow, toSummary } from './task-row.js'

/** A row of a page. A page without tasks has one row without a task. */
interface FoundRow extends SummaryRow {
  /** Whether the workspace of the filter is within reach; true without a filter. */
  readonly hasWorkspace: boolean
  readonly hasAgent: boolean
  readonly now: number
}

/** The last id of the page before, or a text above every `task_…`: a letter in each language, because many sort signs below letters. */
const BEFORE = `coalesce($5::text, 'u')`

/** The first of `rows`, a query of `id`. The outer limit shows the planner that they are few. */
const first = (rows: string): string =>
  `select * from (${rows} order by id desc limit $6::integer) as first_rows limit ${LONGEST_PAGE + 1}`

const presentOf = (parameter: number): string =>
  `p as materialized (select coalesce($${parameter}::bigint, taskboard.now_ms()) as now)`
const PRESENT = presentOf(7)

/** The named workspace, or all of the account, each looked up by its key. As a list, the planner expects ten of them in any account. */
const REACHED = /* sql */ `
  reached as materialized (
    select r.id from unnest(array(select w.id from taskboard.workspace w where w.account_id = $1::text)) as r (id)
    where $3::text is null and $2::text[] is null
    union all
    select w.id
    from unnest(case when $3::text is null then $2::text[]
        when $2::text[] is null or $3::text = any ($2::text[]) then array[$3::text] end) as named (id)
      cross join lateral (
        select w.id from taskboard.workspace w where w.id = named.id and w.account_id = $1::text limit 1
      ) as w
  )`

const answer = (hasAgent: string, order = 't.id desc'): string => /* sql */ `
  select ($3::text is null or exists (select from reached)) as "hasWorkspace", ${hasAgent} as "hasAgent", p.now::float8,
    ${summaryColumns('t')}
  from p left join page on true
    left join lateral (select * from taskboard.task t where t.id = page.id limit 1) as t on true
    ${joinAgent('t', 'p.now')}
  order by ${order}`

/** Account, workspaces or null, workspace of the filter or null, statuses, last id or null, limit, present. */
const searchStatement = statement<FoundRow>(
  'search_tasks',
  /* sql */ `
  with ${PRESENT}, ${REACHED},
  page as materialized (
    ${first(/* sql */ `
      select q.id from reached w cross join unnest($4::smallint[]) as s (status) cross join lateral (
        ${first(/* sql */ `
          select t.id from taskboard.task t
          where t.workspace_id = w.id and t.status = s.status and t.id < ${BEFORE}`)}
      ) as q`)}
  )
  ${answer('true')}`,
)

/** One more parameter: the agent. */
const searchTasksOfAgent = statement<FoundRow>(
  'search_tasks_of_agent',
  /* sql */ `
  with ${PRESENT}, ${REACHED},
  agent as materialized (
    select a.id, a.workspace_id from taskboard.agent a join taskboard.workspace w on w.id = a.workspace_id
    where a.id = $8::text and w.account_id = $1::text and ($2::text[] is null or w.id = any ($2::text[]))
  ),
  worker as materialized (
    select a.id from agent a where $3::text is null or a.workspace_id = $3::text
  ),
  found as (
    select q.id from worker a cross join unnest($4::smallint[]) as s (status) cross join lateral (
      ${first(/* sql */ `
        select t.id from taskboard.task t
        where t.assigned_to = a.id and t.status = s.status and t.id < ${BEFORE}`)}
    ) as q
    union
    select q.id from worker a cross join lateral (
      ${first(/* sql */ `
        select t.id from taskboard.task t
        where t.lease_agent_id = a.id and t.id < ${BEFORE} and 1 = any ($4::smallint[])`)}
    ) as q
    union
    select q.id from worker a cross join lateral (
      ${first(/* sql */ `
        select t.id from taskboard.task t
        where t.done_by = a.id and t.id < ${BEFORE} and 2 = any ($4::smallint[])`)}
    ) as q
  ),
  page as materialized (${first('select id from found')})
  ${answer('exists (select from agent)')}`,
)

/** Whether one of the two prepared statements answers the search: newest first, by no more than status, column, agent and workspace. */
function isPlain({ words, hold, type, tag, priority, assignedTo, sort, ...search }: TaskSearch): boolean {
  const { parentId, createdAfter, createdBefore, dueAfter, dueBefore } = search
  const others = [
    hold,
    type,
    tag,
    priority,
    assignedTo,
    parentId,
    createdAfter,
    createdBefore,
    dueAfter,
    dueBefore,
  ]
  return sort === 'created' && words.length === 0 && others.every((value) => value === null)
}

function readPlain(
  database: Database,
  search: TaskSearch,
  limit: number,
  call: CallContext<PgConnection>,
): Promise<readonly FoundRow[]> {
  const { reach, agentId, workspaceId, after } = search
  // One more than the page, to detect a next page.
  const page = [...reachValues(reach), workspaceId, statusesOf(search), after?.id ?? null, limit + 1]
  return agentId === null
    ? database.readLatest(call, searchStatement, (now) => [...page, now])
    : database.readLatest(call, searchTasksOfAgent, (now) => [...page, now, agentId])
}

const findParts: FindParts = {
  head: `${presentOf(4)}, ${REACHED}`,
  answer: (hasAgent) => answer(hasAgent, 'page.ord'),
}

/** `TaskStore.searchTasks`. A page has at most 1,000 tasks; the rest is in the next one. */
export async function searchTasks(
  database: Database,
  search: TaskSearch,
  call: CallContext<PgConnection>,
): Promise<TaskSearchPage> {
  const limit = Math.min(search.limit, LONGEST_PAGE)
  let rows: readonly FoundRow[]
  if (isPlain(search)) rows = await readPlain(database, search, limit, call)
  else {
    const { statement: find, toValues } = findSql<FoundRow>({ ...search, limit }, findParts)
    rows = await database.readLatest(call, find, toValues)
  }
  const [top] = rows
  if (top?.hasWorkspace !== true) throw unknown('workspace', 'workspaceId')
  if (!top.hasAgent) throw unknown('agent', 'agentId')
  const found = rows.filter(({ id }) => (id as string | null) !== null)
  return {
    found: found.slice(0, limit).map(toSummary),
    asOf: search.after?.asOf ?? top.now,
    hasMore: found.length > limit,
  }
}

function unknown(what: string, field: string): TaskboardError {
  return new TaskboardError('NOT_FOUND', `no such ${what}`, { field })
}

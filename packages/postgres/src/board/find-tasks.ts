import type { TaskSort } from '@taskboard/core'
import type { TaskSearch } from '@taskboard/core/storage'
import { reachValues } from '../database/reach.js'
import { expectFew, expectMet, plannedAnew, type Statement } from '../connection/statement.js'
import { EACH_LANE, SCORING, slopeOf } from './claim/lane-sql.js'
import { LONGEST_PAGE } from './list-tasks.js'
import { type AddValue, type ConditionsSql, conditionsSql } from './search-sql.js'

/** A search's statement, with the values of its parameters at a time (null: the server's). */
export interface FindSql<Row> {
  readonly statement: Statement<Row>
  readonly toValues: (now: number | null) => readonly unknown[]
}

/** The parts of a search's statement that all forms of it have. `answer` selects from `page` (id, rank and `ord`, its order). */
export interface FindParts {
  /** Common table expressions `p` and `reached`, whose parameters are 1 to 3 (account, workspaces, workspace) and 4, the present. */
  readonly head: string
  readonly answer: (hasAgent: string) => string
}

/**
 * The statement of a search by any conditions and in any order. It contains only the conditions that are asked for. The server plans it
 * with the values, because they decide which index selects the fewest tasks. A rare word is looked up. For a frequent one, the tasks are
 * read in the order of the page until it is full.
 */
export function findSql<Row>(search: TaskSearch, parts: FindParts): FindSql<Row> {
  const reached = [...reachValues(search.reach), search.workspaceId]
  const added: unknown[] = []
  const add: AddValue = (value, type) => `$${reached.length + 1 + added.push(value)}::${type}`
  const page = search.sort === 'priority_score' ? pageByScore(search, add) : pageByRank(search, add)
  const agent = search.agentId === null ? null : agentSql(add(search.agentId, 'text'))
  const text = /* sql */ `
  with ${parts.head}, ${agent === null ? '' : `${agent},`}
  ${page(agent === null ? [] : [OF_AGENT])}
  ${parts.answer(agent === null ? 'true' : 'exists (select from agent)')}`
  return { statement: plannedAnew<Row>(text), toValues: (now) => [...reached, now, ...added] }
}

const agentSql = (agent: string): string => /* sql */ `
  agent as materialized (
    select a.id, a.workspace_id from taskboard.agent a join taskboard.workspace w on w.id = a.workspace_id
    where a.id = ${agent} and w.account_id = $1::text and ($2::text[] is null or w.id = any ($2::text[]))
  )`

/** Tasks that are assigned to the agent, that it works, or that it completed. */
const OF_AGENT = /* sql */ `t.id in (
    select o.id from agent a join taskboard.task o on o.assigned_to = a.id
    union all
    select o.id from agent a join taskboard.task o on o.lease_agent_id = a.id
    union all
    select o.id from agent a join taskboard.task o on o.done_by = a.id
  )`

type Page = (more: readonly string[]) => string

const ranks: Readonly<Record<Exclude<TaskSort, 'priority_score'>, { rank: string; table: 't' | 's' }>> = {
  created: { rank: '0::bigint', table: 't' },
  updated: { rank: 't.updated_at', table: 't' },
  due: { rank: 's.due_rank', table: 's' },
}

/** The workspace's id, as a value where only one is asked for, so that the server knows how many tasks it has. */
function workspaceSql({ workspaceId, reach }: TaskSearch, add: AddValue): string {
  if (workspaceId !== null) return '$3::text'
  const [only, ...others] = reach.workspaceIds === 'all' ? [] : reach.workspaceIds
  return only !== undefined && others.length === 0 ? add(only, 'text') : 'w.id'
}

function pageByRank(search: TaskSearch, add: AddValue): Page {
  const { sort, limit, after } = search
  const { rank, table } = ranks[sort as keyof typeof ranks]
  const workspace = workspaceSql(search, add)
  const { ofTask, ofSearch } = conditionsSql(search, workspace, add)
  const conditions = [`t.workspace_id = ${workspace}`, ...ofTask, ...ofSearch]
  const isSearched = table === 's' || ofSearch.length > 0
  if (isSearched) conditions.push(`s.workspace_id = ${workspace}`)
  // Of the table whose index has the order.
  const id = isSearched && sort !== 'updated' ? 's.task_id' : 't.id'
  if (after !== null) {
    const place = add(after.id, 'text')
    conditions.push(
      sort === 'created' ? `${id} < ${place}` : `(${rank}, ${id}) < (${add(after.rank, 'bigint')}, ${place})`,
    )
  }
  const order = sort === 'created' ? `${id} desc` : `${rank} desc, ${id} desc`
  const most = add(limit + 1, 'integer')
  return (more) => /* sql */ `
  page as materialized (
    select f.id, f.rank, row_number() over (order by f.rank desc, f.id desc) as ord from (
      select q.id, q.rank from reached w cross join lateral (
        select ${id} as id, ${rank} as rank
        from ${isSearched ? 'taskboard.task_search s join taskboard.task t on t.id = s.task_id' : 'taskboard.task t'}
        where ${[...conditions, ...more].join(' and ')}
        order by ${order} limit ${most}
      ) as q
      order by q.rank desc, q.id desc limit ${most}
    ) as f
  )`
}

/** The place to continue from, as parameters. */
interface PlaceSql {
  readonly rank: string
  readonly held: string
  readonly dueDate: string
  readonly createdAt: string
  readonly id: string
}

/** The instant, the place and the parts of each lane, as in `listTodo`. */
const lanesSql = (asOf: string, place: PlaceSql): string => /* sql */ `
  a as materialized (select coalesce(${asOf}, p.now) as as_of from p),
  page_start as materialized (
    select coalesce(${place.held}, false) as held, coalesce(${place.rank}, 9223372036854775807) as rank,
      case when ${place.rank} is null then 0 else coalesce(${place.dueDate}, 9223372036854775807) end as due_date,
      coalesce(${place.createdAt}, 0) as created_at, coalesce(${place.id}, '') as id
  ),
  lane as not materialized (
    select l.lane, ${slopeOf('l.lane')} * a.as_of as rise from ${SCORING}, a, ${EACH_LANE}
  ),
  lane_part as not materialized (
    select lane.*, h.held, case when h.held = page_start.held then page_start.rank - lane.rise
        when h.held then 9223372036854775807 else -9223372036854775807 end as highest
    from lane, page_start, (values (false), (true)) as h (held)
  ),`

/** So many tasks are scored one by one; if more meet the conditions, they are met often enough on the way through the lanes. */
const FEW = 5_000

/**
 * The order of `listTasks` of TODO, for the tasks that meet the conditions: see its statement. Each lane of each workspace is read in the
 * order of the scores until the page is full. The exception is when few tasks have the words and fields that are asked for.
 */
function pageByScore(search: TaskSearch, add: AddValue): Page {
  const { limit, after } = search
  const workspace = workspaceSql(search, add)
  const found = conditionsSql(search, workspace, add)
  const { ofTask, ofSearch } = found
  const most = add(limit + 1, 'integer')
  const asOf = add(after?.asOf ?? null, 'bigint')
  const place = {
    rank: add(after?.rank ?? null, 'bigint'),
    held: add(after?.held ?? null, 'boolean'),
    dueDate: add(after?.dueDate ?? null, 'bigint'),
    createdAt: add(after?.createdAt ?? null, 'bigint'),
    id: add(after?.id ?? null, 'text'),
  }
  return (more) => {
    const conditions = [...ofTask, ...more]
    if (ofSearch.length > 0) {
      conditions.push(`exists (
            select from taskboard.task_search s
            where s.workspace_id = ${workspace} and s.task_id = t.id and ${ofSearch.join(' and ')} offset 0
          )`)
    }
    const isFound = (id: string): string => /* sql */ `exists (
          select from taskboard.task t where t.id = ${id} and ${conditions.join(' and ')} offset 0
        )`
    const isSearched = ofSearch.length > 0
    const unlessFew = isSearched ? 'and not (select is_few from known)' : ''
    const ofQueue = queueSql(search, add)
    return /* sql */ `
  ${isSearched ? fewSql(workspace, found) : ''}
  ${lanesSql(asOf, place)}
  placed as (
    select q.* from (${expectFew('select * from reached, lane_part')}) as w, a, page_start,
      lateral (select w.lane, w.rise, w.held, w.highest) as lane_part, lateral (
      select * from (
        select q.task_id, lane_part.held, q.key + lane_part.rise as rank, q.due_date, q.created_at from taskboard.todo q
        where q.workspace_id = ${workspace} and q.held = lane_part.held and q.lane + 0 = lane_part.lane
          and q.key <= lane_part.highest and ${expectMet(`
            q.placed_at <= a.as_of and q.until > a.as_of and (q.key < lane_part.highest
              or (q.due_date, q.created_at, q.task_id) > (page_start.due_date, page_start.created_at, page_start.id))`)}
          ${unlessFew} ${ofQueue} and ${isFound('q.task_id')}
        order by q.key desc, q.due_date, q.created_at, q.task_id
        limit ${most}
      ) as first_tasks limit ${LONGEST_PAGE + 1}
    ) as q
  ),
  unplaced as (
    select q.task_id, q.held, q.due_date from taskboard.todo q
    where q.workspace_id in (select id from reached) and q.placed_at > (select as_of from a) and q.placed_at < 9223372036854775807
      ${unlessFew}
    union all
    select q.task_id, q.held, q.due_date from (
      select * from taskboard.todo
      where until < 9223372036854775807 and until > 0 and until <= (select as_of from a) offset 0
    ) q
    where q.workspace_id in (select id from reached) and q.placed_at <= (select as_of from a) ${unlessFew}
    ${isSearched ? FEW_IN_TODO : ''}
  ),
  recomputed as (
    select m.task_id, m.held, p.key + lane.rise as rank, m.due_date, o.created_at
    from a, unplaced m
      cross join lateral (select * from taskboard.task o where o.id = m.task_id limit 1) as o
      cross join lateral taskboard.todo_of(row(o.*)::taskboard.task, a.as_of) p
      join lane on lane.lane = p.lane
      join reached w on w.id = o.workspace_id
    where ${isFound('m.task_id')}
  ),
  page as materialized (
    select f.task_id as id, f.rank, row_number() over (order by f.held, f.rank desc, f.due_date, f.created_at, f.task_id) as ord
    from (
      select c.* from (select * from placed union all select * from recomputed) c, page_start
      where (c.held, -c.rank, c.due_date, c.created_at, c.task_id)
        > (page_start.held, -page_start.rank, page_start.due_date, page_start.created_at, page_start.id)
      order by c.held, c.rank desc, c.due_date, c.created_at, c.task_id
      limit ${most}
    ) as f
  )`
  }
}

/**
 * The conditions that the queue's row `q` decides by itself, before the task is looked up. In `coalesce`, because the planner would sort
 * the whole lane if it knew how few of its tasks are of a type.
 */
function queueSql({ status, hold, type, assignedTo }: TaskSearch, add: AddValue): string {
  const conditions: string[] = []
  const isHeld = hold !== null || (status !== null && status !== 'pending')
  if (isHeld || status === 'pending') conditions.push(`and lane_part.held = ${isHeld}`)
  if (type !== null) conditions.push(`and coalesce(q.type = ${add(type, 'text')}, false)`)
  if (assignedTo !== null) conditions.push(`and coalesce(q.pool = ${add(assignedTo, 'text')}, false)`)
  return conditions.join(' ')
}

/**
 * The first tasks that have what is searched for, and whether those are all. With terms, no index by workspace is of use: it would be read
 * for the whole workspace. They are a separate query, so that the planner doesn't know how many tasks have them. For a frequent one, it
 * would read the table from end to end, and expect all its tasks to be read.
 */
function fewSql(workspace: string, { ofSearch, terms }: ConditionsSql): string {
  const conditions =
    terms === null
      ? [`s.workspace_id = ${workspace}`, ...ofSearch]
      : [`s.workspace_id || '' = ${workspace}`, `s.terms @@ (select ${terms})`, ...ofSearch.slice(1)]
  return /* sql */ `
  few as materialized (
    select q.task_id from (${expectFew('select id from reached')}) w cross join lateral (
      select s.task_id from taskboard.task_search s where ${conditions.join(' and ')} limit ${FEW + 1}
    ) as q
    limit ${FEW + 1}
  ),
  known as materialized (select count(*) <= ${FEW} as is_few from few),`
}

const FEW_IN_TODO = /* sql */ `union all
    select q.task_id, q.held, q.due_date
    from (${expectFew('select task_id from few')}) as few join taskboard.todo q on q.task_id = few.task_id
    where (select is_few from known)`

import {
  type Attempt,
  type Instant,
  type Task,
  TaskboardError,
  type TaskLogEntry,
  type TaskOutput,
  type Reach,
  type TaskParts,
} from '@taskboard/core'
import {
  type CallContext,
  mostAttempts,
  type TaskPart,
  type TaskQuery,
  type TaskReading,
  type TaskStore,
} from '@taskboard/core/storage'
import { lastAnswer, lastQuestion, newestComments } from './comment-sql.js'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement, type Statement } from '../connection/statement.js'
import {
  agentColumnsShown,
  joinAgent,
  type SummaryRow,
  taskColumns,
  type TaskRow,
  toTask,
  toTaskAgent,
} from './task-row.js'

/** A task to look up by its id. */
interface AskedTask {
  readonly reach: Reach
  readonly taskId: string
}

/**
 * The source of a statement that reads tasks for several calls: `asked` (ord, from 1) and the task `t` if the caller reaches it. Parameters
 * 1 to 3 are `askedValues`. The limits make the planner look up each task by its id.
 */
const FROM_ASKED = /* sql */ `
  from unnest($1::text[], $2::text[], $3::text[]) with ordinality as asked (id, account_id, workspace_ids, ord)
    cross join lateral (select * from taskboard.task t where t.id = asked.id limit 1) as t
    join lateral (
      select true from taskboard.workspace w
      where w.id = t.workspace_id and w.account_id = asked.account_id
        and (asked.workspace_ids is null or asked.workspace_ids::jsonb ? w.id)
      limit 1
    ) as reached on true`

/** The values of `FROM_ASKED`. The lists of workspaces differ in length, which an array doesn't allow, so they are sent as JSON. */
function askedValues(asked: readonly AskedTask[]): readonly unknown[] {
  const ids = asked.map(({ taskId }) => taskId)
  const accounts = asked.map(({ reach }) => reach.accountId)
  const workspaces = asked.map(({ reach: { workspaceIds } }) =>
    workspaceIds === 'all' ? null : JSON.stringify(workspaceIds),
  )
  return [ids, accounts, workspaces]
}

/** A row of a statement of `readParts`. It has only the members of the parts that the statement reads. */
interface ReadRow extends SummaryRow {
  /** The place of the call, in a statement for several calls. */
  readonly ord?: number
  readonly workspaceId: string
  readonly logs: readonly TaskLogEntry[]
  readonly logPage: TaskParts['logPage']
  readonly outputs: readonly TaskOutput[]
  readonly earlierAttempts: readonly Attempt[]
  readonly postponedSince: TaskParts['postponedSince']
  readonly dependencies: TaskParts['dependencies']
  readonly comments: TaskParts['comments']
  readonly answer: TaskParts['answer']
  readonly question: TaskParts['question']
  readonly usage: TaskParts['usage']
}

/** The columns of each part of task `t`. The parameters are the maximum of log lines, and the line that a page of them follows. */
const partColumns = (logLines: string, logAfter: string): { readonly [Part in TaskPart]: string } => ({
  task: taskColumns('t'),
  agent: agentColumnsShown,
  logs: /* sql */ `coalesce((
      select json_agg(json_build_object('at', l.at, 'level', l.level, 'message', l.message) order by l.id)
      from (
        select * from taskboard.task_log l where l.task_id = t.id order by l.id desc limit ${logLines}::integer
      ) as l
    ), '[]') as logs`,
  logPage: /* sql */ `(
      select json_build_object(
        'lines', coalesce(json_agg(json_build_object('at', l.at, 'level', l.level, 'message', l.message) order by l.id), '[]'),
        'nextAfter', case when exists (
          select true from taskboard.task_log n where n.task_id = t.id and n.id > max(l.id)
        ) then max(l.id) end)
      from (
        select * from taskboard.task_log l where l.task_id = t.id and l.id > coalesce(${logAfter}::bigint, 0)
        order by l.id limit ${logLines}::integer
      ) as l
    ) as "logPage"`,
  outputs: /* sql */ `coalesce((
      select json_agg(json_build_object('type', o.type, 'name', o.name, 'url', o.url, 'size', o.size) order by o.id)
      from taskboard.task_output o where o.task_id = t.id
    ), '[]') as outputs`,
  attempts: /* sql */ `coalesce((
      select json_agg(json_build_object('fencingToken', a.fencing_token, 'agentId', a.agent_id,
        'startedAt', a.started_at, 'endedAt', a.ended_at, 'outcome', a.outcome, 'reason', a.reason)
        order by a.fencing_token)
      from (
        select * from taskboard.attempt a where a.task_id = t.id order by a.fencing_token desc limit ${mostAttempts}
      ) as a
    ), '[]') as "earlierAttempts"`,
  postponedSince: /* sql */ `(
      select min(a.started_at) from taskboard.attempt a
      where a.task_id = t.id and a.outcome = 'postponed' and a.fencing_token > coalesce((
        select b.fencing_token from taskboard.attempt b
        where b.task_id = t.id and b.outcome not in ('postponed', 'returned')
        order by b.fencing_token desc limit 1
      ), 0)
    )::float8 as "postponedSince"`,
  dependencies: /* sql */ `coalesce((
      select json_agg(json_build_object('id', d.id, 'title', d.title, 'result', d.result) order by o.place)
      from unnest(t.depends_on) with ordinality as o (id, place) join taskboard.task d on d.id = o.id
    ), '[]') as dependencies`,
  comments: `${newestComments} as comments`,
  answer: `${lastAnswer} as answer`,
  question: `${lastQuestion} as question`,
  usage: /* sql */ `(
      select json_build_object('inputTokens', coalesce(sum(u.input_tokens), 0), 'outputTokens', coalesce(sum(u.output_tokens), 0),
        'cachedInputTokens', coalesce(sum(u.cached_input_tokens), 0), 'costMicros', coalesce(sum(u.cost_micros), 0))
      from taskboard.task_usage u where u.task_id = t.id
    ) as usage`,
})

const readers: { readonly [Part in TaskPart]: (row: ReadRow) => TaskParts[Part] } = {
  task: toTask,
  agent: toTaskAgent,
  logs: (row) => row.logs,
  logPage: (row) => row.logPage,
  outputs: (row) => row.outputs,
  attempts: (row) => row.earlierAttempts,
  postponedSince: (row) => row.postponedSince,
  dependencies: (row) => row.dependencies,
  comments: (row) => row.comments,
  answer: (row) => row.answer,
  question: (row) => row.question,
  usage: (row) => row.usage,
}

/** Workspace, task. */
export const getTaskRow = statement<TaskRow>(
  'get_task',
  `select ${taskColumns('t')} from taskboard.task t where t.id = $2::text and t.workspace_id = $1::text`,
)

/** Parts of one task: workspace, task, number of log lines, present, line before the page. */
function readOne(parts: readonly TaskPart[]): Statement<ReadRow> {
  const columns = partColumns('$3', '$5')
  return statement(
    'read_task',
    /* sql */ `
  with p as materialized (select coalesce($4::bigint, taskboard.now_ms()) as now, $3::integer, $5::bigint)
  select ${['t.workspace_id as "workspaceId"', ...parts.map((part) => columns[part])].join(',\n    ')}
  from taskboard.task t ${joinShown(parts)}
  where t.id = $2::text and t.workspace_id = $1::text`,
  )
}

/** Parts of several tasks: asked, number of log lines, present, line before the page. */
function readAsked(parts: readonly TaskPart[]): Statement<ReadRow> {
  const columns = partColumns('$4', '$6')
  const all = ['asked.ord::integer', 't.workspace_id as "workspaceId"', ...parts.map((part) => columns[part])]
  return statement(
    'read_tasks',
    /* sql */ `
  with p as materialized (select coalesce($5::bigint, taskboard.now_ms()) as now, $4::integer, $6::bigint)
  select ${all.join(',\n    ')} ${FROM_ASKED} ${joinShown(parts)}`,
  )
}

function joinShown(parts: readonly TaskPart[]): string {
  return parts.includes('agent') ? `cross join p ${joinAgent('t', 'p.now')}` : ''
}

/** Builds each statement once. */
function statementsOf(make: (parts: readonly TaskPart[]) => Statement<ReadRow>) {
  const made = new Map<string, Statement<ReadRow>>()
  return (parts: readonly TaskPart[]): Statement<ReadRow> => {
    const key = parts.join()
    const known = made.get(key) ?? make(parts)
    made.set(key, known)
    return known
  }
}

const oneStatement = statementsOf(readOne)

const askedStatement = statementsOf(readAsked)

interface Call extends AskedTask {
  readonly parts: readonly TaskPart[]
  readonly logLines: number | null
  readonly logAfter: number | null
  readonly now: Instant | null
}

const MOST_AT_ONCE = 200

/** `TaskStore.getTask`. Concurrent calls by reach share a statement. */
export function createGetTask(database: Database): TaskStore<PgConnection>['getTask'] {
  const run = async (
    calls: readonly Call[],
    call: CallContext<PgConnection> | null,
  ): Promise<readonly (ReadRow | undefined)[]> => {
    const { parts = [], logLines = null, logAfter = null, now = null } = calls[0] ?? {}
    const rows = await database.read(call, askedStatement(parts), [
      ...askedValues(calls),
      logLines,
      now,
      logAfter,
    ])
    const byOrd = new Map(rows.map((row) => [row.ord, row]))
    return Array.from({ length: calls.length }, (_, index) => byOrd.get(index + 1))
  }
  const joined = () =>
    database.join<Call, ReadRow | undefined>((calls) => run(calls, null), { most: MOST_AT_ONCE, groupOf })
  const locate = joined()
  const readParts = joined()

  async function readWithin(reading: Call, call: CallContext<PgConnection>): Promise<ReadRow | undefined> {
    if (call.tx !== undefined) return (await run([reading], call))[0]
    return reading.parts.length === 0 ? locate(reading) : readParts(reading)
  }

  return async <Part extends TaskPart>(query: TaskQuery<Part>, call: CallContext<PgConnection>) => {
    const { within, taskId, logLines = null, logAfter = null } = query
    // A fixed order, so that each set of parts has one statement.
    const parts = query.parts.toSorted()
    const row =
      typeof within === 'string'
        ? (await database.read(call, oneStatement(parts), [within, taskId, logLines, call.now, logAfter]))[0]
        : await readWithin({ reach: within, taskId, parts, logLines, logAfter, now: call.now }, call)
    if (row === undefined) throw unknownTask()
    const found = parts.map((part) => [part, readers[part](row)] as const)
    return { workspaceId: row.workspaceId, ...Object.fromEntries(found) } as TaskReading<Part>
  }
}

/** The task of a workspace. */
export async function getTask(
  database: Database,
  workspaceId: string,
  taskId: string,
  call: CallContext<PgConnection>,
): Promise<Task> {
  const [row] = await database.read(call, getTaskRow, [workspaceId, taskId])
  if (row === undefined) throw unknownTask()
  return toTask(row)
}

/** Calls of one group can share a statement. Only the agent's status depends on the present. */
function groupOf({ parts, logLines, logAfter, now }: Call): string {
  return `${parts.join()} ${logLines} ${logAfter} ${parts.includes('agent') ? now : null}`
}

function unknownTask(): TaskboardError {
  return new TaskboardError('TASK_NOT_FOUND', 'no such task')
}

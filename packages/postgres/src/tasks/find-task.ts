import {
  TaskboardError,
  type At,
  type Instant,
  type Reach,
  type TaskDetail,
  type TaskLogEntry,
  type TaskOutput,
} from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { askedValues, FROM_ASKED, type AskedTask } from './asked-tasks.js'
import { joinAgent, summaryColumns, toSummary, type SummaryRow } from './summary-row.js'

interface DetailRow extends SummaryRow {
  readonly ord: number
  readonly logs: readonly TaskLogEntry[]
  readonly outputs: readonly TaskOutput[]
}

/** Asked, number of log lines, present. */
const findTasks = statement<DetailRow>(
  'find_tasks',
  /* sql */ `
  with p as materialized (select coalesce($5::bigint, taskboard.now_ms()) as now)
  select asked.ord::integer, ${summaryColumns('t')},
    coalesce((
      select json_agg(json_build_object('at', l.at, 'level', l.level, 'message', l.message) order by l.id)
      from (
        select * from taskboard.task_log l where l.task_id = t.id order by l.id desc limit $4::integer
      ) as l
    ), '[]') as logs,
    coalesce((
      select json_agg(json_build_object('type', o.type, 'name', o.name, 'url', o.url, 'size', o.size) order by o.id)
      from taskboard.task_output o where o.task_id = t.id
    ), '[]') as outputs
  ${FROM_ASKED} cross join p
    ${joinAgent('t', 'p.now')}`,
)

const locateTasks = statement<{ readonly ord: number; readonly workspaceId: string }>(
  'locate_tasks',
  `select asked.ord::integer, t.workspace_id as "workspaceId" ${FROM_ASKED}`,
)

const MOST_AT_ONCE = 200
const JOINING = { most: MOST_AT_ONCE, atOnce: 2 }

interface DetailCall extends AskedTask {
  readonly logLines: number
  readonly now: Instant | null
}

/** `TaskStore.findTask`. Calls that come while others are under way share a statement. */
export function createFindTask(database: Database) {
  const run = async (
    calls: readonly DetailCall[],
    at: At<PgConnection> | null,
  ): Promise<readonly (DetailRow | undefined)[]> => {
    const { logLines = 0, now = null } = calls[0] ?? {}
    const rows = await database.read(at, findTasks, [...askedValues(calls), logLines, now])
    return inOrder(rows, calls.length)
  }
  const find = database.join<DetailCall, DetailRow | undefined>((calls) => run(calls, null), {
    ...JOINING,
    groupOf: ({ logLines, now }) => (now === null ? logLines : `${logLines} ${now}`),
  })
  return async (
    reach: Reach,
    taskId: string,
    logLines: number,
    at: At<PgConnection>,
  ): Promise<TaskDetail> => {
    const call = { reach, taskId, logLines, now: at.now }
    const row = at.tx === undefined ? await find(call) : (await run([call], at))[0]
    if (row === undefined) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
    return Object.assign(toSummary(row), { logs: row.logs, outputs: row.outputs })
  }
}

/** `TaskStore.locateTask`. Joined likewise. */
export function createLocateTask(database: Database) {
  const run = async (calls: readonly AskedTask[], at: At<PgConnection> | null) =>
    inOrder(await database.read(at, locateTasks, askedValues(calls)), calls.length)
  const locate = database.join<AskedTask, { readonly workspaceId: string } | undefined>(
    (calls) => run(calls, null),
    { ...JOINING, groupOf: () => null },
  )
  return async (reach: Reach, taskId: string, at: At<PgConnection>): Promise<string> => {
    const call = { reach, taskId }
    const row = at.tx === undefined ? await locate(call) : (await run([call], at))[0]
    if (row === undefined) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
    return row.workspaceId
  }
}

/** The row of each call; none where nothing was found. */
function inOrder<Row extends { readonly ord: number }>(
  rows: readonly Row[],
  count: number,
): readonly (Row | undefined)[] {
  const byOrd = new Map(rows.map((row) => [row.ord, row]))
  return Array.from({ length: count }, (_, index) => byOrd.get(index + 1))
}

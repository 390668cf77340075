import {
  TaskboardError,
  type Attempt,
  type At,
  type Column,
  type Task,
  type TaskBackground,
  type TaskLogEntry,
  type TaskOutput,
} from '@taskboard/core'
import type { Database } from '../database.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { taskColumns, toTask, type TaskRow } from './task-row.js'

/** Workspace, task. */
export const getTaskRow = statement<TaskRow>(
  'get_task',
  `select ${taskColumns('t')} from taskboard.task t where t.id = $2::text and t.workspace_id = $1::text`,
)

/** `TaskStore.getTask`. */
export async function getTask(
  database: Database,
  workspaceId: string,
  taskId: string,
  at: At<PgConnection>,
): Promise<Task> {
  const [row] = await database.read(at, getTaskRow, [workspaceId, taskId])
  if (row === undefined) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
  return toTask(row)
}

/** What waits is counted in the narrow table; so is nothing that is done counted twice. */
const countColumns = statement<Record<Column, number>>(
  'count_tasks',
  /* sql */ `
  select (select count(*) from taskboard.todo where workspace_id = $1::text)::float8 as "TODO",
    (select count(*) from taskboard.task where workspace_id = $1::text and column_name = 'DOING')::float8 as "DOING",
    (select count(*) from taskboard.task where workspace_id = $1::text and column_name = 'DONE')::float8 as "DONE"`,
)

/** `TaskStore.countTasks`. */
export async function countTasks(
  database: Database,
  workspaceId: string,
  at: At<PgConnection>,
): Promise<Readonly<Record<Column, number>>> {
  const [row] = await database.read(at, countColumns, [workspaceId])
  return row ?? { TODO: 0, DOING: 0, DONE: 0 }
}

interface AboutRow<Item> {
  readonly items: readonly Item[]
}

/** A query for something about a task: one row, or none for a task that the workspace does not have. */
function about<Item>(verb: string, items: string): ReturnType<typeof statement<AboutRow<Item>>> {
  return statement<AboutRow<Item>>(
    verb,
    `select coalesce((${items}), '[]') as items from taskboard.task t where t.id = $2::text and t.workspace_id = $1::text`,
  )
}

const logLines = about<TaskLogEntry>(
  'list_logs',
  `select jsonb_agg(jsonb_build_object('at', l.at, 'level', l.level, 'message', l.message) order by l.id)
    from taskboard.task_log l where l.task_id = t.id`,
)
const outputs = about<TaskOutput>(
  'list_outputs',
  `select jsonb_agg(jsonb_build_object('type', o.type, 'name', o.name, 'url', o.url, 'size', o.size) order by o.id)
    from taskboard.task_output o where o.task_id = t.id`,
)
const attempts = about<Attempt>(
  'list_attempts',
  `select jsonb_agg(jsonb_build_object('fencingToken', a.fencing_token, 'agentId', a.agent_id, 'startedAt', a.started_at,
      'endedAt', a.ended_at, 'outcome', a.outcome, 'reason', a.reason) order by a.fencing_token)
    from taskboard.attempt a where a.task_id = t.id`,
)
const dependencies = about<TaskBackground['dependencies'][number]>(
  'list_dependencies',
  `select jsonb_agg(jsonb_build_object('id', d.id, 'title', d.title, 'result', d.result) order by o.place)
    from unnest(t.depends_on) with ordinality as o (id, place) join taskboard.task d on d.id = o.id`,
)

async function itemsAbout<Item>(
  database: Database,
  query: ReturnType<typeof about<Item>>,
  workspaceId: string,
  taskId: string,
  at: At<PgConnection>,
): Promise<readonly Item[]> {
  const [row] = await database.read(at, query, [workspaceId, taskId])
  if (row === undefined) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
  return row.items
}

/** `TaskStore.listLogs`. */
export const listLogs = (database: Database, workspaceId: string, taskId: string, at: At<PgConnection>) =>
  itemsAbout(database, logLines, workspaceId, taskId, at)

/** `TaskStore.listOutputs`. */
export const listOutputs = (database: Database, workspaceId: string, taskId: string, at: At<PgConnection>) =>
  itemsAbout(database, outputs, workspaceId, taskId, at)

/** `TaskStore.getBackground`. */
export async function getBackground(
  database: Database,
  workspaceId: string,
  taskId: string,
  at: At<PgConnection>,
): Promise<TaskBackground> {
  return {
    attempts: await itemsAbout(database, attempts, workspaceId, taskId, at),
    dependencies: await itemsAbout(database, dependencies, workspaceId, taskId, at),
  }
}

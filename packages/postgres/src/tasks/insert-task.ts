import {
  TaskboardError,
  type Actor,
  type At,
  type Created,
  type IdempotencyClaim,
  type Instant,
  type NewTask,
  type Task,
} from '@taskboard/core'
import type { Database, Session } from '../database.js'
import { LOG_EVENTS } from '../events/log-events.js'
import { once } from '../idempotency/once.js'
import { createJoiner } from '../joiner.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import { flagOf, taskColumns, toTask, type TaskRow } from './task-row.js'

interface InsertedRow extends TaskRow {
  readonly noWorkspace: boolean
  readonly noAgent: boolean
}

/** A list of tasks, each added or refused by itself. The limits of one say that what is referred to is looked up by its id. */
const insertTasks = statement<InsertedRow>(
  'insert_tasks',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  input as materialized (
    select i.*, w.id is null as no_workspace, i.assigned_to is not null and a.id is null as no_agent
    from json_to_recordset($2::json) as i (
      ord integer, id text, workspace_id text, title text, description text, type text, flag smallint,
      assigned_to text, due_date bigint, not_before bigint, tags text[], metadata jsonb, depends_on text[],
      open_dependencies integer, max_attempts integer, actor jsonb, priority text
    )
    left join lateral (select w.id from taskboard.workspace w where w.id = i.workspace_id limit 1) as w on true
    left join lateral (
      select a.id from taskboard.agent a where a.id = i.assigned_to and a.workspace_id = i.workspace_id limit 1
    ) as a on true
  ),
  added as (
    insert into taskboard.task (
      id, workspace_id, title, description, type, flag, assigned_to, due_date, not_before, tags, metadata,
      depends_on, open_dependencies, max_attempts, created_at, updated_at
    )
    select id, workspace_id, title, description, type, flag, assigned_to, due_date, not_before, tags, metadata,
      depends_on, open_dependencies, max_attempts, p.now, p.now
    from input, p where not no_workspace and not no_agent
    order by ord
    returning *
  ),
  draft as (
    select t.workspace_id, i.ord, 'task.created' as type, t.created_at as at, jsonb_build_object(
      'taskId', t.id, 'title', t.title, 'status', 'TODO', 'description', t.description, 'priority', i.priority,
      'type', t.type, 'assignedTo', t.assigned_to, 'dueDate', t.due_date, 'tags', t.tags,
      'dependsOn', t.depends_on, 'createdAt', t.created_at, 'actor', i.actor) as facts
    from added t join input i on i.id = t.id
  ),
  ${LOG_EVENTS}
  select i.no_workspace as "noWorkspace", i.no_agent as "noAgent", ${taskColumns('t')}
  from input i left join added t on t.id = i.id
  order by i.ord`,
)

/** Locked, so that none is done or undone between the count of those that are open and the commit. */
const lockDependencies = statement<{ readonly id: string; readonly isOpen: boolean }>(
  'lock_dependencies',
  /* sql */ `
  select id, column_name <> 'DONE' as "isOpen" from taskboard.task
  where id = any ($1::text[]) and workspace_id = $2::text
  order by id for update`,
)

const insertDependencies = statement<never>(
  'insert_dependencies',
  /* sql */ `
  with d as (
    insert into taskboard.task_dependency (depends_on, task_id)
    select depends_on, $1::text from unnest($2::text[]) as depends_on
    returning depends_on
  )
  update taskboard.task t set dependents = t.dependents + 1 from d where t.id = d.depends_on`,
)

/** `TaskStore.insertTask`. */
export type InsertTask = (
  task: NewTask,
  actor: Actor,
  idempotency: IdempotencyClaim | null,
  at: At<PgConnection>,
) => Promise<Created<Task>>

interface Call {
  readonly task: IdentifiedTask
  readonly actor: Actor
  readonly now: Instant | null
}

type IdentifiedTask = NewTask & { readonly id: string }

const MOST_AT_ONCE = 200

/** Calls that come while others are under way share a statement and a commit, but for those within a transaction. */
export function createInsertTask(database: Database): InsertTask {
  const insert = createJoiner<Call, InsertedRow>(
    (calls) => database.write({ now: null }, insertTasks, toValues(calls)),
    { most: MOST_AT_ONCE, atOnce: 1, groupOf: ({ now }) => now },
  )

  return async (input, actor, idempotency, at) => {
    const { now } = at
    const id = database.settings.current.newId('task')
    const task = { ...input, id, dependsOn: [...new Set(input.dependsOn)] }
    if (idempotency === null && task.dependsOn.length === 0) {
      const row =
        at.tx === undefined
          ? await insert({ task, actor, now })
          : (await database.write(at, insertTasks, toValues([{ task, actor, now }])))[0]
      return { value: insertedTask(row), replayed: false }
    }
    const make = (session: Session): Promise<Task> => insertWith(session, { task, actor, now })
    return database.atomically(at, async (session) =>
      idempotency === null
        ? { value: await make(session), replayed: false }
        : once(session, idempotency, now, make),
    )
  }
}

async function insertWith(session: Session, call: Call): Promise<Task> {
  const { dependsOn, id, workspaceId } = call.task
  const found = dependsOn.length === 0 ? [] : await session.run(lockDependencies, [dependsOn, workspaceId])
  const open = found.filter(({ isOpen }) => isOpen).length
  const rows = await session.run(insertTasks, toValues([call], open))
  const added = insertedTask(rows[0])
  // Told last, as an unknown workspace or agent comes before it; what was inserted is undone.
  if (found.length < dependsOn.length) throw missingDependency()
  if (dependsOn.length > 0) await session.run(insertDependencies, [id, dependsOn])
  return added
}

function toValues(calls: readonly Call[], openDependencies = 0): readonly unknown[] {
  const inputs = calls.map(({ task, actor }, ord) => toInput(task, actor, ord, openDependencies))
  return [calls[0]?.now ?? null, JSON.stringify(inputs)]
}

function toInput(task: IdentifiedTask, actor: Actor, ord: number, openDependencies: number): object {
  return {
    ord,
    id: task.id,
    workspace_id: task.workspaceId,
    title: task.title,
    description: task.description,
    type: task.type,
    flag: flagOf(task.priority),
    priority: task.priority,
    assigned_to: task.assignedTo,
    due_date: task.dueDate,
    not_before: task.notBefore,
    tags: task.tags,
    metadata: task.metadata,
    depends_on: task.dependsOn,
    open_dependencies: openDependencies,
    max_attempts: task.maxAttempts,
    actor: { kind: actor.kind, id: actor.id },
  }
}

function insertedTask(row: InsertedRow | undefined): Task {
  if (row === undefined || row.noWorkspace) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  if (row.noAgent) {
    throw new TaskboardError('INVALID_FIELD', 'assignedTo must be an agent of the workspace', {
      field: 'assignedTo',
    })
  }
  return toTask(row)
}

function missingDependency(): TaskboardError {
  return new TaskboardError('INVALID_FIELD', 'dependsOn must name other tasks of the workspace', {
    field: 'dependsOn',
  })
}

import { TaskboardError, type Actor, type Instant, type Task, type TaskFields } from '@taskboard/core'
import { createTask, type NewTask, type TaskStore } from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import { logAndClaim, NEW_DELIVERIES } from '../events/log-events.js'
import type { AddedDeliveries } from '../database/new-deliveries.js'
import { once } from '../database/idempotency.js'
import type { PgConnection } from '../connection/pool.js'
import { statement, type Statement } from '../connection/statement.js'
import { fieldNames, fieldTypes, fieldValues } from './field-columns.js'
import { lockDependencies } from './dependencies.js'
import { DUE_RANK } from './search-sql.js'
import { searchTerms } from './search-terms.js'
import { lockParents, requireParent } from './subtasks.js'

/** What the database adds to a task. */
interface InsertedRow {
  readonly noWorkspace: boolean
  readonly noAgent: boolean
  /** Null when the task was rejected. */
  readonly createdAt: number | null
  readonly openDependencies: number
  /** In the order of names in which it will be read. */
  readonly metadata: TaskFields['metadata']
  /** Only of the first row. */
  readonly newDeliveries: AddedDeliveries | null
}

/** The dependencies of the tasks in `added`. */
const LINK = /* sql */ `
  linked as (
    insert into taskboard.task_dependency (depends_on, task_id, is_open)
    select d.id, t.id, d.id = any (i.waits_for)
    from added t join input i on i.id = t.id cross join lateral unnest(t.depends_on) as d (id)
  ),`

/**
 * Present, tasks, what may be claimed. A list of tasks, each added or rejected independently. The limits of one make the planner look up each reference by its id.
 * The defaults of the other columns are the state that `createTask` gives. `link` is omitted when no task has dependencies.
 */
const insertion = (verb: string, link: string): Statement<InsertedRow> =>
  statement<InsertedRow>(
    verb,
    /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  input as materialized (
    select i.*, w.id is null as no_workspace, i.assigned_to is not null and a.id is null as no_agent
    from json_to_recordset($2::json) as i (
      ord integer, id text, workspace_id text, parent_id text, ${fieldTypes}, waits_for text[], max_attempts integer, traceparent text,
      actor jsonb, priority text, terms tsvector
    )
    left join lateral (select w.id from taskboard.workspace w where w.id = i.workspace_id limit 1) as w on true
    left join lateral (
      select a.id from taskboard.agent a where a.id = i.assigned_to and a.workspace_id = i.workspace_id limit 1
    ) as a on true
  ),
  added as (
    insert into taskboard.task (
      id, workspace_id, parent_id, ${fieldNames}, open_dependencies, max_attempts, traceparent, created_at, updated_at
    )
    select id, workspace_id, parent_id, ${fieldNames}, cardinality(waits_for), max_attempts, traceparent, p.now,
      p.now
    from input, p where not no_workspace and not no_agent
    order by ord
    returning *
  ),${link}
  searchable as (
    insert into taskboard.task_search (workspace_id, task_id, created_at, due_rank, terms)
    select t.workspace_id, t.id, t.created_at, ${DUE_RANK}, i.terms
    from added t join input i on i.id = t.id
  ),
  draft as (
    select t.workspace_id, i.ord, 'task.created' as type, t.created_at as at, jsonb_build_object(
      'taskId', t.id, 'title', t.title, 'status', 'TODO', 'description', t.description, 'priority', i.priority,
      'type', t.type, 'assignedTo', t.assigned_to, 'dueDate', t.due_date, 'tags', t.tags,
      'dependsOn', t.depends_on, 'createdAt', t.created_at, 'actor', i.actor) as data
    from added t join input i on i.id = t.id
  ),
  ${logAndClaim('$3')}
  select i.no_workspace as "noWorkspace", i.no_agent as "noAgent", t.created_at::float8 as "createdAt",
    cardinality(i.waits_for) as "openDependencies", i.metadata,
    case when i.ord = 0 then ${NEW_DELIVERIES} end as "newDeliveries"
  from input i left join added t on t.id = i.id
  order by i.ord`,
  )

const insertTasks = insertion('insert_tasks', '')
const insertDependents = insertion('insert_dependent_tasks', LINK)

export interface InsertCall {
  readonly task: IdentifiedTask
  readonly actor: Actor
  readonly now: Instant | null
}

export type IdentifiedTask = NewTask & { readonly id: string }

const MOST_AT_ONCE = 200

/**
 * `TaskStore.insertTask`. Concurrent calls share a statement and a commit, except within a transaction. Calls with dependencies
 * share theirs only with calls that have the same ones, so that work on another task delays none of them.
 */
export function createInsertTask(database: Database): TaskStore<PgConnection>['insertTask'] {
  const insert = database.join<InsertCall, InsertedRow>(
    (calls) =>
      database.newDeliveries.during(
        (bounds) => database.write({ now: null }, insertTasks, toValues(calls, [], bounds)),
        (row) => row.newDeliveries,
      ),
    { most: MOST_AT_ONCE, groupOf: ({ now }) => now },
  )
  const insertWaiting = database.join<InsertCall, InsertedRow>(
    (calls) => database.atomically({ now: null }, (session) => insertWith(session, calls)),
    {
      most: MOST_AT_ONCE,
      groupOf: ({ task, now }) => JSON.stringify([now, task.workspaceId, ...task.dependsOn.toSorted()]),
    },
  )

  return async ({ task: input, actor, idempotency }, call) => {
    const { now } = call
    const id = database.settings.current.newId('task')
    const task = { ...input, id, dependsOn: [...new Set(input.dependsOn)] }
    const addition = { task, actor, now }
    const isWaiting = task.dependsOn.length > 0
    const isPart = task.parentId !== null
    if (idempotency === null && call.tx === undefined && !isPart) {
      return {
        value: insertedTask(task, await (isWaiting ? insertWaiting : insert)(addition)),
        replayed: false,
      }
    }
    if (idempotency === null && !isWaiting && !isPart) {
      return {
        value: insertedTask(task, (await database.write(call, insertTasks, toValues([addition])))[0]),
        replayed: false,
      }
    }
    const make = async (session: Session): Promise<Task> => {
      const { parentId, workspaceId } = task
      const known = await lockParents(session, workspaceId, parentId === null ? [] : [parentId])
      const added = insertedTask(task, (await insertWith(session, [addition]))[0])
      if (parentId !== null) await requireParent(session, known, parentId, 1)
      return added
    }
    return database.atomically(call, async (session) =>
      idempotency === null
        ? { value: await make(session), replayed: false }
        : once(session, idempotency, now, make),
    )
  }
}

/** Adds a task within a transaction of the storage. @throws as `TaskStore.insertTask` does. */
export async function insertTaskIn(
  { settings }: Pick<Database, 'settings'>,
  session: Session,
  {
    task: input,
    actor,
    now,
  }: { readonly task: NewTask; readonly actor: Actor; readonly now: Instant | null },
): Promise<Task> {
  const task = { ...input, id: settings.current.newId('task'), dependsOn: [...new Set(input.dependsOn)] }
  return insertedTask(task, (await insertWith(session, [{ task, actor, now }]))[0])
}

/** Calls of one workspace with the same dependencies. */
async function insertWith(session: Session, calls: readonly InsertCall[]): Promise<readonly InsertedRow[]> {
  const { dependsOn = [], workspaceId = '' } = calls[0]?.task ?? {}
  if (dependsOn.length === 0) return session.run(insertTasks, toValues(calls))
  const { known, open } = await lockDependencies(session, workspaceId, dependsOn)
  if (known === dependsOn.length) return session.run(insertDependents, toValues(calls, open))
  // Reported last: an unknown workspace or agent takes precedence. The inserts are rolled back.
  for (const row of await session.run(insertTasks, toValues(calls, open))) requireInserted(row)
  throw missingDependency()
}

/** Adds tasks in a transaction. Those in `open` count as open dependencies; unknown ones are written only with `isLinked` false. */
export async function insertAll(
  session: Session,
  calls: readonly InsertCall[],
  { open, isLinked }: { readonly open: readonly string[]; readonly isLinked: boolean },
): Promise<readonly Task[]> {
  const ids = new Set(open)
  const inputs = calls.map(({ task, actor }, ord) =>
    toInput(
      task,
      actor,
      ord,
      task.dependsOn.filter((id) => ids.has(id)),
    ),
  )
  const values = [calls[0]?.now ?? null, JSON.stringify(inputs), null]
  const rows = await session.run(isLinked ? insertDependents : insertTasks, values)
  return calls.map(({ task }, ord) => insertedTask(task, rows[ord]))
}

function toValues(
  calls: readonly InsertCall[],
  open: readonly string[] = [],
  bounds: string | null = null,
): readonly unknown[] {
  const inputs = calls.map(({ task, actor }, ord) => toInput(task, actor, ord, open))
  return [calls[0]?.now ?? null, JSON.stringify(inputs), bounds]
}

function toInput(task: IdentifiedTask, actor: Actor, ord: number, open: readonly string[]): object {
  return Object.assign(fieldValues(task), {
    ord,
    id: task.id,
    workspace_id: task.workspaceId,
    parent_id: task.parentId,
    priority: task.priority,
    terms: searchTerms(task),
    waits_for: open,
    max_attempts: task.maxAttempts,
    traceparent: task.traceparent ?? undefined,
    actor: { kind: actor.kind, id: actor.id },
  })
}

function insertedTask(task: IdentifiedTask, row: InsertedRow | undefined): Task {
  const { createdAt, openDependencies, metadata } = requireInserted(row)
  return createTask({ ...task, metadata }, { id: task.id, now: createdAt, openDependencies })
}

function requireInserted(row: InsertedRow | undefined) {
  if (row === undefined || row.noWorkspace) throw new TaskboardError('NOT_FOUND', 'no such workspace')
  if (row.noAgent || row.createdAt === null) {
    throw new TaskboardError('INVALID_FIELD', 'assignedTo must be an agent of the workspace', {
      field: 'assignedTo',
    })
  }
  const { createdAt, openDependencies, metadata } = row
  return { createdAt, openDependencies, metadata }
}

/** The error for a dependency that the workspace doesn't have. */
export function missingDependency(): TaskboardError {
  return new TaskboardError('INVALID_FIELD', 'dependsOn must name other tasks of the workspace', {
    field: 'dependsOn',
  })
}

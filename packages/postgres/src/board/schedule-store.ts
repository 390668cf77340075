import {
  type Actor,
  type Instant,
  type Schedule,
  type Task,
  TaskboardError,
  type Created,
  type IdempotencyClaim,
} from '@taskboard/core'
import {
  type CallContext,
  changedSchedule,
  createSchedule,
  type NewSchedule,
  occur,
  type OccurrenceRequest,
  type ScheduleChange,
  type ScheduleList,
  type ScheduleQuery,
  type ScheduleStore,
} from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import { once } from '../database/idempotency.js'
import { IS_WRITABLE } from '../database/is-writable.js'
import type { PgConnection } from '../connection/pool.js'
import { backgroundStatement, statement } from '../connection/statement.js'
import { insertTaskIn } from './insert-task.js'

/** The columns of a `Schedule`. `alias` names the table or expression. */
const scheduleColumns = (alias: string): string => {
  const s = alias
  return `${s}.id, ${s}.workspace_id as "workspaceId", ${s}.cron, ${s}.time_zone as "timeZone", ${s}.task, ${s}.overlap,
    ${s}.enabled, ${s}.next_at::float8 as "nextAt", ${s}.last_at::float8 as "lastAt", ${s}.last_task_id as "lastTaskId",
    ${s}.last_error as "lastError", ${s}.created_at::float8 as "createdAt", ${s}.updated_at::float8 as "updatedAt"`
}

/** Present, workspace, assigned agent or null. Returns nothing for an unknown workspace. */
const lookAround = statement<{ readonly now: Instant; readonly hasAgent: boolean }>(
  'look_around_schedules',
  /* sql */ `
  select coalesce($1::bigint, taskboard.now_ms())::float8 as now,
    ($3::text is null or exists (
      select from taskboard.agent a where a.id = $3::text and a.workspace_id = $2::text
    )) as "hasAgent"
  from taskboard.workspace w where w.id = $2::text`,
)

/** A schedule, by the names of its columns. */
const insert = statement<Schedule>(
  'insert_schedule',
  /* sql */ `
  insert into taskboard.schedule as s (
    id, workspace_id, cron, time_zone, task, overlap, enabled, next_at, created_at, updated_at
  )
  select id, workspace_id, cron, time_zone, task, overlap, enabled, next_at, created_at, updated_at
  from jsonb_to_record($1::jsonb) as n (
    id text, workspace_id text, cron text, time_zone text, task jsonb, overlap text, enabled boolean, next_at bigint,
    created_at bigint, updated_at bigint
  )
  returning ${scheduleColumns('s')}`,
)

/** `ScheduleStore.insertSchedule`. */
function insertSchedule(
  database: Database,
  schedule: NewSchedule,
  idempotency: IdempotencyClaim | null,
  call: CallContext<PgConnection>,
): Promise<Created<Schedule>> {
  const { now } = call
  const make = async (session: Session): Promise<Schedule> => {
    const { workspaceId, task } = schedule
    const [around] = await session.run(lookAround, [now, workspaceId, task.assignedTo])
    if (around === undefined) throw new TaskboardError('NOT_FOUND', 'no such workspace')
    if (!around.hasAgent) throw unknownAssignee()
    const id = database.settings.current.newId('sch')
    const [made] = await session.run(insert, [toRecord(createSchedule(schedule, { id, now: around.now }))])
    if (made === undefined) throw new Error('a new schedule is gone')
    return made
  }
  return database.atomically(call, async (session) =>
    idempotency === null
      ? { value: await make(session), replayed: false }
      : once(session, idempotency, now, make),
  )
}

/** The schedule as JSON by the names of its columns. */
function toRecord(schedule: Schedule): string {
  return JSON.stringify({
    id: schedule.id,
    workspace_id: schedule.workspaceId,
    cron: schedule.cron,
    time_zone: schedule.timeZone,
    task: schedule.task,
    overlap: schedule.overlap,
    enabled: schedule.enabled,
    next_at: schedule.nextAt,
    last_at: schedule.lastAt,
    last_task_id: schedule.lastTaskId,
    last_error: schedule.lastError,
    created_at: schedule.createdAt,
    updated_at: schedule.updatedAt,
  })
}

const WITHIN_REACH = /* sql */ `($1::text is null or w.account_id = $1::text)
    and ($2::text[] is null or w.id = any ($2::text[]))`

type ListRow = Schedule | { readonly id: null }

const NAMED = /* sql */ `
    select w.id from taskboard.workspace w where w.id = $3::text and ${WITHIN_REACH}`

/** All workspaces of the account, or those that are named, each looked up by its key. */
const ALL_REACHED = /* sql */ `
    select w.id from taskboard.workspace w where $2::text[] is null and w.account_id = $1::text
    union all
    select w.id from unnest($2::text[]) as named (id) cross join lateral (
      select w.id from taskboard.workspace w where w.id = named.id and w.account_id = $1::text limit 1
    ) as w`

/** Account, workspaces within reach, workspace or null, limit, greatest id before, schedule or null. */
const listed = (chosen: string, reached = NAMED): string => /* sql */ `
  with reached_workspace as (${reached}),
  chosen as materialized (${chosen}
    and ($5::text is null or s.id > $5::text) and ($6::text is null or s.id = $6::text)
    order by s.id limit $4::integer
  )
  select ${scheduleColumns('s')}
  from (select where $3::text is null or exists (select from reached_workspace)) r left join chosen s on true
  order by s.id`

/** Begins with one workspace, with one schedule, with all workspaces within reach, or with nothing. */
const listStatements = {
  ofWorkspace: statement<ListRow>(
    'list_schedules',
    listed(/* sql */ `
    select s.* from taskboard.schedule s
    where s.workspace_id = $3::text and exists (select from reached_workspace)`),
  ),
  one: statement<ListRow>(
    'get_schedule',
    listed(/* sql */ `
    select s.* from taskboard.schedule s join taskboard.workspace w on w.id = s.workspace_id
    where s.id = $6::text and ($3::text is null or s.workspace_id = $3::text) and ${WITHIN_REACH}`),
  ),
  within: statement<ListRow>(
    'list_schedules_within',
    listed(
      /* sql */ `
    select s.* from taskboard.schedule s where s.workspace_id in (select id from reached_workspace)`,
      ALL_REACHED,
    ),
  ),
  all: statement<ListRow>('list_all_schedules', listed('select s.* from taskboard.schedule s where true')),
}

/** Present, limit. A row without a schedule has when the next one is due. */
const listDue = backgroundStatement<
  (Schedule | { readonly id: null }) & { readonly nextDueInMs: number | null }
>(
  'list_due_schedules',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  due as materialized (
    select s.* from taskboard.schedule s
    where s.next_at is not null and s.next_at <= (select now from p) and s.workspace_id ${IS_WRITABLE}
    order by s.next_at, s.id limit $2::integer
  )
  select ${scheduleColumns('s')}, case when (select count(*) from due) < $2::integer then (
    select n.next_at - p.now from taskboard.schedule n
    where n.next_at is not null and n.next_at > p.now and n.workspace_id ${IS_WRITABLE} order by n.next_at, n.id limit 1
  ) end::float8 as "nextDueInMs"
  from p left join due s on true
  order by s.next_at, s.id`,
)

/** `ScheduleStore.listSchedules`. */
async function listSchedules(
  database: Database,
  query: ScheduleQuery,
  call: CallContext<PgConnection>,
): Promise<ScheduleList> {
  if ('isDue' in query) {
    const rows = await database.read(call, listDue, [call.now, query.limit])
    return {
      schedules: rows.flatMap((row) => {
        const { nextDueInMs: _, ...schedule } = row
        return schedule.id === null ? [] : [schedule]
      }),
      nextDueInMs: rows[0]?.nextDueInMs ?? null,
    }
  }
  const { reach, workspaceId = null, scheduleId, afterId = null, limit } = query
  const { one, ofWorkspace, within, all } = listStatements
  const several = workspaceId !== null ? ofWorkspace : reach === null ? all : within
  const asked = scheduleId === undefined ? several : one
  const workspaceIds = reach === null || reach.workspaceIds === 'all' ? null : reach.workspaceIds
  const values = [reach?.accountId ?? null, workspaceIds, workspaceId, limit, afterId, scheduleId ?? null]
  const rows = await database.read(call, asked, values)
  if (rows.length === 0) throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
  return { schedules: rows.filter(({ id }) => id !== null) as readonly Schedule[], nextDueInMs: null }
}

/** A schedule to change. */
type LockedRow = Schedule & {
  readonly now: Instant
  /** The task that it made last, if that exists. */
  readonly last: Pick<Task, 'column' | 'hold'> | null
}

/** Present, workspace, schedule. */
const lock = statement<LockedRow>(
  'lock_schedule',
  /* sql */ `
  select coalesce($1::bigint, taskboard.now_ms())::float8 as now, ${scheduleColumns('s')}, (
    select jsonb_build_object('column', t.column_name, 'hold', case when t.hold_reason is not null
      then jsonb_build_object('reason', t.hold_reason, 'message', t.hold_message, 'since', t.hold_since) end)
    from taskboard.task t where t.id = s.last_task_id and t.workspace_id = s.workspace_id
  ) as last
  from taskboard.schedule s where s.id = $3::text and s.workspace_id = $2::text
  for update of s`,
)

/** A schedule, by the names of its columns, and its workspace. */
const write = statement<Schedule>(
  'write_schedule',
  /* sql */ `
  update taskboard.schedule s
  set cron = n.cron, time_zone = n.time_zone, task = n.task, overlap = n.overlap, enabled = n.enabled,
    next_at = n.next_at, last_at = n.last_at, last_task_id = n.last_task_id, last_error = n.last_error,
    updated_at = n.updated_at
  from jsonb_to_record($1::jsonb) as n (
    id text, cron text, time_zone text, task jsonb, overlap text, enabled boolean, next_at bigint, last_at bigint,
    last_task_id text, last_error text, updated_at bigint
  )
  where s.id = n.id and s.workspace_id = $2::text
  returning ${scheduleColumns('s')}`,
)

/** `ScheduleStore.updateSchedule`. */
function updateSchedule(
  database: Database,
  { workspaceId, scheduleId, change }: { workspaceId: string; scheduleId: string; change: ScheduleChange },
  call: CallContext<PgConnection>,
): Promise<Schedule> {
  return database.atomically(call, async (session) => {
    const [locked] = await session.run(lock, [call.now, workspaceId, scheduleId])
    if (locked === undefined) throw unknownSchedule()
    const [around] = await session.run(lookAround, [call.now, workspaceId, change.task?.assignedTo ?? null])
    if (around?.hasAgent !== true) throw unknownAssignee()
    const { now, last: _, ...schedule } = locked
    const [written] = await session.run(write, [
      toRecord(changedSchedule(schedule, change, now)),
      workspaceId,
    ])
    if (written === undefined) throw unknownSchedule()
    return written
  })
}

const remove = statement<object>(
  'delete_schedule',
  /* sql */ `
  delete from taskboard.schedule s where s.id = $2::text and s.workspace_id = $1::text returning s.id`,
)

const SYSTEM: Actor = { kind: 'system', id: null }

/**
 * `ScheduleStore.makeOccurrence`. Of concurrent calls, the later ones wait for the row and then find another occurrence in it. Including in a
 * transaction of the host, the insert of the task and the write of the schedule roll back together.
 */
function makeOccurrence(
  database: Database,
  { workspaceId, scheduleId, nextAt, outcome }: OccurrenceRequest,
  call: CallContext<PgConnection>,
): Promise<Task | null> {
  return database.atomically(call, async (session) => {
    const [locked] = await session.run(lock, [call.now, workspaceId, scheduleId])
    if (locked === undefined || locked.nextAt !== nextAt) return null
    const { now, last, ...schedule } = locked
    const occurrence = occur(schedule, last, now)
    if (occurrence === null) return null
    const { schedule: after, makesTask } = occurrence
    if ('failure' in outcome) {
      const failed = { ...after, lastAt: schedule.lastAt, lastError: outcome.failure }
      await session.run(write, [toRecord(failed), workspaceId])
      return null
    }
    const task = makesTask
      ? await insertTaskIn(database, session, { task: outcome.task, actor: SYSTEM, now: call.now })
      : null
    const made = { ...after, lastTaskId: task?.id ?? after.lastTaskId }
    await session.run(write, [toRecord(made), workspaceId])
    return task
  })
}

export function createScheduleStore(database: Database): ScheduleStore<PgConnection> {
  return {
    insertSchedule: ({ schedule, idempotency }, call) =>
      insertSchedule(database, schedule, idempotency, call),
    listSchedules: (query, call) => listSchedules(database, query, call),
    updateSchedule: (update, call) => updateSchedule(database, update, call),
    async deleteSchedule({ workspaceId, scheduleId }, call) {
      const removed = await database.write(call, remove, [workspaceId, scheduleId])
      if (removed.length === 0) throw unknownSchedule()
    },
    makeOccurrence: (occurrence, call) => makeOccurrence(database, occurrence, call),
  }
}

function unknownSchedule(): TaskboardError {
  return new TaskboardError('NOT_FOUND', 'no such schedule')
}

function unknownAssignee(): TaskboardError {
  return new TaskboardError('INVALID_FIELD', 'assignedTo must be an agent of the workspace', {
    field: 'assignedTo',
  })
}

import { randomUUID } from 'node:crypto'
import { type Backoff, defaultScoring, isTaskboardError } from '@taskboard/core'
import type { CallContext, ClaimProof, TaskStore } from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import { IS_WRITABLE } from '../database/is-writable.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { scoringColumns } from '../database/stored-scoring.js'
import { appendToTask } from './append-to-task.js'
import { applyCommand, type ReadTask } from './apply-command.js'
import { createTaskClaims, type TaskClaims } from './claim/claim-tasks.js'
import { createCompletions } from './claim/complete-tasks.js'
import { deleteTask } from './delete-tasks.js'
import { freeDependents } from './dependents.js'
import { createGetTask } from './get-task.js'
import { createInsertTask } from './insert-task.js'
import { createInsertTasks } from './insert-task-list.js'
import { type JoinedPickups, joinPickups } from './claim/join-pickups.js'
import { listTasks } from './list-tasks.js'
import { routeTasks } from './routes.js'
import { searchTasks } from './search-tasks.js'
import { taskColumns } from './task-row.js'
import { updateTask } from './update-task.js'

/**
 * Present, tasks, fencing tokens. Looks up each task by its key. The comparison of the lease's end prevents the use of an index
 * of ends.
 */
const checkLeases = statement<{ readonly isHeld: boolean }>(
  'check_claims',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  select exists (
    select from taskboard.task t
    where t.id = c.task_id and t.fencing_token = c.fencing_token and coalesce(t.lease_expires_at, 0) > p.now
  ) as "isHeld"
  from unnest($2::text[], $3::bigint[]) with ordinality as c (task_id, fencing_token, ord), p
  order by c.ord`,
)

/** `TaskStore.checkClaims`. */
async function checkClaims(
  database: Database,
  proofs: readonly ClaimProof[],
  call: CallContext<PgConnection>,
): Promise<readonly boolean[]> {
  const ids = proofs.map(({ taskId }) => taskId)
  const tokens = proofs.map(({ fencingToken }) => fencingToken)
  const rows = await database.read(call, checkLeases, [call.now, ids, tokens])
  return rows.map(({ isHeld }) => isHeld)
}

/** Present, limit. */
const findExpired = statement<ReadTask>(
  'find_expired_leases',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  select (select now from p)::float8 as now, ${taskColumns('t')} from taskboard.task t
  where t.lease_expires_at <= (select now from p) and t.workspace_id ${IS_WRITABLE}
  order by t.lease_expires_at
  limit $2::integer`,
)

/** Present. */
const nextExpiry = statement<{ readonly inMs: number | null }>(
  'next_lease_expiry',
  /* sql */ `
  select (n.at - least(n.at, coalesce($1::bigint, taskboard.now_ms())))::float8 as "inMs" from (
    select min(t.lease_expires_at) as at from taskboard.task t
    where t.lease_expires_at is not null and t.workspace_id ${IS_WRITABLE}
  ) n`,
)

/** `TaskStore.expireLeases`. Several processes may run it at the same time: each lease expires once, and both may count it. */
async function expireLeases(
  database: Database,
  { limit, backoff }: { readonly limit: number; readonly backoff: Backoff },
  call: CallContext<PgConnection>,
): Promise<{ readonly expired: number; readonly nextExpiryInMs: number | null }> {
  let expired = 0
  for (const seen of await database.read(call, findExpired, [call.now, limit])) {
    const target = { workspaceId: seen.workspaceId, taskId: seen.id }
    try {
      const task = await applyCommand(database, target, { kind: 'expire', backoff }, call, seen)
      if (task.lease === null) expired += 1
    } catch (error) {
      // The task was deleted in the meantime.
      if (!isTaskboardError(error, 'TASK_NOT_FOUND')) throw error
    }
  }
  const [next] = await database.read(call, nextExpiry, [call.now])
  return { expired, nextExpiryInMs: next?.inMs ?? null }
}

const scoringNames = Object.keys(scoringColumns(defaultScoring))

/** Scoring, run. */
const storeScoring = statement<never>(
  'store_scoring',
  /* sql */ `
  update taskboard.scoring s
  set (${scoringNames.join(', ')}, rescoring) = (${scoringNames.map((name) => `n.${name}`).join(', ')}, $2::uuid)
  from jsonb_populate_record(null::taskboard.scoring, $1::jsonb) n`,
)

/** Present, the task after which to continue, limit. */
const placeNext = statement<{ readonly count: number; readonly last: string | null }>(
  'rescore_tasks',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  batch as materialized (
    select task_id from taskboard.todo where task_id > $2::text order by task_id limit $3::integer for update
  ),
  placed as (
    update taskboard.todo q
    set ready = n.ready, lane = n.lane, key = n.key, placed_at = n.placed_at, until = n.until, not_before = n.not_before
    from batch b, p, taskboard.task t, lateral taskboard.todo_of(t, p.now) n
    where q.task_id = b.task_id and t.id = b.task_id
    returning q.task_id
  )
  select (select count(*) from placed)::integer as count, (select max(task_id) from batch) as last`,
)

/** Run. A run that began in between recomputes the keys itself. */
const finish = statement<never>(
  'finish_rescore',
  /* sql */ `update taskboard.scoring set rescoring = null where rescoring = $1::uuid`,
)

const BATCH = 2_000

/**
 * `TaskStore.rescore`: stores the bound scoring and recomputes the place of every task in TODO, a few thousand at a time.
 * Until then, claims compare old places with new ones: no task is lost, but the order is correct only at the end. Until then, and
 * after an interruption, `open` rejects. Another run starts from the beginning.
 */
async function rescore(database: Database, call: CallContext<PgConnection>): Promise<number> {
  const run = randomUUID()
  const { scoring } = database.settings.current
  await database.write(call, storeScoring, [JSON.stringify(scoringColumns(scoring)), run])
  let count = 0
  for (let last: string | null = ''; last !== null;) {
    const rows: readonly { readonly count: number; readonly last: string | null }[] = await database.write(
      call,
      placeNext,
      [call.now, last, BATCH],
    )
    count += rows[0]?.count ?? 0
    last = rows[0]?.last ?? null
  }
  await database.write(call, finish, [run])
  return count
}

type Store = TaskStore<PgConnection>

export function createTaskStore(database: Database): Store {
  const claims = createTaskClaims(database.newDeliveries)
  const pickups = joinPickups(database, claims)
  return {
    insertTask: createInsertTask(database),
    insertTasks: createInsertTasks(database),
    getTask: createGetTask(database),
    listTasks: (query, call) => listTasks(database, query, call),
    searchTasks: (search, call) => searchTasks(database, search, call),
    claimTasks: claimTasks(database, claims, pickups),
    checkClaims: ({ proofs }, call) => checkClaims(database, proofs, call),
    changeTask: ({ target, command }, call) =>
      command.kind === 'edit'
        ? updateTask(database, target, command, call)
        : applyCommand(database, target, command, call),
    appendToTask: (addition, call) => appendToTask(database, addition, call),
    completeTask: createCompletions(database, claims, pickups),
    deleteTask: (deletion, call) => deleteTask(database, deletion, call),
    expireLeases: (sweep, call) => expireLeases(database, sweep, call),
    settleTasks: ({ left, limit }, call) =>
      (left === 'routes' ? routeTasks : freeDependents)(database, limit, call),
    rescore: (call) => rescore(database, call),
  }
}

/** `TaskStore.claimTasks`. Concurrent claims share statements, except within a transaction. */
function claimTasks(database: Database, claims: TaskClaims, pickups: JoinedPickups): Store['claimTasks'] {
  return async ({ target, limit }, call) => {
    const { now, tx } = call
    if (tx === undefined) return pickups.claim(target, limit, now)
    const session: Session = { run: (prepared, values) => database.read(call, prepared, values) }
    const pickup = { limit, completions: [], now, commitsEach: false }
    const { tasks, nextReadyInMs } = await claims(session, target, pickup)
    return { tasks, nextReadyInMs }
  }
}

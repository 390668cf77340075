import { cte } from './claim-tables.js'
import { isTaskboardError, TaskboardError, type Instant, type Task } from '@taskboard/core'
import {
  isCompletedBy,
  type ClaimProof,
  type ClaimTarget,
  type Completion,
  type TaskStore,
} from '@taskboard/core/storage'
import type { Database, Session } from '../../database/database.js'
import type { AddedDeliveries } from '../../database/new-deliveries.js'
import { logAndClaim, NEW_DELIVERIES } from '../../events/log-events.js'
import type { PgConnection } from '../../connection/pool.js'
import { statement } from '../../connection/statement.js'
import type { TaskClaims } from './claim-tasks.js'
import { COMPLETE_CLAIMED, type CompletionInput, completionsOf, completionValues } from './complete-sql.js'
import type { JoinedPickups } from './join-pickups.js'
import { getTaskRow } from '../get-task.js'
import { leaseLost } from '../lease-lost.js'
import { toTask, type TaskRow } from '../task-row.js'

interface OutcomeRow extends TaskRow {
  readonly exists: boolean
  readonly isHeld: boolean
  /** Only of the first row. */
  readonly newDeliveries: AddedDeliveries | null
}

/** Present, completions, what may be claimed. */
const completeClaimed = statement<OutcomeRow>(
  'complete_tasks',
  /* sql */ `
  with ${cte.present} as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  ${completionsOf(2)},
  ${COMPLETE_CLAIMED},
  ${cte.draft} as (select * from ${cte.completed}),
  ${logAndClaim('$3')}
  select *, case when ord = 0 then ${NEW_DELIVERIES} end as "newDeliveries" from outcome order by ord`,
)

/** A call that waits for its batch. */
interface Call extends CompletionInput {
  readonly now: Instant | null
}

const MOST_AT_ONCE = 200

/** `TaskStore.completeTask`. Concurrent calls share a statement and a commit, except within a transaction. */
export function createCompletions(
  database: Database,
  claims: TaskClaims,
  pickups: JoinedPickups,
): TaskStore<PgConnection>['completeTask'] {
  const complete = database.join<Call, OutcomeRow>(
    (calls) =>
      database.newDeliveries.during(
        (bounds) => database.write({ now: null }, completeClaimed, toValues(calls, bounds)),
        (row) => row.newDeliveries,
      ),
    { most: MOST_AT_ONCE, groupOf: ({ now }) => now },
  )

  const plain: Session = { run: (...query) => database.read({ now: null }, ...query) }

  /**
   * Two commits. One transaction would hold the log of the completed task's workspace while it waits for other logs, and could
   * deadlock with claims that hold those. Once the task is completed, the call returns it.
   */
  async function oneAfterTheOther(completion: Call, next: ClaimTarget): Promise<Completion> {
    const task = await completedTask(plain, completion, await complete(completion))
    try {
      return { task, next: await pickups.claim(next, 1, completion.now) }
    } catch (error) {
      if (isTaskboardError(error, 'SERVICE_UNAVAILABLE'))
        return { task, next: { tasks: [], nextReadyInMs: null } }
      throw error
    }
  }

  return async ({ proof, result, next }, call) => {
    const { now } = call
    const completion = { proof, result, now }
    if (next === null) {
      if (call.tx === undefined) {
        return { task: await completedTask(plain, completion, await complete(completion)), next: null }
      }
      const inTransaction: Session = { run: (...query) => database.read(call, ...query) }
      return { task: await completeIn(inTransaction, completion), next: null }
    }
    if (call.tx === undefined && isOneLog(proof, next)) {
      const joined = await pickups.completeAndClaim({ proof, result }, next, now)
      return joined ?? oneAfterTheOther(completion, next)
    }
    return database.atomically(call, async (session) => {
      const task = await completeIn(session, completion)
      const pickup = { limit: 1, completions: [], now, commitsEach: false }
      const { tasks, nextReadyInMs } = await claims(session, next, pickup)
      return { task, next: { tasks, nextReadyInMs } }
    })
  }
}

/** A statement that claims for one agent logs only events of the agent's workspace. */
function isOneLog(proof: ClaimProof, next: ClaimTarget): boolean {
  return 'agentType' in next || next.workspaceId === proof.workspaceId
}

async function completeIn(session: Session, completion: Call): Promise<Task> {
  const [row] = await session.run(completeClaimed, toValues([completion], null))
  return completedTask(session, completion, row)
}

function toValues(calls: readonly Call[], bounds: string | null): readonly unknown[] {
  return [calls[0]?.now ?? null, completionValues(calls), bounds]
}

/** The task of a completion or of a retried one. @throws TaskboardError for any other. */
async function completedTask(
  session: Session,
  { proof, result }: CompletionInput,
  row: OutcomeRow | undefined,
): Promise<Task> {
  if (row?.exists !== true) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
  if (row.isHeld) return toTask(row)
  const [now] = await session.run(getTaskRow, [proof.workspaceId, proof.taskId])
  const task = now === undefined ? null : toTask(now)
  if (task !== null && isCompletedBy(task, proof.fencingToken, result)) return task
  throw leaseLost()
}

import {
  TaskboardError,
  type At,
  type ClaimBatch,
  type ClaimByType,
  type ClaimForAgent,
  type ClaimProof,
  type Completion,
  type Instant,
  type Task,
} from '@taskboard/core'
import type { Database, Session } from '../database.js'
import { LOG_EVENTS } from '../events/log-events.js'
import { createJoiner } from '../joiner.js'
import type { PgConnection } from '../pool.js'
import { statement } from '../statement.js'
import type { TaskClaims } from './claim-tasks.js'
import { COMPLETE_CLAIMED, COMPLETIONS } from './complete-sql.js'
import { leaseLost } from './lease-lost.js'
import { toTask, type TaskRow } from './task-row.js'

interface OutcomeRow extends TaskRow {
  readonly exists: boolean
  readonly isHeld: boolean
}

/** Present, completions. */
const completeClaimed = statement<OutcomeRow>(
  'complete_tasks',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  ${COMPLETIONS},
  ${COMPLETE_CLAIMED},
  draft as (select * from completed),
  ${LOG_EVENTS}
  select * from outcome order by ord`,
)

/** One call that waits to be part of a batch. */
interface Call {
  readonly proof: ClaimProof
  readonly result: string
  readonly now: Instant | null
}

type NextClaim = ClaimByType | ClaimForAgent

const MOST_AT_ONCE = 200

/** `TaskStore.completeTask`. */
export type CompleteTask = (
  proof: ClaimProof,
  result: string,
  next: NextClaim | null,
  at: At<PgConnection>,
) => Promise<Completion>

/** Calls that come while others are under way share a statement and a commit, but for those within a transaction. */
export function createCompletions(database: Database, claims: TaskClaims): CompleteTask {
  const complete = createJoiner<Call, OutcomeRow>(
    (calls) => database.write({ now: null }, completeClaimed, toValues(calls)),
    { most: MOST_AT_ONCE, atOnce: 1, groupOf: ({ now }) => now },
  )

  return async (proof, result, next, at) => {
    const { now } = at
    if (next !== null) {
      return database.atomically(at, async (session) => {
        const task = await completeIn(session, { proof, result, now })
        return { task, next: await claimNext(session, claims, next, now) }
      })
    }
    if (at.tx === undefined)
      return { task: completedTask(await complete({ proof, result, now })), next: null }
    const rows = await database.write(at, completeClaimed, toValues([{ proof, result, now }]))
    return { task: completedTask(rows[0]), next: null }
  }
}

async function completeIn(session: Session, call: Call): Promise<Task> {
  const [row] = await session.run(completeClaimed, toValues([call]))
  return completedTask(row)
}

function claimNext(
  session: Session,
  claims: TaskClaims,
  next: NextClaim,
  now: Instant | null,
): Promise<ClaimBatch> {
  return 'agentType' in next ? claims.byType(session, next, 1, now) : claims.forAgent(session, next, 1, now)
}

function toValues(calls: readonly Call[]): readonly unknown[] {
  const completions = calls.map(({ proof, result }, ord) => ({
    ord,
    workspace_id: proof.workspaceId,
    task_id: proof.taskId,
    fencing_token: proof.fencingToken,
    result,
  }))
  return [calls[0]?.now ?? null, JSON.stringify(completions)]
}

function completedTask(row: OutcomeRow | undefined): Task {
  if (row?.exists !== true) throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
  if (row.isHeld) return toTask(row)
  throw leaseLost()
}

import { type Instant, type Task, TaskboardError } from '@taskboard/core'
import { anyAgentType, type ClaimByType, type ClaimForAgent, type ClaimTarget } from '@taskboard/core/storage'
import type { Session } from '../../database/database.js'
import { statement } from '../../connection/statement.js'
import { claimByFallback, claimByType, type TypeClaimRow } from './claim-by-type.js'
import { claimForAgent, claimOneForAgent, completeAndClaimForAgent } from './claim-for-agent.js'
import { type ClaimRow, LEAST_DEPTH, MOST_CLAIMED } from './claim-sql.js'
import { type CompletionInput, completionValues } from './complete-sql.js'
import { toTask } from '../task-row.js'

/** Present, limit. */
const recomputePlacements = statement<{ readonly count: number }>(
  'settle_queue',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  ended_place as materialized (
    select q.task_id from taskboard.todo q
    where q.until < 9223372036854775807 and q.until > 0 and q.until <= (select now from p)
    order by q.until
    limit $2::integer
    for update skip locked
  ),
  replaced as (
    update taskboard.todo q
    set ready = n.ready, lane = n.lane, key = n.key, placed_at = n.placed_at, until = n.until, not_before = n.not_before
    from p, taskboard.task t, lateral taskboard.todo_of(t, p.now) n
    where q.task_id = any (array(select task_id from ended_place)) and t.id = q.task_id
    returning q.task_id
  )
  select count(*)::integer as count from replaced`,
)

/**
 * Recomputes up to `limit` places in the pickup order that have ended by `now`, because a factor began or stopped to rise, or a
 * wait ended. Skips tasks that others have locked. Resolves to the number of tasks placed.
 */
async function settleQueue(session: Session, now: Instant | null, limit: number): Promise<number> {
  const [row] = await session.run(recomputePlacements, [now, limit])
  return row?.count ?? 0
}

interface Pickup {
  /** The number of tasks to claim, plus one for each completion that succeeds. */
  readonly limit: number
  readonly completions: readonly CompletionInput[]
  readonly now: Instant | null
  /** Whether each statement commits on its own. Then the tasks that were taken are returned even if a later statement fails. */
  readonly commitsEach: boolean
}

export interface PickedUp {
  /** The task of each completion, in order; null when it was refused. */
  readonly completed: readonly (Task | null)[]
  /** The claimed tasks, best first. */
  readonly tasks: readonly Task[]
  readonly nextReadyInMs: number | null
}

/** Completes tasks and takes the best ones. @throws TaskboardError `NOT_FOUND` for an unknown agent, without any change. */
export type TaskClaims = (session: Session, target: ClaimTarget, pickup: Pickup) => Promise<PickedUp>

/** How many times a claim tries when others hold the tasks that it saw. */
const MOST_SEARCHES = 8
/** How many ended placements are recomputed before a claim. The rest is left to the next claims and hardly affects the order. */
const SETTLED_ROWS = 1_000

/** One run of a claiming statement. */
interface ClaimQuery {
  readonly exact: boolean
  readonly limit: number
  readonly completions: readonly CompletionInput[]
}

/** The result of one run of a claiming statement. */
interface Candidates extends PickedUp {
  /** Placements have ended: the statement changed nothing. */
  readonly isStale: boolean
  /** Whether nothing more could be taken. */
  readonly isAll: boolean
}

/** Each process remembers on its own whose turn is next. After a start the turns begin at the first workspace. */
export function createTaskClaims(): TaskClaims {
  const lastServed = new Map<string, string>()

  async function claimCandidatesByType(
    session: Session,
    { agentType, leaseMs }: ClaimByType,
    now: Instant | null,
    { exact, limit, completions }: ClaimQuery,
  ): Promise<Candidates> {
    const last = lastServed.get(agentType) ?? ''
    const values = [now, exact, limit, leaseMs, agentType, last]
    const { claim, completeAndClaim } = agentType === anyAgentType ? claimByFallback : claimByType
    const rows = inOrder(
      completions.length === 0
        ? await session.run(claim, values)
        : await session.run(completeAndClaim, [...values, completionValues(completions)]),
    )
    const served = lastOf(rows)
    if (served !== null) lastServed.set(agentType, served)
    // The walk went once around when it found fewer workspaces with work than could have had a turn. Of several, each was
    // asked only for its share of the requested tasks, so one may have more where others had fewer.
    const { workspaces = [], seen } = rows[0] ?? {}
    const requested = limit + rows.filter(({ isOutcome }) => isOutcome).length
    const isWhole = workspaces.length <= 1 || (seen ?? 0) < LEAST_DEPTH
    return toCandidates(rows, completions.length, isWhole && workspaces.length < requested)
  }

  return (session, target, pickup) =>
    takeUpTo(session, pickup, (search) =>
      'agentType' in target
        ? claimCandidatesByType(session, target, pickup.now, search)
        : claimCandidatesForAgent(session, target, pickup.now, search),
    )
}

async function claimCandidatesForAgent(
  session: Session,
  { workspaceId, agentId, leaseMs, taskId }: ClaimForAgent,
  now: Instant | null,
  { exact, limit, completions }: ClaimQuery,
): Promise<Candidates> {
  const values = [now, exact, limit, leaseMs, workspaceId, agentId]
  const claim = () =>
    taskId === undefined
      ? session.run(claimForAgent, values)
      : session.run(claimOneForAgent, [...values, taskId])
  const rows = inOrder(
    completions.length === 0
      ? await claim()
      : await session.run(completeAndClaimForAgent, [...values, completionValues(completions)]),
  )
  return toCandidates(rows, completions.length, true)
}

/** The completed tasks, then the claimed ones. */
function inOrder<Row extends ClaimRow>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((a, b) => a.ord - b.ord)
}

/** The workspace after which the turns continue: that of the last task, or the last one without a task to take. */
function lastOf(rows: readonly TypeClaimRow[]): string | null {
  const last = rows.at(-1)
  if (last === undefined || last.isStale) return null
  return last.isOutcome === false ? last.workspaceId : (last.workspaces.at(-1) ?? null)
}

async function takeUpTo(
  session: Session,
  { limit, completions, now, commitsEach }: Pickup,
  search: (search: ClaimQuery) => Promise<Candidates>,
): Promise<PickedUp> {
  const opening: ClaimQuery = { exact: true, limit: Math.min(MOST_CLAIMED, limit), completions }
  let seen = await search(opening)
  if (seen.isStale) {
    await settleQueue(session, now, SETTLED_ROWS)
    seen = await search({ ...opening, exact: false })
  }
  const { completed } = seen
  const requested = limit + completed.filter((task) => task !== null).length
  const tasks = [...seen.tasks]
  for (let emptySearches = 0; tasks.length < requested && !seen.isAll && emptySearches < MOST_SEARCHES;) {
    try {
      seen = await search({
        exact: false,
        limit: Math.min(MOST_CLAIMED, requested - tasks.length),
        completions: [],
      })
    } catch (error) {
      // Return the claimed tasks, or no one would work on them.
      if (commitsEach && (tasks.length > 0 || requested > limit)) break
      throw error
    }
    tasks.push(...seen.tasks)
    emptySearches = seen.tasks.length === 0 ? emptySearches + 1 : 0
  }
  return { completed, tasks, nextReadyInMs: tasks.length < requested ? seen.nextReadyInMs : null }
}

function toCandidates(rows: readonly ClaimRow[], completions: number, isAllSeen: boolean): Candidates {
  const [first] = rows
  if (first === undefined) throw new Error('a claim returned no row')
  if (!first.isKnown) throw new TaskboardError('NOT_FOUND', 'no such agent')
  const completed = Array.from<Task | null>({ length: completions }).fill(null)
  const tasks: Task[] = []
  for (const row of rows) {
    if (row.isOutcome) completed[row.ord] = toTask(row)
    else if (row.isOutcome === false) tasks.push(toTask(row))
  }
  return {
    isStale: first.isStale,
    completed,
    tasks,
    nextReadyInMs: first.nextReadyInMs,
    isAll: isAllSeen && first.seen !== null && first.seen <= tasks.length,
  }
}

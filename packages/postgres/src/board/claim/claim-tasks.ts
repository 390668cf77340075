import { type Instant, type Task, TaskboardError } from '@taskboard/core'
import { anyAgentType, type ClaimByType, type ClaimForAgent, type ClaimTarget } from '@taskboard/core/storage'
import type { Session } from '../../database/database.js'
import type { NewDeliveries } from '../../database/new-deliveries.js'
import { statement, type Statement } from '../../connection/statement.js'
import { completedTask, createClaimedTasks, type ClaimedTasks } from './claimed-tasks.js'
import { claimByFallback, claimByType } from './claim-by-type.js'
import { claimForAgent, claimOneForAgent, completeAndClaimForAgent } from './claim-for-agent.js'
import { type ClaimRow, LEAST_DEPTH, MOST_CLAIMED } from './claim-sql.js'
import { type CompletionInput, completionValues } from './complete-sql.js'
import { createOnlyAgents } from './only-agents.js'
import { taskRowOf, toTask } from '../task-row.js'

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
 * Recomputes up to `limit` places in the pickup order that are over by `now`, because a factor or a wait changed.
 * Skips tasks that others have locked. Resolves to the number of tasks placed.
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
  /** The task of each completion, in order; null when it was rejected. */
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

/** Runs a claiming statement with its values: those that all have, and those after what it may claim of new deliveries. */
type RunClaim = <Row extends ClaimRow>(
  statement: Statement<Row>,
  values: readonly unknown[],
  more: readonly unknown[],
) => Promise<Row>

/** One run of a claiming statement. */
interface ClaimQuery {
  readonly exact: boolean
  readonly limit: number
  readonly completions: readonly CompletionInput[]
  readonly commitsEach: boolean
}

/** The result of one run of a claiming statement. */
interface Candidates extends PickedUp {
  /** Placements are over: the statement changed nothing. */
  readonly isStale: boolean
  /** Whether nothing more could be taken. */
  readonly isAll: boolean
}

/** Each process remembers on its own whose turn is next. After a start the turns begin at the first workspace. */
export function createTaskClaims(newDeliveries: NewDeliveries): TaskClaims {
  const lastServed = new Map<string, string>()
  const claimedTasks = createClaimedTasks()
  const onlyAgents = createOnlyAgents()

  async function claimCandidatesByType(
    run: RunClaim,
    { agentType, leaseMs }: ClaimByType,
    now: Instant | null,
    search: ClaimQuery,
  ): Promise<Candidates> {
    const { exact, limit, completions } = search
    const only = onlyAgents.guess(agentType)
    if (only !== undefined && isAllOf(only.workspaceId, completions)) {
      const row = await completeAndClaimAs({ ...only, leaseMs }, run, now, search, agentType)
      if (row.isKnown) return toCandidates(row, search, claimedTasks)
      onlyAgents.wrong(agentType)
    }
    const last = lastServed.get(agentType) ?? ''
    const values = [now, exact, limit, leaseMs, agentType, last]
    const { claim, completeAndClaim } = agentType === anyAgentType ? claimByFallback : claimByType
    const row = await (completions.length === 0
      ? run(claim, values, [])
      : run(completeAndClaim, values, [completionValues(completions)]))
    const candidates = toCandidates(row, search, claimedTasks)
    const served = candidates.tasks.at(-1)?.workspaceId ?? row.workspaces.at(-1)
    if (served !== undefined && !row.isStale) lastServed.set(agentType, served)
    if (agentType !== anyAgentType) onlyAgents.learn(agentType, candidates.tasks)
    // The walk went once around when it found fewer workspaces with work than could have had a turn. Of several, each was
    // asked only for its share of the requested tasks, so one may have more where others had fewer.
    const { workspaces, seen } = row
    const requested = limit + (row.completed?.length ?? 0)
    const isWhole = workspaces.length <= 1 || (seen ?? 0) < LEAST_DEPTH
    return { ...candidates, isAll: candidates.isAll && isWhole && workspaces.length < requested }
  }

  return (session, target, pickup) => {
    const completions = pickup.completions.map((completion) => ({
      ...completion,
      claimed: claimedTasks.find(completion.proof),
    }))
    const run: RunClaim = async (claiming, values, more) => {
      const runWith = (bounds: string | null) => session.run(claiming, [...values, bounds, ...more])
      // Within a transaction, the claims would hold before its commit.
      const rows = pickup.commitsEach
        ? await newDeliveries.during(runWith, (row) => row.newDeliveries)
        : await runWith(null)
      return one(rows)
    }
    return takeUpTo(session, { ...pickup, completions }, (search) =>
      'agentType' in target
        ? claimCandidatesByType(run, target, pickup.now, search)
        : claimCandidatesForAgent(run, target, pickup.now, search, claimedTasks),
    )
  }
}

async function claimCandidatesForAgent(
  run: RunClaim,
  { workspaceId, agentId, leaseMs, taskId }: ClaimForAgent,
  now: Instant | null,
  search: ClaimQuery,
  claimedTasks: ClaimedTasks,
): Promise<Candidates> {
  const { exact, limit, completions } = search
  const values = [now, exact, limit, leaseMs, workspaceId, agentId]
  const claim = () =>
    taskId === undefined ? run(claimForAgent, values, []) : run(claimOneForAgent, values, [taskId])
  const row = await (completions.length === 0
    ? claim()
    : completeAndClaimAs({ workspaceId, agentId, leaseMs }, run, now, search, null))
  return toCandidates(row, search, claimedTasks)
}

/** With a type, the row isn't known unless the agent is the only one of it. */
function completeAndClaimAs(
  { workspaceId, agentId, leaseMs }: ClaimForAgent,
  run: RunClaim,
  now: Instant | null,
  { exact, limit, completions }: ClaimQuery,
  onlyOfType: string | null,
): Promise<ClaimRow> {
  const values = [now, exact, limit, leaseMs, workspaceId, agentId]
  return run(completeAndClaimForAgent, values, [completionValues(completions), onlyOfType])
}

/** Whether there are completions, all of the workspace. */
function isAllOf(workspaceId: string, completions: readonly CompletionInput[]): boolean {
  return completions.length > 0 && completions.every(({ proof }) => proof.workspaceId === workspaceId)
}

function one<Row extends ClaimRow>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('a claim returned no row')
  return row
}

async function takeUpTo(
  session: Session,
  { limit, completions, now, commitsEach }: Pickup,
  search: (search: ClaimQuery) => Promise<Candidates>,
): Promise<PickedUp> {
  const opening: ClaimQuery = { exact: true, limit: Math.min(MOST_CLAIMED, limit), completions, commitsEach }
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
        commitsEach,
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

function toCandidates(
  row: ClaimRow,
  { completions, commitsEach }: ClaimQuery,
  claimedTasks: ClaimedTasks,
): Candidates {
  if (!row.isKnown) throw new TaskboardError('NOT_FOUND', 'no such agent')
  const completed = completions.map((): Task | null => null)
  for (const [ord, at, values] of row.completed ?? []) {
    const { proof, claimed, result } = completions[ord] as CompletionInput
    claimedTasks.forget(proof.taskId)
    if (values !== null) completed[ord] = toTask(taskRowOf(values))
    else if (claimed !== undefined) completed[ord] = completedTask(claimed, result, at)
  }
  const rows = (row.claimed ?? []).map(taskRowOf)
  const tasks = rows.map((each) => (commitsEach ? claimedTasks.add(each) : toTask(each)))
  return {
    isStale: row.isStale,
    completed,
    tasks,
    nextReadyInMs: row.nextReadyInMs,
    isAll: row.seen !== null && row.seen <= tasks.length,
  }
}
